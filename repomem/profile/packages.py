"""Manifests in plain TOML or JSON: Cargo.toml, package.json, deno.json and composer.json."""

import posixpath
from collections.abc import Iterable, Iterator

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import Fact
from repomem.profile.manifests.commands import Task, task_facts
from repomem.profile.manifests.manifest import Excerpt, Manifest, joined, real_version
from repomem.profile.manifests.structured_text import Keyed, Path, read_json, read_toml
from repomem.profile.one_test import package_manager

RELEASE_TOOL = "semantic-release"  # writes the version when it publishes; the one in the repository is out of date
BUILDS = lazy_pattern(r"(?:pre|post)?(?:build|bundle|compile|dist|prepare|prepack|prepublish(?:Only)?)\b.*")
NPM_PLACEHOLDER = "no test specified"  # what `npm init` writes as the test script


def read_cargo(manifest: Manifest) -> Iterator[Fact]:
    """The facts of a Cargo.toml: package or workspace metadata, Rust version, binaries."""
    document = read_toml(manifest.text)
    for table in (("package",), ("workspace", "package")):
        yield from _described(manifest, document, table)
        yield from document.facts(manifest, "runtime", "Rust >= {}", *table, "rust-version")
    yield from joined(manifest, "entry", list(_cargo_binaries(document, manifest)))


def read_package_json(manifest: Manifest) -> Iterator[Fact]:
    """The facts of a package.json: metadata, engines, scripts, binaries and main module."""
    document = read_json(manifest.text)
    yield from _described(manifest, document, ())
    for engine, shown in (("node", "Node"), ("bun", "Bun")):
        yield from document.facts(manifest, "runtime", f"{shown} {{}}", "engines", engine)
    yield from task_facts(manifest, list(_npm_scripts(document, manifest)))
    yield from joined(manifest, "entry", list(_npm_entries(document, manifest)))


def read_deno_json(manifest: Manifest) -> Iterator[Fact]:
    """The facts of a deno.json: name, tasks and exported module; none if it has comments, which JSON lacks."""
    document = read_json(manifest.text)
    yield from _described(manifest, document, ())
    yield from task_facts(manifest, list(_scripts(document, "tasks", "deno task")))
    if exports := document.text("exports"):
        yield manifest.fact("entry", f"exports {_from_root(manifest, exports)}", document.line("exports"))


def read_composer_json(manifest: Manifest) -> Iterator[Fact]:
    """The facts of a composer.json: metadata, PHP versions, scripts and binaries."""
    document = read_json(manifest.text)
    yield from _described(manifest, document, ())
    yield from document.facts(manifest, "runtime", "PHP {}", "require", "php")
    yield from task_facts(manifest, list(_scripts(document, "scripts", "composer")))
    binaries = document.value("bin")
    if isinstance(binaries, list):
        named = [_from_root(manifest, path) for path in binaries if isinstance(path, str)]
        paths = [Excerpt(f"bin {path}", document.line("bin")) for path in named]
        yield from joined(manifest, "entry", paths)


def _described(manifest: Manifest, document: Keyed, table: Path) -> Iterator[Fact]:
    if name := document.text(*table, "name"):
        version = "" if RELEASE_TOOL in manifest.text else real_version(document.text(*table, "version"))
        yield manifest.fact("name", f"{name} {version}", document.line(*table, "name"))
    yield from document.facts(manifest, "about", "{}", *table, "description")


def _from_root(manifest: Manifest, path: str) -> str:
    """A path that a manifest in a subfolder gives relative to itself, relative to the repository's root."""
    folder = posixpath.dirname(manifest.path)
    return posixpath.normpath(posixpath.join(folder, path)) if folder and path else path


def _cargo_binaries(document: Keyed, manifest: Manifest) -> Iterator[Excerpt]:
    binaries = document.value("bin")
    tables = [table for table in binaries if isinstance(table, dict)] if isinstance(binaries, list) else []
    named = [table for table in tables if isinstance(table.get("name"), str)]
    for number, table in enumerate(named):  # the n-th table with a name has the n-th line of that key
        path = table.get("path")
        text = f"bin {table['name']}" + (f" → {_from_root(manifest, path)}" if isinstance(path, str) else "")
        yield Excerpt(text, document.line("bin", "name", index=number))


def _npm_scripts(document: Keyed, manifest: Manifest) -> Iterable[Task]:
    program, _ = package_manager(manifest.paths, document.text("packageManager"))
    for task in _scripts(document, "scripts", f"{program} run"):
        if NPM_PLACEHOLDER not in task.runs:
            is_short = task.name == "test" and program != "bun"  # `bun test` runs Bun's own test runner, not the script
            call = f"{program} test" if is_short else task.call
            yield Task(task.name, call, task.runs, task.line)


def _npm_entries(document: Keyed, manifest: Manifest) -> Iterator[Excerpt]:
    binaries = document.value("bin")
    if isinstance(binaries, str):
        yield Excerpt(f"bin {_from_root(manifest, binaries)}", document.line("bin"))
    for name in document.table("bin"):
        path = _from_root(manifest, document.text("bin", name))
        yield Excerpt(f"bin {name} → {path}", document.line("bin", name))
    if main := document.text("main"):
        yield from _npm_main(document, manifest, _from_root(manifest, main))


def _npm_main(document: Keyed, manifest: Manifest, path: str) -> Iterator[Excerpt]:
    """The main module; one that is neither there nor built is left over from `npm init`."""
    source = posixpath.normpath(_from_root(manifest, document.text("source")))
    built = f", built from {source}" if source in manifest.paths else ", a build output"
    if _is_there(manifest, path):
        yield Excerpt(f"main {path}", document.line("main"))
    elif any(map(BUILDS.fullmatch, document.table("scripts"))):
        yield Excerpt(f"main {path}{built}", document.line("main"))


def _is_there(manifest: Manifest, path: str) -> bool:
    """Whether a module of an npm package is among the repository's files; its suffix may be left out."""
    name = path.removeprefix("./").rstrip("/")
    names = {name, f"{name}.js", f"{name}.json", f"{name}.node", f"{name}/index.js"}
    return not names.isdisjoint(manifest.paths)


def _scripts(document: Keyed, table: str, program: str) -> Iterator[Task]:
    for name, value in document.table(table).items():
        lines = value if isinstance(value, list) else [value]
        runs = " && ".join(line for line in lines if isinstance(line, str))
        if runs:
            yield Task(name, f"{program} {name}", runs, document.line(table, name))
