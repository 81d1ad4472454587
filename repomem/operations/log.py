"""The story of a file or a symbol, from its episodes, newest first; renames are followed."""

from dataclasses import dataclass

from repomem.core.errors import NotFound
from repomem.core.types import Episode, FileChange
from repomem.operations.episodes import Told, with_state
from repomem.operations.reading import Snapshot

MOST = 1_000  # episodes of one story


@dataclass(frozen=True, slots=True)
class Story:
    """The episodes of a target, newest first, and how many older ones there are."""

    target: str
    told: tuple[Told, ...]
    older: int


def log(snapshot: Snapshot, target: str, last: int) -> Story:
    """The `last` newest episodes of `PATH`, `PATH:SYMBOL`, or of the whole repository where the target is empty.

    Symbols are known of the newest commits only (`history.symbol_commits`). NotFound where no episode fits.
    """
    path, _, symbol = target.partition(":")
    episodes = [row.episode for row in snapshot.newest_episodes()]
    if target:
        episodes = _of_path(episodes, path.strip("/"))
        episodes = [e for e in episodes if not symbol or _names(e, symbol)]
    if not episodes:
        told = f"no indexed commit touched {target!r}" if target else "no commit is indexed"
        hint = f"symbols are known of the newest commits only: repomem log {path}" if symbol else "repomem status"
        raise NotFound(told, hint)
    shown = min(last, MOST)
    return Story(target, tuple(with_state(snapshot, episodes[:shown])), max(len(episodes) - shown, 0))


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
    wanted = symbol.rpartition(".")[2]
    return any(each.rpartition(":")[2].rpartition(".")[2] == wanted for each in episode.symbols)
