"""Which parts of a brief the benchmark of lines counts as useful."""

from benchmarks.lines import WantedLines, judged_parts, table_of, tokens_by_part

BRIEF = """\
<repomem-brief repository="post" head="93dd2336" gate="use" tokens="507/1500">

## Project facts and rules
- test: make test `Makefile:1`

## Where to look
1. `src/stamp.py:3-20` `def stamp(parcel)`
   called by `deliver` depot.py:4
   `stamp.py:3-4` in `stamp` (`stamp.py:3-20`):
```
def stamp(parcel):
    return parcel.size
```
```
9, 31: size = 1
40: size = 2
```
   also `weigh` `stamp.py:30-33`, `label` `stamp.py:50-52`
- further files: `src/depot.py`, `README.md`
- changed together with `stamp.py`: `tests/test_stamp.py` in 3 of 4 small commits

## Relevant history
- 6404f345 2026-05-12 "Stamp": `stamp`: still in the code
- 8112fcc7 2023-08-12 "Lint" (#6498): wrote `stamp.py:4`

No memory is recorded yet.
</repomem-brief>
"""


def test_each_part_is_compared_with_the_change() -> None:
    spans = {"src/stamp.py": [range(4, 6), range(29, 34)], "README.md": [], "tests/test_stamp.py": []}
    judged = judged_parts(BRIEF, WantedLines(spans, frozenset({"8112fcc7" + "0" * 32})))

    useful = [(each.part, each.text.strip()) for each in judged if each.is_useful]
    assert useful == [
        ("place", "1. `src/stamp.py:3-20` `def stamp(parcel)`"),
        ("excerpt", "`stamp.py:3-4` in `stamp` (`stamp.py:3-20`):"),
        ("excerpt", "```"),
        ("excerpt", "return parcel.size"),
        ("excerpt", "```"),
        ("line", "9, 31: size = 1"),
        ("also", "also `weigh` `stamp.py:30-33`"),
        ("files", "`README.md`"),
        (
            "together",
            "- changed together with `stamp.py`: `tests/test_stamp.py` in 3 of 4 small commits",
        ),
        ("history", '- 8112fcc7 2023-08-12 "Lint" (#6498): wrote `stamp.py:4`'),
    ]
    noise = [each.part for each in judged if not each.is_useful and each.part not in {"frame", "facts"}]
    assert noise == ["callers", "excerpt", "line", "line", "line", "also", "files", "history"]


def test_tokens_are_counted_by_part() -> None:
    counts = tokens_by_part(judged_parts(BRIEF, WantedLines({"README.md": []}, frozenset())))
    assert counts["files"][0] > 0
    assert counts["files"][1] > counts["files"][0]
    assert counts["history"][0] == 0
    assert "| files | " in table_of([counts])
