"""The other pages: memories, one of them, briefs, the repository, and health."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.library import Library
from support.memory_scenes import AGENT, committed, said
from support.pages import Visitor, visited
from support.samples import recalled, workspace_at

from repomem.capture.host_sessions import HostSession, change_host_session
from repomem.core.types.brief import Brief
from repomem.evaluate.replay import ReplayOptions
from repomem.evaluate.run import evaluate
from repomem.memories.consolidate.recall_counts import spooled_ids
from repomem.ui.pages.tree import MOST_ENTRIES, TreeFile, folder_entry
from repomem.workspace.deliveries import Delivery, SessionUse, Usage, record_delivery, record_session_use
from repomem.workspace.run import Run
from repomem.workspace.workspace import configured

MONEY = "src/ledgerly/money.py"
DAY = 1_800_000_000.0  # later than the commits of the samples


@pytest.fixture
def folder(copied: Library) -> Path:
    return copied("ledgerly")


@pytest.fixture
def visitor(folder: Path) -> Iterator[Visitor]:
    with visited(folder) as found:
        yield found


def texts(visitor: Visitor, **asked: object) -> list[str]:
    return [row["text"] for row in visitor.read("memories", **asked)["rows"]]


def test_memories_are_filtered_like_those_of_the_command(folder: Path, visitor: Visitor) -> None:
    said(folder, "Amounts are integers", on=(f"{MONEY}:parse_money",))
    said(folder, "Never round a total", AGENT)
    assert texts(visitor) == ["Never round a total", "Amounts are integers"]
    assert texts(visitor, kind="rule") == ["Never round a total"]
    assert texts(visitor, status="provisional") == ["Never round a total"]
    assert texts(visitor, on=MONEY) == texts(visitor, on="parse_money") == ["Amounts are integers"]
    assert texts(visitor, author="ada") == ["Amounts are integers"]
    assert texts(visitor, since="2000-01-01", until="2001-01-01") == []
    assert texts(visitor, q="rounding of totals")[:1] == ["Never round a total"]
    assert texts(visitor, offset=1, limit=1) == ["Amounts are integers"]


def test_a_filter_that_names_nothing_is_an_error(visitor: Visitor) -> None:
    answer = visitor.client.get(f"/{visitor.access.place}/api/memories", params={"kind": "nonsense"})
    assert (answer.status_code, answer.json()["error"]) == (409, "'nonsense' is not a valid MemoryKind")


def test_hidden_memories_are_listed_on_demand(folder: Path, visitor: Visitor) -> None:
    old = said(folder, "Totals are rounded to cents").id
    said(folder, "Totals are never rounded", supersedes=(old,))
    assert texts(visitor) == ["Totals are never rounded"]
    assert texts(visitor, all=1) == ["Totals are never rounded", "Totals are rounded to cents"]
    page = visitor.read("memory", id=old)
    assert (page["visible"], page["hidden"]) == ("", "superseded")


def test_a_memory_has_a_timeline_from_its_first_word_to_its_last_use(folder: Path, visitor: Visitor) -> None:
    name = said(folder, "Amounts of two currencies are never added", AGENT, on=(f"{MONEY}:Money.__add__",)).id
    visitor.act("confirm", id=name)
    (folder / MONEY).write_text((folder / MONEY).read_text().replace("raise CurrencyMismatch(", "raise ValueError("))
    committed(folder, "fix: raise what callers expect")
    with workspace_at(folder) as workspace:
        record_delivery(workspace.folder, "codex", "one", Delivery("prompt", (name[:10],), (), 120, at=DAY))
        record_session_use(
            workspace.folder, SessionUse("codex", "one", memories={name: Usage(is_edited=True)}, places={})
        )
    page = visitor.read("memory", id=name)
    assert {each["what"] for each in page["timeline"]} == {"recorded", "confirmed", "drifted", "shown", "acted on"}
    assert [each["at"] for each in page["timeline"]] == sorted(each["at"] for each in page["timeline"])
    assert page["last_of_use"] == "2027-01-15T08:00:00Z codex one"


def test_the_brief_is_the_agents_with_reasons_and_tokens(folder: Path, visitor: Visitor) -> None:
    said(folder, "Amounts are integers, never floats", on=(f"{MONEY}:parse_money",))
    task = "read amounts as integers"
    page = visitor.read("brief", task=task, budget=1500)
    brief: Brief = recalled(folder, task)
    shown = [line for line in page["lines"] if line["is_shown"]]
    assert "\n".join([*(line["text"] for line in shown), "</repomem-brief>\n"]) == brief.markdown
    [memory] = [line for line in shown if "never floats" in line["text"]]
    assert (memory["memory"], "words" in memory["why"]) == (visitor.read("memories")["rows"][0]["id"], True)
    assert page["tokens"] == brief.tokens <= 1500
    assert sum(line["tokens"] for line in shown) >= page["tokens"] - 20  # without the closing line


def test_a_smaller_budget_gives_a_shorter_brief(visitor: Visitor) -> None:
    long, short = (visitor.read("brief", task="parse amounts of money", budget=budget) for budget in (1500, 300))
    assert short["tokens"] <= 300 < long["tokens"]
    assert sum(count for _, count in short["omitted"]) > sum(count for _, count in long["omitted"])


def test_without_a_task_the_map_is_shown(visitor: Visitor) -> None:
    assert any(line["text"].startswith("## Map: ") for line in visitor.read("brief")["lines"])


def test_a_preview_does_not_count_as_a_use(folder: Path, visitor: Visitor) -> None:
    said(folder, "Amounts are integers, never floats")
    visitor.read("brief", task="amounts are integers", budget=1500)
    with workspace_at(folder) as workspace:
        assert spooled_ids(workspace) == set()
    recalled(folder, "amounts are integers")
    with workspace_at(folder) as workspace:
        assert len(spooled_ids(workspace)) == 1


def test_deliveries_are_shown_with_their_session(folder: Path, visitor: Visitor) -> None:
    name = said(folder, "Amounts are integers, never floats").id
    with workspace_at(folder) as workspace:
        record_delivery(workspace.folder, "codex", "one", Delivery("prompt", (name[:8], "01ZZ"), (MONEY,), 120, at=DAY))
        record_delivery(workspace.folder, "codex", "two", Delivery("session-start", (), (), 80, at=DAY + 60))
        change_host_session(workspace, HostSession("codex", "two"), lambda now: now)
        record_session_use(workspace.folder, SessionUse("codex", "one", places={MONEY: Usage(is_opened=True)}))
    running, ended = visitor.read("deliveries")
    assert [(each["host"], each["session"]) for each in (running, ended)] == [("codex", "two"), ("codex", "one")]
    [delivery] = ended["deliveries"]
    assert ([row["id"] for row in delivery["memories"]], delivery["paths"], delivery["of_use"]) == (
        [name],
        [MONEY],
        [MONEY],
    )


def test_the_repository_shows_what_changes_and_what_was_reverted(copied: Library) -> None:
    with visited(copied("courier")) as visitor:
        page = visitor.read("repository")
        assert page["hot"][0]["path"] == "src/retry.ts"
        assert page["hot"][0]["changes"] == 3
        [revert] = page["reverts"]
        assert (revert["how"], revert["path"], revert["subject"]) == (
            "reverted",
            "src/retry.ts",
            "feat: try a delivery for ever",
        )


def test_the_map_has_the_folders_with_their_sizes(visitor: Visitor) -> None:
    top = visitor.read("tree")["folder"]
    [source] = [entry for entry in top["entries"] if entry["name"] == "src/ledgerly"]
    below = visitor.read("tree", path="src/ledgerly")["folder"]
    assert below["size"] == source["size"]
    assert {entry["name"] for entry in below["entries"]} >= {"money.py", "parser.py"}


def test_a_large_folder_is_summed_up() -> None:
    files = {f"deep/er/{at % 200}/{at}.py": TreeFile(1 + at, at % 2) for at in range(10_000)}
    folder = folder_entry(files, "", 2)
    [deep] = folder.entries
    assert (deep.name, deep.path) == ("deep/er", "deep/er")
    assert (folder.files, folder.size, folder.changes) == (10_000, 50_005_000, 5_000)
    assert (len(deep.entries), sum(each.size for each in deep.entries)) == (MOST_ENTRIES, deep.size)
    assert (deep.entries[-1].name, deep.entries[-1].files) == ("… 141 more", 141 * 50)


def test_the_last_evaluation_is_shown(folder: Path, visitor: Visitor) -> None:
    assert visitor.read("evaluation")["at"] == ""
    parsing = folder / MONEY
    parsing.write_text(parsing.read_text() + "\n# comma\n")
    committed(folder, "fix: let parse_money take a comma for a point")
    found = evaluate(*configured(folder, os.environ), ReplayOptions(30, 800), Run())
    page = visitor.read("evaluation")
    assert (page["head"], page["budget"]) == (found.head[:8], 800)
    assert page["tables"][0]["heads"] == ["ranking", "recall@1", "recall@5", "recall@10", "recall@20", "MRR"]
    assert [commit["subject"] for commit in page["commits"]] == [row.subject for row in reversed(found.rows)]
    assert page["commits"][0]["files"] == [MONEY]


def test_health_has_status_memories_and_checks(folder: Path, visitor: Visitor) -> None:
    said(folder, "Amounts are integers, never floats")
    visitor.read("tree")
    health = visitor.read("health")
    assert (health["status"]["state"], visitor.read("figures")["memories"]) == ("current", 1)
    assert {check["name"] for check in visitor.read("checks")} >= {"versions", "ledger", "tables", "index"}


def test_notices_are_kept_for_the_page_of_health(folder: Path) -> None:
    (folder / ".repomem.toml").write_text('[embedding]\nmodel = "static:elsewhere"\n')
    with visited(folder) as visitor:
        visitor.read("about")
        assert "sets embedding.model" in " ".join(visitor.read("health")["notices"])


def test_a_repository_that_was_never_indexed_is_indexed_for_its_pages(make_sample: Library) -> None:
    with visited(make_sample("ledgerly")) as visitor:
        assert (visitor.read("about")["waiting"], visitor.read("memories")["total"]) == (0, 0)
        assert visitor.read("health")["status"]["state"] == "missing"
        assert visitor.read("repository")["commits"] == 3
        assert visitor.read("health")["status"]["state"] == "current"
