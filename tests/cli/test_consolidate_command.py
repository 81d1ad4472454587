"""`repomem consolidate`: the plan, the deed, the way back, and what a model is needed for."""

import json

import pytest
from support.command_line import Place

# Two memories that say the same, as a clone or an import may bring them; `remember` itself keeps a text only once.
TWINS = """
import os
from pathlib import Path
from repomem.core.records import Event, MemoryContent, MemoryKind, Origin, Record, Source
from repomem.core.ulid import new_ulid
from repomem.workspace.ledger import ledger_of
from repomem.workspace.workspace import opened
ids = ["01KRGY00000000000000000001", "01KRGZ00000000000000000002"]
texts = ["The ledger is kept in cents", "The ledger is kept in cents!"]
origin = Origin("2099-01-01T00:00:00Z", "agent", Source.AGENT)
with opened(Path(), os.environ) as workspace:
    ledger_of(workspace).append(lambda before: [
        Record(each, Event.REMEMBER, origin, said=MemoryContent(MemoryKind.FACT, text))
        for each, text in zip(ids, texts)
    ])
"""
FIRST, SECOND = "01KRGY00000000000000000001", "01KRGZ00000000000000000002"


@pytest.fixture
def place(indexed_copy: Place) -> Place:
    """An indexed repository with two memories that say the same."""
    ended = indexed_copy.run(script=TWINS)
    assert ended.code == 0, ended.err
    return indexed_copy


def test_with_nothing_to_do_it_prints_one_line(ledgerly: Place) -> None:
    ended = ledgerly.run("consolidate")
    assert (ended.code, ended.out, ended.err) == (0, "nothing to group, archive or learn\n", "")


def test_the_dry_run_prints_the_plan_and_restore_undoes_the_grouping(place: Place) -> None:
    plan = place.run("consolidate", "--dry-run")
    assert (plan.code, plan.err) == (0, "")
    assert plan.out == (
        f'would be grouped under {FIRST} "The ledger is kept in cents" (100% similar):\n'
        f'  {SECOND} "The ledger is kept in cents!"\n'
    )
    deed = place.run("consolidate")
    assert deed.out == (
        f'grouped under {FIRST} "The ledger is kept in cents" (100% similar):\n'
        f'  {SECOND} "The ledger is kept in cents!"\n'
        "to restore one: repomem restore ID\n"
    )
    assert place.run("consolidate").out == "nothing to group, archive or learn\n"
    back = place.run("restore", SECOND[:8])
    assert (back.code, back.out) == (0, f'restored: {SECOND[:9]} "The ledger is kept in cents!"\n')
    assert place.run("consolidate").out == "nothing to group, archive or learn\n"


def test_an_unreadable_recall_count_is_an_error_after_the_grouping(place: Place) -> None:
    path = place.folder / ".git" / "repomem" / "recalls.01KRGY00000000000000000003"
    path.mkdir()
    ended = place.run("consolidate")
    assert (ended.code, ended.out.splitlines()[0]) == (
        1,
        f'grouped under {FIRST} "The ledger is kept in cents" (100% similar):',
    )
    assert ended.err.startswith(f"error: recalls were not counted: cannot read {path}\nhint: repair or delete the file")


def test_json_lists_the_ids_of_each_group(place: Place) -> None:
    assert json.loads(place.run("consolidate", "--dry-run", "--format", "json").out) == {
        "schema": "repomem.consolidate/1",
        "dry_run": True,
        "groups": [{"id": FIRST, "members": [SECOND], "likeness": 1.0}],
        "archived": [],
        "recalled": 0,
        "distilled": [],
        "left": [],
        "summaries": 0,
    }
    place.run("consolidate")
    back = place.run("restore", SECOND, "--format", "json")
    assert json.loads(back.out) == {"schema": "repomem.restore/1", "restored": SECOND}


def test_without_litellm_memories_are_grouped_and_the_error_says_how_to_install_it(place: Place) -> None:
    script = "import sys; sys.modules['litellm'] = None; from repomem.__main__ import main; main()"
    ended = place.run("consolidate", "--llm", "lab/model", script=script)
    assert (ended.code, ended.out.splitlines()[0][:7]) == (1, "grouped")
    assert ended.err.splitlines()[-2:] == [
        "error: litellm is not installed",
        "hint: in a clone of repomem, run pip install '.[llm]' or pipx install --force '.[llm]'",
    ]
    assert place.run("consolidate").out == "nothing to group, archive or learn\n"


def test_restoring_an_id_that_is_not_hidden_is_an_error(place: Place) -> None:
    ended = place.run("restore", "01ZZZZ")
    assert (ended.code, ended.err.splitlines()[0]) == (1, "error: no hidden memory has the id 01ZZZZ")
    ended = place.run("restore", FIRST)
    assert (ended.code, ended.err.splitlines()[0][-36:]) == (1, "is not forgotten, archived, grouped or done"[-36:])


def test_without_groups_no_model_is_called(ledgerly: Place) -> None:
    ended = ledgerly.run("consolidate", "--llm", "lab/model")
    assert (ended.code, ended.err) == (0, "nothing to summarize: lab/model was not called\n")
