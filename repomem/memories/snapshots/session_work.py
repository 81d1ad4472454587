"""For memories recorded in the middle of a session's work: their code as that session committed it.

A statement is often recorded between two edits of the code that it is about. It is then about the code in the first
commit, and only later changes are drift. People often commit after the session, so the commit counts unless another
session made it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, replace

from repomem.adapters.git.file_history import blobs_at
from repomem.core.records import Anchor, Event, Memory, Record
from repomem.memories.anchors.fingerprints import Fingerprints
from repomem.memories.anchors.locate import cache_anchors
from repomem.memories.anchors.match import match
from repomem.memories.anchors.track_file import whole_of
from repomem.memories.history_facts import HistoryFacts
from repomem.workspace.workspace import Workspace

COMMITTED = "committed in"  # cache key, with the commit, of an anchor's code there


def session_commits(records: Iterable[Record]) -> dict[str, tuple[str, ...]]:
    """Session to the commits that were made during it, oldest first, for those that have ended."""
    return {record.origin.session: record.commits for record in records if record.event is Event.SESSION_END}


def own_commits(memories: Iterable[Memory], history: HistoryFacts, records: Sequence[Record]) -> dict[str, str]:
    """Maps memories that sessions recorded on uncommitted work to the first commit, unless another session made it."""
    makers = {commit: name for name, commits in session_commits(records).items() for commit in commits}
    found = {}
    for memory in memories:
        first = history.rewrites.get(memory.id, ())
        session = memory.origin.session
        if first and session and memory.origin.is_dirty and makers.get(first[0], session) == session:
            found[memory.id] = first[0]
    return found


def committed_anchors(
    workspace: Workspace, memories: Mapping[str, Memory], history: HistoryFacts
) -> dict[str, tuple[Anchor, ...]]:
    """The anchors of memories in `own_commits`, each with its code as in that commit; cached in the catalog."""
    commits = {name: commit for name, commit in history.own_commits.items() if name in memories}
    pairs = [(anchor, commit) for name, commit in commits.items() for anchor in memories[name].said.anchors]
    rows = workspace.catalog.memory_cache
    cached = {(anchor, commit): text for anchor, commit in pairs if (text := rows.get(anchor, _key(commit)))}
    made = _as_committed(workspace, [pair for pair in dict.fromkeys(pairs) if pair not in cached])
    cache_anchors(
        workspace, [(anchor, _key(commit), json.dumps(astuple(new))) for (anchor, commit), new in made.items()]
    )
    known = {pair: Anchor(*json.loads(text)) for pair, text in cached.items()} | made
    return {
        name: tuple(known[anchor, commit] for anchor in memories[name].said.anchors) for name, commit in commits.items()
    }


def _key(commit: str) -> str:
    return f"{COMMITTED} {commit}"


def _as_committed(workspace: Workspace, pairs: Sequence[tuple[Anchor, str]]) -> dict[tuple[Anchor, str], Anchor]:
    """Each anchor with its code as in a commit; unchanged if the commit lacks that code."""
    blobs = blobs_at(workspace.repository, [(commit, anchor.path) for anchor, commit in pairs])
    prints = Fingerprints(workspace)
    prints.learn((blob, anchor.path) for (anchor, _), blob in zip(pairs, blobs, strict=True) if blob != anchor.blob)
    return {pair: _in_version(prints, pair[0], blob) for pair, blob in zip(pairs, blobs, strict=True)}


def _in_version(prints: Fingerprints, anchor: Anchor, blob: str) -> Anchor:
    if blob in {"", anchor.blob}:
        return anchor
    there = prints.of(blob)
    matched = match(anchor, anchor.symbol, there) if anchor.symbol else None
    found = matched.found if matched else whole_of(there) if not anchor.symbol else None
    if found is None:
        return anchor
    return replace(anchor, symbol=found.qualified, blob=blob, print=found.print, tokens=found.tokens)
