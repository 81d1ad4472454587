"""CODEOWNERS: who is asked to review what, as the file says it."""

import re
from collections.abc import Iterable

from repomem.core.types import Fact
from repomem.profile.manifest import Manifest

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")  # the first is in force
RULE = re.compile(r"((?:\\.|[^\s\\#\[^!])(?:\\.|[^\s\\])*)[ \t]+([^#\n]+)")
OWNER = re.compile(r"@?[\w.+-]*[@\w][\w./@-]*")
SHOWN = 3
OWNERS_SHOWN = 4  # of one rule


def owners_path(paths: Iterable[str]) -> str:
    """Give the file of code owners that is in force, or nothing."""
    live = set(paths) & set(PLACES)
    return next((path for path in PLACES if path in live), "")


def owner_facts(manifest: Manifest) -> list[Fact]:
    """Give the broadest rules with their owners: those of few folders before deeper ones, in the order of the file."""
    found: dict[str, tuple[int, list[str]]] = {}
    for number, line in enumerate(manifest.lines, start=1):
        rule = RULE.match(line.strip())
        if rule and (owners := [word for word in rule[2].split() if "@" in word and OWNER.fullmatch(word)]):
            found[rule[1]] = number, owners  # of the same pattern twice the last counts, as for git's host
    broadest = sorted(found.items(), key=lambda item: (item[0].strip("/*").count("/"), item[0] != "*", item[1][0]))
    return [
        manifest.fact("owners", f"{pattern} {_named(owners)}", line) for pattern, (line, owners) in broadest[:SHOWN]
    ]


def _named(owners: list[str]) -> str:
    more = len(owners) - OWNERS_SHOWN
    return " ".join(owners[:OWNERS_SHOWN]) + (f" and {more} more" if more > 0 else "")
