"""The log of a file or symbol, newest first: its current location, its commits, and the memories about it.

Renames are followed. A memory is listed above the commit that was checked out when it was written.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePosixPath

from repomem.brief.short_paths import ELLIPSIS
from repomem.core.errors import NotFound
from repomem.core.text.escape import visible_path
from repomem.core.text.symbol_names import dotted, last_part, paths_and_symbols
from repomem.core.text.words import whole
from repomem.core.types.commits import Episode, FileChange
from repomem.history.change_history import change_history_of
from repomem.history.episodes import RelatedEpisode, episodes_with_state
from repomem.history.live_files import existing, live_text
from repomem.history.removals import with_removals
from repomem.memories.anchors.find_anchors import MOST_NAMED, place_named, places_named
from repomem.memories.listing import is_about, shown_status
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_in
from repomem.memories.status import MemoryState, Visibility
from repomem.recall.commit_sessions import CommitSession, known_sessions, sessions_by_commit, source_sessions
from repomem.recall.file_symbols import NAMESAKES_NAMED, definitions_of, namesakes_of, without_declarations
from repomem.recall.show import path_meant
from repomem.recall.symbol_log import commits_naming, commits_of_symbol, moved_from
from repomem.workspace.snapshot import Snapshot

MOST = 1_000  # commits of one log
NEWEST_ONLY = "symbols are indexed for the newest commits only"


@dataclass(frozen=True, slots=True)
class LogMemory:
    """A memory or a session in a log; `status` is empty if it may be shown as true."""

    id: str
    kind: str
    date: str  # YYYY-MM-DD
    text: str
    status: str
    author: str
    head: str  # the commit that was checked out
    session: str = ""  # short id of the session that the memory was written in
    goal: str = ""  # of that session


@dataclass(frozen=True, slots=True)
class TargetLog:
    """The commits of a target, newest first as in `git log`, its memories, and the number of older commits."""

    target: str
    commits: tuple[RelatedEpisode, ...]
    older: int
    of_newest: int = 0  # number of newest commits searched for those of a symbol, if the history has more; else 0
    memories: tuple[LogMemory, ...] = ()
    today: str = ""
    sessions: Mapping[str, CommitSession] = field(default_factory=dict)  # by the commit that each made
    moved_from: str = ""  # the place of a symbol before the oldest of the commits moved it

    @property
    def is_in_order_of_dates(self) -> bool:
        """Whether the author dates are in order; after a rebase or a late merge they may not be."""
        dates = [one.episode.date for one in self.commits]
        return all(upper >= lower for upper, lower in pairwise(dates))

    @property
    def entries(self) -> "Iterator[RelatedEpisode | LogMemory]":
        """Commits and memories in one order."""
        left = list(self.memories)
        for commit in self.commits:
            above = [one for one in left if one.head == commit.episode.commit or one.date > commit.episode.date]
            yield from above
            left = [one for one in left if one not in above]
            yield commit
        yield from left if not self.older else ()


def log(snapshot: Snapshot, target: str, last: int) -> TargetLog:
    """The `last` newest commits of `PATH`, `PATH:SYMBOL`, or of the whole repository if the target is empty.

    The commits of a symbol that is no longer there are known among the newest only (`history.symbol_commits`). NotFound
    if nothing matches.
    """
    shown = min(last, MOST)
    path, symbol = _place(snapshot, target)
    is_traced = False
    if target:
        traced = commits_of_symbol(snapshot, snapshot.path_at_head(path), symbol) if symbol else None
        is_traced = traced is not None
        episodes = _episodes(snapshot, path, symbol) if traced is None else traced
        older = max(len(episodes) - shown, 0)
    else:
        episodes = [row.episode for row in snapshot.newest_episodes(shown)]
        older = max(len(snapshot.history.episodes) - shown, 0)
    known = memories_in(snapshot)
    here = [one for one in known.states.values() if one.visibility is Visibility.HERE]
    memories = _newest_memories(known, here, path, symbol)
    if not episodes and not memories:
        raise _not_found(snapshot, target, path, symbol)
    commits = tuple(with_removals(change_history_of(snapshot), episodes_with_state(snapshot, episodes[:shown])))
    made_in = sessions_by_commit(known, {one.episode.commit for one in commits})
    newest = snapshot.workspace.loaded.config.history.symbol_commits
    of_newest = newest if symbol and not is_traced and newest < len(snapshot.history.episodes) else 0
    before = moved_from(snapshot, snapshot.path_at_head(path), symbol, episodes[-1]) if is_traced and episodes else ""
    return TargetLog(target, commits, older, of_newest, memories, _today(snapshot, path, symbol), made_in, before)


def _not_found(snapshot: Snapshot, target: str, path: str, symbol: str) -> NotFound:
    """The error for a target without commits and memories."""
    others = namesakes_of(snapshot, path, symbol) if symbol else []
    if others:
        listed = ", ".join(f"{path}:{name}" for name in others[:NAMESAKES_NAMED])
        return NotFound(f"no indexed commit changed {symbol} in {path}", f"did you mean {listed}?")
    if symbol and snapshot.has(path) and not definitions_of(snapshot, path, symbol):
        return NotFound(f"{path} defines no {symbol}, and no indexed commit changed one", f"repomem show {path}")
    if snapshot.has(path) and snapshot.workspace.repository.is_shallow:
        return NotFound(f"no commit of this shallow clone changed {target}", "git fetch --unshallow")
    if symbol and snapshot.has(path):
        is_partial = snapshot.workspace.repository.is_partial
        reason = "a partial clone lacks the changes of symbols" if is_partial else NEWEST_ONLY
        hint = f"{reason}: repomem log {path}"
        return NotFound(f"no indexed commit changed {symbol} in {path}", hint)
    if not target:
        return NotFound("no commit is indexed", "repomem status")
    elsewhere = f"git log --all -- {shlex.quote(path)}"
    hint = f"give a path from the top of the repository; commits that are not indexed: {elsewhere}"
    return NotFound(f"no indexed commit touched {path!r}", hint)


def log_of_memories(snapshot: Snapshot, target: str, last: int) -> TargetLog:
    """The `last` newest memories and sessions of a target, as for `log`, whatever the memories' status and branch."""
    known = memories_in(snapshot)
    place = _place(snapshot, target)
    return TargetLog(target, (), 0, memories=_newest_memories(known, known.states.values(), *place)[:last])


def _place(snapshot: Snapshot, target: str) -> tuple[str, str]:
    """Path and symbol of `PATH` or `PATH:SYMBOL`, either may be empty; else of the one place that is named so."""
    if target.startswith(f"{ELLIPSIS}/"):
        short, colon, name = target.partition(":")
        target = f"{path_meant(snapshot, short)}{colon}{name}"
    readings = [(path.strip("/"), symbol) for path, symbol in paths_and_symbols(target.removeprefix("./"))]
    for path, symbol in readings:
        if not path or snapshot.has(path) or _of_path(snapshot, path)[0]:
            return path, symbol
    places = places_named(snapshot, target)
    if len(places) <= MOST_NAMED and len(defining := without_declarations(snapshot, places)) == 1:
        return defining[0]
    if places:
        return place_named(snapshot, target)
    return _former_place(snapshot, target) or readings[-1]


def _former_place(snapshot: Snapshot, name: str) -> tuple[str, str] | None:
    """Path and symbol of code that no longer exists, by its name. Raises NotFound if it was in several files."""
    symbol = last_part(dotted(name))
    history = change_history_of(snapshot)
    files = {history.names_of(path): path for path in snapshot.workspace.catalog.changes.paths_of_symbol(symbol)}
    owners = {whole(part) for part in re.split(r"\W+", name)} - {whole(symbol)}
    files = {names: path for names, path in files.items() if _stem_as_name(path) in owners} or files
    if len(files) > 1:
        listed = ", ".join(f"{path}:{symbol}" for path in list(files.values())[:MOST_NAMED])
        listed += ", …" if len(files) > MOST_NAMED else ""
        raise NotFound(f"{name} is no longer defined; {len(files)} files once defined it", f"give one of {listed}")
    return next(((next(iter(existing(snapshot, names)), path), symbol) for names, path in files.items()), None)


def _stem_as_name(path: str) -> str:
    """The definition name that a file's name suggests in many languages: `static_files.ex` has `StaticFiles`."""
    return whole(PurePosixPath(path).stem).replace(".", "")


def _today(snapshot: Snapshot, path: str, symbol: str) -> str:
    """Where the target is now; empty for the whole repository."""
    if not path:
        return ""
    shown = visible_path(path)
    if not snapshot.has(path):
        below = sum(file.path.startswith(f"{path}/") for file in snapshot.files)
        if below:
            return f"{below} files in {shown}"
        if renamed := [visible_path(new) for new, old in snapshot.renamed.items() if old == path]:
            return f"{renamed[0]}, by an uncommitted rename"
        is_there = snapshot.lacks_files or existing(snapshot, [path])
        return f"{shown} is not indexed" if is_there else f"{shown} does not exist"
    dirty = ", with uncommitted changes" if path in snapshot.dirty_paths else ""
    found = definitions_of(snapshot, path, symbol) if symbol else []
    if symbol and not found:
        return f"{_missing(snapshot, path, symbol)}{dirty}"
    spans = ",".join(f"{each.start_line}-{each.end_line}" for each in found)
    return f"{shown}:{spans} {found[0].qualified}{dirty}" if found else f"{shown}{dirty}"


def _missing(snapshot: Snapshot, path: str, symbol: str) -> str:
    """What is known of a symbol without a definition; a file that has its name may be one that the grammar misreads."""
    shown = visible_path(path)
    if last_part(dotted(symbol)) in (live_text(snapshot, path) or ""):
        return f"no definition of {symbol} found in {shown}, which mentions it"
    return f"{symbol} is no longer in {shown}"


def _newest_memories(
    known: MemorySnapshot, states: Iterable[MemoryState], path: str, symbol: str
) -> tuple[LogMemory, ...]:
    """Those of some memories that are about a place, and the sessions that touched it, newest first."""
    sources = source_sessions(known)
    about = [one for one in states if not path or is_about(one, path, symbol)]
    memories = [_log_memory(known, one, sources) for one in about]
    sessions = [] if symbol else _sessions(known, path)
    return tuple(sorted([*memories, *sessions], key=lambda one: one.id, reverse=True))


def _log_memory(known: MemorySnapshot, one: MemoryState, sources: Mapping[str, CommitSession]) -> LogMemory:
    said, origin = one.memory.said, one.memory.origin
    name, day = known.short_id(one.memory.id), origin.at[:10]
    status = "" if one.is_fact and not one.memory.archived else shown_status(one)
    source = sources.get(origin.session, CommitSession())
    return LogMemory(name, said.kind.value, day, said.text, status, origin.author, origin.head, source.id, source.goal)


def _sessions(known: MemorySnapshot, path: str) -> Iterator[LogMemory]:
    """Sessions that ended here and touched the path."""
    for session in known_sessions(known):
        touched = not path or any(file == path or file.startswith(f"{path}/") for file in session.files)
        if session.ended and touched:
            text = " → ".join(filter(None, (session.goal, session.outcome))) or "(no goal or outcome)"
            end = session.ended
            yield LogMemory(known.short_id(session.id), "session", end.at[:10], text, "", end.author, end.head)


def _episodes(snapshot: Snapshot, path: str, symbol: str) -> list[Episode]:
    """The episodes that touched a file or folder, or a symbol of the file by its name.

    If other symbols in the file now end in the same name, commits recorded under an unqualified name do not count.
    """
    found, names = _of_path(snapshot, path)
    if not symbol:
        return found
    return list(commits_naming(found, names, symbol, is_whole=bool(namesakes_of(snapshot, path, symbol))))


def _of_path(snapshot: Snapshot, path: str) -> tuple[list[Episode], set[str]]:
    """The episodes that touched or moved a file, under any of its names, or a file of a folder; and these names."""
    known = {path, snapshot.path_at_head(path)}
    wanted = list(known)
    named: dict[int, Episode] = {}
    while wanted:
        named |= {row.id: row.episode for row in snapshot.episodes_naming(wanted.pop())}
        new = {f.old_path for each in named.values() for f in each.files if f.path in known} - known - {""}
        wanted += new
        known |= new
    found = []
    names = {path, snapshot.path_at_head(path)}
    for episode in (named[number] for number in snapshot.history.episodes if number in named):
        touched = [f for f in episode.files if any(p in names or p.startswith(path + "/") for p in _places(f))]
        if touched:
            found.append(episode)
            names |= {f.old_path for f in touched if f.old_path and f.path in names}
    return found, names


def _places(file: FileChange) -> tuple[str, ...]:
    """The paths of a change: both for a rename, the new one for a copy."""
    return (file.path, file.old_path) if file.status == "R" else (file.path,)
