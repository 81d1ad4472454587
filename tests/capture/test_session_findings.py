"""What is kept of a session beside what is stated in it: its goal and outcome, its files, and what was run."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from repomem.adapters.transcripts.steps import Step, StepKind
from repomem.capture.command_outcomes import error_line, telling_command
from repomem.capture.session_findings import MOST_NOTES, MOST_TRIED, Captured, captured_from
from repomem.capture.statements.extract import MOST_STATED
from repomem.capture.statements.outcome import LONGEST_OUTCOME
from repomem.core.records import Event, Origin, Record, Source
from repomem.core.types.text import CleanText
from repomem.memories.learned.commands import learned_from
from repomem.memories.learned.fixes import Remedy


def step(at: int, kind: StepKind, text: str, code: int | None = None, output: str = "") -> Step:
    return Step(f"s{at}", kind, text, f"2026-03-01T10:00:{at:02}Z", code, output)


def session(*told: tuple[Any, ...]) -> list[Step]:
    return [step(at, StepKind(kind), *rest) for at, (kind, *rest) in enumerate(told)]


def texts(captured: Captured) -> list[str]:
    return [note.text for note in captured.notes]


CURED = session(
    ("asked", "Hi!"),
    ("asked", "The parser crashes on tabs. Please fix it."),
    (
        "ran",
        "cd /w && pytest -q tests 2>&1 | tail -3",
        0,
        "E   ValueError: tab\nFAILED tests/a.py::t - ValueError: tab\n1 failed",
    ),
    ("looked", "Read"),
    ("edited", "/w/a.py"),
    ("edited", "/w/a.py"),
    ("ran", "ls -la", 0),
    ("ran", "pytest -q tests", 0, "3 passed"),
    ("said", "Great! The parser takes tabs now.\n\n```py\nparse()\n```\n\nLet me know if you need more."),
)


def test_a_session_has_its_goal_outcome_files_and_notes() -> None:
    found = captured_from(CURED)
    assert (found.goal, found.outcome) == ("The parser crashes on tabs. Please fix it.", "The parser takes tabs now.")
    assert found.files == ("/w/a.py",)
    assert [(note.key, note.at[-3:], note.text) for note in found.notes] == [
        ("s2", "02Z", "ran: pytest -q tests -> exit 1: FAILED tests/a.py::t - ValueError: tab"),
        ("s4", "04Z", "touched: /w/a.py"),
        ("s7", "07Z", "ran: pytest -q tests -> exit 0"),
    ]


def test_the_notes_show_what_fixed_a_failure() -> None:
    origin = Origin("", "agent", Source.TRANSCRIPT, session="one")
    notes = [
        Record(f"{at:026}", Event.SESSION_NOTE, replace(origin, at=note.at), text=CleanText(note.text))
        for at, note in enumerate(captured_from(CURED).notes)
    ]
    [fix] = learned_from(notes).fixes
    assert (fix.remedy, fix.by) == (Remedy.EDIT, ("/w/a.py",))


def test_reading_more_of_a_session_keeps_the_earlier_notes() -> None:
    steps = [step(at % 60, StepKind.RAN, f"make target{at}", at % 2, "error: no") for at in range(2 * MOST_NOTES)]
    steps = [replace(one, key=f"k{at}") for at, one in enumerate(steps)]
    assert len(captured_from(steps).notes) == MOST_NOTES
    assert captured_from(steps[:MOST_NOTES]).notes == captured_from(steps).notes


def test_an_unchanged_result_is_noted_once() -> None:
    again = session(
        ("ran", "make", 0), ("ran", "make", 0), ("ran", "make", 1, "error: x"), ("ran", "make", 1, "error: x")
    )
    assert texts(captured_from(again)) == ["ran: make -> exit 0", "ran: make -> exit 1: error: x"]


def test_edits_are_noted_only_while_a_command_fails_and_never_if_refused() -> None:
    steps = session(("edited", "a.py"), ("ran", "make", 2, "error: x"), ("edited", "b.py"), ("edited", "c.py"))
    steps[3] = replace(steps[3], is_refused=True)
    found = captured_from(steps)
    assert texts(found) == ["ran: make -> exit 2: error: x", "touched: b.py"]
    assert found.files == ("a.py", "b.py")


def test_a_command_that_was_refused_or_is_still_running_is_not_noted() -> None:
    refused = replace(session(("ran", "make", 1, "error"))[0], is_refused=True)
    assert captured_from([refused, *session(("ran", "npm run build", None))]).notes == ()


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("cd /w && pytest -q 2>&1 | tail -5", "pytest -q"),
        ("cd . && pytest -q", "pytest -q"),
        ("cd backend && pytest -q", "cd backend && pytest -q"),
        ("source .venv/bin/activate; pytest -q && cd docs", "source .venv/bin/activate && pytest -q"),
        ("export DB_URL=sqlite:// && make test; echo done", "export DB_URL=sqlite:// && make test"),
        ("sudo service postgresql start", "service postgresql start"),
        ("npm ci && npm test", "npm ci && npm test"),
        ("CI=1 timeout 60 uv run pytest -x", "uv run pytest -x"),
        ("PYTHONPATH=. python -m pytest", "PYTHONPATH=. python -m pytest"),
        ("python scripts/gen.py --all", "python scripts/gen.py --all"),
        ("./gradlew test || true", "./gradlew test"),
        ("cargo build \\\n  --release", "cargo build --release"),
        *((line, "") for line in ("ls -la", "git status && git diff", "cat a | grep b", "python -c 'import x'")),
        *((line, "") for line in ("node --version", "echo 'a; make b'", "grep -rn 'npm test' .", "cd /w")),
        ("python - <<'EOF'\nmake()\nEOF", ""),
    ],
)
def test_only_commands_that_test_build_or_install_are_informative(line: str, command: str) -> None:
    assert telling_command(line)[0] == command


@pytest.mark.parametrize(
    ("line", "code", "output", "noted"),
    [
        ("pytest | tail -3", 0, "1 failed, 2 passed", ["ran: pytest -> exit 1: 1 failed, 2 passed"]),
        ("pytest | tail -3", 0, "3 passed", ["ran: pytest -> exit 0"]),
        ("make | tail -3", 0, "whatever", []),
        ("make; echo $?", 0, "error: x\n2", ["ran: make -> exit 2: error: x"]),
        ("make || true", 0, "all built", []),
    ],
)
def test_behind_a_pipe_the_output_shows_whether_it_passed(line: str, code: int, output: str, noted: list[str]) -> None:
    assert texts(captured_from(session(("ran", line, code, output)))) == noted


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("E   assert 1 == 2\nFAILED a.py::t - assert 1 == 2\n1 failed", "FAILED a.py::t - assert 1 == 2"),
        ("a.c:3:1: error: expected ';'\nmake: *** [all] Error 1", "a.c:3:1: error: expected ';'"),
        ("src/a.ts(3,1): error TS2304: Cannot find name 'x'.", "src/a.ts(3,1): error TS2304: Cannot find name 'x'."),
        ("  File 'a', line 1\nKeyError: 'x'", "KeyError: 'x'"),
        ("Exit code 1\n0 errors\nsomething odd", "something odd"),
        ("", ""),
    ],
)
def test_the_most_informative_error_line_is_found(output: str, line: str) -> None:
    assert error_line(output) == line


def test_a_long_final_message_is_cut_at_the_end_of_a_sentence() -> None:
    final = "It works. " + "This sentence says a little more about it. " * 80
    outcome = captured_from(session(("asked", "go on then please"), ("said", final))).outcome
    assert len(outcome) <= LONGEST_OUTCOME
    assert outcome.endswith("more about it.")


def test_a_turn_that_ends_with_an_action_has_no_outcome() -> None:
    steps = session(
        ("asked", "fix the parser"), ("said", "Fixed the parser."), ("asked", "and the docs"), ("said", "I'll look")
    )
    assert captured_from([*steps, step(9, StepKind.LOOKED, "Read")]).outcome == "Fixed the parser."


def test_a_brief_that_was_injected_is_not_captured_again() -> None:
    said = "The brief tells:\n\n> We decided to use Kafka over SQS because of replay.\n\nNothing else is known."
    assert captured_from(session(("asked", "what do you know?"), ("said", said))).stated == ()


def test_the_number_of_statements_per_session_is_bounded() -> None:
    rules = [("asked", f"Never use tool{at} in this repo.") for at in range(30)]
    found = captured_from(session(*rules))
    assert [one.text for one in found.stated] == [f"Never use tool{at} in this repo" for at in range(MOST_STATED)]


def test_a_persons_statement_is_kept_before_the_agents_earlier_ones() -> None:
    decisions = " ".join(f"Decision: module{at} uses sqlite, because it needs no server." for at in range(MOST_STATED))
    of_agent = session(("asked", "Store the modules."), ("edited", "a.py"), ("said", decisions))
    later = ("asked", "From now on, never edit conftest.py.")
    steps = [*of_agent, replace(step(9, StepKind.ASKED, later[1]), key="later")]

    assert len(captured_from(of_agent).stated) == MOST_STATED
    assert [one.is_persons for one in captured_from(steps).stated] == [False] * (MOST_STATED - 1) + [True]


def test_statements_keep_their_keys_when_a_session_continues() -> None:
    steps = session(("asked", "Always run make lint. Never push to main directly."), ("said", "Noted."))
    longer = [*steps, *session(("asked", "Thanks!"))]
    assert captured_from(steps).stated == captured_from(longer).stated
    assert [one.key for one in captured_from(steps).stated] == ["s0#0.0", "s0#1.0"]


def test_an_empty_session_has_no_findings() -> None:
    assert captured_from([]) == Captured()


WORDS = st.sampled_from(
    [
        *(
            "we",
            "always",
            "never",
            "use",
            "redis",
            "instead of",
            "postgres",
            "because",
            "it",
            "is",
            "let's",
            "go with",
            "not",
        ),
        *(".", ",", ";", ":", "-", "\n", ">", "`", "```", '"', "'", "(", ")", "?", "!", "#", "**", "1.", "A)", "|"),
        *("from now on", "I tried", "but", "failed", "TODO", "left for later", "option", "no", "undo that", "actually"),
    ]
)


@settings(max_examples=80)
@given(st.lists(st.tuples(st.sampled_from(list(StepKind)), st.lists(WORDS, max_size=30).map(" ".join)), max_size=6))
def test_no_text_makes_capture_fail(told: list[tuple[StepKind, str]]) -> None:
    found = captured_from([step(at, kind, text, at % 3, text) for at, (kind, text) in enumerate(told)])
    keys = [one.key for one in found.stated] + [one.key for one in found.notes]
    assert len(set(keys)) == len(keys)


def test_only_the_first_failed_attempts_are_kept() -> None:
    said = [("said", f"I tried using library{at} but it failed because it cannot be pickled.") for at in range(9)]
    found = captured_from(session(("asked", "Make it faster."), *said, ("said", "Done.")))

    tried = [text for text in texts(found) if text.startswith("tried:")]
    assert tried == [text for text in texts(found) if "library" in text]
    assert len(tried) == MOST_TRIED


def test_failed_attempts_count_among_the_notes_of_a_session() -> None:
    ran = [step(at % 60, StepKind.RAN, f"make target{at}", at % 2, "error: no") for at in range(2 * MOST_NOTES)]
    tried = step(0, StepKind.SAID, "I tried using pickle but it failed because it cannot be shared.")
    found = captured_from([replace(one, key=f"k{at}") for at, one in enumerate([tried, *ran])])

    assert texts(found)[0].startswith("tried:")
    assert len(found.notes) == MOST_NOTES


def of_agent(steps: list[Step], agent: str = "a7") -> list[Step]:
    return [replace(one, agent=agent, key=f"{agent}-{one.key}") for one in steps]


DELEGATED = of_agent(
    session(
        ("asked", "Fix the tab crash. From now on, never edit conftest.py. Use httpx instead of requests."),
        ("ran", "pytest -q tests", 1, "E   ValueError: tab"),
        ("edited", "/w/a.py"),
        ("ran", "pytest -q tests", 0, "3 passed"),
        ("said", "Decision: tabs count as four columns, because editors show them so."),
    )
)


def test_actions_of_sub_agents_belong_to_the_session_and_are_marked() -> None:
    found = captured_from(
        [step(0, StepKind.ASKED, "The parser crashes on tabs."), *DELEGATED, *session(("said", "Ok."))]
    )
    assert [(note.text, note.is_subagents) for note in found.notes] == [
        ("ran: pytest -q tests -> exit 1: E ValueError: tab", True),
        ("touched: /w/a.py", True),
        ("ran: pytest -q tests -> exit 0", True),
    ]
    assert (found.goal, found.outcome, found.files) == ("The parser crashes on tabs.", "Ok.", ("/w/a.py",))
    [stated] = found.stated
    assert (stated.text, stated.is_persons, stated.is_subagents) == (
        "Tabs count as four columns",
        False,
        True,
    )


def test_the_prompt_of_a_sub_agent_is_not_a_persons_statement() -> None:
    prompt = of_agent([step(0, StepKind.ASKED, "From now on, always use httpx instead of requests.")])
    assert captured_from(prompt) == Captured()
    assert captured_from([replace(prompt[0], agent="")]).stated[0].is_persons


def test_refusing_the_work_drops_the_statements_of_its_sub_agents() -> None:
    asked = step(0, StepKind.ASKED, "The parser crashes on tabs.")
    done = [asked, *DELEGATED, step(50, StepKind.SAID, "The parser takes tabs now.")]
    refused = captured_from([*done, step(51, StepKind.ASKED, "No, revert that.")])
    assert [each.text for each in captured_from(done).stated] == ["Tabs count as four columns"]
    assert refused.stated == ()
