"""What is text, and what is left out."""

import codecs
import random
import zlib

import pytest
from hypothesis import given, strategies as st

from repomem.adapters.languages.classify import left_out, text_of

CODE = "".join(f"value_{n} = compute(value_{n - 1}, {n})\n" for n in range(1, 2_000))
LONG_LINE = b'picture = "' + b"A" * 30_000 + b'"\n'


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"a\r\nb\rc\n", "a\r\nb\rc\n"),
        ("naïve ☃".encode(), "naïve ☃"),
        ("naïve".encode("utf-8-sig"), "naïve"),
        (codecs.BOM_UTF16_LE + "naïve ☃".encode("utf-16-le"), "naïve ☃"),
        (codecs.BOM_UTF16_BE + "naïve ☃".encode("utf-16-be"), "naïve ☃"),
        (codecs.BOM_UTF32_LE + "naïve".encode("utf-32-le"), "naïve"),
        (codecs.BOM_UTF32_BE + "naïve".encode("utf-32-be"), "naïve"),
        ("# café “quoted”\n".encode("cp1252"), "# café “quoted”\n"),
        (b"# caf\xe9 \x81\n", "# caf\xe9 \x81\n"),
        ("# 日本語のコメント\n".encode() * 9 + b"\xe9\n", "# 日本語のコメント\n" * 9 + "�\n"),
        (b"text " * 2_000 + b"\0", "text " * 2_000 + "\0"),
    ],
)
def test_text_is_decoded_by_mark_then_utf8_then_as_legacy_text(data: bytes, text: str) -> None:
    assert text_of(data) == text


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"%PDF-1.7\n1 0 obj\n",
        codecs.BOM_UTF16_LE + b"a",
        codecs.BOM_UTF16_LE + b"\0\xd8",
        zlib.compress(random.Random(0).randbytes(600)).replace(b"\0", b"\1"),
        "in UTF-16 without a mark".encode("utf-16-le"),
    ],
    ids=["png", "pdf", "odd utf-16", "lone surrogate", "compressed", "unmarked utf-16"],
)
def test_bytes_that_are_not_text_are_binary(data: bytes) -> None:
    assert text_of(data) is None
    assert left_out("name.py", data) == "binary"


@given(st.binary(max_size=300))
def test_a_text_can_always_be_encoded_again(data: bytes) -> None:
    text = text_of(data)

    assert text is None or text.encode("utf-8").decode("utf-8") == text


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_every_text_in_utf8_is_read_as_it_is(text: str) -> None:
    assert text_of(text.encode()) == text.removeprefix("\ufeff") or text.startswith("%PDF-")


@pytest.mark.parametrize(
    ("path", "data", "reason"),
    [
        ("src/app.py", CODE.encode(), ""),
        ("empty.py", b"", ""),
        ("assets/model.bin", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "LFS pointer"),
        ("web/package-lock.json", b"{}", "lock file"),
        ("Cargo.lock", b"", "lock file"),
        ("go.sum", b"", "lock file"),
        ("src/lock.py", b"", ""),
        ("web/jquery.min.js", b"", "minified"),
        ("web/app.js.map", b"{}", "minified"),
        ("link/exports.map", b"V1 { global: f; };\n", ""),
    ],
)
def test_a_file_is_left_out_with_its_reason(path: str, data: bytes, reason: str) -> None:
    assert left_out(path, data) == reason


@pytest.mark.parametrize(
    ("path", "data", "reason"),
    [
        ("app.js", b"a();" * 2_000, "minified"),
        ("short.js", b"a();" * 1_000, ""),
        ("app.js", b"// a line\n" * 40 + LONG_LINE, "minified"),
        ("debugger.py", CODE.encode() + LONG_LINE, ""),
        ("README.md", b"One paragraph on a line. " * 2_000, ""),
        ("api.json", b'{"a": 1}, ' * 1_000, "large data file"),
        ("utf16.js", codecs.BOM_UTF16_LE + ("a();" * 2_000).encode("utf-16-le"), "minified"),
    ],
)
def test_long_lines_are_no_code_unless_enough_ordinary_ones_stand_around_them(
    path: str, data: bytes, reason: str
) -> None:
    assert left_out(path, data) == reason


@pytest.mark.parametrize(
    ("name", "limit_kb"),
    [("rows.csv", 64), ("rows.JSONL", 64), ("api.json", 256), ("page.ipynb", 512), ("logo.svg", 32), ("a.snap", 128)],
)
def test_data_is_left_out_only_above_its_limit(name: str, limit_kb: int) -> None:
    line = b"0,1,2,3,4,5,6,7\n"  # 16 bytes
    at_limit = line * (limit_kb * 64)

    assert left_out(name, at_limit) == ""
    assert left_out(name, at_limit + b"\n") == "large data file"


def test_yaml_and_sql_have_no_limit_of_their_own() -> None:
    large = b"- name: value\n" * 50_000

    assert left_out("crd.yaml", large) == ""
    assert left_out("schema.sql", large) == ""
