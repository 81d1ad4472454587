"""Which agents' work has landed in the history and survived: then an agent's memory is trusted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from repomem.adapters.git.ancestry import ancestors_among
from repomem.adapters.git.file_history import blobs_at
from repomem.core.records import CLAIMS, PROPOSED, Anchor, Memory, MemoryEvent, Record
from repomem.core.types.commits import SHORTEST_HASH
from repomem.memories.anchors.live_files import LiveFiles
from repomem.memories.anchors.locate import landing_commits
from repomem.memories.history_facts import HistoryFacts, is_work_unknown, name_here, names_of_record
from repomem.memories.snapshots.session_work import session_commits
from repomem.memories.status import INTACT, Locations, is_trusted
from repomem.workspace.workspace import Workspace

LIVED_COMMITS = 10  # commits on top of landed work, without a revert, after which an agent's memory counts


def with_landed_work(
    files: LiveFiles,
    memories: Mapping[str, Memory],
    locations: Locations,
    history: HistoryFacts,
    records: Sequence[Record],
) -> HistoryFacts:
    """The history with the landing commits of untrusted memories, their reverts, and the memories that have lived."""
    waiting = [
        each
        for each in memories.values()
        if not is_trusted(each, history) or is_work_unknown(each.id, each.origin, history)
    ]
    sessions = session_commits(records)
    successors = [each for each in memories.values() if each.supersedes]
    closings = [mark for each in memories.values() for mark in each.done]
    if not files.head:
        return history
    history = _with_reverts(files, history, locations, is_wanted=bool(successors or closings))
    if not (waiting or successors or closings):
        return history
    history = _with_reverted_records(files, successors, closings, locations, history, sessions)
    landed = _landings(files, waiting, locations, history, sessions)
    if not landed:
        return history
    workspace = files.workspace
    part = ancestors_among(workspace.repository, files.head, set(landed.values()))
    landed = {name: commit for name, commit in landed.items() if commit in part}
    reverted = reverts_in(workspace, files.head, set(landed.values()))
    old = _commit_below(workspace, files.head)
    aged = ancestors_among(workspace.repository, old, set(landed.values()))
    lived = {name for name, commit in landed.items() if commit in aged and commit not in reverted}
    lived = {name for name in lived if _may_be_trusted(memories[name])}
    return replace(history, landings=landed, reverted=reverted, lived=lived, ancestors=history.ancestors | part)


def _may_be_trusted(memory: Memory) -> bool:
    """Whether surviving code can confirm it: not a model's proposal, nor a claim about a type as a whole.

    A type's fingerprint stays when its methods change, so an unchanged fingerprint proves nothing.
    """
    anchors = memory.said.anchors
    is_of_types = bool(anchors) and all(each.kind for each in anchors)
    return PROPOSED not in memory.origin.tool and not (is_of_types and memory.said.kind in CLAIMS)


def _with_reverts(files: LiveFiles, history: HistoryFacts, locations: Locations, *, is_wanted: bool) -> HistoryFacts:
    """The history with its reverts that are not reverted themselves, if one changed a memory's code, or if wanted."""
    workspace = files.workspace
    causes = {one.commit for each in locations.values() for one in each} - {""}
    reverting = {by for by, _ in workspace.catalog.trailers.reverts()} if is_wanted or causes else set()
    if not reverting or not (is_wanted or causes & reverting):
        return history
    undone = reverts_in(workspace, files.head, reverting)
    here = ancestors_among(workspace.repository, files.head, reverting)
    return replace(history, reverts=here - undone.keys())


def _with_reverted_records(
    files: LiveFiles,
    successors: Sequence[Memory],
    closings: Sequence[MemoryEvent],
    locations: Locations,
    history: HistoryFacts,
    sessions: Mapping[str, tuple[str, ...]],
) -> HistoryFacts:
    """The history with the superseding memories, and the records that closed a thread, whose commit was reverted."""
    if not (successors or closings) or not history.reverts:
        return history
    landed = _landings(files, successors, locations, history, sessions)
    carriers = {
        each.id: sessions.get(each.origin.session, ())
        or ([landed[each.id]] if each.id in landed else names_of_record(each.id, each.origin, history))
        for each in successors
    }
    carriers |= {mark.record: names_of_record(mark.record, mark.origin, history) for mark in closings}
    reverted = reverts_in(files.workspace, files.head, {name for each in carriers.values() for name in each if name})
    named = ((record, reverted.get(name, "")) for record, each in carriers.items() for name in each)
    return replace(history, reverted_records={record: by for record, by in named if by})


def reverts_in(workspace: Workspace, head: str, commits: Iterable[str]) -> dict[str, str]:
    """Those of the commits that a later commit of this history reverts, each with that commit.

    A revert that was itself reverted does not count.
    """
    wanted = {commit[:SHORTEST_HASH]: commit for commit in commits}
    pairs = [
        (by, wanted[named[:SHORTEST_HASH]])
        for by, named in workspace.catalog.trailers.reverts()
        if named[:SHORTEST_HASH] in wanted
    ]
    if not pairs:
        return {}
    part = ancestors_among(workspace.repository, head, {by for by, _ in pairs})
    undone = reverts_in(workspace, head, part)
    return {commit: by for by, commit in pairs if by in part and by not in undone}


def _landings(
    files: LiveFiles,
    memories: Iterable[Memory],
    locations: Locations,
    history: HistoryFacts,
    of_sessions: Mapping[str, tuple[str, ...]],
) -> dict[str, str]:
    """The commit that each memory's work landed with: its session's first, else the first that has its code."""
    landed: dict[str, str] = {}
    open_: list[tuple[str, Anchor, str]] = []  # memory, anchor, and the commit of this history that it was written on
    for memory in memories:
        commits = of_sessions.get(memory.origin.session, ()) if memory.origin.session else ()
        head = name_here(memory, history)
        located = locations.get(memory.id, ())
        if any(one.status not in INTACT for one in located):
            continue  # the code has drifted, which confirms nothing
        commit = commits[0] if commits else next((one.landed for one in located if one.landed), "")
        if commit:
            landed[memory.id] = commit
        elif head and located:
            open_.append((memory.id, located[0].anchor, head))
    then = blobs_at(files.workspace.repository, [(head, anchor.path) for _, anchor, head in open_])
    landed |= {name: head for (name, anchor, head), blob in zip(open_, then, strict=True) if blob == anchor.blob}
    later = [one for one in open_ if one[0] not in landed]
    commits_later = landing_commits(files, [(anchor, head) for _, anchor, head in later])
    return landed | {name: commit for (name, _, _), commit in zip(later, commits_later, strict=True) if commit}


def _commit_below(workspace: Workspace, head: str) -> str:
    """The commit that has LIVED_COMMITS on top of it; empty in a shorter history."""
    listed = workspace.repository.read("rev-list", "--first-parent", f"--max-count={LIVED_COMMITS + 1}", head)
    commits = listed.decode().split()
    return commits[-1] if len(commits) > LIVED_COMMITS else ""
