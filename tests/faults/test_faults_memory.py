"""Faults of what people and agents write down: what was acknowledged is there, whatever becomes of the files."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from lancedb.table import LanceTable
from support.memory_places import ids_in
from support.memory_writer import AGENT, PERSON
from support.repositories import Commit, MakeRepository

from repomem.cli.memories.ledger import verify_command
from repomem.cli.terminal.formats import Format
from repomem.core.errors import RepomemError
from repomem.core.processes.locks import try_lock
from repomem.core.records import Event, MemoryContent, MemoryKind, Record
from repomem.core.types.text import CleanText
from repomem.core.ulid import new_ulid
from repomem.index.run import index
from repomem.memories.consolidate.run import consolidate
from repomem.memories.ledger_files import verify_copies
from repomem.memories.new_memory import LONGEST_TEXT, NewMemory, RememberResult
from repomem.memories.remember import remember
from repomem.memories.snapshots.snapshot import memories_now
from repomem.recall.answer import recall_now
from repomem.recall.request import BriefRequest
from repomem.workspace.ledger import ledger_of, origin_of
from repomem.workspace.run import Run
from repomem.workspace.workspace import opened

SOAK = int(os.environ.get("REPOMEM_SOAK") or 0)  # cases, or seeds, of the long version; 0 is the quick one
CASES_OF_ONE = 100
ANSWERS = ("recall", "index", "refused")  # what writes nothing into the ledger
WRITER = Path(__file__).parents[1] / "support" / "memory_writer.py"
CODE = "def retry(times):\n    delay = 1\n    for _ in range(times):\n        delay *= 2\n    return delay\n"
SAID = ("We retry three times", "A retry waits twice as long as the one before", "Retry never runs in tests")
HOLD = """
import os, signal, sys
from filelock import FileLock
with FileLock(sys.argv[1]):
    print("held", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
"""


Deed = tuple[str, str, str, dict[str, float]]  # its name, an id, the text, seconds of waiting by lock


@dataclass(frozen=True)
class Clone:
    """A repository and the user's data folder."""

    folder: Path
    data: Path

    @property
    def memory(self) -> Path:
        """The folder of catalog, store and the ledger's home copy."""
        return self.folder / ".git" / "repomem"

    @property
    def home(self) -> Path:
        """The home copy of the ledger."""
        return self.memory / "ledger"

    @property
    def mirror(self) -> Path:
        """Its copy in the user's data folder."""
        [path] = self.data.glob("repomem/ledgers/*/ledger")
        return path

    def said(self, text: str, **options: object) -> RememberResult:
        """Remember a text, as a person."""
        with opened(self.folder, os.environ) as workspace:
            return remember(workspace, NewMemory(text, **options), PERSON)[0]  # type: ignore[arg-type]

    def known(self) -> list[str]:
        """What is remembered, in the order of writing."""
        with opened(self.folder, os.environ) as workspace:
            states = memories_now(workspace).states
            return [states[name].memory.said.text for name in sorted(states)]

    def brief(self, task: str = "how often do we retry") -> str:
        """The brief for a task."""
        with opened(self.folder, os.environ) as workspace:
            return recall_now(workspace, BriefRequest(task, 1500), Run()).markdown

    def is_whole(self) -> bool:
        """Whether, once the copies were brought up to date, each holds every record and nothing else."""
        with opened(self.folder, os.environ) as workspace:
            ledger_of(workspace).settle()
            found = verify_copies(workspace)
        return len(found) == 2 and not any(copy.missing or copy.bad_lines for copy in found)


@pytest.fixture
def clone(tmp_path: Path, make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch) -> Clone:
    """A repository of one commit in which nothing was said yet, and that was never indexed."""
    for name in ("data", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    return Clone(make_repository(Commit({"src/net.py": CODE}, "feat: retry")), tmp_path / "data")


# Damage

Damage = Callable[[Path, float], None]


def cut(path: Path, share: float) -> None:
    os.truncate(path, int(share * path.stat().st_size))


def zeroed(path: Path, share: float) -> None:
    data = path.read_bytes()
    kept = int(share * len(data))
    path.write_bytes(data[:kept] + bytes(len(data) - kept))


def gone(path: Path, share: float) -> None:
    path.unlink()


def scrambled(path: Path, share: float) -> None:
    data = bytearray(path.read_bytes())
    for place in range(int(share * len(data)), len(data), 97):
        data[place] ^= 0x5A
    path.write_bytes(data)


DAMAGES: tuple[Damage, ...] = (cut, zeroed, gone, scrambled)
TAILS = (b"", b"0", b"12345678 {", bytes(300), b"\n\n", b'00000000 {"id":"01K"}\n', "naïve\xff".encode("latin-1"))


@pytest.fixture
def said(clone: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    """The same, indexed, with what was said in it; a copy of all its files lies beside.

    No upkeep is started in the background: it would go on in the files of the next case.
    """
    monkeypatch.setattr("repomem.index.run.maintain_in_background", lambda _: None)
    for text in SAID[:2]:
        clone.said(text, on=("src/net.py:retry",))
    with opened(clone.folder, os.environ) as workspace:
        index(workspace, Run())
    clone.brief()
    clone.said(SAID[2])
    for name in ("ledger.new", "ledger.damaged"):
        (clone.memory / name).write_bytes(clone.home.read_bytes()[:-40])
    shutil.copytree(clone.memory, tmp_path / "before" / "memory")
    shutil.copytree(clone.data, tmp_path / "before" / "data")
    return clone


def restored(clone: Clone) -> list[Path]:
    """All as it was; the files that were never synced, or that something else is the source of.

    The ledger and the binding are synced before anything else is written.
    """
    before = clone.data.parent / "before"
    for name, folder in (("memory", clone.memory), ("data", clone.data)):
        shutil.rmtree(folder)
        shutil.copytree(before / name, folder)
    return sorted(path for path in clone.memory.rglob("*") if path.is_file() and path.name not in {"ledger", "binding"})


def unsynced(clone: Clone, data: st.DataObject) -> None:
    """Any subset of those files damaged, and a tail that nobody acknowledged behind the copies of the ledger."""
    files = restored(clone)
    tops = [path for path in files if path.parent == clone.memory]  # the tables have many more, and are drawn less
    drawn = st.lists(st.sampled_from(tops) | st.sampled_from(files), unique=True, max_size=6)
    for path in data.draw(st.just(files) | drawn):
        data.draw(st.sampled_from(DAMAGES))(path, data.draw(st.sampled_from([0.0, 0.0, 0.3, 0.9])))
    for path in (clone.home, clone.mirror):
        with path.open("ab") as file:
            file.write(data.draw(st.sampled_from(TAILS)))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(max(1, SOAK // CASES_OF_ONE)))
@settings(max_examples=min(SOAK, CASES_OF_ONE) or 30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_fault_08_a_power_cut_loses_unsynced_files_but_no_memory(
    said: Clone, record_property: Callable[[str, object], None], part: int, data: st.DataObject
) -> None:
    record_property("cases", 1)
    unsynced(said, data)
    if data.draw(st.booleans()):  # and one copy of the ledger itself
        path = data.draw(st.sampled_from([said.home, said.mirror]))
        data.draw(st.sampled_from(DAMAGES))(path, data.draw(st.floats(0, 1)))

    assert said.known() == list(SAID)
    if data.draw(st.integers(1, 4 if SOAK else 8)) == 1:  # a brief is what takes long
        brief = said.brief()
        assert [text in brief for text in SAID] == [True, True, True]
    said.said("Dates are ISO")
    assert said.known() == [*SAID, "Dates are ISO"]
    assert said.is_whole()


def test_fault_08_every_command_succeeds_after_a_power_cut_lost_all_unsynced_data(said: Clone) -> None:
    for path in restored(said):
        cut(path, 0.0)

    commands = (["remember", "Dates are ISO"], ["index", "--quiet"], ["recall", "retry"], ["ledger", "verify"])
    ended = [command(said, *words) for words in commands]

    assert [each.returncode for each in ended] == [0] * 4, [each.stderr for each in ended]
    assert [text in ended[2].stdout for text in SAID] == [True] * 3


def test_fault_05_a_panic_inside_lancedb_is_damage_like_any_other(
    clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    class RustPanic(Exception):  # noqa: N818  # its name there
        pass

    calls: list[object] = []
    add: Any = LanceTable.add

    def panicking(*arguments: object, **options: object) -> object:
        calls.append(arguments)
        if len(calls) == 1:
            raise RustPanic("rust future panicked: unknown error")
        return add(*arguments, **options)

    monkeypatch.setattr(LanceTable, "add", panicking)
    clone.said(SAID[0])

    assert SAID[0] in clone.brief()
    assert len(calls) > 1


def command(clone: Clone, *words: str) -> "subprocess.CompletedProcess[str]":
    started = [sys.executable, "-P", "-m", "repomem", *words]
    return subprocess.run(started, cwd=clone.folder, capture_output=True, text=True, check=False, timeout=300)


# Processes


def writers(clone: Clone, seeds: range, count: int, *deeds: str) -> "list[subprocess.Popen[str]]":
    return [
        subprocess.Popen(
            [sys.executable, "-P", WRITER, clone.folder, str(seed), str(count), *deeds],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in seeds
    ]


def acknowledged(running: "list[subprocess.Popen[str]]") -> list[Deed]:
    """What processes said they had done, once they have all ended well."""
    ended = [(process, *process.communicate(timeout=600)) for process in running]
    assert [process.returncode for process, _, _ in ended] == [0] * len(ended), [err for _, _, err in ended]
    return [tuple(json.loads(line)) for _, out, _ in ended for line in out.splitlines()]


def assert_kept(clone: Clone, done: list[Deed]) -> None:
    """Every record that was acknowledged is in each copy, once, and what was purged in none."""
    purged = {name for deed, name, _, _ in done if deed == "purge"}
    wanted = {name for deed, name, _, _ in done if deed not in {"purge", "forget", *ANSWERS}} - purged
    assert clone.is_whole()
    for path in (clone.home, clone.mirror):
        names = ids_in(path)
        assert len(names) == len(set(names))
        assert wanted <= set(names)
        assert purged.isdisjoint(names)
    with opened(clone.folder, os.environ) as workspace:
        records = ledger_of(workspace).records()
    told = {target for record in records if record.event is Event.FORGET for target in record.targets}
    assert {name for deed, name, _, _ in done if deed == "forget"} - purged <= told


@pytest.mark.parametrize("seed", range(SOAK or 1))
def test_fault_11_concurrent_writers_lose_and_duplicate_nothing(
    clone: Clone, record_property: Callable[[str, object], None], seed: int
) -> None:
    deeds = ("remember", "supersede", "forget", "purge", "note", *["recall", "index"] * bool(SOAK))
    crowd, count = (8, 25) if SOAK else (4, 6)
    if SOAK:  # else whoever asks first waits for the first index
        with opened(clone.folder, os.environ) as workspace:
            index(workspace, Run())

    done = acknowledged(writers(clone, range(100 * seed, 100 * seed + crowd), count, *deeds))

    assert_kept(clone, done)
    record_property("seeds", 1)
    record_property("deeds", len(done))
    record_property("refused by a busy index", sum(deed == "refused" for deed, _, _, _ in done))
    for lock in ("ledger", "write"):
        longest = max(waited.get(f"{lock}.lock", 0.0) for deed, _, _, waited in done if deed not in ANSWERS)
        record_property(f"longest wait for {lock}.lock in seconds", longest)


def test_fault_45_concurrent_first_memories_all_end_up_in_one_ledger(clone: Clone) -> None:
    done = acknowledged(writers(clone, range(4), 1, "remember"))

    assert len(done) == 4
    assert_kept(clone, done)
    assert sorted(clone.known()) == sorted(text for _, _, text, _ in done)


def test_fault_14_if_a_writer_is_stopped_memories_go_to_another_copy(clone: Clone) -> None:
    first = clone.said(SAID[0])
    with subprocess.Popen([sys.executable, "-P", "-c", HOLD, f"{clone.home}.lock"], stdout=subprocess.PIPE) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            second = clone.said(SAID[1])
            assert clone.known() == list(SAID[:2])
            assert (ids_in(clone.home), ids_in(clone.mirror)) == ([first.id], [first.id, second.id])
        finally:
            holder.send_signal(signal.SIGKILL)
    third = clone.said(SAID[2])

    assert clone.is_whole()
    assert ids_in(clone.home) == ids_in(clone.mirror) == [first.id, second.id, third.id]


# The clock and the words

AWAY = {"a year back": timedelta(days=-365), "ten years on": timedelta(days=3650)}


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Sets the clock off by some time."""
    now = time.time_ns
    off = [timedelta(0)]

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Clock":
            found = datetime.now(tz) + off[0]
            return cls.combine(found.date(), found.time(), tz)

    monkeypatch.setattr("repomem.core.ulid.time.time_ns", lambda: now() + int(off[0].total_seconds()) * 10**9)
    for module in ("core.times", "memories.consolidate.schedule"):
        monkeypatch.setattr(f"repomem.{module}.datetime", Clock)

    def set_to(other: timedelta) -> None:
        off[0] = other

    return set_to


@pytest.mark.parametrize("away", AWAY)
def test_fault_17_ids_keep_the_order_of_writing_whatever_the_clock_says(
    clone: Clone, set_clock: Callable[[timedelta], None], away: str
) -> None:
    names = [clone.said(SAID[0]).id]
    set_clock(AWAY[away])
    names.append(clone.said(SAID[1]).id)
    set_clock(timedelta(0))
    names.append(clone.said(SAID[2], supersedes=(names[1],)).id)

    assert names == sorted(names)
    assert clone.known() == list(SAID)
    with opened(clone.folder, os.environ) as workspace:
        ats = [record.origin.at[:4] for record in ledger_of(workspace).records()]
    assert len(set(ats)) == 2  # the clock was off
    assert datetime.now(UTC).strftime("%Y") in ats


@pytest.mark.parametrize("away", AWAY)
def test_fault_17_a_wrong_clock_deletes_nothing(
    clone: Clone, set_clock: Callable[[timedelta], None], away: str
) -> None:
    clone.said("Amounts are integers of cents", importance=4)
    with opened(clone.folder, os.environ) as workspace:
        index(workspace, Run())
    set_clock(AWAY[away])
    for _ in range(2):
        with opened(clone.folder, os.environ) as workspace:
            index(workspace, Run())
            consolidate(workspace)
    set_clock(timedelta(0))

    assert clone.known() == ["Amounts are integers of cents"]
    assert "Amounts are integers of cents" in clone.brief("what are amounts")


def test_fault_17_a_clock_that_leaps_archives_nothing_until_it_is_met_again(
    clone: Clone, set_clock: Callable[[timedelta], None]
) -> None:
    clone.said("Amounts are integers of cents", importance=3)
    with opened(clone.folder, os.environ) as workspace:
        index(workspace, Run())
        consolidate(workspace)
    set_clock(AWAY["ten years on"])
    with opened(clone.folder, os.environ) as workspace:
        assert consolidate(workspace, is_dry_run=True).archived == ()
        assert consolidate(workspace).archived == ()
        [archived] = consolidate(workspace).archived

    assert archived.reason.startswith("unused for 36")


def test_fault_35_an_agent_that_floods_the_ledger_has_two_lines_in_a_brief(clone: Clone) -> None:
    clone.said(SAID[0])
    with opened(clone.folder, os.environ) as workspace:
        origin = origin_of(workspace, AGENT)
        flood = [
            Record(
                new_ulid(),
                Event.REMEMBER,
                origin,
                said=MemoryContent(MemoryKind.FACT, CleanText(f"We retry {n} times, always")),
            )
            for n in range(300)
        ]
        ledger_of(workspace).append(lambda _: flood)
    brief = clone.brief()

    assert SAID[0] in brief
    assert brief.count("times, always") <= 2


WORDS = {
    "nul": "a\0b is the separator",
    "surrogate": "the name is \ud800 broken",
    "right to left": "המטבע הוא שקל \u202e and back",
    "sql": "' OR '1'='1'; DROP TABLE memory_words; --",
    "json": '","event":"purge","targets":["00"]}\n00000000 {"id":"x"}',
}


@pytest.mark.parametrize("sort", WORDS)
def test_fault_37_arbitrary_text_changes_no_other_memory(clone: Clone, sort: str) -> None:
    clone.said(SAID[0])

    outcome = clone.said(WORDS[sort])

    assert clone.known() == [SAID[0], outcome.said.text]
    assert len(ids_in(clone.home)) == 2
    assert clone.is_whole()


def test_fault_37_ten_megabytes_are_refused_with_a_hint_and_nothing_is_kept(clone: Clone) -> None:
    with pytest.raises(RepomemError, match=f"longer than {LONGEST_TEXT:,}") as refused:
        clone.said("x" * 10_000_000)

    assert refused.value.hint
    assert clone.known() == []


@pytest.mark.parametrize("name", ["' OR '1'='1", "\0", "\ud800", "%", "_", "", "x" * 10_000_000, "01"])
def test_fault_37_an_arbitrary_id_matches_nothing(clone: Clone, name: str) -> None:
    clone.said(SAID[0])
    clone.said(SAID[1])

    with pytest.raises(RepomemError):
        clone.said(SAID[2], supersedes=(name,))

    assert clone.known() == list(SAID[:2])


def test_fault_08_a_record_that_is_damaged_in_every_copy_is_reported_and_the_rest_is_kept(
    clone: Clone, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = clone.said("Dates are ISO everywhere").id
    clone.said("Amounts are cents")
    for path in (clone.home, clone.mirror):
        path.write_bytes(path.read_bytes().replace(b"ISO everywhere", b"ISO evarywhere"))
    assert clone.known() == ["Amounts are cents"]
    for _ in range(2):  # the second time, the line has been set aside
        with opened(clone.folder, os.environ) as workspace, pytest.raises(RepomemError, match="1 record cannot be"):
            verify_command(workspace, Format.TEXT)
        assert f'lost: {lost} "Dates are ISO evarywhere"' in capsys.readouterr().out


def test_an_agents_first_memory_is_saved_despite_a_foreign_lock_file(clone: Clone) -> None:
    clone.memory.mkdir(mode=0o700)
    (clone.memory / "ledger.lock").write_bytes(b"not ours")
    with opened(clone.folder, os.environ) as workspace:
        outcome, _ = remember(workspace, NewMemory(SAID[0]), AGENT)

    with try_lock(clone.memory / "ledger.lock") as is_held:
        assert is_held
    assert ids_in(clone.home) == [outcome.id]
    assert new_ulid(outcome.id) > outcome.id
