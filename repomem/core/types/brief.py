"""A brief and its items, as the JSON output has them."""

from dataclasses import dataclass

ONE_TEST = "one test"  # the slot of the command that runs a single test; capitals are placeholders


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact about the repository, read from one of its files.

    `slot` is one of name, about, runtime, build, test, one test, lint, format, generate, benchmark, ci, entry, owners,
    quoted.
    """

    slot: str
    text: str  # one line of at most 160 characters (180 if quoted), unescaped
    path: str
    start_line: int  # 0: the file as a whole, such as one whose name alone makes a command work
    end_line: int


@dataclass(frozen=True, slots=True)
class BriefItem:
    """One item of a brief; empty fields are left out of the JSON output."""

    kind: str  # a MemoryKind, or session, episode, tried, branch, code, file, map, profile, warning
    id: str = ""  # what `repomem show` expands
    whole_id: str = ""  # of items in the ledger, where `id` is a prefix of it
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
    repository: str = ""  # the name of the item's repository; empty: the brief's own


@dataclass(frozen=True, slots=True)
class Gate:
    """How relevant the items are to the query (use, limited or none), and why."""

    state: str
    why: str


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """The repository of a brief, and its state then."""

    name: str
    id: str
    head: str
    branch: str
    is_dirty: bool
    path: str = ""  # of another repository: its path relative to this worktree, for `repomem -C`


@dataclass(frozen=True, slots=True)
class ExplainedLine:
    """A line of a brief and why it is there, or a memory that was nearly shown and why it was not."""

    text: str
    why: str = ""  # empty: neither a memory nor a place
    item: BriefItem | None = None
    is_shown: bool = True


@dataclass(frozen=True, slots=True)
class Brief:
    """A finished brief: `markdown` shows exactly `items`, within `budget` tokens."""

    repository: RepositoryState
    query: str
    budget: int
    tokens: int
    gate: Gate
    items: tuple[BriefItem, ...]
    omitted: tuple[tuple[str, int], ...]  # number of items per kind that did not fit
    markdown: str
    also: tuple[RepositoryState, ...] = ()  # the other repositories that items come from
    explained: tuple[ExplainedLine, ...] = ()  # if it was asked for
