"""Which definitions of a file match a question, and why."""

import pytest

from repomem.core.text.words import DEFINES, words_of
from repomem.core.types.indexed import IndexedChunk, Symbol
from repomem.core.types.text import CleanText
from repomem.core.word_statistics import Tally
from repomem.ranking.definitions import (
    CHUNKS_READ,
    LONGEST_WHOLE,
    DefinitionHistory,
    PastedEvidence,
    ScoredDefinition,
    scored_definitions,
    wanted_words,
)
from repomem.ranking.pasted_messages import Frame
from repomem.ranking.query import Query

TEXT = """class Ledger:
    def post(self, posting):
        check the amount of a posting
    def close(self):
        balance every account
"""
SITES = (
    Symbol("Ledger", "class", 1, 5, "class Ledger"),
    Symbol("Ledger.post", "method", 2, 3, "def post(self, posting)"),
    Symbol("Ledger.close", "method", 4, 5, "def close(self)"),
)


def chunk(text: str, sites: tuple[Symbol, ...], ordinal: int = 0, start: int = 1, symbol: str = "") -> IndexedChunk:
    end = start + text.count("\n")
    return IndexedChunk(1, ordinal, start, end, symbol, "class", "", "", sites, CleanText(text), words_of(text))


LEDGER = chunk(TEXT, SITES, symbol="Ledger")


def found(question: str, *chunks: IndexedChunk, history: DefinitionHistory | None = None) -> list[ScoredDefinition]:
    tally = Tally()
    tally.add_file([each.words for each in chunks])
    wanted = wanted_words(Query(question), tally.of_chunks())
    return scored_definitions("ledger.py", chunks, [1.0] * len(chunks), wanted, history or DefinitionHistory())


def names(scored: list[ScoredDefinition]) -> list[str]:
    return [one.site.qualified for one in scored]


@pytest.mark.parametrize(
    ("question", "name"),
    [("amount of a posting", "Ledger.post"), ("balance of an account", "Ledger.close"), ("`close`", "Ledger.close")],
)
def test_the_definition_with_matching_lines_or_name_comes_first(question: str, name: str) -> None:
    assert names(found(question, LEDGER))[0] == name


@pytest.mark.parametrize("spelled", ["Journal.close()", "`Journal#close`", "Journal::close", "books.Journal.close"])
def test_a_method_spelled_with_its_class_comes_before_those_of_other_classes(spelled: str) -> None:
    journal = Symbol("Journal.close", "method", 6, 6, "def close(self)")
    both = chunk(f"{TEXT}    def close(self): pass", (*SITES, journal))
    question = "should balance every account of the ledger"
    assert names(found(f"close {question}", both))[0] == "Ledger.close"
    assert names(found(f"{spelled} {question}", both))[0] == "Journal.close"


def test_what_has_the_member_of_a_class_that_the_question_spells_comes_first() -> None:
    text = f"{TEXT}class Journal:\n    def begin(self):\n        self.accounts = ()\n"
    sites = (*SITES, Symbol("Journal", "class", 6, 8, ""), Symbol("Journal.begin", "method", 7, 8, "def begin(self)"))
    question = "should balance every account"
    assert names(found(f"accounts {question}", chunk(text, sites)))[0] == "Ledger.close"
    [first, *rest] = found(f"Journal.accounts {question}", chunk(text, sites))
    assert (first.site.qualified, first.is_exact) == ("Journal.begin", True)
    assert not any(one.is_exact for one in rest)


@pytest.mark.parametrize("name", ["Ledger.post", "post"])
def test_definitions_that_matching_commits_changed_come_first(name: str) -> None:
    for history in (
        DefinitionHistory(votes={f"ledger.py:{name}": 1.0}),
        DefinitionHistory(recency={f"ledger.py:{name}": 1.0}),
    ):
        assert names(found("self", LEDGER))[0] == "Ledger.close"
        assert names(found("self", LEDGER, history=history))[0] == "Ledger.post"


def test_lines_of_a_long_function_count_for_it_wherever_they_are() -> None:
    head = chunk("def settle():\n    begin\n", (Symbol("settle", "function", 1, 40, "def settle()"),), symbol="settle")
    tail = chunk("    refund what was overpaid\n", (), ordinal=1, start=20, symbol="settle")
    other = chunk("def other():\n    refund\n", (Symbol("other", "function", 50, 51, "def other()"),), 2, 50, "other")
    assert names(found("refund what was overpaid", head, tail, other))[0] == "settle"


def test_a_function_within_a_short_one_is_a_part_of_it() -> None:
    outer, inner = (
        Symbol("test", "function", 1, 9, "def test()"),
        Symbol("test.run", "function", 2, 3, "def run()"),
    )
    text = "def test():\n    def run():\n        refund\n"
    assert names(found("refund", chunk(text, (outer, inner), symbol="test"))) == ["test"]
    long = outer._replace(end_line=1 + LONGEST_WHOLE)
    assert names(found("refund", chunk(text, (long, inner), symbol="test")))[0] == "test.run"


def test_a_file_whose_chunks_score_nothing_has_no_definitions() -> None:
    wanted = wanted_words(Query("x"), Tally().of_chunks())
    for scores in ([0.0], []):
        assert scored_definitions("ledger.py", [LEDGER], scores, wanted, DefinitionHistory()) == []


def test_overloads_are_distinguished() -> None:
    short, long = (
        Symbol("cut", "function", 1, 2, "cut(text)"),
        Symbol("cut", "function", 4, 5, "cut(text, marker)"),
    )
    text = "cut(text) {\n}\n\ncut(text, marker) {\n  append(marker) }\n"
    assert found("marker", chunk(text, (short, long)))[0].site == long


def test_the_function_named_in_a_trace_comes_first_else_the_one_at_its_line() -> None:
    post, void = (
        Symbol("Ledger.post", "method", 2, 5, "post()"),
        Symbol("Ledger.void", "method", 7, 9, "void()"),
    )
    rows = [chunk("def post():\n    refund refund\n\n\n\ndef void():\n    pass\n", (post, void), start=2)]
    wanted = wanted_words(Query("refund fails with a balance overdrawn by nobody"), Tally().of_chunks())

    def first(*frames: Frame) -> str:
        scored = scored_definitions("ledger.py", rows, [1.0], wanted, DefinitionHistory(), PastedEvidence(frames))
        return scored[0].site.qualified

    assert first() == "Ledger.post"
    assert first(Frame("ledger.py", 8)) == "Ledger.void"
    assert first(Frame("ledger.py", 400, "void")) == "Ledger.void"
    assert first(Frame("ledger.py", 3, "void"), Frame("ledger.py", 3, "post")) == "Ledger.void"


def test_a_trace_leads_into_a_file_that_shares_no_word_with_the_question() -> None:
    rows = [chunk("def void():\n    pass\n", (Symbol("void", "function", 1, 2, "void()"),))]
    wanted = wanted_words(Query("x"), Tally().of_chunks())
    assert names(
        scored_definitions(
            "ledger.py", rows, [0.0], wanted, DefinitionHistory(), PastedEvidence([Frame("ledger.py", 2)])
        )
    ) == ["void"]


def test_the_name_of_a_type_does_not_spell_its_constructor() -> None:
    sites = (Symbol("Tape.Tape", "constructor", 1, 1, ""), Symbol("Tape.size", "method", 2, 2, ""))
    assert names(found("the size of a `Tape`", chunk("Tape(Tape other)\nsize of it", sites)))[0] == "Tape.size"


def test_a_type_counts_less_than_a_function_unless_the_question_spells_it() -> None:
    sites = (Symbol("Posting", "class", 1, 1, ""), Symbol("posting", "function", 2, 2, ""))
    both = chunk("posting amount\nposting amount", sites)

    assert names(found("the amount of a posting", both)) == ["posting", "Posting"]
    scores = {one.site.qualified: one.score for one in found("`Posting` amount", both)}
    assert scores["Posting"] == pytest.approx(scores["posting"])


def test_an_uncommon_word_with_one_definition_is_a_name() -> None:
    tally = Tally()
    defined = ("strequal", "optimize", "xpathnode")
    tally.add_file([f"{words_of('strequal optimize')} {' '.join(DEFINES + name for name in defined)}"])
    tally.add_file([f"{DEFINES}xpathnode", f"{DEFINES}xpathnode"])
    wanted = wanted_words(Query("optimize strequal for an xpathnode, inline"), tally.of_chunks())
    assert wanted.names == {"strequal"}  # the others: an everyday word, and a name of several things


def test_a_rare_word_that_is_quoted_alone_is_looked_up() -> None:
    tally = Tally()
    tally.add_file([words_of("the standard libary"), *(words_of("library") for _ in range(9))])
    wanted = wanted_words(Query('Fix typo: "libary" to "library"'), tally.of_chunks())
    assert wanted.names == wanted.quoted == {"libary"}


def test_a_name_with_parentheses_means_the_function_however_many_others_match() -> None:
    site = Symbol("load", "function", 90, 91, "def load(path)")
    others = [
        chunk(
            f"def copy_{at}(row):\n    pass\n",
            (Symbol(f"copy_{at}", "function", at + 1, at + 2, ""),),
            at,
            start=at + 1,
        )
        for at in range(CHUNKS_READ + 1)
    ]
    named = chunk("def load(path):\n    pass\n", (site,), CHUNKS_READ + 1, start=90)
    assert names(found("a broken row stops load()", *others, named))[0] == "load"


def test_a_name_with_parentheses_is_preferred_to_a_class_with_more_of_the_words() -> None:
    text = "class Loader:\n    a broken row stops\n    def load(self):\n        pass\n"
    sites = Symbol("Loader", "class", 1, 4, "class Loader"), Symbol("Loader.load", "method", 3, 4, "def load(self)")
    assert names(found("a broken row stops the Loader's load()", chunk(text, sites)))[0] == "Loader.load"


def test_a_plain_word_before_function_or_method_is_its_name_where_one_is_defined() -> None:
    tally = Tally()
    tally.add_file([LEDGER.words + f" {DEFINES}post"])
    assert "post" in wanted_words(Query("fix the post method"), tally.of_chunks()).names
    assert "post" not in wanted_words(Query("fix the post"), tally.of_chunks()).names
    assert "helper" not in wanted_words(Query("fix the helper method"), tally.of_chunks()).names


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("post_all() forgets the last posting", ["post_all"]),
        ("`post_all` forgets the last posting", ["post_all"]),
        ("post() forgets the last posting", ["post"]),
        ("post the last posting", []),  # a plain word is no name
        ("make Ledger smaller", []),  # a type is found by what it has
    ],
)
def test_a_question_names_a_function_by_parentheses_or_by_a_name_of_several_words(
    question: str, named: list[str]
) -> None:
    wanted = wanted_words(Query(question), Tally().of_chunks())
    sites = [*SITES[:2], Symbol("Ledger.post_all", "method", 6, 7, "")]
    assert [each.qualified.rpartition(".")[2] for each in sites if wanted.names_function(each)] == named


def test_a_name_said_in_plain_words_outweighs_lines_with_more_words() -> None:
    lines = "    preserve order of names, help, option order, names"
    text = f"def show(self):\n{lines}\ndef get_help_option_names(self):\n    return self.all\n"
    sites = (
        Symbol("show", "function", 1, 2, "def show(self)"),
        Symbol("get_help_option_names", "function", 3, 4, "def get_help_option_names(self)"),
    )
    assert names(found("Preserve order of help option names", chunk(text, sites)))[0] == "get_help_option_names"


RUST = """fn balance(accounts: &[Account]) {
    balance accounts
}
mod tests {
    fn rejects_unbalanced_accounts() {
        balance of accounts rejected
    }
}
"""
RUST_SITES = (
    Symbol("balance", "function", 1, 3, "fn balance(accounts: &[Account])"),
    Symbol("tests", "module", 4, 8, "mod tests"),
    Symbol("tests.rejects_unbalanced_accounts", "function", 5, 7, "fn rejects_unbalanced_accounts()"),
)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("balance of rejected accounts", "balance"),
        ("the test that rejects unbalanced accounts", "tests.rejects_unbalanced_accounts"),
        ("`rejects_unbalanced_accounts` fails", "tests.rejects_unbalanced_accounts"),
    ],
)
def test_a_test_within_a_source_file_comes_first_only_if_the_question_is_about_it(question: str, name: str) -> None:
    assert names(found(question, chunk(RUST, RUST_SITES)))[0] == name
