"""A server that lives on: what may reach it, what may happen beside it, and that it ends with its client."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from support.command_line import MakePlace, Place
from support.mcp_client import INITIALIZE, OPTIONS, Talk, talk_to

HUGE = 50 << 20  # characters
ENDS_WITHIN = 30.0  # seconds after its client, on a machine that is busy
SLOW = """
import sys, time
import repomem.recall.answer as answer
search_now = answer.search_now
def slow(workspace, texts, *rest):
    print("asked", file=sys.stderr, flush=True)
    time.sleep(60 if texts == ["slow"] else 0)
    return search_now(workspace, texts, *rest)
answer.search_now = slow
"""
WITH_EARS = "import repomem.recall.open_repository as live; live.MANY_FILES = 1\n"
COMMANDS = """
import contextlib, io, json, os, sys
from repomem.cli.main import app
os._exit = sys.exit
printed = []
for words in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        app(words, prog_name="repomem")
    printed.append(out.getvalue())
json.dump(printed, sys.stdout)
"""
CLIENT = """
import subprocess, sys, time
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
server.stdin.write(sys.stdin.buffer.readline())
server.stdin.flush()
server.stdout.readline()
print(server.pid, flush=True)
time.sleep(600)
"""
needs_inotify = pytest.mark.skipif(sys.platform != "linux", reason="ears are Linux's")


def call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    return {"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def told(talk: Talk, number: int, name: str, **arguments: Any) -> str:
    """The text of a tool's answer."""
    return str(talk.ask(call(number, name, **arguments))["result"]["content"][0]["text"])


@contextmanager
def greeted(place: Place, script: str = "") -> Iterator[Talk]:
    """A server that has shaken hands, and that can still say how many tools it has when all is done."""
    with talk_to(place, script) as talk:
        talk.ask(INITIALIZE)
        yield talk
        assert len(talk.ask({"id": "last", "method": "tools/list"})["result"]["tools"]) == 6
        code, _ = talk.end()
        assert code == 0
        assert {json.loads(line)["jsonrpc"] for line in talk.lines} == {"2.0"}


def wait_until_gone(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def test_fault_40_a_frame_of_fifty_megabytes_is_answered_with_an_error(indexed: Place) -> None:
    with greeted(indexed) as talk:
        assert "longer than a million characters" in told(talk, 1, "recall", task="x" * HUGE)
        talk.say("y" * HUGE)
        talk.say(json.dumps({"jsonrpc": "2.0", "id": 2, "method": "z" * HUGE}))


def test_fault_40_bytes_that_are_no_text_are_survived(indexed: Place) -> None:
    with greeted(indexed) as talk:
        assert talk.process.stdin
        os.write(talk.process.stdin.fileno(), bytes(range(256)) * 40 + b"\n\xff\xfe\n\0\0\0\n[]\n{}\nnull\n")


def test_fault_40_half_a_frame_and_the_end_of_stdin_end_it(indexed: Place) -> None:
    with talk_to(indexed) as talk:
        talk.ask(INITIALIZE)
        assert talk.process.stdin
        talk.process.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "tools/ca')
        assert talk.end()[0] == 0


def test_fault_40_an_unknown_method_and_an_unknown_tool_are_errors(indexed: Place) -> None:
    with greeted(indexed) as talk:
        assert talk.ask({"id": 1, "method": "tools/brew"})["error"]["code"] == -32601
        answer = talk.ask(call(2, "brew"))
        assert "error" in answer or answer["result"]["isError"]


@pytest.mark.parametrize("wanted", ["../../.ssh/id_rsa", "/etc/passwd", "src/../../home", "src/ledgerly/\0"])
def test_fault_40_nothing_outside_of_the_worktree_is_shown(indexed: Place, wanted: str) -> None:
    with greeted(indexed) as talk:
        answer = talk.ask(call(1, "show", id=wanted))["result"]
        assert answer["isError"]
        said = "no id, indexed file or symbol matches "
        assert said in answer["content"][0]["text"]


def test_fault_40_a_call_that_was_cancelled_leaves_the_server_at_work(indexed: Place) -> None:
    slow = SLOW.replace("60", "1")
    with greeted(indexed, slow) as talk:
        talk.say(json.dumps({"jsonrpc": "2.0", **call(1, "search", query="slow")}))
        talk.say(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        assert told(talk, 2, "search", query="parse_money", limit=1).startswith("src/ledgerly/money.py:")


def test_fault_40_a_call_that_takes_long_does_not_outlive_the_client(indexed: Place) -> None:
    with talk_to(indexed, SLOW) as talk:
        talk.ask(INITIALIZE)
        talk.say(json.dumps({"jsonrpc": "2.0", **call(1, "search", query="slow")}))
        assert talk.process.stderr
        assert talk.process.stderr.readline() == "asked\n"
        assert talk.process.stdin
        talk.process.stdin.close()
        assert talk.process.wait(ENDS_WITHIN) == 0


def test_fault_40_a_client_that_is_killed_leaves_no_orphan(indexed: Place) -> None:
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, *indexed.command(), "mcp"],
        cwd=indexed.folder,
        env=dict(indexed.environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    with client:
        assert client.stdin
        assert client.stdout
        client.stdin.write(json.dumps({"jsonrpc": "2.0", **INITIALIZE}) + "\n")
        client.stdin.flush()
        server = int(client.stdout.readline())
        client.send_signal(signal.SIGKILL)
        client.wait()
        assert wait_until_gone(server, ENDS_WITHIN)


def test_fault_13_a_store_that_is_deleted_under_the_server_is_rebuilt(indexed_copy: Place) -> None:
    with greeted(indexed_copy) as talk:
        before = told(talk, 1, "search", query="parse_money", limit=1)
        shutil.rmtree(indexed_copy.folder / ".git" / "repomem" / "store")
        assert told(talk, 2, "search", query="parse_money", limit=1) == before
        shutil.rmtree(indexed_copy.folder / ".git" / "repomem")
        assert told(talk, 3, "search", query="parse_money", limit=1) == before
        assert (indexed_copy.folder / ".git" / "repomem" / "catalog.sqlite").exists()


def changes(place: Place) -> Iterator[str]:
    """One change of the worktree after the other; each gives a name to be found after it."""
    folder = place.folder / "src" / "census"
    folder.mkdir()
    for name, file in (("quokka_census", "quokka.py"), ("wombat_census", "quokka.py"), ("numbat_census", "numbat.py")):
        (folder / file).write_text(f"def {name}():\n    return 7\n", encoding="utf-8")
        yield name
    place.git("add", "--all")
    place.git("commit", "-q", "-m", "feat: count marsupials")
    (folder / "deep" / "down").mkdir(parents=True)
    (folder / "deep" / "down" / "potoroo.py").write_text("def potoroo_census():\n    return 7\n", encoding="utf-8")
    yield "potoroo_census"
    place.git("checkout", "-q", "-b", "other")
    (folder / "bilby.py").write_text("def bilby_census():\n    return 7\n", encoding="utf-8")
    place.git("add", "--all")
    place.git("commit", "-q", "-m", "feat: count bilbies")
    yield "bilby_census"


@pytest.mark.parametrize("script", ["", pytest.param(WITH_EARS, marks=needs_inotify)], ids=["by git", "by ears"])
def test_every_change_between_two_calls_is_noticed_at_once(indexed_copy: Place, script: str) -> None:
    with greeted(indexed_copy, script) as talk:
        for number, name in enumerate(changes(indexed_copy)):
            said = told(talk, 2 * number, "search", query=name, limit=1)
            assert f"function {name} " in said
            assert told(talk, 2 * number + 1, "search", query=name, limit=1) == said
        indexed_copy.git("checkout", "-q", "main")
        assert "bilby_census" not in told(talk, 100, "search", query="bilby_census", limit=1)


def test_a_changed_setting_applies_to_the_next_call(indexed_copy: Place) -> None:
    with greeted(indexed_copy) as talk:
        assert told(talk, 1, "search", query="parse").count("```") > 2
        (indexed_copy.folder / ".repomem.toml").write_text("[search]\nlimit = 1\n", encoding="utf-8")
        assert told(talk, 2, "search", query="parse").count("```") == 2


def test_two_servers_on_one_repository_answer_alike(make_place: MakePlace) -> None:
    place = make_place("ledgerly")
    with greeted(place) as one, greeted(place) as other:
        for number in range(3):
            for talk in (one, other):
                talk.say(json.dumps({"jsonrpc": "2.0", **call(number, "recall", task="parse money")}))
            answers = [talk.answer_to(number)["result"]["content"][0]["text"] for talk in (one, other)]
            (place.folder / f"more{number}.py").write_text(f"def parse_money_{number}(): ...\n", encoding="utf-8")
        assert answers[0] == answers[1]
        assert "more1.py" in answers[0]


TASKS = ("never round money", "parse money", "terraform a moon", "ledger entries sorted by date", "MoneyError")
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    *(("recall", {"task": task}) for task in TASKS),
    *(("recall", {"task": task, "budget": 400}) for task in TASKS),
    ("recall", {}),
    ("recall", {"budget": 600}),
    *(("search", {"query": task}) for task in TASKS),
    *(("search", {"query": task, "limit": 2, "path": "src"}) for task in TASKS),
    *(("search", {"query": task, "language": "python"}) for task in TASKS),
    *(("show", {"id": name}) for name in ("src/ledgerly/money.py", "src/ledgerly/money.py:12-20", "README.md:1-3")),
    *(("log", {"target": name}) for name in ("src/ledgerly/money.py", "src", "src/ledgerly/money.py:parse_money")),
    ("log", {"last": 3}),
)


def words_of(name: str, arguments: dict[str, Any]) -> list[str]:
    """What is typed for a call."""
    options = [word for key, value in arguments.items() if key not in OPTIONS for word in (f"--{key}", str(value))]
    form = ["--format", "json"] if name in ("recall", "search") else []
    return [name, *options, *form, *(str(arguments[key]) for key in OPTIONS if key in arguments)]


def by_commands(place: Place) -> list[str]:
    """What the commands print, one after the other in one process: each would import for seconds."""
    ended = place.run(stdin=json.dumps([words_of(*one) for one in CALLS]), script=COMMANDS)
    printed: list[str] = json.loads(ended.out)
    return printed


@pytest.mark.slow
def test_fifty_calls_of_one_server_give_what_the_commands_give(indexed_copy: Place) -> None:
    with greeted(indexed_copy) as talk:
        kept = told(talk, 900, "remember", text="Amounts are never rounded up", kind="decision")
        again = told(talk, 901, "remember", text="Amounts are never rounded up", kind="decision")
        assert (kept.startswith("remembered "), again.startswith("already known: ")) == (True, True)
        commands = by_commands(indexed_copy)
        for start in (0, 100):  # the second time from what the server holds
            for at, (name, arguments) in enumerate(CALLS):
                answer = talk.ask(call(start + at, name, **arguments))["result"]
                if name in ("recall", "search"):
                    assert answer["structuredContent"] == json.loads(commands[at]), (name, arguments)
                else:
                    assert answer["content"][0]["text"] == commands[at], (name, arguments)
    assert len(CALLS) * 2 + 2 >= 50
