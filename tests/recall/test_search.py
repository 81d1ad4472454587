"""Search of the sample repositories, in the languages that they are written in."""

import pytest
from support.library import Library
from support.samples import found, recalled, searched

from repomem.core.errors import NotFound
from repomem.workspace.snapshot import Scope


@pytest.mark.parametrize(
    ("name", "question", "path", "line"),
    [
        ("ledgerly", "检查借贷平衡", "src/ledgerly/ledger.py", "先检查借贷是否平衡"),
        ("ledgerly", "仕訳の勘定科目", "src/ledgerly/parser.py", "仕訳は日付"),
        ("ledgerly", "Kontenrahmen", "src/ledgerly/ledger.py", "kontenrahmenPruefen"),
        ("ledgerly", "остатки по счетам", "README.md", "показывает остатки по счетам"),
        ("ledgerly", "проводки", "README.md", "Каждая проводка"),
        ("tidepool", "换算成弧度", "internal/tide/tide.go", "换算成弧度"),
        ("tidepool", "潮位の計算", "internal/tide/tide.go", "潮位は各分潮の和"),
        ("tidepool", "Konstanten der Gezeiten", "internal/station/station.go", "Gezeitenkonstanten der"),
        ("tidepool", "точность прогноза", "README.md", "Прогноз не учитывает погоду"),
        ("courier", "секрет подписи", "README.md", "Секрет для подписи"),
        ("courier", "全抖动 避免同时重试", "src/retry.ts", "避免所有客户端同时重试"),
        ("courier", "Zustellversuch", "src/queue.ts", "zustellversuchErschoepft"),
        ("courier", "delayBefore", "src/retry.ts", "function delayBefore"),
        ("ledgerly", "parseJournal", "src/ledgerly/parser.py", "def parse_journal"),
        ("ledgerly", "Ledger.post", "src/ledgerly/ledger.py", "def post"),
        ("tidepool", "turns of the tide in steps of minutes", "internal/tide/tide.go", "func Extremes"),
    ],
)
def test_the_best_hit_is(library: Library, name: str, question: str, path: str, line: str) -> None:
    best, *others = searched(library(name), question)
    assert best.file.path == path
    assert line in "".join(hit.chunk.text for hit in (best, *others) if hit.file.path == path)


@pytest.mark.parametrize(
    ("name", "question", "path"),
    [("ledgerly", "Abweichungen", "src/ledgerly/ledger.py"), ("courier", "Wiederholung", "src/queue.ts")],
)
def test_a_compound_of_small_letters_is_found_by_one_of_its_parts(
    library: Library, name: str, question: str, path: str
) -> None:
    assert path in [found_path for found_path, _ in found(library(name), question)]


def test_the_file_that_defines_a_symbol_is_among_the_first(library: Library) -> None:
    assert "src/retry.ts" in [path for path, _ in found(library("courier"), "isRetryable", 3)]


def test_a_topic_that_occurs_nowhere_is_not_found(library: Library) -> None:
    assert found(library("ledgerly"), "支付宝") == []


def test_a_limit_is_kept(library: Library) -> None:
    assert len(found(library("ledgerly"), "amount currency", limit=2)) == 2


@pytest.mark.parametrize(
    ("scope", "paths"),
    [
        (Scope(path="tests"), {"tests/test_parser.py"}),
        (Scope(path="tests/"), {"tests/test_parser.py"}),
        (Scope(path="./tests"), {"tests/test_parser.py"}),
        (Scope(path="./src/*/money.py"), {"src/ledgerly/money.py"}),
        (Scope(path="src/*/money.py"), {"src/ledgerly/money.py"}),
        (Scope(language="markdown"), {"README.md", "CONTRIBUTING.md"}),
    ],
)
def test_a_scope_restricts_what_is_found(library: Library, scope: Scope, paths: set[str]) -> None:
    assert {path for path, _ in found(library("ledgerly"), "journal balance amount money", 20, scope)} == paths


@pytest.mark.parametrize(
    ("scope", "message", "hint"),
    [
        (Scope(path="srcc"), "no indexed file is in srcc", "paths begin at the top of the repository, or here with ./"),
        (
            Scope(path="src", language="markdown"),
            "no indexed file is in src of language markdown",
            "paths begin at the top",
        ),
        (Scope(language="pyton"), "no indexed file is of language pyton", "the languages here: make, markdown, python"),
    ],
)
def test_an_empty_scope_is_reported(library: Library, scope: Scope, message: str, hint: str) -> None:
    with pytest.raises(NotFound) as told:
        found(library("ledgerly"), "journal", 20, scope)
    assert told.value.message == message
    assert told.value.hint.startswith(hint)


def test_a_dirty_file_is_found_as_it_is_now_and_not_as_it_was(copied: Library) -> None:
    folder = copied("ledgerly")
    money = folder / "src/ledgerly/money.py"
    money.write_text(money.read_text().replace("parse_money", "read_amount"))
    assert found(folder, "read_amount")[0] == ("src/ledgerly/money.py", "read_amount")
    assert ("src/ledgerly/money.py", "parse_money") not in found(folder, "parse_money", 20)


def test_a_deleted_file_leaves_no_hits(copied: Library) -> None:
    folder = copied("ledgerly")
    (folder / "src/ledgerly/money.py").unlink()
    hits = found(folder, "parse_money currency", 20)
    assert hits
    assert "src/ledgerly/money.py" not in {path for path, _ in hits}


def test_in_a_subfolder_its_own_package_ranks_first(copied: Library) -> None:
    folder = copied("ledgerly")
    for package in ("alpha", "beta"):
        (folder / package).mkdir()
        (folder / package / "reader.py").write_text("def read_voucher(line):\n    return line.split()\n")
    assert [path for path, _ in found(folder, "read_voucher", 2)] == ["alpha/reader.py", "beta/reader.py"]
    assert [path for path, _ in found(folder / "beta", "read_voucher", 2)] == ["beta/reader.py", "alpha/reader.py"]
    [first, *_] = [
        item for item in recalled(folder / "beta", "read_voucher splits the line").items if item.kind == "code"
    ]
    assert first.path == "beta/reader.py"
    assert "here" in first.why


def test_at_the_top_no_folder_ranks_first(library: Library) -> None:
    brief = recalled(library("ledgerly"), "parse the journal")
    assert not [item for item in brief.items if "here" in item.why]
