"""A brief for a person: lines below an item stay lines of their own."""

from repomem.cli.recall.recall import with_line_breaks

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
    shown = with_line_breaks(BRIEF).split("\n")
    assert [line for line in shown if line.endswith("  ")] == [
        "1. `a.py:3-9` `def f()`  ",
        "   called by `g` `b.py:4`  ",
    ]
    assert [line.rstrip() for line in shown] == BRIEF.split("\n")
