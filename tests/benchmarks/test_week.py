"""The simulated week: its labels are sound, and two sessions of another week are played and judged."""

import json
import re

import pytest

from benchmarks.processes import ROOT
from benchmarks.results import RESULTS
from benchmarks.spoken import plain
from benchmarks.week.judge import Fate, found_in, judged_in, lies_in, lines_of
from benchmarks.week.play import Played, play
from benchmarks.week.report import figures, misses
from benchmarks.week.scripts import SESSIONS, Falsehood, Statement, sessions_in

WEEK = sessions_in(SESSIONS)
FIRST = """host: claude
at: 2026-11-02T09:00:00Z
commit: Give up after six attempts
@user
how often do we try a delivery again?
@say
Twelve times.
@user
From now on we give up after 6 attempts, because support cancels the order after an hour anyway.
@edit src/retry.ts
attempts: 12 }
====
attempts: 6 }
@say
Done.
@labels
[[statement]]
id = "p01"
phrase = "we give up after 6 attempts, because support cancels the order after an hour anyway"
worded = "Give up after 6 attempts"
by = "person"
kind = "decision"
tells = ["6 attempts", "support"]
needed = "02"

[[statement]]
id = "p02"
phrase = "the gateway drops one request in a hundred"
worded = "The gateway drops 1 % of requests"
by = "person"
kind = "fact"
tells = ["gateway"]
needed = "02"

[[falsehood]]
id = "f1"
sort = "told as true by mistake"
phrase = "we give up after 6 attempts"
tells = ["give up after 6 attempts"]
"""
SECOND = """host: gemini
at: 2026-11-03T09:00:00Z
commit: Note the attempts
@user
write into the README after how many attempts a delivery is given up
@edit README.md
again by `DeliveryQueue` until `isRetryable` says no.
====
again by `DeliveryQueue` until `isRetryable` says no, 6 times at most.
@say
Written.
@labels
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> list[Played]:
    folder = tmp_path_factory.mktemp("week")
    for name, text in (("01-attempts", FIRST), ("02-readme", SECOND)):
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return list(play(sessions_in(folder), folder / "played"))


def test_what_was_said_in_one_host_is_in_the_brief_of_the_next_and_what_nobody_said_is_missed(
    played: list[Played],
) -> None:
    kept, missed = found_in(played)
    assert (kept.fate, kept.is_recalled) == (Fate.AS_MEMORY, True)
    assert (missed.fate, missed.cause, missed.is_recalled) == (Fate.NOT_KEPT, "no sentence has its words", False)


@pytest.mark.slow
def test_a_falsehood_in_a_later_brief_is_counted_and_no_memory_that_says_it_is_right(played: list[Played]) -> None:
    [lie] = lies_in(played)
    assert (lie.shown, lie.unmarked) == (("02",), ())
    [memory] = judged_in(played)
    assert (memory.session, memory.is_shown, memory.is_right) == ("01", True, False)


@pytest.mark.slow
def test_the_table_and_the_misses_name_what_went_wrong(played: list[Played]) -> None:
    found, lies, judged = found_in(played), lies_in(played), judged_in(played)
    counts = {name: count for name, count, _ in figures(found, lies, judged)}
    assert counts["… in the brief that needs them"] == "1 of 2"
    assert counts["… shown once they were known to be false"] == "1 of 1"
    assert [line.split()[0] for line in misses(found, lies, judged)] == ["MISSED", "FALSE", "WRONG"]


def test_each_session_is_committed_on_its_day_and_the_worktree_has_its_edits(played: list[Played]) -> None:
    assert "2026-11-02" in played[1].start
    assert "Give up after six attempts" in played[1].start
    assert played[0].start.splitlines()[0].startswith('<repomem-brief repository="courier"')


def test_lines_of_memories_and_sessions_count_and_only_a_memory_with_a_mark_is_unconfirmed() -> None:
    brief = '- decision `01K` "a"\n- provisional rule `01L` "b"\n- last session `01M` "c"\n- test: pnpm test\n'
    assert [(line.is_memory, line.is_marked) for line in lines_of(brief)] == [
        (True, False),
        (True, True),
        (False, False),
    ]


def test_the_week_has_ten_sessions_in_three_hosts_over_seven_days() -> None:
    assert len(WEEK) == 10
    assert {one.host for one in WEEK} == {"claude", "codex", "gemini"}
    assert (WEEK[-1].at.date() - WEEK[0].at.date()).days == 6
    assert [one.at for one in WEEK] == sorted(one.at for one in WEEK)


def test_twenty_statements_are_planted_each_needed_later_in_another_host() -> None:
    hosts = {one.name: one.host for one in WEEK}
    planted = [each for one in WEEK for each in one.statements]
    assert [each.id for each in planted] == [f"p{at:02}" for at in range(1, 21)]
    assert [each.id for each in planted if each.needed <= each.session] == []
    assert [each.id for each in planted if hosts[each.needed] == hosts[each.session]] == []
    assert len([each for one in WEEK for each in one.falsehoods]) == 6


@pytest.mark.parametrize("one", [each for one in WEEK for each in one.statements], ids=lambda one: str(one.id))
def test_a_statement_was_said_and_its_careful_wording_and_no_first_prompt_has_what_tells_it(one: Statement) -> None:
    prompts = {each.name: each.turns[0][0].body for each in WEEK}
    assert share_said(one) >= 0.7
    assert all(re.search(pattern, one.worded, re.IGNORECASE) for pattern in one.tells)
    assert not all(re.search(pattern, prompts[one.needed], re.IGNORECASE) for pattern in one.tells)


def share_said(one: Statement | Falsehood) -> float:
    """The share of a phrase's words that its session has."""
    said = plain(" ".join(step.body for each in WEEK if each.name == one.session for step in each.scenario.steps))
    words = re.findall(r"\w\w+", plain(one.phrase))
    return sum(word in said for word in words) / len(words)


@pytest.mark.parametrize("one", [each for one in WEEK for each in one.falsehoods], ids=lambda one: str(one.id))
def test_a_falsehood_was_said_and_no_careful_wording_of_a_statement_tells_it(one: Falsehood) -> None:
    planted = [each for session in WEEK for each in session.statements]
    assert share_said(one) == 1
    assert not any(re.search(pattern, each.worded, re.IGNORECASE) for each in planted for pattern in one.tells)


def test_the_figures_of_the_page_are_those_of_the_last_run() -> None:
    page = (
        (ROOT / "benchmarks" / "README.md")
        .read_text(encoding="utf-8")
        .partition("\n## week\n")[2]
        .partition("\n## ")[0]
    )
    cells = [line.split("|")[2].strip() for line in page.splitlines() if line.startswith("| ")]
    counts = list(json.loads((RESULTS / "week.json").read_text(encoding="utf-8"))["figures"].values())
    assert cells[1 : len(counts) + 1] == counts
