"""Settings of agent hosts: what is written, that nothing else changes, and that all of it can be undone."""

import errno
import json
import os
import shutil
import stat
import subprocess
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tree_sitter import Language, Parser

from repomem.adapters.settings.files import replace_foreign
from repomem.adapters.settings.json_text import read_json
from repomem.adapters.settings.merge import merged_json
from repomem.agents import host_file as agent_files
from repomem.agents.entries import Program, own_entries, this_program
from repomem.agents.hosts import HOSTS
from repomem.agents.install import FileReport, HostReport, install, status, uninstall
from repomem.agents.wanted_entries import Form, InstallTarget, Target
from repomem.core.errors import ConfigError, ForeignError

FIXTURES = Path(__file__).parents[2] / "fixtures" / "settings"
CASES = sorted(path.relative_to(FIXTURES).as_posix() for path in FIXTURES.rglob("*.*") if path.is_file())
PROJECT_HOSTS = tuple(HOSTS)
USER_HOSTS = tuple(name for name in HOSTS if name != "agents-md")

MakeProgram = Callable[[str], Program]


@pytest.fixture
def make_program(tmp_path: Path) -> MakeProgram:
    """A program that is there, in a folder of its own."""

    def make(folder: str) -> Program:
        path = tmp_path / folder / "repomem"
        path.parent.mkdir(parents=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return Program((str(path),))

    return make


@pytest.fixture
def where(tmp_path: Path, sealed_environment: Path, make_program: MakeProgram) -> InstallTarget:
    """A project without any settings, on a machine without any host."""
    root = tmp_path / "project"
    root.mkdir()
    return InstallTarget(root, sealed_environment, {"PATH": ""}, make_program("bin"))


def target_of(where: InstallTarget, host: str, name: str) -> Target:
    [target] = [each for each in HOSTS[host].targets(where) if each.path.name == name]
    return target


def put(target: Target, content: bytes) -> Path:
    target.path.parent.mkdir(parents=True, exist_ok=True)
    target.path.write_bytes(content)
    return target.path


def files_below(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def folders_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_dir()}


def report_on(reports: tuple[HostReport, ...], name: str) -> FileReport:
    [file] = [file for report in reports for file in report.files if file.path.name == name]
    return file


def states(where: InstallTarget, host: str, name: str) -> set[str]:
    return {entry.state.value for entry in report_on(status(where, (host,)), name).entries}


def actions(reports: Sequence[HostReport]) -> set[str]:
    return {file.action for report in reports for file in report.files}


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


# --- what is written -------------------------------------------------------------------------------------------------


def hook(where: InstallTarget, event: str, host: str) -> str:
    return f"{where.program.words[0]} hook {event} --host {host}"


def test_claude_code_gets_its_hooks_in_the_file_that_git_does_not_see(where: InstallTarget) -> None:
    install(where, ("claude-code",))
    assert where.root
    assert files_below(where.root).keys() == {".claude/settings.local.json"}

    def command(event: str, **more: Any) -> list[dict[str, Any]]:
        return [{"type": "command", "command": hook(where, event, "claude-code"), **more}]

    assert read(where.root / ".claude" / "settings.local.json") == {
        "hooks": {
            "SessionStart": [
                {
                    "matcher": "startup|resume|clear|compact",
                    "hooks": command("session-start", timeout=20, statusMessage="repomem brief"),
                }
            ],
            "UserPromptSubmit": [{"hooks": command("prompt", timeout=20)}],
            "PreToolUse": [
                {"matcher": "Read|Edit|Write|MultiEdit|NotebookEdit", "hooks": command("file", timeout=5)},
                {"matcher": "Task|Agent", "hooks": command("delegate", timeout=5)},
            ],
            "SubagentStart": [{"hooks": command("subagent-start", timeout=20)}],
            "PostToolUse": [
                {"matcher": "Edit|Write|MultiEdit|NotebookEdit", "hooks": command("edit", **{"async": True})}
            ],
            "PostToolUseFailure": [{"matcher": "Bash", "hooks": command("command", timeout=5)}],
            "PreCompact": [{"matcher": "manual|auto", "hooks": command("pre-compact", timeout=30)}],
            "Stop": [{"hooks": command("stop", timeout=10)}],
        }
    }


TOOL_EVENTS = ("PreToolUse", "PostToolUse")


def started(where: InstallTarget, event: str, timeout: int) -> dict[str, Any]:
    return {"type": "command", "command": hook(where, event, "codex"), "timeout": timeout}


def test_codex_gets_hooks_in_json_and_a_server_in_toml(where: InstallTarget) -> None:
    install(where, ("codex",))
    assert where.root
    written = read(where.root / ".codex" / "hooks.json")["hooks"]
    assert list(written) == [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "SubagentStart",
        "PostToolUse",
        "PostCompact",
        "Stop",
    ]
    assert [(written[name][0]["matcher"], written[name][0]["hooks"][0]["command"]) for name in TOOL_EVENTS] == [
        ("apply_patch", hook(where, "file", "codex")),
        ("Bash", hook(where, "command", "codex")),
    ]
    assert written["PreToolUse"][1:] == [{"matcher": "spawn_agent", "hooks": [started(where, "delegate", 5)]}]
    assert written["SubagentStart"] == [{"hooks": [started(where, "subagent-start", 20)]}]
    assert written["SessionStart"] == [
        {
            "matcher": "startup|resume|clear|compact",
            "hooks": [
                {
                    "type": "command",
                    "command": hook(where, "session-start", "codex"),
                    "timeout": 20,
                    "statusMessage": "Loading repomem",
                }
            ],
        }
    ]
    assert "async" not in json.dumps(written)
    assert tomllib.loads((where.root / ".codex" / "config.toml").read_text()) == {
        "mcp_servers": {
            "repomem": {"command": where.program.words[0], "args": ["mcp"], "startup_timeout_sec": 20},
        }
    }


def test_gemini_gets_timeouts_in_milliseconds_and_matchers_on_tool_hooks(where: InstallTarget) -> None:
    install(where, ("gemini",))
    assert where.root

    def group(name: str, event: str, timeout: int, **matcher: str) -> list[dict[str, Any]]:
        guarded = (
            f"[ ! -x {where.program.words[0]} ] || {hook(where, event, 'gemini')}"  # else it lets no prompt through
        )
        command = {"name": name, "type": "command", "command": guarded, "timeout": timeout}
        return [{**matcher, "hooks": [command]}]

    assert read(where.root / ".gemini" / "settings.json") == {
        "hooks": {
            "SessionStart": group("repomem", "session-start", 20_000),
            "BeforeAgent": group("repomem-prompt", "prompt", 20_000),
            "AfterTool": [
                *group("repomem-file", "file", 5_000, matcher="read_file|replace|write_file"),
                *group("repomem-command", "command", 5_000, matcher="run_shell_command"),
            ],
            "AfterAgent": group("repomem-stop", "stop", 5_000),
        },
        "mcpServers": {
            "repomem": {"command": where.program.words[0], "args": ["mcp"], "timeout": 30_000, "trust": False}
        },
    }


def test_cursor_gets_a_rule_beside_its_hooks(where: InstallTarget) -> None:
    install(where, ("cursor",))
    assert where.root
    assert read(where.root / ".cursor" / "hooks.json") == {
        "version": 1,
        "hooks": {
            "sessionStart": [{"command": hook(where, "session-start", "cursor")}],
            "postToolUse": [
                {"command": hook(where, "edit", "cursor"), "matcher": "Write|StrReplace|ApplyPatch"},
                {"command": hook(where, "file", "cursor"), "matcher": "Read|Write|StrReplace|ApplyPatch"},
                {"command": hook(where, "command", "cursor"), "matcher": "Shell"},
            ],
            "stop": [{"command": hook(where, "stop", "cursor")}],
        },
    }
    assert read(where.root / ".cursor" / "mcp.json") == {
        "mcpServers": {"repomem": {"command": where.program.words[0], "args": ["mcp"]}}
    }
    rule = (where.root / ".cursor" / "rules" / "repomem.mdc").read_text().split("---\n")
    assert rule[0] == ""
    assert "alwaysApply: true" in rule[1]
    assert "repomem recall" in rule[2]


def test_copilot_gets_a_hook_file_of_its_own_and_a_server_for_vs_code(where: InstallTarget) -> None:
    where = replace(where, program=Program(("/opt/it's here/repomem",)))
    install(where, ("copilot",))
    assert where.root
    command = {
        "type": "command",
        "bash": """'/opt/it'"'"'s here/repomem' hook session-start --host copilot""",
        "powershell": "& '/opt/it''s here/repomem' hook session-start --host copilot",
        "timeoutSec": 30,
    }
    written = read(where.root / ".github" / "hooks" / "repomem.json")
    events = ["sessionStart", "userPromptSubmitted", "subagentStart", "postToolUse", "agentStop"]
    assert (written["version"], list(written["hooks"])) == (1, events)
    assert [each["matcher"] for each in written["hooks"]["postToolUse"]] == [
        "view|edit|create|apply_patch",
        "bash|powershell",
    ]
    assert written["hooks"]["sessionStart"] == [command]
    assert read(where.root / ".vscode" / "mcp.json") == {
        "servers": {"repomem": {"type": "stdio", "command": "/opt/it's here/repomem", "args": ["mcp"]}}
    }


def test_opencode_gets_a_plugin_and_a_server(where: InstallTarget) -> None:
    install(where, ("opencode",))
    assert where.root
    assert read(where.root / ".opencode" / "opencode.json") == {
        "$schema": "https://opencode.ai/config.json",
        "mcp": {"repomem": {"type": "local", "command": [*where.program.words, "mcp"], "enabled": True}},
    }
    plugin = (where.root / ".opencode" / "plugins" / "repomem.ts").read_bytes()
    assert f"const PROGRAM: string[] = {json.dumps(where.program.words)}\n".encode() in plugin
    import tree_sitter_typescript

    parser = Parser(Language(tree_sitter_typescript.language_typescript()))
    assert not parser.parse(plugin).root_node.has_error


def test_an_opencode_file_with_comments_is_edited_in_place(where: InstallTarget) -> None:
    assert where.root
    settings = where.root / ".opencode" / "opencode.jsonc"
    settings.parent.mkdir()
    settings.write_text("{\n  // mine\n}\n")
    install(where, ("opencode",))
    assert not settings.with_name("opencode.json").exists()
    assert "// mine" in settings.read_text()


def test_instructions_hold_no_path_and_no_memory(where: InstallTarget) -> None:
    install(where, ("agents-md", "copilot"))
    assert where.root
    for path in (where.root / "AGENTS.md", where.root / ".github" / "copilot-instructions.md"):
        text = path.read_text()
        assert text.startswith("<!-- repomem:start -->\n")
        assert text.endswith("<!-- repomem:end -->\n")
        assert "repomem recall" in text
        assert str(where.home.parent) not in text


def test_user_settings_are_written_to_the_hosts_own_folders(where: InstallTarget) -> None:
    user = replace(where, root=None)
    install(user, USER_HOSTS)
    assert files_below(where.home).keys() - {"gitconfig"} >= {
        ".claude/settings.json",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".config/opencode/opencode.json",
        ".config/opencode/plugins/repomem.ts",
        ".copilot/hooks/repomem.json",
        ".copilot/mcp-config.json",
        ".cursor/hooks.json",
        ".cursor/mcp.json",
        ".gemini/settings.json",
    }
    assert read(where.home / ".copilot" / "mcp-config.json")["mcpServers"]["repomem"]["tools"] == ["*"]
    assert not files_below(where.root or where.home / "nowhere")


def test_host_variables_move_the_user_settings(where: InstallTarget, tmp_path: Path) -> None:
    names = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "COPILOT_HOME")
    moved = {name: str(tmp_path / "moved" / name) for name in names}
    install(replace(where, root=None, environ={"PATH": "", **moved}), USER_HOSTS)
    assert files_below(tmp_path / "moved").keys() == {
        "CLAUDE_CONFIG_DIR/settings.json",
        "CODEX_HOME/config.toml",
        "CODEX_HOME/hooks.json",
        "COPILOT_HOME/hooks/repomem.json",
        "COPILOT_HOME/mcp-config.json",
        "GEMINI_CLI_HOME/.gemini/settings.json",
        "XDG_CONFIG_HOME/opencode/opencode.json",
        "XDG_CONFIG_HOME/opencode/plugins/repomem.ts",
    }


def test_a_relative_variable_counts_as_unset(where: InstallTarget) -> None:
    user = replace(where, root=None, environ={"PATH": "", "CODEX_HOME": "codex"})
    assert target_of(user, "codex", "hooks.json").path == where.home / ".codex" / "hooks.json"


# --- nothing else changes, and all of it can be undone ---------------------------------------------------------------


def test_every_fixture_belongs_to_a_file_that_install_edits(where: InstallTarget) -> None:
    for case in CASES:
        host, name, _ = case.split("/")
        assert target_of(where, host, name)


@pytest.mark.parametrize("case", CASES)
def test_ten_installs_and_uninstalls_restore_every_byte(where: InstallTarget, case: str) -> None:
    host, name, _ = case.split("/")
    target = target_of(where, host, name)
    before = (FIXTURES / case).read_bytes()
    path = put(target, before)
    path.chmod(0o640)
    for _ in range(10):
        assert report_on(install(where, (host,)), name).action == "written"
        after = path.read_bytes()
        assert report_on(install(where, (host,)), name).action == "unchanged"
        assert path.read_bytes() == after
        assert report_on(uninstall(where, (host,)), name).action == "removed"
        assert path.read_bytes() == before
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert where.root
    assert files_below(where.root).keys() == {path.relative_to(where.root).as_posix()}


@pytest.mark.parametrize("case", [case for case in CASES if not case.endswith(".md")])
def test_fault_31_values_of_other_tools_stay(where: InstallTarget, case: str) -> None:
    host, name, _ = case.split("/")
    target = target_of(where, host, name)
    before = (FIXTURES / case).read_bytes()
    path = put(target, before)
    install(where, (host,))
    after = path.read_bytes()
    if target.form is Form.TOML:
        assert after.startswith(before)
        assert within(tomllib.loads(before.decode()), tomllib.loads(after.decode()))
        return
    assert within(read_json(before).value or {}, read_json(after).value)
    assert [before[slice(*span)] for span in read_json(before).comments] == [
        after[slice(*span)] for span in read_json(after).comments
    ]


def within(value: Any, larger: Any) -> bool:
    """Whether the larger value has all of the other, in its order, with more members and elements at the end."""
    if isinstance(value, dict) and isinstance(larger, dict):
        return list(larger)[: len(value)] == list(value) and all(within(value[key], larger[key]) for key in value)
    if isinstance(value, list) and isinstance(larger, list):
        return larger[: len(value)] == value
    return bool(value == larger)


@pytest.mark.parametrize("host", PROJECT_HOSTS)
def test_uninstall_deletes_the_files_and_folders_that_install_created(where: InstallTarget, host: str) -> None:
    assert where.root
    (where.root / "keep").mkdir()
    install(where, (host,))
    install(where, (host,))
    assert files_below(where.root)
    uninstall(where, (host,))
    assert files_below(where.root) == {}
    assert folders_below(where.root) == {"keep"}
    assert all(report.files == () or report.files for report in uninstall(where, (host,)))


@pytest.mark.parametrize("host", PROJECT_HOSTS)
def test_uninstall_in_a_moved_clone_restores_every_byte(where: InstallTarget, tmp_path: Path, host: str) -> None:
    assert where.root
    (where.root / "keep").mkdir()
    install(where, (host,))
    moved = replace(where, root=where.root.rename(tmp_path / "moved"))
    assert moved.root
    copied = replace(where, root=shutil.copytree(moved.root, where.root / "deeper" / "copy"))
    for each in (moved, copied):
        assert each.root
        uninstall(each, (host,))
        assert files_below(each.root) == {}
        assert folders_below(each.root) == {"keep"}


def test_uninstall_in_a_moved_clone_keeps_what_was_in_the_file(where: InstallTarget, tmp_path: Path) -> None:
    assert where.root
    before = b'// mine\n{ "mcpServers": {},\n}\n'
    put(target_of(where, "cursor", "mcp.json"), before)
    install(where, ("cursor",))
    moved = replace(where, root=where.root.rename(tmp_path / "moved"))
    uninstall(moved, ("cursor",))
    assert moved.root
    assert files_below(moved.root) == {".cursor/mcp.json": before}


@pytest.mark.parametrize("host", USER_HOSTS)
def test_uninstall_restores_the_users_home(where: InstallTarget, host: str) -> None:
    user = replace(where, root=None)
    before = files_below(where.home)
    install(user, (host,))
    uninstall(user, (host,))
    left = {name: content for name, content in files_below(where.home).items() if not name.startswith(".local/state/")}
    assert left == before


def test_an_edit_backup_is_private_and_has_no_text_of_the_file(where: InstallTarget) -> None:
    target = target_of(where, "claude-code", "settings.local.json")
    put(target, b'{\n  "env": {"TOKEN": "s3cret"}\n}\n')
    install(where, ("claude-code",))
    receipts = list((where.home / ".local/state/repomem/receipts").iterdir())
    assert [stat.S_IMODE(path.stat().st_mode) for path in receipts] == [0o600]
    assert "s3cret" not in receipts[0].read_text()
    uninstall(where, ("claude-code",))
    assert not list(receipts[0].parent.iterdir())


def test_installing_from_another_program_replaces_outdated_entries(
    where: InstallTarget, make_program: MakeProgram
) -> None:
    fixture = FIXTURES / "claude-code" / "settings.local.json" / "comments_and_last_commas.json"
    path = put(target_of(where, "claude-code", "settings.local.json"), fixture.read_bytes())
    install(where, PROJECT_HOSTS)
    other = replace(where, program=make_program("other"))
    assert states(other, "claude-code", path.name) == {"outdated"}
    assert states(other, "opencode", "repomem.ts") == {"outdated"}
    assert states(other, "codex", "config.toml") == {"outdated"}
    assert "refused" not in actions(install(other, PROJECT_HOSTS))
    assert where.root
    for content in files_below(where.root).values():
        assert where.program.words[0].encode() not in content
    uninstall(other, PROJECT_HOSTS)
    assert files_below(where.root) == {".claude/settings.local.json": fixture.read_bytes()}


def test_an_entry_whose_program_is_gone_is_broken(where: InstallTarget, make_program: MakeProgram) -> None:
    gone = make_program("gone")
    install(replace(where, program=gone), ("codex", "opencode"))
    Path(gone.words[0]).unlink()
    assert states(where, "codex", "hooks.json") == {"broken"}
    assert states(where, "codex", "config.toml") == {"broken"}
    assert states(where, "opencode", "repomem.ts") == {"broken"}
    [entry, *_] = report_on(status(where, ("codex",)), "hooks.json").entries
    assert entry.program == gone.words[0]
    install(where, ("codex", "opencode"))
    assert states(where, "codex", "hooks.json") == {"installed"}


def test_an_entry_of_an_earlier_version_is_removed(where: InstallTarget) -> None:
    target = target_of(where, "codex", "hooks.json")
    old = {"hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": "/x/python -P -m repomem hook old"}]}]}}
    put(target, json.dumps(old).encode())
    assert "broken" in states(where, "codex", "hooks.json")
    install(where, ("codex",))
    assert states(where, "codex", "hooks.json") == {"installed"}
    assert read(target.path)["hooks"]["PreCompact"] == []


def test_hooks_that_an_earlier_version_lacked_are_absent_until_installed(where: InstallTarget) -> None:
    install(where, ("cursor",))
    path = target_of(where, "cursor", "hooks.json").path
    value = read(path)
    value["hooks"]["postToolUse"] = value["hooks"]["postToolUse"][:1]  # as an earlier version wrote it
    path.write_text(json.dumps(value))
    assert states(where, "cursor", "hooks.json") == {"installed", "absent"}
    install(where, ("cursor",))
    assert states(where, "cursor", "hooks.json") == {"installed"}
    assert len(read(path)["hooks"]["postToolUse"]) == 3


def test_values_that_a_user_changed_in_an_entry_are_kept(where: InstallTarget) -> None:
    install(where, ("gemini",))
    path = target_of(where, "gemini", "settings.json").path
    tuned = path.read_text().replace("10000", "20000").replace('"trust": false', '"trust": true')
    path.write_text(tuned)
    assert report_on(install(where, ("gemini",)), "settings.json").action == "unchanged"
    assert path.read_text() == tuned


# --- others write too --------------------------------------------------------------------------------------------


def installed(where: InstallTarget, text: str) -> Path:
    path = put(target_of(where, "claude-code", "settings.local.json"), text.encode())
    install(where, ("claude-code",))
    return path


@pytest.mark.parametrize("case", [case for case in CASES if case.startswith(("claude", "gemini", "cursor"))])
@pytest.mark.parametrize("indent", [None, 4])
def test_uninstall_works_on_a_file_that_another_program_reformatted(
    where: InstallTarget, case: str, indent: int | None
) -> None:
    host, name, _ = case.split("/")
    path = put(target_of(where, host, name), (FIXTURES / case).read_bytes())
    before = read_json(path.read_bytes()).value
    install(where, (host,))
    path.write_text(json.dumps(read_json(path.read_bytes()).value, indent=indent))
    assert report_on(install(where, (host,)), name).action == "unchanged"
    uninstall(where, (host,))
    assert read(path) == (before or {})


def test_fault_31_entries_that_other_tools_add_later_stay(where: InstallTarget) -> None:
    path = installed(where, '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "bd prime"}]}]}}\n')
    value = read(path)
    theirs = {"matcher": "startup", "hooks": [{"type": "command", "command": "other start"}]}
    value["hooks"]["SessionStart"].append(theirs)
    value["hooks"]["SessionStart"][1]["hooks"].append({"type": "command", "command": "mine too"})
    value["model"] = "opus"
    path.write_text(json.dumps(value, indent=2) + "\n")
    uninstall(where, ("claude-code",))
    after = read(path)
    assert after["model"] == "opus"
    assert [[each["command"] for each in group["hooks"]] for group in after["hooks"]["SessionStart"]] == [
        ["bd prime"],
        ["mine too"],
        ["other start"],
    ]
    assert list(after["hooks"]) == ["SessionStart"]


def test_a_created_file_stays_if_others_added_entries(where: InstallTarget) -> None:
    install(where, ("cursor",))
    path = target_of(where, "cursor", "hooks.json").path
    value = read(path)
    value["hooks"]["stop"].append({"command": "./audit.sh"})
    path.write_text(json.dumps(value))
    uninstall(where, ("cursor",))
    assert read(path) == {"version": 1, "hooks": {"stop": [{"command": "./audit.sh"}]}}


def test_a_created_file_is_deleted_even_if_it_was_reformatted(where: InstallTarget) -> None:
    install(where, ("cursor", "opencode"))
    assert where.root
    for path in where.root.rglob("*.json"):
        path.write_text(json.dumps(read(path)))
    uninstall(where, ("cursor", "opencode"))
    assert files_below(where.root) == {}


def test_an_entry_with_a_comment_is_removed(where: InstallTarget) -> None:
    path = installed(where, '{\n  "env": {}\n}\n')
    path.write_text(path.read_text().replace('"hooks": {\n', '"hooks": {\n    // of repomem\n', 1))
    uninstall(where, ("claude-code",))
    assert path.read_text() == '{\n  "env": {},\n  "hooks": {\n    // of repomem\n    \n  }\n}\n'


def test_an_entry_deleted_by_hand_is_absent_and_can_be_installed_again(where: InstallTarget) -> None:
    before = '{\n  "hooks": {\n    "Stop": []\n  }\n}\n'
    path = installed(where, before)
    path.write_text(before)
    assert states(where, "claude-code", path.name) == {"absent"}
    assert report_on(uninstall(where, ("claude-code",)), path.name).action == "unchanged"
    assert path.read_text() == before
    install(where, ("claude-code",))
    uninstall(where, ("claude-code",))
    assert path.read_text() == before


def test_an_entry_is_removed_even_without_its_backup(where: InstallTarget) -> None:
    path = installed(where, '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}, "a": 1}')
    shutil.rmtree(where.home / ".local/state/repomem")
    uninstall(where, ("claude-code",))
    after = read(path)
    assert (after["a"], after["hooks"]["Stop"]) == (1, [{"hooks": [{"type": "command", "command": "x"}]}])
    assert "repomem" not in path.read_text()


@pytest.mark.parametrize("content", ["{", "[]", "null", '{"edits": 1}', '{"edits": [{}], "digest": 1}'])
def test_a_broken_edit_backup_is_ignored(where: InstallTarget, content: str) -> None:
    installed(where, '{"a": 1}')
    [receipt] = (where.home / ".local/state/repomem/receipts").iterdir()
    receipt.write_text(content)
    assert "refused" not in actions(uninstall(where, ("claude-code",)))


def test_text_added_below_the_block_keeps_its_line(where: InstallTarget) -> None:
    path = put(target_of(where, "agents-md", "AGENTS.md"), b"# Rules")
    install(where, ("agents-md",))
    path.write_text(path.read_text() + "More.\n")
    uninstall(where, ("agents-md",))
    assert path.read_text() == "# Rules\nMore.\n"


def test_an_edited_block_is_outdated_and_rewritten(where: InstallTarget) -> None:
    path = put(target_of(where, "agents-md", "AGENTS.md"), b"# Rules\n")
    install(where, ("agents-md",))
    path.write_text(path.read_text().replace("Before you change", "Never change"))
    assert states(where, "agents-md", "AGENTS.md") == {"outdated"}
    install(where, ("agents-md",))
    assert states(where, "agents-md", "AGENTS.md") == {"installed"}
    uninstall(where, ("agents-md",))
    assert path.read_text() == "# Rules\n"


def test_tables_that_codex_writes_between_our_marks_stay(where: InstallTarget) -> None:
    path = put(target_of(where, "codex", "config.toml"), b'model = "m"\n')
    install(where, ("codex",))
    theirs = '\n[projects."/w"]\ntrust_level = "trusted"\n'
    path.write_text(path.read_text().replace("# repomem:end", f"{theirs}\n# repomem:end"))
    assert states(where, "codex", "config.toml") == {"installed"}
    uninstall(where, ("codex",))
    assert path.read_text() == f'model = "m"\n{theirs}\n'


def test_tables_that_others_add_below_our_block_stay(where: InstallTarget) -> None:
    path = put(target_of(where, "codex", "config.toml"), b'model = "m"\n')
    install(where, ("codex",))
    path.write_text(path.read_text() + '\n[projects."/w"]\ntrust_level = "trusted"\n')
    uninstall(where, ("codex",))
    assert tomllib.loads(path.read_text()) == {"model": "m", "projects": {"/w": {"trust_level": "trusted"}}}


# --- left as it is -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[]",
        b'{"hooks": []}',
        b'{"hooks": {"Stop": {}}}',
        b'{"hooks": {"Stop": []}, "hooks": {}}',
        b'{"a": 1}\n{"b": 2}',
        b"\xff\xfe{\x00}\x00",
        b"[" * 200_000,
        b'{"a": "' + b"x" * (5 << 20) + b'"}',
    ],
)
def test_fault_31_an_unreadable_file_is_left_alone_and_reported(where: InstallTarget, content: bytes) -> None:
    path = put(target_of(where, "claude-code", "settings.local.json"), content)
    file = report_on(install(where, ("claude-code",)), path.name)
    assert path.read_bytes() == content
    assert file.action == "refused"
    assert file.why
    assert json.loads(file.by_hand)["hooks"]["SessionStart"]
    assert not list((where.home / ".local").rglob("receipts/*"))


def test_fault_31_an_unreadable_file_does_not_stop_the_others(where: InstallTarget) -> None:
    path = put(target_of(where, "cursor", "hooks.json"), b"{")
    report_on(install(where, ("cursor",)), "hooks.json")
    assert states(where, "cursor", "mcp.json") == {"installed"}
    assert path.read_bytes() == b"{"
    assert report_on(uninstall(where, ("cursor",)), "hooks.json").action == "unchanged"
    path.write_bytes(b'{"repomem')
    assert report_on(uninstall(where, ("cursor",)), "hooks.json").action == "refused"


def test_a_codex_server_that_the_user_wrote_is_left_alone(where: InstallTarget) -> None:
    text = '[mcp_servers.repomem]\ncommand = "uvx"\nargs = ["repomem", "mcp"]\n'
    path = put(target_of(where, "codex", "config.toml"), text.encode())
    assert report_on(install(where, ("codex",)), "config.toml").action == "refused"
    assert report_on(uninstall(where, ("codex",)), "config.toml").action == "unchanged"
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("host", "name", "server"),
    [
        ("opencode", "opencode.json", {"mcp": {"repomem": {"type": "local", "command": ["node", "/opt/repomem.js"]}}}),
        ("opencode", "opencode.json", {"mcp": {"repomem": {"type": "remote", "url": "https://example.org/repomem"}}}),
        ("gemini", "settings.json", {"mcpServers": {"repomem": {"httpUrl": "https://example.org/mcp"}}}),
        ("cursor", "mcp.json", {"mcpServers": {"repomem": {"command": "npx", "args": ["repomem"]}}}),
        ("copilot", "mcp.json", {"servers": {"repomem": {"command": "/opt/repomem", "args": ["serve"]}}}),
        ("codex", "config.toml", '[mcp_servers.repomem]\nurl = "https://example.org/mcp"\n'),
    ],
)
def test_another_programs_server_with_our_name_is_left_alone(
    where: InstallTarget, host: str, name: str, server: Any
) -> None:
    content = (server if isinstance(server, str) else json.dumps(server)).encode()
    path = put(target_of(where, host, name), content)
    file = report_on(install(where, (host,)), name)
    assert (file.action, file.by_hand) == ("refused", "")
    assert file.why == "it has an MCP server of another program, called 'repomem'"
    assert "another program's" in states(where, host, name)
    uninstall(where, (host,))
    assert path.read_bytes() == content


def test_no_command_is_printed_for_another_programs_server_of_claude_code(where: InstallTarget) -> None:
    server = {"command": "npx", "args": ["repomem"]}
    (where.home / ".claude.json").write_text(
        json.dumps({"projects": {str(where.root): {"mcpServers": {"repomem": server}}}})
    )
    file = report_on(install(where, ("claude-code",)), ".claude.json")
    assert (file.action, file.by_hand) == ("refused", "")
    file = report_on(uninstall(where, ("claude-code",)), ".claude.json")
    assert (file.action, file.why, file.by_hand) == ("unchanged", "", "")


@pytest.mark.parametrize(("host", "name"), [("opencode", "repomem.ts"), ("cursor", "repomem.mdc")])
def test_a_foreign_file_with_our_name_is_left_alone(where: InstallTarget, host: str, name: str) -> None:
    path = put(target_of(where, host, name), b"// mine\n")
    assert report_on(install(where, (host,)), name).action == "refused"
    assert states(where, host, name) == {"refused"}
    assert report_on(uninstall(where, (host,)), name).action == "unchanged"
    assert path.read_bytes() == b"// mine\n"


def test_an_edited_plugin_is_left_alone(where: InstallTarget) -> None:
    install(where, ("opencode",))
    path = target_of(where, "opencode", "repomem.ts").path
    path.write_text(path.read_text() + "// mine\n")
    assert report_on(uninstall(where, ("opencode",)), "repomem.ts").action == "refused"
    assert path.exists()


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_fault_31_a_symbolic_link_stays_a_link(where: InstallTarget, tmp_path: Path) -> None:
    user = replace(where, root=None)
    target = target_of(user, "claude-code", "settings.json")
    real = tmp_path / "dotfiles.json"
    real.write_text('{"a": 1}\n')
    target.path.parent.mkdir()
    target.path.symlink_to(real)
    install(user, ("claude-code",))
    assert "repomem" in real.read_text()
    uninstall(user, ("claude-code",))
    assert target.path.is_symlink()
    assert real.read_text() == '{"a": 1}\n'


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_out_of_the_worktree_is_left_alone_and_one_within_is_followed(
    where: InstallTarget, tmp_path: Path
) -> None:
    assert where.root
    outside, inside = tmp_path / "profile", where.root / "CLAUDE.md"
    outside.write_text("export A=1\n")
    path = target_of(where, "agents-md", "AGENTS.md").path
    path.symlink_to(outside)
    file = report_on(install(where, ("agents-md",)), "AGENTS.md")
    assert (file.action, outside.read_text()) == ("refused", "export A=1\n")
    assert "outside of the worktree" in file.why
    assert report_on(uninstall(where, ("agents-md",)), "AGENTS.md").action == "unchanged"
    path.unlink()
    inside.write_text("# Rules\n")
    path.symlink_to("CLAUDE.md")
    install(where, ("agents-md",))
    assert "repomem recall" in inside.read_text()
    uninstall(where, ("agents-md",))
    assert (path.is_symlink(), inside.read_text()) == (True, "# Rules\n")


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_dangling_link_is_left_alone(where: InstallTarget, tmp_path: Path) -> None:
    user = replace(where, root=None)
    target = target_of(user, "claude-code", "settings.json")
    target.path.parent.mkdir()
    target.path.symlink_to(tmp_path / "nothing")
    assert report_on(install(user, ("claude-code",)), target.path.name).action == "refused"
    assert not (tmp_path / "nothing").exists()


def test_without_a_writable_folder_for_the_backup_nothing_is_changed(where: InstallTarget) -> None:
    shutil.rmtree(where.home / ".local", ignore_errors=True)
    (where.home / ".local").write_text("in the way")
    path = put(target_of(where, "claude-code", "settings.local.json"), b"{}")
    file = report_on(install(where, ("claude-code",)), path.name)
    assert (file.action, path.read_bytes()) == ("refused", b"{}")
    assert "receipt" in file.why


def test_fault_31_a_read_only_file_is_left_alone(where: InstallTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(target_of(where, "claude-code", "settings.local.json"), b"{}")
    path.chmod(0o444)
    may = os.access
    monkeypatch.setattr(os, "access", lambda *asked: asked[1] != os.W_OK and may(*asked))  # root may write all
    file = report_on(install(where, ("claude-code",)), path.name)
    assert (file.action, path.read_bytes()) == ("refused", b"{}")
    assert "read-only" in file.why


def test_fault_31_a_concurrent_write_by_another_program_is_kept(
    where: InstallTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(target_of(where, "claude-code", "settings.local.json"), b"{}")

    def late(content: bytes, wanted: dict[str, Any]) -> Any:
        path.write_bytes(b'{"theirs": 1}')
        return merged_json(content, wanted)

    monkeypatch.setattr(agent_files, "merged_json", late)
    file = report_on(install(where, ("claude-code",)), path.name)
    assert (file.action, path.read_bytes()) == ("refused", b'{"theirs": 1}')
    assert not list((where.home / ".local").rglob("receipts/*"))


def test_a_failed_edit_keeps_the_previous_backup(
    where: InstallTarget, make_program: MakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = '{\n  "a": 1\n}'
    path = installed(where, before)

    def refused(*_: Any) -> None:
        raise ForeignError("changed just now", "")

    with monkeypatch.context() as patched:
        patched.setattr(agent_files, "replace_foreign", refused)
        file = report_on(install(replace(where, program=make_program("other")), ("claude-code",)), path.name)
        assert file.action == "refused"
    uninstall(where, ("claude-code",))
    assert path.read_text() == before


def test_a_plugin_is_removed_even_without_its_backup(where: InstallTarget) -> None:
    install(where, ("opencode",))
    shutil.rmtree(where.home / ".local/state/repomem")
    assert report_on(uninstall(where, ("opencode",)), "repomem.ts").action == "removed"


def test_an_entry_that_another_program_overwrites_at_once_is_reported(
    where: InstallTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = target_of(where, "claude-code", "settings.local.json").path

    def overwritten(*change: Any) -> None:
        replace_foreign(*change)
        path.write_bytes(b"{}")

    monkeypatch.setattr(agent_files, "replace_foreign", overwritten)
    file = report_on(install(where, ("claude-code",)), path.name)
    assert file.action == "refused"
    assert "another program" in file.why


def test_fault_31_a_large_file_is_edited(where: InstallTarget) -> None:
    allowed = {"permissions": {"allow": [f"Bash(make {number}:*)" for number in range(20_000)]}}
    path = put(target_of(where, "claude-code", "settings.local.json"), json.dumps(allowed, indent=2).encode())
    before = path.read_bytes()
    install(where, ("claude-code",))
    assert len(read(path)["hooks"]) == 8
    uninstall(where, ("claude-code",))
    assert path.read_bytes() == before


# --- hosts -------------------------------------------------------------------------------------------------------


def test_without_names_only_hosts_found_are_set_up(where: InstallTarget, tmp_path: Path) -> None:
    assert install(where) == ()
    (where.home / ".codex").mkdir()
    gemini = tmp_path / "path" / "gemini"
    gemini.parent.mkdir()
    gemini.write_text("#!/bin/sh\n")
    gemini.chmod(0o755)
    found = replace(where, environ={"PATH": str(gemini.parent)})
    assert [report.name for report in install(found)] == ["codex", "gemini"]
    assert [report.is_found for report in status(found)] == [False, True, True, False, False, False, None]


def test_an_unknown_host_is_an_error_that_names_it(where: InstallTarget) -> None:
    with pytest.raises(ConfigError, match="unknown agent 'emacs'"):
        install(where, ("emacs",))


def test_agents_md_has_no_user_settings(where: InstallTarget) -> None:
    [report] = install(replace(where, root=None), ("agents-md",))
    assert report.files == ()
    assert status(replace(where, root=None), ("agents-md",))[0].notes


def test_claude_codes_own_file_is_read_and_never_written(where: InstallTarget) -> None:
    own = where.home / ".claude.json"
    own.write_text(json.dumps({"projects": {str(where.root): {"mcpServers": {"x": {"command": "y"}}}}}))
    before = own.read_bytes()
    file = report_on(install(where, ("claude-code",)), ".claude.json")
    assert file.action == "by hand"
    assert file.by_hand == f"claude mcp add --scope local repomem -- {where.program.words[0]} mcp"
    server = {"type": "stdio", "command": where.program.words[0], "args": ["mcp"], "env": {}}
    own.write_text(json.dumps({"projects": {str(where.root): {"mcpServers": {"repomem": server}}}}))
    assert states(where, "claude-code", ".claude.json") == {"installed"}
    file = report_on(uninstall(where, ("claude-code",)), ".claude.json")
    assert file.by_hand == "claude mcp remove --scope local repomem"
    own.write_bytes(before)
    assert report_on(uninstall(where, ("claude-code",)), ".claude.json").by_hand == ""
    assert own.read_bytes() == before


def test_codex_hooks_are_untrusted_until_their_user_approved_them(where: InstallTarget) -> None:
    assert not status(where, ("codex",))[0].notes
    [report] = install(where, ("codex",))
    assert "run /hooks" in report.steps[0]
    [note] = status(where, ("codex",))[0].notes
    assert note.startswith("untrusted: open Codex in this folder, trust the project, run /hooks and approve")
    hooks = target_of(where, "codex", "hooks.json").path
    events = ("session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use", "post_compact", "stop")
    keys = [f"{event}:0:0" for event in (*events, "subagent_start")] + ["pre_tool_use:1:0"]
    config = where.home / ".codex" / "config.toml"
    config.parent.mkdir()
    approved = [f'[hooks.state."{hooks}:{key}"]\nenabled = true\ntrusted_hash = "sha256:1"\n' for key in keys]
    approved.insert(0, f'[projects."{where.root}"]\ntrust_level = "trusted"\n')
    config.write_text("".join(approved))
    assert status(where, ("codex",))[0].notes == ()
    config.write_text("".join(approved[1:]))
    assert (
        status(where, ("codex",))[0].notes[0].startswith("untrusted: open Codex in this folder and trust the project")
    )
    config.write_text("".join(approved[:4]))
    assert status(where, ("codex",))[0].notes[0].startswith("untrusted")
    config.write_text("".join(approved).replace("enabled = true", "enabled = false", 1))
    assert status(where, ("codex",))[0].notes[0].startswith("untrusted")
    config.write_text("[features]\nhooks = false\n" + "".join(approved))
    assert "runs no hooks" in status(where, ("codex",))[0].notes[0]
    config.write_text("[")
    assert "cannot tell" in status(where, ("codex",))[0].notes[0]


def test_next_steps_for_a_user_name_no_project(where: InstallTarget) -> None:
    for report in install(replace(where, root=None), ("claude-code", "codex", "gemini", "copilot")):
        text = " ".join(report.steps)
        assert "--user" not in text
        assert "trust" not in text
        assert bool(report.steps) == (report.name in {"claude-code", "codex"})


@pytest.mark.parametrize(
    ("rules", "is_trusted"),
    [
        ({}, False),
        ({"": "TRUST_FOLDER"}, True),
        ({"..": "TRUST_FOLDER"}, True),
        ({"inner": "TRUST_PARENT"}, True),
        ({"..": "TRUST_FOLDER", "": "DO_NOT_TRUST"}, False),
        ({"inner": "TRUST_FOLDER"}, False),
    ],
    ids=["no rule", "the folder", "around it", "the parent", "the nearer rule", "only within"],
)
def test_gemini_runs_nothing_in_a_folder_that_its_user_does_not_trust(
    where: InstallTarget, rules: dict[str, str], is_trusted: bool
) -> None:
    assert where.root
    assert not status(where, ("gemini",))[0].notes
    install(where, ("gemini",))
    folder = where.home / ".gemini"
    folder.mkdir(exist_ok=True)
    known = {str((where.root / path).resolve()): level for path, level in rules.items()}
    (folder / "trustedFolders.json").write_text(json.dumps(known))
    told = [note for note in status(where, ("gemini",))[0].notes if note.startswith("untrusted: open Gemini CLI")]
    assert bool(told) is not is_trusted
    (folder / "settings.json").write_text('{"security": {"folderTrust": {"enabled": false}}}')
    assert not status(where, ("gemini",))[0].notes


def test_a_project_install_lists_the_files_that_contain_a_path(where: InstallTarget) -> None:
    assert where.root
    subprocess.run(["git", "init", "-q"], cwd=where.root, check=True)
    [report] = install(where, ("copilot",))
    assert report.notes[0].endswith(": .github/hooks/repomem.json, .vscode/mcp.json")
    [report] = install(replace(where, root=None), ("copilot",))
    assert report.notes == ()
    [report] = install(where, ("copilot",))
    assert "may run twice" in report.notes[1]


def test_copilot_says_that_it_runs_the_hooks_of_claude_code(where: InstallTarget) -> None:
    install(where, ("claude-code",))
    [report] = install(where, ("copilot",))
    assert report.notes[-1].startswith("in VS Code, it runs the hooks of Claude Code")


def test_the_hosts_use_every_file_format(where: InstallTarget) -> None:
    forms = {target.form for host in HOSTS.values() for target in host.targets(where)}
    assert forms == set(Form)


def test_the_program_is_the_script_beside_the_interpreter_if_there_is_one(tmp_path: Path) -> None:
    python = tmp_path / "python3"
    assert this_program(str(python)).words == (str(python), "-P", "-m", "repomem")
    (tmp_path / "repomem").write_text("")
    assert this_program(str(python)).words == (str(tmp_path / "repomem"),)


def test_a_path_that_no_settings_file_can_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ForeignError, match="settings files cannot contain the path"):
        this_program(str(tmp_path / "new\nline" / "python3"))


@pytest.mark.parametrize(
    ("line", "is_ours"),
    [
        ("/opt/venv/bin/repomem hook stop --host codex", True),
        ("'/opt/my venv/bin/repomem' hook stop --host codex", True),
        ("C:/tools/repomem.exe hook stop --host codex", True),
        ("/usr/bin/python3 -P -m repomem hook stop --host codex", True),
        ("uvx repomem hook stop", True),
        ("repomem hook 'stop", False),
        ("repomem hook stop 'x", True),  # its quotes are broken, but not ours
        ("/opt/not-repomem hook stop", False),
        ("/opt/repomem-tools/hook stop", False),
        ("echo repomem; hook stop", False),
        ("repomem recall", False),
    ],
)
def test_entries_are_recognised_by_their_command(line: str, is_ours: bool) -> None:
    value = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": line}]}]}}
    assert [own.place for own in own_entries(value)] == ([("hooks", "Stop", 0)] if is_ours else [])


@pytest.mark.parametrize("server", ["x", [], {}, {"command": 1}, {"command": "/gone/repomem", "args": "mcp"}])
def test_a_malformed_server_with_our_name_is_replaced(where: InstallTarget, server: Any) -> None:
    path = put(
        target_of(where, "cursor", "mcp.json"), json.dumps({"mcpServers": {"repomem": server, "a": {}}}).encode()
    )
    assert states(where, "cursor", "mcp.json") == {"broken"}
    install(where, ("cursor",))
    assert states(where, "cursor", "mcp.json") == {"installed"}
    uninstall(where, ("cursor",))
    assert read(path) == {"mcpServers": {"a": {}}}


# --- the plugin for OpenCode, where there is a program that runs it ------------------------------------------------

HOST_OF_PLUGIN = """
import { Repomem } from "./repomem.mjs"
const plugin = await Repomem({ directory: "/tmp", worktree: "/" })
const seen = []
async function say(text) {
  const parts = [{ type: "text", text }, { type: "text", text: "x", synthetic: true }]
  const output = { message: { id: "m1" }, parts }
  await plugin["chat.message"]({ sessionID: "s1" }, output)
  seen.push(parts.slice(2).map((part) => [part.text, part.synthetic, part.id.slice(0, 4), part.messageID]))
}
await say("first")
await say("second")
await plugin["experimental.session.compacting"]({ sessionID: "s1" }, { context: [] })
await plugin.event({ event: { type: "session.compacted", properties: { sessionID: "s1" } } })
await say("third")
await plugin["tool.execute.after"]({ tool: "edit", sessionID: "s1", args: { filePath: "/tmp/a.py" } }, {})
await plugin["tool.execute.after"]({ tool: "read", sessionID: "s1", args: { filePath: "/tmp/b.py" } }, {})
await plugin.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
await plugin.event({ event: {} })
await plugin.event({})
await plugin["tool.execute.after"](undefined)
await plugin["chat.message"](undefined, undefined)
console.log(JSON.stringify(seen))
"""


def without_types(plugin: str) -> bytes:
    """The plugin as JavaScript: without annotations, and without what is imported for them."""
    content = plugin.encode()
    import tree_sitter_typescript

    tree = Parser(Language(tree_sitter_typescript.language_typescript())).parse(content)
    spans, nodes = [], [tree.root_node]
    while nodes:
        node = nodes.pop()
        if node.type in ("type_annotation", "type_arguments") or (node.text or b"").startswith(b"import type "):
            spans.append((node.start_byte, node.end_byte))
        else:
            nodes += node.children
    for start, end in sorted(spans, reverse=True):
        content = content[:start] + content[end:]
    return content


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no program here that runs it")
def test_the_plugin_asks_for_a_brief_once_a_session_and_never_throws(where: InstallTarget, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    program = Path(where.program.words[0])
    program.write_text(f'#!/bin/sh\nread -r said\necho "$* $said" >>{calls}\n[ "$2" = session-start ] && echo brief\n')
    plugin = target_of(where, "opencode", "repomem.ts").text
    (tmp_path / "repomem.mjs").write_bytes(without_types(plugin))
    (tmp_path / "host.mjs").write_text(HOST_OF_PLUGIN)
    done = subprocess.run(["node", "host.mjs"], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    brief = ["brief", True, "prt_", "m1"]
    assert json.loads(done.stdout) == [[brief], [], [brief]]
    said = sorted(calls.read_text().splitlines())
    events = [line.split()[1] for line in said]
    assert events == ["edit", "pre-compact", "prompt", "prompt", "prompt", "session-start", "session-start", "stop"]
    assert '"file_path":"/tmp/a.py"' in said[0]
    assert [word in said[at] for at, word in ((2, "first"), (5, '"compact"'), (6, '"startup"'))] == [True] * 3
    assert all('"cwd":"/tmp"' in line and "--host opencode" in line for line in said)


HOST_OF_SUBAGENT = """
import { Repomem } from "./repomem.mjs"
const plugin = await Repomem({ directory: "/tmp", worktree: "/" })
const created = { sessionID: "c1", info: { id: "c1", parentID: "s1" } }
await plugin.event({ event: { type: "session.created", properties: created } })
const given = []
for (const text of ["survey the tests", "go on"]) {
  const parts = [{ type: "text", text }]
  await plugin["chat.message"]({ sessionID: "c1" }, { message: { id: "m1" }, parts })
  given.push(parts.slice(1).map((part) => part.text))
}
await plugin["tool.execute.after"]({ tool: "edit", sessionID: "c1", args: { filePath: "/tmp/a.py" } }, {})
await plugin.event({ event: { type: "session.idle", properties: { sessionID: "c1" } } })
console.log(JSON.stringify(given))
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no program here that runs it")
def test_the_plugin_asks_for_a_sub_agents_brief_once_in_the_name_of_its_session(
    where: InstallTarget, tmp_path: Path
) -> None:
    calls = tmp_path / "calls"
    program = Path(where.program.words[0])
    program.write_text(f'#!/bin/sh\nread -r said\necho "$* $said" >>{calls}\n[ "$2" = subagent-start ] && echo brief\n')
    (tmp_path / "repomem.mjs").write_bytes(without_types(target_of(where, "opencode", "repomem.ts").text))
    (tmp_path / "host.mjs").write_text(HOST_OF_SUBAGENT)
    done = subprocess.run(["node", "host.mjs"], cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, json.loads(done.stdout)) == (0, [["brief"], []]), done.stderr.decode()
    edit, start = sorted(calls.read_text().splitlines())
    assert [line.split()[1] for line in (edit, start)] == ["edit", "subagent-start"]
    assert all('"session_id":"s1"' in line and '"agent_id":"c1"' in line for line in (edit, start))
    assert '"prompt":"survey the tests"' in start


@pytest.mark.parametrize(
    ("number", "hint"), [(errno.ENOSPC, "free some space"), (errno.EROFS, "make the file system writable")]
)
@pytest.mark.parametrize(
    "function", ["repomem.adapters.settings.files.move_over", "repomem.agents.edit_backups.replace_file"]
)
def test_the_hint_for_a_failed_write_fits_its_cause(
    where: InstallTarget, monkeypatch: pytest.MonkeyPatch, function: str, number: int, hint: str
) -> None:
    put(target_of(where, "codex", "hooks.json"), b"{}")

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(function, refuse)
    file = report_on(install(where, ("codex",)), "hooks.json")
    assert (file.action, file.hint.partition(" and run")[0]) == ("refused", hint)


# --- out of commits ------------------------------------------------------------------------------------------------


def test_files_with_this_machines_path_are_kept_out_of_commits_as_long_as_they_hold_it(where: InstallTarget) -> None:
    assert where.root
    exclude = where.root / ".git" / "info" / "exclude"
    exclude.parent.mkdir(parents=True, exist_ok=True)
    exclude.write_text("*.log\n")
    subprocess.run(["git", "init", "-q"], cwd=where.root, check=True)
    install(where, ("claude-code", "codex"))
    install(where, ("codex",))
    assert exclude.read_text().splitlines() == [
        "*.log",
        "",
        "# repomem:start",
        "/.claude/settings.local.json",
        "/.codex/config.toml",
        "/.codex/hooks.json",
        "# repomem:end",
    ]
    listed = subprocess.run(["git", "status", "--short", "-uall"], cwd=where.root, check=True, capture_output=True)
    assert listed.stdout == b""
    uninstall(where, ("claude-code",))
    assert "claude" not in exclude.read_text()
    uninstall(where)
    assert exclude.read_text() == "*.log\n"


def test_only_files_that_git_ignores_now_are_reported_so(where: InstallTarget) -> None:
    assert where.root
    subprocess.run(["git", "init", "-q"], cwd=where.root, check=True)
    broken = where.root / ".claude" / "settings.local.json"
    broken.parent.mkdir()
    broken.write_text('{"hooks": [')
    claude, codex = install(where, ("claude-code", "codex"))
    assert claude.notes == ()
    assert codex.notes[0].endswith(": .codex/hooks.json, .codex/config.toml")
    exclude = where.root / ".git" / "info" / "exclude"
    exclude.unlink()
    exclude.mkdir()
    assert install(where, ("codex",))[0].notes == ()


def test_files_that_git_tracks_are_reported_as_such(where: InstallTarget) -> None:
    assert where.root
    subprocess.run(["git", "init", "-q"], cwd=where.root, check=True)
    put(target_of(where, "gemini", "settings.json"), b"{}")
    put(target_of(where, "codex", "hooks.json"), b"{}")
    subprocess.run(["git", "add", "-A"], cwd=where.root, check=True)
    codex, gemini = install(where, ("codex", "gemini"))
    tracked = "do not commit repomem's lines, which contain this machine's path"
    assert gemini.notes == (f"git tracks .gemini/settings.json: {tracked}",)
    assert codex.notes[0].endswith(": .codex/config.toml")
    assert codex.notes[1] == f"git tracks .codex/hooks.json: {tracked}"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_file_behind_a_link_is_kept_out_of_commits(where: InstallTarget) -> None:
    assert where.root
    subprocess.run(["git", "init", "-q"], cwd=where.root, check=True)
    link = target_of(where, "cursor", "mcp.json").path
    link.parent.mkdir(parents=True)
    (where.root / "shared.json").write_text("{}\n")
    link.symlink_to("../shared.json")
    install(where, ("cursor",))
    listed = subprocess.run(["git", "status", "--short", "-uall"], cwd=where.root, check=True, capture_output=True)
    assert listed.stdout.decode().split() == ["??", ".cursor/mcp.json", "??", ".cursor/rules/repomem.mdc"]
