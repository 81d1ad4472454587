"""What replaces what: inherited code, values said anew, rules said twice, denials, and the chain that `show` prints."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.memory_scenes import AGENT, PERSON, committed, confirmed, said, standing, titles
from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled, workspace_at

from repomem.cli.recall.show_memory import memory_lines
from repomem.core.errors import RepomemError
from repomem.core.records import MemoryKind, Source
from repomem.core.types.text import CleanText
from repomem.memories.amend import supersede
from repomem.memories.new_memory import NewMemory, RememberResult
from repomem.memories.remember import remember_as
from repomem.memories.restore import undo
from repomem.memories.review import contradict, pending_reviews
from repomem.memories.review_actions import ACTIONS, Decision
from repomem.memories.show import ShownMemory, show_memories, show_memory
from repomem.memories.snapshots.snapshot import memories_now
from repomem.memories.status import Status
from repomem.recall.log import log
from repomem.workspace.ledger import Speaker, ledger_of, origin_of
from repomem.workspace.snapshot import snapshot

CODE = {"upload.py": "def upload(file):\n    return 1\n"}
LIMIT = "The retry limit of an upload is {}"


@pytest.fixture
def folder(make_repository: MakeRepository) -> Path:
    return make_repository(Commit(CODE))


def shown(folder: Path, name: str) -> ShownMemory:
    with workspace_at(folder) as workspace:
        return show_memory(memories_now(workspace), name)


def short(folder: Path, name: str) -> str:
    with workspace_at(folder) as workspace:
        return memories_now(workspace).short_id(name)


def logged(folder: Path, target: str) -> list[str]:
    indexed(folder)
    with workspace_at(folder) as workspace:
        now = snapshot(workspace)
        assert now is not None
        return [each.text for each in log(now, target, 10).memories if not each.status]


def captured(folder: Path, text: str, session: str) -> RememberResult:
    """What a person says in a transcript of one session."""
    with workspace_at(folder) as workspace:
        origin = replace(origin_of(workspace, PERSON, session), source=Source.TRANSCRIPT, tool="codex")
        new = NewMemory(text, MemoryKind.RULE, key=f"{session} {text}")
        return remember_as(workspace, memories_now(workspace), new, origin)


def test_an_amendment_in_other_words_keeps_code_scope_and_place_in_the_log(folder: Path) -> None:
    old = said(folder, "We retry three times", on=("upload.py:upload",), scope=("upload.py",)).id
    (folder / "upload.py").write_text("def upload(file):\n    return 2\n")
    new = said(folder, "No more second attempts", supersedes=(old,))
    assert [(each.path, each.symbol) for each in new.said.anchors] == [("upload.py", "upload")]
    assert (new.said.scope, standing(folder, new.id).status) == (("upload.py",), Status.CURRENT)
    assert logged(folder, "upload.py:upload") == ["No more second attempts"]


def test_an_amendment_that_is_linked_later_inherits_the_code_too(folder: Path) -> None:
    old = said(folder, "We retry three times", on=("upload.py:upload",)).id
    new = said(folder, "No more second attempts").id
    with workspace_at(folder) as workspace:
        supersede(workspace, PERSON, old, new)
    assert logged(folder, "upload.py:upload") == ["No more second attempts"]


def test_an_amendment_keeps_kind_importance_privacy_and_pin(folder: Path) -> None:
    given: dict[str, Any] = {"kind": MemoryKind.RULE, "importance": 2, "is_private": True, "is_pinned": True}
    old = said(folder, "The customer Acme gets 30 days", why="a promise", rejected=("20 days",), **given).id
    new = said(folder, "The customer Acme gets sixty days of trial", supersedes=(old,))
    assert (new.said.kind, new.said.importance, new.is_private, new.is_pinned) == (MemoryKind.RULE, 2, True, True)
    assert (new.said.why, new.said.rejected) == ("", ())
    with workspace_at(folder) as workspace:
        record = next(each for each in ledger_of(workspace).records() if each.id == new.id)
        assert record.is_private
    assert standing(folder, new.id).memory.pinned


def test_an_amendment_of_another_kind_derives_its_importance(folder: Path) -> None:
    old = said(folder, "We retry three times", kind=MemoryKind.FACT, importance=1).id
    new = said(folder, "Retry in the client", kind=MemoryKind.THREAD, supersedes=(old,)).said
    assert (new.kind, new.importance) == (MemoryKind.THREAD, 2)


def test_a_full_pinned_block_has_room_for_the_amendment_of_a_pinned_memory(folder: Path) -> None:
    old = said(folder, "one two three four five " * 25, is_pinned=True).id
    new = said(folder, "six seven eight nine ten " * 25, supersedes=(old,))
    assert new.is_pinned


def test_a_proposal_is_not_pinned_until_a_person_takes_it(folder: Path) -> None:
    old = said(folder, "We retry three times", is_pinned=True).id
    new = said(folder, "The queue tries again", AGENT, supersedes=(old,)).id
    assert standing(folder, new).memory.pinned is None
    with workspace_at(folder) as workspace:
        known = memories_now(workspace)
        _, made = ACTIONS["take"](Decision(workspace, known, old, PERSON, proposed=new))
    assert standing(folder, new).memory.pinned
    with workspace_at(folder) as workspace:
        undo(workspace, made, PERSON)
    assert standing(folder, new).memory.pinned is None


def test_show_prints_the_chain(folder: Path) -> None:
    first = said(folder, "We retry three times").id
    second = said(folder, "No more second attempts", supersedes=(first,)).id
    third = said(folder, "The queue tries again", supersedes=(second,)).id
    assert [text for _, text in shown(folder, third).replaces] == ["No more second attempts", "We retry three times"]
    assert [text for _, text in shown(folder, first).replaced_by] == [
        "No more second attempts",
        "The queue tries again",
    ]


@pytest.mark.parametrize("speaker", [PERSON, AGENT], ids=["person", "agent"])
def test_a_thread_is_open_work_whoever_recorded_it(folder: Path, speaker: Speaker) -> None:
    said(folder, "Retry a failed upload", speaker, kind=MemoryKind.THREAD)
    said(folder, "Where a failed upload is reported: the dashboard in Frankfurt")
    indexed(folder)
    brief = recalled(folder, "failed upload reported on the dashboard in Frankfurt").markdown
    _, _, below = brief.partition("## Sessions and open threads\n")
    assert "Retry a failed upload" in below


def test_a_thread_that_the_task_is_about_comes_first(folder: Path) -> None:
    said(folder, "Uploads go to the bucket in Frankfurt")
    said(folder, "Retry a failed upload: the branch is half done", kind=MemoryKind.THREAD)
    indexed(folder)
    assert titles(recalled(folder, "retry a failed upload"))[0].startswith("Retry a failed upload")


def test_a_value_given_again_leads_and_names_the_earlier_ones(folder: Path) -> None:
    names = [said(folder, LIMIT.format(value)) for value in (5, 7, 8)]
    assert [each.id for each in names[2].proposed] == [names[1].id]
    states = [standing(folder, each.id) for each in names]
    assert [one.status for one in states] == [Status.SUPERSEDED, Status.SUPERSEDED, Status.CURRENT]
    assert states[2].earlier == ("5", "7")
    indexed(folder)
    brief = recalled(folder)
    assert titles(brief) == ["The retry limit of an upload is 8"]
    assert "(earlier values: 5, 7)" in brief.markdown


@pytest.mark.parametrize(
    "other",
    ["The retry limit of a download is 7", "The retry limit of an upload is 7 of 10", "Retry limits are 7"],
)
def test_another_subject_keeps_its_value(folder: Path, other: str) -> None:
    first = said(folder, LIMIT.format(5)).id
    said(folder, other)
    assert standing(folder, first).status is Status.CURRENT


def test_an_agents_value_does_not_lead_a_persons(folder: Path) -> None:
    first = said(folder, LIMIT.format(5)).id
    second = said(folder, LIMIT.format(7), AGENT).id
    assert [standing(folder, name).status for name in (first, second)] == [Status.CURRENT, Status.PROVISIONAL]


def test_a_rule_that_a_person_said_in_two_sessions_confirms_itself(folder: Path) -> None:
    one = captured(folder, "Uploads must never block the server", "A")
    assert standing(folder, one.id).status is Status.PROVISIONAL
    captured(folder, "Uploads must never block the server", "A")
    assert standing(folder, one.id).status is Status.PROVISIONAL
    again = captured(folder, "Please: never block the server with uploads", "B")
    assert (again.outcome, again.id) == ("duplicate", one.id)
    assert standing(folder, one.id).status is Status.CURRENT


def test_what_a_person_denied_is_not_shown_and_show_has_the_reason(folder: Path) -> None:
    name = said(folder, "Uploads are sorted by size", AGENT).id
    indexed(folder)
    assert titles(recalled(folder)) == ["Uploads are sorted by size"]
    with workspace_at(folder) as workspace:
        contradict(workspace, memories_now(workspace), [name], CleanText("only downloads are"), PERSON)
    assert titles(recalled(folder)) == []
    assert re.fullmatch(r"denied by .+ on \d{4}-\d\d-\d\d: only downloads are", shown(folder, name).state.why)
    with workspace_at(folder) as workspace:
        assert pending_reviews(memories_now(workspace)) == []


def test_all_memories_are_shown_as_each_of_them(folder: Path) -> None:
    old = said(folder, "Retries are made three times").id
    said(folder, "Retries are made five times", supersedes=(old,))
    with workspace_at(folder) as workspace:
        known = memories_now(workspace)
        assert list(show_memories(known)) == [show_memory(known, name) for name in sorted(known.states)]


def test_an_agent_only_proposes_to_replace_what_a_person_recorded(folder: Path) -> None:
    first = said(folder, "We retry three times").id
    second = said(folder, "No more second attempts", AGENT, supersedes=(first,))
    assert (second.supersedes, second.contests) == ((), (first,))
    old, new = shown(folder, first), shown(folder, second.id)
    assert [text for _, text in old.proposed] == ["No more second attempts"]
    assert [text for _, text in new.contests] == ["We retry three times"]
    assert (old.replaced_by, new.replaces) == ((), ())
    proposed = ("replacement proposed", short(folder, second.id))
    assert [(each.what, each.text) for each in old.history] == [("recorded", ""), proposed]
    assert [each.what for each in new.history] == ["recorded", f"proposed to replace {short(folder, first)}"]
    again = said(folder, "no more second attempts", AGENT, supersedes=(first,))
    assert (again.outcome, again.supersedes, again.contests) == ("duplicate", (), (first,))


def test_what_it_replaced_and_what_it_is_proposed_for_are_two_entries(folder: Path) -> None:
    persons = said(folder, "We retry three times").id
    agents = said(folder, "Downloads are sorted", AGENT).id
    new = said(folder, "No more second attempts", AGENT, supersedes=(persons, agents)).id
    assert [each.what for each in shown(folder, new).history] == [
        "recorded",
        f"proposed to replace {short(folder, persons)}",
        f"superseded {short(folder, agents)}",
    ]
    assert [shown(folder, name).history[-1].what for name in (persons, agents)] == [
        "replacement proposed",
        "superseded",
    ]


def test_once_a_person_confirms_the_replacement_it_is_no_proposal(folder: Path) -> None:
    first = said(folder, "We retry three times").id
    second = said(folder, "No more second attempts", AGENT, supersedes=(first,)).id
    confirmed(folder, second)
    old = shown(folder, first)
    assert ([text for _, text in old.replaced_by], old.proposed) == (["No more second attempts"], ())
    assert old.hidden == "superseded"
    assert [each.what for each in old.history] == ["recorded", "replacement proposed", "superseded"]
    assert ["agent" in each.by for each in old.history[1:]] == [True, False]


def test_a_persons_replacement_counts_though_an_agent_proposed_others_before_it(folder: Path) -> None:
    first = said(folder, "We retry three times").id
    proposals = [said(folder, text, AGENT, supersedes=(first,)).id for text in ("No second attempts", "Retry at night")]
    assert (shown(folder, first).replaced_by, standing(folder, first).contested_by) == ((), proposals[0])
    own = said(folder, "The queue tries again", supersedes=(first,))
    assert own.supersedes == (first,)
    old = shown(folder, first)
    assert (old.state.reported_status, old.state.contested_by, old.hidden) == ("superseded", "", "superseded")
    assert ([text for _, text in old.replaced_by], old.proposed) == (["The queue tries again"], ())
    assert [each.what for each in old.history] == ["recorded", *["replacement proposed"] * 2, "superseded"]


@pytest.mark.parametrize(
    ("speaker", "reason"),
    [(PERSON, "a person recorded it"), (AGENT, "it is confirmed")],
    ids=["recorded", "confirmed"],
)
def test_an_agent_cannot_deny_what_a_person_recorded_or_confirmed(folder: Path, speaker: Speaker, reason: str) -> None:
    own, other = said(folder, "Downloads are sorted", AGENT).id, said(folder, "Uploads are sorted", speaker).id
    if speaker is AGENT:
        confirmed(folder, other)
    with workspace_at(folder) as workspace:
        known = memories_now(workspace)
        with pytest.raises(RepomemError, match=f"an agent cannot deny {other[:6]}.*: {reason}") as error:
            contradict(workspace, known, [own, other], CleanText("only downloads are"), AGENT)
    assert error.value.hint.startswith("propose a replacement: repomem remember --supersedes ")
    assert "denied" not in [each.what for name in (own, other) for each in shown(folder, name).history]


def test_an_agent_cannot_deny_a_memory_whose_code_has_survived(folder: Path) -> None:
    (folder / "upload.py").write_text(
        CODE["upload.py"] + "\n\ndef fresh(a, b):\n    return a * b + a - b * 2 + len([a, b])\n"
    )
    name = said(folder, "fresh multiplies first", AGENT, on=("upload.py:fresh",)).id
    for at in range(11):
        committed(folder, f"more {at}", other__txt=str(at))
    with workspace_at(folder) as workspace, pytest.raises(RepomemError, match="its code has survived ten commits"):
        contradict(workspace, memories_now(workspace), [name], CleanText("it adds first"), AGENT)


def test_a_memory_whose_code_was_deleted_is_shown_as_hidden(folder: Path) -> None:
    name = said(folder, "We retry three times", on=("upload.py:upload",)).id
    assert shown(folder, name).hidden == ""
    commit = committed(folder, "Drop uploads", upload__py="LIMIT = 1\n")
    assert "\n".join(memory_lines(shown(folder, name))).count(f"hidden: its code was deleted by {commit[:8]}") == 1
