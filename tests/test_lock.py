"""What checks and tests install is locked, with hashes, and what is installed here is what the lock says."""

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
LOCK = ROOT / ".ci" / "lock.txt"
POOL_LOCK = ROOT / ".ci" / "lock-pool.txt"  # the same, and what the tests of shared storage need
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BY_THE_MACHINE = "torch"  # which build is right depends on it: .ci/venv installs it


def locked(path: Path = LOCK) -> dict[str, Requirement]:
    found = [
        Requirement(match[1]) for match in re.finditer(r"^([\w.-]+==[^\\\n]+?) \\$", path.read_text(), re.MULTILINE)
    ]
    return {canonicalize_name(one.name): one for one in found if one.marker is None or one.marker.evaluate()}


def declared(*more: str) -> Iterator[Requirement]:
    project, groups = PROJECT["project"], PROJECT["dependency-groups"]
    lines = [*project["dependencies"], *groups["dev"], *(line for name in more for line in groups[name])]
    yield from map(Requirement, lines)


def installed(requirements: list[Requirement]) -> dict[str, Distribution]:
    """These and all that they need, as far as it is installed here."""
    found: dict[str, Distribution] = {}
    waiting = [one.name for one in requirements]
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue
        needed = map(Requirement, found[name].requires or ())
        waiting += [one.name for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found


@pytest.mark.parametrize("path", [LOCK, POOL_LOCK], ids=lambda path: path.name)
def test_every_line_of_the_lock_has_a_hash(path: Path) -> None:
    entries = re.split(r"^(?=[\w.-]+==)", path.read_text(), flags=re.MULTILINE)[1:]
    assert len(entries) > 100
    assert [entry.split()[0] for entry in entries if not re.search(r"--hash=sha256:[0-9a-f]{64}", entry)] == []


@pytest.mark.parametrize(("path", "groups"), [(LOCK, ()), (POOL_LOCK, ("pool",))], ids=["lock", "pool"])
def test_the_lock_holds_all_that_is_declared_in_a_version_that_is_allowed(path: Path, groups: tuple[str, ...]) -> None:
    lock = locked(path)
    for one in declared(*groups):
        [pin] = lock[canonicalize_name(one.name)].specifier
        assert one.specifier.contains(pin.version), one


def test_what_is_installed_here_is_what_the_lock_says() -> None:
    lock = locked()
    wrong = [
        (name, one.version)
        for name, one in installed(list(declared())).items()
        if name in lock and not lock[name].specifier.contains(one.version)
    ]
    assert wrong == []


def test_what_is_needed_is_locked() -> None:
    by_torch = installed([Requirement(BY_THE_MACHINE)])
    assert installed(list(declared())).keys() - locked().keys() - by_torch.keys() - {"repomem"} == set()


def test_both_locks_pin_the_same_versions() -> None:
    lock, with_pool = locked(), locked(POOL_LOCK)
    assert {name: with_pool.get(name) for name in lock} == lock
