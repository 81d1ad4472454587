"""The story of a file or a symbol, newest first: where it is today, its commits, and what was said about it.

Renames are followed. A memory stands above the commit that was checked out when it was said.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from repomem.core.errors import NotFound
from repomem.core.types import Episode, FileChange
from repomem.history.episodes import RelatedEpisode, episodes_with_state
from repomem.memories.snapshot import MemorySnapshot, memories_in
from repomem.memories.status import MemoryState, Visibility
from repomem.recall.show import definition_of
from repomem.sessions.digest import sessions_of
from repomem.workspace.snapshot import Snapshot

MOST = 1_000  # episodes of one story


@dataclass(frozen=True, slots=True)
class Saying:
    """A memory or a session in a story; `status` is empty where it may be told as true."""

    id: str
    kind: str
    date: str  # YYYY-MM-DD
    text: str
    status: str
    author: str
    head: str  # the commit that was checked out


@dataclass(frozen=True, slots=True)
class Story:
    """What happened to a target, newest first, how many older commits there are, and what it is today."""

    target: str
    told: tuple[RelatedEpisode, ...]
    older: int
    said: tuple[Saying, ...] = ()
    today: str = ""

    @property
    def entries(self) -> "Iterator[RelatedEpisode | Saying]":
        """Commits and what was said, in one order."""
        waiting = list(self.said)
        for told in self.told:
            above = [one for one in waiting if one.head == told.episode.commit or one.date > told.episode.date]
            yield from above
            waiting = [one for one in waiting if one not in above]
            yield told
        yield from waiting if not self.older else ()


def log(snapshot: Snapshot, target: str, last: int) -> Story:
    """The `last` newest episodes of `PATH`, `PATH:SYMBOL`, or of the whole repository where the target is empty.

    Symbols are known of the newest commits only (`history.symbol_commits`). NotFound where nothing fits.
    """
    path, _, symbol = target.partition(":")
    path = path.strip("/")
    episodes = [row.episode for row in snapshot.newest_episodes()]
    if target:
        episodes = _of_path(episodes, path)
        episodes = [e for e in episodes if not symbol or _names(e, symbol)]
    known = memories_in(snapshot)
    said = tuple(sorted(_said(known, path, symbol), key=lambda one: one.id, reverse=True))
    if not episodes and not said:
        told = f"no indexed commit touched {target!r}" if target else "no commit is indexed"
        hint = f"symbols are known of the newest commits only: repomem log {path}" if symbol else "repomem status"
        raise NotFound(told, hint)
    shown = min(last, MOST)
    told_ = tuple(episodes_with_state(snapshot, episodes[:shown]))
    return Story(target, told_, max(len(episodes) - shown, 0), said, _today(snapshot, path, symbol))


def log_of_memories(snapshot: Snapshot, last: int) -> Story:
    """The newest memories and sessions alone, whatever became of them."""
    known = memories_in(snapshot)
    said = [_saying(known, one) for one in known.states.values()] + list(_sessions(known, ""))
    return Story("", (), 0, tuple(sorted(said, key=lambda one: one.id, reverse=True))[:last])


def _today(snapshot: Snapshot, path: str, symbol: str) -> str:
    """Where the target is now, in words; empty for the whole repository."""
    if not path:
        return ""
    if not snapshot.has(path):
        below = sum(file.path.startswith(f"{path}/") for file in snapshot.files)
        return f"{below} files in {path}" if below else f"{path} is not there"
    dirty = ", changed and not committed" if path in snapshot.dirty_paths else ""
    found = definition_of(snapshot, path, symbol) if symbol else None
    if symbol and found is None:
        return f"{path} defines no {symbol}{dirty}"
    span = f":{found.start_line}-{found.end_line} {found.qualified}" if found else ""
    return f"{path}{span}{dirty}"


def _said(known: MemorySnapshot, path: str, symbol: str) -> Iterator[Saying]:
    for one in known.states.values():
        if one.visibility is Visibility.HERE and (not path or _is_about(one, path, symbol)):
            yield _saying(known, one)
    if not symbol:
        yield from _sessions(known, path)


def _is_about(one: MemoryState, path: str, symbol: str) -> bool:
    places = {(a.path, a.symbol) for a in one.memory.said.anchors} | {(p.path, p.symbol) for p in one.locations}
    on_path = [named for where, named in places if where == path or where.startswith(f"{path}/")]
    return any(not symbol or _last(named) == _last(symbol) for named in on_path)


def _saying(known: MemorySnapshot, one: MemoryState) -> Saying:
    memory = one.memory
    status = (
        "archived"
        if memory.archived
        else one.visibility.value
        if one.visibility is not Visibility.HERE
        else one.status.value
    )
    shown = "" if one.is_fact and not memory.archived else status
    origin = memory.origin
    name = known.short_id(memory.id)
    return Saying(name, memory.said.kind.value, origin.at[:10], memory.said.text, shown, origin.author, origin.head)


def _sessions(known: MemorySnapshot, path: str) -> Iterator[Saying]:
    """Sessions that ended here and touched the path."""
    memories = {name: one.memory for name, one in known.states.items()}
    for session in sessions_of(known.records, memories):
        touched = not path or any(file == path or file.startswith(f"{path}/") for file in session.files)
        if session.ended and touched:
            text = " → ".join(filter(None, (session.goal, session.outcome))) or "(nothing said)"
            end = session.ended
            yield Saying(known.short_id(session.id), "session", end.at[:10], text, "", end.author, end.head)


def _of_path(episodes: list[Episode], path: str) -> list[Episode]:
    """Those that touched the file, under the names it had, or a file in the folder; one that moved it away too."""
    found = []
    names = {path}
    for episode in episodes:
        touched = [f for f in episode.files if any(p in names or p.startswith(path + "/") for p in _places(f))]
        if touched:
            found.append(episode)
            names |= {f.old_path for f in touched if f.old_path and f.path in names}
    return found


def _places(file: FileChange) -> tuple[str, ...]:
    """Where a change took place: a rename at both ends, a copy only where it went."""
    return (file.path, file.old_path) if file.status == "R" else (file.path,)


def _names(episode: Episode, symbol: str) -> bool:
    return any(_last(each.rpartition(":")[2]) == _last(symbol) for each in episode.symbols)


def _last(qualified: str) -> str:
    return qualified.rpartition(".")[2]
