"""Consolidation on a real ledger, catalog and history: written before it is marked, and never more than once."""

import errno
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from support.memory_scenes import AGENT, PERSON, committed, forgotten, git, said, standing, titles
from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled, workspace_at

from repomem.core.errors import NotFound, RepomemError, StoreError
from repomem.core.records import Event, MemoryContent, MemoryKind, Origin, Record, Source
from repomem.core.types.text import CleanText
from repomem.core.ulid import new_ulid
from repomem.memories.consolidate import run as operation, schedule
from repomem.memories.consolidate.consolidation_input import ConsolidationInput
from repomem.memories.consolidate.plan import Plan, plan
from repomem.memories.consolidate.recall_counts import MOST_BYTES, SPOOL, spool_recall
from repomem.memories.consolidate.run import Consolidated, consolidate, consolidate_if_due
from repomem.memories.consolidate.summaries import summarize_groups, summary_of
from repomem.memories.restore import restore
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_now
from repomem.sessions.command_notes import Ran, touched_text
from repomem.workspace.ledger import ledger_of
from repomem.workspace.workspace import Workspace

CODE = {"src/net.py": "def retry(times):\n    return times\n", "src/wire.py": "WIRE = 1\n", "README.md": "# net\n"}
TEXT = "The importer keeps every balance in cents"


@pytest.fixture
def place(shelf: Path, make_repository: MakeRepository, tmp_path: Path) -> Path:
    """A copy of a small indexed repository, which the first test makes."""
    if not (shelf / "net").exists():
        made = make_repository(Commit(CODE, "Begin"), Commit({"README.md": "# net\n\nSends.\n"}, "Say what it does"))
        indexed(made)
        shutil.copytree(made, shelf / "net")
    folder = Path(shutil.copytree(shelf / "net", tmp_path / "place"))
    indexed(folder)
    return folder


def kept(folder: Path, *records: Record) -> list[str]:
    """Put records into the ledger as they are; their ids."""
    with workspace_at(folder) as workspace:
        return [record.id for record in ledger_of(workspace).append(lambda before: records)]


def memory(folder: Path, text: str, *, days: int = 0, **fields: object) -> Record:
    whole = {"kind": MemoryKind.FACT, "text": CleanText(text), **fields}
    return Record(new_ulid(), Event.REMEMBER, origin(folder, days), said=MemoryContent(**whole))  # type: ignore[arg-type]  # fields of MemoryContent


def origin(folder: Path, days: int = 0, session: str = "") -> Origin:
    at = (datetime.now(UTC) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Origin(at, "agent", Source.AGENT, head=git(folder, "rev-parse", "HEAD"), branch="main", session=session)


def done(folder: Path, *, is_dry_run: bool = False, **overrides: object) -> Consolidated:
    with workspace_at(folder, {key.replace("__", "."): value for key, value in overrides.items()}) as workspace:
        return consolidate(workspace, is_dry_run=is_dry_run)


def ledger(folder: Path) -> bytes:
    return (folder / ".git" / "repomem" / "ledger").read_bytes()


def records(folder: Path, event: Event) -> list[Record]:
    with workspace_at(folder) as workspace:
        return [record for record in ledger_of(workspace).records() if record.event is event]


def twins(folder: Path) -> list[str]:
    return kept(folder, memory(folder, TEXT), memory(folder, f"{TEXT}!"))


# Groups and archives


def test_memories_that_say_the_same_are_shown_once_and_can_be_restored(place: Path) -> None:
    first, second = twins(place)

    [group] = done(place).groups

    assert (group.id, [name for name, _ in group.members]) == (first, [second])
    assert standing(place, first).is_shown
    assert not standing(place, second).is_shown
    with workspace_at(place) as workspace:
        assert restore(workspace, memories_now(workspace), second, PERSON).id == second
    assert standing(place, second).is_shown
    assert done(place).groups == ()


def test_consolidating_twice_changes_nothing(place: Path) -> None:
    twins(place)
    kept(place, memory(place, "A chore that nobody needs", days=300))
    done(place)
    before = ledger(place)

    again = done(place)

    assert (again.groups, again.archived, again.recalled) == ((), (), 0)
    assert ledger(place) == before


def test_a_dry_run_prints_the_same_plan_and_writes_nothing(place: Path) -> None:
    first, _ = twins(place)
    kept(place, memory(place, "A chore that nobody needs", days=300))
    with workspace_at(place) as workspace:
        spool_recall(workspace, [first])
    before = ledger(place), (place / ".git" / "repomem" / SPOOL).read_bytes()

    foreseen = done(place, is_dry_run=True)

    assert (ledger(place), (place / ".git" / "repomem" / SPOOL).read_bytes()) == before
    came = done(place)
    assert replace(foreseen, is_dry_run=False) == came
    assert (len(came.groups), len(came.archived), came.recalled) == (1, 1, 1)


def test_an_archived_memory_leaves_the_brief_and_can_be_restored(place: Path) -> None:
    [old] = kept(place, memory(place, "The retry counts its times upwards", days=300))
    assert titles(recalled(place, "retry times")) == ["The retry counts its times upwards"]
    (place / ".git" / "repomem" / SPOOL).unlink()  # else it would count as used

    [archived] = done(place).archived

    assert archived.id == old
    assert archived.reason.startswith("unused for 300 days")
    assert titles(recalled(place, "retry times")) == []
    with workspace_at(place) as workspace:
        restore(workspace, memories_now(workspace), old, PERSON)
    assert titles(recalled(place, "retry times")) == ["The retry counts its times upwards"]
    assert done(place).archived == ()


def test_a_recalled_memory_is_not_archived(place: Path) -> None:
    old, other = kept(place, memory(place, "One", days=300), memory(place, "Two", days=300))
    with workspace_at(place) as workspace:
        spool_recall(workspace, [old])

    assert [each.id for each in done(place).archived] == [other]


def test_above_the_cap_memories_are_archived_and_none_is_lost(place: Path) -> None:
    names = kept(place, *(memory(place, f"Fact number {at}", days=at) for at in range(1, 6)))

    archived = [each.id for each in done(place, memory__max_live=3).archived]

    assert sorted(archived) == sorted(names[3:])
    assert {name for name in names if standing(place, name).memory} == set(names)


def test_memories_of_two_branches_stay_apart_until_these_meet(place: Path) -> None:
    git(place, "checkout", "-q", "-b", "side")
    committed(place, "Side work", src_S_wire__py="WIRE = 2\n")
    one = kept(place, memory(place, TEXT))
    git(place, "checkout", "-q", "main")
    committed(place, "Main work", src_S_net__py=CODE["src/net.py"] + "LIMIT = 3\n")
    other = kept(place, memory(place, f"{TEXT}!"))
    indexed(place)
    assert done(place).groups == ()

    git(place, "merge", "-q", "--no-edit", "side")
    indexed(place)
    assert [(group.id, group.members[0][0]) for group in done(place).groups] == [(*one, *other)]
    git(place, "checkout", "-q", "side")
    assert standing(place, *one).is_shown


def test_a_memory_superseded_on_one_branch_is_not_archived_for_the_others(place: Path) -> None:
    [old] = kept(place, memory(place, "Retry three times", days=60))
    git(place, "checkout", "-q", "-b", "side")
    committed(place, "Side work", src_S_wire__py="WIRE = 2\n")
    new = memory(place, "Retry five times", days=50)
    kept(place, new, Record(new_ulid(new.id), Event.SUPERSEDE, origin(place, 50), (old,), new.id))
    indexed(place)
    assert done(place).archived == ()

    git(place, "branch", "-q", "-f", "main", "side")
    assert [each.id for each in done(place).archived] == [old]


def test_a_memory_changed_meanwhile_is_left_for_the_next_run(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, second = twins(place)

    def slow(stock: ConsolidationInput, most_live: int) -> Plan:
        found = plan(stock, most_live)
        forgotten(place, second, PERSON)
        return found

    monkeypatch.setattr(operation, "plan", slow)
    done(place)

    assert records(place, Event.GROUP) == []


# Crashes


class CrashError(Exception):
    """The power went."""


def crashing(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def crash(*_: object) -> None:
        raise CrashError

    monkeypatch.setattr(operation, name, crash)


@pytest.mark.parametrize("step", ["drop_spools", "mark_done"])
def test_a_crash_between_writing_and_marking_loses_and_duplicates_nothing(
    place: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = twins(place)
    [old] = kept(place, memory(place, "A chore that nobody needs", days=300))
    with workspace_at(place) as workspace:
        spool_recall(workspace, [first])
    with monkeypatch.context() as patch:
        crashing(patch, step)
        with pytest.raises(CrashError):
            done(place)

    done(place)

    assert [record.targets for record in records(place, Event.ACCESS)] == [(first,)]
    assert [record.targets for record in records(place, Event.GROUP)] == [(second,)]
    assert [record.targets for record in records(place, Event.ARCHIVE)] == [(old,)]
    assert list((place / ".git" / "repomem").glob(f"{SPOOL}*")) == []


def test_a_crash_before_writing_loses_no_recall(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = twins(place)
    with workspace_at(place) as workspace:
        spool_recall(workspace, [first])
    with monkeypatch.context() as patch:
        crashing(patch, "_write")
        with pytest.raises(CrashError):
            done(place)

    assert done(place).recalled == 1


def test_recalls_that_cannot_be_read_now_are_counted_later_and_all_else_is_done(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = twins(place)
    with workspace_at(place) as workspace:
        spool_recall(workspace, [first])
    with monkeypatch.context() as patch:
        patch.setattr(
            "repomem.memories.consolidate.recall_counts._ids",
            Mock(side_effect=OSError(errno.EIO, "Input/output error")),
        )
        ended = done(place)
    assert (ended.recalled, [path.suffix[1:] != "" for path in ended.unread]) == (0, [True])
    assert [record.targets for record in records(place, Event.GROUP)] == [(second,)]

    assert (done(place).recalled, done(place).unread) == (1, ())


def test_records_missing_from_the_ledger_are_not_marked_as_done(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    twins(place)

    class Forgetful:
        def append(self, make: Callable[[list[Record]], list[Record]]) -> list[Record]:
            return make([])

        def records(self) -> list[Record]:
            return []

    monkeypatch.setattr(operation, "ledger_of", lambda _: Forgetful())
    with pytest.raises(StoreError, match="lacks records that were just written"):
        done(place)
    monkeypatch.undo()
    with workspace_at(place) as workspace:
        assert workspace.catalog.meta(schedule.META) == ""


# Recalls


def test_recalls_change_no_brief_before_they_are_counted(place: Path) -> None:
    names = kept(place, memory(place, "The retry counts upwards"), memory(place, "The retry gives its times back"))
    before = recalled(place, "retry times"), recalled(place)
    told = ledger(place)
    for _ in range(3):
        with workspace_at(place) as workspace:
            spool_recall(workspace, names)
        assert (recalled(place, "retry times"), recalled(place)) == before
    assert ledger(place) == told
    assert standing(place, names[0]).memory.accesses == 0

    assert done(place).recalled == 2

    assert [standing(place, name).memory.accesses for name in names] == [1, 1]
    assert [record.targets for record in records(place, Event.ACCESS)] == [tuple(sorted(names))]


def test_no_more_than_a_little_is_spooled_and_nothing_but_ids(place: Path) -> None:
    name = new_ulid()
    with workspace_at(place) as workspace:
        spool_recall(workspace, ["no id", "../../x"])
        assert not (workspace.folder / SPOOL).exists()
        for _ in range(200):
            spool_recall(workspace, [name] * 20)
        assert MOST_BYTES - 1_000 < (workspace.folder / SPOOL).stat().st_size <= MOST_BYTES
    assert done(place).recalled == 0  # of a memory that nobody knows


def test_where_nothing_can_be_written_nothing_is_spooled(place: Path) -> None:
    with workspace_at(place) as workspace:
        elsewhere = place / "elsewhere"
        (workspace.folder / SPOOL).symlink_to(elsewhere)
        spool_recall(workspace, [new_ulid()])
        assert not elsewhere.exists()
        workspace.folder = place / "not there"
        spool_recall(workspace, [new_ulid()])
        assert not workspace.folder.exists()


def test_a_memory_forgotten_since_is_not_counted(place: Path) -> None:
    [name] = kept(place, memory(place, TEXT))
    with workspace_at(place) as workspace:
        spool_recall(workspace, [name])
    forgotten(place, name)

    assert done(place).recalled == 0
    assert records(place, Event.ACCESS) == []


# When it is due


def by_the_way(folder: Path) -> Consolidated | None:
    with workspace_at(folder) as workspace:
        return consolidate_if_due(workspace)


def test_it_is_due_at_first_then_after_enough_records_or_a_week(place: Path) -> None:
    assert by_the_way(place) is not None
    assert by_the_way(place) is None
    kept(place, *(memory(place, f"Fact number {at}") for at in range(49)))
    assert by_the_way(place) is None
    kept(place, memory(place, "One more"))
    assert by_the_way(place) is not None
    assert by_the_way(place) is None
    with workspace_at(place) as workspace:
        workspace.catalog.set_meta(schedule.META, '["2020-01-01T00:00:00Z", 1000, []]')
    assert by_the_way(place) is not None


def test_steps_skipped_for_lack_of_time_run_the_next_times(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = twins(place)
    with workspace_at(place) as workspace:
        spool_recall(workspace, [first])
    monkeypatch.setattr(operation, "BUSY_SECONDS", -1.0)
    steps = [by_the_way(place) for _ in range(3)]
    assert [each and each.left for each in steps] == [("memories",)] * 3
    assert records(place, Event.GROUP) == []
    monkeypatch.setattr(operation, "BUSY_SECONDS", 60.0)
    last = by_the_way(place)
    assert last is not None
    assert last.left == ()
    assert by_the_way(place) is None
    assert [record.targets for record in records(place, Event.GROUP)] == [(second,)]


def test_where_there_is_no_time_to_ask_git_nothing_is_done_on_a_guess(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = kept(place, memory(place, TEXT))
    committed(place, "Go on", src_S_wire__py="WIRE = 2\n")
    second = kept(place, memory(place, f"{TEXT}!"))
    indexed(place)
    monkeypatch.setattr(operation, "BUSY_SECONDS", -1.0)
    steps = [by_the_way(place) for _ in range(3)]
    assert [each and each.left for each in steps] == [("memories",)] * 3
    monkeypatch.setattr(operation, "BUSY_SECONDS", 60.0)
    assert [(group.id, group.members[0][0]) for group in done(place).groups] == [(*first, *second)]


def test_during_another_run_or_without_an_index_nothing_is_done(place: Path, tmp_path: Path) -> None:
    from repomem.core.processes.locks import try_lock

    with try_lock(place / ".git" / "repomem" / operation.LOCK) as is_held:
        assert is_held
        assert by_the_way(place) is None
        assert done(place).left == schedule.STEPS
    git(tmp_path, "init", "-q", "fresh")
    assert by_the_way(tmp_path / "fresh") is None
    with pytest.raises(NotFound):
        done(tmp_path / "fresh")


def test_a_failed_consolidation_within_another_command_is_silent(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(operation, "memory_snapshot", refuse)
    twins(place)
    assert by_the_way(place) is None


# Learnt from sessions


def noted(folder: Path, text: str, session: str) -> Record:
    return Record(new_ulid(), Event.SESSION_NOTE, origin(folder, session=session), text=CleanText(text))


def test_a_fixed_error_is_listed_until_its_note_is_forgotten(place: Path) -> None:
    texts = (Ran("make test", 2, "ImportError: wire").text, touched_text("src/wire.py"), Ran("make test", 0).text)
    [failed, *_] = kept(place, *(noted(place, text, "S") for text in texts))
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    fixed = '`make test` failed with "ImportError: wire"; fixed by: edit of `src/wire.py`'
    assert done(place).learned == (f"{fixed} (1 session, last {today})",)

    kept(place, Record(new_ulid(), Event.FORGET, origin(place), (failed,)))
    assert done(place).learned == ()


def test_a_passing_command_is_shown_with_the_count_of_its_sessions(place: Path) -> None:
    kept(place, *(noted(place, Ran("make test", 0).text, f"S{at}") for at in range(3)))
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    assert done(place).learned == (f"`make test` passed in 3 sessions, last {today}",)


def test_stored_facts_contain_no_text_of_a_note(place: Path) -> None:
    kept(place, *(noted(place, Ran("make secretplan", 0).text, f"S{at}") for at in range(3)))
    done(place)
    assert b"secretplan" not in (place / ".git" / "repomem" / "catalog.sqlite").read_bytes()


# Prose


def prose(folder: Path, write: Callable[..., str], model: str = "lab/model-1") -> int:
    with workspace_at(folder) as workspace:
        return summarize_groups(workspace, model, write)


def test_a_labelled_summary_is_added_and_the_members_stay(place: Path) -> None:
    first, second = twins(place)
    done(place)
    given: list[list[str]] = []

    def write(notes: list[str]) -> str:
        given.append(notes)
        return "Balances are\nkept in cents, key AKIA" + "Q" * 16

    assert prose(place, write) == 1
    assert prose(place, write) == 0

    assert given == [[TEXT, f"{TEXT}!"]]
    with workspace_at(place) as workspace:
        content_of = summary_of(ledger_of(workspace).records(), first)
    assert content_of is not None
    assert content_of.endswith("(summary by lab/model-1)")
    assert "\n" not in content_of
    assert "Q" * 16 not in content_of
    assert standing(place, first).memory.said.text == TEXT
    assert standing(place, first).memory.support == (second,)


def test_a_model_that_refuses_leaves_the_groups_as_they_are(place: Path) -> None:
    _, second = twins(place)
    done(place)

    def refuse(notes: list[str]) -> str:
        raise RepomemError("the model refused")

    with pytest.raises(RepomemError, match="refused"):
        prose(place, refuse)
    assert [record.targets for record in records(place, Event.GROUP)] == [(second,)]


def test_a_member_that_is_brought_back_meanwhile_gets_no_sentence(place: Path) -> None:
    _, second = twins(place)
    done(place)

    def write(notes: list[str]) -> str:
        with workspace_at(place) as workspace:
            restore(workspace, memories_now(workspace), second, PERSON)
        return "Balances are kept in cents"

    assert prose(place, write) == 0


# Consolidation as a whole


def test_recall_before_is_recall_after(place: Path) -> None:
    """ROWS 002-14d: what a question found before, it finds after."""
    texts = ["The retry counts its times upwards", "Wire formats are frozen", "The net module sends one by one"]
    kept(place, *(memory(place, text) for text in texts))
    kept(place, *(memory(place, f"{text}!") for text in texts))
    before = {text: titles(recalled(place, text)) for text in texts}

    assert len(done(place).groups) == 3

    for text in texts:
        assert titles(recalled(place, text))[0] == text
        assert {each.rstrip("!") for each in before[text]} == set(titles(recalled(place, text)))


def test_a_known_snapshot_is_not_read_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    twins(place)
    with workspace_at(place) as workspace:
        known: MemorySnapshot = memories_now(workspace)
        monkeypatch.setattr(operation, "memory_snapshot", lambda *_: pytest.fail("asked again"))
        monkeypatch.setattr(operation, "BUSY_SECONDS", 60.0)
        made = consolidate_if_due(workspace, known)
    assert made is not None
    assert len(made.groups) == 1


def test_a_read_only_place_is_left_alone(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Workspace, "is_writable", False)  # root may write anywhere
    assert by_the_way(place) is None


def test_an_agents_memory_is_grouped_under_a_persons(place: Path) -> None:
    agent = said(place, TEXT, AGENT).id
    person = kept(place, replace(memory(place, f"{TEXT}!"), origin=replace(origin(place), source=Source.PERSON)))
    assert [(group.id, group.members[0][0]) for group in done(place).groups] == [(*person, agent)]


@pytest.fixture(autouse=True)
def no_due_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Index runs of these tests consolidate nothing by themselves."""
    monkeypatch.setattr("repomem.memories.maintenance.consolidate_if_due", lambda *_: None)
