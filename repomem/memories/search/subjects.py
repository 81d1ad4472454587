"""Whether two memories in similar words are about different things, so that neither changes the other."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from repomem.core.records import MemoryContent
from repomem.core.text.lazy_pattern import lazy_pattern

LEAST_COMMON = 0.5  # of the shorter text's words, in order: two texts with the same frame
MOST_SWAPPED = 2  # words of a subject
_PLACES = frozenset({"on", "in", "for", "under"})
_ARTICLES = frozenset({"the", "a", "an", "our", "each", "every"})
_NEWER = frozenset({"new", "current", "latest", "old", "now", "longer", "instead"})  # may name the same thing at a time
_WORD = lazy_pattern(r"[\w./-]*\w")
_VERB = lazy_pattern(
    r"is|are|was|were|has|have|had|must|may|can|cannot|should|shall|will|would|do|does|did|never|always|only"
    r"|come|go|happen|need|run|take|use|[a-z]{2,}s"
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
    swaps = [at for at, (tag, *_) in enumerate(blocks) if tag == "replace"]
    if common < LEAST_COMMON * min(len(first), len(second)) or len(swaps) < 2:
        return False
    _, start, end, new_start, new_end = blocks[swaps[0]]
    frame_end = next(a for tag, a, *_ in blocks[swaps[0] + 1 :] if tag in {"replace", "delete"})
    before, swapped = first[:start], (first[start:end], second[new_start:new_end])
    nouns = 2 if before[-1:] == ["of"] else 0  # "hosts of": a plural, not a verb
    if any(map(_VERB.fullmatch, before[: len(before) - nouns])) or not _may_be_subjects(*swapped):
        return False
    is_place = len(before) == 1 and before[0] in _PLACES
    is_before_verb = any(map(_VERB.fullmatch, first[end : end + 1]))
    is_nearby = any(map(_VERB.fullmatch, first[end:frame_end])) and _NEWER.isdisjoint([*first, *second])
    return is_place or is_before_verb or (is_nearby and _begin_subjects(before, *swapped))


def _may_be_subjects(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether swapped words are few, and none is a number."""
    are_words = not any(any(map(str.isdigit, word)) for word in (*one, *other))
    return are_words and max(len(one), len(other)) <= MOST_SWAPPED


def _begin_subjects(before: Sequence[str], one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether swapped words come right after an article, or are what is done: "parsing", "dumping"."""
    are_gerunds = not before and one[0].endswith("ing") and other[0].endswith("ing")
    return are_gerunds or (len(before) == 1 and before[0] in _ARTICLES)


def _hold_elsewhere(earlier: MemoryContent, later: MemoryContent) -> bool:
    """Whether both have a scope, and no folder of one is within one of the other."""
    folders = [[re.split(r"[*?\[]", glob, maxsplit=1)[0] for glob in said.scope] for said in (earlier, later)]
    return all(folders) and not any(
        one.startswith(other) or other.startswith(one) for one in folders[0] for other in folders[1]
    )
