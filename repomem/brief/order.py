"""The order of a brief: which candidate item gets budget first, and its position within its section.

The budget is spent by priority, lowest first. An item is shown at its position, which is its priority unless its row
says otherwise. The rows of one table are compared with each other, never with those of the other.
"""

from dataclasses import dataclass

from repomem.brief.sections import Section


@dataclass(frozen=True, slots=True)
class OrderRow:
    """The place of one kind of item; the next item of the kind comes `step` later."""

    section: Section
    priority: float
    position: float | None = None
    step: float = 0.01

    def nth(self, number: int, position: float | None = None) -> tuple[Section, float, float]:
        """Section, priority and position of an item, counted from 0; `position` replaces that of the row."""
        priority = self.priority + number * self.step
        if position is None:
            position = priority if self.position is None else self.position + number * self.step
        return self.section, priority, position


# The brief for a task.
PINNED = OrderRow(Section.HEAD, -1.0)  # chosen by hand for every brief: before everything else
WARNING = OrderRow(Section.HEAD, 0.0)  # a reader must know first what is not indexed
FIX = OrderRow(Section.FACTS, 3.0)  # the task is this error, which was fixed before
BEST_MEMORY = OrderRow(Section.FACTS, 3.9)  # a memory clearly about the task: even in the smallest brief
RULE = OrderRow(Section.FACTS, 4.0, position=4.5)  # breaking a rule in scope costs more than any missing hint
MEMORY = OrderRow(Section.FACTS, 6.0, position=4.0)  # nothing else in the repository says it
MEMORY_ON_PLACE = OrderRow(Section.FACTS, 6.2, position=5.0)  # on code that the brief shows, whatever its words
BEST_DOUBTFUL_MEMORY = OrderRow(Section.FACTS, 6.3, position=4.4)  # the nearest to the task, but its code has changed
NEAREST_MEMORY = OrderRow(Section.FACTS, 6.4, position=5.2)  # at most two, where none is clearly about the task
DOUBTFUL_MEMORY = OrderRow(Section.FACTS, 6.45, position=5.4)  # about the task, but it may no longer hold
MEMORY_ON_WEAK_PLACE = OrderRow(Section.FACTS, 6.48, position=5.45)  # on code that may be unrelated
GENERAL_RULE = OrderRow(Section.FACTS, 6.5, position=5.5)  # after items about the task
THREAD = OrderRow(Section.OPEN, 6.8)  # open work
PAST_SESSION = OrderRow(Section.OPEN, 6.9)  # an earlier session on this
SAID = OrderRow(Section.OPEN, 6.95)  # a sentence of a session that may state something lasting
LEARNED = OrderRow(Section.FACTS, 9.9)  # a command that works here, where files give none that does
FACT = OrderRow(Section.FACTS, 10.0)  # how to test and lint: short, and needed for any change
FURTHER_FACT = OrderRow(Section.FACTS, 21.5, position=10.5)  # runtime, lint
RUNNING_SESSION = OrderRow(Section.OPEN, 19.0)  # one line on the agent's last position
BEST_COMMIT = OrderRow(Section.HISTORY, 19.5)  # one whose message answers the question
PLACE = OrderRow(Section.PLACES, 20.0, step=0.05)  # the point of the brief; excerpts come between the later ones
FILE = OrderRow(Section.PLACES, 20.45, step=0.001, position=45.0)  # a path costs eight tokens
EXCERPT = OrderRow(Section.PLACES, 20.5, step=0.3)  # the lines to change; the sixth comes after a commit
CERTAIN_ATTEMPT = OrderRow(Section.HISTORY, 20.49)  # clearly on this task, and never merged: before loose matches
PRECEDENT = OrderRow(Section.HISTORY, 20.52)  # what the same work took before: the files that belong to it
SINGLE_LINES = OrderRow(Section.PLACES, 20.6, step=0.1)  # further lines with the rarest words, by file
LINE_AUTHOR = OrderRow(Section.HISTORY, 20.55, step=0.3)  # why the lines shown are as they are
SIBLING_LINES = OrderRow(Section.HISTORY, 21.9)  # lines that a similar fix would miss: before plain commits
COMMIT = OrderRow(Section.HISTORY, 22.0, step=2.0)  # one commit for every four places
REVERTED_COMMIT = OrderRow(Section.HISTORY, 23.0, step=2.0)  # alternates with the commits
BRANCH_ATTEMPT = OrderRow(Section.HISTORY, 24.0)  # perhaps on this task, tried elsewhere and never merged
DEFINITION = OrderRow(Section.PLACES, 24.0)  # the best other definitions: before paths
SESSION_ATTEMPT = OrderRow(Section.HISTORY, 24.3)  # next to attempts on branches
CALLERS = OrderRow(Section.PLACES, 24.5)  # callers that a changed signature breaks
LAST_SESSION = OrderRow(Section.OPEN, 24.5)  # the map shows it too
QUOTED_FACT = OrderRow(Section.FACTS, 24.8, position=10.0)  # a policy file is only quoted: after own evidence
CO_CHANGE = OrderRow(Section.PLACES, 24.9, position=50.0)  # after the first definitions, before further paths
FURTHER_MEMORY = OrderRow(Section.FACTS, 24.95, position=8.0, step=0.0001)  # near the task: what room is left
FURTHER_GENERAL_RULE = OrderRow(Section.FACTS, 24.96, position=8.9, step=0.0001)  # holds everywhere
WRITTEN_DECISION = OrderRow(Section.FACTS, 27.0)  # not confirmed as still true
FURTHER_QUOTED_FACT = OrderRow(Section.FACTS, 33.0, position=10.0)  # the map has them all
FURTHER_FILE = OrderRow(Section.PLACES, 40.0, position=46.0)  # rarely right this far down

# The map; memories, decisions and sessions keep the rows above.
MAP_COUNTS = OrderRow(Section.HEAD, 1.0)  # how old and how busy the repository is
MAP_FOLDERS = OrderRow(Section.HEAD, 2.0)  # its layout, one line
MAP_CORRECTION = OrderRow(Section.FACTS, 9.0)  # said by a person: before all that was read from files
MAP_RUNTIME = OrderRow(Section.FACTS, 10.0)  # decides which commands work at all
MAP_COMMAND = OrderRow(Section.FACTS, 10.2)  # build, test, lint
MAP_GENERATE = OrderRow(Section.FACTS, 10.7)  # the command that regenerates files
MAP_CI = OrderRow(Section.FACTS, 10.8)  # what must pass
MAP_PITFALL = OrderRow(Section.FACTS, 10.9)  # after the commands that it may be about
MAP_ENTRY_POINT = OrderRow(Section.PLACES, 15.0)  # where reading starts
MAP_ALIKE = OrderRow(Section.PLACES, 15.5, step=0.1)  # one line on most of the tree
MAP_PACKAGE = OrderRow(Section.PLACES, 16.0, step=0.1)  # the purpose of the parts, before their files
MAP_FILE = OrderRow(Section.PLACES, 20.0, step=1.0)  # central files; decisions and reverts come between
MAP_REVERT = OrderRow(Section.HISTORY, 24.0, step=0.1)  # saves a second attempt
MAP_COMMIT = OrderRow(Section.HISTORY, 25.0, step=0.1)  # current work
MAP_CONVENTION = OrderRow(Section.FACTS, 30.0)  # conventions and owners: long, and quoted from files

# What changed since the last session.
SINCE_DRIFTED = OrderRow(Section.FACTS, 1.0)  # misleads whoever still relies on it
SINCE_DECISION = OrderRow(Section.FACTS, 2.0)  # binds the work to come
SINCE_BRANCH = OrderRow(Section.OPEN, 2.5, step=0.5)  # a conflict in the making
SINCE_COMMITS = OrderRow(Section.HISTORY, 2.0, step=0.5)  # one line for each theme, the largest first

BEHIND_OWN = 0.28  # a place of another repository comes after the six best places of this one
AFTER_OWN_FACTS = 20.02  # nothing of another repository comes before this one's memories, facts and best place
BELOW_PLACE = 0.001  # positions between two places: callers, then further definitions


def below_place(place: int, number: float) -> float:
    """The position of the `number`th line below a place."""
    return PLACE.nth(place)[2] + number * BELOW_PLACE


def in_other_repository(priority: float, number: int) -> float:
    """The priority that an item of the `number`th other repository has in this one's brief."""
    return max(AFTER_OWN_FACTS + priority / 1000, priority + BEHIND_OWN) + number / 10_000
