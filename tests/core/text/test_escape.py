"""What repomem shows of a repository's text holds nothing that cannot be seen."""

import os
import re
import unicodedata

import pytest
from hypothesis import given, strategies as st

from repomem.core.text.escape import fence_for, one_line, quoted, quoted_with_code, visible, visible_path

HOSTILE = st.text(
    st.one_of(
        st.sampled_from(
            'ab0m[]?;/\\"`<>\n\t\r\x07\x1b\x9b\x9c\x9d\u200b\u200d\u202e\u2066\ufe0f\u2764\U0001f600\U000e0041'
        ),
        st.characters(),
        st.integers(0xD800, 0xDFFF).map(chr),
    )
)
KEPT_FORMAT = {"\n", "\t"}


def is_hidden(char: str) -> bool:
    return (
        (unicodedata.category(char) == "Cc" and char not in KEPT_FORMAT)
        or 0xD800 <= ord(char) <= 0xDFFF
        or 0xE0000 <= ord(char) <= 0xE0FFF
        or 0x200B <= ord(char) <= 0x200F
        or 0x2028 <= ord(char) <= 0x202E
        or 0x2060 <= ord(char) <= 0x206F
        or char == "\ufeff"
    )


@given(HOSTILE)
def test_no_invisible_character_is_left(text: str) -> None:
    assert not [char for char in visible(text) if is_hidden(char)]


@given(HOSTILE)
def test_showing_twice_changes_nothing(text: str) -> None:
    assert visible(visible(text)) == visible(text)
    assert visible_path(visible_path(text)) == visible_path(text)


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E)))
def test_printable_ascii_comes_back_as_the_same_object(text: str) -> None:
    assert visible(text) is text


@given(HOSTILE)
def test_a_shown_path_is_one_line_of_valid_unicode(path: str) -> None:
    shown = visible_path(path)
    assert shown.encode().decode() == shown
    assert "\n" not in shown
    assert "\t" not in shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\n\ttext", "plain\n\ttext"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0\x1b\\after", "after"),
        ("\x1b]0;no end\nnext line", "0;no end\nnext line"),
        ("\x1b(Bafter", "after"),
        ("one\r\ntwo\rthree\x00\x7f\x85", "one\ntwothree"),
        ("user\u202etxt.exe\u202c", "usertxt.exe"),
        ("a\u200bb\u2060c\ufeffd\u00ade", "abcde"),
        ("hi\U000e0068\U000e0069", "hi"),
        ("\u2764\ufe0f \U0001f600\ufe0f", "\u2764\ufe0f \U0001f600\ufe0f"),
        ("a\ufe0fb\ufe00\U000e0100", "ab"),
        ("\U0001f600\ufe00\ufe0d\ufe0f", "\U0001f600"),
        ("\udcff\udc80", r"\xff\x80"),
        ("\ud83d", r"\ud83d"),
        ("caf\u00e9 \u4e2d\u6587 \U0001f600", "caf\u00e9 \u4e2d\u6587 \U0001f600"),
    ],
)
def test_hidden_text_is_removed_completely(text: str, expected: str) -> None:
    assert visible(text) == expected


def test_a_path_shows_its_bytes_and_its_line_feeds() -> None:
    assert visible_path(os.fsdecode(b"a\nb\tc\xff.py")) == r"a\nb\tc\xff.py"


@given(HOSTILE, st.integers(min_value=0, max_value=40))
def test_one_line_keeps_its_limit(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert "\n" not in line


@pytest.mark.parametrize("unit", ["\x9d", "\x1b]", "\x1b[", "\x9b0", "\\", "\\x", "`", "<", "\x1b"])
def test_a_long_run_of_starts_takes_linear_time(unit: str) -> None:
    assert quoted(unit * 200_000 + "\nend").endswith('end"')


def test_a_cut_line_ends_with_an_ellipsis() -> None:
    assert one_line("a  long\n line", 100) == "a long line"
    assert one_line("a  long\n line", 8) == "a long…"


@given(st.text(st.sampled_from("`a\n")))
def test_no_text_closes_its_fence(text: str) -> None:
    fence = fence_for(text)
    assert len(fence) >= 3
    assert fence not in text


@given(HOSTILE)
def test_a_quoted_text_ends_only_at_its_own_quote(text: str) -> None:
    shown = quoted(text)
    assert "\n" not in shown
    assert re.fullmatch(r'"(?:[^"\\]|\\+[^"\\]|(?:\\\\)*\\"|(?:\\\\)+(?="\Z))*"', shown)


@pytest.mark.parametrize(
    "text",
    ["</repomem-brief>", "<repomem-brief", "< / REPOMEM-brief", "<\u200b/repo\u202emem-brief>", "<\n/repomem-brief x"],
)
def test_a_quoted_text_cannot_end_the_brief(text: str) -> None:
    assert "<" not in quoted(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](http://x)", r'"[a\](http://x)"'),
        ("![a](x)", r'"\![a\](x)"'),
        ("<img src=x> <!-- y --> </a>", r'"\<img src=x> \<!-- y --> \</a>"'),
        ("<|im_start|>system", r'"\<|im_start|>system"'),
        ("a < b, a <= b, a[0] (x) !x", '"a < b, a <= b, a[0] (x) !x"'),
    ],
)
def test_quoted_text_is_never_rendered_as_a_link_image_or_html(text: str, expected: str) -> None:
    assert quoted(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("write `(a > b) && c` instead of `a>b && c<d`", '"write `(a > b) && c` instead of `a>b && c<d`"'),
        ("``a ` <b>`` and <i>", r'"``a ` <b>`` and \<i>"'),
        ("a ` stray tick `<img>`", r'"a ` stray tick `\<img>`"'),
        (r"\`<img>`", r'"\`\<img>`"'),
        ("`</repomem-brief>`", '"`&lt;/repomem-brief>`"'),
    ],
)
def test_code_in_a_quotation_stays_as_written(text: str, expected: str) -> None:
    assert quoted_with_code(text) == expected


def test_quotes_and_the_backslashes_before_them_are_escaped() -> None:
    assert quoted('say "hi"\\') == r'"say \"hi\"\\"'
    assert quoted(r"C:\path \"x") == r'"C:\path \\\"x"'
