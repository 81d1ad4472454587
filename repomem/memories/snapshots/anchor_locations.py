"""The places of each memory's code at one revision, also for memories recorded on another history."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from repomem.adapters.git.ancestry import fork_points, present
from repomem.adapters.git.file_history import blobs_at
from repomem.core.records import Anchor, Memory
from repomem.memories.anchors.live_files import LiveFiles
from repomem.memories.anchors.locate import locate_anchors
from repomem.memories.history_facts import HistoryFacts, name_here, names_of_record
from repomem.memories.snapshots.session_work import committed_anchors
from repomem.memories.status import INTACT, AnchorLocation, Locations, Status, is_archived_as_superseded
from repomem.workspace.workspace import Workspace


def forks_of(files: LiveFiles, memories: Iterable[Memory], history: HistoryFacts) -> dict[str, str]:
    """Anchored memories of other histories, each with the commit where that history forked off; empty: none."""
    anchored = [each for each in memories if each.said.anchors and each.origin.head]
    names = {each.id: names_of_record(each.id, each.origin, history) for each in anchored}
    apart = {name: each[0] for name, each in names.items() if history.ancestors.isdisjoint(each)}
    if not apart or not files.head:
        return {}
    repository = files.workspace.repository
    forks = fork_points(repository, present(repository, set(apart.values())), files.head)
    return {name: forks.get(head, "") for name, head in apart.items()}


def locations_of(
    files: LiveFiles, memories: Mapping[str, Memory], history: HistoryFacts, forks: Mapping[str, str], *, is_kept: bool
) -> tuple[Locations, int]:
    """Where the anchors of each memory are now; archived memories are skipped, unless they may come back."""
    shown = (each for each in memories.values() if not each.archived or is_archived_as_superseded(each))
    live = {each.id: each for each in shown if each.said.anchors}
    anchors = {name: each.said.anchors for name, each in live.items()}
    anchors |= committed_anchors(files.workspace, live, history)
    bases = {each.id: name_here(each, history) or forks.get(each.id, "") for each in live.values()}
    wanted = [(anchor, base) for name, base in bases.items() for anchor in anchors[name]]
    located, checked = locate_anchors(files, wanted, is_kept=is_kept) if wanted else ([], 0)
    rest = iter(located)
    found = {name: tuple(next(rest) for _ in each.said.anchors) for name, each in live.items()}
    return {name: _with_causes(files, live[name], each, history) for name, each in found.items()}, checked


def _with_causes(
    files: LiveFiles, memory: Memory, located: tuple[AnchorLocation, ...], history: HistoryFacts
) -> tuple[AnchorLocation, ...]:
    """The locations, with the cause of changes that no later commit made: the worktree, or the memory's own commit.

    A squash, an amend or a resolved conflict may contain the change together with the memory's own work. So may the
    first commit after a memory that was recorded on uncommitted code.
    """
    if all(one.status in INTACT for one in located):
        return located
    base = name_here(memory, history)
    rewritten = base if base != memory.origin.head else ""
    return tuple(_with_cause(files, rewritten, one) for one in located)


def _with_cause(files: LiveFiles, rewritten: str, one: AnchorLocation) -> AnchorLocation:
    if one.status in INTACT:
        return one
    if one.commit:
        return replace(one, commit=rewritten) if _had_changed(files.workspace, rewritten, one) else one
    if one.path in files.dirty:
        return replace(one, is_uncommitted=True)
    path = one.anchor.path
    is_clean = path in files.blobs and path not in files.dirty
    is_in_commit = bool(one.path) or is_clean or blobs_at(files.workspace.repository, [(files.head, path)]) == [""]
    return replace(one, commit=rewritten) if is_in_commit else replace(one, is_uncommitted=True)


def _had_changed(workspace: Workspace, rewritten: str, one: AnchorLocation) -> bool:
    """Whether the code had already changed in the memory's own commit, before the commit of the drift."""
    if not rewritten or one.status is not Status.DRIFTED or one.commit == rewritten:
        return False
    return _status_at(workspace, rewritten, one.anchor) is Status.DRIFTED


def _status_at(workspace: Workspace, commit: str, anchor: Anchor) -> Status:
    """The status of an anchor in one commit, as if it had been made there."""
    [blob] = blobs_at(workspace.repository, [(commit, anchor.path)])
    files = LiveFiles(workspace, commit, {anchor.path: blob} if blob else {})
    [[found], _] = locate_anchors(files, [(anchor, commit)], is_kept=False)
    return found.status


def with_landings(files: LiveFiles, locations: Locations, forks: Mapping[str, str]) -> Locations:
    """Mark code of another history that is intact here: it landed without its commit, for example by an edited squash.

    Code that was there before the histories forked proves nothing.
    """
    landed = dict(locations)
    for name, each in locations.items():
        if fork := forks.get(name, ""):
            landed[name] = tuple(_with_landing(files, fork, one) for one in each)
    return landed


def _with_landing(files: LiveFiles, fork: str, one: AnchorLocation) -> AnchorLocation:
    anchor = one.anchor
    if not anchor.symbol or one.landed or one.status not in INTACT:
        return one
    is_known = _status_at(files.workspace, fork, anchor) in INTACT
    return one if is_known else replace(one, landed=files.head)
