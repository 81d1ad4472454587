"""Git hooks put in and taken out: every kind of hook that may be there before, in every place where git may look."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.hook_scenes import NAME, Place, listed, until, written
from support.repositories import RunGit

from repomem.adapters.settings.git_hook_script import EVENTS
from repomem.setup.git_hooks import HookState

SHAPES = Path(__file__).parents[2] / "fixtures" / "hooks"
EXTENDED = ("pre-commit", "husky", "lefthook", "git-lfs", "exit-0", "exec", "set-e", "bash-strict", "shebang-alone")
LEFT_ALONE = ("python", "no-shebang", "verbose", "latin-1", "binary", "empty", "end-lost", "crlf", "link", "folder")
OTHER = ("absent", "no-folder", "read-only", "not-executable")
OF_THIS_CLONE = ("plain", "git-dir", "linked", "submodule", "bare")
OF_OTHERS = ("relative", "absolute", "global", "linked-folder")
STATES = dict.fromkeys((*EXTENDED, "absent", "no-folder"), HookState.INSTALLED)
STATES |= dict.fromkeys((*LEFT_ALONE, "read-only"), HookState.FOREIGN)
STATES |= {"not-executable": HookState.IGNORED}
GitPlace = Callable[[str], Place]


@pytest.fixture(scope="session")
def grounds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the places stand."""
    return tmp_path_factory.mktemp("hooks")


@pytest.fixture
def git_place(grounds: Path, run_git: RunGit, sealed_environment: Path) -> GitPlace:
    """One place, made by the first test that asks for it. Only its hooks differ from test to test."""

    def lend(name: str) -> Place:
        ground = grounds / name
        main = ground / NAME
        if not ground.exists():
            _made(run_git, name, ground, main)
        top, git_dir = {
            "linked": (ground / "tree", main / ".git"),
            "submodule": (ground / "super" / "sub one", ground / "super" / ".git" / "modules" / "sub one"),
            "bare": (ground / "tree", main),
        }.get(name, (main, main / ".git"))
        hooks = {
            "git-dir": git_dir / "our hooks",
            "relative": top / ".githooks",
            "absolute": ground / "elsewhere",
            "global": sealed_environment / "hooks of mine",
        }.get(name, git_dir / "hooks")
        if name == "global":
            run_git(top, "config", "--global", "core.hooksPath", str(hooks))
        return Place(top, hooks, git_dir / "repomem", ground / "stub", ground / "mark")

    return lend


def _made(run_git: RunGit, name: str, ground: Path, main: Path) -> None:
    ground.mkdir()
    written(ground / "stub", "#!/bin/sh\n", 0o755)  # once: a hook of an earlier test may still run it
    run_git(ground, "init", "-q", "--template=", *(["--bare"] if name == "bare" else []), str(main))
    tree = run_git(main, "mktree")
    run_git(main, "update-ref", "refs/heads/main", run_git(main, "commit-tree", "-m", "first", tree))
    if name in ("linked", "bare"):
        run_git(main, "worktree", "add", "-q", "-b", "work", str(ground / "tree"), "main")
    elif name == "submodule":
        run_git(ground, "init", "-q", "--template=", "super")
        run_git(ground / "super", "-c", "protocol.file.allow=always", "submodule", "-q", "add", str(main), "sub one")
    elif name == "linked-folder":
        (main / "scripts").mkdir()
        (main / ".git" / "hooks").symlink_to("../scripts")
    elif name in ("relative", "absolute", "git-dir"):
        path = {"relative": ".githooks", "absolute": ground / "elsewhere", "git-dir": main / ".git" / "our hooks"}
        run_git(main, "config", "core.hooksPath", str(path[name]))


def shaped(place: Place, shape: str) -> None:
    """Give the folder of hooks one post-commit of that shape, and no other."""
    real = place.hooks.resolve()
    shutil.rmtree(real, ignore_errors=True)
    for left in (place.mark, place.memory / "hooks.spool"):
        left.unlink(missing_ok=True)
    if shape == "no-folder":
        return
    real.mkdir(parents=True)
    hook = real / "post-commit"
    ordinary = (SHAPES / "exit-0").read_bytes()
    if shape in ("absent", "folder"):
        (hook if shape == "folder" else real / "kept").mkdir()
    elif shape == "crlf":
        written(hook, ordinary.replace(b"\n", b"\r\n"), 0o755)
    elif shape == "link":
        written(real / "shared", ordinary, 0o755)
        hook.symlink_to("shared")
    elif shape in OTHER:
        written(hook, ordinary, {"read-only": 0o555, "not-executable": 0o644}[shape])
    else:
        written(hook, (SHAPES / shape).read_bytes(), 0o751)
        written(real / "runner", (SHAPES / "runner").read_bytes())  # that of husky reads it


def ran(place: Place) -> tuple[tuple[int, bytes, bytes], bytes]:
    """How a commit ends, what it prints, and what the hook that was there before has to show."""
    return place.commit(), place.marks()


@pytest.mark.parametrize("name", OF_THIS_CLONE)
@pytest.mark.parametrize("shape", [*EXTENDED, *LEFT_ALONE, *OTHER])
class TestFoldersOfThisClone:
    def test_fault_29_install_keeps_existing_scripts_working(self, git_place: GitPlace, name: str, shape: str) -> None:
        place = git_place(name)
        shaped(place, shape)
        before, as_it_was = ran(place), listed(place.hooks)
        report = place.install()
        assert (report.refusal, report.folder) == ("", str(place.hooks))
        [hook] = [hook for hook in report.hooks if hook.event == "post-commit"]
        assert (hook.state, hook.is_changed) == (STATES[shape], STATES[shape] is HookState.INSTALLED)
        assert bool(report.by_hand) == (STATES[shape] is HookState.FOREIGN)
        assert ran(place) == before
        assert place.spooled() == (["post-commit"] if hook.state is HookState.INSTALLED else [])
        now = listed(place.hooks)
        if hook.state is not HookState.INSTALLED:
            assert {name: entry for name, entry in now.items() if name not in EVENTS or name == "post-commit"} == (
                as_it_was
            )
        elif "post-commit" in as_it_was:
            assert now["post-commit"][0] == as_it_was["post-commit"][0]
        else:
            assert now["post-commit"][0] == 0o755

    def test_fault_29_reinstall_changes_nothing(self, git_place: GitPlace, name: str, shape: str) -> None:
        place = git_place(name)
        shaped(place, shape)
        place.install()
        once = listed(place.hooks)
        for _ in range(2 if name != "plain" else 10):
            assert not any(hook.is_changed for hook in place.install().hooks)
        assert listed(place.hooks) == once
        assert place.state() is STATES[shape]

    def test_fault_29_uninstall_restores_every_byte(self, git_place: GitPlace, name: str, shape: str) -> None:
        place = git_place(name)
        shaped(place, shape)
        was_there, as_it_was, before = place.hooks.exists(), listed(place.hooks), ran(place)
        place.install()
        report = place.uninstall()
        assert listed(place.hooks) == as_it_was
        assert place.hooks.exists() == was_there
        changed = {hook.event for hook in report.hooks if hook.is_changed}
        assert changed == {*EVENTS} - ({"post-commit"} if STATES[shape] is not HookState.INSTALLED else set())
        assert ran(place) == before
        assert place.spooled() == []
        assert not any(hook.is_changed for hook in place.uninstall().hooks)


@pytest.mark.parametrize("name", OF_OTHERS)
@pytest.mark.parametrize("shape", [*EXTENDED, *LEFT_ALONE, *OTHER])
@pytest.mark.parametrize("action", ["install", "reinstall", "uninstall"])
def test_fault_29_hook_folders_outside_the_clone_are_not_changed(
    git_place: GitPlace, name: str, shape: str, action: str
) -> None:
    place = git_place(name)
    shaped(place, shape)
    before, as_it_was, own = ran(place), listed(place.hooks), listed(place.memory.with_name("hooks"))
    report = place.install()
    if action == "reinstall":
        report = place.install()
    elif action == "uninstall":
        report = place.uninstall()
    assert report.refusal
    assert {hook.state for hook in report.hooks} == {HookState.UNREACHABLE}
    assert report.by_hand
    assert not any(hook.is_changed for hook in report.hooks)
    assert (listed(place.hooks), listed(place.memory.with_name("hooks"))) == (as_it_was, own)
    assert ran(place) == before
    assert place.spooled() == []


def test_the_report_names_the_configuration_file_that_sets_hooks_path(
    git_place: GitPlace, sealed_environment: Path
) -> None:
    place = git_place("global")
    config = sealed_environment / "gitconfig"
    report = place.status()
    assert report.refusal == f"core.hooksPath leads to {place.hooks}; it is set in {config} (global)"
    assert str(place.stub) in place.install().by_hand
    relative = git_place("relative")
    origin = f"set in {relative.memory.with_name('config')} (local)"
    assert relative.status().refusal.endswith(origin)
    assert "( repomem index --quiet </dev/null" in relative.status().by_hand  # it is committed: no path of ours


@pytest.mark.parametrize("value", ["", "/", ".", "~/hooks"])
def test_an_invalid_hooks_path_is_refused(git_place: GitPlace, run_git: RunGit, value: str) -> None:
    place = git_place("plain")
    run_git(place.top, "config", "core.hooksPath", value)
    shaped(place, "absent")
    report = place.install()
    run_git(place.top, "config", "--unset", "core.hooksPath")
    assert report.refusal.startswith("core.hooksPath ")
    assert listed(place.hooks) == {"kept": (0o755, "")}


def test_the_line_to_add_by_hand_starts_the_program_once_there_is_an_index(
    git_place: GitPlace, run_git: RunGit, tmp_path: Path
) -> None:
    place = git_place("global")
    shaped(place, "absent")
    stub = written(tmp_path / "it's a stub", f"#!/bin/sh\necho \"$*\" >'{tmp_path}/started'\n", 0o755)
    written(place.hooks / "post-commit", f"#!/bin/sh\n{place.install(str(stub)).by_hand}\n", 0o755)
    run_git(tmp_path, "init", "-q", "other")
    run_git(tmp_path / "other", "commit", "-q", "--allow-empty", "-m", "x")
    assert place.commit() == (0, b"", b"")
    until((tmp_path / "started").exists)
    assert not (tmp_path / "other" / ".git" / "repomem").exists()


def test_a_new_program_replaces_the_old_one_in_the_hook(git_place: GitPlace) -> None:
    place = git_place("plain")
    shaped(place, "exit-0")
    place.install("/an/old one/python", "-P", "-m", "repomem")
    [old, *_] = [hook for hook in place.status().hooks if hook.event == "post-commit"]
    assert (old.state, old.program, old.is_runnable) == (
        HookState.INSTALLED,
        ("/an/old one/python", "-P", "-m", "repomem"),
        False,
    )
    place.install()
    [new, *_] = [hook for hook in place.status().hooks if hook.event == "post-commit"]
    assert (new.program, new.is_runnable) == ((str(place.stub),), True)
    assert (place.hooks / "post-commit").read_bytes().count(b"\n# >>> repomem") == 1
    place.uninstall()
    assert (place.hooks / "post-commit").read_bytes() == (SHAPES / "exit-0").read_bytes()


def test_lines_of_another_version_are_outdated_until_reinstalled(git_place: GitPlace) -> None:
    place = git_place("plain")
    shaped(place, "exit-0")
    place.install()
    hook = place.hooks / "post-commit"
    now = hook.read_bytes()
    hook.write_bytes(now.replace(b"hooks 3", b"hooks 0").replace(b"umask 077", b"umask 0"))
    assert place.state() is HookState.OUTDATED
    place.install()
    assert hook.read_bytes() == now


def test_a_created_hook_stays_if_another_tool_added_lines(git_place: GitPlace) -> None:
    place = git_place("plain")
    shaped(place, "no-folder")
    place.install()
    hook = place.hooks / "post-merge"
    hook.write_bytes(hook.read_bytes() + b"echo of another\n")
    place.install()
    place.uninstall()
    assert listed(place.hooks) == {"post-merge": (0o755, b"#!/bin/sh\necho of another\n")}


def test_a_hook_that_is_no_longer_executable_is_reported(git_place: GitPlace) -> None:
    place = git_place("plain")
    shaped(place, "absent")
    place.install()
    (place.hooks / "post-commit").chmod(0o644)
    [hook] = [hook for hook in place.status().hooks if hook.event == "post-commit"]
    assert (hook.state, hook.program) == (HookState.IGNORED, (str(place.stub),))
    place.uninstall()
    assert listed(place.hooks) == {"kept": (0o755, "")}


def test_uninstall_also_cleans_a_folder_that_git_no_longer_uses(git_place: GitPlace, run_git: RunGit) -> None:
    place = git_place("plain")
    shaped(place, "exit-0")
    as_it_was = listed(place.hooks)
    place.install()
    run_git(place.top, "config", "core.hooksPath", ".husky/_")
    report = place.uninstall()
    run_git(place.top, "config", "--unset", "core.hooksPath")
    assert {(hook.state, hook.is_changed) for hook in report.hooks} == {(HookState.UNREACHABLE, True)}
    assert listed(place.hooks) == as_it_was


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_reported(git_place: GitPlace) -> None:
    place = git_place("plain")
    shaped(place, "exit-0")
    place.hooks.chmod(0o555)
    try:
        assert place.state("post-merge") is HookState.READ_ONLY
        assert not any(hook.is_changed for hook in place.install().hooks)
    finally:
        place.hooks.chmod(0o755)
    assert (place.hooks / "post-commit").read_bytes() == (SHAPES / "exit-0").read_bytes()
