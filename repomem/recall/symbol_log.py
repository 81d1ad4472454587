"""The commits that changed a symbol: of a live one those that git finds for its lines, else those with its name."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from repomem.adapters.git.line_log import commits_of_lines
from repomem.adapters.git.log import cut_off_commits, first_parent
from repomem.core.errors import GitError, NotFound
from repomem.core.text.symbol_names import dotted, is_named, last_part, may_be_same
from repomem.core.types.code import Definition
from repomem.core.types.commits import Episode
from repomem.history.change_history import change_history_of
from repomem.history.live_files import committed_text, text_at
from repomem.recall.file_symbols import definitions_in, definitions_of
from repomem.workspace.snapshot import Snapshot

MOVES = 5  # of a symbol within its file, that are followed


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a file defines a symbol at a commit."""

    path: str
    commit: str
    definitions: Sequence[Definition]

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """The first and the last line of each definition."""
        return [(each.start_line, each.end_line) for each in self.definitions]


def commits_of_symbol(snapshot: Snapshot, path: str, symbol: str) -> list[Episode] | None:
    """The indexed commits that changed the lines of a symbol of the head, newest first; None if it is not there.

    Git ends at a commit that moved them within their file; they are followed from before it. Without commits at the
    boundary of a shallow clone, to which git gives all lines that older ones wrote.
    """
    repository, head = snapshot.workspace.repository, snapshot.head
    if not head or repository.is_partial:
        return None
    text = committed_text(snapshot, path)
    found = definitions_in(text, path, symbol) if text else []
    if not found:
        return None
    try:
        return _commits_of(snapshot, _Place(path, head, found), symbol)
    except GitError:  # a shallow or pruned clone
        return None


def _commits_of(snapshot: Snapshot, place: _Place, symbol: str, moves: int = MOVES) -> list[Episode]:
    repository = snapshot.workspace.repository
    found = commits_of_lines(repository, place.path, place.ranges, place.commit)
    ids = snapshot.workspace.catalog.changes.episode_ids(found - cut_off_commits(repository))
    rows = snapshot.workspace.store.episodes(sorted(ids.values())) if ids else []
    known = {row.id: row.episode for row in rows}
    own = [known[number] for number in snapshot.history.episodes if number in known]
    before = _before(snapshot, place.path, symbol, own[-1]) if own and moves else None
    return [*own, *(_commits_of(snapshot, before, symbol, moves - 1) if before else ())]


def _before(snapshot: Snapshot, path: str, symbol: str, oldest: Episode) -> _Place | None:
    """Where the same file had a symbol before the oldest commit that git finds for its lines; None if it had none."""
    parent = first_parent(snapshot.workspace.repository, oldest.commit)
    names = change_history_of(snapshot).names_of(path)
    former = [file.old_path or file.path for file in oldest.files if file.path in names]
    text = text_at(snapshot, parent, former[0]) if parent and former else None
    try:
        found = definitions_in(text, former[0], symbol) if text else []
    except NotFound:  # several of this name
        return None
    return _Place(former[0], parent, found) if found else None


def moved_from(snapshot: Snapshot, path: str, symbol: str, oldest: Episode) -> str:
    """`PATH:SYMBOL` from where the oldest commit of a symbol moved it: it changed one there that is gone.

    Empty if there is none or several.
    """
    name = last_part(dotted(symbol))
    added = {file.path for file in oldest.files if file.status == "A"}
    changed = (each.rpartition(":") for each in oldest.symbols)
    own = {path, *change_history_of(snapshot).names_of(path)}
    others = {other for other, _, named in changed if last_part(dotted(named)) == name} - added - own
    gone = [other for other in others if not _defines(snapshot, other, name)]
    return f"{gone[0]}:{name}" if len(gone) == 1 else ""


def _defines(snapshot: Snapshot, path: str, name: str) -> bool:
    """Whether a file defines a symbol, or several of this name."""
    try:
        return snapshot.has(path) and bool(definitions_of(snapshot, path, name))
    except NotFound:
        return True


def commits_naming(
    episodes: Sequence[Episode], paths: Collection[str], symbol: str, *, is_whole: bool
) -> Iterator[Episode]:
    """The episodes with a hunk in a symbol of one of these paths; recorded names may lack enclosing definitions.

    With `is_whole` those that lack them do not count: they may be another definition's.
    """
    matches = is_named if is_whole else may_be_same
    wanted = dotted(symbol)
    for episode in episodes:
        places = (each.rpartition(":") for each in episode.symbols)
        if any(path in paths and matches(dotted(name), wanted) for path, _, name in places):
            yield episode
