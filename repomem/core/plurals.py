"""Counts with their nouns."""


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 memory, 2 memories."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def are(number: int) -> str:
    """The verb for a number of things: 1 is, 2 are."""
    return "is" if number == 1 else "are"
