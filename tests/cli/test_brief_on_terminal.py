"""A brief for a person: lines below an item stay lines of their own."""

from io import StringIO

from rich.console import Console
from rich.markdown import Markdown

from repomem.cli.recall.recall import as_markdown

BRIEF = """## Where to look
1. `a.py:3-9` `def f()`
   called by `g` `b.py:4`
   also `h` `a.py:20`
```
def f():
    return 1
```
- a rule

last line"""


def test_lines_below_an_item_keep_their_breaks_and_code_is_unchanged() -> None:
    shown = as_markdown(BRIEF).split("\n")
    assert [line for line in shown if line.endswith("  ")] == [
        "1. `a.py:3-9` `def f()`  ",
        "   called by `g` `b.py:4`  ",
    ]
    assert [line.rstrip() for line in shown] == BRIEF.split("\n")


def test_names_with_underscores_and_types_in_angle_brackets_stay_as_they_are() -> None:
    markdown = as_markdown("- entry: shop → shop.__main__:main, `a__b` and Vec<u8>")
    assert markdown == "- entry: shop → shop.\\_\\_main\\_\\_:main, `a__b` and Vec\\<u8>"
    console = Console(width=100, file=StringIO())
    console.print(Markdown(markdown))
    assert "shop.__main__:main, a__b and Vec<u8>" in console.file.getvalue()  # type: ignore[attr-defined]
