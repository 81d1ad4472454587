"""Explains a line: the commits that wrote it, back to its origin, and the memories about its code."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from repomem.adapters.git.log import cut_off_commits
from repomem.adapters.git.worktree import read_file
from repomem.adapters.languages.classify import text_of
from repomem.brief.reasons import paragraph_about
from repomem.core.errors import NotFound
from repomem.core.secrets.redact import redact
from repomem.core.text.counts import counted
from repomem.core.text.symbol_names import enclosing
from repomem.core.types.worktree import UnreadReason
from repomem.history.change_history import change_history_of
from repomem.history.episodes import RelatedEpisode, episodes_with_state
from repomem.history.lines.commits import LineChange, line_commits
from repomem.history.lines.patch_lines import line_hash
from repomem.history.removals import with_removals
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_in
from repomem.recall.commit_sessions import CommitSession, sessions_by_commit, source_sessions
from repomem.recall.file_symbols import LARGEST_FILE, enclosing_symbol
from repomem.recall.show import is_locked, path_meant, unread
from repomem.workspace.snapshot import Snapshot

LINES_SHOWN = 4  # removed and added ones of each commit


@dataclass(frozen=True, slots=True)
class LineCommit:
    """A commit that wrote the line; `state` is None if the commit is not indexed.

    One at the boundary of a shallow clone has no lines and no reason: an older commit may have written the line.
    """

    commit: str
    state: RelatedEpisode | None
    before: tuple[str, ...]  # lines that it took out there
    after: tuple[str, ...]  # lines that it put in
    reason: str = ""  # the paragraph of its message's body about the line, or the first
    is_boundary: bool = False


@dataclass(frozen=True, slots=True)
class LineMemory:
    """A memory on the line's code; `status` is empty if it may be shown as true."""

    id: str
    kind: str
    text: str
    why: str
    status: str
    session: str  # short id of the session that it was written in
    goal: str  # of that session


@dataclass(frozen=True, slots=True)
class LineHistory:
    """All that is known of a line."""

    path: str
    line: int
    text: str
    symbol: str
    is_committed: bool
    commits: tuple[LineCommit, ...]  # newest first
    memories: tuple[LineMemory, ...]  # on its symbol, then on its file
    sessions: Mapping[str, CommitSession]  # by the commit that it made
    ids: tuple[str, ...]  # every id that a prefix could mean


def why(snapshot: Snapshot, target: str) -> LineHistory:
    """The reasons for `FILE:LINE`. NotFound if there is no such line, or it is empty."""
    path, _, number = target.rpartition(":")
    if not path or not number.isdecimal():
        raise NotFound(f"expected FILE:LINE, got {target!r}", "for example: repomem why src/api.py:42")
    if not int(number):
        raise NotFound(f"line 0 does not exist in {path}", "lines start at 1")
    data = read_file(snapshot.workspace.repository, path, LARGEST_FILE)
    if isinstance(data, UnreadReason):
        path = path_meant(snapshot, path)
        data = read_file(snapshot.workspace.repository, path, LARGEST_FILE)
    text = None if isinstance(data, UnreadReason) else text_of(data)
    if text is None:
        if data not in (UnreadReason.VANISHED, UnreadReason.UNREADABLE) or is_locked(snapshot.workspace, path):
            raise unread(path, data)
        raise NotFound(f"no text file {path} in the worktree", "give the path from the top of the repository")
    lines = text.removesuffix("\n").split("\n")
    if int(number) > len(lines):
        raise NotFound(f"{path} has only {counted(len(lines), 'line')}, not {number}", f"repomem show {path}")
    if not lines[int(number) - 1].strip():
        filled = [at for at, line in enumerate(lines, start=1) if line.strip()]
        near = min(filled, key=lambda at: abs(at - int(number)), default=0)
        hint = f"repomem why {path}:{near}" if near else "the whole file is"
        raise NotFound(f"line {number} of {path} is empty", hint)
    symbol = enclosing_symbol(text, path, int(number))
    known = memories_in(snapshot)
    chain = list(line_commits(snapshot.workspace.repository, path, int(number)))
    made = tuple(_made(snapshot, [one for one in chain if one.commit], lines[int(number) - 1], symbol))
    return LineHistory(
        path,
        int(number),
        redact(text).split("\n")[int(number) - 1],
        symbol,
        bool(chain) and bool(chain[0].commit),
        made,
        tuple(_memories(known, path, symbol)),
        sessions_by_commit(known, {one.commit for one in made if not one.is_boundary}),
        tuple(known.ids),
    )


def _made(snapshot: Snapshot, chain: Sequence[LineChange], line: str, symbol: str) -> Iterator[LineCommit]:
    episodes = snapshot.episodes_by_commit([one.commit for one in chain])
    shown = with_removals(change_history_of(snapshot), episodes_with_state(snapshot, list(episodes.values())))
    states = {each.episode.commit: each for each in shown}
    cut_off = cut_off_commits(snapshot.workspace.repository)
    for one in chain:
        state = states.get(one.commit)
        if one.commit in cut_off:
            yield LineCommit(one.commit, state, (), (), is_boundary=True)
            continue
        is_here = line_hash(line) in map(line_hash, one.added)
        if state and state.kind == "episode" and is_here and not state.remains:
            state = replace(state, state="")  # this line of it was moved to another file
        reason = paragraph_about(state.episode.body, state.episode.subject, f"{line} {symbol}") if state else ""
        yield LineCommit(one.commit, state, _shown_lines(one.removed), _shown_lines(one.added), reason)


def _shown_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines that are shown, without secrets: looked for in all of them, since a key takes several."""
    return tuple(line for line in redact("\n".join(lines)).split("\n") if line.strip())[:LINES_SHOWN]


def _memories(known: MemorySnapshot, path: str, symbol: str) -> Iterator[LineMemory]:
    """The memories on the symbol, then those on the file."""
    here = [one for one in known.states.values() if one.is_shown_here]
    on_file = [one for one in here if any(each.path == path for each in one.locations)]
    around = set(enclosing(symbol)) - {""}
    exact = [one for one in on_file if any(each.path == path and each.symbol in around for each in one.locations)]
    rest = [one for one in on_file if one not in exact and any(not each.symbol for each in one.locations)]
    sessions = source_sessions(known)
    for one in (*exact, *rest):
        said = one.memory.said
        status = "" if one.is_fact else one.status.value
        source = sessions.get(one.memory.origin.session, CommitSession())
        yield LineMemory(one.memory.id, said.kind.value, said.text, said.why, status, source.id, source.goal)
