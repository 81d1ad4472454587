"""Forgetting: a tombstone hides, a purge leaves no byte, and neither is undone by a copy, an import or a kill."""

import os
from pathlib import Path

import pytest
from support.memory_scenes import AGENT, PERSON, forgotten, git, said, spoken, standing, titles
from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled, workspace_at

from repomem.core.errors import NotFound, RepomemError, StoreError
from repomem.core.records import MemoryKind
from repomem.items.repository_map import cached_map
from repomem.memories.ledger_files import export_lines, import_lines
from repomem.memories.search.search_documents import documents_of
from repomem.memories.search.vectors import vectors_of
from repomem.memories.snapshots.snapshot import memories_now
from repomem.workspace.cached_brief import cache_brief
from repomem.workspace.ledger import ledger_of, origin_of, stamp_here
from repomem.workspace.models import sentence_encoder
from repomem.workspace.reminder_cache import Reminder, Reminders, cache_reminders, stamps_now
from repomem.workspace.snapshot import snapshot

SECRET = "Heptapod quarterly figures"
CODE = "def retry(times):\n    return [try_once(at, times) for at in range(times)]\n"


@pytest.fixture
def place(make_repository: MakeRepository) -> Path:
    """A small repository."""
    return make_repository(Commit({"src/net.py": CODE}, "Send messages"))


def bytes_left(*folders: Path) -> bytes:
    """Every byte of every file below these folders, and every name."""
    found = []
    for folder in folders:
        for path in folder.rglob("*"):
            found.append(os.fsencode(path))
            if path.is_file():
                found.append(path.read_bytes())
    return b"\n".join(found)


def test_a_forgotten_memory_is_in_no_brief_but_in_the_ledger(place: Path) -> None:
    name = said(place, SECRET).id
    forgotten(place, name)

    assert titles(recalled(place, "Heptapod figures")) == []
    with workspace_at(place) as workspace:
        assert any(SECRET in line for line in export_lines(workspace))
    with pytest.raises(NotFound):
        standing(place, name)


def test_fault_38_a_purge_leaves_no_byte_in_any_file(place: Path, sealed_environment: Path) -> None:
    name = said(place, SECRET, why="as the Heptapods said", on=("src/net.py:retry",), kind=MemoryKind.GOTCHA).id
    kept = said(place, "We retry three times", supersedes=()).id
    said(place, "Heptapods are told twice", supersedes=(name,))
    recalled(place)
    before = bytes_left(place / ".git", sealed_environment)
    assert SECRET.encode() in before

    done = forgotten(place, name, is_purge=True)

    left = bytes_left(place / ".git", sealed_environment)
    assert SECRET.encode() not in left
    assert b"as the Heptapods said" not in left
    assert name.encode() not in left
    assert kept.encode() in left
    assert (done.is_purged, done.unwritten) == (True, ())
    assert "We retry three times" in titles(recalled(place, "retry three times"))


def test_fault_38_an_old_export_does_not_bring_it_back(place: Path) -> None:
    name = said(place, SECRET).id
    with workspace_at(place) as workspace:
        old = [line.encode() for line in export_lines(workspace)]
    forgotten(place, name, is_purge=True)

    with workspace_at(place) as workspace:
        assert import_lines(workspace, old).added == 0
        assert not any(SECRET in line for line in export_lines(workspace))


def test_fault_38_a_purge_that_was_cut_off_is_finished_by_the_next_index_run(
    place: Path, sealed_environment: Path
) -> None:
    name = said(place, SECRET).id
    recalled(place, "Heptapod figures")
    indexed(place)
    with workspace_at(place) as workspace:  # as far as a kill lets it come
        ledger_of(workspace).purge([name], origin_of(workspace, PERSON))
    assert SECRET.encode() in bytes_left(place / ".git")  # the kept brief holds it

    git(place, "commit", "-q", "--allow-empty", "-m", "go on")
    indexed(place)

    assert SECRET.encode() not in bytes_left(place / ".git", sealed_environment)


def test_fault_38_a_purge_that_cannot_delete_warns_and_the_next_run_finishes_it(
    place: Path, sealed_environment: Path
) -> None:
    name = said(place, SECRET).id
    recalled(place, "Heptapod figures")
    spool = place / ".git" / "repomem" / "recalls"
    spool.unlink(missing_ok=True)
    spool.mkdir()

    with pytest.raises(StoreError, match="erased from the ledger, but still in the index: cannot delete"):
        forgotten(place, name, is_purge=True)
    spool.rmdir()
    git(place, "commit", "-q", "--allow-empty", "-m", "go on")
    indexed(place)

    assert SECRET.encode() not in bytes_left(place / ".git", sealed_environment)


def test_fault_38_a_concurrent_reader_caches_nothing_that_was_purged(place: Path, sealed_environment: Path) -> None:
    name = said(place, SECRET, on=("src/net.py:retry",)).id
    said(place, "We retry three times")
    indexed(place)
    with workspace_at(place) as reader:
        known, stamps = memories_now(reader), stamps_now(reader)
        now = snapshot(reader)
        assert now
        _, text = cached_map(now, 1500, stamp_here(reader))
        assert SECRET in text

        forgotten(place, name, is_purge=True)
        documents_of(reader, known, known.states)
        vectors_of(reader, sentence_encoder(), known, known.states)
        cache_brief(reader, now.worktree, text)
        line = Reminder(name, ((SECRET, 9),), (("src/net.py", "retry"),))
        cache_reminders(reader, Reminders((line,), (), stamps))

    left = bytes_left(place / ".git", sealed_environment)
    assert b"heptapod" not in left.lower()
    assert name.encode() not in left


def test_fault_38_another_clone_purges_too_when_it_next_writes(place: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(place), "remote.git")
    for clone in ("first", "second"):
        git(tmp_path, "clone", "-q", "remote.git", clone)
    name = said(tmp_path / "first", SECRET).id
    said(tmp_path / "second", "Something else")
    assert SECRET.encode() in bytes_left(tmp_path / "second" / ".git")

    forgotten(tmp_path / "first", name, is_purge=True)
    said(tmp_path / "second", "And one thing more")

    assert SECRET.encode() not in bytes_left(tmp_path / "second" / ".git" / "repomem")


def test_an_agent_forgets_its_own_memories_and_not_a_persons(place: Path) -> None:
    own = said(place, "Agents guess", AGENT).id
    other = said(place, "We retry three times").id

    forgotten(place, own, AGENT)
    with pytest.raises(RepomemError, match="only a person may forget it"):
        forgotten(place, other, AGENT)

    assert [item.title for item in spoken(recalled(place, "how do we retry"))] == ["We retry three times"]


def test_a_prefix_of_two_ids_forgets_neither_and_lists_both_with_their_texts(place: Path) -> None:
    names = [said(place, text).id for text in ("We retry three times", "We sort by name")]
    with pytest.raises(NotFound, match="01 matches 2 memories") as caught:
        standing(place, "01")
    listed = caught.value.hint.removeprefix("give more characters: ").split(", ")
    assert [standing(place, each.partition(" ")[0]).memory.id for each in listed] == names
    assert [each.partition(" ")[2] for each in listed] == ['"We retry three times"', '"We sort by name"']


def test_forgetting_the_replacement_restores_the_old_memory(place: Path) -> None:
    old = said(place, "We retry three times").id
    new = said(place, "We retry five times", supersedes=(old,)).id

    forgotten(place, new)

    assert titles(recalled(place, "how do we retry")) == ["We retry three times"]
