"""How the tests of a package in a folder of a repository are run: the command at the root may not run them."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from repomem.core.types.brief import Fact
from repomem.history.live_files import existing
from repomem.profile.facts import profile_facts, profile_paths, text_at
from repomem.profile.one_test import ONE_TEST, PACKAGE_MANAGERS
from repomem.workspace.snapshot import Snapshot

MANIFESTS = (  # of packages whose tests run in their own folder; modules of Maven and Gradle need the root
    *("pyproject.toml", "setup.py", "setup.cfg", "Cargo.toml", "go.mod", "mix.exs", "Package.swift", "pubspec.yaml"),
    *("composer.json", "deno.json", "deno.jsonc", "package.json", "{name}.gemspec"),
)


def package_of(path: str, paths: Collection[str]) -> str:
    """The nearest folder above a file that is a package; empty if that is the root, or none."""
    for folder in PurePosixPath(path).parents:
        if folder.name and any(str(folder / each.format(name=folder.name)) in paths for each in MANIFESTS):
            return str(folder)
    return ""


def tests_of_package(snapshot: Snapshot, path: str) -> list[Fact]:
    """How all tests and a single one of a file's package are run; none for the root and where it is not known."""
    folder = package_of(path, snapshot.tree.paths)
    if not folder:
        return []
    inside = {each.removeprefix(f"{folder}/") for each in snapshot.tree.paths if each.startswith(f"{folder}/")}
    read = {each: text_at(snapshot, f"{folder}/{each}") for each in profile_paths(inside)}
    texts = {each: text for each, text in read.items() if text is not None}
    inside |= {*existing(snapshot, [lock for lock, *_ in PACKAGE_MANAGERS])}  # the lock file of a workspace
    return [_in_folder(folder, fact) for fact in _tests(profile_facts(texts, inside))]


def with_tests_of_package(facts: Collection[Fact], own: Collection[Fact]) -> list[Fact]:
    """The facts of a repository, with those of a package in the place of the same or of how one test is run."""
    commands = {fact.text for fact in facts}
    if not own or all(fact.text.partition(": ")[2] in commands for fact in own):
        return list(facts)
    return [*own, *(fact for fact in facts if fact.slot != ONE_TEST)]


def _tests(facts: Collection[Fact]) -> Iterator[Fact]:
    for slot in ("test", ONE_TEST):
        yield from [fact for fact in facts if fact.slot == slot][:1]


def _in_folder(folder: str, fact: Fact) -> Fact:
    return replace(fact, text=f"in {folder}/: {fact.text}", path=f"{folder}/{fact.path}")
