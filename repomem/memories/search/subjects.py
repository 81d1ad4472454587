"""Whether two memories in similar words are about different things, so that neither changes the other."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from repomem.core.lazy_pattern import lazy_pattern
from repomem.core.records import MemoryContent

LEAST_COMMON = 0.5  # of the shorter text's words, in order: two texts with the same frame
MOST_SWAPPED = 2  # words of a subject
_PLACES = frozenset({"on", "in", "for", "under"})
_WORD = lazy_pattern(r"[\w./-]*\w")
_VERB = lazy_pattern(
    r"is|are|was|were|has|have|had|must|may|can|cannot|should|shall|will|would|do|does|did|never|always|only|[a-z]{2,}s"
)


def are_about_different_things(earlier: MemoryContent, later: MemoryContent) -> bool:
    """Whether they hold for different files, or say the same kind of thing of different subjects."""
    return _hold_elsewhere(earlier, later) or have_different_subjects(earlier.text, later.text)


def are_on_different_code(earlier: MemoryContent, later: MemoryContent) -> bool:
    """Whether both were given code, or name some, and none of it is the same or part of the same."""
    places = [[(each.path, each.symbol) for each in said.given] for said in (earlier, later)]
    return all(places) and not any(
        path == other_path and (f"{symbol}.".startswith(f"{other}.") or f"{other}.".startswith(f"{symbol}."))
        for path, symbol in places[0]
        for other_path, other in places[1]
    )


def have_different_subjects(earlier: str, later: str) -> bool:
    """Whether two texts with the same frame differ in their subject and in something else.

    "Staging runs Postgres 14" and "Production runs Postgres 16" do. If the subject alone differs, it may be the value:
    "Redis is the cache", then "Memcached is the cache".
    """
    first, second = ([word.casefold() for word in _WORD.findall(text)] for text in (earlier, later))
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    common = sum(end - start for tag, start, end, _, _ in blocks if tag == "equal")
    swapped = [(first[a:b], second[c:d], first[b : b + 1]) for tag, a, b, c, d in blocks if tag == "replace"]
    if common < LEAST_COMMON * min(len(first), len(second)) or len(swapped) < 2:
        return False
    before = first[: next(a for tag, a, *_ in blocks if tag == "replace")]
    return not any(map(_VERB.fullmatch, before)) and _are_subjects(before, *swapped[0])


def _are_subjects(before: Sequence[str], one: Sequence[str], other: Sequence[str], following: Sequence[str]) -> bool:
    """Whether swapped words, none of them a number, come right before a verb, or begin with "On" or "In"."""
    is_short = max(len(one), len(other)) <= MOST_SWAPPED
    are_words = not any(any(map(str.isdigit, word)) for word in (*one, *other))
    is_place = len(before) == 1 and before[0] in _PLACES
    return is_short and are_words and (is_place or any(map(_VERB.fullmatch, following)))


def _hold_elsewhere(earlier: MemoryContent, later: MemoryContent) -> bool:
    """Whether both have a scope, and no folder of one is within one of the other."""
    folders = [list(_folders(said)) for said in (earlier, later)]
    return all(folders) and not any(
        one.startswith(other) or other.startswith(one) for one in folders[0] for other in folders[1]
    )


def _folders(said: MemoryContent) -> Iterator[str]:
    """The part of each path glob before its first wildcard."""
    return (re.split(r"[*?\[]", glob, maxsplit=1)[0] for glob in said.scope)
