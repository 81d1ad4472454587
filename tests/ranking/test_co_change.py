"""Files that change together, counted over commits."""

from dataclasses import replace

from repomem.core.types.commits import Episode, FileChange
from repomem.ranking.co_change import (
    FEWEST_ADDED,
    LEAST,
    MOST_FILES,
    SHOWN,
    CoChanges,
    Registrations,
    co_changes,
    registrations,
)

DAY = 86_400  # seconds
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
    assert together(own, APART) == CoChanges(10, (("a_test.py", 5), ("b.py", 3)))


def test_too_few_commits_in_common_do_not_count() -> None:
    few = [commit("a.py", "a_test.py")] * (LEAST - 1)
    assert together([*few, commit("a.py")], APART) is None
    assert together([*few, commit("a.py"), commit("a.py", "a_test.py")], APART) is not None


def test_a_small_share_of_many_commits_does_not_count() -> None:
    assert together([commit("a.py", "b.py")] * 4 + [commit("a.py")] * 30, APART) is None


def test_a_file_that_changed_with_it_years_ago_is_left_out() -> None:
    own = [replace(commit("a.py", "b.py"), time=0)] * 6
    newer = replace(commit("a.py"), time=1_000 * DAY)
    assert together([newer, *own], APART) is not None
    assert together([replace(newer, time=1_100 * DAY), *own], APART) is None


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
    assert together(own, APART) == CoChanges(5, (("a_test.py", 5),))


def test_a_file_created_again_under_an_old_name_is_another_file() -> None:
    renamed = commit("a_test.py", "a.py", old_path="test_a.py")
    created = replace(renamed, files=(FileChange("A", "test_a.py"), FileChange("M", "a.py")))
    own = [renamed, created, *[commit("a.py", "test_a.py")] * 6]
    assert together(own, APART) is None


def test_commits_of_a_file_that_had_the_name_before_do_not_count() -> None:
    renamed = commit("a_test.py", old_path="a.py")
    assert together([*[commit("a.py")] * 2, renamed, *[commit("a.py")] * 8], APART) is None


def test_the_number_of_files_is_limited_and_ties_go_by_path() -> None:
    own = [commit("a.py", "d.py", "c.py", "b.py", "a_test.py")] * 3
    found = together(own, [commit("x.py")] * 20)
    assert found is not None
    assert found.others == (("a_test.py", 3), ("b.py", 3), ("c.py", 3))[:SHOWN]


def adding(path: str, *edited: str) -> Episode:
    files = (FileChange("A", path), *(FileChange("M", each) for each in edited))
    return Episode("c" * 40, ("p" * 40,), "Ada", "2024-01-01", 0, "a new file", "", files)


def entered(
    *episodes: Episode, path: str = "lib/tests/one.c", gap: int = 60 * DAY, now: int = 0
) -> Registrations | None:
    """The registrations after these commits, newest first, with a `gap` between any two."""
    dated = [replace(each, time=-at * gap) for at, each in enumerate(episodes)]
    newest = [replace(commit("d.py"), time=now), *dated, *APART]
    return registrations(path, newest, {"lib/tests/Makefile.inc": 1, "lib/all.c": 2, "CHANGES.md": 3})


SIBLINGS = [adding(f"lib/tests/{at}.c", "lib/tests/Makefile.inc") for at in range(7)]


def test_the_file_in_which_siblings_were_entered_is_found_with_its_count() -> None:
    found = entered(*SIBLINGS, adding("lib/tests/8.c"), adding("lib/tests/notes.md"), adding("lib/8.c"))
    assert found == Registrations("lib/tests/", ".c", 8, (("lib/tests/Makefile.inc", 7),))


def test_one_series_of_additions_or_an_old_habit_is_no_registration() -> None:
    assert entered(*SIBLINGS, gap=DAY) is None
    assert entered(*SIBLINGS, now=2 * 365 * DAY) is not None
    assert entered(*SIBLINGS, now=4 * 365 * DAY) is None


def test_few_additions_and_a_low_share_are_no_registration() -> None:
    assert entered(*SIBLINGS[: FEWEST_ADDED - 1]) is None
    assert entered(*SIBLINGS[:FEWEST_ADDED]) is not None
    assert entered(*SIBLINGS, *[adding(f"lib/tests/a{at}.c") for at in range(4)]) is None


def test_a_commit_that_only_edits_a_sibling_does_not_count() -> None:
    assert entered(*[commit("lib/tests/1.c", "lib/tests/Makefile.inc")] * 7) is None


def test_new_removed_and_always_edited_files_are_not_registrations() -> None:
    both = [(FileChange("A", f"lib/tests/{at}.c"), FileChange("A", "lib/all.c")) for at in range(6)]
    new = [Episode("c", ("p",), "Ada", "2024-01-01", 0, "", "", files) for files in both]
    assert entered(*new) is None
    assert entered(*[adding(f"lib/tests/{at}.c", "lib/gone.c") for at in range(6)]) is None
    with_log = [adding(f"lib/tests/{at}.c", "CHANGES.md") for at in range(6)]
    assert entered(*with_log, *[commit("d.py", "CHANGES.md")] * 30) is None


def test_siblings_count_under_the_folder_that_they_were_moved_to() -> None:
    moves = [
        Episode("c", ("p",), "Ada", "2024-01-01", 0, "", "", (FileChange("R", f"lib/tests/{at}.c", f"old/{at}.c"),))
        for at in range(5)
    ]
    found = entered(*moves, *[adding(f"old/{at}.c", "lib/tests/Makefile.inc") for at in range(5)])
    assert found == Registrations("lib/tests/", ".c", 5, (("lib/tests/Makefile.inc", 5),))
