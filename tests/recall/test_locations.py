"""The definition that heads a place."""

from dataclasses import replace

from support.searched_files import file

from repomem.core.types.code import Role
from repomem.core.types.indexed import Hit, IndexedFile, Symbol
from repomem.core.types.text import CleanText
from repomem.ranking.definitions import ScoredDefinition
from repomem.ranking.excerpts import Excerpt
from repomem.ranking.matching_lines import FoundLine
from repomem.recall.locations import headed, is_needed, owner_named, part_of
from repomem.recall.shown_code import Place, ShownCode, line_known_by

TAPE = Symbol("Tape", "class", 1, 400, "class Tape")
READ = Symbol("Tape.read", "method", 10, 20, "def read(self)")
REWIND = Symbol("Tape.rewind", "method", 40, 50, "def rewind(self)")


def place() -> Place:
    searched = file(lines=400)
    chunk = searched.chunks[0]._replace(sites=(TAPE, READ, REWIND))
    scored = [ScoredDefinition(site, chunk, score) for site, score in ((READ, 3.0), (REWIND, 2.0))]
    searched = replace(searched, chunks=[chunk], definitions=scored)
    hit = Hit(IndexedFile(1, "a.py", Role.SOURCE, "python", 400), chunk, 1.0, ())
    return Place(hit, "a.py", READ, scored[1:], searched)


def excerpt(start_line: int) -> Excerpt:
    return Excerpt("a.py", start_line, ("line",) * 4, 1.0)


def test_a_place_is_headed_by_the_definition_whose_lines_are_shown() -> None:
    found = headed(place(), ShownCode([excerpt(42), excerpt(12)], []))
    assert found.site == READ  # some of its lines are shown
    found = headed(place(), ShownCode([excerpt(42)], []))
    assert (found.site, [each.site for each in found.others]) == (REWIND, [READ])


def test_a_single_line_of_its_definition_keeps_the_heading() -> None:
    assert headed(place(), ShownCode([excerpt(42)], [FoundLine("a.py", 15, "line", 1.0)])).site == READ


def test_a_type_of_hundreds_of_lines_is_no_heading() -> None:
    assert headed(place(), ShownCode([excerpt(200)], [])).site == READ
    assert headed(place(), ShownCode([], [])).site == READ


def test_a_place_without_scored_definitions_keeps_no_former_one() -> None:
    bare = place()
    bare = replace(bare, others=(), searched=replace(bare.searched, definitions=[]))
    found = headed(bare, ShownCode([excerpt(42)], []))
    assert (found.site, list(found.others)) == (REWIND, [])


def test_an_excerpt_is_not_said_to_be_in_a_module() -> None:
    module = Symbol("Tapes", "module", 1, 400, "module Tapes")
    found = place()
    sites = [module, READ, REWIND]
    chunks = [found.searched.chunks[0]._replace(sites=tuple(sites))]
    found = replace(found, searched=replace(found.searched, chunks=chunks))
    assert owner_named(found, excerpt(200)) is None
    assert owner_named(found, excerpt(42)) == REWIND


def test_a_definition_is_known_by_the_line_with_its_name() -> None:
    searched = file(lines=400, rewind=42)
    assert line_known_by(searched, REWIND) == 42  # attributes may precede it
    assert line_known_by(searched, READ) == 10


def test_lines_outside_of_all_definitions_are_a_place_of_their_own() -> None:
    bare = place()
    chunk = bare.searched.chunks[0]._replace(sites=(READ, REWIND))
    bare = replace(bare, searched=replace(bare.searched, chunks=[chunk]))
    found = headed(bare, ShownCode([excerpt(100)], []))
    assert found.site
    assert (found.site.qualified, found.site.start_line, found.site.end_line) == ("", 100, 103)
    assert [each.site for each in found.others] == [READ, REWIND]
    assert headed(bare, ShownCode([], [FoundLine("a.py", 45, "line", 1.0)])).site == REWIND


def test_without_lines_only_the_first_two_places_of_the_product_are_shown() -> None:
    code = place()
    test = replace(code, hit=replace(code.hit, file=replace(code.hit.file, role=Role.TEST)))
    assert [is_needed(code, at) for at in range(3)] == [True, True, False]
    assert not any(is_needed(test, at) for at in range(3))


def test_a_comment_leads_to_the_function_below_it() -> None:
    bare = place()
    chunk = bare.searched.chunks[0]
    lines = chunk.text.split("\n")
    lines[37:39] = ["# Wind the tape back.", "# Slowly."]
    chunk = chunk._replace(sites=(READ, REWIND), text=CleanText("\n".join(lines)))
    bare = replace(bare, searched=replace(bare.searched, chunks=[chunk]))
    assert headed(bare, ShownCode([], [FoundLine("a.py", 38, "# Wind the tape back.", 1.0)])).site == REWIND
    found = headed(bare, ShownCode([], [FoundLine("a.py", 37, "line", 1.0)])).site
    assert found
    assert found.start_line == 37


def test_a_long_definition_of_another_file_is_narrowed_to_its_best_chunk() -> None:
    long = place()
    chunks = [
        long.searched.chunks[0]._replace(
            ordinal=at, start_line=100 * at + 1, end_line=100 * at + 100, text=CleanText("")
        )
        for at in range(4)
    ]
    chunks[3] = chunks[3]._replace(text=CleanText("\n" * 99))
    long = replace(long, searched=replace(long.searched, chunks=chunks))

    assert part_of(replace(long, site=REWIND, scores=[1.0, 3.0, 2.0, 0.0])) == REWIND
    found = part_of(replace(long, site=TAPE._replace(start_line=150), scores=[9.0, 3.0, 4.0, 0.0]))
    assert found
    assert (found.start_line, found.end_line) == (201, 300)
    found = part_of(replace(long, site=TAPE._replace(start_line=150), scores=[9.0, 5.0, 4.0, 0.0]))
    assert found
    assert (found.start_line, found.end_line) == (150, 200)
