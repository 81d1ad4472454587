"""What an agent host gets from its hook: the map in its own dialect, or nothing at all."""

import json
import subprocess
from pathlib import Path

import pytest
from support.command_line import HANGING_HOOK, Ended, Place, on_terminal

from repomem.core.text.tokens import count_tokens

NOTHING = Ended(0, "", "")
PATIENT = """
import repomem.cli.agents.hook as hook
hook.LONGEST = {}
hook.LONGEST_CAPTURE = hook.CATCH_UP_SECONDS = 60.0
import repomem.recall.answer as answer
answer.CATCH_UP_SECONDS = 60.0
"""  # for busy machines
MAIN = "from repomem.__main__ import main\nmain()\n"
CRASH = f"""{PATIENT}
import repomem.agents.hooks as hooked
def cached_brief(workspace, budget):
    raise ZeroDivisionError("a bug")
hooked.cached_brief = cached_brief
"""
HANG = f"{HANGING_HOOK}import repomem.workspace.workspace as workspaces\nworkspaces.was_indexed = hang\n"
NARROW = f"{PATIENT}import repomem.agents.hooks as hooked\nhooked.MOST_BYTES = 1_000\n"
LATE = f"{HANGING_HOOK}import repomem.agents.hooks as hooked\nhooked.cached_brief = hang\n"


def started(
    place: Place, host: str, *, stdin: str = "{}", script: str = "", at: str = "", event: str = "session-start"
) -> Ended:
    """How a hook ends, if not said otherwise the one at the start of a session."""
    return place.run("hook", event, "--host", host, stdin=stdin, script=(script or PATIENT) + MAIN, at=at)


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini"])
def test_hosts_get_the_map_as_context_in_json(indexed: Place, host: str) -> None:
    ended = started(indexed, host)
    assert (ended.code, ended.err, ended.out[-2:]) == (0, "", "}\n")
    context = indexed.run("recall").out.rstrip("\n")
    assert json.loads(ended.out) == {
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": context}
    }


def test_the_plain_format_is_the_map_itself(indexed: Place) -> None:
    assert started(indexed, "plain") == indexed.run("recall")


def test_the_hosts_cwd_chooses_the_repository(indexed: Place) -> None:
    said = json.dumps({"source": "startup", "cwd": str(indexed.folder / "src")})
    assert started(indexed, "plain", stdin=said, at="..") == indexed.run("recall")


@pytest.mark.parametrize(
    "said", ["", "no json", "[1]", "[" * 100_000, '{"cwd": 5}', '{"cwd"', "\x00\ud7ff", '"' + "x" * (1 << 21)]
)
def test_garbage_from_the_host_is_ignored(indexed: Place, said: str) -> None:
    assert started(indexed, "plain", stdin=said) == indexed.run("recall")


def test_half_a_character_in_a_prompt_does_not_hide_the_answer(indexed_copy: Place) -> None:
    whole, cut = [
        started(
            indexed_copy,
            "plain",
            stdin=json.dumps({"session_id": name, "prompt": f"fix parse_money {half}"}),
            event="prompt",
        )
        for name, half in (("half-1", "\ufffd"), ("half-2", "\ud83d"))
    ]
    assert cut == whole
    assert "parse_money" in cut.out


@pytest.mark.parametrize("folder", ["/nowhere/at/all", "\\u0000", "\\ud800", "/"])
def test_a_folder_without_a_repository_gives_nothing(indexed: Place, folder: str) -> None:
    assert started(indexed, "claude-code", stdin=f'{{"cwd": "{folder}"}}') == NOTHING


def test_a_repository_that_was_never_indexed_is_left_alone(ledgerly: Place) -> None:
    assert started(ledgerly, "claude-code") == NOTHING
    assert not (ledgerly.folder / ".git" / "repomem").exists()


def test_without_git_hooks_are_silent(indexed: Place) -> None:
    assert indexed.run("hook", "session-start", env={"PATH": ""}) == NOTHING


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["stop", "--host", "claude-code"],
        ["session-start", "--host", "nobody"],
        ["stop", "--host", "codex", "--turn", "7"],
    ],
    ids=" ".join,
)
def test_unknown_hook_arguments_are_ignored_silently(indexed: Place, words: list[str]) -> None:
    assert indexed.run("hook", *words) == NOTHING


@pytest.mark.parametrize("words", [("session-begin",), ("stop", "--host", "nobody")])
def test_unknown_hook_arguments_are_errors_on_a_terminal(indexed: Place, words: tuple[str, ...]) -> None:
    assert f"'{words[-1]}': expected " in on_terminal(indexed, "hook", *words)


def test_a_hook_that_hangs_prints_nothing(indexed: Place) -> None:
    assert started(indexed, "claude-code", script=HANG) == NOTHING


@pytest.mark.parametrize("script", [CRASH, LATE], ids=["crash", "late"])
def test_if_a_fresh_brief_fails_the_cached_one_is_printed(indexed: Place, script: str) -> None:
    ended = started(indexed, "plain", script=script)
    assert (ended.code, ended.err) == (0, "")
    assert (
        ended.out
        == indexed.run("recall").out + "Cached before the latest changes; `repomem recall` prints a current one.\n"
    )


def test_a_cached_brief_has_new_memories_and_no_forgotten_ones(indexed_copy: Place) -> None:
    old = indexed_copy.run("remember", "--format", "json", "Amounts must never be floats").out
    assert indexed_copy.run("index").code == 0
    assert indexed_copy.run("forget", "--yes", json.loads(old)["id"]).code == 0
    assert indexed_copy.run("remember", "Ledgers must always be sorted by day").code == 0
    ended = started(indexed_copy, "plain", script=LATE)
    assert "Cached before the latest changes" in ended.out
    assert "Amounts must never be floats" not in ended.out
    assert "Ledgers must always be sorted by day" in ended.out


def test_a_hook_exits_with_0_if_stdout_is_full(indexed: Place) -> None:
    with Path("/dev/full").open("w") as full:
        command = [*indexed.command(), "hook", "session-start"]
        environment = dict(indexed.environment)
        done = subprocess.run(command, cwd=indexed.folder, env=environment, input=b"", stdout=full, check=False)
    assert done.returncode == 0


def test_the_map_is_rebuilt_after_a_commit(indexed_copy: Place) -> None:
    (indexed_copy.folder / "pyproject.toml").write_text('[project]\nname = "quokka"\n', encoding="utf-8")
    indexed_copy.git("commit", "-q", "-a", "-m", "feat: another name")
    ended = started(indexed_copy, "plain", script=PATIENT)
    assert "quokka" in ended.out
    assert ended == indexed_copy.run("recall")


def test_the_map_is_cut_to_the_hosts_byte_limit(indexed: Place) -> None:
    ended = started(indexed, "plain", script=NARROW)
    assert ended.out.startswith("<repomem-brief ")
    assert len(ended.out.encode()) <= 1_001  # and its line break
    assert len(indexed.run("recall").out.encode()) > 1_001


def test_a_large_budget_is_cut_to_the_hosts_token_limit(indexed: Place) -> None:
    generous = {"REPOMEM_RECALL_BUDGET": "50000"}
    ended = indexed.run("hook", "session-start", script=PATIENT + MAIN, env=generous)
    assert "/2400" in ended.out.partition("\n")[0]
    assert count_tokens(ended.out) <= 2_400
