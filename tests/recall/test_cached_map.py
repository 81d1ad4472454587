"""A ledger write reaches the cached map at once: what was forgotten is gone, what was remembered is there."""

from pathlib import Path

import pytest
from support.memory_scenes import committed, confirmed, forgotten, git, said, titles
from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled, workspace_at

from repomem.core.records import MemoryKind
from repomem.items.repository_map import cached_map, map_after_ledger_write, map_brief
from repomem.profile.profile import correct
from repomem.profile.profile_lines import Action, Slot
from repomem.recall.answer import recall_now
from repomem.recall.request import BriefRequest
from repomem.workspace.cached_brief import cache_brief, cached_brief
from repomem.workspace.ledger import Speaker, stamp_here
from repomem.workspace.run import Run
from repomem.workspace.snapshot import snapshot

CODE = {"queue.py": "def drain(queue):\n    return queue.pop()\n", "README.md": "# Queues\n\nA queue of jobs.\n"}


@pytest.fixture
def folder(make_repository: MakeRepository) -> Path:
    """An indexed repository with a cached map."""
    made = make_repository(Commit(CODE))
    indexed(made)
    return made


def test_a_memory_is_in_the_next_map_and_gone_from_it_once_forgotten(folder: Path) -> None:
    name = said(folder, "Queues are never sorted").id
    assert titles(recalled(folder)) == ["Queues are never sorted"]
    indexed(folder)
    forgotten(folder, name)
    assert titles(recalled(folder)) == []


def test_the_first_recall_after_a_ledger_write_caches_the_map_for_the_next(folder: Path) -> None:
    said(folder, "Queues are never sorted")
    made = recalled(folder)
    with workspace_at(folder) as workspace:
        assert cached_brief(workspace, made.budget) == made
        said(folder, "Jobs are drained in the order of arrival")
        assert cached_brief(workspace, made.budget) is None


def test_a_map_of_a_state_that_is_not_published_any_more_is_not_cached(folder: Path) -> None:
    with workspace_at(folder) as workspace:
        old = snapshot(workspace)
        assert old is not None
        brief, text = cached_map(old, 1_500, stamp_here(workspace))
        committed(folder, "feat: a topic", topic__py="x = 1\n")
        indexed(folder)
        cache_brief(workspace, old.worktree, text)
        assert brief.markdown != recalled(folder).markdown


def test_a_map_of_some_kinds_has_only_these_and_leaves_the_cached_map_whole(folder: Path) -> None:
    said(folder, "Queues are never sorted", kind=MemoryKind.FACT)
    with workspace_at(folder) as workspace:
        budget, facts = workspace.loaded.config.recall.budget, frozenset(["fact"])
        of_facts, whole = (
            recall_now(workspace, BriefRequest("", budget, kinds=kinds), Run()) for kinds in (facts, frozenset())
        )
    assert [item.kind for item in of_facts.items] == ["fact"]
    assert len(whole.items) > 1


def test_the_map_after_a_ledger_write_equals_the_one_made_from_the_index(folder: Path) -> None:
    said(folder, "Queues are never sorted", on=("queue.py:drain",))
    confirmed(folder, said(folder, "Jobs are drained in the order of arrival").id)
    with workspace_at(folder) as workspace:
        correct(workspace, Slot.TEST, Action.REPLACE, "make check", Speaker(is_person=True))
        now = snapshot(workspace)
        assert now is not None
        made = map_brief(now, 1_500)
        assert "make check" in made.markdown
        assert "Queues are never sorted" in made.markdown
        assert map_after_ledger_write(workspace, 1_500) == made


def test_a_checkout_takes_the_memories_of_the_other_branch_from_a_map_that_is_behind(folder: Path) -> None:
    git(folder, "switch", "-q", "-c", "topic")
    committed(folder, "feat: a topic", topic__py="x = 1\n")
    said(folder, "Topics are sorted by age", on=("topic.py",))
    indexed(folder)
    git(folder, "switch", "-q", "main")
    with workspace_at(folder) as workspace:
        stale = map_after_ledger_write(workspace, 1_500)
        assert stale is not None
        assert titles(stale) == []


def test_a_second_work_tree_takes_over_what_its_own_map_is_made_from(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(folder, "worktree", "add", "-q", "-b", "side", str(other))
    indexed(other)
    said(folder, "Queues are never sorted")
    with workspace_at(other) as workspace:
        brief = map_after_ledger_write(workspace, 1_500)
        assert brief is not None
        assert (brief.repository.branch, titles(brief)) == ("side", ["Queues are never sorted"])
