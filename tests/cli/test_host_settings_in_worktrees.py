"""Settings of agent hosts in the worktrees of one clone: a new one gets those of the others, and all lose them."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from support.command_line import Place

CLAUDE = ".claude/settings.local.json"
CODEX = (".codex/config.toml", ".codex/hooks.json")
SAID = "set up here as in the clone's other worktrees: "


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def new_worktree(place: Place, name: str = "wt") -> Place:
    folder = place.folder.parent / name
    git(place.folder, "worktree", "add", "--quiet", "--detach", str(folder))
    return replace(place, folder=folder)


def settings_of(place: Place) -> set[str]:
    below = (path for name in (".claude", ".codex") for path in (place.folder / name).rglob("*") if path.is_file())
    return {path.relative_to(place.folder).as_posix() for path in below}


@pytest.fixture
def worktree(ledgerly: Place) -> Place:
    """A new worktree of a clone with Claude Code and Codex."""
    ledgerly.run("index")
    ledgerly.run("agents", "install", "claude-code", "codex")
    return new_worktree(ledgerly)


def test_a_new_worktree_gets_the_clones_agent_settings_hidden_from_git(ledgerly: Place, worktree: Place) -> None:
    ended = worktree.run("index", "--quiet")
    assert (ended.code, ended.out) == (0, "")
    assert f"{SAID}claude-code, codex" in ended.err
    assert settings_of(worktree) == {CLAUDE, *CODEX}
    assert (worktree.folder / CLAUDE).read_bytes() == (ledgerly.folder / CLAUDE).read_bytes()
    assert git(worktree.folder, "status", "--porcelain") == git(ledgerly.folder, "status", "--porcelain") == ""
    states = {one.strip() for one in worktree.run("agents", "status", "claude-code").out.splitlines()}
    assert f"{CLAUDE}: installed" in states


def test_a_worktree_gets_agent_settings_only_once(worktree: Place) -> None:
    worktree.run("index")
    worktree.run("agents", "uninstall", "claude-code")
    assert SAID not in worktree.run("index").err
    assert settings_of(worktree) == set(CODEX)


def test_an_existing_settings_file_is_left_alone(ledgerly: Place, worktree: Place) -> None:
    own = worktree.folder / CODEX[0]
    own.parent.mkdir()
    own.write_text('model = "own"\n')
    assert f"{SAID}claude-code\n" in worktree.run("index").err
    assert settings_of(worktree) == {CLAUDE, CODEX[0]}
    assert own.read_text() == 'model = "own"\n'


def test_a_link_out_of_the_worktree_is_not_followed(worktree: Place, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (worktree.folder / ".claude").symlink_to(outside)
    worktree.run("index")
    assert list(outside.iterdir()) == []


def test_a_folder_that_cannot_be_made_does_not_stop_the_index(worktree: Place) -> None:
    (worktree.folder / ".claude").write_text("a file")
    ended = worktree.run("index")
    assert (ended.code, (worktree.folder / ".claude").read_text()) == (0, "a file")
    assert f"{SAID}codex\n" in ended.err


def test_a_worktree_of_a_clone_without_agents_gets_no_settings(ledgerly: Place) -> None:
    ledgerly.run("index")
    worktree = new_worktree(ledgerly)
    assert SAID not in worktree.run("index").err
    assert settings_of(worktree) == set()


def test_doctor_names_the_hosts_of_other_worktrees(ledgerly: Place) -> None:
    ledgerly.run("index")
    worktree = new_worktree(ledgerly)
    worktree.run("index")
    ledgerly.run("agents", "install", "claude-code")
    said = worktree.run("doctor").out
    assert "set up in another worktree of this clone, not in this one" in said
    assert "repomem agents install claude-code" in said


def test_an_install_in_one_worktree_leaves_the_files_of_another_out_of_commits(ledgerly: Place) -> None:
    ledgerly.run("index")
    worktree = new_worktree(ledgerly)
    ledgerly.run("agents", "install", "codex")
    worktree.run("agents", "install", "claude-code")
    assert git(ledgerly.folder, "status", "--porcelain") == git(worktree.folder, "status", "--porcelain") == ""
    worktree.run("agents", "uninstall", "claude-code")
    assert git(ledgerly.folder, "status", "--porcelain") == ""


def test_uninstall_removes_the_settings_of_every_worktree(ledgerly: Place, worktree: Place) -> None:
    worktree.run("index")
    ended = ledgerly.run("uninstall", "--yes")
    assert ended.code == 0
    assert settings_of(ledgerly) == settings_of(worktree) == set()
    assert f"in the worktree {worktree.folder}:" in ended.err
