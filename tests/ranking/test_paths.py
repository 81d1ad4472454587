"""How well a path matches a question."""

import pytest
from support.ranking_scenes import Scene, scene

from repomem.ranking.paths import NAMED_FILE, NAMED_WHOLE, PathIndex, named_paths, path_scores
from repomem.ranking.query import Query

PATHS = (
    "src/ledgerly/parser.py",
    "src/ledgerly/journal_parser_options.py",
    "src/parser/money.py",
    "tests/parser.py",
    "README.md",
    ".github/workflows/ci.yml",
)


def files() -> Scene:
    return scene({path: ["text"] for path in PATHS})


def ranked(question: str) -> list[str]:
    scores = path_scores(Query(question), PathIndex(files().files))
    by_version = {file.version: file.path for file in files().files}
    return [by_version[version] for version in sorted(scores, key=lambda version: -scores[version])]


def test_the_file_name_weighs_more_than_the_folder() -> None:
    assert ranked("parser").index("src/ledgerly/parser.py") < ranked("parser").index("src/parser/money.py")


def test_a_name_with_other_words_scores_less() -> None:
    scores = path_scores(Query("parser"), PathIndex(files().files))
    assert scores[files().of("src/ledgerly/parser.py")] > scores[files().of("src/ledgerly/journal_parser_options.py")]


def test_any_form_of_a_word_matches() -> None:
    assert "src/ledgerly/parser.py" in ranked("parsing")


def test_paths_without_a_word_of_the_question_score_nothing() -> None:
    assert "README.md" not in ranked("parser")
    assert ranked("webhook") == []


def test_a_word_in_few_paths_weighs_more() -> None:
    assert ranked("parser money")[0] == "src/parser/money.py"


def test_a_hidden_file_is_found_by_its_name() -> None:
    assert ranked("ci workflows") == [".github/workflows/ci.yml"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("in src/ledgerly/parser.py it fails", {"src/ledgerly/parser.py": NAMED_WHOLE}),
        ("in ledgerly/parser.py it fails", {"src/ledgerly/parser.py": NAMED_WHOLE}),
        ("in PARSER.PY it fails", {"src/ledgerly/parser.py": NAMED_FILE, "tests/parser.py": NAMED_FILE}),
        ("ledgerly.parser: it fails", {"src/ledgerly/parser.py": NAMED_WHOLE}),
        ("`parser::money::add` fails", {"src/parser/money.py": NAMED_WHOLE}),
        ("erly.parser fails", {}),
        ("in erly/parser.py it fails", {}),
        ("in the parser it fails", {}),
        ("in lib/parser.py it fails", {}),
    ],
)
def test_a_path_in_the_question_counts_as_named(question: str, expected: dict[str, float]) -> None:
    found = named_paths(Query(question), files().files)
    assert found == {files().of(path): score for path, score in expected.items()}


def test_a_package_is_named_by_its_folder() -> None:
    found = named_paths(Query("fix ledgerly.journal"), scene({"src/ledgerly/journal/__init__.py": ["text"]}).files)
    assert list(found.values()) == [NAMED_WHOLE]
