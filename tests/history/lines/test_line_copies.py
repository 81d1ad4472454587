"""The copies of a line that recorded changes leave, with their authors."""

from repomem.adapters.sqlite.changes import SymbolChange
from repomem.history.lines.copies import UNKNOWN, LineCopy, line_copies


def change(commit: str, symbol: str, **lines: object) -> SymbolChange:
    return SymbolChange(commit, "a.py", symbol, **lines)  # type: ignore[arg-type]  # tuples of hashes


def test_the_copy_of_another_symbol_keeps_its_author() -> None:
    found = line_copies([change("1", "f", added=(7,)), change("2", "g", added=(7,)), change("3", "g", removed=(7,))])
    assert found[7] == [LineCopy("f", "1")]


def test_an_older_copy_than_the_records_does_not_pass_for_a_later_one() -> None:
    found = line_copies([change("2", "g", added=(7,)), change("3", "g", removed=(7,))])
    assert found[7] == []


def test_a_line_that_became_another_is_by_the_commit_that_altered_it() -> None:
    found = line_copies([change("1", "f", added=(7,)), change("2", "f", altered=((7, 8),))])
    assert (found[7], found[8]) == ([], [LineCopy("f", "2")])


def test_lines_that_became_one_are_one_copy() -> None:
    assert line_copies([change("2", "f", altered=((6, 8), (7, 8)))])[8] == [LineCopy("f", "2")]


def test_a_line_that_a_commit_moved_keeps_its_author() -> None:
    moved = [change("2", "f", removed=(7,)), change("2", "g", added=(7,))]
    assert line_copies([change("1", "f", added=(7,)), *moved])[7] == [LineCopy("g", "1")]
    assert line_copies(moved)[7] == [LineCopy("g", UNKNOWN)]


def test_which_of_two_copies_in_a_symbol_was_taken_is_unknown() -> None:
    found = line_copies([change("1", "f", added=(7,)), change("2", "f", added=(7,)), change("3", "f", removed=(7,))])
    assert found[7] == [LineCopy("f", UNKNOWN)]


def test_a_line_of_a_symbol_that_was_renamed_is_found() -> None:
    assert line_copies([change("1", "f", added=(7,)), change("2", "g", removed=(7,))])[7] == []


def test_a_line_that_was_moved_out_of_two_symbols_has_no_known_author() -> None:
    written = [change("1", "f", added=(7,)), change("2", "g", added=(7,))]
    joined = [change("3", "f", removed=(7,)), change("3", "g", removed=(7,)), change("3", "h", added=(7,))]
    assert line_copies([*written, *joined])[7] == [LineCopy("h", UNKNOWN)]
