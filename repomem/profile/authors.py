"""The people behind commits: one who wrote under several names or from several addresses is counted once."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from repomem.core.escape import one_line
from repomem.core.types.commits import Episode

NAME_LENGTH = 40
NAMES_OF_ONE = 3  # spellings of one person's name; an address with more is shared

BOT = re.compile(r"(?i).*\[bot\]|.*-bots?|(?:dependabot|renovate|greenkeeper|pre-commit-ci|github-actions|snyk)\b.*")
_DIFFERS = re.compile(r"[\u0300-\u036f\s!-/:-@\[-`{-~]")  # accents, spaces, ASCII punctuation
_GENERIC_ADDRESS = re.compile(
    r"(?:no-?reply|root|unknown|you|user|admin|nobody|git|none)@.*|.*@(?:localhost|\(none\))|[^@]*"
)
_NUMBERED = re.compile(r"\d+\+(?=[^@]+@users\.noreply\.)")  # GitHub's newer form of such an address


def commits_of_people(commits: Sequence[Episode], addresses: Mapping[str, str], limit: int) -> list[tuple[str, int]]:
    """The `limit` people with the most of these commits, by the name that each used most; `addresses` by commit."""
    by_people = [(one_line(one.author, NAME_LENGTH), addresses.get(one.commit, "")) for one in commits]
    by_people = [(name, _address(address)) for name, address in by_people if not BOT.fullmatch(name)]
    people = _people(by_people)
    names: dict[str, Counter[str]] = defaultdict(Counter)
    for name, _ in by_people:
        names[people[_person(name)]][name] += 1
    counted = [(_most_used(each), each.total()) for each in names.values()]
    return sorted(counted, key=lambda item: (-item[1], item[0]))[:limit]


def _people(by_people: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Each name to one of the names of its person: equal but for spelling, or with the same address."""
    using: dict[str, set[str]] = defaultdict(set)
    for name, address in by_people:
        using[address].add(_person(name))
    groups = {_person(name): {_person(name)} for name, _ in by_people}
    for address, names in using.items():
        if not _GENERIC_ADDRESS.fullmatch(address) and len(names) <= NAMES_OF_ONE:
            joined = set[str]().union(*(groups[name] for name in names))
            groups |= dict.fromkeys(joined, joined)
    return {name: min(group) for name, group in groups.items()}


def _person(name: str) -> str:
    """A name without accents, case and punctuation, which differ between the machines of one person."""
    return _DIFFERS.sub("", unicodedata.normalize("NFKD", name).casefold()) or name


def _address(written: str) -> str:
    return _NUMBERED.sub("", written.casefold())


def _most_used(names: Counter[str]) -> str:
    return min(names, key=lambda name: (-names[name], name))
