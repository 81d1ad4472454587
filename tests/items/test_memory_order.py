"""The memories about a task are sorted by relevance; those that may no longer hold come last."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from support.memory_scenes import AGENT, said, titles
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import indexed, recalled, workspace_at

from repomem.core.records import MemoryKind
from repomem.items.memories import CONFIRMED, ON_PLACES, by_relevance, memory_items
from repomem.items.task_context import TaskContext
from repomem.memories.snapshots.snapshot import memories_in
from repomem.ranking.memories import MemoryMatch
from repomem.ranking.query import Query
from repomem.recall.answer import ready
from repomem.workspace.run import Run

TARIFF = "def tariff(parcel):\n    return parcel.weight * 3\n"
LESS_ABOUT_IT = "The label printers of the depot print addresses at night"
ABOUT_IT = "Customs labels of parcels to Norway need the weight in grams"
TASK = "which weight do customs labels of parcels to Norway need"


@pytest.fixture
def parcels(make_repository: MakeRepository) -> Path:
    """A repository of one module."""
    return make_repository(Commit({"src/tariff.py": TARIFF}, "feat: weigh parcels"))


def order_of(confirmed: dict[str, float], unconfirmed: dict[str, float], ranked: Sequence[str] = ()) -> str:
    scores = confirmed | unconfirmed
    best_first = ranked or sorted(scores, key=lambda name: -scores[name])
    matches = {name: MemoryMatch(name, score, ()) for name, score in scores.items()}
    return "".join(by_relevance(list(best_first), list(confirmed), list(unconfirmed), matches))


def test_an_unconfirmed_memory_comes_first_only_if_it_is_clearly_more_relevant() -> None:
    assert order_of({"a": 3.0}, {"b": 3.0 + CONFIRMED - 0.1}) == "ab"
    assert order_of({"a": 3.0}, {"b": 3.0 + CONFIRMED + 0.1}) == "ba"


def test_each_group_keeps_its_own_order() -> None:
    assert order_of({"a": 5.0, "b": 2.0}, {"c": 4.0, "d": 1.0}) == "acbd"


def test_what_replaces_a_memory_stays_before_it_though_its_words_are_less_like_the_task() -> None:
    assert order_of({"new": 1.0}, {"old": 3.0}, ranked=["new", "old"]) == "newold"


def test_an_agents_memory_on_the_task_comes_before_a_persons_that_is_less_about_it(parcels: Path) -> None:
    said(parcels, LESS_ABOUT_IT, kind=MemoryKind.FACT)
    said(parcels, ABOUT_IT, AGENT, kind=MemoryKind.FACT)
    indexed(parcels)
    assert titles(recalled(parcels, TASK))[0] == ABOUT_IT


def test_a_memory_whose_code_has_changed_comes_after_all_that_may_be_true(parcels: Path, run_git: RunGit) -> None:
    indexed(parcels)
    said(parcels, LESS_ABOUT_IT, AGENT, kind=MemoryKind.FACT)
    said(parcels, ABOUT_IT, kind=MemoryKind.FACT, on=["src/tariff.py:tariff"])
    task = f"{TASK}, and when do the label printers of the depot print addresses"
    assert titles(recalled(parcels, task)) == [ABOUT_IT, LESS_ABOUT_IT]
    (parcels / "src/tariff.py").write_text(TARIFF.replace("parcel.weight * 3", "parcel.volume // 7 + parcel.length"))
    run_git(parcels, "commit", "-qam", "feat: measure parcels")
    indexed(parcels)
    assert titles(recalled(parcels, task)) == [LESS_ABOUT_IT, ABOUT_IT]


def test_a_memory_on_code_is_not_shown_for_a_task_that_no_code_is_about(parcels: Path) -> None:
    indexed(parcels)
    said(parcels, "Grams, says Jo", kind=MemoryKind.FACT, on=["src/tariff.py"])
    unrelated, related = (
        recalled(parcels, task) for task in ("def rotate the certificates", "weigh parcels by tariff")
    )
    assert (unrelated.gate.state, titles(unrelated)) == ("none", [])
    assert titles(related) == ["Grams, says Jo"]


def test_an_agents_rule_for_a_file_that_the_task_names_is_shown_as_unconfirmed(parcels: Path) -> None:
    indexed(parcels)
    text = "Grams, says Jo, and never ounces"
    said(parcels, text, AGENT, kind=MemoryKind.RULE, scope=["src/tariff.py"])
    [line] = [
        line for line in recalled(parcels, "add a discount to src/tariff.py").markdown.splitlines() if text in line
    ]
    assert line.startswith("- provisional rule ")
    assert text not in recalled(parcels, "rotate the certificates").markdown


def test_an_agents_rule_for_everything_is_shown_after_a_persons_until_there_are_three(parcels: Path) -> None:
    indexed(parcels)
    of_agent = "Commit messages are in British English"
    said(parcels, of_agent, AGENT, kind=MemoryKind.RULE)
    said(parcels, "Prices are integers", kind=MemoryKind.RULE)
    brief = recalled(parcels, "def tariff")
    assert titles(brief) == ["Prices are integers", of_agent]
    assert f'- provisional rule `{brief.items[1].id}` "{of_agent}"' in brief.markdown
    assert titles(recalled(parcels, "rotate the certificates")) == ["Prices are integers"]
    for text in ("Labels are in Latin script", "Weights are in grams"):
        said(parcels, text, kind=MemoryKind.RULE)
    assert of_agent not in titles(recalled(parcels, "def tariff"))


def first_paid_for(folder: Path, task: TaskContext) -> list[str]:
    """The texts of the memories for a task, those first that get budget first."""
    with workspace_at(folder) as workspace:
        known = memories_in(ready(workspace, Run()).snapshot)
        items = sorted(memory_items(workspace, known, task).items, key=lambda each: each.priority)
    return [each.item.title for each in items]


def test_memories_on_a_file_get_budget_after_one_on_the_task_if_they_are_threads_or_the_file_matches_weakly(
    parcels: Path, run_git: RunGit
) -> None:
    indexed(parcels)
    on_file, thread = "Grams, says Jo", "Print the length of the queue"
    said(parcels, on_file, kind=MemoryKind.FACT, on=["src/tariff.py"])
    said(parcels, thread, kind=MemoryKind.THREAD, on=["src/tariff.py"])
    said(parcels, ABOUT_IT, kind=MemoryKind.FACT, on=["src/tariff.py:tariff"])
    (parcels / "src/tariff.py").write_text(TARIFF.replace("parcel.weight * 3", "parcel.volume // 7 + parcel.length"))
    run_git(parcels, "commit", "-qam", "feat: measure parcels")
    indexed(parcels)
    task = TaskContext(Query(TASK), ["src/tariff.py"])
    assert first_paid_for(parcels, task) == [on_file, ABOUT_IT, thread]
    assert first_paid_for(parcels, replace(task, is_weak=True)) == [ABOUT_IT, on_file, thread]


def test_of_many_memories_on_one_file_those_nearest_to_the_task_are_shown(parcels: Path) -> None:
    indexed(parcels)
    near = "Heavy boxes cost a surcharge"
    said(parcels, near, kind=MemoryKind.FACT, on=["src/tariff.py"])
    for text in (
        "Jo owns this module",
        "Tests run on Mondays",
        "The name is Danish",
        "No tabs here",
        "It was Perl once",
    ):
        said(parcels, text, kind=MemoryKind.FACT, on=["src/tariff.py"])
    shown = titles(recalled(parcels, "what `tariff` adds for a weighty package"))
    assert shown[0] == near
    assert len(shown) == ON_PLACES
