"""The inbox: what waits, why, its code then and now; and each action with its undo."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.library import Library
from support.memory_scenes import AGENT, committed, said, standing
from support.pages import Visitor, visited
from support.samples import indexed

MONEY = "src/ledgerly/money.py"


@pytest.fixture
def folder(copied: Library) -> Path:
    return copied("ledgerly")


@pytest.fixture
def visitor(folder: Path) -> Iterator[Visitor]:
    with visited(folder) as found:
        yield found


def waiting(visitor: Visitor) -> list[tuple[str, str]]:
    return [(each["waits"], each["text"]) for each in visitor.read("inbox")["items"]]


def drifted(folder: Path) -> str:
    """A person's memory whose code a commit has changed; its id."""
    name = said(folder, "Amounts of two currencies are never added", on=(f"{MONEY}:Money.__add__",)).id
    text = (folder / MONEY).read_text()
    (folder / MONEY).write_text(text.replace("raise CurrencyMismatch(", "raise ValueError("))
    committed(folder, "fix: raise what callers expect")
    return name


def test_an_agents_memory_waits_with_its_reason_and_source(folder: Path, visitor: Visitor) -> None:
    name = said(folder, "Totals are exact", AGENT, why="floats lost cents", rejected=("decimals",)).id
    [item] = visitor.read("inbox")["items"]
    assert (item["memory"]["id"], item["waits"], item["because"], item["rejected"]) == (
        name,
        "provisional",
        "floats lost cents",
        ["decimals"],
    )
    assert (item["memory"]["author"], item["memory"]["source"], item["reason"]) == (
        "codex",
        "agent",
        "an agent recorded it, and no person has confirmed it",
    )
    assert item["written_at"]["subject"].startswith("fix: refuse an amount")


def test_a_drifted_memory_shows_the_commit_and_the_code_then_and_now(folder: Path, visitor: Visitor) -> None:
    name = drifted(folder)
    [item] = visitor.read("inbox")["items"]
    assert (item["waits"], item["caused_by"]["subject"], item["can_anchor"]) == (
        "drifted",
        "fix: raise what callers expect",
        True,
    )
    [code] = visitor.read("memory", id=name)["code"]
    changed = [(line["kind"], line["then"].split("(")[0].strip(), line["now"].split("(")[0].strip())
               for line in code["lines"] if line["kind"] != "same"]  # fmt: skip
    assert changed == [("changed", "raise CurrencyMismatch", "raise ValueError")]
    assert (code["then_place"], code["status"]) == (f"{MONEY}:Money.__add__", "drifted")


def test_a_change_since_the_last_index_run_is_seen(folder: Path) -> None:
    indexed(folder)
    with visited(folder) as visitor:
        assert waiting(visitor) == []
        name = drifted(folder)
        assert [waits for waits, _ in waiting(visitor)] == ["drifted"]
        assert visitor.read("about")["waiting"] == 1
        assert visitor.read("memory", id=name)["memory"]["status"] == "drifted"
        text = (folder / MONEY).read_text()
        (folder / MONEY).write_text(text.replace("raise ValueError(", "raise CurrencyMismatch("))
        assert waiting(visitor) == []


def test_deleted_code_is_shown_as_it_was(folder: Path, visitor: Visitor) -> None:
    name = said(folder, "Amounts of two currencies are never added", on=(f"{MONEY}:CurrencyMismatch",)).id
    (folder / MONEY).write_text("MINOR_DIGITS = {}\n")
    committed(folder, "refactor: drop money")
    [item] = visitor.read("inbox")["items"]
    [code] = visitor.read("memory", id=name)["code"]
    assert (item["waits"], item["can_anchor"], code["now_place"]) == ("gone", False, "")
    assert {line["kind"] for line in code["lines"]} == {"removed"}
    assert visitor.act("anchor", id=name, status=409)["error"] == "all of its code was deleted"


def test_confirming_settles_a_memory_and_undo_brings_it_back(folder: Path, visitor: Visitor) -> None:
    name = said(folder, "Totals are exact", AGENT).id
    done = visitor.act("confirm", id=name)
    assert (done["what"], waiting(visitor), standing(folder, name).status.value) == ("confirmed", [], "current")
    assert visitor.act("undo", key=done["undo"])["what"] == "undone"
    assert waiting(visitor) == [("provisional", "Totals are exact")]


def test_a_forgotten_memory_comes_back_by_undo(folder: Path, visitor: Visitor) -> None:
    name = said(folder, "Totals are exact", AGENT).id
    done = visitor.act("forget", id=name)
    assert (waiting(visitor), visitor.read("memories")["total"]) == ([], 0)
    visitor.act("undo", key=done["undo"])
    assert waiting(visitor) == [("provisional", "Totals are exact")]


def test_what_was_forgotten_is_listed_and_restored_later(folder: Path, visitor: Visitor) -> None:
    name = said(folder, "Totals are exact", AGENT).id
    visitor.act("forget", id=name)
    assert [(each["id"], each["text"]) for each in visitor.read("forgotten")] == [(name, "Totals are exact")]
    assert visitor.act("restore", id=name) == {"what": "restored", "undo": "", "memory": name}
    assert (visitor.read("forgotten"), waiting(visitor)) == ([], [("provisional", "Totals are exact")])


def test_an_undo_works_once(folder: Path, visitor: Visitor) -> None:
    done = visitor.act("forget", id=said(folder, "Totals are exact", AGENT).id)
    visitor.act("undo", key=done["undo"])
    assert visitor.act("undo", key=done["undo"], status=404)["error"] == "this action cannot be undone any more"


def test_confirming_drifted_code_takes_it_as_it_is_now(folder: Path, visitor: Visitor) -> None:
    name = drifted(folder)
    done = visitor.act("anchor", id=name)
    assert (done["what"], waiting(visitor)) == (f"confirmed on {MONEY}:Money.__add__", [])
    visitor.act("undo", key=done["undo"])
    assert [waits for waits, _ in waiting(visitor)] == ["drifted"]


def test_an_edit_supersedes_the_memory_on_the_same_code(folder: Path, visitor: Visitor) -> None:
    name = drifted(folder)
    done = visitor.act("edit", id=name, text="Adding two currencies raises ValueError", why="callers catch it")
    assert waiting(visitor) == []
    new = standing(folder, done["memory"]).memory
    assert (new.said.text, new.said.why, new.said.anchors[0].symbol, new.supersedes) == (
        "Adding two currencies raises ValueError",
        "callers catch it",
        "Money.__add__",
        (name,),
    )
    visitor.act("undo", key=done["undo"])
    assert [waits for waits, _ in waiting(visitor)] == ["drifted"]
    assert [row["id"] for row in visitor.read("memories")["rows"]] == [name]


def test_an_edit_attaches_the_memory_to_other_code(folder: Path, visitor: Visitor) -> None:
    name = said(folder, "Amounts of two currencies are never added", on=(f"{MONEY}:CurrencyMismatch",)).id
    (folder / MONEY).write_text("MINOR_DIGITS = {}\n")
    committed(folder, "refactor: drop money")
    other = "src/ledgerly/parser.py"
    done = visitor.act("edit", id=name, text="Amounts of two currencies are never added", why="", on=f"{other}\n \n")
    assert waiting(visitor) == []
    assert [each.path for each in standing(folder, done["memory"]).memory.said.anchors] == [other]
    visitor.act("undo", key=done["undo"])
    assert [waits for waits, _ in waiting(visitor)] == ["gone"]
    refused = visitor.act("edit", id=name, text="Amounts are never added", why="", on="src/none.py", status=404)
    assert "src/none.py" in refused["error"]


def test_an_edit_that_changes_nothing_is_refused(folder: Path, visitor: Visitor) -> None:
    name = said(folder, "Totals are exact", AGENT).id
    assert visitor.act("edit", id=name, text="Totals are exact ", why="", status=409)["error"] == "nothing was changed"
    assert waiting(visitor) == [("provisional", "Totals are exact")]


def test_an_edit_needs_a_text(folder: Path, visitor: Visitor) -> None:
    name = said(folder, "Totals are exact", AGENT).id
    assert visitor.act("edit", id=name, text=" ", why="", status=409)["error"] == "the text is empty"
    assert waiting(visitor) == [("provisional", "Totals are exact")]


def test_another_memory_can_take_its_place(folder: Path, visitor: Visitor) -> None:
    old, new = said(folder, "Totals are exact", AGENT).id, said(folder, "Reports are sorted by day").id
    done = visitor.act("supersede", id=old, by=new)
    assert (waiting(visitor), standing(folder, old).status.value) == ([], "superseded")
    visitor.act("undo", key=done["undo"])
    assert waiting(visitor) == [("provisional", "Totals are exact")]
    assert visitor.act("supersede", id=old, by=old, status=409)["error"] == "a memory cannot supersede itself"


def test_a_proposal_is_shown_and_taken(folder: Path, visitor: Visitor) -> None:
    old = said(folder, "Retries are made three times").id
    new = said(folder, "Retries are made five times", AGENT, supersedes=(old,)).id
    items = visitor.read("inbox")["items"]
    [contested] = [each for each in items if each["waits"] == "contested"]
    assert (contested["memory"]["id"], contested["proposal"]["id"]) == (old, new)
    done = visitor.act("take", id=old)
    assert (waiting(visitor), standing(folder, old).status.value) == ([], "superseded")
    visitor.act("undo", key=done["undo"])
    assert [each["waits"] for each in visitor.read("inbox")["items"]] == ["contested", "provisional"]


def test_a_contested_memory_is_kept_by_forgetting_the_proposal(folder: Path, visitor: Visitor) -> None:
    old = said(folder, "Retries are made three times").id
    said(folder, "Retries are made five times", AGENT, supersedes=(old,))
    done = visitor.act("keep", id=old)
    assert (waiting(visitor), standing(folder, old).status.value) == ([], "current")
    visitor.act("undo", key=done["undo"])
    assert [waits for waits, _ in waiting(visitor)] == ["contested", "provisional"]


def test_noise_is_forgotten_and_a_thread_is_done(folder: Path, visitor: Visitor) -> None:
    visitor.act("noise", id=said(folder, "Totals are exact", AGENT).id)
    done = visitor.act("done", id=said(folder, "TODO: print the day of a total", AGENT).id)
    assert waiting(visitor) == []
    visitor.act("undo", key=done["undo"])
    assert waiting(visitor) == [("provisional", "TODO: print the day of a total")]


def test_a_page_that_an_agent_started_confirms_nothing(folder: Path) -> None:
    name = said(folder, "Totals are exact", AGENT).id
    with visited(folder, AGENT) as visitor:
        assert visitor.read("about")["is_person"] is False
        refused = visitor.act("confirm", id=name, status=409)
        assert refused["error"].startswith("only a person may confirm memories")
        assert waiting(visitor) == [("provisional", "Totals are exact")]


def test_unknown_actions_and_memories_are_errors(folder: Path, visitor: Visitor) -> None:
    name = said(folder, "Totals are exact", AGENT).id
    assert visitor.act("purge", id=name, status=404)["error"] == "there is no action 'purge'"
    assert "error" in visitor.act("confirm", id="01ZZZZ", status=404)
    assert "error" in visitor.act("confirm", status=404)


def test_the_inbox_comes_in_parts(folder: Path, visitor: Visitor) -> None:
    for text in ("Totals are exact", "Reports are sorted by day", "Amounts have no sign"):
        said(folder, text, AGENT)
    part = visitor.read("inbox", offset=1, limit=1)
    assert (part["total"], part["counts"], [each["text"] for each in part["items"]]) == (
        3,
        {"provisional": 3},
        ["Reports are sorted by day"],
    )


def test_anchoring_a_memory_without_code_is_an_error(folder: Path, visitor: Visitor) -> None:
    name = said(folder, "Totals are exact", AGENT).id
    assert visitor.act("anchor", id=name, status=409)["error"] == "this memory is not attached to any code"
