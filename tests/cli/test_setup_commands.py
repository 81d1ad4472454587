"""From nothing to useful and back: what `init` changes, what `uninstall` leaves, and what `doctor` sees in between."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from support.command_line import Ended, Place, on_terminal

from repomem.core.processes.background import PROGRAM
from repomem.core.processes.locks import try_lock

KEPT = "The ledger sorts accounts by name"
IMPATIENT = """
import repomem.setup.removal as removal
removal.WAIT = 0.2
from repomem.__main__ import main
main()
"""


def home(place: Place) -> Path:
    return Path(place.environment["HOME"])


def files_below(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes, but for git's own objects and repomem's folder."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    names = {str(path.relative_to(folder)): path for path in found}
    return {name: path.read_bytes() for name, path in names.items() if ".git/repomem/" not in name}


def with_hosts(place: Place, *names: str) -> None:
    """Let these hosts have been used on this machine."""
    for name in names:
        (home(place) / name).mkdir(parents=True)


def findings(place: Place, *options: str, env: Mapping[str, str] | None = None) -> dict[str, tuple[str, str]]:
    """What doctor says: name to state and text, the worst of each name."""
    ended = place.run("doctor", "--format", "json", *options, env=env)
    found: dict[str, tuple[str, str]] = {}
    for one in json.loads(ended.out)["findings"]:
        if found.get(one["name"], ("ok", ""))[0] != "broken":
            found[one["name"]] = (one["state"], one["text"])
    return found


def test_init_indexes_installs_hooks_and_sets_up_the_named_agents(ledgerly: Place) -> None:
    ended = ledgerly.run("init", "--agent", "claude-code")
    assert ended.code == 0
    assert ended.out == ledgerly.run("recall").out
    said = ended.err.splitlines()
    assert said[0].startswith("index: ")
    assert said[1].startswith("git hooks installed: post-checkout, post-commit, post-merge, post-rewrite")
    assert said[-1].startswith("undo: repomem uninstall")
    settings = json.loads((ledgerly.folder / ".claude" / "settings.local.json").read_text())
    assert list(settings["hooks"]) == [
        *("SessionStart", "UserPromptSubmit", "PreToolUse", "SubagentStart", "PostToolUse", "PostToolUseFailure"),
        *("PreCompact", "Stop"),
    ]
    assert (ledgerly.folder / ".git" / "hooks" / "post-commit").is_file()


def test_after_init_the_index_has_the_agents_files_and_the_user_knows_which_git_shows(ledgerly: Place) -> None:
    ended = ledgerly.run("init", "--agent", "copilot")
    listed = "not ignored by git, to commit if your team wants it: .github/copilot-instructions.md"
    assert listed in ended.err
    assert "ok: index: up to date" in ledgerly.run("doctor").out
    assert listed not in ledgerly.run("agents", "install", "copilot").out


def test_init_refuses_an_unknown_agent_before_it_changes_anything(ledgerly: Place) -> None:
    ended = ledgerly.run("init", "--agent", "emacs", "--yes")
    assert (ended.code, ended.out, ended.err.splitlines()[0]) == (1, "", "error: unknown agent 'emacs'")
    assert not (ledgerly.folder / ".git" / "repomem").exists()
    assert not (ledgerly.folder / ".git" / "hooks" / "post-commit").exists()


def test_without_a_terminal_init_reports_agents_but_does_not_set_them_up(ledgerly: Place) -> None:
    with_hosts(ledgerly, ".claude")
    ended = ledgerly.run("init")
    assert (
        "agents: Claude Code was found, but not set up; set it up with: repomem agents install claude-code" in ended.err
    )
    assert not (ledgerly.folder / ".claude").exists()


def test_an_agent_that_is_set_up_is_not_asked_about_again(ledgerly: Place) -> None:
    with_hosts(ledgerly, ".claude")
    ledgerly.run("agents", "install", "claude-code")
    ended = ledgerly.run("init")
    assert "agents: Claude Code is already set up\n" in ended.err
    assert "was found, but not set up" not in ended.err


def test_a_question_about_the_users_settings_says_so(ledgerly: Place) -> None:
    with_hosts(ledgerly, ".claude")
    ended = ledgerly.run("init", "--user")
    assert "set it up with: repomem agents install claude-code --user\n" in ended.err
    question = "Set up Claude Code for all your repositories? [y/N]"
    assert question in on_terminal(ledgerly, "init", "--user", keys={question: "n\n"})


def test_in_a_bare_repository_the_users_settings_change_only_when_asked(ledgerly: Place) -> None:
    bare = Place(ledgerly.folder.with_name("bare.git"), ledgerly.environment)
    subprocess.run(["git", "clone", "-q", "--bare", ledgerly.folder, bare.folder], check=True)
    with_hosts(bare, ".claude", ".gemini")
    before = files_below(home(bare))
    ended = bare.run("init", "--yes")
    assert "agents: none set up: a bare repository has no worktree for their settings\n" in ended.err
    assert {name for name in files_below(home(bare)) if name.startswith((".claude", ".gemini"))} <= set(before)
    ended = bare.run("init", "--agent", "gemini")
    assert (
        ended.err
        == "error: a bare repository has no worktree for agent settings\nhint: install for your user: --user\n"
    )
    assert bare.run("init", "--agent", "gemini", "--user").code == 0
    settings = home(bare) / ".gemini" / "settings.json"
    assert bare.run("uninstall", "--yes").code == 0
    assert settings.is_file()
    assert bare.run("uninstall", "--yes", "--user").code == 0
    assert not settings.exists()


def test_init_continues_without_a_missing_model(ledgerly: Place) -> None:
    ended = ledgerly.run("init", "--yes", env={"REPOMEM_EMBEDDING_MODEL": "model2vec:/nowhere/model"})
    assert ended.code == 0
    assert "vectors: there is no model in /nowhere/model" in ended.err
    assert "git hooks installed: " in ended.err


def test_uninstall_restores_every_file_and_keeps_memories(ledgerly: Place) -> None:
    with_hosts(ledgerly, ".claude", ".codex", ".gemini", ".cursor")
    (ledgerly.folder / ".gemini").mkdir()
    (ledgerly.folder / ".gemini" / "settings.json").write_text('{"theme": "dark"}')
    before = files_below(ledgerly.folder)
    ledgerly.run("init", "--yes")
    assert len(files_below(ledgerly.folder)) > len(before)
    ledgerly.run("remember", KEPT)
    ended = ledgerly.run("uninstall", "--yes")
    assert ended.code == 0, ended.err
    assert files_below(ledgerly.folder) == before
    assert {path.name for path in (ledgerly.folder / ".git" / "repomem").iterdir()} == {
        "binding",
        "identity",
        "ledger",
        "ledger.lock",
    }
    assert KEPT in ledgerly.run("recall").out


def test_uninstall_deletes_the_data_folder_if_no_memory_was_recorded(ledgerly: Place) -> None:
    ledgerly.run("index")
    folder = ledgerly.folder / ".git" / "repomem"
    assert ledgerly.run("uninstall", "--yes").err == f"deleted: {folder}\n"
    assert not folder.exists()


def test_uninstall_removes_exported_rules_from_every_file(ledgerly: Place) -> None:
    (ledgerly.folder / "CLAUDE.md").write_text("# Ours")
    before = files_below(ledgerly.folder)
    on_terminal(ledgerly, "remember", "--kind", "rule", KEPT)
    for name in ("CLAUDE.md", "AGENTS.md", ".cursor/rules/repomem.mdc"):
        assert ledgerly.run("export", "--to", name).code == 0
    path = ledgerly.folder / "CLAUDE.md"
    path.write_text(path.read_text().replace(KEPT, f"Never: {KEPT}"))
    ended = ledgerly.run("uninstall", "--yes")
    assert "saved from CLAUDE.md: " in ended.err
    assert "exported rules: removed from CLAUDE.md\n" in ended.err
    assert "stays" not in ended.err
    assert files_below(ledgerly.folder) == before
    assert not (ledgerly.folder / ".cursor").exists()


def test_uninstall_with_the_ledger_erases_all_memories(ledgerly: Place) -> None:
    ledgerly.run("init")
    ledgerly.run("remember", KEPT)
    ledgerly.run("uninstall", "--yes", "--ledger")
    left = [path for folder in (ledgerly.folder, home(ledgerly)) for path in folder.rglob("*") if path.is_file()]
    assert [path for path in left if KEPT.encode() in path.read_bytes()] == []
    assert not (ledgerly.folder / ".git" / "repomem").exists()


def test_uninstall_with_the_ledger_asks_about_the_memories_of_this_repository_alone(ledgerly: Place) -> None:
    ledgerly.run("init")
    asked = on_terminal(ledgerly, "uninstall", "--ledger", typed="n\n")
    assert "every copy of this repository's memories (not of --mine ones)?" in " ".join(asked.split())
    assert "nothing was removed" in asked


def test_uninstall_with_the_ledger_leaves_rules_that_a_person_edited(ledgerly: Place) -> None:
    on_terminal(ledgerly, "remember", "--kind", "rule", KEPT)
    for name in ("AGENTS.md", "CLAUDE.md"):
        assert ledgerly.run("export", "--to", name).code == 0
    path = ledgerly.folder / "AGENTS.md"
    path.write_text(path.read_text().replace(KEPT, f"Never: {KEPT}"))
    ended = ledgerly.run("uninstall", "--yes", "--ledger")
    assert "AGENTS.md was left alone: a person edited its rules" in ended.err
    assert "saved from" not in ended.err
    assert f"Never: {KEPT}" in path.read_text()
    assert not (ledgerly.folder / "CLAUDE.md").exists()


def test_uninstall_in_a_pipe_needs_yes(ledgerly: Place) -> None:
    ledgerly.run("init")
    ended = ledgerly.run("uninstall")
    assert (ended.code, ended.err) == (
        1,
        "error: uninstall asks for confirmation, and this is not a terminal\nhint: add --yes to skip the question\n",
    )
    assert (ledgerly.folder / ".git" / "repomem" / "catalog.sqlite").is_file()


def test_a_no_on_a_terminal_ends_uninstall_without_an_error(ledgerly: Place) -> None:
    assert "nothing was removed" in on_terminal(ledgerly, "uninstall", typed="n\n")


def test_uninstall_names_each_deleted_copy_of_the_memories(ledgerly: Place) -> None:
    ledgerly.run("remember", "we retry three times")
    ended = ledgerly.run("uninstall", "--yes", "--ledger")
    deleted = [Path(line.removeprefix("deleted: ")) for line in ended.err.splitlines() if line.startswith("deleted: ")]
    assert len(deleted) == 2
    assert not any((folder / "ledger.jsonl").exists() for folder in deleted)


def test_init_is_idempotent(ledgerly: Place) -> None:
    ledgerly.run("init", "--agent", "gemini", "--agent", "codex")
    first = files_below(ledgerly.folder)
    for _ in range(3):
        ledgerly.run("init", "--agent", "gemini", "--agent", "codex")
    assert files_below(ledgerly.folder) == first


def test_doctor_finds_nothing_wrong_with_what_init_set_up(ledgerly: Place) -> None:
    ledgerly.run("init", "--agent", "claude-code")
    found = findings(ledgerly)
    assert {name: state for name, (state, _) in found.items() if state == "broken"} == {}
    assert found["claude-code"][1].startswith("its hook has not run here yet")
    assert ledgerly.run("doctor").code == 0


def test_doctor_misses_the_hook_for_sub_agents_that_an_older_version_did_not_install(ledgerly: Place) -> None:
    ledgerly.run("init", "--agent", "claude-code")
    path = ledgerly.folder / ".claude" / "settings.local.json"
    settings = json.loads(path.read_text())
    del settings["hooks"]["SubagentStart"]
    path.write_text(json.dumps(settings))
    state, text = findings(ledgerly)["claude-code"]
    assert (state, text.split(" in ")[0]) == ("broken", "subagent-start hook")
    assert findings(ledgerly, "--fix")["claude-code"][0] == "note"
    assert "SubagentStart" in json.loads(path.read_text())["hooks"]


def test_doctor_reports_codex_hooks_that_await_approval(ledgerly: Place) -> None:
    ledgerly.run("init", "--agent", "codex")
    found = json.loads(ledgerly.run("doctor", "--format", "json").out)["findings"]
    told = [one["text"][:40] for one in found if (one["name"], one["state"]) == ("codex", "broken")]
    assert told == ["untrusted: open Codex in this folder, tr"]
    assert ledgerly.run("doctor").code == 1


def test_doctor_reports_a_git_hook_that_does_not_run(ledgerly: Place) -> None:
    ledgerly.run("init")
    ledgerly.git("config", "core.hooksPath", ".husky/_")
    state, text = findings(ledgerly)["git hooks"]
    assert (state, "does not run" in text) == ("note", True)


def test_doctor_reports_and_repairs_a_hook_whose_program_is_gone(ledgerly: Place) -> None:
    ledgerly.run("init", "--agent", "gemini")
    for path in (ledgerly.folder / ".git" / "hooks" / "post-commit", ledgerly.folder / ".gemini" / "settings.json"):
        path.write_text(path.read_text().replace(str(Path(sys.executable).parent), "/gone"))
    found = findings(ledgerly)
    assert (found["git hooks"][0], found["gemini"][0]) == ("broken", "broken")
    mended = findings(ledgerly, "--fix")
    assert (mended["git hooks"][0], mended["gemini"][0]) == ("ok", "note")


@pytest.mark.parametrize(
    "name", [".claude.json", ".claude/settings.json", ".codex/config.toml", ".gemini/settings.json"]
)
def test_doctor_fix_sets_up_no_host_whose_user_settings_are_unreadable(ledgerly: Place, name: str) -> None:
    path = home(ledgerly) / name
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"cut": [')
    before = files_below(ledgerly.folder)
    assert {"claude-code", "codex", "gemini"}.isdisjoint(findings(ledgerly, "--fix"))
    assert files_below(ledgerly.folder) == before


def test_doctor_reports_a_settings_file_that_it_cannot_check(ledgerly: Place) -> None:
    ledgerly.run("init", "--agent", "claude-code")
    settings = ledgerly.folder / ".claude" / "settings.local.json"
    settings.write_text(settings.read_text()[:-20])
    state, text = findings(ledgerly)["claude-code"]
    assert (state, text.partition(": ")[0]) == ("broken", f"{settings} cannot be checked")


def test_doctor_reports_another_programs_server_with_our_name_and_leaves_it(ledgerly: Place) -> None:
    ledgerly.run("init", "--agent", "cursor")
    servers = ledgerly.folder / ".cursor" / "mcp.json"
    servers.write_text(json.dumps({"mcpServers": {"repomem": {"command": "npx", "args": ["repomem"]}}}))
    before = servers.read_bytes()
    for options in ((), ("--fix",)):
        state, text = findings(ledgerly, *options)["cursor"]
        assert (state, "another program has this name" in text) == ("broken", True)
    assert servers.read_bytes() == before


def test_doctor_finds_a_table_that_was_deleted_and_rebuilds_it(ledgerly: Place) -> None:
    ledgerly.run("init")
    [table] = (ledgerly.folder / ".git" / "repomem" / "store").glob("chunks*.lance")
    shutil.rmtree(table)
    assert findings(ledgerly)["tables"][0] == "broken"
    assert findings(ledgerly, "--fix")["tables"][0] == "ok"
    assert findings(ledgerly)["tables"][0] == "ok"


def test_doctor_finds_and_repairs_a_damaged_ledger(ledgerly: Place) -> None:
    ledgerly.run("init")
    ledgerly.run("remember", KEPT)
    with (ledgerly.folder / ".git" / "repomem" / "ledger").open("ab") as file:
        file.write(b"00000000 torn")
    assert findings(ledgerly)["ledger"][0] == "broken"
    assert findings(ledgerly, "--fix")["ledger"][0] == "ok"
    assert KEPT in ledgerly.run("recall").out


def test_records_of_another_clone_are_not_reported_as_damage(ledgerly: Place) -> None:
    first, second = (Place(ledgerly.folder.with_name(name), ledgerly.environment) for name in ("first", "second"))
    for clone in (first, second):
        subprocess.run(["git", "clone", "-q", ledgerly.folder, clone.folder], check=True)
        assert clone.run("remember", f"{KEPT}, as the {clone.folder.name} clone says").code == 0

    ended = first.run("doctor")
    assert ended.code == 0
    assert "lacks 1 record of another copy" in ended.out
    assert first.run("ledger", "verify").code == 0
    assert findings(first)["ledger"][0] == "ok"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_doctor_reports_a_read_only_data_folder(ledgerly: Place) -> None:
    ledgerly.run("init")
    folder = ledgerly.folder / ".git" / "repomem"
    folder.chmod(0o500)
    try:
        assert findings(ledgerly)["folder"][0] == "note"
    finally:
        folder.chmod(0o700)


def test_doctor_works_where_nothing_is_indexed(ledgerly: Place) -> None:
    ended: Ended = ledgerly.run("doctor")
    assert ended.code == 0
    assert "index: not built yet → repomem index" in ended.out
    assert not [line for line in ended.out.splitlines() if " store: " in line or " tables: " in line]
    assert "search by meaning starts after the first index run" in ledgerly.run("status").out


def test_doctor_counts_records_and_copies(ledgerly: Place) -> None:
    ledgerly.run("remember", KEPT)
    assert findings(ledgerly)["ledger"] == ("ok", "1 record, the same in 2 copies")


def test_uninstall_ends_a_background_index_run_first(ledgerly: Place, tmp_path: Path) -> None:
    ledgerly.run("init")
    slow = tmp_path / "slow" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 300\n")
    slow.chmod(0o755)
    waiting = {**ledgerly.environment, "PATH": f"{slow.parent}:{os.environ['PATH']}"}
    run = subprocess.Popen([*PROGRAM, "index", "--quiet"], cwd=ledgerly.folder, env=waiting, start_new_session=True)
    try:
        ended = ledgerly.run("uninstall", "--yes")
        assert (ended.code, run.wait(10)) == (0, -signal.SIGTERM)
    finally:
        run.kill()


def test_uninstall_removes_nothing_during_a_manual_index_run(ledgerly: Place) -> None:
    ledgerly.run("init", "--agent", "claude-code")
    before = files_below(ledgerly.folder)
    with try_lock(ledgerly.folder / ".git" / "repomem" / "index.lock") as is_held:
        assert is_held
        ended = ledgerly.run("uninstall", "--yes", script=IMPATIENT)
    assert (ended.code, files_below(ledgerly.folder)) == (1, before)
    assert "an index run is still in progress, so nothing was removed" in ended.err


def test_a_second_uninstall_claims_to_have_removed_nothing(ledgerly: Place) -> None:
    ledgerly.run("init")
    ledgerly.run("remember", KEPT)
    ledgerly.run("uninstall", "--yes")
    again = ledgerly.run("uninstall", "--yes")
    assert again.code == 0
    assert "deleted" not in again.err
    assert again.err.startswith("nothing to remove: repomem is not set up here\nkept: your memories")


def test_uninstall_reports_that_the_users_part_of_a_file_stays(ledgerly: Place) -> None:
    (ledgerly.folder / "AGENTS.md").write_text("Be kind.\n")
    ledgerly.run("init", "--agent", "agents-md")
    ended = ledgerly.run("uninstall", "--yes")
    assert "AGENTS.md: repomem's entries removed; the rest of the file stays" in ended.err
    assert (ledgerly.folder / "AGENTS.md").read_text() == "Be kind.\n"


@pytest.mark.parametrize("text", ["*.log", "*.log\n", "*.log\n\n", "\n", ""])
def test_uninstall_restores_git_info_exclude_byte_for_byte(ledgerly: Place, text: str) -> None:
    exclude = ledgerly.folder / ".git" / "info" / "exclude"
    exclude.write_text(text)
    ledgerly.run("init", "--agent", "claude-code")
    assert "# repomem:start" in exclude.read_text()
    ledgerly.run("uninstall", "--yes")
    assert exclude.read_text() == text


def test_the_printed_next_steps_contain_the_path_of_this_program(ledgerly: Place) -> None:
    said = ledgerly.run("agents", "install", "copilot").out
    assert "copilot mcp add repomem -- PROGRAM" not in said
    assert "copilot mcp add repomem -- /" in said


def test_status_reports_existing_worktrees_and_a_merge(ledgerly: Place, tmp_path: Path) -> None:
    ledgerly.run("index")
    assert "merge" not in ledgerly.run("status").out
    for name in ("one", "two"):
        ledgerly.git("worktree", "add", "-q", "-b", name, str(tmp_path / name))
        replace(ledgerly, folder=tmp_path / name).run("index")
    ledgerly.git("worktree", "remove", str(tmp_path / "one"))
    (ledgerly.folder / ".git" / "MERGE_HEAD").touch()  # what git leaves while conflicts are resolved
    said = dict(line.split(": ", 1) for line in ledgerly.run("status").out.splitlines())
    assert said["merge"].startswith("in progress")
    assert said["other worktrees"] == str(tmp_path / "two")
