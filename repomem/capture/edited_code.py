"""Anchors for statements that name no code: the symbols that their turn edited.

An edited file alone is not an anchor: the symbols must have changed behaviour since the session started, and share a
word with the statement unless very few changed.
"""

from collections.abc import Iterator, Sequence

from repomem.adapters.git.file_history import blobs_at
from repomem.adapters.git.log import commit_before, head_of
from repomem.capture.dialogue_state import Stated
from repomem.core.records import Anchor, MemoryKind, Origin
from repomem.core.text.words import distinctive_stems, stems_of
from repomem.core.types.code import SymbolPrint
from repomem.history.changes import is_followed
from repomem.memories.anchors.fingerprints import Fingerprints
from repomem.memories.anchors.live_files import stored_files
from repomem.memories.anchors.locate import anchor_on
from repomem.workspace.workspace import Workspace

ANCHORED = frozenset({MemoryKind.DECISION, MemoryKind.GOTCHA})
MOST_ANCHORS = 4
MOST_FILES = 6  # source files of a turn: more is a mass edit, which implements no single statement
MOST_CHANGED = 20  # symbols: more is a mass edit too
ALONE = 1  # changed symbol: needs no word in common, since no other one can be meant
EVERYDAY = stems_of("add and for from get init into main make new not run self set test that the this use with")


def edited_code(workspace: Workspace, origin: Origin, started: str, one: Stated) -> tuple[Anchor, ...]:
    """Anchors on the symbols that a statement's turn edited for it, at most MOST_ANCHORS.

    `started` is when its session started. None for a rule or an open thread, which is about other code, and none once
    other commits are checked out: their changes would count as the turn's.
    """
    sources = [path for path in one.edited if is_followed(path)]
    if one.kind not in ANCHORED or not started or not 0 < len(sources) <= MOST_FILES:
        return ()
    if not origin.head or origin.head != head_of(workspace.repository)[0]:
        return ()
    base = commit_before(workspace.repository, origin.head, started)
    changed = _changed_since(workspace, base, sources) if base else []
    return tuple(meant_by(f"{one.text} {one.why}", changed))


def _changed_since(workspace: Workspace, base: str, paths: Sequence[str]) -> list[Anchor]:
    """Anchors on all symbols in these files that changed since a commit."""
    before = blobs_at(workspace.repository, [(base, path) for path in paths])
    stored = {path: blob for path, blob, _ in stored_files(workspace, paths)}
    now = [stored.get(path, "") for path in paths]
    prints = Fingerprints(workspace)
    prints.learn(zip([*before, *now], [*paths, *paths], strict=True))
    return [
        anchor_on(path, new, each)
        for path, old, new in zip(paths, before, now, strict=True)
        for each in changed_symbols(prints.of(old), prints.of(new))
    ]


def changed_symbols(before: Sequence[SymbolPrint], after: Sequence[SymbolPrint]) -> Iterator[SymbolPrint]:
    """The symbols that are new or do something else, without those inside new ones."""
    known = {(each.qualified, each.print) for each in before}
    names = {each.qualified for each in before}
    new = {each.qualified for each in after} - names
    for each in after:
        outer = each.qualified.rpartition(".")[0]
        if each.qualified and (each.qualified, each.print) not in known and outer not in new:
            yield each


def meant_by(text: str, changed: Sequence[Anchor]) -> list[Anchor]:
    """The changed symbols that a text is about; none if that is not clear."""
    if len(changed) > MOST_CHANGED:
        return []
    words = distinctive_stems(text, EVERYDAY)
    related = [each for each in changed if words & distinctive_stems(each.symbol, EVERYDAY)]
    if not related and len(changed) <= ALONE:
        related = list(changed)
    return related if len(related) <= MOST_ANCHORS else []
