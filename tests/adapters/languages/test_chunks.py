import json
from itertools import pairwise
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, strategies as st

from repomem.adapters.languages.chunk_layout import WHOLE_BYTES
from repomem.adapters.languages.chunks import LIMIT_BYTES, PACKED_BYTES, chunks_of
from repomem.adapters.languages.outline import outline_of
from repomem.core.types.code import Chunk, Definition, Outline

LIBRARY = Path(json.__file__).parent.parent
LIBRARY_FILES = sorted(path for package in ("json", "asyncio", "email") for path in (LIBRARY / package).rglob("*.py"))


def definition(name: str, start: int, end: int, kind: str = "function", start_byte: int = 0) -> Definition:
    return Definition(name.rpartition(".")[2], name, kind, start, end, start_byte, 0, f"def {name}()", f"{name}.")


def outline(*definitions: Definition) -> Outline:
    return Outline(definitions, (), is_broken=False)


def python_chunks(source: str) -> tuple[Chunk, ...]:
    data = dedent(source).lstrip("\n").encode()
    return chunks_of(data, outline_of(data, "python"))


def block(name: str, size: int, indent: str = "") -> str:
    """A function of `size` bytes; its lines carry its name."""
    head = f"{indent}def {name}():\n"
    line = f"{indent}    {name} = 1\n"
    count = (size - len(head)) // len(line)
    return head + line * count


def spans(chunks: tuple[Chunk, ...]) -> list[tuple[int, int]]:
    return [(chunk.start_line, chunk.end_line) for chunk in chunks]


def assert_sound(data: bytes, chunks: tuple[Chunk, ...]) -> None:
    """Everything that must hold for any input: order, coverage, exact texts, lines that agree, sizes."""
    covered = bytearray(data)
    for chunk in chunks:
        assert chunk.text == data[chunk.start_byte : chunk.end_byte].decode()
        assert chunk.text
        assert len(chunk.text.encode()) <= LIMIT_BYTES
        assert chunk.start_line == data.count(b"\n", 0, chunk.start_byte) + 1
        assert chunk.end_line == data.count(b"\n", 0, chunk.end_byte) + 1
        covered[chunk.start_byte : chunk.end_byte] = b" " * (chunk.end_byte - chunk.start_byte)
    assert not covered.strip()
    for before, after in pairwise(chunks):
        assert before.end_byte <= after.start_byte
        if before.end_line == after.start_line:
            assert before.start_line == before.end_line == after.end_line
    for chunk in chunks:
        assert_whole_lines(data, chunk, chunks)


def assert_whole_lines(data: bytes, chunk: Chunk, chunks: tuple[Chunk, ...]) -> None:
    lines = data.split(b"\n")
    if len(lines[chunk.start_line - 1]) > LIMIT_BYTES:
        assert chunk.start_line == chunk.end_line
        return
    assert chunk.start_byte == 0 or data[chunk.start_byte - 1 : chunk.start_byte] == b"\n"
    assert chunk.end_byte == len(data) or data[chunk.end_byte : chunk.end_byte + 1] == b"\n"


words = st.sampled_from(
    [
        "def f():",
        "}",
        "end",
        "# 注释",
        "  x = 1",
        "\t\treturn",
        "日本語",
        "ſtraße",
        "🦀" * 40,
        "x" * 700,
        '"""',
        "*/",
        "@a",
    ]
)
oddities = st.sampled_from(["", " ", "\r", "\f", "\0", "\ufeff", "\u2028", "a\rb", "y" * 5_000, "é" * 2_100])
texts = st.lists(
    st.one_of(words, oddities, st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=30)),
    max_size=120,
).flatmap(lambda lines: st.sampled_from(["\n", "\r\n", "\n\n"]).map(lambda ending: ending.join(lines).encode()))
kinds = st.sampled_from(["class", "function", "method", "field", "property", "section", "key"])
numbers = st.integers(-3, 130)
definitions = st.builds(definition, st.sampled_from(["a", "b", "a.c", ""]), numbers, numbers, kinds, numbers)


@given(texts, st.one_of(st.none(), st.lists(definitions, max_size=25).map(lambda found: outline(*found))))
def test_any_text_under_any_spans_is_covered_once_in_order_within_the_limits(
    data: bytes, found: Outline | None
) -> None:
    chunks = chunks_of(data, found)

    assert_sound(data, chunks)
    assert chunks == chunks_of(data, found)


@st.composite
def nested_sources(draw: st.DrawFn) -> tuple[bytes, Outline]:
    """Lines of random length under properly nested spans."""
    lines = draw(st.lists(st.integers(0, 400), min_size=1, max_size=80))
    data = "\n".join("x" * length for length in lines).encode()
    found: list[Definition] = []

    def nest(first: int, last: int, depth: int) -> None:
        while first <= last and depth < 4:
            start = draw(st.integers(first, last))
            end = draw(st.integers(start, last))
            found.append(definition(f"d{len(found)}", start, end, draw(kinds)))
            nest(start + 1, end, depth + 1)
            first = end + 1

    nest(1, len(lines), 0)
    return data, outline(*found)


@given(nested_sources())
def test_nested_definitions_are_covered_and_each_one_is_named_once(source: tuple[bytes, Outline]) -> None:
    data, found = source
    lines = data.split(b"\n")

    chunks = chunks_of(data, found)

    assert_sound(data, chunks)
    named = [d.name for d in found.definitions if lines[d.start_line - 1].strip()]
    listed = [name for chunk in chunks for name in chunk.defines]
    assert set(named) <= set(listed)
    assert len(listed) == len(set(listed))


@given(nested_sources())
def test_no_definition_that_fits_is_torn_apart(source: tuple[bytes, Outline]) -> None:
    data, found = source
    lines = data.split(b"\n")

    chunks = chunks_of(data, found)

    for d in found.definitions:
        inside = b"\n".join(lines[d.start_line - 1 : d.end_line])
        if d.kind not in {"field", "property"} and len(inside) <= WHOLE_BYTES and inside.strip():
            touching = [c for c in chunks if c.start_line <= d.end_line and c.end_line >= d.start_line]
            whole = [c for c in touching if inside.strip().decode() in c.text]
            shares_a_line = any(o is not d and d.start_line in (o.start_line, o.end_line) for o in found.definitions)
            assert whole or shares_a_line


@pytest.mark.parametrize("path", LIBRARY_FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_standard_library_is_covered_and_all_its_definitions_are_named(path: Path) -> None:
    data = path.read_bytes()
    found = outline_of(data, "python")

    chunks = chunks_of(data, found)

    assert_sound(data, chunks)
    assert [d.name for d in found.definitions] == [name for chunk in chunks for name in chunk.defines]
    lines = data.split(b"\n")
    for d in found.definitions:
        code = b"\n".join(lines[d.start_line - 1 : d.end_line])
        if d.kind in {"class", "function", "method", "constructor"} and len(code) <= WHOLE_BYTES:
            assert any(code.decode() in chunk.text for chunk in chunks), d.qualified


def test_small_neighbours_share_a_chunk_about_the_largest() -> None:
    (chunk,) = python_chunks("""
        import os

        LIMIT = 3

        def small():
            return LIMIT

        def larger(path):
            '''Say where it is.'''
            return os.fspath(path)
    """)

    assert chunk.defines == ("LIMIT", "small", "larger")
    assert (chunk.symbol, chunk.kind, chunk.docstring) == ("larger", "function", "Say where it is.")
    assert chunk.signature == "def larger(path)"


def test_neighbours_that_are_large_together_stay_apart() -> None:
    chunks = python_chunks(block("first", 700) + "\n\n" + block("second", 700))

    assert [chunk.symbol for chunk in chunks] == ["first", "second"]


def test_a_function_stays_whole_up_to_the_limit_for_whole_ones() -> None:
    chunks = python_chunks(block("first", WHOLE_BYTES) + "\n" + block("second", 900))

    assert [chunk.symbol for chunk in chunks] == ["first", "second"]
    assert chunks[0].text == block("first", WHOLE_BYTES).removesuffix("\n")


def test_comments_and_decorators_directly_above_stay_with_their_function() -> None:
    source = block("first", 1_500) + "# why\n@cache\n" + block("second", 1_500)

    chunks = python_chunks(source)

    assert chunks[1].text.startswith("# why\n@cache\ndef second")


def test_a_comment_after_a_blank_line_stays_behind() -> None:
    source = block("first", 1_500) + "\n# a section\n\n" + block("second", 1_500)

    chunks = python_chunks(source)

    assert [chunk.text.split("\n")[0] for chunk in chunks] == ["def first():", "# a section", "def second():"]


def test_an_unmarked_block_comment_stays_with_what_it_describes() -> None:
    data = ("x;\n" * 500 + "/*\nwhy it is so\n\nand how\n */\nint f() {\n" + "    y;\n" * 200 + "}\n").encode()

    chunks = chunks_of(data, outline(definition("f", 506, 707)))

    assert chunks[-1].text.startswith("/*\nwhy it is so\n\nand how\n */\nint f()")


def test_a_comment_that_leaves_no_room_becomes_a_chunk_about_its_function() -> None:
    data = ("# why\n" * 300 + block("f", 1_500)).encode()

    chunks = chunks_of(data, outline(definition("f", 301, data.count(b"\n"))))

    assert [chunk.symbol for chunk in chunks] == ["f", "f"]
    assert chunks[1].text.startswith("def f")


def test_a_large_class_becomes_its_head_and_its_methods() -> None:
    source = (
        'class Store:\n    """Keep things."""\n\n'
        + "".join(f"    field_{n} = {n}\n" for n in range(30))
        + "\n"
        + "\n".join(block(name, 1_000, "    ") for name in ("load", "save", "drop"))
    )

    chunks = python_chunks(source)

    assert [chunk.symbol for chunk in chunks] == ["Store", "Store.load", "Store.save", "Store.drop"]
    assert chunks[0].docstring == "Keep things."
    assert chunks[0].text.startswith("class Store")
    assert "field_29" in chunks[0].text
    assert chunks[0].defines[0] == "Store"


def test_the_last_method_of_a_large_class_is_not_mixed_with_what_follows_the_class() -> None:
    source = "class Store:\n" + block("load", 2_300, "    ") + "\n" + block("save", 500, "    ") + "\n\n"

    chunks = python_chunks(source + block("after", 300))

    assert [chunk.symbol for chunk in chunks] == ["Store.load", "Store.save", "after"]
    assert chunks[0].defines == ("Store", "load")


def test_a_closing_bracket_joins_the_method_before_it() -> None:
    body = "    y;\n" * 250
    data = f"class A {{\n  f() {{\n{body}  }}\n\n  g() {{\n{body}  }}\n}}\n".encode()
    last = data.count(b"\n")

    chunks = chunks_of(data, outline(definition("A", 1, last, "class"), definition("A.g", 255, last - 1)))

    assert chunks[-1].symbol == "A.g"
    assert chunks[-1].end_line == last


def test_a_bare_head_joins_what_it_opens_however_deep() -> None:
    data = ("module A\n  module B\n" + block("f", 1_500, "    ") + block("g", 1_500, "    ")).encode()
    last = data.count(b"\n")
    end_of_f = data[: data.index(b"def g")].count(b"\n")

    chunks = chunks_of(
        data,
        outline(
            definition("A", 1, last, "module"),
            definition("A.B", 2, last, "module"),
            definition("A.B.f", 3, end_of_f),
            definition("A.B.g", end_of_f + 1, last),
        ),
    )

    assert [(chunk.symbol, chunk.defines) for chunk in chunks] == [("A.B.f", ("A", "B", "f")), ("A.B.g", ("g",))]


def test_a_line_that_opens_what_a_definition_stands_in_stays_with_it() -> None:
    body = "    x;\n" * 250
    opening = "impl<S> A\nwhere\n    S: B,\n{\n  /// why\n"
    data = f"fn a() {{\n{body}}}\n\n{opening}  fn f() {{\n{body}  }}\n}}\n#endif // A\n".encode()

    chunks = chunks_of(data, outline(definition("a", 1, 252), definition("A.f", 259, 510)))

    assert spans(chunks) == [(1, 252), (254, 512)]


def test_a_huge_function_is_cut_at_its_blank_lines() -> None:
    paragraph = "    step = 1\n" * 50
    data = ("def f():\n" + "\n".join([paragraph] * 10)).encode()

    chunks = chunks_of(data, outline(definition("f", 1, data.count(b"\n"))))

    lines = data.split(b"\n")
    assert len(chunks) > 2
    assert all(not lines[chunk.end_line].strip() for chunk in chunks)
    assert {chunk.symbol for chunk in chunks} == {"f"}
    assert [chunk.defines for chunk in chunks if chunk.defines] == [("f",)]
    assert max(len(chunk.text) for chunk in chunks) <= WHOLE_BYTES


def test_a_huge_function_without_blank_lines_is_cut_at_its_outer_statements() -> None:
    statement = "    if step:\n" + "        step = 1\n" * 20 + "    else:\n" + "        step = 2\n" * 20
    data = ("def f():\n" + statement * 12).encode()

    chunks = chunks_of(data, outline(definition("f", 1, data.count(b"\n"))))

    assert len(chunks) > 2
    assert {chunk.text.split("\n")[0] for chunk in chunks[1:]} == {"    if step:"}


def test_the_last_piece_of_a_huge_function_is_no_leftover() -> None:
    data = ("def f():\n" + "    step = 1\n" * 190).encode()

    chunks = chunks_of(data, outline(definition("f", 1, 191)))

    assert len(chunks) == 2
    assert len(chunks[1].text) > 400


def test_without_definitions_a_text_is_cut_at_blank_lines() -> None:
    paragraph = "All work and no play.\n" * 20
    data = "\n".join([paragraph] * 12).encode()

    chunks = chunks_of(data, None)

    assert chunks == chunks_of(data, outline())
    assert 2 < len(chunks) < 12
    assert {part.strip() for chunk in chunks for part in chunk.text.split("\n\n")} == {paragraph.strip()}
    assert {(chunk.symbol, chunk.kind, chunk.defines) for chunk in chunks} == {("", "text", ())}


def test_a_long_line_is_cut_at_character_boundaries_and_shares_its_definitions() -> None:
    data = ("a\n" + "é🦀" * 2_000 + "\nb\n").encode()
    names = [definition(f"n{byte}", 2, 2, start_byte=byte) for byte in (-5, 2, 4_100, 99_999)]

    chunks = chunks_of(data, outline(*names))

    assert spans(chunks) == [(1, 1), (2, 2), (2, 2), (2, 2), (2, 2), (3, 3)]
    assert [chunk.defines for chunk in chunks[1:-1]] == [("n-5", "n2"), ("n4100",), (), ("n99999",)]
    assert "".join(chunk.text for chunk in chunks[1:-1]) == "é🦀" * 2_000


def test_ten_megabytes_in_one_line_are_chunks_within_the_limit() -> None:
    data = b"x" * 10_000_000

    chunks = chunks_of(data, None)

    assert len(chunks) == 2_500
    assert {len(chunk.text) for chunk in chunks} == {LIMIT_BYTES}


def test_spans_nested_a_thousand_deep_are_no_trouble() -> None:
    data = b"line of text\n" * 4_000
    nested = [definition(f"n{depth}", depth, 4_001 - depth) for depth in range(1, 2_000)]

    assert_sound(data, chunks_of(data, outline(*nested)))


@pytest.mark.parametrize("data", [b"", b"\n", b" \r\n\t\n\f\n"])
def test_a_file_without_text_has_no_chunks(data: bytes) -> None:
    assert chunks_of(data, None) == ()


def test_lines_end_at_line_feeds_alone() -> None:
    (chunk,) = chunks_of("a\rb\r\nc\u2028d\fe\0\r\n".encode(), None)

    assert (chunk.start_line, chunk.end_line) == (1, 2)
    assert chunk.text == "a\rb\r\nc\u2028d\fe\0\r"


def test_properties_on_the_first_line_of_a_class_do_not_take_its_head() -> None:
    data = ("class A(val x: Int) {\n" + "    y;\n" * 400 + "}\n").encode()

    chunks = chunks_of(data, outline(definition("A", 1, 402, "class"), definition("A.x", 1, 1, "method")))

    assert {chunk.symbol for chunk in chunks} == {"A"}
    assert chunks[0].defines == ("A", "x")


def test_packs_stay_within_their_size() -> None:
    chunks = python_chunks("\n".join(block(f"f{n}", 250) for n in range(20)))

    assert all(PACKED_BYTES // 2 < len(chunk.text) <= PACKED_BYTES for chunk in chunks)
