"""A hostile repository: whatever of it names a program, a place or an address, nothing runs, nothing outside is read.

Each attack leaves a marker where it is executed, and a first test shows that git itself, asked plainly, does leave
them: a trap that cannot spring proves nothing.
"""

import json
import os
import shutil
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from support.fault_scenes import repomem_fresh, said_by, started
from support.repositories import Commit, MakeRepository, RunGit

pytest_plugins = ("support.fault_scenes",)

HOSTILE = Path(__file__).parents[2] / "fixtures" / "hostile"
OUTSIDE = "canary-of-the-outside-7319"
ESCAPES = ("\x1b]52;c;ZXZpbA==\x07", "\x1b]8;;http://x\x1b\\", "\x1b[2J", "\u202e", "\u200b", "\x9b31m")


@dataclass
class Trap:
    """The repository, the folder of markers, and what a listener on this machine has heard."""

    folder: Path
    markers: Path
    address: str
    heard: list[str] = field(default_factory=list)

    @property
    def sprung(self) -> list[str]:
        """The attacks that were executed."""
        return sorted(path.name for path in self.markers.iterdir())

    def command(self, name: str) -> str:
        """A shell command that leaves a marker, and behaves as a filter and as a helper."""
        script = self.markers.parent / f"{name}.sh"
        script.write_text(f'#!/bin/sh\ntouch "{self.markers}/{name}"\ncat "$1" 2>/dev/null || cat\n')
        script.chmod(0o755)
        return str(script)


@pytest.fixture
def trap(make_repository: MakeRepository, run_git: RunGit, tmp_path: Path) -> Iterator[Trap]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        trap = Trap(tmp_path / "repository", tmp_path / "markers", f"http://127.0.0.1:{listener.getsockname()[1]}")
        threading.Thread(target=listen, args=(listener, trap.heard), daemon=True).start()
        trap.markers.mkdir()
        (tmp_path / "outside").mkdir()
        (tmp_path / "outside" / "canary.py").write_text(f"def outside():\n    return '{OUTSIDE}'\n")
        make_repository(*history(trap))
        configured(trap, run_git)
        embedded(trap, run_git)
        dirty(trap)
        yield trap


def listen(listener: socket.socket, heard: list[str]) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            heard.append(connection.recv(200).decode("latin-1"))


def history(trap: Trap) -> Iterator[Commit]:
    """Plain files of the fixture, names and messages with escapes, links out, a submodule, depth."""
    files: dict[str, bytes | str | None] = {
        path.relative_to(HOSTILE).as_posix(): path.read_text().replace("ADDRESS", trap.address)
        for path in sorted(HOSTILE.rglob("*"))
        if path.is_file() and path.name != "README.md"
    }
    names = ["src/" + escape.replace("/", "-") + "name.py" for escape in ESCAPES] + [
        "src/new\nline.py",
        "src/-rf.py",
        "src/$(touch x).py",
    ]
    links = {"link.py": "../outside/canary.py", "passwd": "/etc/passwd", "up": "../outside", "self": "."}
    deep = "/".join(["d"] * 60) + "/deep.py"
    files |= {
        ".gitattributes": "*.py filter=evil diff=evil merge=evil\n*.txt diff=evil\n",
        ".gitmodules": f'[submodule "s"]\n\tpath = s\n\turl = -u./x\n\tupdate = !{trap.command("update")}\n',
        ".env": f"OPENAI_BASE_URL={trap.address}\nOPENAI_API_KEY=x\nREPOMEM_STORE_URI={trap.markers}/store\n",
        **dict.fromkeys(names, "def named():\n    return 1\n"),
        deep: "deep = 1\n",
        "nested.json": "[" * 50_000,
    }
    yield Commit({**files, **links}, "feat: start", modes=dict.fromkeys(links, "120000"))
    for escape in ESCAPES:
        changed = {"src/a.py": f"def a():\n    return {escape!r}\n"}
        yield Commit(changed, f"fix: {escape}a\n\n{escape}", author=f"{escape}E <e@x>")
    yield Commit({"src/a.py": "def a():\n    return 2\n"}, "fix: a --upload-pack=touch\n\nCo-authored-by: `id` <$(id)>")


def configured(trap: Trap, run_git: RunGit) -> None:
    """What a git directory that came with an archive may hold."""
    (included := trap.folder / ".git/included").write_text(f"[core]\n\tpager = {trap.command('included-pager')}\n")
    hooks = trap.folder / ".git/evil-hooks"
    hooks.mkdir()
    for name in ("post-checkout", "post-commit", "post-index-change", "reference-transaction", "pre-commit"):
        shutil.copy(trap.command(f"hook-{name}"), hooks / name)
    for name, value in {
        "core.fsmonitor": trap.command("fsmonitor"),
        "core.hooksPath": str(hooks),
        "core.pager": trap.command("pager"),
        "core.editor": trap.command("editor"),
        "core.sshCommand": trap.command("ssh"),
        "core.gitProxy": trap.command("proxy"),
        "core.askPass": trap.command("askpass"),
        "core.alternateRefsCommand": trap.command("alternate-refs"),
        "credential.helper": trap.command("credential"),
        "diff.external": trap.command("external"),
        "diff.evil.command": trap.command("diff-command"),
        "diff.evil.textconv": trap.command("textconv"),
        "filter.evil.clean": trap.command("clean"),
        "filter.evil.smudge": trap.command("smudge"),
        "filter.evil.process": trap.command("process"),
        "filter.evil.required": "true",
        "merge.evil.driver": trap.command("merge"),
        "gpg.program": trap.command("gpg"),
        "log.showSignature": "true",
        "include.path": str(included),
        "alias.status": f"!{trap.command('alias')}",
        "alias.log": f"!{trap.command('alias')}",
        "remote.origin.url": f"{trap.address}/x.git",
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": trap.command("uploadpack"),
        "extensions.partialClone": "origin",
        "uploadpack.packObjectsHook": trap.command("pack-objects"),
        "protocol.ext.allow": "always",
        "interactive.diffFilter": trap.command("diff-filter"),
    }.items():
        run_git(trap.folder, "config", "--file", ".git/config", name, value)
    (trap.folder / ".git/objects/info").mkdir(exist_ok=True)
    (trap.folder / ".git/objects/info/alternates").write_text(f"{trap.folder.parent}/outside\n")


def embedded(trap: Trap, run_git: RunGit) -> None:
    """A bare repository among the files, which a shell may stand in."""
    run_git(trap.folder.parent, "init", "-q", "--bare", str(trap.folder / "embedded"))
    config = trap.folder / "embedded" / "config"
    config.write_text(f"[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = {trap.command('embedded')}\n")


def dirty(trap: Trap) -> None:
    """What git would have to filter, and what is no file."""
    (trap.folder / "src/a.py").write_text("def a():\n    return 3\n")
    (trap.folder / "new.py").symlink_to("../outside/canary.py")
    os.mkfifo(trap.folder / "pipe.py")


def event(trap: Trap, **said: str) -> str:
    return json.dumps({"cwd": str(trap.folder), "session_id": "s", "prompt": "what does outside() in src/a.py", **said})


def every_command() -> Iterator[tuple[str, ...]]:
    yield from (("index",), ("recall",), ("recall", "what does outside return"), ("search", "outside"), ("status",))
    yield from (("show", "src/a.py"), ("log",), ("log", "src/a.py"), ("why", "src/a.py:2"))
    yield from (("doctor",), ("consolidate",), ("profile",), ("config",), ("review", "--format", "json"))
    yield from (("remember", "Nothing outside is read", "--on", "src/a.py:a"), ("session", "start", "look outside"))
    yield from (("session", "end", "looked"), ("ledger", "verify"), ("agents", "status"), ("hooks", "status"))
    yield from (("maintain",), ("ledger", "export"))


def test_fault_33_plain_git_runs_the_hostile_programs(trap: Trap, run_git: RunGit) -> None:
    for name in ("alias.status", "alias.log"):
        run_git(trap.folder, "config", "--unset", name)
    run_git(trap.folder, "config", "--unset", "filter.evil.process")
    for arguments in (("status",), ("diff", "--ext-diff"), ("blame", "src/a.py"), ("log", "-p", "--textconv", "-1")):
        run_git(trap.folder, *arguments)
    run_git(trap.folder, "-c", "diff.external=", "-c", "diff.evil.command=", "diff", "--textconv", "--no-ext-diff")
    run_git(trap.folder, "checkout", "-q", "--", "src/a.py")
    assert {"clean", "diff-command", "fsmonitor", "hook-post-checkout", "smudge", "textconv"} <= set(trap.sprung)


@pytest.mark.slow
def test_fault_33_no_command_runs_anything_of_a_hostile_repository(
    trap: Trap, run_git: RunGit, sealed_environment: Path
) -> None:
    said = said_by(trap.folder, *every_command())
    for name in ("extensions.partialClone", "remote.origin.promisor"):  # else eval refuses
        run_git(trap.folder, "config", "--file", ".git/config", "--unset", name)
    said += said_by(trap.folder, ("eval", "--commits", "1"), ("recall", "outside", "--format", "json"))
    for at in ("embedded", "src", "embedded/objects"):
        said.append(repomem_fresh(trap.folder / at, "status").stdout)
    for name in ("session-start", "prompt", "stop"):
        done = repomem_fresh(
            trap.folder, "hook", name, "--host", "claude-code", input=event(trap, hook_event_name=name)
        )
        assert done.returncode == 0
        said += [done.stdout, done.stderr]
    whole = "\n".join(said)
    assert trap.sprung == []
    assert trap.heard == []
    assert OUTSIDE not in whole
    assert "root:x:0" not in whole
    kept = [path for root in (trap.folder / ".git/repomem", sealed_environment) for path in root.rglob("*")]
    assert [path for path in kept if path.is_file() and OUTSIDE.encode() in path.read_bytes()] == []
    assert [char for char in whole if ord(char) < 32 and char not in "\n\t"] == []
    assert [char for char in ("\u202e", "\u200b", "\x9b", "\x7f") if char in whole] == []
    assert not (trap.markers / "store").exists()
    assert not (trap.folder / "x").exists()


def test_fault_32_nothing_that_a_repository_sets_counts_until_it_is_trusted(trap: Trap) -> None:
    shown = json.loads(repomem_fresh(trap.folder, "config", "--format", "json").stdout)
    told = repomem_fresh(trap.folder, "index").stderr
    assert "repomem trust" in told
    assert trap.address not in json.dumps(shown)
    assert trap.heard == []


def test_fault_33_a_watcher_that_catches_up_runs_nothing(trap: Trap) -> None:
    process = started(trap.folder, "watch")
    state = trap.folder / ".git/repomem/watch.json"
    try:
        for _ in range(600):
            if state.exists() and json.loads(state.read_text())["runs"]:
                break
            threading.Event().wait(0.1)
    finally:
        process.terminate()
        process.wait(30)
    assert json.loads(state.read_text())["runs"] if state.exists() else True
    assert (trap.sprung, trap.heard) == ([], [])
    assert (trap.folder / ".git/repomem/catalog.sqlite").exists()
