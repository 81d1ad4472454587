"""The sections of a brief, in order, and their titles."""

from enum import IntEnum


class Section(IntEnum):
    """The parts of a brief in the order in which they are shown: hosts cut long output from its end."""

    HEAD = 0
    FACTS = 1
    PLACES = 2
    HISTORY = 3
    OPEN = 4
    OTHER_REPOSITORIES = 5  # each has a part of its own


TITLES = {
    Section.FACTS: "## Project facts and rules",
    Section.PLACES: "## Where to look",
    Section.HISTORY: "## Relevant history",
    Section.OPEN: "## Sessions and open threads",
}
