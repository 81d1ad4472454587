"""A block of ours in TOML and Markdown, and JSON that is refused."""

import pytest

from repomem.adapters.settings.block import (
    HASH_MARKS,
    MARKDOWN_MARKS,
    block_added,
    block_in,
    toml_of,
    toml_table_added,
    toml_table_removed,
    without_block,
)
from repomem.adapters.settings.edits import Edit, applied, line_break_of, taken_back, taken_back_by_text
from repomem.adapters.settings.json_text import MOST_DEPTH, read_json
from repomem.adapters.settings.merge import merged_json
from repomem.adapters.settings.removal import without_paths
from repomem.core.errors import ForeignError

TABLE = ("mcp_servers", "repomem")
BODY = '[mcp_servers.repomem]\ncommand = "/opt/repomem"\n'
WORDS = "Run it.\n"


def with_table(text: str) -> str:
    content = text.encode()
    return applied(content, [toml_table_added(content, TABLE, BODY)]).decode()


def with_words(text: str) -> str:
    content = text.encode()
    return applied(content, [block_added(content, MARKDOWN_MARKS, WORDS)]).decode()


def merged(text: str, wanted: dict[str, object]) -> str:
    content = text.encode()
    return applied(content, merged_json(content, wanted).edits).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ("{}", '{"a": {"b": 1}}'),
        ("{}\n", '{"a": {"b": 1}}\n'),
        ("{\n}", '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"x": 1}', '{"x": 1, "a": {"b": 1}}'),
        ('{\n\t"x": 1\n}', '{\n\t"x": 1,\n\t"a": {\n\t\t"b": 1\n\t}\n}'),
        ('{\n  "x": 1 // one\n}', '{\n  "x": 1, // one\n  "a": {\n    "b": 1\n  }\n}'),
        ('{\n  "x": 1, // one\n}', '{\n  "x": 1, // one\n  "a": {\n    "b": 1\n  },\n}'),
        ('{\n  "a": {}\n}', '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{\n  "a": { "c": 2 }\n}', '{\n  "a": { "c": 2, "b": 1 }\n}'),
        ('{\r\n  "x": 1\r\n}\r\n', '{\r\n  "x": 1,\r\n  "a": {\r\n    "b": 1\r\n  }\r\n}\r\n'),
        ("// mine\n", '// mine\n{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ('{"a": {"b": 1}}', '{"a": {"b": 1}}'),
    ],
)
def test_added_values_follow_the_style_of_the_file(before: str, after: str) -> None:
    assert merged(before, {"a": {"b": 1}}) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[1, 2, 3]", "[1, 3]"),
        ("[1,\n  2,\n  3]", "[1,\n  3]"),
        ("[\n  1, // one\n  2, // two\n  3\n]", "[\n  1, // one\n   // two\n  3\n]"),
    ],
)
def test_a_removed_value_takes_its_comma_along(before: str, after: str) -> None:
    assert without_paths(before.encode(), [(1,)]).decode() == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[1, 2]", "[1]"),
        ("[\n  1, // one\n  2\n]", "[\n  1 // one\n]"),
        ("[\n  1, // one\n  2]", "[\n  1 // one\n  ]"),
        ("[\n  1, // one\n  2, ]", "[\n  1, // one\n   ]"),
        ("[\n  1,\n  2,\n]", "[\n  1,\n]"),
    ],
)
def test_removing_the_last_value_leaves_no_comma_in_a_comment(before: str, after: str) -> None:
    assert without_paths(before.encode(), [(1,)]).decode() == after


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{]",
        '{"a": 1} {}',
        "{'a': 1}",
        '{"a": 1,,}',
        "{,}",
        '{"a": NaN}',
        '{"a": "x\ny"}',
        '{"a": 01}',
        '{"a": 1} /* no end',
        '{"a": "no end}',
        "[" * (MOST_DEPTH + 1) + "]" * (MOST_DEPTH + 1),
        '"' + '\\"' * 200_000,
        "/*" * 200_000,
    ],
)
def test_invalid_json_is_refused(text: str) -> None:
    with pytest.raises(ForeignError):
        read_json(text.encode())


@pytest.mark.parametrize("content", [b"\xff\xfe{\x00}\x00", b'{"a": "\xff"}'])
def test_text_that_is_not_utf8_is_refused(content: bytes) -> None:
    with pytest.raises(ForeignError, match="UTF-8"):
        read_json(content)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "the file is not an object"),
        ('{"hooks": []}', "hooks is not an object"),
        ('{"hooks": null}', "hooks is not an object"),
        ('{"hooks": {"Stop": {}}}', "hooks.Stop is not an array"),
        ('{"hooks": {}, "hooks": {}}', "'hooks' appears twice"),
        ('{"hooks": {"Stop": [], "Stop": []}}', "'Stop' appears twice in hooks"),
        ('{"version": 2}', "version is not 1"),
    ],
)
def test_a_file_in_doubt_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ForeignError, match=reason):
        merged(text, {"version": 1, "hooks": {"Stop": [{}]}})


def test_numbers_unknown_to_the_grammar_are_accepted() -> None:
    assert merged('{"x": 1e+16}', {"a": 1}) == '{"x": 1e+16, "a": 1}'


def test_edits_are_undone_by_position_or_by_text() -> None:
    edits = [Edit(1, b"b", b"BB"), Edit(3, b"", b"!!")]
    assert applied(b"abcd", edits) == b"aBBc!!d"
    assert taken_back(b"aBBc!!d", edits) == b"abcd"
    assert taken_back_by_text(b"xaBBc!!d", edits) == b"xabcd"
    assert taken_back_by_text(b"BBBBc!!d", edits) == b"BBBBcd"


def test_line_breaks_are_those_of_the_first_line() -> None:
    assert [line_break_of(text) for text in (b"", b"a\r\nb\n", b"\nb\r\n")] == [b"\n", b"\r\n", b"\n"]


@pytest.mark.parametrize("text", ["", "a = 1\n", "a = 1", "a = 1\r\n[b]\r\nc = 2\r\n", "[mcp_servers.x]\na = nan"])
def test_a_table_is_added_at_the_end_and_removed_with_its_marks(text: str) -> None:
    after = with_table(text)
    assert after.startswith(text)
    assert toml_of(after.encode())["mcp_servers"]["repomem"] == {"command": "/opt/repomem"}
    assert block_in(after.encode(), HASH_MARKS) == BODY
    removed = toml_table_removed(after.encode(), TABLE).decode()
    assert removed.rstrip() == text.rstrip()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a = ", "not valid TOML"),
        ("\ufeffa = [", "not valid TOML"),
        ("a = " + "[" * 100_000, "not valid TOML"),
        ("[mcp_servers.repomem]\ncommand = 'x'\n", "already exists"),
        ("mcp_servers = { x = { command = 'y' } }\n", "cannot add a table"),
        ("[[mcp_servers]]\n", "cannot add a table"),
    ],
)
def test_toml_that_cannot_take_the_table_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ForeignError, match=reason):
        with_table(text)


def test_the_next_step_for_an_inline_table_is_to_write_it_as_tables() -> None:
    with pytest.raises(ForeignError) as raised:
        with_table("mcp_servers = { x = { command = 'y' } }\n")
    assert raised.value.message.endswith("to mcp_servers as it is written")
    assert raised.value.hint.startswith("write its entries as tables, such as [mcp_servers.NAME]")


def test_a_foreign_table_between_our_marks_stays() -> None:
    theirs = '\n# theirs\n[projects."/w"]\ntrust_level = "trusted"\n'
    text = with_table("a = 1\n").replace("# repomem:end", f"{theirs}# repomem:end")
    after = toml_table_removed(text.encode(), TABLE).decode()
    assert after == 'a = 1\n\n# theirs\n[projects."/w"]\ntrust_level = "trusted"\n'


def test_content_indistinguishable_from_our_table_is_not_removed() -> None:
    text = with_table("a = 1\n").replace(
        "# repomem:end", '[mcp_servers.repomem.env]\nB = \'c\'\n"x" = """\n[y]\n"""\n# repomem:end'
    )
    removed = toml_table_removed(text.encode(), TABLE).decode()
    assert toml_of(removed.encode()) == {"a": 1}
    with pytest.raises(ForeignError, match="text was added between its repomem marks"):
        toml_table_removed(
            text.replace("[mcp_servers.repomem]\n", "b = 2\n[mcp_servers.repomem]\nc = [\n[3]]\n").encode(), TABLE
        )


def test_a_block_whose_table_is_gone_is_removed() -> None:
    text = "a = 1\n\n# repomem:start\n# repomem:end\n"
    assert toml_table_removed(text.encode(), TABLE) == b"a = 1\n"


@pytest.mark.parametrize("text", ["", "# T\n", "# T", "# T\r\n\r\n- a\r\n", "\ufeff# T\n\n\n"])
def test_words_are_added_at_the_end_and_removed_with_their_marks(text: str) -> None:
    after = with_words(text).encode()
    assert block_in(after, MARKDOWN_MARKS) == WORDS
    assert without_block(after, MARKDOWN_MARKS).decode().rstrip() == text.rstrip()


@pytest.mark.parametrize(
    "text",
    [
        "<!-- repomem:start -->\n",
        "<!-- repomem:end -->\n",
        "<!-- repomem:end -->\n<!-- repomem:start -->\n",
        "<!-- repomem:start -->\n<!-- repomem:end -->\n" * 2,
    ],
)
def test_marks_that_make_no_block_are_refused(text: str) -> None:
    with pytest.raises(ForeignError, match="are missing, repeated or out of order"):
        without_block(text.encode(), MARKDOWN_MARKS)


def test_marks_within_a_line_are_no_marks() -> None:
    assert block_in(b"see `<!-- repomem:start -->` and <!-- repomem:end -->\n", MARKDOWN_MARKS) is None
