"""Which lines of the best files a brief shows."""

import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import pytest
from support.ranking_scenes import chunk
from support.searched_files import file, words

from repomem.core.types.indexed import Symbol
from repomem.core.types.text import CleanText
from repomem.ranking.definitions import ScoredDefinition, WantedWords
from repomem.ranking.excerpts import (
    LONGEST_BODY,
    MOST_ASIDE,
    MOST_OF_FILE,
    TINY,
    WINDOW,
    Excerpt,
    excerpts,
    merged,
    with_definition,
)
from repomem.ranking.matching_lines import LONGEST_LINE, SearchedFile, matching_lines


def found_in(wanted: WantedWords, *files: SearchedFile, of_comments: bool = False) -> list[Excerpt]:
    return excerpts(wanted, files, {one.path: matching_lines(wanted, one, of_comments=of_comments) for one in files})


def has(one: Excerpt, line: int) -> bool:
    return one.start_line <= line <= one.end_line


def test_a_line_with_a_word_of_the_question_is_in_the_middle_of_its_excerpt() -> None:
    [one] = found_in(words(journal=1.0), file(journal=30))

    assert (one.start_line, one.end_line, one.lines[0]) == (27, 27 + WINDOW - 1, "line 27")


@pytest.mark.parametrize(
    ("last", "end"),
    [("// why it stops", 35), ("if it stops {", 35), ("stop();", 33), ("", 32)],
)
def test_an_excerpt_does_not_end_where_something_only_begins(last: str, end: int) -> None:
    lines = {at: f"line {at}" for at in range(1, 50)} | {30: "the journal", 33: last, 34: "// because"}
    text = "\n".join(lines.values())
    searched = replace(file(journal=30), chunks=[chunk(1, 0, text)])

    assert [one.end_line for one in found_in(words(journal=1.0), searched)] == [end]


@pytest.mark.parametrize(("closing", "end"), [(38, 38), (49, 33)])
def test_an_excerpt_does_not_end_within_a_call(closing: int, end: int) -> None:
    lines = {at: f"line {at}" for at in range(1, 60)} | {30: "the journal", 32: "post(one[1],", closing: ")"}
    searched = replace(file(journal=30), chunks=[chunk(1, 0, "\n".join(lines.values()))])

    assert [one.end_line for one in found_in(words(journal=1.0), searched)] == [end]


def test_an_excerpt_begins_no_earlier_than_its_definition() -> None:
    site = Symbol("Ledger.post", "method", 29, 60, "def post(self)")
    searched = replace(file(journal=30), definitions=[ScoredDefinition(site, chunk(1, 0, ""), 1.0)])
    [one] = found_in(words(journal=1.0), searched)

    assert (one.start_line, one.end_line) == (29, 29 + WINDOW - 1)


def test_lines_that_have_more_words_of_the_question_together_come_first() -> None:
    found = found_in(words(journal=1.0, ledger=1.0, account=1.0), file(journal=3, ledger=40, account=41))

    assert has(found[0], 40)
    assert has(found[0], 41)


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    assert has(found_in(words(common=1.0, rare=2.0), file(common=3, rare=40))[0], 40)


def test_a_comment_counts_less_unless_the_question_is_about_comments() -> None:
    one = file(lines=60)
    text = one.chunks[0].text.replace("line 5\n", "# journal\n").replace("line 40\n", "journal\n")
    both = replace(one, chunks=[one.chunks[0]._replace(text=CleanText(text))])

    assert has(found_in(words(journal=1.0), both)[0], 40)
    assert has(found_in(words(journal=1.0), both, of_comments=True)[0], 5)


def test_the_best_definition_and_the_best_file_come_first() -> None:
    site = Symbol("Ledger.post", "method", 38, 50, "def post(self)")
    text = file(lines=60).chunks[0].text.replace("line 5\n", "journal\n").replace("line 40\n", "journal\n")
    whole = chunk(1, 0, "")._replace(start_line=1, end_line=60, text=CleanText(text))
    in_definition = SearchedFile("a.py", 1.0, [whole], [ScoredDefinition(site, whole, 2.0)], is_code=True)
    assert has(found_in(words(journal=1.0), in_definition)[0], 40)

    found = found_in(words(journal=1.0), file("b.py", 0.5, journal=3), file("a.py", 1.0, journal=3))
    assert [one.path for one in found] == ["a.py", "b.py"]


def test_a_weak_excerpt_is_left_out_of_all_files_but_the_first() -> None:
    first, second = file(journal=30), replace(file(journal=30, ledger=50), path="other.py", score=0.5)
    found = found_in(words(journal=0.4, ledger=0.6), first, second)

    assert {one.path for one in found} == {first.path, "other.py"}
    assert [one.path for one in found_in(words(journal=0.4, account=0.6), first, second)] == [first.path]


def test_an_identifier_that_the_question_spells_counts_beside_its_words() -> None:
    text = "\n".join(["encode the files"] + ["line"] * 20 + ["_encode_files(files)"] + ["line"] * 20)
    whole = chunk(1, 0, "")._replace(start_line=1, end_line=42, text=CleanText(text))
    found = found_in(words("encodefiles", encode=1.0, files=1.0), SearchedFile("a.py", 1.0, [whole], [], is_code=True))

    assert has(found[0], 22)


def of_functions(*names: str, lines: int = 20, word: str = "journal") -> SearchedFile:
    """A file of functions, each with a line of code that has nothing but the word on every line."""
    count = lines * len(names)
    whole = chunk(1, 0, "")._replace(start_line=1, end_line=count, text=CleanText("\n".join([word] * count)))
    sites = [Symbol(name, "function", at * lines + 1, (at + 1) * lines, "") for at, name in enumerate(names)]
    return SearchedFile("a.py", 1.0, [whole], [ScoredDefinition(site, whole, 0.0) for site in sites], is_code=True)


def test_excerpts_do_not_overlap_and_one_file_has_only_so_many() -> None:
    found = found_in(words(journal=1.0), of_functions(*map(str, range(10))))

    assert len(found) == MOST_OF_FILE
    taken = sorted((one.start_line, one.end_line) for one in found)
    assert all(end < start for (_, end), (start, _) in pairwise(taken))


def test_another_function_comes_before_another_part_of_the_same_one() -> None:
    found = found_in(words(journal=1.0), of_functions("post", "close"))

    assert [one.start_line > 20 for one in found[:4]] == [False, True, False, True]


def test_a_function_named_in_the_question_is_shown_even_if_its_body_has_no_matching_word() -> None:
    searched = of_functions("post", "close", lines=WINDOW, word="balance")
    spelled = replace(searched, definitions=[replace(one, score=4.0) for one in searched.definitions])

    assert not found_in(words(journal=1.0), spelled)
    assert [one.start_line for one in found_in(words("close", journal=1.0), spelled)] == [1 + WINDOW]


@pytest.mark.parametrize(("lines", "is_whole"), [(LONGEST_BODY, True), (LONGEST_BODY + 1, False)])
def test_a_short_function_that_the_question_names_comes_first_and_whole(lines: int, *, is_whole: bool) -> None:
    searched = of_functions("post", "close", lines=lines)
    first = found_in(words("post", journal=1.0), searched)[0]
    assert ((first.start_line, first.end_line) == (1, lines)) is is_whole
    assert found_in(words("close", journal=1.0), searched)[0].end_line != 2 * lines  # the best of the file alone
    test = replace(searched, is_code=False)
    assert len(found_in(words("post", journal=1.0), test)[0].lines) <= WINDOW


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        (['    """Post it."""'], [1, 3]),
        (['    """Post it,', '    and close it."""'], [1, 4]),
        (["    r = 1", '    text = """x"""'], [1]),
        (['    """Post it, never closed'], [1]),
        (["    run(", '    """select 1"""', "    )"], [1]),
    ],
    ids=["one line", "two lines", "none", "open", "string in the body"],
)
def test_a_named_function_comes_once_more_without_its_docstring(docstring: list[str], expected: list[int]) -> None:
    lines = ["def post():", *docstring, *["    a += 1"] * 2 * WINDOW]
    own = chunk(1, 0, "\n".join(lines))
    site = Symbol("post", "function", 1, len(lines), "def post()")
    searched = SearchedFile("a.py", 1.0, [own], [ScoredDefinition(site, own, 1.0)], is_code=True)
    found = found_in(words("post", journal=1.0), searched)
    assert [one.start_line for one in found if len(one.lines) > WINDOW] == expected


@pytest.mark.parametrize(("lines", "is_shown"), [(TINY, True), (TINY + 1, False)])
def test_a_tiny_file_is_shown_whole(lines: int, *, is_shown: bool) -> None:
    others = [file("b.py", 0.5, release=3, version=4), file("c.py", 0.4, release=3, version=4)]
    tiny = file("a.py", 1.0, lines=lines)
    wanted = words(release=1.0, version=1.0)
    assert ("a.py" in {one.path for one in found_in(wanted, tiny, *others)}) is is_shown
    assert "a.py" not in {one.path for one in found_in(wanted, *others, tiny)}
    assert "a.py" not in {one.path for one in found_in(wanted, replace(tiny, is_code=False), *others)}


def test_a_test_or_text_has_one_excerpt() -> None:
    names = {"post": 9, "close": 30, "print": 60}
    wanted = words(**dict.fromkeys(names, 1.0))
    own = file("a.py", 1.0, 80, **names)
    assert len(found_in(wanted, own)) == len(names)
    assert len(found_in(wanted, replace(own, is_code=False))) == MOST_ASIDE


def test_close_excerpts_are_shown_as_one() -> None:
    searched = file(journal=10, ledger=10 + WINDOW + 1)
    found = found_in(words(journal=1.0, ledger=1.0), searched)
    assert len(found) == 2

    [one] = merged(found, [searched])

    assert (one.start_line, one.end_line) == (7, 7 + WINDOW + WINDOW)
    assert one.lines[WINDOW] == f"line {7 + WINDOW}"


def test_excerpts_two_lines_apart_are_shown_as_one_and_three_lines_apart_are_not() -> None:
    searched = file()
    first = Excerpt("a.py", 10, ("line 10", "line 11"), 1.0)
    assert [len(merged([first, first._replace(start_line=at)], [searched])) for at in (14, 15)] == [1, 2]


def test_excerpts_of_one_function_are_shown_as_one_up_to_five_lines_apart() -> None:
    searched = file()
    function = Symbol("refund", "function", 5, 30, "")
    searched = replace(searched, chunks=[searched.chunks[0]._replace(sites=(function,))])
    first = Excerpt("a.py", 10, ("line 10", "line 11"), 1.0)
    assert [len(merged([first, first._replace(start_line=at)], [searched])) for at in (17, 18)] == [1, 2]


def test_a_question_without_words_in_the_files_has_no_excerpt() -> None:
    assert found_in(words(webhook=1.0), file(journal=3)) == []
    assert found_in(words(), file(journal=3)) == []


def test_of_a_long_line_only_the_beginning_is_read() -> None:
    text = " " * LONGEST_LINE + "journal"
    whole = chunk(1, 0, "")._replace(start_line=1, end_line=1, text=CleanText(text))
    assert found_in(words(journal=1.0), SearchedFile("a.py", 1.0, [whole], [], is_code=True)) == []


def test_the_empty_lines_between_two_chunks_keep_the_numbers_of_the_lines_below() -> None:
    one = file(journal=30)
    above, below = one.chunks[0].text.split("\n")[:31], one.chunks[0].text.split("\n")[32:]  # line 32 is in neither
    first = one.chunks[0]._replace(end_line=31, text=CleanText("\n".join(above)))
    second = one.chunks[0]._replace(start_line=33, text=CleanText("\n".join(below)))
    [found] = found_in(words(journal=1.0), replace(one, chunks=[first, second]))
    assert found.lines == ("line 27", "line 28", "line 29", "journal", "line 31", "", "line 33")


def test_windows_of_a_definition_that_the_question_names_do_not_lower_each_other() -> None:
    whole = file(ledger=2, account=12).chunks[0]
    site = Symbol("post", "function", 1, LONGEST_BODY + 1, "def post()")
    one = SearchedFile("a.py", 1.0, [whole], [ScoredDefinition(site, whole, 2.0)], is_code=True)

    def scores(wanted: WantedWords) -> list[float]:
        return [each.score for each in found_in(wanted, one)[:2]]

    named, other = scores(words("post", ledger=1.0, account=1.0)), scores(words(ledger=1.0, account=1.0))
    assert named[0] == named[1]
    assert other[0] > other[1]


SCORES = """
from repomem.core.text.words import stem
from repomem.ranking.excerpts import excerpts
from repomem.ranking.definitions import WantedWords
from repomem.ranking.matching_lines import best_lines, matching_lines
from support.searched_files import file
names = ["journal", "ledger", "posting", "balance", "parcel", "depot", "tariff", "grams"]
weights = {stem(name): 0.1 + at / 7 for at, name in enumerate(names)}
wanted = WantedWords(weights, frozenset(), sum(weights.values()))
own = file(lines=1, **{" ".join(names): 1})
matches = {own.path: matching_lines(wanted, own, of_comments=False)}
print([one.score for one in (*excerpts(wanted, [own], matches), *best_lines(wanted, [own], matches, (), (own.path,)))])
"""


def test_scores_do_not_depend_on_the_order_of_a_set() -> None:
    path = os.pathsep.join(sys.path)
    printed = {
        subprocess.run(
            [sys.executable, "-c", SCORES],
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in range(1, 6)
    }
    assert len(printed) == 1


@pytest.mark.parametrize(
    ("kind", "lines", "is_code", "shown"),
    [
        ("method", 40, True, (20, 59)),
        ("method", 41, True, (27, 33)),  # too long
        ("method", 40, False, (27, 33)),
        ("class", 40, True, (20, 59)),
    ],
)
def test_an_excerpt_is_extended_to_the_short_definition_around_it(
    kind: str, lines: int, *, is_code: bool, shown: tuple[int, int]
) -> None:
    site = Symbol("Ledger.post", kind, 20, 20 + lines - 1, "def post(self)")
    definitions = [ScoredDefinition(site, chunk(1, 0, ""), 1.0)]
    searched = replace(file(journal=30), definitions=definitions, is_code=is_code)
    one = Excerpt("a.py", 27, searched.lines_at(range(27, 34)), 1.0)
    whole = with_definition(one, searched, 40)

    assert (whole.start_line, whole.end_line) == shown
    assert len(whole.lines) == shown[1] - shown[0] + 1
