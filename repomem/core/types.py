"""The values that travel between stages: frozen, slotted, and without behaviour of their own.

A path is a `str` as `os.fsdecode` gives it: bytes that are no UTF-8 are lone surrogates, so that the file can be
opened again. It is escaped where it is shown. Lines are counted from 1, spans include both ends; byte spans are
half open.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, NewType

SHORT_HASH = 8  # digits of a commit's hash where people and agents are shown it
SHORTEST_HASH = 7  # digits by which a message may name a commit: git's own short form
VECTORS = "vectors-"  # begins the name of a table of vectors
CleanText = NewType("CleanText", str)
"""Text from which secrets have been taken: the only text that may become durable or leave this machine."""
NOTHING = CleanText("")


class Role(StrEnum):
    """What a path is for; decided once, when its file is indexed."""

    SOURCE = "source"
    TEST = "test"
    EXAMPLE = "example"
    DOCS = "docs"
    VENDORED = "vendored"
    GENERATED = "generated"


@dataclass(frozen=True, slots=True)
class Definition:
    """A symbol where it is defined.

    `qualified` joins the enclosing definitions and the name with dots, whatever the language writes.
    `kind` is one of class, interface, struct, enum, trait, module, type, function, method, constructor, property,
    field, constant, variable, macro, section, key, selector.
    """

    name: str
    qualified: str
    kind: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    signature: str = ""  # the first line or lines up to the body, white space folded, at most 200 characters
    docstring: str = ""  # its first paragraph, white space folded, at most 300 characters


class SymbolPrint(NamedTuple):
    """What a definition does, as a hash that a change of its looks leaves alone; an anchor compares it.

    White space, comments, docstrings, type annotations, the definition's own name and, in a type, the definitions
    within it are no part of `print` (see `adapters.languages.fingerprint`). The file as a whole has an
    entry whose `qualified` is empty.
    """

    qualified: str
    kind: str
    start_line: int
    end_line: int
    print: str  # 16 hex digits
    tokens: int  # hashed: two symbols with few may agree by chance


@dataclass(frozen=True, slots=True)
class Reference:
    """A place that uses a symbol by name: a call, an instantiation, a base class, an import."""

    name: str
    kind: str  # call, class, type, import
    line: int
    receiver: str = ""  # what it hangs on, parts joined by dots; empty: nothing; "?": more than names


class Import(NamedTuple):
    """What a file's import statement makes known there, or, where `local` is empty, the package that the file is in.

    Parts of `module` are joined as the language writes them: `a.b`, `..a`, `./a.js`, `crate::a`.
    """

    module: str
    name: str  # what is taken from it: empty for the module itself, "*" for all of it
    local: str  # what the file calls it


class Use(NamedTuple):
    """A reference as the store keeps it: a call, an instantiation, a base class or a type, and what it stands in."""

    name: str
    kind: str  # call, class, type
    line: int
    receiver: str = ""  # as in Reference; "self" for the instance or the type whatever the language calls it
    within: str = ""  # the innermost definition around it, qualified
    owner: str = ""  # the type whose method that is
    is_local: bool = False  # a parameter or variable of the function around it has that name


@dataclass(frozen=True, slots=True)
class Outline:
    """What a file defines and refers to, in the order of their start."""

    definitions: tuple[Definition, ...]
    references: tuple[Reference, ...]
    is_broken: bool  # the grammar found an error: what it could read is here all the same
    imports: tuple[Import, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of lines of one file, and the symbol that it is about."""

    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    text: str  # exactly the file's bytes [start_byte:end_byte], decoded
    symbol: str = ""  # qualified; empty where the lines belong to no definition
    kind: str = "text"  # the kind of its symbol, or "text"
    signature: str = ""
    docstring: str = ""
    defines: tuple[str, ...] = ()  # bare names of every definition that starts in these lines, in order


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of one commit."""

    status: str  # A, M, D, R, C, T
    path: str
    old_path: str = ""  # the source of a rename or copy


@dataclass(frozen=True, slots=True)
class Episode:
    """One commit: what changed, where, when and why."""

    commit: str
    parents: tuple[str, ...]
    author: str
    date: str  # the author's date, YYYY-MM-DD in the author's own time zone
    time: int  # the committer's time, seconds since 1970: git's own order
    subject: str
    body: str
    files: tuple[FileChange, ...] = ()
    kind: str = ""  # conventional-commit type: feat, fix, docs, …; empty where the subject has none
    pull_request: int | None = None
    trailers: tuple[tuple[str, str], ...] = ()
    reverts: str = ""  # the commit that it says it reverts, as written there
    is_bulk: bool = False  # more files than one thought touches: weak evidence that they belong together
    symbols: tuple[str, ...] = ()  # "path:name" of the definitions whose lines it changed; newest commits only

    @property
    def is_merge(self) -> bool:
        """Whether the commit joins two histories; its files are not listed."""
        return len(self.parents) > 1


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


class Site(NamedTuple):
    """Where a symbol is defined within a file: what a line of a brief needs of a Definition.

    This and IndexedChunk are tuples, for they come from the workers by the hundred thousand, and a dataclass takes
    three times as long to cross a process border.
    """

    qualified: str
    kind: str
    start_line: int
    end_line: int
    signature: str


class IndexedChunk(NamedTuple):
    """A chunk as the store keeps it: redacted, and belonging to a file version."""

    version: int
    ordinal: int  # its place among the chunks of its file, from 0
    start_line: int
    end_line: int
    symbol: str
    kind: str
    signature: str
    docstring: str
    sites: tuple[Site, ...]  # the definitions that start in these lines, in order
    text: CleanText
    words: str = ""  # space-joined, see core.words; not read back where a chunk is only shown
    uses: str = ""  # packed, see core.uses; nor is this


class FileUses(NamedTuple):
    """What a file version imports, with the definitions and uses of the names that were asked for."""

    version: int
    sites: tuple[Site, ...]
    imports: tuple[Import, ...]
    uses: tuple[Use, ...]


@dataclass(frozen=True, slots=True)
class IndexedEpisode:
    """An episode as the store keeps it: redacted, numbered."""

    id: int
    episode: Episode
    words: str


class FileMode(StrEnum):
    """What git has under a path."""

    REGULAR = "regular"
    EXECUTABLE = "executable"
    SYMLINK = "symlink"  # its blob is its target
    GITLINK = "gitlink"  # a submodule: its id is a commit of another repository


@dataclass(frozen=True, slots=True)
class TrackedFile:
    """A path as the index or a tree has it."""

    path: str
    blob: str  # an object id
    mode: FileMode
    is_absent: bool = False  # left out of the work tree by a sparse checkout


@dataclass(frozen=True, slots=True)
class Status:
    """How a work tree stands to its index and its head. Paths are sorted; submodules are in none of them."""

    head: str | None  # None: no commit yet
    branch: str | None  # None: a commit is checked out, not a branch
    changed: tuple[str, ...]  # tracked, and the bytes on disk may differ from the index; unmerged paths too
    deleted: tuple[str, ...]  # tracked, and gone from disk
    untracked: tuple[str, ...]  # neither tracked nor ignored; not those of a repository within this one
    fingerprint: str  # equal: nothing has changed since


class Unread(StrEnum):
    """Why a file of the work tree is not read."""

    SYMLINK = "symbolic link"
    NOT_REGULAR = "not a regular file"
    TOO_LARGE = "too large"
    UNREADABLE = "unreadable"
    VANISHED = "vanished"


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One commit as git logs it, texts as they were written."""

    commit: str
    parents: tuple[str, ...]
    author: str
    date: str  # the author's, YYYY-MM-DD in the author's own time zone
    time: int  # the committer's, seconds since 1970
    message: str
    files: tuple[FileChange, ...] = ()  # none for a merge


@dataclass(frozen=True, slots=True)
class Hunk:
    """A place that a commit changed, with as much of it as names the definitions there."""

    commit: str
    path: str
    heading: str  # the line before it that starts a function, as git finds it; may be empty
    lines: tuple[str, ...]  # removed lines, then added ones, the first of them, shortened
    removed: int = 0  # how many of the lines were removed
    start: int = 0  # the number of the first added line; where none was added, of the line before

    @property
    def added(self) -> tuple[str, ...]:
        """The added lines."""
        return self.lines[self.removed :]


class RevertKind(StrEnum):
    """How a change was reverted."""

    REVERTED = "reverted"  # a later commit says so, or is its exact inverse
    REMOVED = "removed"  # code that was added and removed again within few commits
    FIX_GONE = "fix gone"  # a later commit that is not a revert removed the fix's lines


@dataclass(frozen=True, slots=True)
class RevertedChange:
    """A commit whose added lines a later commit removed."""

    how: RevertKind
    commit: str
    by: str  # the later commit
    path: str  # where most of its lines were
    symbols: tuple[str, ...]  # "path:name" of the definitions that lost them
    lines: int  # meaningful lines removed
    reason: str = ""  # quoted from the message of `by`; empty if it gives none


class LineLocation(NamedTuple):
    """A line of a live file."""

    path: str
    line: int


class Edit(NamedTuple):
    """A line that a commit changed, without surrounding white space and trailing comment."""

    path: str  # in that commit
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class SimilarEdits:
    """Lines that one commit changed in the same way."""

    removed: str  # code, with … where the lines differ; empty if code was only added
    added: str
    edits: tuple[Edit, ...]


class LaterEdit(NamedTuple):
    """A line that was changed again: the commit, and where the line is now, if known."""

    by: str = ""
    spot: LineLocation | None = None


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A live file, as far as ranking needs to know it."""

    version: int
    path: str
    role: Role
    language: str
    chunks: int
    words: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A place in the code that bears on a question, and why."""

    file: IndexedFile
    chunk: IndexedChunk
    score: float  # 1 is the best that the signals could say of one file; comparable within one answer only
    why: tuple[str, ...]  # the signals that speak for it, strongest first


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
