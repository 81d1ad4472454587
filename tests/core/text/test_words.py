"""Text to words: what the index and a question must agree on."""

import unicodedata

import pytest
from hypothesis import given, strategies as st

from repomem.core.text import words
from repomem.core.text.words import LONGEST_WORD, STEM, definition_words, stem, whole, words_of


def plain(text: str) -> list[str]:
    """The words without their stems."""
    return [word for word in words_of(text).split() if not word.startswith(STEM)]


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("refreshToken", ["refresh", "token", "refreshtoken"]),
        ("refresh_token", ["refresh", "token", "refreshtoken"]),
        ("RefreshToken", ["refresh", "token", "refreshtoken"]),
        ("REFRESH_TOKEN", ["refresh", "token", "refreshtoken"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("parseJSON", ["parse", "json", "parsejson"]),
        ("utf8", ["utf", "utf8"]),
        ("sha256sum", ["sha", "256", "sum", "sha256sum"]),
        ("__init__", ["init"]),
        ("x", ["x"]),
        ("7", []),
        ("42", []),
        ("2024", ["2024"]),
    ],
)
def test_an_identifier_gives_its_parts_and_itself(identifier: str, expected: list[str]) -> None:
    assert plain(identifier) == expected


def test_words_come_in_the_order_of_the_text() -> None:
    assert plain("def parse(text): return text") == ["def", "parse", "text", "return", "text"]


@pytest.mark.parametrize("style", ["parseConfig", "parse_config", "PARSE_CONFIG", "ParseConfig", "parse-config"])
def test_whole_is_the_same_in_every_style(style: str) -> None:
    assert whole(style) == "parseconfig"


def test_whole_folds_what_unicode_folds() -> None:
    assert whole("GRÖSSE") == whole("gro\u0308sse") == whole("größe")


@pytest.mark.parametrize(
    "forms",
    [
        ["parse", "parses", "parsed", "parsing", "parser", "parsers"],
        ["retry", "retries", "retried"],
        ["create", "creates", "created", "creating", "creator", "creation"],
        ["run", "runs"],
        ["stop", "stopped", "stopping"],
        ["class", "classes"],
        ["box", "boxes"],
        ["index", "indexes", "indexed", "indexer"],
        ["validate", "validated", "validating", "validation", "validator"],
        ["repeat", "repeated", "repeating", "repeats"],
        ["format", "formats", "formatted", "formatter"],
        ["connect", "connects", "connected", "connection", "connections"],
    ],
)
def test_the_forms_of_a_word_share_a_stem(forms: list[str]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize("word", ["ring", "red", "ion", "bus", "this", "data", "größe", "键", "sing"])
def test_a_word_without_suffix_is_its_own_stem(word: str) -> None:
    assert stem(word) == word


def test_a_stem_is_marked_and_given_only_where_it_differs() -> None:
    assert words_of("parsing") == f"parsing {STEM}pars"
    assert words_of("data") == "data"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("借贷平衡", ["借贷", "贷平", "平衡"]),
        ("仕訳は", ["仕訳", "訳は"]),
        ("トランザクション", ["トラ", "ラン", "ンザ", "ザク", "クシ", "ショ", "ョン"]),
        ("데이터를", ["데이", "이터", "터를"]),
        ("ภาษาไทย", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
        ("ที่นี่", ["ที", "ี่", "่น", "นี", "ี่"]),
        ("值", ["值"]),
    ],
)
def test_scripts_without_spaces_give_pairs_of_characters(text: str, expected: list[str]) -> None:
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("平衡", "先检查借贷是否平衡"),
        ("勘定科目", "二つ以上の勘定科目からなり"),
        ("데이터", "데이터를 읽는다"),
        ("ไทย", "ภาษาไทยง่าย"),
    ],
)
def test_a_word_is_found_within_a_run_without_spaces(question: str, text: str) -> None:
    assert set(plain(question)) <= set(plain(text))


def test_adjacent_scripts_are_separated() -> None:
    assert plain("parse解析json") == ["parse", "解析", "json"]


@pytest.mark.parametrize(
    ("one", "other"), [("проводка", "проводки"), ("Verträgen", "Verträger"), ("λογαριασμός", "λογαριασμού")]
)
def test_endings_of_other_alphabets_share_a_stem(one: str, other: str) -> None:
    assert plain(one) != plain(other)
    stems = [{word for word in words_of(text).split() if word.startswith(STEM)} for text in (one, other)]
    assert stems[0] == stems[1] == {STEM + stem(one.casefold())}


@pytest.mark.parametrize("word", ["हिन्दी", "שָׁלוֹם", "کِتاب", "й".join("кд"), "naïveté"])
def test_combining_marks_belong_to_their_letters(word: str) -> None:
    assert plain(f"one {word} two") == ["one", unicodedata.normalize("NFC", word).casefold(), "two"]


def test_case_of_russian_and_german_is_folded() -> None:
    assert plain("ПРОВОДКА Größe STRASSE Straße") == ["проводка", "grösse", "strasse", "strasse"]


def test_composed_and_decomposed_letters_are_the_same_word() -> None:
    text = "Prüfung überträgt café Ёлка"
    assert words_of(unicodedata.normalize("NFD", text)) == words_of(unicodedata.normalize("NFC", text))
    assert plain(unicodedata.normalize("NFD", "Prüfung")) == ["prüfung"]


@pytest.mark.parametrize("letter", ["a", "ä", "я"])
def test_a_run_longer_than_a_word_is_dropped(letter: str) -> None:
    assert plain(f"before {letter * LONGEST_WORD} after") == ["before", letter * LONGEST_WORD, "after"]
    assert plain(f"before {letter * (LONGEST_WORD + 1)} after") == ["before", "after"]


def test_the_words_of_an_identifier_do_not_depend_on_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(f"parseThing{number}" for number in range(50))
    before = words_of(text)
    monkeypatch.setattr(words, "_CACHED_WORDS", 3)
    assert words_of(text) == before


ASCII = st.text(st.characters(max_codepoint=127))


@given(ASCII)
def test_ascii_text_has_the_words_that_the_pattern_finds(text: str) -> None:
    by_pattern = words_of(text + " é").removesuffix("é").strip()  # a letter beyond ASCII takes the other path
    assert words_of(text) == by_pattern


@given(st.text())
def test_no_text_breaks_the_analyser_and_words_are_in_one_form(text: str) -> None:
    found = words_of(text)
    assert found == " ".join(found.split())
    assert found.count(" ") < 4 * len(text) + 1


@given(st.text(), st.text())
def test_the_words_of_two_lines_are_those_of_each(first: str, second: str) -> None:
    assert words_of(f"{first}\n{second}") == " ".join(filter(None, (words_of(first), words_of(second))))


def test_names_of_definitions_are_marked_and_empty_or_endless_ones_left_out() -> None:
    assert definition_words(["parse_config", "", "x" * (LONGEST_WORD + 1), "ParseError"]) == "=parseconfig =parseerror"
