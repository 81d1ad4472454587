"""Memories across branches and rewrites: seen where their commit is part of the history under any name, and nowhere
else. No hook is installed."""

import os
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from support import branch_model
from support.branch_model import BEGIN, OPERATIONS, Model
from support.branch_scenes import Scene, scene_in

from repomem.adapters.git.repository import Repository
from repomem.core.records import Event, Source
from repomem.memories.anchors.locate import anchor_at
from repomem.memories.rewrites.follow import follow_rewrites, record_rewrites
from repomem.memories.snapshots.snapshot import memories_now
from repomem.memories.status import Status, Visibility
from repomem.workspace.ledger import ledger_of

NOTE = "a thing to know"
FILES = {name: "".join(f"{name} has line number {at}\n" for at in range(60)) for name in ("a.py", "b.py", "c.py")}


def changed(path: str, *at: int, by: str = "changed") -> dict[str, str]:
    """A file with some of its lines changed."""
    lines = FILES[path].splitlines(keepends=True)
    for place in at:
        lines[place] = f"{path} was {by} at {place}\n"
    return {path: "".join(lines)}


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with scene_in(tmp_path / "work", FILES) as made:
        yield made


@pytest.fixture
def branched(scene: Scene) -> Scene:
    """Two commits on the branch `topic`, a memory said on the first of them."""
    scene.git("switch", "-q", "-c", "topic")
    scene.commit(changed("a.py", 10), "first of topic")
    scene.say(NOTE)
    scene.commit(changed("b.py", 10, 30), "second of topic")
    return scene


def moved_on(scene: Scene, path: str = "c.py", at: int = 50) -> str:
    """Main, checked out, with a commit of its own."""
    scene.git("switch", "-q", "main")
    return scene.commit(changed(path, at, by="moved on"), "main moves on")


def rewrites(scene: Scene) -> list[tuple[str, str]]:
    records = ledger_of(scene.workspace).records()
    return [(record.targets[0], record.other) for record in records if record.event is Event.REWRITE]


def test_a_memory_of_a_branch_is_staged_and_not_visible_on_main(branched: Scene) -> None:
    assert branched.seen("topic") == {NOTE: Visibility.HERE}
    assert branched.seen("main") == {NOTE: Visibility.UNMERGED}


def test_a_memory_of_main_is_visible_on_branches_that_start_there(scene: Scene) -> None:
    scene.say(NOTE)
    scene.git("switch", "-q", "-c", "topic")
    scene.commit(changed("a.py", 3))
    assert scene.seen() == {NOTE: Visibility.HERE}


def test_a_memory_applies_after_a_merge(branched: Scene) -> None:
    moved_on(branched)
    branched.git("merge", "-q", "--no-edit", "topic")
    assert branched.seen() == {NOTE: Visibility.HERE}
    assert rewrites(branched) == []


def test_a_memory_applies_after_a_fast_forward(branched: Scene) -> None:
    branched.git("switch", "-q", "main")
    branched.git("merge", "-q", "--ff-only", "topic")
    branched.git("branch", "-q", "-D", "topic")
    assert branched.seen() == {NOTE: Visibility.HERE}


def test_it_follows_a_rebase_and_its_merge(branched: Scene) -> None:
    moved_on(branched)
    branched.git("rebase", "-q", "main", "topic")
    assert branched.seen() == {NOTE: Visibility.HERE}
    assert branched.seen("main") == {NOTE: Visibility.UNMERGED}
    branched.git("switch", "-q", "main")
    branched.git("merge", "-q", "--ff-only", "topic")
    assert branched.seen() == {NOTE: Visibility.HERE}


def test_it_follows_a_rebase_where_a_conflict_was_resolved(branched: Scene) -> None:
    moved_on(branched, "a.py", 10)
    assert branched.tried("rebase", "-q", "main", "topic").returncode
    (branched.folder / "a.py").write_text(changed("a.py", 10, by="both")["a.py"])
    branched.git("add", "a.py")
    branched.git("rebase", "--continue")
    assert branched.seen("topic") == {NOTE: Visibility.HERE}
    assert branched.seen("main") == {NOTE: Visibility.UNMERGED}


@pytest.mark.parametrize("content", [False, True], ids=["message", "content and message"])
def test_it_follows_an_amended_commit(scene: Scene, content: bool) -> None:
    scene.commit(changed("a.py", 10), "frist")
    scene.say(NOTE)
    if content:
        (scene.folder / "a.py").write_text(changed("a.py", 10, 12, by="amended")["a.py"])
    scene.git("commit", "-q", "--all", "--amend", "-m", "first")
    assert scene.seen() == {NOTE: Visibility.HERE}


def test_it_follows_what_is_amended_twice_and_rebased_unseen(branched: Scene) -> None:
    branched.git("reset", "-q", "--hard", "HEAD~")
    for at in (20, 25):
        branched.git("commit", "-q", "--amend", "-m", f"said otherwise {at}")
        (branched.folder / "a.py").write_text(changed("a.py", 10, at)["a.py"])
        branched.git("commit", "-q", "--all", "--amend", "--no-edit")
    moved_on(branched)
    branched.git("rebase", "-q", "main", "topic")
    assert branched.seen() == {NOTE: Visibility.HERE}


@pytest.mark.parametrize("fate", ["kept", "deleted"])
@pytest.mark.parametrize("moves", [False, True], ids=["main stays", "main moves on"])
def test_it_follows_a_squash(branched: Scene, fate: str, moves: bool) -> None:
    moved_on(branched, "b.py")
    if not moves:
        branched.git("reset", "-q", "--hard", "HEAD~")
    branched.git("merge", "-q", "--squash", "topic")
    branched.git("commit", "-q", "-m", "topic as one")
    squashed = branched.head
    if fate == "deleted":
        branched.git("branch", "-q", "-D", "topic")
    assert branched.seen() == {NOTE: Visibility.HERE}
    assert [new for _, new in rewrites(branched)] == [squashed]
    assert branched.seen("HEAD~") == {NOTE: Visibility.UNMERGED}


def test_commands_follow_a_squash_that_no_index_run_has_seen(branched: Scene) -> None:
    moved_on(branched)
    branched.git("merge", "-q", "--squash", "topic")
    branched.git("commit", "-q", "-m", "topic as one")
    branched.git("branch", "-q", "-D", "topic")
    [one] = memories_now(branched.workspace).states.values()
    assert one.visibility is Visibility.HERE


def collected(scene: Scene) -> None:
    """Git forgets the commits that no branch has."""
    scene.git("reflog", "expire", "--expire=now", "--all")
    scene.git("gc", "-q", "--prune=now")


def test_a_commit_that_git_deleted_after_an_amend_was_not_tried_in_vain(branched: Scene) -> None:
    branched.say("said before the amend")
    branched.commit({"d.py": "forgotten\n"})
    branched.git("reset", "-q", "--soft", "HEAD~2")
    branched.git("commit", "-q", "-m", "amended")
    collected(branched)
    states = {str(one.memory.said.text): one for one in memories_now(branched.workspace).states.values()}
    one = states["said before the amend"]
    assert (one.visibility, one.status) == (Visibility.HERE, Status.PROVISIONAL)
    assert one.why.startswith("recorded at commit ")
    branched.git("switch", "-q", "main")
    states = {str(one.memory.said.text): one for one in memories_now(branched.workspace).states.values()}
    assert states["said before the amend"].visibility is Visibility.UNMERGED


def test_a_commit_that_git_deleted_with_its_branch_was_tried(branched: Scene) -> None:
    branched.git("switch", "-q", "main")
    branched.git("branch", "-q", "-D", "topic")
    collected(branched)
    [one] = memories_now(branched.workspace).states.values()
    assert one.visibility is Visibility.ABANDONED


def test_it_follows_a_squash_that_was_changed_on_the_way(scene: Scene) -> None:
    scene.git("switch", "-q", "-c", "topic")
    scene.commit(changed("a.py", *range(10, 30, 2)), "first of topic")
    scene.say(NOTE)
    scene.commit(changed("b.py", *range(10, 30, 2)), "second of topic")
    moved_on(scene)
    scene.git("merge", "-q", "--squash", "topic")
    scene.commit(changed("a.py", *range(10, 30, 2), 55), "topic as one, polished")
    assert scene.seen() == {NOTE: Visibility.HERE}


PRICES = "def tax(order):\n    return order.amount * 0.2\n\n\ndef fee(order):\n    return order.amount * 0.02\n"
ROUNDED = PRICES.replace(
    "return order.amount * 0.02", "rounded = round(order.amount * 0.02, 2)\n    return max(rounded, 0.5)"
)
REVIEWED = {
    "a renamed variable": ROUNDED.replace("rounded", "rounded_fee"),
    "another limit": ROUNDED.replace("max(rounded, 0.5)", "max(rounded, MINIMUM_FEE)"),
    "a check more": ROUNDED.replace("    rounded =", "    if not order.amount:\n        return 0\n    rounded ="),
}


@pytest.mark.parametrize("edit", REVIEWED)
@pytest.mark.parametrize("commits", [1, 2])
@pytest.mark.parametrize("fate", ["kept", "deleted"])
def test_it_follows_a_small_squash_that_a_reviewer_edited(scene: Scene, edit: str, commits: int, fate: str) -> None:
    scene.commit({"price.py": PRICES})
    scene.git("switch", "-q", "-c", "topic")
    scene.commit({"price.py": ROUNDED}, "round the fee")
    scene.say(NOTE)
    if commits > 1:
        scene.commit({"price_test.py": "def test_fee():\n    assert fee(Order(1)) == 0.5\n"}, "test the fee")
    moved_on(scene)
    scene.git("merge", "-q", "--squash", "topic")
    scene.commit({"price.py": REVIEWED[edit], "CHANGES": "fees are rounded\n"}, "Round fees (#3)")
    if fate == "deleted":
        scene.git("branch", "-q", "-D", "topic")
    assert scene.seen() == {NOTE: Visibility.HERE}
    assert scene.seen("HEAD~") == {NOTE: Visibility.UNMERGED}


def test_another_solution_in_the_same_function_does_not_land_it(scene: Scene) -> None:
    scene.commit({"price.py": PRICES})
    scene.git("switch", "-q", "-c", "topic")
    scene.commit({"price.py": ROUNDED}, "round the fee")
    scene.say(NOTE)
    scene.git("switch", "-q", "main")
    other = PRICES.replace("return order.amount * 0.02", "return FEES.for_amount(order.amount, order.customer.country)")
    scene.commit({"price.py": other}, "fees by country")
    scene.git("branch", "-q", "-D", "topic")
    assert scene.seen() == {NOTE: Visibility.ABANDONED}


def test_what_was_added_to_a_branch_after_its_squash_does_not_land_with_it(scene: Scene) -> None:
    scene.commit({"price.py": PRICES})
    scene.git("switch", "-q", "-c", "topic")
    scene.commit({"price.py": ROUNDED}, "round the fee")
    moved_on(scene)
    scene.git("merge", "-q", "--squash", "topic")
    scene.commit({"price.py": REVIEWED["a renamed variable"]}, "Round fees (#3)")
    scene.git("switch", "-q", "topic")
    scene.commit({"price.py": f"{ROUNDED}\n\nCURRENCY = currency_of(COUNTRY)\n"}, "and a currency")
    scene.say(NOTE)
    assert scene.seen("main") == {NOTE: Visibility.UNMERGED}


def test_a_memory_written_after_a_squash_does_not_land_with_it(scene: Scene) -> None:
    scene.git("switch", "-q", "-c", "topic")
    scene.commit(changed("a.py", *range(50)), "most of topic")
    moved_on(scene)
    scene.git("merge", "-q", "--squash", "topic")
    scene.git("commit", "-q", "-m", "topic as one")
    scene.git("switch", "-q", "topic")
    scene.commit(changed("b.py", 5, 7, 9, 11, 13), "and a little more")
    scene.say(NOTE)
    assert scene.seen("main") == {NOTE: Visibility.UNMERGED}


def test_a_cherry_picked_commit_counts_on_both_branches(branched: Scene) -> None:
    moved_on(branched)
    branched.git("cherry-pick", "topic~")
    assert branched.seen("main") == branched.seen("topic") == {NOTE: Visibility.HERE}


def test_the_next_commit_of_a_branch_brings_nothing_when_it_is_picked(branched: Scene) -> None:
    moved_on(branched)
    branched.git("cherry-pick", "topic")
    assert branched.seen("main") == {NOTE: Visibility.UNMERGED}


def test_a_memory_of_a_reset_commit_was_tried(scene: Scene) -> None:
    scene.commit(changed("a.py", 10))
    scene.say(NOTE)
    scene.git("reset", "-q", "--hard", "HEAD~")
    scene.commit(changed("a.py", 40))
    assert scene.seen() == {NOTE: Visibility.ABANDONED}


def test_a_memory_of_a_deleted_branch_was_tried(branched: Scene) -> None:
    moved_on(branched)
    branched.git("branch", "-q", "-D", "topic")
    assert branched.seen() == {NOTE: Visibility.ABANDONED}


def test_a_branch_that_is_restored_brings_it_back(branched: Scene) -> None:
    tip = branched.head
    moved_on(branched)
    branched.git("branch", "-q", "-D", "topic")
    assert branched.seen() == {NOTE: Visibility.ABANDONED}
    branched.git("branch", "-q", "topic", tip)
    assert branched.seen() == {NOTE: Visibility.UNMERGED}
    branched.git("merge", "-q", "--no-edit", "topic")
    assert branched.seen() == {NOTE: Visibility.HERE}


def test_a_rewrite_holds_when_git_has_forgotten_the_old_commit(branched: Scene) -> None:
    moved_on(branched)
    branched.git("merge", "-q", "--squash", "topic")
    branched.git("commit", "-q", "-m", "topic as one")
    branched.git("branch", "-q", "-D", "topic")
    branched.seen()
    branched.git("reflog", "expire", "--expire=now", "--all")
    branched.git("gc", "-q", "--prune=now")
    assert branched.tried("cat-file", "-e", rewrites(branched)[0][0]).returncode
    assert branched.seen() == {NOTE: Visibility.HERE}


def test_the_map_of_a_hook_is_recorded_once_and_only_for_commits_of_the_ledger(branched: Scene) -> None:
    said, other = branched.git("rev-parse", "topic~"), branched.git("rev-parse", "topic")
    became = moved_on(branched)
    pairs = [(said, became), (other, became), (said, said)]
    assert record_rewrites(branched.workspace, pairs) == 1
    assert record_rewrites(branched.workspace, pairs) == 0
    assert rewrites(branched) == [(said, became)]
    assert branched.told(became) == {NOTE: Visibility.HERE}


def test_a_revert_is_no_rewrite(branched: Scene) -> None:
    moved_on(branched)
    branched.git("cherry-pick", "topic~")
    branched.git("revert", "--no-edit", "HEAD")
    revert = branched.head
    branched.say("on the revert")
    branched.git("reset", "-q", "--hard", "HEAD~2")
    assert branched.seen() == {NOTE: Visibility.UNMERGED, "on the revert": Visibility.ABANDONED}
    assert revert not in [new for _, new in rewrites(branched)]


def test_a_reverted_and_repeated_commit_is_not_mistaken_for_the_first_one(branched: Scene) -> None:
    moved_on(branched)
    branched.git("cherry-pick", "topic~")
    branched.git("revert", "--no-edit", "HEAD")
    first = branched.git("rev-parse", "HEAD~")
    branched.git("switch", "-q", "-c", "again")
    branched.git("cherry-pick", first)
    branched.say("on the second time")
    branched.git("switch", "-q", "-c", "copy", "main~3")
    branched.git("cherry-pick", "again")
    assert branched.seen("copy")["on the second time"] is Visibility.HERE
    assert branched.seen("main")["on the second time"] is Visibility.UNMERGED


def test_a_persons_memory_without_code_is_visible_everywhere(branched: Scene) -> None:
    branched.say("everywhere", source=Source.PERSON)
    assert branched.seen("main") == {NOTE: Visibility.UNMERGED, "everywhere": Visibility.HERE}
    assert branched.seen("topic") == {NOTE: Visibility.HERE, "everywhere": Visibility.HERE}


def test_the_same_words_in_another_commit_are_no_rewrite(branched: Scene) -> None:
    moved_on(branched)
    branched.commit(changed("a.py", 44, by="stranger"), "first of topic")
    assert branched.seen() == {NOTE: Visibility.UNMERGED}


def test_a_detached_work_tree_keeps_the_memories_of_its_commit(branched: Scene, tmp_path: Path) -> None:
    branched.git("worktree", "add", "-q", "--detach", str(tmp_path / "other"), "topic")
    moved_on(branched)
    branched.git("branch", "-q", "-D", "topic")
    assert branched.seen() == {NOTE: Visibility.UNMERGED}
    branched.git("worktree", "remove", str(tmp_path / "other"))
    assert branched.seen() == {NOTE: Visibility.ABANDONED}


def test_a_stash_keeps_nothing_alive(branched: Scene) -> None:
    (branched.folder / "c.py").write_text("half done\n")
    branched.git("stash", "-q")
    moved_on(branched)
    branched.git("branch", "-q", "-D", "topic")
    assert branched.seen() == {NOTE: Visibility.ABANDONED}


def test_an_amended_root_and_an_empty_commit_are_followed(scene: Scene) -> None:
    scene.say("on the root")
    scene.git("commit", "-q", "--allow-empty", "-m", "nothing yet")
    scene.say("on nothing")
    empty = scene.git("rev-parse", "HEAD")
    scene.git("switch", "-q", "--detach", "HEAD~")
    scene.git("commit", "-q", "--amend", "-m", "begin again")
    scene.git("cherry-pick", "--allow-empty", empty)
    assert scene.seen() == {"on the root": Visibility.HERE, "on nothing": Visibility.HERE}


def test_a_memory_of_a_merge_follows_the_rebase_that_leaves_the_merge_out(branched: Scene) -> None:
    moved_on(branched)
    branched.git("switch", "-q", "topic")
    branched.git("merge", "-q", "--no-edit", "main")
    branched.say("on the merge")
    moved_on(branched, "c.py", 30)
    branched.git("rebase", "-q", "main", "topic")
    assert branched.seen("topic") == {NOTE: Visibility.HERE, "on the merge": Visibility.HERE}
    assert branched.seen("main") == {NOTE: Visibility.UNMERGED, "on the merge": Visibility.UNMERGED}


def test_binary_files_modes_and_odd_names_are_followed(scene: Scene) -> None:
    scene.git("switch", "-q", "-c", "topic")
    (scene.folder / 'picture "x".bin').write_bytes(bytes(range(256)))
    (scene.folder / "a.py").chmod(0o755)
    scene.commit({"naïve name.txt": "@@ -1 +1 @@\ndiff --git a/x b/x\ncommit 1\n"}, "all sorts")
    scene.say(NOTE)
    scene.git("rm", "-q", "b.py")
    scene.git("commit", "-q", "-m", "remove it")
    moved_on(scene)
    scene.git("merge", "-q", "--squash", "topic")
    scene.git("commit", "-q", "-m", "as one")
    scene.git("branch", "-q", "-D", "topic")
    assert scene.seen() == {NOTE: Visibility.HERE}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands of git that are run."""
    made: list[str] = []
    read, stream = Repository.read, Repository.stream

    def counted(self: Repository, *arguments: str, feed: bytes | None = None) -> object:
        made.append(next(each for each in arguments if not each.startswith("-") and "=" not in each))
        return stream(self, *arguments, feed=feed)

    monkeypatch.setattr(Repository, "stream", counted)
    assert Repository.read is read
    return made


def test_nothing_to_do_costs_next_to_nothing(scene: Scene, calls: list[str]) -> None:
    scene.workspace.catalog.set_meta("identity", "known")
    head = scene.head
    assert follow_rewrites(scene.workspace, "") == follow_rewrites(scene.workspace, head) == 0
    assert calls == []
    scene.say(NOTE)
    assert follow_rewrites(scene.workspace, head) == 0
    assert calls == ["cat-file", "rev-list"]


def test_an_unfound_commit_is_searched_again_only_when_a_ref_moves(branched: Scene, calls: list[str]) -> None:
    branched.workspace.catalog.set_meta("identity", "known")
    main = branched.git("rev-parse", "main")
    follow_rewrites(branched.workspace, main)
    first = len(calls)
    follow_rewrites(branched.workspace, main)
    assert calls[first:] == ["cat-file", "rev-list", "for-each-ref", "worktree"]
    branched.git("branch", "-q", "another", "topic~")
    second = len(calls)
    follow_rewrites(branched.workspace, main)
    assert len(calls) > second + 4


def test_commits_that_this_clone_lacks_are_not_searched_for(scene: Scene) -> None:
    scene.say(NOTE)
    lost = scene.head
    scene.git("commit", "-q", "--amend", "-m", "begin again")
    scene.git("reflog", "expire", "--expire=now", "--all")
    scene.git("gc", "-q", "--prune=now")
    assert scene.tried("cat-file", "-e", lost).returncode
    assert follow_rewrites(scene.workspace, scene.head) == 0
    assert scene.told(scene.head) == {NOTE: Visibility.HERE}


def test_code_that_landed_another_way_lands_its_memories(scene: Scene) -> None:
    scene.git("switch", "-q", "-c", "topic")
    code = "def price(order):\n    taxed = order.amount * order.rate\n    return round(taxed + order.fee, 2)\n"
    scene.commit({"price.py": code}, "a price")
    scene.say(NOTE, anchor_at(scene.workspace, "price.py", "price"))
    moved_on(scene)
    assert scene.seen() == {NOTE: Visibility.UNMERGED}
    scene.commit({"price.py": f"LIMIT = 5\n\n\n{code}\n\ndef rest(order):\n    return order.rest\n"}, "prices, by hand")
    assert scene.seen() == {NOTE: Visibility.HERE}


SOAK = bool(os.environ.get("REPOMEM_SOAK"))  # ten minutes
STEPS = st.lists(
    st.tuples(st.sampled_from([name for name, times in OPERATIONS.items() for _ in range(times)]), st.integers(0, 7)),
    min_size=8,
    max_size=25 if SOAK else 18,
)
CASES = count()


@pytest.mark.slow
@settings(max_examples=600 if SOAK else 40, derandomize=True, database=None)
@given(steps=STEPS)
def test_nothing_leaks_and_nothing_is_lost(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("history") / "work"
    with scene_in(folder, {**branch_model.FILES, "case.txt": f"{next(CASES)}\n"}) as scene:
        model = Model(scene)
        model.play((*BEGIN, *steps))
        for tip in model.branches.values():  # however seldom the index was brought up to date, and in whatever order
            for text, seen in scene.seen(tip).items():
                assert (seen is Visibility.HERE) in {one is Visibility.HERE for one in model.expected(text, tip)}, (
                    text,
                    tip,
                )
        for tip in model.branches.values():
            told = scene.told(tip)
            assert told.keys() == model.said_on.keys()
            for text, seen in told.items():
                assert seen in model.expected(text, tip), (text, tip)
    shutil.rmtree(folder.parent)
