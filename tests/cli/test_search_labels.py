"""The line above each hit of `search`: its place, and the definitions in it."""

from support.command_line import Place

from repomem.cli.recall.search import hits_markdown
from repomem.core.types.code import Role
from repomem.core.types.indexed import Hit, IndexedChunk, IndexedFile, Symbol
from repomem.core.types.text import CleanText


def test_a_hit_with_several_definitions_counts_the_others() -> None:
    sites = tuple(Symbol(f"Option.{name}", "method", at, at, "") for at, name in ((5, "env"), (6, "hide"), (7, "name")))
    chunk = IndexedChunk(1, 0, 5, 9, "Option.env", "method", "", "", sites, CleanText("text"))
    found = Hit(IndexedFile(1, "a.ts", Role.SOURCE, "typescript", 1), chunk, 0.5, ())
    assert hits_markdown([found]).startswith("a.ts:5-9 method Option.env and 2 more definitions (")


def test_an_empty_query_is_an_error(ledgerly: Place) -> None:
    ended = ledgerly.run("search", " ")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("error: the query is empty\nhint: repomem search")


def test_hits_by_meaning_alone_are_marked_as_such() -> None:
    chunk = IndexedChunk(1, 0, 5, 9, "", "", "", "", (), CleanText("text"))
    near, exact = (
        Hit(IndexedFile(1, "a.ts", Role.SOURCE, "", 1), chunk, 0.5, why) for why in (("vector",), ("words",))
    )
    assert hits_markdown([near]).startswith("No file contains these words; nearest by meaning:\n\na.ts:5-9 (")
    assert hits_markdown([near, exact]).startswith("a.ts:5-9 (")
    assert not hits_markdown([])
