"""Follows the commits of memories through rebase, amend, squash and cherry-pick, and records the new commits.

Git deletes rewritten commits in time, so a rewrite is recorded as soon as it is known: from the post-rewrite hook if
there is one, else by a search in each index run.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from repomem.adapters.git.ancestry import common_base, descended_among, known_beyond, present, tips
from repomem.adapters.git.patches import CommitIdentity, identities_beyond, identities_of, patches_of
from repomem.adapters.git.repository import Repository
from repomem.adapters.ledger.fold import memories_of
from repomem.core.digests import short_digest
from repomem.core.errors import GitError, StoreError
from repomem.core.records import FIRST_COMMIT, Event, Record
from repomem.core.types.text import NOTHING, CleanText
from repomem.memories.history_facts import JOINED, HistoryFacts, names_in, names_of_commit, names_of_record, origins_of
from repomem.memories.rewrites.find_rewritten import RewriteSearch
from repomem.memories.rewrites.first_commits import first_commits, has_open_work
from repomem.memories.rewrites.region import Parents, Region, worth_reading
from repomem.memories.rewrites.similar_changes import SimilarChanges
from repomem.workspace.ledger import REPOMEM, ledger_of, origin_of, records, records_here
from repomem.workspace.workspace import Workspace

MOST_HERE = 3_000  # commits of the head's history that are searched, 0.1 ms each
MOST_ELSEWHERE = 500  # and of other branches
MOST_BELOW = 50  # commits that a branch is based on
MOST_SIMILAR = 20  # lost commits whose branches are compared by their words, 50 ms each at most
SETTLED = 5  # heads from which an unreachable commit was searched: a rewrite would have been found

_Rewrite = tuple[str, str, CleanText]  # a commit, its new commit, and JOINED or FIRST_COMMIT if it is not a rewrite
_Names = Mapping[str, Sequence[str]]  # a commit of a memory to its names in this clone


def follow_rewrites(workspace: Workspace, head: str) -> int:
    """Record the new commits of memories' commits that `head` lacks; gives the number of new records.

    Costs two git calls where none is lost, and two more where nothing has changed since the last search.
    """
    known = records_here(workspace)
    written = _record_first_commits(workspace, known)
    known = records_here(workspace) if written else known
    lost = _lost(workspace, names_in(known), known, head)
    if not lost:
        return written
    refs = tips(workspace.repository)
    digest = short_digest("".join(refs))
    looked_at = {commit: workspace.catalog.unfound.looked_at(commit) for commit in lost}
    lost = {commit: names for commit, names in lost.items() if looked_at[commit].get(head) != digest}
    with suppress(GitError):  # a partial clone may lack objects
        found = _found(workspace, head, lost, looked_at, refs) if lost else _Found()
        written += _recorded(workspace, found.rewrites)
        unfound = [old for old in lost if old not in found.here]
        with suppress(StoreError):  # not writable: searched again next time
            if unfound:
                workspace.catalog.unfound.keep(unfound, head, digest)
    return written


def follow_new_commits(workspace: Workspace) -> None:
    """Record the first commits after memories of uncommitted work, if HEAD or the ledger has changed since last time.

    Index runs always look; this is for commands between them. A session's memories may be written after the commit
    of its work.
    """
    log, ledger = workspace.repository.git_dir / "logs" / "HEAD", ledger_of(workspace)
    moved = str(log.stat().st_mtime_ns) if log.exists() else ""
    key, stamp = f"{FIRST_COMMIT} {workspace.root}", ledger.stamp
    seen = _seen(workspace.catalog.meta(key))
    if seen[:2] == [moved, stamp]:
        return
    marks = ledger.marks
    added = ledger.appended(seen[2]) if seen[:1] == [moved] and len(seen[2]) == len(marks) else None
    if added is None or any(map(has_open_work, added)):
        _record_first_commits(workspace, records_here(workspace))
    with suppress(StoreError):  # not writable: sought again next time
        workspace.catalog.set_meta(key, json.dumps([moved, stamp, marks]))


def _seen(stored: str) -> list[Any]:
    """When HEAD had moved, and the stamp and marks of the ledger, at the last search; empty if there was none."""
    try:
        moved, stamp, marks = json.loads(stored)
    except (ValueError, TypeError):  # none, or by an earlier version
        return []
    return [moved, stamp, marks]


def _record_first_commits(workspace: Workspace, known: Sequence[Record]) -> int:
    """Record the first commits after memories of uncommitted work; gives the number of new records."""
    return _recorded(workspace, [(name, commit, FIRST_COMMIT) for name, commit in first_commits(workspace, known)])


def record_rewrites(workspace: Workspace, pairs: Iterable[tuple[str, str]]) -> int:
    """Record the map of a post-rewrite hook, for commits that the ledger names; gives the number of new records."""
    known = records_here(workspace)
    in_ledger = {record.origin.head for record in known} | {commit for record in known for commit in record.commits}
    in_ledger |= {record.other for record in known if record.event is Event.REWRITE}
    wanted: list[_Rewrite] = []
    for old, new in pairs:
        if old in in_ledger and old != new:
            wanted.append((old, new, NOTHING))
            in_ledger.add(new)
    return _recorded(workspace, wanted)


def _lost(workspace: Workspace, world: HistoryFacts, known: Sequence[Record], head: str) -> _Names:
    """The commits of memories that this clone has and `head` lacks under any name."""
    if not head or not known:
        return {}
    live = [each for each in memories_of(known).values() if not each.is_forgotten]
    commits = {name for each in live for one in origins_of(each) for name in names_of_record(*one, world)[:1]}
    names = {commit: list(names_of_commit(commit, world)) for commit in commits}
    here = present(workspace.repository, {name for each in names.values() for name in each})
    part = descended_among(workspace.repository, head, here)
    lost = [commit for commit in sorted(names) if part.isdisjoint(names[commit])]
    changed = replace(world, joins={})  # a joined merge has no patch that could be found
    found = {commit: [name for name in names_of_commit(commit, changed) if name in here] for commit in lost}
    return {commit: each for commit, each in found.items() if each}


@dataclass(slots=True)
class _Found:
    """The result of the search."""

    rewrites: list[_Rewrite] = field(default_factory=list)
    here: set[str] = field(default_factory=set)  # those found in the head's history


def _found(
    workspace: Workspace, head: str, lost: _Names, looked_at: Mapping[str, Collection[str]], refs: Sequence[str]
) -> _Found:
    """What each lost commit became, searched in everything since the histories forked.

    An unreachable commit that was searched from several heads is searched only in commits that are new since.
    """
    repository = workspace.repository
    beyond = known_beyond(repository, {name for each in lost.values() for name in each}, head)
    living = _reachable(beyond, refs)
    region = Region((), (), beyond, living)
    near = {*_branches(lost, region), *islice(beyond, MOST_ELSEWHERE)}
    region = replace(region, elsewhere=identities_of(repository, [commit for commit in beyond if commit in near]))
    groups: dict[bool, dict[str, Sequence[str]]] = {True: {}, False: {}}
    for old, names in lost.items():
        groups[living.isdisjoint(names) and len(looked_at[old]) >= SETTLED][old] = names
    found = _Found()
    for is_settled, group in groups.items():
        if group:
            seen = set.intersection(*(set(looked_at[old]) for old in group)) - {head} if is_settled else set()
            here = _here(repository, head, group, region, seen)
            _look(workspace, replace(region, here=here), group, found)
    return found


def _here(
    repository: Repository, head: str, lost: _Names, region: Region, seen: Collection[str]
) -> list[CommitIdentity]:
    """The commits of the head's history since the branches of the lost commits forked off."""
    base = common_base(repository, _fork_points(lost, region))
    before = [*sorted(present(repository, seen)), *([base] if base else [])]
    return identities_beyond(repository, [head], before, MOST_HERE)


def _fork_points(lost: _Names, region: Region) -> list[str]:
    """The commits of the head's history where the branches of the lost commits forked off."""
    beyond = region.beyond
    return sorted({parent for commit in _branches(lost, region) for parent in beyond[commit] if parent not in beyond})


def _branches(lost: _Names, region: Region) -> set[str]:
    """The lost commits, with those around them."""
    names = {name for each in lost.values() for name in each}
    return {each for name in names for each in (name, *region.below(name), *region.above(name))}


def _look(workspace: Workspace, region: Region, lost: _Names, found: _Found) -> None:
    """Search each commit; search deeper for those of which the head's history has some lines."""
    search = _search(workspace.repository, region, lost)
    missing = {old: names for old, names in lost.items() if not _became(search, region, old, names, found)}
    hinted = {old: names for old, names in missing.items() if search.is_hinted(names)}
    if hinted:
        deeper = _deepened(workspace.repository, region, hinted)
        search = _search(workspace.repository, deeper, hinted)
        for old, names in hinted.items():
            _became(search, deeper, old, names, found)
    _look_for_similar(workspace.repository, region, lost, found)


def _look_for_similar(repository: Repository, region: Region, lost: _Names, found: _Found) -> None:
    """Compare the branches of the newest commits that are still not found with the changes of the head's history."""
    similar = SimilarChanges(repository, region)
    left = [(old, names) for old, names in lost.items() if old not in found.here]
    newest = {each.commit: at for at, each in enumerate(region.elsewhere)}
    for old, names in sorted(left, key=lambda each: newest.get(each[0], len(newest)))[:MOST_SIMILAR]:
        became = next(filter(None, map(similar.became, names)), "")
        if became:
            found.rewrites.append((old, became, NOTHING))
            found.here.add(old)


def _search(repository: Repository, region: Region, lost: _Names) -> RewriteSearch:
    names = [name for each in lost.values() for name in each]
    return RewriteSearch(region, patches_of(repository, worth_reading(names, region)))


def _became(search: RewriteSearch, region: Region, old: str, names: Sequence[str], found: _Found) -> bool:
    """Record the new commit of a commit; whether that is in the head's history."""
    here = {each.commit for each in region.here}
    became = search.became(names)
    found.rewrites += [(old, new, NOTHING) for new in became if new not in names]
    joined = search.joined(old) if here.isdisjoint(became) else ""
    found.rewrites += [(old, joined, JOINED)] if joined else []
    if joined or not here.isdisjoint(became):
        found.here.add(old)
    return old in found.here


def _deepened(repository: Repository, region: Region, lost: _Names) -> Region:
    """The region with the commits below the branches, which may have been squashed with them and also merged."""
    below = identities_beyond(repository, _fork_points(lost, region), (), MOST_BELOW)
    beyond = {**region.beyond, **{each.commit: each.parents for each in below}}
    here = [each for each in region.here if each.commit not in beyond]
    return Region(here, [*region.elsewhere, *below], beyond, region.living)


def _reachable(beyond: Parents, refs: Iterable[str]) -> set[str]:
    """The commits that are reachable from refs."""
    reachable: set[str] = set()
    waiting = [tip for tip in refs if tip in beyond]
    while waiting:
        commit = waiting.pop()
        if commit not in reachable:
            reachable.add(commit)
            waiting += [parent for parent in beyond[commit] if parent in beyond]
    return reachable


def _recorded(workspace: Workspace, wanted: Sequence[_Rewrite]) -> int:
    """Write the new rewrites, if the ledger is writable."""
    if not wanted:
        return 0
    origin = origin_of(workspace, REPOMEM)

    def make(before: Sequence[Record]) -> list[Record]:
        known = {(old, each.other) for each in before if each.event is Event.REWRITE for old in each.targets}
        new = [one for one in dict.fromkeys(wanted) if one[:2] not in known]
        return records(before, origin, [(Event.REWRITE, [old], became, text) for old, became, text in new])

    with suppress(StoreError):
        return len(ledger_of(workspace).append(make))
    return 0
