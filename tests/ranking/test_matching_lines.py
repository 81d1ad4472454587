"""Which single lines of the best files a brief shows."""

from dataclasses import replace

from support.searched_files import file, words

from repomem.core.types.indexed import Symbol
from repomem.core.types.text import CleanText
from repomem.ranking.definitions import WantedWords
from repomem.ranking.matching_lines import FoundLine, SearchedFile, best_lines, matching_lines


def lines_of(wanted: WantedWords, *files: SearchedFile, shown: tuple[tuple[str, int], ...] = ()) -> list[FoundLine]:
    matches = {one.path: matching_lines(wanted, one, of_comments=False) for one in files}
    return best_lines(wanted, files, matches, shown, {one.path for one in files[:1]})


def test_the_line_with_the_rarest_word_comes_first() -> None:
    found = lines_of(words(common=1.0, uncommon=2.0, journal=1.0), file(common_journal=3, uncommon_journal=40))

    assert [(one.line, one.text) for one in found] == [(40, "uncommon_journal"), (3, "common_journal")]


def test_a_line_with_one_of_several_words_is_left_out() -> None:
    searched = file(journal=3, journal_ledger=40)
    assert [one.line for one in lines_of(words(journal=1.0, ledger=1.0), searched)] == [40]
    assert [one.line for one in lines_of(words(journal=1.0), searched)] == [3, 40]


def test_an_import_of_what_the_question_names_counts_like_code() -> None:
    searched = file("a.py", 1.0, 80, **{"import journal, ledger": 3, "journal(ledger)": 40})
    assert [one.line for one in lines_of(words(journal=1.0, ledger=1.0), searched)] == [3, 40]


def test_lines_that_are_shown_already_are_left_out() -> None:
    searched = file(journal_ledger=3, ledger_posting=40)
    found = lines_of(words(journal=1.0, ledger=1.0, posting=1.0), searched, shown=(("a.py", 40),))

    assert [one.line for one in found] == [3]


def test_a_line_of_a_better_file_comes_first() -> None:
    wanted = replace(words(journal=1.0), names=frozenset({"journal"}))
    found = lines_of(wanted, file("b.py", 0.5, journal=3), file("a.py", 1.0, journal=50))

    assert [(one.path, one.line) for one in found] == [("a.py", 50), ("b.py", 3)]


def test_a_line_of_a_file_without_excerpts_is_shown_only_for_an_identifier_of_the_question() -> None:
    first, later = file("a.py", 1.0, journal_ledger=50), file("b.py", 0.5, journal_ledger=3)
    plain = words(journal=1.0, ledger=1.0)
    spelled = replace(plain, names=frozenset({"journalledger"}))

    assert [one.path for one in lines_of(plain, first, later)] == ["a.py"]
    assert [one.path for one in lines_of(spelled, first, later)] == ["a.py", "b.py"]


def test_a_line_of_a_test_comes_after_a_commoner_word_of_the_code() -> None:
    test = replace(file("test_a.py", journal_posting=3), is_code=False)

    wanted = replace(words(journal=3.0, ledger=1.0, posting=0.5), names=frozenset({"journalposting", "ledgerposting"}))
    found = lines_of(wanted, test, file("z.py", ledger_posting=3))

    assert [one.path for one in found] == ["z.py", "test_a.py"]


def test_a_comment_counts_like_code_if_it_has_more_words() -> None:
    one = file(journal_ledger=30)
    text = (
        one.chunks[0].text.replace("line 5\n", "# journal ledger posting\n").replace("line 7\n", "# journal ledger\n")
    )
    commented = replace(one, chunks=[one.chunks[0]._replace(text=CleanText(text))])

    assert [one.line for one in lines_of(words(journal=1.0, ledger=1.0, posting=1.0), commented)] == [5, 30]


def test_a_comment_with_a_rare_word_that_the_question_quotes_counts_like_code() -> None:
    one = file(library=30, comments=40)
    text = one.chunks[0].text.replace("line 5\n", "# of the standard libary\n")
    commented = replace(one, chunks=[one.chunks[0]._replace(text=CleanText(text))])
    wanted = words(comments=1.0, libary=1.0, library=1.0)
    assert lines_of(wanted, commented) == []

    quoting = replace(wanted, names=frozenset(["libary"]), quoted=frozenset(["libary"]))
    assert [one.line for one in lines_of(quoting, commented)] == [5]


def test_a_very_short_line_is_not_shown_alone() -> None:
    assert lines_of(words(post=1.0), file(post=3)) == []


def test_lines_without_a_word_of_the_question_are_not_looked_at() -> None:
    assert lines_of(words(webhook=1.0), file(journal=3)) == []
    assert lines_of(words(), file(journal=3)) == []


def test_a_word_inside_of_a_compound_name_is_found() -> None:
    assert [one.line for one in lines_of(words(ledger=1.0), file(openLedgerNow=7))] == [7]


def test_a_line_with_much_less_than_the_best_is_left_out() -> None:
    wanted = words(journal=1.0, ledger=0.5, posting=0.3, common=0.1)
    found = lines_of(wanted, file(journal_common=3, ledger_common=20, posting_common=40))

    assert [one.line for one in found] == [3, 20]


def test_of_lines_with_the_same_words_two_are_shown_with_their_copies() -> None:
    one = file()
    said = {5: "* {@link journal}", 7: "* journal (link)", 9: "* link: journal", 11: "* {@link journal}"}
    lines = [said.get(at, line) for at, line in sorted(one.lines.items())]
    searched = replace(one, chunks=[one.chunks[0]._replace(text=CleanText("\n".join(lines)))])
    assert [each.line for each in lines_of(words(journal=1.0), searched)] == [5, 7, 11]


def test_of_lines_that_match_by_the_same_words_two_are_shown() -> None:
    one = file()
    said = {5: "post(journal, entry)", 7: "close(journal, entry)", 9: "entry(journal)", 11: "journal(ledger)"}
    lines = [said.get(at, line) for at, line in sorted(one.lines.items())]
    searched = replace(one, chunks=[one.chunks[0]._replace(text=CleanText("\n".join(lines)))])
    assert [each.line for each in lines_of(words(journal=1.0, entry=1.0, ledger=1.0), searched)] == [5, 7, 11]


def test_the_owner_of_lines_is_the_smallest_definition_whether_it_was_scored_or_not() -> None:
    sites = (Symbol("Tape", "class", 1, 60, ""), Symbol("Tape.read", "method", 30, 50, ""))
    searched = file()
    searched = replace(searched, chunks=[searched.chunks[0]._replace(sites=sites)])
    assert [searched.owner_of(*lines) for lines in ((10, 14), (40, 44), (70, 74))] == [*sites, None]


def test_a_definition_of_one_line_does_not_own_the_next() -> None:
    sites = (Symbol("Kind.NONE", "constant", 10, 10, ""), Symbol("Kind.SOME", "constant", 12, 12, ""))
    searched = file()
    searched = replace(searched, chunks=[searched.chunks[0]._replace(sites=sites)])
    assert searched.owner_of(11, 11) is None


def test_a_field_does_not_own_its_own_lines() -> None:
    """Its qualified name may be that of a method: the lines would seem to be in that."""
    field = Symbol("Tape.mark", "field", 3, 3, "private long mark = -1;")
    sites = (Symbol("Tape", "class", 1, 60, ""), field, Symbol("Tape.mark", "method", 40, 44, ""))
    searched = file()
    searched = replace(searched, chunks=[searched.chunks[0]._replace(sites=sites)])
    assert [searched.owner_of(*lines) for lines in ((3, 3), (40, 44))] == [None, sites[2]]


def test_lines_that_begin_in_the_comment_above_a_function_are_its() -> None:
    sites = (
        Symbol("Tape", "class", 1, 60, ""),
        Symbol("Tape.rewind", "method", 10, 20, ""),
        Symbol("Tape.read", "method", 26, 50, ""),
    )
    bare = file()
    bare = replace(bare, chunks=[bare.chunks[0]._replace(sites=sites)])
    lines = [f"# {line}" if 21 < at < 26 else line for at, line in sorted(bare.lines.items())]
    searched = replace(bare, chunks=[bare.chunks[0]._replace(text=CleanText("\n".join(lines)))])
    above_read, tail_of_rewind, both_begin, between = (
        searched.owner_of(*lines) for lines in ((22, 28), (15, 22), (9, 27), (21, 24))
    )
    assert (above_read, tail_of_rewind, both_begin, between) == (sites[2], sites[1], None, sites[0])
    assert bare.owner_of(22, 28) == sites[0]  # fields above a constructor are of the class


def test_a_line_for_the_preprocessor_counts_like_code() -> None:
    one = file(journal_ledger=30)
    text = one.chunks[0].text.replace("line 5\n", "#define JOURNAL LEDGER\n").replace("line 7\n", "# journal ledger\n")
    directed = replace(one, chunks=[one.chunks[0]._replace(text=CleanText(text))])
    assert 5 in {found.line for found in lines_of(words(journal=1.0, ledger=1.0, posting=1.0), directed)}


def test_a_definition_is_named_with_the_comment_above_it() -> None:
    bare = file()
    lines = [f"# {line}" if 21 < at < 26 or at > 30 else line for at, line in sorted(bare.lines.items())]
    searched = replace(bare, chunks=[bare.chunks[0]._replace(text=CleanText("\n".join(lines)))])
    read, write = Symbol("read", "function", 26, 29, ""), Symbol("write", "function", 20, 21, "")
    assert [searched.with_comment(site).start_line for site in (read, write)] == [22, 20]
    below = Symbol("below", "function", 83, 90, "")
    assert searched.with_comment(below).start_line == 83  # nothing is known of the line above it
