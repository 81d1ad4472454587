"""What is installed beside us: by which licences, and what of it runs whenever Python starts."""

import re
import site
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

# Licences that let anybody use, change and pass on. MPL-2.0 asks for its own files where they are changed: we do not.
FREE = re.compile(
    r"MIT|BSD|Apache|ISC|PSF|Python Software Foundation|Zlib|0BSD|Unlicense|BSL-1\.0|CC0|MPL[- ]2\.0|Mozilla Public "
    r"License 2\.0|CNRI-Python|LLVM-exception",
    re.IGNORECASE,
)
BINDING = re.compile(r"\bA?L?GPL|SSPL|BUSL|Elastic|Commons Clause|Proprietary", re.IGNORECASE)
# What runs at every start of Python in the development environment. A package that is malicious likes to add to it:
# look at what a new one does before it is written down here.
STARTING = {"_editable_impl_repomem.pth", "a1_coverage.pth", "distutils-precedence.pth"}
MALICIOUS = {"litellm": {"1.82.7", "1.82.8"}}


def closure(name: str, extras: frozenset[str]) -> dict[str, Distribution]:
    """A distribution and all that it requires here, by name."""
    found: dict[str, Distribution] = {}
    waiting = [(name, extras)]
    while waiting:
        name, extras = waiting.pop()
        try:
            one = distribution(name)
        except PackageNotFoundError:
            continue  # of another platform
        if found.setdefault(one.metadata["Name"].lower(), one) is not one:
            continue
        for requirement in map(Requirement, one.requires or ()):
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in (extras or {""})):
                waiting.append((requirement.name, frozenset(requirement.extras)))
    return found


def licence_of(one: Distribution) -> str:
    """What its metadata says: an expression, else the classifiers, else the field's first line."""
    fields = one.metadata
    classifiers = [each for each in fields.get_all("Classifier") or () if each.startswith("License ::")]
    named = fields.json.get("license_expression", "")
    first = str(fields.json.get("license", "")).partition("\n")[0]
    return str(named or " ".join(classifiers) or first)


def test_every_dependency_may_be_used_and_passed_on() -> None:
    found = closure("repomem", frozenset({"", "llm", "transformers"}))
    said = {name: licence_of(one) for name, one in found.items()}
    assert {name: text for name, text in said.items() if not FREE.search(text) or BINDING.search(text)} == {}
    assert len(said) > 50


def test_nothing_new_runs_when_python_starts() -> None:
    folders = [Path(folder) for folder in site.getsitepackages()]
    assert {path.name for folder in folders for path in folder.glob("*.pth")} - STARTING == set()


def test_no_version_that_is_known_to_be_malicious_is_installed() -> None:
    for name, versions in MALICIOUS.items():
        assert distribution(name).version not in versions
