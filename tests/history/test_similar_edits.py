"""Similar edits of one commit, found from its hunks."""

from collections.abc import Sequence

import pytest

from repomem.core.types.commits import Hunk
from repomem.history.lines.edits import code_of, edits_from, edits_to
from repomem.history.similar_edits import MOST_SITES, similar_edits_to

COMMIT = "a" * 40


def hunk(removed: Sequence[str], added: Sequence[str], path: str = "models.py") -> Hunk:
    return Hunk(COMMIT, path, "", (*removed, *added), len(removed))


def found(hunks: Sequence[Hunk]) -> list[tuple[str, str, int]]:
    """What each group of siblings replaced by what, and at how many places."""
    edits = edits_to(hunks, {code_of(line) for each in hunks for line in each.added})
    groups = dict.fromkeys(filter(None, (similar_edits_to(edit, hunks) for edit in edits)))
    return [(one.removed, one.added, len(one.edits)) for one in groups]


READ = [
    hunk(['        elif hasattr(data, "read"):'], ["        elif isinstance(data, SupportsRead):"]),
    hunk(['    if hasattr(self.file, "read"):'], ["    if isinstance(self.file, SupportsRead):  # as typed"]),
    hunk(
        ['    return is_text(body) or hasattr(body, "read")'],
        ["    return is_text(body) or isinstance(body, SupportsRead)"],
        "upload.py",
    ),
]


def test_the_same_change_with_other_names_is_one_group() -> None:
    assert found(READ) == [('hasattr(…, "read")', "isinstance(…, SupportsRead)", 3)]


def test_text_common_to_all_lines_is_shown_in_full() -> None:
    hunks = [
        hunk([f"{name} = get(url, verify)"], [f"{name} = client.get(url, verify, wait)"])
        for name in ("a_page", "b_page")
    ]
    assert found(hunks) == [("get(url, verify)", "client.get(url, verify, wait)", 2)]


def test_two_different_changes_of_one_commit_are_two_groups() -> None:
    guarded = [hunk([f"count = {name}.total"], [f"count = {name}.total or compute_it()"]) for name in ("box", "bag")]
    assert found([*READ, *guarded]) == [
        ('hasattr(…, "read")', "isinstance(…, SupportsRead)", 3),
        ("", "or compute_it()", 2),
    ]


def test_lines_are_paired_within_a_longer_hunk() -> None:
    removed = ["first = open_one(path)", "unrelated(of, all, that)", "second = open_one(other)"]
    added = ["first = open_one(path, mode=BINARY)", "second = open_one(other, mode=BINARY)"]
    assert found([hunk(removed, added)]) == [("", ", mode=BINARY", 2)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("value = call({}, 'x')", 'value = call({}, "x")', id="quotes"),
        pytest.param("value = call({} ,x)", "value = call({}, x)", id="white space"),
        pytest.param("value = call({}, x)", "value = call({}, x,)", id="comma"),
        pytest.param("value = old_name({}, x)", "value = new_name({}, x)", id="name"),
        pytest.param("{}_value: Optional[Page] = None", "{}_value: Page | None = None", id="annotation"),
        pytest.param("value = parse({}, x)", "value = page.parse({}, x)", id="owner"),
        pytest.param("return {}_config[key]", "return {}", id="a name for it"),
        pytest.param("from {} import parse_page", "from {} import parse_page, print_page", id="import"),
        pytest.param("# {} is parsed here", "# {} is parsed here, twice at most", id="comment"),
        pytest.param("{}_text: the page as text", "{}_text: the page as text that any reader can take in", id="prose"),
    ],
)
def test_formatting_renames_types_and_prose_have_no_similar_edits(before: str, after: str) -> None:
    assert found([hunk([before.format(name)], [after.format(name)]) for name in ("one", "two", "three")]) == []


def test_a_mass_edit_has_no_similar_edits() -> None:
    many = [
        hunk([f"{name} = load(path{name})"], [f"{name} = load(path{name}, safe=CHECKED)"]) for name in "abcdefghijklm"
    ]
    assert len(many) == MOST_SITES + 1
    assert found(many) == []
    assert found(many[1:]) == [("", ", safe=CHECKED", MOST_SITES)]


def test_a_single_edit_has_no_similar_edits() -> None:
    assert found(READ[:1]) == []


def test_a_line_that_the_commit_moved_was_not_replaced() -> None:
    edits = [
        hunk(["go()", f"if (a.Add) Store({key}, a);"], [f"row = Read({key}, a, Store);"], f"{key}.cs") for key in "xy"
    ]
    assert found(edits) != []
    assert found([*edits, hunk([], ["Read(x, a) {", "    if (a.Add) Store(x, a);", "}"])]) == []


def test_the_edit_of_a_line_is_found() -> None:
    again = hunk(
        ["elif isinstance(data, SupportsRead):"], ['elif isinstance(data, SupportsRead) or hasattr(data, "read"):']
    )
    [edit] = edits_from([again, READ[0]], {"elif isinstance(data, SupportsRead):"})
    assert edit.after == 'elif isinstance(data, SupportsRead) or hasattr(data, "read"):'


def test_a_trailing_comment_is_not_part_of_a_line() -> None:
    assert code_of("    fetch(url)  # once") == code_of("fetch(url) // once") == code_of("fetch(url)") == "fetch(url)"
    assert code_of('fetch("http://example.org")') == 'fetch("http://example.org")'
