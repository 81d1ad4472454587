"""Python's manifests: pyproject.toml, setup.cfg, setup.py, tox.ini and noxfile.py."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import Fact
from repomem.profile.manifests.commands import Task, task_facts
from repomem.profile.manifests.manifest import Excerpt, Manifest, joined, real_version
from repomem.profile.manifests.structured_text import Keyed, Path, read_toml

METADATA: tuple[Path, ...] = (("project",), ("tool", "poetry"))
RUNTIMES: tuple[Path, ...] = (("project", "requires-python"), ("tool", "poetry", "dependencies", "python"))
SCRIPT_TABLES: tuple[tuple[Path, str], ...] = (
    (("tool", "pdm", "scripts"), "pdm run "),
    (("tool", "poe", "tasks"), "poe "),
    (("tool", "taskipy", "tasks"), "task "),
    (("tool", "rye", "scripts"), "rye run "),
    (("tool", "pixi", "tasks"), "pixi run "),
)
ENTRY_TABLES: tuple[Path, ...] = (("project", "scripts"), ("project", "gui-scripts"), ("tool", "poetry", "scripts"))
INI_SECTION = lazy_pattern(r"\[([^\]]+)\]")
INI_KEY = lazy_pattern(r"([\w.-]+)[ \t]*[=:][ \t]*(.*)")
NOX_SESSION = lazy_pattern(r"@(?:nox\.)?session\b.*")
NOX_NAME = lazy_pattern(r"name[ ]*=[ ]*['\"]([\w.-]+)")
FUNCTION = lazy_pattern(r"(?:async[ ]+)?def[ ]+(\w+)")
SETUP_ARGUMENT = lazy_pattern(r"[ \t]*(name|version|description|python_requires)[ ]*=[ ]*(['\"])(.*?)\2")
TOX_FACTOR = lazy_pattern(r"([\w{},.!-]+):[ ]+")  # `tests: pytest` runs only in environments with the factor `tests`
TOX_NAMES = {"testenv": "test", "env_run_base": "test"}  # plain `tox` runs the tests
TOX_LISTS = frozenset({"envlist", "env_list"})
TOX_OTHERS = lazy_pattern(r"\b(?:lint|style|format|typ(?:es|ing)|mypy|docs?|changelog)\b")  # plain `tox` runs them too


def read_pyproject(manifest: Manifest) -> Iterator[Fact]:
    """The facts of a pyproject.toml: metadata, scripts and tox environments."""
    document = read_toml(manifest.text)
    for table in METADATA:
        names = ("name", "version", "description")
        yield from _described(manifest, {name: document.excerpt(*table, name) for name in names})
    for path in RUNTIMES:
        yield from document.facts(manifest, "runtime", "Python {}", *path)
    yield from task_facts(manifest, [*_scripts(document), *_tox_tables(document)])
    for table in ENTRY_TABLES:
        scripts = document.table(*table)
        arrows = [Excerpt(f"{name} → {target}", document.line(*table, name)) for name, target in scripts.items()]
        yield from joined(manifest, "entry", arrows)


def read_setup_cfg(manifest: Manifest) -> Iterator[Fact]:
    """The facts of a setup.cfg: name, description, Python versions and console scripts."""
    keys = {f"{section}:{key}": values for section, key, values in _ini_keys(manifest)}
    named = ("metadata:name", "metadata:version", "metadata:description", "options:python_requires")
    yield from _described(manifest, {name.partition(":")[2]: keys[name][0] for name in named if keys.get(name)})
    scripts = keys.get("options.entry_points:console_scripts", [])
    arrows = [Excerpt(re.sub(r"[ ]*=[ ]*", " → ", script.text, count=1), script.line) for script in scripts]
    yield from joined(manifest, "entry", arrows)


def read_tox(manifest: Manifest) -> Iterable[Fact]:
    """The environments of a tox.ini that test, lint or build, with their first command."""
    tasks, has_others = list[Task](), False
    for section, key, values in _ini_keys(manifest):
        if section == "tox" and key in TOX_LISTS:
            has_others = any(TOX_OTHERS.search(value.text) for value in values)
        elif key == "commands" and re.fullmatch(r"testenv(?::[\w.{},-]+)?", section):
            for env in _expanded(section.removeprefix("testenv:")):
                tasks += _tox_tasks(env, values, has_others=has_others)
    return task_facts(manifest, tasks)


def _expanded(env: str) -> list[str]:
    """The names of `lint-{ruff,mypy}`; none for ranges of versions."""
    braces = re.search(r"\{([^{}]*,[^{}]*)\}", env)
    if braces is None:
        return [] if "{" in env else [env]
    names = (env[: braces.start()] + part.strip() + env[braces.end() :] for part in braces[1].split(","))
    return [name for expanded in map(_expanded, names) for name in expanded]


def _tox_tasks(env: str, values: Sequence[Excerpt], *, has_others: bool) -> Iterator[Task]:
    """The task of an environment: the commands for its factors; those of the base environment are for any factor."""
    factors = [(TOX_FACTOR.match(value.text), value) for value in values]
    own = [(found, value) for found, value in factors if not found or env in TOX_NAMES or f"-{found[1]}-" in f"-{env}-"]
    if own:
        found, first = own[0]
        command = first.text[found.end() :] if found else first.text
        only = found[1] if found and has_others and found[1].isalnum() else ("py" if has_others else "")
        task = _tox_task(env, command, first.line, only)
        yield replace(task, has_more=len(own) > 1)


def read_noxfile(manifest: Manifest) -> Iterable[Fact]:
    """The sessions of a noxfile.py that test, lint or build."""
    tasks, is_session, named = [], False, ""
    for number, line in enumerate(manifest.lines, start=1):
        if NOX_SESSION.match(line):
            name_argument = NOX_NAME.search(line)
            is_session, named = True, name_argument[1] if name_argument else ""
        elif is_session and (function := FUNCTION.match(line)):
            name = named or function[1]
            tasks.append(Task(name, f"nox -s {name}", "", number))
            is_session = False
    return task_facts(manifest, tasks)


def read_setup_py(manifest: Manifest) -> Iterator[Fact]:
    """The facts in the literal arguments of a setup.py, which is never run."""
    arguments: dict[str, Excerpt] = {}
    for number, line in enumerate(manifest.lines, start=1):
        if argument := SETUP_ARGUMENT.match(line):
            arguments.setdefault(argument[1], Excerpt(argument[3], number))
    yield from _described(manifest, arguments)


def _described(manifest: Manifest, values: Mapping[str, Excerpt]) -> Iterator[Fact]:
    """The name with its version, the description and the Python versions, by their names in a setup.py."""
    keys = ("name", "version", "description", "python_requires")
    name, version, about, runtime = (values.get(key, Excerpt("", 1)) for key in keys)
    is_literal = not version.text.startswith(("attr:", "file:"))  # setup.cfg may only point to the version
    if name.text:
        yield manifest.fact("name", f"{name.text} {real_version(version.text) if is_literal else ''}", name.line)
    if about.text and not about.text.startswith("file:"):
        yield manifest.fact("about", about.text, about.line)
    if runtime.text:
        yield manifest.fact("runtime", f"Python {runtime.text}", runtime.line)


def _scripts(document: Keyed) -> Iterator[Task]:
    envs = ("tool", "hatch", "envs")
    hatch = [((*envs, env, "scripts"), "hatch run " + f"{env}:" * (env != "default")) for env in document.table(*envs)]
    for table, program in (*SCRIPT_TABLES, *hatch):
        for name, value in document.table(*table).items():
            yield Task(name, program + name, _shell(value), document.line(*table, name))


def _tox_tables(document: Keyed) -> Iterator[Task]:
    tables = [("env_run_base",), *(("env", name) for name in document.table("tool", "tox", "env"))]
    envs = document.value("tool", "tox", "env_list")
    only = "py" * any(TOX_OTHERS.search(env) for env in map(str, envs if isinstance(envs, list) else []))
    runner = "uv run " * _is_tox_of_uv(document)
    for table in tables:
        path = ("tool", "tox", *table, "commands")
        commands = document.value(*path)
        if isinstance(commands, list) and commands:
            task = _tox_task(table[-1], _shell(commands[0]), document.line(*path), only)
            yield replace(task, call=runner + task.call, has_more=len(commands) > 1)


def _is_tox_of_uv(document: Keyed) -> bool:
    """Whether tox needs a plugin that uv installs: another tox knows no such runner."""
    is_uvs = document.text("tool", "tox", "env_run_base", "runner").startswith("uv-venv")
    return is_uvs and "tox-uv" in str(document.value("dependency-groups"))


def _tox_task(env: str, command: str, line: int, only: str) -> Task:
    """The task of an environment; `only` is the factor of the tests if plain `tox` runs more, `py` without one."""
    base = f"tox {'-e' if only == 'py' else '-f'} {only}" if only else "tox"
    return Task(TOX_NAMES.get(env, env), base if env in TOX_NAMES else f"tox -e {env}", command, line)


def _shell(value: object) -> str:
    """The shell line of a script entry: a string, a list of words or lines, or a table with one of these."""
    if isinstance(value, Mapping):
        inner = (value.get(key) for key in ("cmd", "shell", "composite", "sequence"))
        return next((_shell(command) for command in inner if command), "")
    if isinstance(value, list):
        words = [word for word in value if isinstance(word, str)]
        is_lines = any(" " in word for word in words)
        return (" && " if is_lines else " ").join(words)
    return value if isinstance(value, str) else ""


def _ini_keys(manifest: Manifest) -> Iterator[tuple[str, str, list[Excerpt]]]:
    """The (section, key, values with their lines) of an ini file; continuation lines are further values."""
    section, key, values = "", "", list[Excerpt]()
    for number, raw in enumerate([*manifest.lines, "[end]"], start=1):
        line = raw.strip()
        if not line or line.startswith(("#", ";")):
            continue
        if raw[0].isspace():
            values.append(Excerpt(line, number))
            continue
        if key:
            yield section, key, [value for value in values if value.text]
        key, values = "", []
        if header := INI_SECTION.match(line):
            section = header[1]
        elif pair := INI_KEY.match(line):
            key, values = pair[1], [Excerpt(pair[2], number)]
