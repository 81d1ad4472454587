"""The ledger on real files: what is acknowledged is there, whatever is torn, cut, zeroed, locked or merged."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from repomem.adapters.ledger import file as ledger_file
from repomem.adapters.ledger.file import DAMAGED, FILE, LOCK, locked
from repomem.adapters.ledger.ledger import Ledger
from repomem.adapters.ledger.lines import BadLine, line_of, record_of_json, record_of_line
from repomem.core.errors import StoreError
from repomem.core.processes.locks import try_lock
from repomem.core.records import Event, MemoryContent, MemoryKind, Origin, Record, Source
from repomem.core.types.text import CleanText
from repomem.core.ulid import new_ulid

ORIGIN = Origin("2026-01-02T03:04:05Z", "Ada", Source.PERSON)


def record(text: str, after: str = "") -> Record:
    return Record(new_ulid(after), Event.REMEMBER, ORIGIN, said=MemoryContent(MemoryKind.FACT, CleanText(text)))


def added(ledger: Ledger, *texts: str) -> list[Record]:
    return ledger.append(lambda before: [record(text) for text in texts])


def texts_of(ledger: Ledger) -> list[str]:
    return sorted(each.said.text for each in ledger.records() if each.said)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger([tmp_path / "home", tmp_path / "mirror"], tmp_path / "passing")


def test_a_record_survives_its_line() -> None:
    one = record("naïve “text”\n\x00\ud800")

    assert record_of_line(line_of(one)) == one


@given(st.integers(0, 200), st.integers(1, 255))
def test_a_changed_byte_makes_a_bad_line(at: int, change: int) -> None:
    line = bytearray(line_of(record("a fact")).rstrip(b"\n"))
    line[at % len(line)] ^= change

    with pytest.raises(BadLine):
        record_of_line(bytes(line))


def test_every_copy_has_the_added_records(ledger: Ledger, tmp_path: Path) -> None:
    added(ledger, "a", "b")

    assert texts_of(ledger) == ["a", "b"]
    assert (tmp_path / "home" / FILE).read_bytes() == (tmp_path / "mirror" / FILE).read_bytes()
    assert not (tmp_path / "passing").exists()


def test_a_lost_home_comes_back_from_the_mirror(ledger: Ledger, tmp_path: Path) -> None:
    added(ledger, "a")
    (tmp_path / "home" / FILE).unlink()

    assert texts_of(ledger) == ["a"]
    assert ledger.settle()
    assert (tmp_path / "home" / FILE).stat().st_size > 0


def test_a_torn_tail_is_set_aside_by_the_next_writer(ledger: Ledger, tmp_path: Path) -> None:
    added(ledger, "a")
    with (tmp_path / "home" / FILE).open("ab") as file:
        file.write(b'12345678 {"id":"cut')

    assert texts_of(ledger) == ["a"]
    added(ledger, "b")

    assert texts_of(ledger) == ["a", "b"]
    assert [(copy.is_sound, aside) for copy, aside in ledger.copies()] == [(True, 1), (True, 0)]


def test_a_line_without_its_end_is_not_run_into(ledger: Ledger, tmp_path: Path) -> None:
    added(ledger, "a")
    path = tmp_path / "home" / FILE
    path.write_bytes(path.read_bytes()[:-1])

    added(ledger, "b")

    assert texts_of(ledger) == ["a", "b"]
    assert ledger.settle()


@settings(max_examples=200)
@given(data=st.data(), how=st.sampled_from(["cut", "zero", "flip", "gone"]))
def test_one_damaged_copy_loses_nothing(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, how: str
) -> None:
    root = tmp_path_factory.mktemp("ledger")
    ledger = Ledger([root / "home", root / "mirror"])
    added(ledger, "a", "b", "c")
    path = root / data.draw(st.sampled_from(["home", "mirror"])) / FILE
    whole = path.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    if how == "gone":
        path.unlink()
    else:
        rest = {"cut": b"", "zero": bytes(len(whole) - at), "flip": bytes([whole[at] ^ 1]) + whole[at + 1 :]}
        path.write_bytes(whole[:at] + rest[how])

    assert texts_of(ledger) == ["a", "b", "c"]
    assert ledger.lost() == {}
    added(ledger, "d")
    assert texts_of(ledger) == ["a", "b", "c", "d"]
    assert all(copy.is_sound for copy, _ in ledger.copies())
    assert ledger.lost() == {}


def test_a_record_that_is_damaged_in_every_copy_is_known_to_be_lost(ledger: Ledger, tmp_path: Path) -> None:
    _, lost, _ = added(ledger, "a", "the lost text", "c")
    for name in ("home", "mirror"):
        path = tmp_path / name / FILE
        path.write_bytes(path.read_bytes().replace(b"lost text", b"lost tezt"))

    assert texts_of(ledger) == ["a", "c"]
    assert list(ledger.lost()) == [lost.id]
    added(ledger, "d")  # sets it aside
    assert list(ledger.lost()) == [lost.id]


def test_another_copy_stores_the_record_if_home_is_not_writable(ledger: Ledger, tmp_path: Path) -> None:
    added(ledger, "a")
    (tmp_path / "blocked").write_text("a file where a folder is wanted")
    sandboxed = Ledger([tmp_path / "blocked" / "home", tmp_path / "blocked" / "mirror"], tmp_path / "passing")

    added(sandboxed, "b")
    outside = Ledger([tmp_path / "home", tmp_path / "mirror"], tmp_path / "passing")

    assert texts_of(outside) == ["a", "b"]
    assert outside.settle()
    assert (tmp_path / "passing" / FILE).stat().st_size == 0
    assert texts_of(Ledger([tmp_path / "home"])) == ["a", "b"]


def test_rewriting_the_copies_does_not_fill_an_emptied_temporary_one(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("a file where a folder is wanted")
    added(Ledger([tmp_path / "blocked" / "home", tmp_path / "blocked" / "mirror"], tmp_path / "passing"), "a")
    assert ledger.settle()

    assert ledger.redact()

    assert (tmp_path / "passing" / FILE).stat().st_size == 0
    assert texts_of(Ledger([tmp_path / "home"])) == ["a"]


def test_a_writer_that_hangs_makes_the_next_copy_take_it(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repomem.adapters.ledger.file.WAIT", 0.05)
    added(ledger, "a")
    with try_lock(tmp_path / "home" / LOCK) as is_held:
        assert is_held
        added(ledger, "b")

    assert texts_of(ledger) == ["a", "b"]
    assert ledger.settle()


def test_an_error_is_raised_if_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("")

    with pytest.raises(StoreError, match="nothing was saved"):
        added(Ledger([tmp_path / "blocked" / "a", tmp_path / "blocked" / "b"]), "a")


def test_a_full_disk_leaves_the_file_as_it_was(ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    added(ledger, "a")
    before = (tmp_path / "home" / FILE).read_bytes()
    write = os.write

    def full(descriptor: int, data: bytes) -> int:
        if len(data) > 10:
            return write(descriptor, data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("repomem.adapters.ledger.file.os.write", full)
    with pytest.raises(StoreError, match=r"nothing was saved.*No space left"):
        added(Ledger([tmp_path / "home"]), "b")

    assert (tmp_path / "home" / FILE).read_bytes() == before


def test_merging_twice_is_merging_once(ledger: Ledger) -> None:
    new = added(ledger, "a")

    assert ledger.append(lambda before: new) == []
    assert texts_of(ledger) == ["a"]


def test_ids_sort_in_writing_order_even_if_the_clock_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    future = new_ulid()
    monkeypatch.setattr("repomem.core.ulid.time.time_ns", lambda: 1_000_000_000)

    assert new_ulid(future) > future


def test_no_byte_of_a_purged_record_is_left_in_any_copy(ledger: Ledger, tmp_path: Path) -> None:
    gone, _ = added(ledger, "a secret plan", "another thing")
    with (tmp_path / "home" / FILE).open("ab") as file:
        file.write(line_of(record("a secret plan"))[:-9])

    assert ledger.purge([gone.id], ORIGIN)

    assert texts_of(ledger) == ["another thing"]
    left = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"secret plan" not in left
    assert gone.id.encode() not in left


def test_purged_records_return_from_no_copy_and_no_import(ledger: Ledger, tmp_path: Path) -> None:
    gone, _ = added(ledger, "a secret plan", "another thing")
    other_clone = Ledger([tmp_path / "clone", tmp_path / "mirror"])
    other_clone.settle()
    ledger.purge([gone.id], ORIGIN)

    ledger.append(lambda before: [gone])
    other_clone.settle()

    assert texts_of(ledger) == texts_of(other_clone) == ["another thing"]
    assert b"secret plan" not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


DEEDS: dict[str, Callable[[Ledger], object]] = {
    "settle": Ledger.settle,
    "append": lambda ledger: added(ledger, "mine"),
    "purge": lambda ledger: ledger.purge([ledger.records()[0].id], ORIGIN),
}


@pytest.mark.parametrize("where", ["home", "mirror"])
@pytest.mark.parametrize("deed", DEEDS)
def test_records_of_a_concurrent_process_are_kept(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deed: str, where: str
) -> None:
    added(Ledger([tmp_path / "home"]), "first", "second")
    added(Ledger([tmp_path / "mirror"]), "third")
    held: list[Path] = []

    @contextmanager
    def late(folder: Path, *wait: float | None) -> Iterator[None]:
        held.append(folder)
        if len(held) == 2:  # between what was read and what is written next
            added(Ledger([tmp_path / where]), "late")
        with locked(folder, *wait):
            yield

    with monkeypatch.context() as patched:
        patched.setattr("repomem.adapters.ledger.ledger.locked", late)
        DEEDS[deed](ledger)

    assert len(held) >= 2
    assert "late" in texts_of(ledger)
    assert ledger.settle()
    assert all("late" in texts_of(Ledger([tmp_path / name])) for name in ("home", "mirror"))


def test_an_emptied_copy_keeps_no_purged_record(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("")
    sandboxed = Ledger([tmp_path / "blocked" / "a", tmp_path / "blocked" / "b"], tmp_path / "passing")
    [gone] = added(sandboxed, "a secret plan")
    elsewhere = Ledger([tmp_path / "home", tmp_path / "mirror"])
    elsewhere.append(lambda before: [gone])
    elsewhere.purge([gone.id], ORIGIN)

    assert ledger.settle()

    assert b"secret plan" not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.parametrize("step", ["replace", "drop_damaged"])
def test_a_purge_that_is_cut_off_is_finished_by_the_next_writer(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    gone, _ = added(ledger, "a secret plan", "another thing")
    for name in ("home", "mirror"):
        (tmp_path / name / DAMAGED).write_bytes(line_of(gone)[9:])
        (tmp_path / name / f"{FILE}.new").write_bytes(line_of(gone)[:-9])
    calls: list[object] = []

    def killed(*arguments: object) -> None:
        calls.append(arguments)
        if len(calls) == 2:  # the home is clean, or is to be
            raise KeyboardInterrupt
        getattr(ledger_file, f"really_{step}")(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(ledger_file, f"really_{step}", getattr(ledger_file, step), raising=False)
        patched.setattr(ledger_file, step, killed)
        with pytest.raises(KeyboardInterrupt):
            ledger.purge([gone.id], ORIGIN)
    added(ledger, "later")

    assert texts_of(ledger) == ["another thing", "later"]
    assert b"secret plan" not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_copy_that_cannot_be_read_hides_no_other(ledger: Ledger, tmp_path: Path) -> None:
    added(ledger, "a")
    path = tmp_path / "mirror" / FILE
    path.unlink()
    path.mkdir()

    assert texts_of(ledger) == ["a"]
    added(ledger, "b")
    assert not ledger.settle()
    path.rmdir()

    assert ledger.settle()
    assert texts_of(Ledger([tmp_path / "mirror"])) == ["a", "b"]


def test_an_unreadable_only_copy_is_an_error(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "home" / FILE).mkdir(parents=True)

    with pytest.raises(StoreError, match="cannot read"):
        ledger.records()


def test_the_stamp_changes_if_a_copy_is_replaced_by_one_of_equal_size(ledger: Ledger, tmp_path: Path) -> None:
    added(ledger, "a")
    before = ledger.stamp
    path = tmp_path / "home" / FILE
    path.write_bytes(path.read_bytes().swapcase())

    assert ledger.stamp != before


@pytest.mark.parametrize("field", ['"importance":Infinity', '"importance":1e999', '"importance":"x"', '"anchors":"ab"'])
def test_nonsense_in_a_field_is_a_bad_line(field: str) -> None:
    said = f'"said":{{"kind":"fact","text":"a",{field}}}'
    line = f'{{"id":"{new_ulid()}","event":"remember","at":"","author":"","source":"agent",{said}}}'

    with pytest.raises(BadLine):
        record_of_json(line.encode())


def test_an_id_that_leaves_no_room_for_later_ones_is_not_let_in() -> None:
    line = line_of(replace(record("a fact"), id="7" + "Z" * 25))

    with pytest.raises(BadLine, match="id"):
        record_of_json(line[9:])


def test_a_hanging_writer_delays_an_append_only_once(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    added(ledger, "a")
    waits: list[tuple[object, ...]] = []

    @contextmanager
    def noted(folder: Path, *wait: float | None) -> Iterator[None]:
        waits.append((folder.name, *wait))
        if folder.name == "home":
            raise StoreError("another repomem process has locked the ledger")
        with locked(folder, *wait):
            yield

    monkeypatch.setattr("repomem.adapters.ledger.ledger.locked", noted)
    added(ledger, "b")

    assert waits == [("home",), ("mirror",)]


def test_what_was_appended_to_any_copy_is_read_without_the_rest(ledger: Ledger, tmp_path: Path) -> None:
    added(ledger, "a", "b")
    marks = ledger.marks
    new = added(ledger, "c")
    later = record("d", new[0].id)
    with (tmp_path / "mirror" / FILE).open("ab") as file:
        file.write(line_of(later))  # by a process that could not write the other copy

    assert ledger.appended(marks) == [*new, later]
    assert ledger.appended(ledger.marks) == []


@pytest.mark.parametrize("change", [lambda data: data[1:], lambda data: data[:-1], lambda data: data + b"no record\n"])
def test_anything_but_whole_lines_at_the_end_is_no_addition(
    ledger: Ledger, tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    added(ledger, "a")
    marks = ledger.marks
    added(ledger, "b")
    path = tmp_path / "home" / FILE
    path.write_bytes(change(path.read_bytes()))

    assert ledger.appended(marks) is None


def test_a_copy_that_cannot_be_read_counts_as_empty(ledger: Ledger, tmp_path: Path) -> None:
    added(ledger, "a")
    mirror = tmp_path / "mirror" / FILE
    mirror.unlink()
    mirror.mkdir()  # even root cannot read it
    marks = ledger.marks
    new = added(ledger, "b")

    assert marks[1] == (0, 0)
    assert ledger.appended(marks) == new


def test_a_purge_is_no_addition(ledger: Ledger) -> None:
    [one, *_] = added(ledger, "a", "b")
    marks = ledger.marks
    ledger.purge([one.id], ORIGIN)

    assert ledger.appended(marks) is None
