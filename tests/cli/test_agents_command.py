"""`repomem agents` as it is run: streams, exit codes, JSON, a terminal, and the way from a settings file to a brief."""

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.command_line import Ended, Place, on_terminal

LINES = str.splitlines


@pytest.fixture
def home(ledgerly: Place) -> Path:
    """The home of who runs the commands, where one host was used: Codex."""
    home = Path(ledgerly.environment["HOME"])
    (home / ".codex").mkdir()
    return home


def run(place: Place, *arguments: str) -> Ended:
    return place.run("agents", *arguments)


def answered(place: Place, *arguments: str) -> Any:
    ended = run(place, *arguments, "--format", "json")
    assert (ended.code, ended.err) == (0, "")
    answer = json.loads(ended.out)
    assert answer["schema"] == "repomem.agents/1"
    return answer["hosts"]


def tree(folder: Path) -> dict[str, bytes]:
    kept = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.relative_to(folder).parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in kept}


def test_uninstall_undoes_install(ledgerly: Place, home: Path) -> None:
    before = tree(ledgerly.folder)
    ended = run(ledgerly, "install", "codex", "agents-md")
    assert (ended.code, ended.err) == (0, "")
    assert LINES(ended.out)[:3] == [
        "codex, project",
        "  .codex/hooks.json: written",
        "  .codex/config.toml: written",
    ]
    assert "next: in Codex, trust the project, run /hooks and approve repomem's hooks" in ended.out
    assert ".git/info/exclude" in ended.out
    assert tree(ledgerly.folder).keys() - before.keys() == {".codex/hooks.json", ".codex/config.toml", "AGENTS.md"}
    ended = run(ledgerly, "uninstall")
    assert (ended.code, ended.err) == (0, "")
    assert tree(ledgerly.folder) == before
    assert not (ledgerly.folder / ".codex").exists()


def test_without_names_install_sets_up_the_hosts_found(ledgerly: Place, home: Path) -> None:
    names = [host["name"] for host in answered(ledgerly, "install")]
    found = [host["name"] for host in answered(ledgerly, "status") if host.get("found")]
    assert "codex" in names
    assert names == found


def test_status_lists_every_host_and_changes_nothing(ledgerly: Place, home: Path) -> None:
    before = tree(ledgerly.folder), tree(home)
    hosts = answered(ledgerly, "status")
    assert [host["name"] for host in hosts] == [
        "claude-code",
        "codex",
        "gemini",
        "cursor",
        "opencode",
        "copilot",
        "agents-md",
    ]
    assert {entry["state"] for host in hosts for file in host["files"] for entry in file["entries"]} == {"absent"}
    assert (tree(ledgerly.folder), tree(home)) == before


def test_user_settings_need_no_repository(ledgerly: Place, home: Path) -> None:
    ended = run(ledgerly, "install", "--user", "codex")
    assert (ended.code, ended.err) == (0, "")
    assert "  ~/.codex/hooks.json: written" in LINES(ended.out)
    outside = ledgerly.run("agents", "status", "--user", "codex", at="..")
    assert (outside.code, outside.err) == (0, "")
    assert "  ~/.codex/hooks.json: installed" in LINES(outside.out)
    outside = ledgerly.run("agents", "status", at="..")
    assert (outside.code, outside.out) == (1, "")


def test_an_installed_hook_prints_a_brief(ledgerly: Place, home: Path) -> None:
    assert ledgerly.run("index").code == 0
    run(ledgerly, "install", "codex")
    hooks = json.loads((ledgerly.folder / ".codex" / "hooks.json").read_text())["hooks"]
    line = hooks["SessionStart"][0]["hooks"][0]["command"]
    said = json.dumps({"cwd": str(ledgerly.folder), "session_id": "s", "source": "startup"})
    done = subprocess.run(
        ["sh", "-c", line], env=dict(ledgerly.environment), input=said.encode(), capture_output=True, check=False
    )
    assert done.returncode == 0
    context = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert "ledgerly" in context


def test_an_installed_entry_starts_this_installation(ledgerly: Place, home: Path) -> None:
    run(ledgerly, "install", "cursor")
    hooks = json.loads((ledgerly.folder / ".cursor" / "hooks.json").read_text())["hooks"]
    words = shlex.split(hooks["stop"][0]["command"])
    assert words[-4:] == ["hook", "stop", "--host", "cursor"]
    assert Path(words[0]).is_absolute()
    done = subprocess.run([*words[:-4], "--version"], env=dict(ledgerly.environment), capture_output=True, check=False)
    assert done.stdout.startswith(b"repomem ")


def test_an_unreadable_settings_file_is_an_error_with_the_lines_to_add(ledgerly: Place, home: Path) -> None:
    path = ledgerly.folder / ".codex" / "hooks.json"
    path.parent.mkdir()
    path.write_text("{ oops")
    ended = run(ledgerly, "install", "codex")
    assert ended.code == 1
    assert LINES(ended.err) == [
        "error: a file was not changed",
        "hint: the reason and the next step are printed above",
    ]
    assert "  .codex/hooks.json: not changed" in LINES(ended.out)
    assert "  .codex/hooks.json is left alone: it is not valid JSON" in ended.out
    added = ended.out.partition("add this to .codex/hooks.json yourself:\n")[2].partition("  note:")[0]
    assert json.loads(added)["hooks"]["SessionStart"]
    assert path.read_text() == "{ oops"
    assert (ledgerly.folder / ".codex" / "config.toml").exists()


def test_uninstall_says_that_a_file_does_not_exist(ledgerly: Place, home: Path) -> None:
    assert "  .codex/hooks.json: no such file" in LINES(run(ledgerly, "uninstall", "codex").out)


def test_an_unknown_host_is_an_error(ledgerly: Place, home: Path) -> None:
    ended = run(ledgerly, "install", "emacs")
    assert (ended.code, ended.out) == (1, "")
    assert LINES(ended.err)[0] == "error: unknown agent 'emacs'"
    assert "claude-code" in LINES(ended.err)[1]


def test_json_lists_the_manual_steps(ledgerly: Place, home: Path) -> None:
    [claude] = answered(ledgerly, "install", "claude-code")
    assert claude["files"][1]["by_hand"].startswith("claude mcp add --scope local repomem -- ")
    [codex] = answered(ledgerly, "install", "codex")
    assert codex["next"]
    [codex] = answered(ledgerly, "status", "codex")
    assert codex["notes"][0].startswith("untrusted")


def test_a_terminal_gets_a_table(ledgerly: Place, home: Path) -> None:
    text = on_terminal(ledgerly, "agents", "status", "codex")
    assert "session-start hook" in text
    assert "MCP server" in text
    assert "absent" in text


@pytest.mark.parametrize("verb", ["install", "uninstall", "status"])
def test_each_subcommand_has_help(ledgerly: Place, verb: str) -> None:
    ended = ledgerly.run("agents", verb, "--help")
    assert (ended.code, ended.err) == (0, "")
    assert "--user" in ended.out


def test_doctor_names_the_folder_and_project_that_gemini_and_codex_do_not_trust(indexed_copy: Place) -> None:
    installed = indexed_copy.run("agents", "install", "gemini", "codex").out
    assert "trust the folder" in installed
    assert "trust the project, run /hooks" in installed
    home = Path(indexed_copy.environment["HOME"])
    (home / ".gemini").mkdir(exist_ok=True)
    (home / ".codex").mkdir(exist_ok=True)

    def untrusted() -> list[str]:
        lines = indexed_copy.run("doctor").out.splitlines()
        return [line.split(": ")[1] for line in lines if line.startswith("broken: ") and ": untrusted: " in line]

    assert untrusted() == ["codex", "gemini"]  # the project with its hooks, and the folder
    folder = str(indexed_copy.folder)
    (home / ".gemini" / "trustedFolders.json").write_text(json.dumps({folder: "TRUST_FOLDER"}))
    (home / ".codex" / "config.toml").write_text(f'[projects.{json.dumps(folder)}]\ntrust_level = "trusted"\n')
    assert untrusted() == ["codex"]
