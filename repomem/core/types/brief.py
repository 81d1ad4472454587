"""A brief and its items, as the JSON output has them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a file says about its repository, as a brief shows it; never guessed from the language.

    `slot` is one of name, about, runtime, build, test, lint, ci, entry, owners, quoted.
    """

    slot: str
    text: str  # one line, at most 160 characters, 180 where quoted; raw: whoever shows it escapes it
    path: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class BriefItem:
    """One item of a brief, as the JSON contract has it; a field that does not apply is empty and left out there."""

    kind: str  # rule, decision, fact, gotcha, thread, session, episode, tried, code, file, map, profile, warning
    id: str = ""  # what `repomem show` expands
    title: str = ""
    text: str = ""
    path: str = ""
    symbol: str = ""
    start_line: int = 0
    end_line: int = 0
    commit: str = ""
    date: str = ""
    status: str = ""
    status_commit: str = ""
    source: str = ""
    author: str = ""
    visible_on: str = ""
    score: float = 0.0
    why: tuple[str, ...] = ()
    repository: str = ""  # the name of another repository, which the item is of; empty: of the brief's own


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether the memory bears on the task: use, limited or none, and why."""

    state: str
    why: str


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """Which repository a brief speaks of, and as it stood when."""

    name: str
    id: str
    head: str
    branch: str
    is_dirty: bool
    path: str = ""  # of another repository, from the top of the own work tree: where `repomem -C` finds it


@dataclass(frozen=True, slots=True)
class Brief:
    """A brief as it is shown: `markdown` holds exactly `items`, within `budget` tokens."""

    repository: RepositoryState
    query: str
    budget: int
    tokens: int
    gate: Gate
    items: tuple[BriefItem, ...]
    omitted: tuple[tuple[str, int], ...]  # kind to the number of items that found no room
    markdown: str
    also: tuple[RepositoryState, ...] = ()  # the other repositories that items are of
