"""What checks and tests install is locked, with hashes, and what is installed here is what the lock says."""

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
LOCK = ROOT / ".ci" / "lock.txt"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BY_THE_MACHINE = "torch"  # which build is right depends on it: .ci/venv installs it


def locked() -> dict[str, Requirement]:
    found = [
        Requirement(match[1]) for match in re.finditer(r"^([\w.-]+==[^\\\n]+?) \\$", LOCK.read_text(), re.MULTILINE)
    ]
    return {canonicalize_name(one.name): one for one in found if one.marker is None or one.marker.evaluate()}


def declared() -> Iterator[Requirement]:
    project = PROJECT["project"]
    lines = [*project["dependencies"], *PROJECT["dependency-groups"]["dev"]]
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


def test_every_line_of_the_lock_has_a_hash() -> None:
    entries = re.split(r"^(?=[\w.-]+==)", LOCK.read_text(), flags=re.MULTILINE)[1:]
    assert len(entries) > 100
    assert [entry.split()[0] for entry in entries if not re.search(r"--hash=sha256:[0-9a-f]{64}", entry)] == []


def test_the_lock_holds_all_that_is_declared_in_a_version_that_is_allowed() -> None:
    lock = locked()
    for one in declared():
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
