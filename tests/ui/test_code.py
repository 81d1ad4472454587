"""The code of a memory then and now, paired line by line."""

from repomem.ui.pages.code import CONTEXT, LinePair, paired_lines


def test_equal_code_is_shown_whole() -> None:
    assert list(paired_lines(["a", "b"], ["a", "b"], 7, 9)) == [
        LinePair("same", 7, "a", 9, "a"),
        LinePair("same", 8, "b", 10, "b"),
    ]


def test_changed_added_and_removed_lines_are_paired() -> None:
    pairs = list(paired_lines(["a", "b", "c", "d"], ["a", "x", "d", "e"], 1, 1))
    assert pairs == [
        LinePair("same", 1, "a", 1, "a"),
        LinePair("changed", 2, "b", 2, "x"),
        LinePair("removed", 3, "c"),
        LinePair("same", 4, "d", 3, "d"),
        LinePair("added", now_line=4, now="e"),
    ]


def test_lines_far_from_a_change_are_counted() -> None:
    lines = [str(at) for at in range(40)]
    then, now = lines, ["x" if at in {10, 30} else line for at, line in enumerate(lines)]
    skipped = [pair.skipped for pair in paired_lines(then, now, 1, 1) if pair.kind == "skipped"]
    assert skipped == [10 - CONTEXT, 30 - 10 - 1 - 2 * CONTEXT]


def test_deleted_code_has_only_removed_lines() -> None:
    assert list(paired_lines(["a"], [], 3, 1)) == [LinePair("removed", 3, "a")]
