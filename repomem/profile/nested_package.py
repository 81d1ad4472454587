"""How a package in a folder of a repository is tested, built and measured: the root's commands may not do it."""

import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from repomem.core.types.brief import ONE_TEST, Fact
from repomem.history.live_files import existing
from repomem.profile.one_test import GRADLE_SETTINGS, PACKAGE_MANAGERS, PROJECT, TEST_SOURCES
from repomem.workspace.snapshot import Snapshot

MANIFESTS = (  # of packages whose tests run in their own folder; modules of Maven and Gradle need the root
    *("pyproject.toml", "setup.py", "setup.cfg", "Cargo.toml", "go.mod", "mix.exs", "Package.swift", "pubspec.yaml"),
    *("composer.json", "deno.json", "deno.jsonc", "package.json", "{name}.gemspec"),
)

SCRIPTS = ("build", "benchmark")  # shown where a script of the package does it: defaults are usual and need no line


def package_of(path: str, paths: Collection[str]) -> str:
    """The nearest folder above a file that is a package; empty if that is the root, or none."""
    for folder in PurePosixPath(path).parents:
        if folder.name and any(str(folder / each.format(name=folder.name)) in paths for each in MANIFESTS):
            return str(folder)
    return ""


def facts_by_package(snapshot: Snapshot, facts: Sequence[Fact], path: str) -> tuple[Sequence[Fact], Sequence[Fact]]:
    """How the package of a file is tested, built and measured, and the other facts of the repository.

    The first is empty if the package is the root, its commands are not known, or they are those of the repository.
    """
    facts = [_in_project(snapshot, fact, path) for fact in facts]
    folder = package_of(path, snapshot.tree.paths)
    found = list(_commands(snapshot, folder)) if folder else []
    commands = {fact.text for fact in facts}
    if all(fact.text in commands for fact in found):
        return (), facts
    own = [_in_folder(folder, fact) for fact in found]
    is_tested = any(fact.slot in ("test", ONE_TEST) for fact in own)
    return own, [fact for fact in facts if fact not in own and not (is_tested and fact.slot == ONE_TEST)]


def _commands(snapshot: Snapshot, folder: str) -> Iterator[Fact]:
    """How a folder is tested, as its own files say, and the scripts that build and measure it; paths are relative."""
    from repomem.profile.facts import profile_facts, profile_paths, text_at  # most tasks are in no nested package

    inside = {each.removeprefix(f"{folder}/") for each in snapshot.tree.paths if each.startswith(f"{folder}/")}
    manifests = profile_paths(inside)
    texts = {each: text for each in manifests if (text := text_at(snapshot, f"{folder}/{each}")) is not None}
    inside |= {*existing(snapshot, [lock for lock, *_ in PACKAGE_MANAGERS])}  # the lock file of a workspace
    facts = profile_facts(texts, inside)
    for slot in ("test", ONE_TEST, *SCRIPTS):
        yield from [fact for fact in facts if fact.slot == slot and (fact.start_line or slot not in SCRIPTS)][:1]


def _in_project(snapshot: Snapshot, fact: Fact, path: str) -> Fact:
    """How one test is run in the Gradle project of a file, if the settings include that project and it has tests."""
    if fact.slot != ONE_TEST or PROJECT not in fact.text:
        return fact
    from repomem.profile.facts import text_at

    settings = "".join(text_at(snapshot, each) or "" for each in GRADLE_SETTINGS)
    names = [str(folder).replace("/", ":") for folder in PurePosixPath(path).parents if folder.name]
    name = next((each for each in names if re.search(rf"['\"]:?{re.escape(each)}['\"]", settings)), "")
    tests = f"/{name.replace(':', '/')}".rstrip("/") + TEST_SOURCES
    has_tests = any(f"/{each}".startswith(tests) for each in snapshot.tree.paths)
    return replace(fact, text=fact.text.replace(PROJECT, f":{name}:".replace("::", ":"))) if has_tests else fact


def _in_folder(folder: str, fact: Fact) -> Fact:
    return replace(fact, text=f"cd {shlex.quote(folder)} && {fact.text}", path=f"{folder}/{fact.path}")
