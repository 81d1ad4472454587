"""Recurring facts: stored at consolidation, and shown only while their support is valid."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from repomem.adapters.sqlite.distilled import DistilledFact, DistilledKind
from repomem.brief import order
from repomem.brief.items import CandidateItem, Rendering
from repomem.brief.lines import code
from repomem.core.escape import one_line, quoted, visible_path
from repomem.core.records import Event, Record
from repomem.core.types.brief import BriefItem
from repomem.core.types.commits import short_hash
from repomem.memories.consolidate.recurring_facts import co_changes_in, cures, supported
from repomem.memories.learned.wording import LONGEST, files_text
from repomem.memories.snapshots.landed_work import reverts_in
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.sessions.command_notes import ran_in
from repomem.workspace.snapshot import Snapshot

NEWEST = 2_000  # episodes that are read
MOST_ITEMS = 2


def distil(snapshot: Snapshot, records: Sequence[Record]) -> list[DistilledFact]:
    """The recurring facts of the newest commits and the sessions."""
    episodes = [row.episode for row in snapshot.newest_episodes(NEWEST)]
    live = snapshot.workspace.catalog.file_versions.blob_by_path(snapshot.view.versions)
    by_commit = {each.commit: each for each in episodes}
    return [*co_changes_in(episodes, live.keys()), *cures(records, by_commit)]


def supported_here(
    snapshot: Snapshot, records: Iterable[Record], distilled: Sequence[DistilledFact]
) -> list[DistilledFact]:
    """The facts supported here: their commits are in this history and not reverted, their notes exist."""
    told = list(records)
    forgotten = {target for record in told if record.event is Event.FORGET for target in record.targets}
    known = {record.id for record in told if record.origin.session not in forgotten} - forgotten
    named = {commit for each in distilled for commit in each.commits}
    part = set(snapshot.history.episodes)
    ids = snapshot.workspace.catalog.changes.episode_ids(named)
    counted = {commit for commit, number in ids.items() if number in part}
    reverted = reverts_in(snapshot.workspace, snapshot.head, counted) if counted else {}
    return list(supported(distilled, counted - reverted.keys(), known))


def distilled_items(snapshot: Snapshot, known: MemorySnapshot, files: Sequence[str]) -> Iterator[CandidateItem]:
    """Derived facts about the files that a brief shows, two at most; a file that it does not name comes first."""
    named = set(files)
    near = [each for each in snapshot.workspace.catalog.distilled.all() if not named.isdisjoint(each.paths)]
    if not near:
        return
    notes = {record.id: record for record in known.records if record.event is Event.SESSION_NOTE}
    stand = supported_here(snapshot, known.records, near)
    ordered = sorted(stand, key=lambda each: named.issuperset(each.paths))
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
    return f"{command} failed with {error} and passed after {_change(each)}"


def _change(cure: DistilledFact) -> str:
    """The change of a cure: its commits, else its files."""
    if cure.commits:
        return ", ".join(short_hash(commit) for commit in reversed(cure.commits))
    return f"a change of {files_text(cure.paths)}"


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
