"""Quotations in a question, found word for word in the code."""

import pytest
from support.ranking_scenes import scene

from repomem.core.text.words import words_of
from repomem.core.word_statistics import Tally
from repomem.ranking.message_matching import quotation_weights, quoted_share
from repomem.ranking.query import Query
from repomem.ranking.rank import hits, ranked_files
from repomem.ranking.signals import RECALL, SEARCH

CODE = 'if not files: raise ValueError(f"File {name!r} must be given before the upload starts")'
SCENE = scene(
    {
        "src/upload.py": ["the upload of a file starts before others", ("start", CODE), ("stop", "ends an upload")],
        "src/files.py": [("upload", "a file must be a name given; upload file starts; file upload before file given")],
        "src/error.py": [("ValueError", "class of an error value error value")],
    }
)


def share(text: str, words: str = CODE) -> float:
    [quotation] = Query(text).pasted.quotations
    tally = Tally()
    tally.add_file([words_of(words)])
    return quoted_share(quotation, words_of(words), quotation_weights([quotation], tally.of_chunks()))


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("ValueError: file must be given", ["file", "must", "be", "given"]),
        ("books.errors.Unbalanced: the sheet differs", ["the", "sheet", "differs"]),
        ('why "the sheet differs" comes', ["the", "sheet", "differs"]),
        ("why `the sheet differs` comes", ["the", "sheet", "differs"]),
        ("posting fails\n  at f (a.js:1:2)\nError: the sheet differs", ["the", "sheet", "differs"]),
        ("panic: the sheet differs", ["the", "sheet", "differs"]),
    ],
)
def test_messages_and_quoted_texts_are_quotations(text: str, quoted: list[str]) -> None:
    [found] = Query(text).pasted.quotations
    assert list(found) == [words_of(word) for word in quoted]


@pytest.mark.parametrize(
    "text",
    [
        "how is a ledger closed",
        "docs of `Books::Ledger::Sheet`",
        "fix `post`",
        "it's the ledger's sheet",
        'a "name"',
        "",
    ],
)
def test_a_question_that_quotes_nothing_has_none(text: str) -> None:
    assert list(Query(text).pasted.quotations) == []


def test_a_quotation_matches_despite_filled_in_values() -> None:
    assert share("ValueError: file must be given before the upload starts") > 0.8
    assert share("ValueError: File 'report.csv' must be given before the upload starts") > 0.5


def test_words_in_another_order_do_not_match_a_quotation() -> None:
    assert share("ValueError: upload given file the before starts must be") < 0.5


def test_a_quotation_leads_to_the_code_that_contains_it() -> None:
    text = "ValueError: File 'a.csv' must be given before the upload starts"
    query, evidence = Query(text), SCENE.evidence(text)
    assert evidence.quoted.keys() == {SCENE.of("src/upload.py")}
    assert ranked_files(query, evidence, RECALL)[0].file.path == "src/upload.py"
    best = hits(query, evidence, SEARCH, SCENE, 3)[0]
    assert (best.file.path, best.chunk.symbol) == ("src/upload.py", "start")
