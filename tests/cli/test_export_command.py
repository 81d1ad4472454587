"""`repomem export`: rules in an agent's file, refreshed as git hooks run the index."""

import json

import pytest
from support.command_line import Place, on_terminal


@pytest.fixture
def place(indexed_copy: Place) -> Place:
    """An indexed repository with a rule that a person recorded."""
    on_terminal(indexed_copy, "remember", "--kind", "rule", "Never round an amount")
    return indexed_copy


def test_export_writes_refreshes_and_removes_the_block(place: Place) -> None:
    written = place.run("export", "--to", "AGENTS.md")
    assert (written.code, written.out, written.err) == (0, "1 rule or decision written to AGENTS.md\n", "")
    assert place.run("export", "--to", "AGENTS.md").out == "1 rule or decision up to date in AGENTS.md\n"
    path = place.folder / "AGENTS.md"
    on_terminal(place, "remember", "--kind", "rule", "Dates are in UTC")
    place.git("checkout", "-q", "-b", "other")
    place.run("index", "--quiet")
    assert "Dates are in UTC" not in path.read_text()
    place.git("commit", "-q", "--allow-empty", "-m", "more")
    place.run("index", "--quiet")
    assert "- Dates are in UTC <!--" in path.read_text()
    path.write_text(path.read_text().replace("Never round an amount", "Never round a sum"))
    place.run("index", "--quiet")
    assert [each["text"] for each in json.loads(place.run("review", "--format", "json").out)["waiting"]] == [
        "Never round an amount",
        "Never round a sum",
    ]
    done = json.loads(place.run("export", "--to", "AGENTS.md", "--remove", "--format", "json").out)
    assert (done["schema"], done["changed"], path.exists()) == ("repomem.export/1", True, False)
    assert place.run("export", "--to", "AGENTS.md", "--remove").out == "AGENTS.md has no repomem block\n"
    place.run("export", "--to", "AGENTS.md")
    removed = place.run("export", "--to", "AGENTS.md", "--remove").out
    assert removed == "deleted AGENTS.md, which had nothing else\n"


def test_a_file_without_the_block_is_not_refreshed_and_an_unknown_file_is_refused(place: Place) -> None:
    path = place.folder / "AGENTS.md"
    path.write_text("# Ours\n")
    place.git("commit", "-q", "--allow-empty", "-m", "more")
    place.run("index", "--quiet")
    assert path.read_text() == "# Ours\n"
    refused = place.run("export", "--to", "NOTES.md")
    assert (refused.code, refused.err.splitlines()[0]) == (1, "error: rules cannot be exported to 'NOTES.md'")


def test_with_nothing_to_export_it_prints_the_reason(indexed_copy: Place) -> None:
    ended = indexed_copy.run("export", "--to", "AGENTS.md")
    assert ended.code == 0
    assert ended.out == "nothing to export: no rule or decision that a person recorded or confirmed applies here\n"
    assert "repomem remember --kind rule" in ended.err
    on_terminal(indexed_copy, "remember", "--kind", "rule", "Never round an amount " * 15)
    small = indexed_copy.run("export", "--to", "AGENTS.md", "--budget", "100")
    assert small.out == "nothing exported: 1 rule or decision does not fit the budget\n"
    assert not (indexed_copy.folder / "AGENTS.md").exists()


def test_a_line_that_a_person_adds_to_the_block_is_reported_as_saved(place: Place) -> None:
    place.run("export", "--to", "CLAUDE.md")
    path = place.folder / "CLAUDE.md"
    path.write_text(path.read_text().replace("- Never round", "- Never use floats for money\n- Never round"))
    ended = place.run("export", "--to", "CLAUDE.md")
    assert ended.err == 'saved from CLAUDE.md: "Never use floats for money"; repomem review confirms it\n'
