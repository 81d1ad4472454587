"""Files that change together, counted over commits."""

from repomem.core.types.commits import Episode, FileChange
from repomem.ranking.co_change import LEAST, MOST_FILES, SHOWN, CoChanges, co_changes

LIVE = {path: at for at, path in enumerate(["a.py", "a_test.py", "b.py", "c.py", "d.py", "CHANGES.md"])}


def commit(*paths: str, old_path: str = "", parents: int = 1) -> Episode:
    files = [FileChange("M", path) for path in paths]
    if old_path:
        files[0] = FileChange("R", paths[0], old_path)
    return Episode("c" * 40, ("p" * 40,) * parents, "Ada", "2024-01-01", 0, "a change", "", tuple(files))


def together(own: list[Episode], newest: list[Episode] | None = None) -> CoChanges | None:
    return co_changes("a.py", own, own if newest is None else newest, LIVE)


APART = [commit("d.py")] * 20  # commits of other files: what changes with these alone changes seldom


def test_files_with_enough_commits_in_common_come_most_frequent_first() -> None:
    own = [commit("a.py", "a_test.py")] * 5 + [commit("a.py", "b.py")] * 3 + [commit("a.py")] * 2
    assert together(own, APART) == CoChanges("a.py", 10, (("a_test.py", 5), ("b.py", 3)))


def test_too_few_commits_in_common_do_not_count() -> None:
    few = [commit("a.py", "a_test.py")] * (LEAST - 1)
    assert together([*few, commit("a.py")], APART) is None
    assert together([*few, commit("a.py"), commit("a.py", "a_test.py")], APART) is not None


def test_a_small_share_of_many_commits_does_not_count() -> None:
    assert together([commit("a.py", "b.py")] * 4 + [commit("a.py")] * 30, APART) is None


def test_a_file_that_changes_with_every_other_is_left_out() -> None:
    own = [commit("a.py", "CHANGES.md", "a_test.py")] * 6
    found = together(own, [commit("CHANGES.md", "d.py")] * 14 + own)
    assert found is not None
    assert [path for path, _ in found.others] == ["a_test.py"]


def test_bulk_commits_and_merges_do_not_count() -> None:
    sweep = commit("a.py", "b.py", *(f"more/{at}.py" for at in range(MOST_FILES)))
    merge = commit("a.py", "b.py", parents=2)
    assert together([sweep, merge] * 5, APART) is None
    own = [commit("a.py", "a_test.py")] * 4
    assert together([*own, sweep, merge], APART) == together(own, APART)


def test_a_renamed_file_counts_under_its_current_name_and_a_removed_file_does_not() -> None:
    moved = commit("a_test.py", "a.py", old_path="test_a.py")
    own = [moved, *[commit("a.py", "test_a.py", "gone.py")] * 4]
    assert together(own, APART) == CoChanges("a.py", 5, (("a_test.py", 5),))


def test_the_number_of_files_is_limited_and_ties_go_by_path() -> None:
    own = [commit("a.py", "d.py", "c.py", "b.py", "a_test.py")] * 3
    found = together(own, [commit("x.py")] * 20)
    assert found is not None
    assert found.others == (("a_test.py", 3), ("b.py", 3), ("c.py", 3))[:SHOWN]
