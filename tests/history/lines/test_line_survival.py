"""Line survival: how many of a commit's added lines remain."""

from dataclasses import replace

from repomem.adapters.git.hunks import LINE_LENGTH, LINES_KEPT
from repomem.core.types.commits import Hunk
from repomem.history.lines.survival import Fate, LineSurvival, line_survival

HUNK = Hunk("c1", "a.py", "", ("removed line", "  added one", "added two", "}"), removed=1)


def test_remaining_lines_are_counted_in_the_file_they_were_added_to() -> None:
    other = replace(HUNK, path="b.py", lines=("added one", "added three"), removed=0)
    found = line_survival([HUNK, other], {"a.py": ("added one",), "b.py": ("added three",)})
    assert found == {"c1": LineSurvival(4, 2)}


def test_short_and_removed_lines_are_not_counted() -> None:
    assert line_survival([HUNK], {"a.py": ("}", "removed line")}) == {"c1": LineSurvival(2, 0)}


def test_a_removed_file_has_no_remaining_lines() -> None:
    assert line_survival([HUNK], {})["c1"].text == "its files were removed or renamed"


def test_line_survival_is_shown_in_words() -> None:
    texts = [LineSurvival(*counts).text for counts in ((0, 0), (20, 0), (20, 2), (20, 19), (20, 20))]
    some = ["2 of its 20 distinctive lines remain", "19 of its 20 distinctive lines remain"]
    assert texts == ["", "its lines were removed since", *some, "still in the code"]
    assert not LineSurvival(0, 0).is_gone


def test_a_brief_reports_only_removed_lines() -> None:
    losses = [LineSurvival(*counts).loss for counts in ((0, 0), (20, 0), (20, 2), (20, 9), (20, 10), (20, 20))]
    few = "less than half of its lines remain"
    assert losses == ["", "its lines were removed since", few, few, "", ""]
    assert LineSurvival(20, 0, is_lost=True).loss == "its files were removed or renamed"


def test_a_brief_reports_which_lines_were_counted() -> None:
    assert LineSurvival(20, 2, is_source=True).loss == "less than half of its source lines remain"
    assert LineSurvival(20, 2, is_cut=True).loss == "less than half of the lines read of this large commit remain"


def test_a_line_that_a_formatter_split_remains() -> None:
    hunk = Hunk("c1", "a.rs", "", (".policies.contains(&Policy::Inherit)", ".policies.contains(&Policy::Null)"))
    now = (".policies", ".contains(&Policy::Inherit)", ".policies.iter()")
    assert line_survival([hunk], {"a.rs": now})["c1"].text == "1 of its 2 distinctive lines remain"


def test_a_line_that_was_split_remains_although_the_records_took_it_out() -> None:
    hunk = Hunk("c1", "a.py", "", ("total = price_of(parcel, wrapping)", "weight = weight_of(parcel)"))
    now = {"a.py": ("total = price_of(", "parcel, wrapping", ")", "weight = 1")}
    assert line_survival([hunk], now, lambda *_: Fate.TAKEN) == {"c1": LineSurvival(2, 1)}


def test_of_a_hunk_that_was_cut_only_the_lines_read_are_counted() -> None:
    lines = tuple(f"line {at:05}" for at in range(LINES_KEPT))
    state = line_survival([Hunk("c1", "a.rs", "", lines)], {"a.rs": lines[:10] + lines[20:60]})["c1"]
    text = f"{state.remaining} of the {state.added} distinctive lines read of this large commit remain"
    assert (state.remaining, state.added, state.text) == (50, LINES_KEPT, text)


def test_a_line_that_the_patch_cut_remains() -> None:
    whole = "A sentence of a paragraph on one line. " * 20
    hunk = Hunk("c1", "README.md", "", (f"  {whole}"[:LINE_LENGTH], f"  other {whole}"[:LINE_LENGTH]))
    assert line_survival([hunk], {"README.md": (whole.strip(),)})["c1"].text == "1 of its 2 distinctive lines remain"


def test_a_line_of_which_only_parts_are_left_does_not_remain() -> None:
    hunk = Hunk("c1", "a.rs", "", ("first_part(second_part)third_part",))
    assert line_survival([hunk], {"a.rs": ("first_part", "third_part", "(second")}) == {"c1": LineSurvival(1, 0)}


def test_a_line_that_was_realigned_remains() -> None:
    hunk = Hunk("c1", "a.go", "", ('Use:  "plugin",', 'Long: "gone",'))
    assert (
        line_survival([hunk], {"a.go": ('Use:     "plugin",', "}")})["c1"].text == "1 of its 2 distinctive lines remain"
    )


def test_a_line_without_its_semicolon_or_with_other_quotes_remains() -> None:
    hunk = Hunk("c1", "a.js", "", ("const a = wanted('one');", "const b = wanted('two');", "'', '';"))
    now = ('const a = wanted("one")', "", "const b = wanted(2)")
    assert line_survival([hunk], {"a.js": now}) == {"c1": LineSurvival(2, 1)}


def test_a_version_is_not_counted() -> None:
    hunk = Hunk("c1", "package.json", "", ('  "version": "3.1.2",', '  "versions": ["3.1", "x"],'))
    assert line_survival([hunk], {"package.json": ('"version": "3.1.2",',)}) == {"c1": LineSurvival(1, 0)}


def test_a_line_that_was_taken_out_is_not_counted_if_the_file_has_one_like_it() -> None:
    now = {"a.py": ("added one", "added two")}
    found = line_survival([HUNK], now, lambda _, line: Fate.TAKEN if line == "added one" else Fate.UNKNOWN)
    assert found == {"c1": LineSurvival(1, 1, unsure=1)}
    gone = line_survival([HUNK], {"a.py": ("added two",)}, lambda *_: Fate.TAKEN)
    assert gone == {"c1": LineSurvival(1, 0, unsure=1)}


def test_lines_that_a_formatter_joined_remain() -> None:
    lines = ("for (auto &sink : sinks_)", "{", "SPDLOG_TRY", "{", "sink->flush();", "}", "SPDLOG_CATCH()", "}")
    now = ("for (auto &sink : sinks_) {", "SPDLOG_TRY { sink->flush(); }", "SPDLOG_CATCH(source_loc())", "}")
    assert line_survival([Hunk("c1", "a.h", "", lines)], {"a.h": now}) == {"c1": LineSurvival(4, 3)}


def test_the_lines_of_a_paragraph_that_was_rewrapped_remain() -> None:
    lines = ("Weigh each parcel before", "it is stamped, and stamp", "it before it is sent.")
    now = ("A guide.", "Weigh each parcel", "before it is stamped, and", "stamp it before it is sent.")
    assert line_survival([Hunk("c1", "a.md", "", lines)], {"a.md": now}) == {"c1": LineSurvival(3, 3)}


def test_a_line_that_became_a_part_of_another_does_not_remain() -> None:
    hunk = Hunk("c1", "a.py", "", ("return weight",))
    assert line_survival([hunk], {"a.py": ("return weight + wrapping",)}) == {"c1": LineSurvival(1, 0)}


def test_a_line_of_which_the_file_has_more_copies_than_the_commit_added_is_not_counted() -> None:
    hunk = Hunk("c1", "ci.yml", "", ("- rust: nightly", "target: mips-unknown-linux-gnu"))
    now = {"ci.yml": ("- rust: nightly", "target: x86_64", "- rust: nightly")}
    assert line_survival([hunk], now) == {"c1": LineSurvival(1, 0, unsure=1)}
    assert line_survival([hunk], now, lambda *_: Fate.KEPT) == {"c1": LineSurvival(2, 1)}


def test_survival_is_unknown_if_lines_may_be_copies() -> None:
    few, many = LineSurvival(40, 0, unsure=1), LineSurvival(1, 0, unsure=12)
    assert (few.is_gone, few.text) == (True, "its lines were removed since")
    assert (many.is_gone, many.text, LineSurvival(2, 1, unsure=12).text) == (False, "", "")
    assert LineSurvival(2, 2, unsure=12).text == "still in the code"


def test_of_equal_lines_as_many_remain_as_the_file_has_copies() -> None:
    hunk = Hunk("c1", "a.py", "", ("equal line",) * 3, 0)
    for fate in (Fate.KEPT, Fate.TAKEN, Fate.UNKNOWN):
        assert line_survival([hunk], {"a.py": ["equal line"]}, lambda *_, fate=fate: fate) == {"c1": LineSurvival(3, 1)}


def test_a_line_of_keywords_is_not_counted() -> None:
    hunk = Hunk("c1", "a.py", "", ("else:", "return None", "raise Unweighed"))
    assert line_survival([hunk], {"a.py": ("else:", "return None")}) == {"c1": LineSurvival(1, 0)}
