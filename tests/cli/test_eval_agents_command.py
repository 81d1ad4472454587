"""`repomem eval --agent` on the command line: it asks, prints pairs, writes a page, and can be interrupted."""

import json
import signal
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from support.agent_scenes import FIXES, TEST_COMMAND, history, scripted, solutions
from support.command_line import Place, on_terminal
from support.repositories import MakeRepository

from repomem.cli.evaluate.agents_tables import page_of
from repomem.evaluate.agents.measures import RunOutcome
from repomem.evaluate.agents.report import AgentEvaluation, Pair, comparisons_of
from repomem.evaluate.agents.tasks import AgentTask, Arm, Check

WAITS = """
import pathlib, sys, time
marker = pathlib.Path(sys.argv[1])
if marker.exists():
    print("waiting", flush=True)
    time.sleep(600)
marker.touch()
"""  # the second run takes long
ONE = ("--tasks", "1", "--arms", "without,with", "--test-command", TEST_COMMAND)


@pytest.fixture
def place(make_repository: MakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    from support import command_line

    folder = make_repository(*history()[:3], name="port")
    return Place(folder, command_line._sealed(tmp_path / "home"))  # a place without a sample


def test_pairs_are_printed_as_json_and_written_to_an_html_page(place: Place, tmp_path: Path) -> None:
    agent = scripted(tmp_path, solutions())
    page = tmp_path / "page.html"
    ended = place.run("eval", "--agent", agent, *ONE, "--yes", "--format", "json", "--html", str(page))
    assert ended.code == 0, ended.err
    shown = json.loads(ended.out)
    assert shown["schema"] == "repomem.eval-agents/1"
    assert shown["runs"] == {"planned": 2, "finished": 2}
    [pair] = shown["pairs"]
    assert pair["title"] == FIXES["tolls"][1]
    assert {arm: run["solved"] for arm, run in pair["runs"].items()} == {"without": True, "with": True}
    assert [each["arm"] for each in shown["comparisons"]] == ["with"]
    assert Path(shown["logs"]).is_relative_to(tmp_path / "home")
    assert "at most 2 runs, 0 of them already done" in ended.err
    assert "without a sandbox" in ended.err
    assert FIXES["tolls"][1] in page.read_text(encoding="utf-8")


def test_no_agent_runs_before_a_person_agrees(place: Place, tmp_path: Path) -> None:
    agent = scripted(tmp_path, solutions())
    ended = place.run("eval", "--agent", agent, *ONE, "--keep", str(tmp_path / "keep"))
    assert (ended.code, ended.out) == (1, "")
    assert "hint: add --yes to skip the question" in ended.err
    shown = on_terminal(place, "eval", "--agent", agent, *ONE, "--keep", str(tmp_path / "keep"), typed="n\n")
    assert "Run it? [y/N]" in shown
    assert not (tmp_path / "keep").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tasks", "3"), "needs --agent"),
        (("--yes",), "needs --agent"),
        (("--agent", "true", "--commits", "3"), "cannot be combined"),
        (("--memory", "--agent", "true"), "cannot be combined"),
        (("--agent", "true", "--arms", "with"), "needs `without` and at least one other"),
        (("--agent", "no-such-program -p"), "no program 'no-such-program' is installed"),
        (("--agent", "'"), "cannot be read"),
    ],
)
def test_wrong_options_are_refused(place: Place, options: tuple[str, ...], message: str) -> None:
    ended = place.run("eval", *options)
    assert ended.code in {1, 2}
    assert message in " ".join(ended.err.split())


@pytest.mark.slow
def test_an_interrupted_evaluation_continues_where_it_stopped(place: Place, tmp_path: Path) -> None:
    keep = tmp_path / "keep"
    marker = tmp_path / "second"
    (tmp_path / "waits.py").write_text(WAITS, encoding="utf-8")
    waits = f"{sys.executable} {tmp_path / 'waits.py'} {marker}"
    arguments = ("eval", "--agent", waits, *ONE, "--yes", "--keep", str(keep))
    process = place.start(*arguments, is_fresh=True)
    assert process.stderr is not None
    while "waiting" not in "".join(path.read_text() for path in keep.glob("logs/*/stream.jsonl")):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert any("press Ctrl-C again" in line for line in process.stderr)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "Every pair: 1 run of 1 task" in out, err
    assert "Incomplete: 1 of 2 runs; the same command continues." in out
    marker.unlink()
    ended = place.run(*arguments)
    assert "at most 2 runs, 1 of them already done" in ended.err
    assert "Every pair: 2 runs of 1 task" in ended.out


def evaluation(title: str, **changed: object) -> AgentEvaluation:
    blank = RunOutcome("abc", "without", False, None, 1, 2, 300, 400, 5, 6, 7, 0, 8, 0.5, 9.0, 0)
    runs: Mapping[Arm, RunOutcome] = {
        Arm.WITHOUT: blank,
        Arm.WITH: replace(blank, arm="with", solved=True, bytes_before=100, stopped="<b>timeout</b>"),
    }
    task = AgentTask("abc", "code", title, "", "", "base", frozenset(), Check("true"))
    pairs = [Pair(task, runs)]
    return AgentEvaluation(
        "<i>port</i>",
        "id",
        "head",
        "<script>agent</script>",
        "script",
        2,
        pairs,
        comparisons_of(pairs),
        ["<u>no"],
        "/logs",
    )


def test_the_html_page_escapes_foreign_text() -> None:
    page = page_of(evaluation("<img src=x onerror=alert(1)> & \u202ehidden"))
    for text in ("<img", "<script>", "<i>port", "<b>timeout", "<u>no", "\u202e"):
        assert text not in page
    assert "&lt;img src=x onerror=alert(1)&gt; &amp; " in page
    assert "abc without" in page
    assert "abc with" in page
