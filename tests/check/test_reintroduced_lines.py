"""What of an earlier commit a change undoes, from lines alone."""

import pytest

from repomem.check.reintroduced_lines import (
    OLD,
    Reversal,
    edit_of,
    edited_places,
    is_reportable,
    is_whole_commit,
    reversal,
)
from repomem.core.types.commits import Hunk
from repomem.history.lines.patch_lines import line_hash

FIXED = ("if total is None:", "raise LedgerError('no total')", "total = total.quantize(CENT)")


def hunk(removed: tuple[str, ...] = (), added: tuple[str, ...] = (), start: int = 1) -> Hunk:
    return Hunk("", "a.py", "", (*removed, *added), len(removed), start)


def back(change: Hunk, *earlier: Hunk, before: str = "", moved: str = "") -> Reversal | None:
    hashes = [{line_hash(line) for line in text.splitlines()} for text in (before, moved)]
    return reversal(edit_of("a.py", [change], hashes[0], hashes[1]), edited_places(earlier))


def test_removed_lines_that_are_back_are_found() -> None:
    found = back(hunk(added=("def pay():", *FIXED), start=7), hunk(removed=FIXED))
    assert found == Reversal("a.py", {line_hash(line) for line in FIXED}, set())


def test_one_restored_line_counts_where_its_replacement_is_removed() -> None:
    mended = hunk(removed=("if amount:",), added=("if amount is not None:",))
    assert back(hunk(removed=("if amount is not None:",), added=("if amount:",)), mended) is not None
    assert back(hunk(added=("if amount:",)), mended) is None


@pytest.mark.parametrize(
    ("added", "before", "moved"),
    [
        (FIXED[:2], "", ""),  # too few
        (FIXED, FIXED[0], ""),  # one of them stood in the file
        (FIXED, "", FIXED[1]),  # one of them came from another place
        (("return None", "else:", "}"), "", ""),  # say nothing
    ],
)
def test_restored_lines_that_may_be_chance_do_not_count(added: tuple[str, ...], before: str, moved: str) -> None:
    assert back(hunk(added=added), hunk(removed=FIXED), before=before, moved=moved) is None


def test_lines_that_an_earlier_commit_moved_were_not_removed() -> None:
    assert back(hunk(added=FIXED), hunk(removed=FIXED), hunk(added=FIXED)) is None


def test_names_in_a_list_are_no_evidence() -> None:
    listed = ("future::RouteFuture, StripPrefix, url_params,", "Endpoint, MethodRouter, Route,", "RouteId, NEST_TAIL,")
    assert back(hunk(added=listed), hunk(removed=listed)) is None


def test_a_few_old_lines_are_not_reported() -> None:
    few, many = Reversal("a.py", {1}, {2}), Reversal("a.py", {1, 2, 3, 4, 5}, set())
    assert [is_reportable([few], OLD), is_reportable([few], OLD + 1), is_reportable([many], OLD + 1)] == [
        True,
        False,
        True,
    ]
    assert not is_reportable([], 0)


def test_a_commit_is_undone_as_a_whole_if_nearly_all_of_its_lines_are() -> None:
    spots = {"a.py": edited_places([hunk(removed=FIXED)]), "b.py": edited_places([hunk(removed=("other = thing()",))])}
    put = edit_of("a.py", [hunk(added=FIXED)], set(), set())
    assert not is_whole_commit({"a.py": put}, spots)
    assert is_whole_commit({"a.py": put}, {"a.py": spots["a.py"]})
