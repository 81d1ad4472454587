"""The people behind commits: one who wrote under several names or from several addresses is counted once."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from repomem.core.grouping import grouped_by
from repomem.core.text.escape import one_line
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.commits import Episode

NAME_LENGTH = 40
YEAR = 365 * 24 * 3600  # seconds; authors without a commit for longer are left out, and older reverts
SHARE = 0.1  # of the commits; one with fewer helped out
NAMES_OF_ONE = 3  # spellings of one person's name; an address with more is shared

_BOT = lazy_pattern(r"(?i).*\[bot\]|.*-bots?|(?:dependabot|renovate|greenkeeper|pre-commit-ci|github-actions|snyk)\b.*")
_DIFFERS = lazy_pattern(r"[\u0300-\u036f\s!-/:-@\[-`{-~]")  # accents, spaces, ASCII punctuation
_GENERIC_ADDRESS = lazy_pattern(
    r"(?:no-?reply|root|unknown|you|user|admin|nobody|git|none)@.*|.*@(?:localhost|\(none\))|[^@]*"
)
_NUMBERED = lazy_pattern(r"\d+\+(?=[^@]+@users\.noreply\.)")  # GitHub's newer form of such an address


def commits_of_people(commits: Sequence[Episode], addresses: Mapping[str, str], limit: int) -> list[tuple[str, int]]:
    """The `limit` people with the most of these commits, each by their most frequent name; `addresses` by commit.

    People with a single commit, with less than SHARE of all, or with none in the year before the newest, are left out.
    People with equally many commits are shown together or not at all.
    """
    by_people = [one for one in commits if not is_bot(_name(one))]
    people = _people([(_name(one), _NUMBERED.sub("", addresses.get(one.commit, "").casefold())) for one in by_people])
    of_person = grouped_by(by_people, lambda one: people[_person(_name(one))])
    start = max((one.time for one in commits), default=0) - YEAR
    fewest = max(2, SHARE * len(commits))
    own = [each for each in of_person.values() if len(each) >= fewest and max(one.time for one in each) >= start]
    counted = [(_most_used(Counter(map(_name, each))), len(each)) for each in own]
    ordered = sorted(counted, key=lambda item: (-item[1], item[0]))
    next_count = ordered[limit][1] if len(ordered) > limit else 0
    return [each for each in ordered[:limit] if each[1] > next_count] or ordered[:limit]


def is_bot(author: str) -> bool:
    """Whether an author's name is that of a program."""
    return _BOT.fullmatch(author) is not None


def _name(commit: Episode) -> str:
    return one_line(commit.author, NAME_LENGTH)


def _people(by_people: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Maps each name to one name of the same person: names that differ only in spelling, or share an address."""
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


def _most_used(names: Counter[str]) -> str:
    return min(names, key=lambda name: (-names[name], name))
