"""ULIDs (github.com/ulid/spec): ids of 26 characters that sort by time.

Not a library, because ids must stay in order when the clock is set back: a new id continues from the last known one.
"""

import secrets
import time

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH = 26
RANDOM_BITS = 80
SHORTEST_PREFIX = 9  # characters always shown: they count 32 ms, so that an id printed once stays the only one


def new_ulid(after: str = "") -> str:
    """A new id that sorts after `after`, even if the clock was set back."""
    fresh = (time.time_ns() // 1_000_000) << RANDOM_BITS | secrets.randbits(RANDOM_BITS)
    last = _number(after) if after else -1
    if fresh <= last:  # same millisecond, or the clock was set back: take the next one; prefixes stay short
        fresh = ((last >> RANDOM_BITS) + 1) << RANDOM_BITS | secrets.randbits(RANDOM_BITS)
    return _text(fresh)


def time_of(ulid: str) -> float:
    """The creation time of an id, in seconds since 1970."""
    return (_number(ulid) >> RANDOM_BITS) / 1000


def is_ulid(text: str) -> bool:
    """Whether the text is a complete id, in upper or lower case."""
    return len(text) == LENGTH and text.upper().strip(ALPHABET) == "" and text[0] in "01234567"


def is_ulid_prefix(text: str) -> bool:
    """Whether the text may be a prefix of an id, of at least 4 characters."""
    return 4 <= len(text) <= LENGTH and text.upper().strip(ALPHABET) == ""


def unique_prefix(wanted: str, others: list[str]) -> str:
    """The shortest prefix of an id, at least SHORTEST_PREFIX long, that none of the sorted `others` has.

    Only its neighbours in order can share the longest prefix.
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
