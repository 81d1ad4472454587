"""Lost lines and reverts, from the changes of commits alone."""

import pytest

from repomem.adapters.sqlite.changes import CommitSummary, SymbolChange
from repomem.core.types.commits import Hunk
from repomem.core.types.line_history import RevertKind
from repomem.history.lines.lost import LostLines, lost_lines
from repomem.history.lines.patch_lines import altered, changes_of, is_meaningful, line_hash
from repomem.history.messages import is_fix, reason_of
from repomem.history.reverted_changes import RevertContext, first_parent_positions, neighbours, reverted_changes

LINES = tuple(line_hash(f"total += rate_{name}(order)") for name in "abcdef")
NOTHING: frozenset[int] = frozenset()


@pytest.mark.parametrize(
    "line",
    [
        "",
        "}",
        "return None",
        "else:",
        "# explains it all",
        "# define the limit of 4096 lines",
        "import os.path",
        "x = 1",
        "*/",
    ],
)
def test_common_lines_are_not_meaningful(line: str) -> None:
    assert not is_meaningful(line)


@pytest.mark.parametrize(
    "line", ["total = price * count", "#define LIMIT 4096", "#  define MOST_LINES most", "return fetch(url)"]
)
def test_statements_are_meaningful(line: str) -> None:
    assert is_meaningful(line)


@pytest.mark.parametrize("other", ["call('a', b)", '  call("a",b,)', "call( 'a' , b );"])
def test_formatting_does_not_change_the_hash_of_a_line(other: str) -> None:
    assert line_hash(other) == line_hash('call("a", b)')


@pytest.mark.parametrize(
    ("line", "other", "is_same"),
    [
        ("cookies.join(',')", "cookies.join('; ')", False),
        ("words = text.split(' ')", "words = text.split('')", False),
        ('escape("(),/:;<=>?@[]{}")', 'escape("(),/:;<=>?@[]{}\\\\")', False),
        ("cookies.join(', ')", 'cookies.join( ", " );', True),
        ("names = ['a', 'b']", 'names=["a","b"]', True),
        ("isQuote = c == '\"'", 'isQuote = c == "\\""', True),
    ],
)
def test_another_separator_in_quotes_changes_the_hash_of_a_line(line: str, other: str, *, is_same: bool) -> None:
    assert (line_hash(line) == line_hash(other)) is is_same


def test_a_long_line_of_escaped_quotes_is_read_once() -> None:
    line = "split('; ', '" + "\\'" * 100_000  # one reading for each quote would take hours
    assert line_hash(line) != line_hash(line.replace(";", ","))


def test_a_line_that_keeps_most_of_its_words_is_altered() -> None:
    before = "fee = compute_fee(order, rate, tax)"
    assert altered([before], ["fee = compute_fee(order, rate, tax, region)"]) == [
        (before, "fee = compute_fee(order, rate, tax, region)")
    ]
    assert altered([before], ["unrelated = other(thing)"]) == []


def test_a_split_line_is_paired_with_its_parts() -> None:
    before = "fee = compute_fee(order_total, local_rate)"
    after = ["fee = compute_fee(", "order_total, local_rate"]
    assert altered([before], after) == [(before, after[0]), (before, after[1])]


def test_changes_belong_to_the_symbol_above_them() -> None:
    hunk = Hunk(
        "c", "a.py", "def first():", ("    gone = before(it)", "def second():", "here = after(that)"), removed=1
    )
    assert changes_of([hunk]) == [
        SymbolChange("", "a.py", "first", removed=(line_hash("gone = before(it)"),)),
        SymbolChange("", "a.py", "second", added=(line_hash("def second():"), line_hash("here = after(that)"))),
    ]


@pytest.mark.parametrize("swap", [False, True])
def test_a_hunk_that_only_breaks_or_joins_lines_changes_none(*, swap: bool) -> None:
    long, broken = ["fee = compute_fee(order_total, local_rate)"], ["fee = compute_fee(", "order_total, local_rate)"]
    before, after = (broken, long) if swap else (long, broken)
    assert changes_of([Hunk("c", "a.py", "def f():", (*before, *after), removed=len(before))]) == []
    after = [*after[:-1], f"{after[-1]}  # of today"]
    assert changes_of([Hunk("c", "a.py", "def f():", (*before, *after), removed=len(before))]) != []


def test_a_hunk_that_only_moves_an_operator_to_the_line_above_changes_none() -> None:
    lines = ("(value != MINIMUM || is_negative)", "&& (value != 0 || !is_negative)")
    moved = ("(value != MINIMUM || is_negative) &&", "(value != 0 || !is_negative)")
    assert changes_of([Hunk("c", "a.kt", "fun read()", (*lines, *moved), removed=2)]) == []


def test_a_reformatted_line_still_belongs_to_its_first_commit() -> None:
    old, new = LINES[:2]
    changes = [
        SymbolChange("first", "a.py", "f", added=(old,)),
        SymbolChange("format", "a.py", "f", altered=((old, new),)),
        SymbolChange("last", "a.py", "f", removed=(new,)),
    ]
    [loss] = lost_lines(changes)
    assert loss == LostLines("first", "last", "a.py", "f", frozenset([old]), frozenset([new]))


def test_a_line_that_the_same_commit_adds_again_is_not_lost() -> None:
    changes = [
        SymbolChange("first", "a.py", "f", added=LINES),
        SymbolChange("move", "a.py", "f", removed=LINES),
        SymbolChange("move", "a.py", "g", added=LINES),
    ]
    assert lost_lines(changes) == []


def test_a_line_that_two_commits_added_has_no_owner() -> None:
    changes = [SymbolChange(name, "a.py", "f", added=LINES[:1]) for name in ("first", "second")]
    assert lost_lines([*changes, SymbolChange("last", "a.py", "f", removed=LINES[:1])]) == []


def test_merged_commits_have_the_position_of_their_merge() -> None:
    commits = [
        CommitSummary("head", ("merge",), ""),
        CommitSummary("merge", ("base", "side"), ""),
        CommitSummary("side", ("base",), ""),
        CommitSummary("base", (), ""),
    ]
    assert first_parent_positions(commits) == {"head": 0, "merge": 1, "base": 2, "side": 1}


def told(
    subject: str,
    reverts: str = "",
    others: int = 0,
    by: SymbolChange | None = None,
    later: str = "later",
    *,
    is_cut: bool = False,
) -> list[RevertKind]:
    """How six lines that a commit of this subject added, and a later one took out, are seen."""
    between = [CommitSummary(f"b{at}", (f"b{at + 1}" if at + 1 < others else "a",), "more") for at in range(others)]
    commits = [CommitSummary("z", (between[0].commit if between else "a",), later, "", reverts, is_cut), *between]
    commits += [CommitSummary("a", ("root",), subject), CommitSummary("root", (), "begin")]
    changes = [SymbolChange("a", "a.py", "f", added=LINES), by or SymbolChange("z", "a.py", "f", removed=LINES)]
    by_commit = {change.commit: [change] for change in changes}
    order = [commit.commit for commit in commits]
    known = {commit.commit: commit for commit in commits}
    story = RevertContext(
        known, by_commit, lambda _: NOTHING, neighbours(order, ["z"]), first_parent_positions(commits)
    )
    return [change.how for change in reverted_changes(lost_lines(changes), story)]


MIXED = SymbolChange("z", "a.py", "f", removed=(*LINES[:5], line_hash("other = thing()"), line_hash("more = things()")))


def test_the_exact_inverse_of_a_commit_is_a_revert_whatever_its_message() -> None:
    assert told("feat: surcharges") == [RevertKind.REVERTED]


def test_a_commit_named_by_a_revert_message_is_reverted() -> None:
    assert told("fix: surcharges", reverts="fix: surcharges", by=MIXED) == [RevertKind.REVERTED]


def test_code_removed_within_fifty_commits_is_a_failed_attempt() -> None:
    assert told("feat: surcharges", others=49, by=MIXED) == [RevertKind.REMOVED]
    assert told("feat: surcharges", others=50, by=MIXED) == []


def test_a_fix_may_be_lost_after_any_number_of_commits() -> None:
    assert told("fix: surcharges", others=60, by=MIXED) == [RevertKind.FIX_GONE]


@pytest.mark.parametrize("subject", ["refactor: prices", "Rename price to cost", "Move prices to their module"])
def test_restructured_code_is_not_reported(subject: str) -> None:
    assert told("feat: surcharges", by=MIXED, later=subject) == []
    assert told("fix: surcharges", by=MIXED, later=subject) == []


RETIRING = [
    "Removed previously deprecated methods",
    "drop the deprecated surcharges",
    "Remove Sentinel workaround for Click 8.3.1+ (#685)",
    "Delete the surcharges, which are no longer needed",
    "Clean up an obsolete hack",
    "Surcharge work-around is not needed any more: delete it",
]


@pytest.mark.parametrize("subject", RETIRING)
def test_removed_deprecated_code_is_neither_a_lost_fix_nor_a_failed_attempt(subject: str) -> None:
    assert told("fix: surcharges", by=MIXED, later=subject) == []
    assert told("feat: surcharges", by=MIXED, later=subject) == []


@pytest.mark.parametrize("subject", ["Remove surcharges", "rows are no longer lost", "Work around Click 8.3"])
def test_other_removals_may_lose_a_fix(subject: str) -> None:
    assert told("fix: surcharges", by=MIXED, later=subject) == [RevertKind.FIX_GONE]


def test_a_truncated_commit_is_never_an_unstated_revert() -> None:
    assert told("feat: surcharges", is_cut=True) == []


def test_reverting_a_revert_is_a_new_attempt() -> None:
    commits = [
        CommitSummary("z", ("a",), "again", "", "Revert it"),
        CommitSummary("a", (), "Revert it", "", "feat: it"),
    ]
    changes = [SymbolChange("a", "a.py", "f", added=LINES), SymbolChange("z", "a.py", "f", removed=LINES)]
    known = {commit.commit: commit for commit in commits}
    story = RevertContext(
        known, {c.commit: [c] for c in changes}, lambda _: NOTHING, {}, first_parent_positions(commits)
    )
    assert reverted_changes(lost_lines(changes), story) == []


@pytest.mark.parametrize(
    ("subject", "kind", "expected"),
    [
        ("fix: keep the proxy", "fix", True),
        ("Fix crash on empty input", "", True),
        ("Handle a timeout error in the pool", "", True),
        ("fix typo in docstring", "", False),
        ("fix: flaky tests", "fix", False),
        ("feat: prefix search", "feat", False),
        ("Add prefix search", "", False),
    ],
)
def test_a_fix_concerns_the_program(subject: str, kind: str, expected: bool) -> None:
    assert is_fix(subject, kind) is expected


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("This reverts commit 1234567.", ""),
        (
            "This reverts commit 1234567.\n\nIt broke the build on Windows. More later.",
            "It broke the build on Windows.",
        ),
        ("This reverts commit 1234567 because it leaks\nfile handles.", "it leaks file handles."),
        (
            "This reverts commit 1234567 and includes a test\nthat failed.\n\nIt broke the build on Windows.",
            "It broke the build on Windows.",
        ),
        ("No reason given.", ""),
        ("Signed-off-by: Because Since <a@example.org>", ""),
        ("- Fixes #12", ""),
        ("# Problem\n\nIt broke the build on Windows.", "It broke the build on Windows."),
        ("### Why was this wrong?", ""),
        ("- [x] I have read the guide. It fails\n  without tests.\n- [ ] Tests failed", ""),
    ],
)
def test_a_reason_is_quoted_or_left_out(body: str, reason: str) -> None:
    assert reason_of(body) == reason


@pytest.mark.parametrize("run", ["\n", "\r\n", "\t\n", "\t", "\\", "\n- "])
def test_a_long_run_of_newlines_takes_linear_time(run: str) -> None:
    assert len(reason_of(f"Revert it\n{run * 200_000}\nIt broke the build.")) <= 160


def test_a_long_reason_is_cut() -> None:
    assert len(reason_of("It broke " + "everything " * 40)) == 160
