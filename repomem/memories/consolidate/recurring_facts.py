"""Recurring facts of commits and sessions: found, stored at consolidation, and shown only while their support is valid.

Files that change together, and an error with the change after which its command passed. Facts are counted, or read from
the machine-written notes of sessions; no prose is interpreted. Commands that pass are in `memories.learned`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations

from repomem.adapters.sqlite.distilled import DistilledFact, DistilledKind
from repomem.brief import order
from repomem.brief.items import CandidateItem, Rendering
from repomem.brief.lines import code
from repomem.core.escape import one_line, quoted, visible_path
from repomem.core.records import Event, Record
from repomem.core.types.brief import BriefItem
from repomem.core.types.commits import SHORTEST_HASH, Episode, short_hash
from repomem.memories.learned.wording import LONGEST, files_text
from repomem.memories.snapshots.landed_work import reverts_in
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.ranking.co_change import MOST_FILES, files_by_commit
from repomem.sessions.command_notes import notes_by_session, ran_in, touched_in
from repomem.workspace.snapshot import Snapshot

FEWEST_COMMITS = 5  # that changed both files; four may be chance
LEAST_SHARE = 0.6  # of the commits that changed either
MOST_BETWEEN = 5  # commits between a failure and a pass; with more, the cause is unclear
KEPT = {DistilledKind.TOGETHER: 200, DistilledKind.CURE: 50}
NEWEST = 2_000  # episodes that are read
MOST_ITEMS = 2


def distil(snapshot: Snapshot, records: Sequence[Record]) -> list[DistilledFact]:
    """The recurring facts of the newest commits and the sessions."""
    episodes = [row.episode for row in snapshot.newest_episodes(NEWEST)]
    live = snapshot.workspace.catalog.file_versions.blob_by_path(snapshot.view.versions)
    by_commit = {each.commit: each for each in episodes}
    return [*co_changes_in(episodes, live.keys()), *fixed_errors(records, by_commit)]


def co_changes_in(episodes: Sequence[Episode], live: AbstractSet[str]) -> list[DistilledFact]:
    """Pairs of live files that change together, the most frequent first; `episodes` are newest first.

    The share is of the commits that changed either file. Reverted commits and their reverts do not count.
    """
    reverted = reverted_in(episodes)
    commits: Counter[str] = Counter()
    both: dict[tuple[str, str], list[str]] = defaultdict(list)
    for each, files in files_by_commit(episodes, live):
        if each.commit in reverted:
            continue
        commits.update(files)
        for pair in combinations(sorted(files), 2):
            both[pair].append(each.commit)
    newest = episodes[0].commit if episodes else ""
    found = [
        DistilledFact(DistilledKind.TOGETHER, pair, tuple(support), (), len(support), either, newest)
        for pair, support in both.items()
        if len(support) >= FEWEST_COMMITS
        and len(support) >= LEAST_SHARE * (either := commits[pair[0]] + commits[pair[1]] - len(support))
    ]
    return sorted(found, key=lambda each: (-each.count, each.of, each.paths))[: KEPT[DistilledKind.TOGETHER]]


def reverted_in(episodes: Iterable[Episode]) -> set[str]:
    """The reverted commits, and the commits that revert them."""
    known = list(episodes)
    by_start = {each.commit[:SHORTEST_HASH]: each.commit for each in known}
    by_subject = {each.subject: each.commit for each in reversed(known)}  # of two the newer one
    reverted: set[str] = set()
    for each in known:
        if each.reverts:
            target = by_start.get(each.reverts[:SHORTEST_HASH]) or by_subject.get(each.reverts, "")
            reverted |= {each.commit, target}
    return reverted - {""}


def fixed_errors(records: Iterable[Record], episodes: Mapping[str, Episode]) -> list[DistilledFact]:
    """Errors with the change after which the same command passed in the same session, newest first.

    `episodes` has the commits of this history. A pair without a commit or a touched file between is skipped.
    """
    reverted = reverted_in(episodes.values())
    found: list[DistilledFact] = []
    for notes in notes_by_session(records).values():
        found += (each for each in _cured(notes, episodes) if reverted.isdisjoint(each.commits))
    return sorted(found, key=lambda each: each.records[1], reverse=True)[: KEPT[DistilledKind.CURE]]


def _cured(notes: Sequence[Record], episodes: Mapping[str, Episode]) -> Iterator[DistilledFact]:
    """The cures of one session: for each command, its last failure before it passed."""
    failed: dict[str, int] = {}
    for at, note in enumerate(notes):
        ran = ran_in(note.text)
        if ran is None:
            continue
        if ran.code:
            failed.pop(ran.command, None)
            if ran.error:
                failed[ran.command] = at
        elif ran.command in failed:
            start = failed.pop(ran.command)
            yield from _cure(notes[start : at + 1], episodes)


def _cure(notes: Sequence[Record], episodes: Mapping[str, Episode]) -> Iterator[DistilledFact]:
    """The change between the first note (a failure) and the last (a pass)."""
    first, *between, last = notes
    commits = _commits_between(first.origin.head, last.origin.head, episodes)
    if commits is None:
        return
    touched = {note.id: path for note in between if (path := touched_in(note.text))}
    changed = [file.path for commit in commits for file in episodes[commit].files]
    paths = tuple(dict.fromkeys((*changed, *touched.values())))
    if paths and len(paths) <= MOST_FILES:
        yield DistilledFact(DistilledKind.CURE, paths, commits, (first.id, last.id, *touched), len(commits))


def _commits_between(old: str, new: str, episodes: Mapping[str, Episode]) -> tuple[str, ...] | None:
    """The commits from one commit to another, newest first; None if there are too many, or no direct line."""
    found: list[str] = []
    while new != old:
        episode = episodes.get(new)
        if episode is None or episode.is_merge or not episode.parents or len(found) == MOST_BETWEEN:
            return None
        found.append(new)
        new = episode.parents[0]
    return tuple(found)


def supported_here(
    snapshot: Snapshot, records: Iterable[Record], distilled: Sequence[DistilledFact]
) -> list[DistilledFact]:
    """The facts supported here: their commits are in this history and not reverted, their notes exist."""
    every = list(records)
    forgotten = {target for record in every if record.event is Event.FORGET for target in record.targets}
    known = {record.id for record in every if record.origin.session not in forgotten} - forgotten
    named = {commit for each in distilled for commit in each.commits}
    part = set(snapshot.history.episodes)
    ids = snapshot.workspace.catalog.changes.episode_ids(named)
    counted = {commit for commit, number in ids.items() if number in part}
    reverted = reverts_in(snapshot.workspace, snapshot.head, counted) if counted else {}
    return supported(distilled, counted - reverted.keys(), known)


def supported(distilled: Iterable[DistilledFact], commits: set[str], records: set[str]) -> list[DistilledFact]:
    """The facts whose commits all still count and whose notes all still exist."""
    return [each for each in distilled if commits.issuperset(each.commits) and records.issuperset(each.records)]


def distilled_items(snapshot: Snapshot, known: MemorySnapshot, files: Sequence[str]) -> Iterator[CandidateItem]:
    """Derived facts about the files that a brief shows, two at most; a file that it does not name comes first."""
    named = set(files)
    near = [each for each in snapshot.workspace.catalog.distilled.all() if not named.isdisjoint(each.paths)]
    if not near:
        return
    notes = {record.id: record for record in known.records if record.event is Event.SESSION_NOTE}
    valid = supported_here(snapshot, known.records, near)
    ordered = sorted(valid, key=lambda each: named.issuperset(each.paths))
    for at, each in enumerate(ordered[:MOST_ITEMS]):
        failed_and_passed = frozenset(each.records[:2])  # an error that the brief shows with its fix is not repeated
        rendering = _rendering(each, notes, named)
        yield CandidateItem(*order.RECURRING_FACT.nth(at), (rendering,), sources=failed_and_passed)


def text_of(each: DistilledFact, notes: Mapping[str, Record]) -> str:
    """A fact with its support, in one line."""
    if each.sort is DistilledKind.TOGETHER:
        one, other = (code(visible_path(path)) for path in each.paths)
        counted = f"{each.count} of {each.of} commits up to {short_hash(each.counted_at)}"
        return f"{one} and {other} changed together in {counted}, last in {short_hash(each.commits[0])}"
    ran = ran_in(notes[each.records[0]].text) if each.records[0] in notes else None
    command = code(one_line(ran.command, LONGEST)) if ran else "a command"
    error = quoted(one_line(ran.error, LONGEST)) if ran else "an error"
    change = ", ".join(map(short_hash, reversed(each.commits))) or f"a change of {files_text(each.paths)}"
    return f"{command} failed with {error} and passed after {change}"


def _rendering(each: DistilledFact, notes: Mapping[str, Record], files: set[str]) -> Rendering:
    text = text_of(each, notes)
    path = next((path for path in each.paths if path in files), each.paths[0])
    commit = each.commits[0] if each.commits else ""
    item = BriefItem(
        kind="fact",
        id=short_hash(commit) or each.records[0],
        title=each.sort.value,
        text=text,
        path=visible_path(path),
        commit=commit,
        source="commit" if each.sort is DistilledKind.TOGETHER else "agent",
    )
    return Rendering(f"- {text}", item)
