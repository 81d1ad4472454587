"""`repomem hooks` as it is run: streams, exit codes, JSON, and a commit that brings the index up to date."""

import json
import sys
import time
from typing import Any

import pytest
from support.command_line import Place
from support.repositories import MakeRepository
from support.samples import workspace_at

from repomem.adapters.settings.git_hooks_folder import HooksFolder
from repomem.cli.setup.git_hooks import hooks_command
from repomem.cli.terminal.formats import Format
from repomem.core.errors import RepomemError
from repomem.setup.doctor import health_checks

EVENTS = ["post-checkout", "post-commit", "post-merge", "post-rewrite"]
PROGRAM = [sys.executable, "-P", "-m", "repomem"]
PATIENCE = 60.0  # seconds for a run in the background


def answered(place: Place, *arguments: str) -> Any:
    ended = place.run("hooks", *arguments, "--format", "json")
    assert (ended.code, ended.err) == (0, "")
    answer = json.loads(ended.out)
    assert answer.pop("schema") == "repomem.hooks/1"
    return answer


def test_hooks_from_install_to_uninstall(ledgerly: Place) -> None:
    folder = ledgerly.folder / ".git" / "hooks"
    absent = f"folder: {folder}\n" + "".join(f"{event}: absent\n" for event in EVENTS)
    assert ledgerly.run("hooks", "status").out == absent
    starts = f"; starts {sys.executable}\n"
    for said in ("installed now", "installed"):
        ended = ledgerly.run("hooks", "install")
        assert (ended.code, ended.err) == (0, "")
        assert ended.out == f"folder: {folder}\n" + "".join(f"{event}: {said}{starts}" for event in EVENTS)
    assert answered(ledgerly, "status") == {
        "folder": str(folder),
        "hooks": [
            {"event": event, "state": "installed", "changed": False, "program": PROGRAM, "runnable": True}
            for event in EVENTS
        ],
    }
    ended = ledgerly.run("hooks", "uninstall")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"folder: {folder}\n" + "".join(f"{event}: removed\n" for event in EVENTS)
    assert ledgerly.run("hooks", "uninstall").out == absent


def test_a_hook_that_is_left_alone_is_reported_with_the_line_to_add(ledgerly: Place) -> None:
    hook = ledgerly.folder / ".git" / "hooks" / "post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/usr/bin/env python3\n")
    hook.chmod(0o755)
    ended = ledgerly.run("hooks", "install")
    assert "post-commit: left alone; it is run by " in ended.out
    assert (ended.code, ended.err.count("\n")) == (0, 1)
    assert ended.err.startswith("hint: to keep the index fresh, add this line to a hook that was left alone: [ -d ")
    assert hook.read_text() == "#!/usr/bin/env python3\n"


def test_hooks_in_a_folder_of_the_team_are_reported_as_not_reachable(ledgerly: Place) -> None:
    ledgerly.git("config", "core.hooksPath", ".husky/_")
    ended = ledgerly.run("hooks", "install")
    lines = ended.out.splitlines()
    assert (ended.code, len(lines)) == (0, 2)
    assert lines[1].startswith(f"not reachable: core.hooksPath leads to {ledgerly.folder}/.husky/_; it is set in ")
    assert {hook["state"] for hook in answered(ledgerly, "status")["hooks"]} == {"unreachable"}
    assert not (ledgerly.folder / ".husky").exists()


def test_a_missing_program_is_reported(ledgerly: Place) -> None:
    ledgerly.run("hooks", "install")
    hook = ledgerly.folder / ".git" / "hooks" / "post-merge"
    hook.write_text(hook.read_text().replace(sys.executable, "/gone/python"))
    said = "post-merge: installed; starts /gone/python, which does not exist: run repomem hooks install\n"
    assert said in ledgerly.run("hooks", "status").out


def test_a_commit_brings_the_index_up_to_date(indexed_copy: Place) -> None:
    indexed_copy.run("hooks", "install")
    (indexed_copy.folder / "new.py").write_text("def fresh(): ...\n")
    indexed_copy.git("add", "new.py")
    indexed_copy.git("commit", "-q", "-m", "feat: something new")
    given_up = time.monotonic() + PATIENCE
    while json.loads(indexed_copy.run("status", "--format", "json").out)["state"] != "current":
        assert time.monotonic() < given_up
        time.sleep(0.2)


def test_a_folder_that_is_not_writable_is_an_error(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_repository()
    hooks = folder / ".git" / "hooks"
    monkeypatch.setattr(HooksFolder, "is_writable", False)
    with workspace_at(folder) as workspace:
        with pytest.raises(RepomemError, match=f"^no hook was installed: {hooks} is not writable$"):
            hooks_command("install", workspace, Format.TEXT)
        [check] = [each for each in health_checks(workspace) if each.name == "git hooks"]
    assert check.text == f"not installed: {hooks} is not writable"
