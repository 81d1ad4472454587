"""Settings files of other programs: what an edit leaves alone, and how it is taken back."""

import copy
import json
from typing import Any

from hypothesis import example, given, settings, strategies as st

from repomem.adapters.settings.edits import applied, taken_back, taken_back_by_text, value_at
from repomem.adapters.settings.json_text import read_json
from repomem.adapters.settings.merge import merged_json
from repomem.adapters.settings.removal import without_paths
from repomem.core.errors import ForeignError

WANTED = {
    "hooks": {"Start": [{"command": "/opt/x/repomem hook session-start"}]},
    "mcpServers": {"repomem": {"args": []}},
}
OURS = [("hooks", "Start", -1), ("mcpServers", "repomem")]
MARK = "\ufeff"


def merged(text: str, wanted: dict[str, Any] = WANTED) -> str:
    content = text.encode()
    return applied(content, merged_json(content, wanted).edits).decode()


# --- generated files: any JSON, in any spacing, with comments and commas at the end, any line break, with a mark ---

NAMES = st.sampled_from(["hooks", "mcpServers", "Start", "a", "ä", 'q"', "//", "/*", "x,]}"])
PLAIN = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | NAMES
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=12
)
HOOKS = st.dictionaries(st.sampled_from(["Start", "Stop", "ä"]), st.lists(VALUES, max_size=3), max_size=3)
SERVERS = st.dictionaries(st.sampled_from(["other", "x"]), VALUES, max_size=2)
FILES = st.fixed_dictionaries(
    {}, optional={"permissions": VALUES, "hooks": HOOKS, "env": VALUES, "mcpServers": SERVERS, "x,]}": VALUES}
)
GAPS = st.sampled_from(["", " ", "\n", "\n  ", "\t", "\n\n", " // a, } b\n", "/* c, ] */", '\n// d " e\n  '])


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """A value as somebody may have written it."""

    def gap() -> str:
        return draw(GAPS)

    if isinstance(value, dict | list) and value:
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        keys = [f"{json.dumps(key)}{gap()}:{gap()}" for key in value] if isinstance(value, dict) else [""] * len(value)
        each = list(value.values()) if isinstance(value, dict) else value
        items = [f"{gap()}{key}{draw(written(inner))}{gap()}" for key, inner in zip(keys, each, strict=True)]
        return f"{opening}{','.join(items)}{draw(st.sampled_from(['', '', ',']))}{gap()}{closing}"
    if value in ({}, []) and isinstance(value, dict | list):
        return f"{json.dumps(value)[0]}{gap()}{json.dumps(value)[1]}"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


@st.composite
def files(draw: st.DrawFn) -> tuple[bytes, Any]:
    value = draw(FILES)
    text = draw(st.sampled_from(["", MARK])) + draw(GAPS) + draw(written(value)) + draw(GAPS)
    return (text.replace("\n", "\r\n") if draw(st.booleans()) else text).encode(), value


def expected_merge(value: Any) -> Any:
    value = copy.deepcopy(value)
    value.setdefault("hooks", {}).setdefault("Start", []).extend(WANTED["hooks"]["Start"])  # type: ignore[index]
    value.setdefault("mcpServers", {})["repomem"] = WANTED["mcpServers"]["repomem"]  # type: ignore[index]
    return value


@settings(max_examples=200)
@given(files())
@example((b"{}", {}))
@example((b'{"hooks":{"Start":[1,],},}', {"hooks": {"Start": [1]}}))
def test_with_and_then_without_gives_the_same_bytes(made: tuple[bytes, Any]) -> None:
    content, value = made
    assert read_json(content).value == value
    merge = merged_json(content, WANTED)
    after = applied(content, merge.edits)
    assert read_json(after).value == expected_merge(value)
    assert taken_back(after, merge.edits) == content
    assert taken_back_by_text(after, merge.edits) == content


@settings(max_examples=200)
@given(files())
def test_removing_by_structure_leaves_the_values_and_comments_of_others(made: tuple[bytes, Any]) -> None:
    content, value = made
    merge = merged_json(content, WANTED)
    after = applied(content, merge.edits)
    place = len(value_at(read_json(after).value, ("hooks", "Start"))) - 1
    removed = without_paths(after, [("hooks", "Start", place), ("mcpServers", "repomem")])
    for path in sorted(merge.made, key=len, reverse=True):
        if value_at(read_json(removed).value, path) in ({}, []):
            removed = without_paths(removed, [path])
    assert read_json(removed).value == value
    assert len(read_json(removed).comments) == len(read_json(content).comments)
    assert len(read_json(removed).last_commas) <= len(read_json(content).last_commas)


@settings(max_examples=200)
@given(files(), st.data())
def test_any_one_value_can_be_removed(made: tuple[bytes, Any], data: st.DataObject) -> None:
    content, value = made
    paths = [(key,) for key in value] + [
        ("hooks", key, at) for key, each in value.get("hooks", {}).items() for at in range(len(each))
    ]
    if not paths:
        return
    path = data.draw(st.sampled_from(paths))
    expected = copy.deepcopy(value)
    del value_at(expected, path[:-1])[path[-1]]
    assert read_json(without_paths(content, [path])).value == expected


@settings(max_examples=200)
@given(st.text(alphabet='{}[]",:/*\\ \n1ae\ufeff', max_size=40))
def test_any_text_is_read_as_json_reads_it_or_refused(text: str) -> None:
    try:
        found = read_json(text.encode()).value
    except ForeignError:
        return
    plain = text.removeprefix(MARK)
    try:
        assert json.loads(plain) == found
    except ValueError:
        assert "/" in plain or "," in plain or not plain.strip()
