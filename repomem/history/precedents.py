"""The commit that made the same change to another thing or version: "Update copyright year to 2025"."""

from collections.abc import Iterable

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.words import stems_of
from repomem.core.types.commits import Episode

FEWEST = 2  # words in both subjects that are not names
ALIKE = 0.75  # share of such words in common, if there are more

# What may differ: a number, a path, an identifier.
_NAME = lazy_pattern(r"\d|[\w)][._/:#][\w(]|[a-z][A-Z]")
_FILLERS = frozenset(["the", "and", "for", "from", "with", "into"])
_SHORTEST = 3  # letters of a word that counts


def precedent(task: str, episodes: Iterable[Episode]) -> Episode | None:
    """The newest commit whose subject differs from the task's only in names and numbers; None without one.

    Commits with exactly the task's subject do not count (they are the task itself, done before), nor do reverts.
    """
    subject = task.strip().partition("\n")[0].strip()
    wanted = _words(subject)
    if len(wanted) < FEWEST:
        return None
    others = (each for each in episodes if not (each.is_merge or each.reverts or each.title == subject))
    alike = (each for each in others if _are_alike(wanted, _words(each.title)))
    return max(alike, key=lambda each: (each.time, each.commit), default=None)


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(one & other)
    return one == other or (shared > FEWEST and shared >= ALIKE * len(one | other))


def _words(subject: str) -> frozenset[str]:
    plain = " ".join(_before_brackets(word) for word in subject.split() if not _NAME.search(word))
    return frozenset(word for word in stems_of(plain) if len(word) >= _SHORTEST) - _FILLERS


def _before_brackets(word: str) -> str:
    """A word with what is in brackets replaced by a space. Not by a pattern, which takes a long word's square."""
    start, end = word.find("("), word.rfind(")")
    return f"{word[:start]} {word[end + 1 :]}" if 0 <= start < end else word
