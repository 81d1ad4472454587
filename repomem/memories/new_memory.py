"""A new memory: redacted and checked, with the code that it names; and the result."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from repomem.core.errors import GitError, NotFound, RepomemError, StoreError
from repomem.core.records import Anchor, MemoryContent, MemoryKind, Origin
from repomem.core.scopes import matches
from repomem.core.secrets.redact import redact
from repomem.core.text.escape import one_line, visible
from repomem.core.text.symbol_names import path_and_symbol
from repomem.core.types.text import CleanText
from repomem.memories.anchors.find_anchors import found_anchors, place_named
from repomem.memories.anchors.fingerprints import Fingerprints
from repomem.memories.anchors.live_files import stored_bytes
from repomem.memories.anchors.locate import anchor_at
from repomem.memories.anchors.mentions import mentions
from repomem.memories.search.replacements import Proposal
from repomem.memories.wording import importance_of, is_one_short_word, kind_of
from repomem.workspace.snapshot import snapshot
from repomem.workspace.workspace import Workspace

LONGEST_TEXT = 4_000  # characters: a memory is a sentence or a few; a longer text is a document and belongs in a file
LONGEST_SCOPE = 200


@dataclass(frozen=True, slots=True)
class NewMemory:
    """The input for a new memory."""

    text: str
    kind: MemoryKind | None = None  # None: inferred from the text
    why: str = ""
    rejected: tuple[str, ...] = ()
    importance: int | None = None  # None: inferred from kind, text and source
    scope: tuple[str, ...] = ()
    on: tuple[str, ...] = ()  # PATH or PATH:SYMBOL
    supersedes: tuple[str, ...] = ()  # ids or their prefixes
    is_private: bool = False  # never synced
    is_pinned: bool = False  # comes first in every brief
    is_mine: bool = False  # the user's own, in every repository
    key: str = ""  # names the source that it was read from, so that it is read once; empty for direct input
    edited: tuple[Anchor, ...] = ()  # code that was edited for it: counts if the text names none
    sentence: str = ""  # of a session, where `text` does not have it word for word


@dataclass(frozen=True, slots=True)
class RememberResult:
    """What happened. `outcome` is added, duplicate or related (added, and similar to another memory)."""

    outcome: str
    id: str
    said: MemoryContent
    origin: Origin  # of a duplicate: that of the known memory
    supersedes: tuple[str, ...] = ()
    contests: tuple[str, ...] = ()  # ids that it was to supersede, where a person must decide
    proposed: tuple[Proposal, ...] = ()
    near: tuple[tuple[str, str], ...] = ()  # id and text
    empty_scope: tuple[str, ...] = ()  # globs of its scope that match no file of the worktree
    is_everywhere: bool = False  # it applies on every branch; without commit and branch, in every repository
    is_private: bool = False  # never synced
    is_pinned: bool = False
    unapplied: tuple[str, ...] = ()  # of a duplicate: the given options that the known memory lacks


def content_of(
    workspace: Workspace, new: NewMemory, origin: Origin, prints: Fingerprints | None = None
) -> MemoryContent:
    """The redacted content of a memory, with the anchors that were given."""
    text = _clean(new.text, "the text")
    if not text:
        raise RepomemError("the text is empty", 'give it as words: repomem remember "we sort by path"')
    if is_one_short_word(text) and not (new.why or new.on):  # with code or a reason, "flaky" states something
        raise RepomemError(
            f"{one_line(text, 40)!r} is too short to be a memory",
            'write a sentence: repomem remember "we sort by path"',
        )
    kind = new.kind or _kind_of(new, text)
    return MemoryContent(
        kind=kind,
        text=text,
        why=_clean(new.why, "the reason"),
        rejected=tuple(_clean(each, "a rejected alternative") for each in new.rejected if each.strip()),
        importance=new.importance or importance_of(kind, text, origin.source),
        scope=tuple(_scope(each) for each in new.scope),
        anchors=tuple(_anchor(workspace, each, prints) for each in new.on),
        sentence=_clean(new.sentence, "the sentence"),
    )


def _kind_of(new: NewMemory, text: str) -> MemoryKind:
    """The kind by the text; a user's own memory is a rule, since a fact would need a question that it matches."""
    kind = kind_of(" ".join(text.split()))  # white space must not change it
    return MemoryKind.RULE if new.is_mine and kind is MemoryKind.FACT else kind


def _clean(text: str, what: str) -> CleanText:
    shown = visible(text).strip()
    if len(shown) > LONGEST_TEXT:
        raise RepomemError(
            f"{what} is longer than {LONGEST_TEXT:,} characters", "shorten it to a few sentences, or put it in a file"
        )
    return redact(shown)


def _scope(glob: str) -> str:
    shown = visible(glob).strip().removeprefix("./")
    if not shown or len(shown) > LONGEST_SCOPE:
        raise RepomemError(f"{one_line(glob, 40)!r} is not a path glob", "for example: --scope 'src/api/**'")
    return shown


def _anchor(workspace: Workspace, on: str, prints: Fingerprints | None) -> Anchor:
    named = on.strip().removeprefix("./")
    path, symbol = path_and_symbol(named, lambda path: stored_bytes(workspace, path.strip()) is not None)
    path, symbol = path.strip(), symbol.strip()
    if stored_bytes(workspace, path) is None:
        try:
            path, symbol = place_named(snapshot(workspace), named)
        except NotFound as error:
            if symbol or not path or not Path(workspace.root, path).is_dir():
                raise
            folder = path.rstrip("/")
            hint = f"apply the memory to all files in it: --scope '{folder}/**'"
            raise NotFound(f"{folder} is a folder, and code is a file or a symbol", hint) from error
    return anchor_at(workspace, path, symbol, prints)


def anchors_in_text(workspace: Workspace, said: MemoryContent) -> tuple[Anchor, ...]:
    """The indexed code that the text names unambiguously; without any, the memory is stored anyway."""
    if workspace.catalog.worktree(workspace.root) is None and _may_name_code(workspace, said.text):
        workspace.notices.append(
            "nothing is indexed yet, so the memory was not attached to code that its text names; use --on PATH:SYMBOL"
        )
    try:
        indexed = snapshot(workspace)
        found = found_anchors(indexed, said.text) if indexed else ()
    except (NotFound, StoreError):
        return ()
    is_rule = said.kind is MemoryKind.RULE  # "an entry in CHANGELOG.md for each change" is a rule for all files
    return tuple(each for each in found if each.symbol) if is_rule else found


def _may_name_code(workspace: Workspace, text: str) -> bool:
    """Whether a text has what may be an identifier, or the path of a file that exists: "pre-commit.ci" is a site."""
    named = mentions(text)
    ends = tuple(f"/{each.path}" for each in named if each.path)
    return any(each.parts for each in named) or (
        bool(ends) and any(f"/{path}".endswith(ends) for path in _paths(workspace))
    )


def empty_scope(workspace: Workspace, scope: Sequence[str]) -> tuple[str, ...]:
    """The globs of a scope that match no file of the worktree."""
    paths = _paths(workspace) if scope else []
    return tuple(glob for glob in scope if paths and not any(matches(glob, path) for path in paths))


def _paths(workspace: Workspace) -> list[str]:
    """The files of the worktree, and an empty path; no path if git cannot list them."""
    if workspace.repository.is_bare:
        return []
    try:
        listed = workspace.repository.read("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    except GitError:  # the memory is written all the same
        return []
    return os.fsdecode(listed).split("\0")
