"""Episodes from logged commits."""

from dataclasses import replace

import pytest

from repomem.core.types.commits import SYMBOLS_KEPT, FileChange, Hunk, LogRecord
from repomem.history.log_parsing import BULK_FILES, episode_of, symbols_of

RECORD = LogRecord(
    commit="a" * 40,
    parents=("b" * 40,),
    author="Ada",
    date="2024-02-29",
    time=1_709_164_800,
    message="fix(core)!: keep the lock (#12)\n\nIt was let go too early.\n\nFixes: #9\nCo-authored-by: Bob <b@x.org>",
    files=(FileChange("M", "a.py"),),
)


def message(text: str) -> LogRecord:
    return replace(RECORD, message=text)


def test_an_episode_has_the_fields_and_the_meaning_of_its_record() -> None:
    episode = episode_of(RECORD, ["a.py:lock"])
    assert (episode.commit, episode.parents, episode.author) == (RECORD.commit, RECORD.parents, "Ada")
    assert (episode.date, episode.time, episode.files) == ("2024-02-29", 1_709_164_800, RECORD.files)
    assert episode.subject == "fix(core)!: keep the lock (#12)"
    assert episode.body == "It was let go too early."
    assert (episode.kind, episode.pull_request, episode.reverts) == ("fix", 12, "")
    assert episode.trailers == (("Fixes", "#9"), ("Co-authored-by", "Bob <b@x.org>"))
    assert episode.symbols == ("a.py:lock",)
    assert not episode.is_bulk
    assert not episode.is_merge


def test_fault_22_an_empty_message_is_an_episode_without_words() -> None:
    episode = episode_of(message(""))
    assert (episode.subject, episode.body, episode.kind, episode.trailers) == ("", "", "", ())


@pytest.mark.parametrize(
    ("subject", "kind"),
    [
        ("feat: x", "feat"),
        ("Fix(ui): x", "fix"),
        ("refactor!: x", "refactor"),
        ("revert: feat: x", "revert"),
        ("core: x", ""),
        ("feature work", ""),
        ("fix the lock", ""),
        ("Note: feat: x", ""),
        ("fix:x", ""),
    ],
)
def test_the_kind_is_the_conventional_type(subject: str, kind: str) -> None:
    assert episode_of(message(subject)).kind == kind


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Add a thing (#12)", 12),
        ("Fix (#3) for good (#45)", 45),
        ("Port code from prior PR (#1746), code cleanups", None),
        ("Add a thing (#12)\n* in two steps", 12),
        ("Merge pull request #678 from ada/branch\n\nAdd a thing", 678),
        ("Merge branch 'x' into 'main'\n\nAdd\n\nSee merge request group/project!91", 91),
        ("Add a thing (!7)", 7),
        ("Merge !8 from x", 8),
        ("Fixes #9", None),
        ("Colour #123456 is wrong", None),
        ("Wow!12", None),
        ("Add (#99999999999999999999)", None),
        ('Revert "Add a thing (#12)"', None),
        ('Revert "Add a thing (#12)" (#34)', 34),
    ],
)
def test_a_pull_request_is_named_by_its_number(text: str, number: int | None) -> None:
    assert episode_of(message(text)).pull_request == number


@pytest.mark.parametrize(
    ("text", "reverts"),
    [
        (
            'Revert "Add a thing"\n\nThis reverts commit 0123456789abcdef0123456789abcdef01234567.',
            "0123456789abcdef0123456789abcdef01234567",
        ),
        ('Revert "Add a thing"', "Add a thing"),
        ('Revert "Revert "Add a thing""\n\nIt was fine.', 'Revert "Add a thing"'),
        ("revert: feat: x\n\nThis reverts commit 0123456.", "0123456"),
        ('Reapply "Add a thing"', ""),
        ("Revert to the old way", ""),
        ("Go back\n\nThis reverts 0123456.", "0123456"),
        ("Back out 1234abcd", "1234abcd"),
        ("core: Backed out changeset 1234abcd for failures", "1234abcd"),
        ("revert commit 1234abcd", "1234abcd"),
        ("Revert 1234567 to the old ways of defaced", ""),
        ('Revert "a"\n\nThis partially reverts commit 0123456.', ""),
        ("Explain\n\nWhoever says This reverts commit 0123456 means it", ""),
    ],
)
def test_a_revert_names_the_reverted_commit(text: str, reverts: str) -> None:
    assert episode_of(message(text)).reverts == reverts


def test_a_subject_of_several_lines_is_folded() -> None:
    episode = episode_of(message("one\n  two\nthree\n\nbody"))
    assert (episode.subject, episode.body) == ("one two three", "body")


def test_the_last_paragraph_is_trailers_only_if_every_line_is() -> None:
    assert episode_of(message("s\n\nNote: this\nis prose")).body == "Note: this\nis prose"
    assert episode_of(message("s\n\nNote: this\nis prose")).trailers == ()
    assert episode_of(message("Signed-off-by: x <x@example.org>")).trailers == ()
    picked = episode_of(message("s\n\nbody\n\nChange-Id: I1\n  folded\n(cherry picked from commit 0123abc)"))
    assert picked.trailers == (("Change-Id", "I1 folded"), ("Cherry-picked-from", "0123abc"))
    assert picked.body == "body"


def test_windows_line_ends_in_a_message_change_nothing() -> None:
    crlf = replace(RECORD, message=RECORD.message.replace("\n", "\r\n"))
    assert episode_of(crlf) == episode_of(RECORD)


def test_a_commit_of_many_files_is_bulk() -> None:
    files = tuple(FileChange("M", str(number)) for number in range(BULK_FILES))
    assert not episode_of(replace(RECORD, files=files)).is_bulk
    assert episode_of(replace(RECORD, files=(*files, FileChange("M", "x")))).is_bulk


def test_symbols_are_those_of_each_commit_once_in_order() -> None:
    hunks = [
        Hunk("one", "a.py", "def f(x):", ("    y = 1",)),
        Hunk("one", "a.py", "def f(x):", ("    y = 2",)),
        Hunk("one", "b.py", "", ("def g():", "    pass")),
        Hunk("two", "a.py", "class A:", ("    x = 1",)),
        Hunk("three", "README.md", "# Heading", ("text",)),
    ]
    assert symbols_of(hunks) == {"one": ("a.py:f", "b.py:g"), "two": ("a.py:A",)}


def test_the_symbols_of_one_commit_are_bounded() -> None:
    hunks = [Hunk("one", "a.py", "", tuple(f"def f{number}():" for number in range(2 * SYMBOLS_KEPT)))]
    assert len(symbols_of(hunks)["one"]) == SYMBOLS_KEPT


def test_a_hunk_that_only_changes_white_space_changes_no_symbol() -> None:
    lines = ("  return  1", "return 1")
    assert symbols_of([Hunk("c", "a.py", "def f():", lines, removed=1)]) == {}
    assert symbols_of([Hunk("c", "a.py", "def f():", (*lines, "  return 2"), removed=1)]) == {"c": ("a.py:f",)}


def test_a_bracket_whose_white_space_changed_does_not_change_the_definition_that_it_ends() -> None:
    lines = ("        }      ", "        }", "", "        [Fact]", "        public void Parses()", "        {")
    heading = "public void Binds(bool prefix)"
    assert symbols_of([Hunk("c", "a.cs", heading, lines, removed=1)]) == {"c": ("a.cs:Parses",)}
