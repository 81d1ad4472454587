"""Line survival: how many of a commit's added lines remain."""

from dataclasses import replace

from repomem.adapters.git.hunks import LINE_LENGTH, LINES_KEPT
from repomem.core.types.commits import Hunk
from repomem.history.line_survival import LineSurvival, line_survival

HUNK = Hunk("c1", "a.py", "", ("removed line", "  added one", "added two", "}"), removed=1)


def test_remaining_lines_are_counted_in_the_file_they_were_added_to() -> None:
    other = replace(HUNK, path="b.py", lines=("added one", "added three"), removed=0)
    found = line_survival([HUNK, other], {"a.py": {"added one"}, "b.py": {"added three"}})
    assert found == {"c1": LineSurvival(4, 2)}


def test_short_and_removed_lines_are_not_counted() -> None:
    assert line_survival([HUNK], {"a.py": {"}", "removed line"}}) == {"c1": LineSurvival(2, 0)}


def test_a_removed_file_has_no_remaining_lines() -> None:
    assert line_survival([HUNK], {})["c1"].text == "its files were removed or renamed"


def test_line_survival_is_shown_in_words() -> None:
    texts = [LineSurvival(*counts).text for counts in ((0, 0), (20, 0), (20, 2), (20, 19), (20, 20))]
    some = ["2 of 20 added lines remain", "19 of 20 added lines remain"]
    assert texts == ["", "removed since", *some, "still in the code"]
    assert not LineSurvival(0, 0).is_gone


def test_a_line_that_a_formatter_split_remains() -> None:
    hunk = Hunk("c1", "a.rs", "", (".policies.contains(&Policy::Inherit)", ".policies.contains(&Policy::Null)"))
    now = {".policies", ".contains(&Policy::Inherit)", ".policies.iter()"}
    assert line_survival([hunk], {"a.rs": now})["c1"].text == "1 of 2 added lines remain"


def test_of_a_hunk_that_was_cut_only_the_lines_read_are_counted() -> None:
    lines = tuple(f"line {at:05}" for at in range(LINES_KEPT))
    state = line_survival([Hunk("c1", "a.rs", "", lines)], {"a.rs": set(lines[:10]) | set(lines[20:60])})["c1"]
    text = f"{state.remaining} of the {state.added} added lines that were read remain"
    assert (state.remaining, state.added, state.text) == (50, LINES_KEPT, text)


def test_a_line_that_the_patch_cut_remains() -> None:
    whole = "A sentence of a paragraph on one line. " * 20
    hunk = Hunk("c1", "README.md", "", (f"  {whole}"[:LINE_LENGTH], f"  other {whole}"[:LINE_LENGTH]))
    assert line_survival([hunk], {"README.md": {whole.strip()}})["c1"].text == "1 of 2 added lines remain"


def test_a_line_of_which_only_parts_are_left_does_not_remain() -> None:
    hunk = Hunk("c1", "a.rs", "", ("first_part(second_part)third_part",))
    assert line_survival([hunk], {"a.rs": {"first_part", "third_part", "(second"}})["c1"].text == "removed since"


def test_a_line_that_was_aligned_anew_remains() -> None:
    hunk = Hunk("c1", "a.go", "", ('Use:  "plugin",', 'Long: "gone",'))
    assert line_survival([hunk], {"a.go": {'Use:     "plugin",', "}"}})["c1"].text == "1 of 2 added lines remain"


def test_a_line_without_its_semicolon_or_with_other_quotes_remains() -> None:
    hunk = Hunk("c1", "a.js", "", ("const a = wanted('one');", "const b = wanted('two');", "'', '';"))
    now = {'const a = wanted("one")', "", "const b = wanted(2)"}
    assert line_survival([hunk], {"a.js": now}) == {"c1": LineSurvival(2, 1)}


def test_a_version_is_not_counted() -> None:
    hunk = Hunk("c1", "package.json", "", ('  "version": "3.1.2",', '  "versions": ["3.1", "x"],'))
    assert line_survival([hunk], {"package.json": {'"version": "3.1.2",'}}) == {"c1": LineSurvival(1, 0)}


def test_a_line_that_was_taken_out_does_not_remain_whatever_looks_like_it() -> None:
    found = line_survival([HUNK], {"a.py": {"added one", "added two"}}, lambda _, line: line == "added one")
    assert found == {"c1": LineSurvival(2, 1)}
