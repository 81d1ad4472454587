"""The commits that a message claims to revert, if they are in this history.

The revert of a merge also reverts the commits that the merge brought; these are recorded when it is indexed.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from repomem.core.grouping import grouped_by
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.commits import SHORTEST_HASH, Episode
from repomem.history.change_history import ChangeHistory
from repomem.history.log_parsing import REVERTED_SUBJECT

_IS_SHORT = lazy_pattern(rf"[0-9a-f]{{{SHORTEST_HASH},39}}")
_IS_HASH = lazy_pattern(rf"[0-9a-f]{{{SHORTEST_HASH},64}}")


@dataclass(frozen=True, slots=True)
class StatedReverts:
    """The stated reverts of a history; a message may name a commit of another branch, or from before a rebase."""

    targets: Mapping[str, str]  # a reverting commit to the one that it reverts
    by: Mapping[str, str]  # a reverted commit to the last commit that states it


def stated_reverts(history: ChangeHistory, episodes: Sequence[Episode]) -> StatedReverts:
    """The stated reverts among the newest commits and these episodes."""
    order = history.recorded.order
    oldest = -len(order)  # of a commit that is not among the newest
    found = {one.commit: (one.reverts, one.subject) for one in history.commits.values() if one.reverts}
    found |= {one.commit: (one.reverts, one.subject) for one in episodes if one.reverts}
    recorded = history.snapshot.workspace.catalog.trailers.reverts()
    short = {target for by, target in recorded if by in found and _IS_SHORT.fullmatch(target)}
    commits = commits_named(history, short | {each for each, _ in found.values() if _IS_HASH.fullmatch(each)})
    subjects = grouped_by(history.commits, lambda commit: history.commits[commit].subject)  # newest first
    targets: dict[str, str] = {}
    taken: set[str] = set()  # of commits with one subject, each is reverted once
    for commit in sorted(found, key=lambda one: order.get(one, oldest)):
        reverts, subject = found[commit]
        quoted = REVERTED_SUBJECT.match(subject)
        wanted = quoted[1] if quoted else reverts
        at = order.get(commit, oldest)
        earlier = (each for each in subjects.get(wanted, ()) if order[each] < at and each not in taken)
        targets[commit] = commits.get(reverts) or next(earlier, "")
        taken.add(targets[commit])
    known = {commit: target for commit, target in targets.items() if target}
    whole = [(by, commits.get(target, target)) for by, target in recorded]
    pairs = [*known.items(), *_recorded(history, episodes, whole, found)]
    pairs.sort(key=lambda pair: order.get(pair[0], oldest))
    return StatedReverts(known, {target: commit for commit, target in pairs})


def _recorded(
    history: ChangeHistory, episodes: Sequence[Episode], recorded: Sequence[tuple[str, str]], read: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Recorded reverts by hash with their targets: of merged commits, and those by commits that are not `read`."""
    catalog = history.snapshot.workspace.catalog
    wanted = {one.commit for one in episodes} - history.commits.keys()
    older: list[tuple[str, str]] = []
    for by, target in recorded:
        if by in read and target in history.commits:
            yield by, target
        elif target in wanted:
            older.append((by, target))
    numbers = catalog.changes.episode_ids({by for by, _ in older})
    here = set(history.snapshot.history.episodes) if older else set[int]()
    yield from ((by, target) for by, target in older if numbers.get(by) in here)


def commits_named(history: ChangeHistory, hashes: Iterable[str]) -> dict[str, str]:
    """Each hash, perhaps abbreviated, to the commit of this history that it means."""
    found = {name: _meant(name, history.commits) for name in hashes}
    if not all(found.values()):
        snapshot = history.snapshot
        here = set(snapshot.history.episodes)
        older = {commit: "" for commit, number in snapshot.workspace.catalog.known_episodes().items() if number in here}
        found = {name: commit or _meant(name, older) for name, commit in found.items()}
    return {name: commit for name, commit in found.items() if commit}


def _meant(name: str, commits: Mapping[str, object]) -> str:
    """The only commit whose hash begins like this; empty without one."""
    if name in commits:
        return name
    alike = [commit for commit in commits if commit.startswith(name)]
    return alike[0] if len(alike) == 1 else ""
