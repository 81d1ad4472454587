"""ULIDs (github.com/ulid/spec): 26 characters that sort by time. Within one ledger each is later than the one before.

Own code, since the order must hold when the clock is set back: a new id counts on from the last one known.
"""

import secrets
import time

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH = 26
RANDOM_BITS = 80
SHORTEST_PREFIX = 6  # characters shown to people and agents at least


def new_ulid(after: str = "") -> str:
    """A fresh id that sorts behind `after`, whatever the clock says."""
    fresh = (time.time_ns() // 1_000_000) << RANDOM_BITS | secrets.randbits(RANDOM_BITS)
    last = _number(after) if after else -1
    if fresh <= last:  # the same millisecond, or a clock that was set back: the next one, so that starts stay short
        fresh = ((last >> RANDOM_BITS) + 1) << RANDOM_BITS | secrets.randbits(RANDOM_BITS)
    return _text(fresh)


def time_of(ulid: str) -> float:
    """When an id was made, in seconds since 1970."""
    return (_number(ulid) >> RANDOM_BITS) / 1000


def is_ulid(text: str) -> bool:
    """Whether it is a whole id, in either case."""
    return len(text) == LENGTH and text.upper().strip(ALPHABET) == "" and text[0] in "01234567"


def is_ulid_prefix(text: str) -> bool:
    """Whether it may be the start of an id, long enough to be given as one."""
    return 4 <= len(text) <= LENGTH and text.upper().strip(ALPHABET) == ""


def unique_prefix(wanted: str, others: list[str]) -> str:
    """The shortest start of an id, SHORTEST_PREFIX characters or more, that is the start of no other; `others` sorted.

    Only the neighbours in order can share the longest start.
    """
    from bisect import bisect_left, bisect_right

    before = others[: bisect_left(others, wanted)][-1:]
    after = others[bisect_right(others, wanted) :][:1]
    length = SHORTEST_PREFIX
    while length < LENGTH and any(other.startswith(wanted[:length]) for other in (*before, *after)):
        length += 1
    return wanted[:length]


def _number(ulid: str) -> int:
    number = 0
    for character in ulid.upper():
        number = number * 32 + ALPHABET.index(character)
    return number


def _text(number: int) -> str:
    characters = []
    for _ in range(LENGTH):
        number, digit = divmod(number, 32)
        characters.append(ALPHABET[digit])
    return "".join(reversed(characters))
