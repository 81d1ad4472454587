"""Runs git: the only module that starts it.

Calls ignore programs in the repository's own configuration: no hook, filter, file-system monitor, text conversion,
external diff, pager or transport runs, nothing is fetched, and no lock is taken. Output is a stream of bytes; paths
become `str` by `os.fsdecode`.
"""

import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec, module_from_spec
from subprocess import PIPE, Popen, TimeoutExpired
from types import MappingProxyType, ModuleType
from typing import IO

from repomem.core.errors import GitError, GitTimeout

NEUTRAL = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.quotePath=off",
    "core.splitIndex=false",  # reading a split index touches its shared file
    "diff.external=",
    "diff.renames=true",
    "log.mailmap=false",  # names as committed, regardless of the worktree
    "log.showRoot=true",
    "log.showSignature=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
)
ENVIRONMENT = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",  # an episode is a function of its commit's id, on every clone
    "GIT_OPTIONAL_LOCKS": "0",  # a background `git status` that holds index.lock breaks the user's commit
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",  # messages are matched below
}
KEPT_VARIABLES = (
    "GIT_ASKPASS",
    "GIT_AUTHOR_",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMITTER_",
    "GIT_CONFIG_COUNT",  # how containers set safe.directory; ours come after it and win
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_KEY_",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_VALUE_",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_PYTHON_",
    "GIT_SSH",
    "GIT_SSL_",
    "GIT_TEST_",
)
NO_VARIABLES: Mapping[str, str] = MappingProxyType({})
DRIVER_KEYS = ("clean", "smudge", "process")
LONGEST_CALL = 7200.0  # seconds; the history of the largest repositories takes less
GRACE = 2.0  # seconds for a git that timed out to end its child processes
STDERR_KEPT = 16_384  # bytes: enough for git's reason; the rest is read and dropped so that git never blocks
NO_GIT = GitError("git is not installed, or not on PATH", hint="install git, for example: apt install git")


def scrub_environment() -> None:
    """Remove variables from this process's environment that point git to another repository or program.

    A git hook's environment names its own index and directory, and GitPython can add variables to a call but not remove
    any. Variables for configuration, author and ssh are kept. Calling it twice changes nothing more.
    """
    for name in list(os.environ):
        if name.startswith("GIT_") and not name.startswith(KEPT_VARIABLES):
            del os.environ[name]
    os.environ["GIT_PYTHON_REFRESH"] = "quiet"  # else importing GitPython raises where git is missing


def git_version() -> str:
    """The version of the installed git. Raises GitError if there is none."""
    with running(["version"]) as output:
        return os.fsdecode(output.read()).strip().removeprefix("git version ")


@contextmanager
def running(
    arguments: list[str],
    *,
    feed: bytes | None = None,
    drivers: Sequence[str] = (),
    environ: Mapping[str, str] = NO_VARIABLES,
    limit: float = LONGEST_CALL,
) -> Iterator[IO[bytes]]:
    """Run git with neutral settings and yield its output; GitError if it fails or takes over `limit` seconds.

    Two threads keep the pipes from filling: one writes `feed`, one reads stderr.
    """
    process = _start(arguments, has_input=feed is not None, environ={**_without_drivers(drivers), **environ})
    assert process.stdout is not None
    assert process.stderr is not None
    messages = bytearray()
    threads = [threading.Thread(target=_drain, args=(process.stderr, messages), daemon=True)]
    if process.stdin is not None:
        threads.append(threading.Thread(target=_write, args=(process.stdin, feed), daemon=True))
    for thread in threads:
        thread.start()
    timed_out = threading.Event()
    timer = threading.Timer(limit, _end_process, args=(process, timed_out))
    timer.daemon = True
    timer.start()
    try:
        yield process.stdout
        process.stdout.read()  # drain the output that the caller did not read, so that git ends by itself
        process.wait()
    finally:
        timer.cancel()
        process.kill()
        process.wait()
        for thread in threads:
            thread.join(GRACE if timed_out.is_set() else None)
        process.stdout.close()
    if timed_out.is_set():
        raise GitTimeout(
            f"git did not answer within {limit:.0f} seconds", "look for pipes and endless patterns in the worktree"
        )
    if process.returncode:
        raise _failure(arguments, os.fsdecode(bytes(messages)))


def _end_process(process: "Popen[bytes]", timed_out: threading.Event) -> None:
    timed_out.set()
    process.terminate()  # git then ends its child processes, such as the https helper
    try:
        process.wait(GRACE)
    except TimeoutExpired:
        process.kill()


def _start(arguments: list[str], *, has_input: bool, environ: Mapping[str, str]) -> "Popen[bytes]":
    scrub_environment()
    git = gitpython()
    neutral = [part for setting in NEUTRAL for part in ("-c", setting)]
    try:
        # GitPython starts in this process's folder where it cannot enter the one it was given: -C says it to git.
        interrupt = git.Git(os.sep).execute(
            ["git", "--no-pager", *neutral, *arguments],
            as_process=True,
            istream=PIPE if has_input else None,
            env={**ENVIRONMENT, **environ},
        )
    except git.GitCommandNotFound as exc:
        raise NO_GIT from exc
    except OSError as exc:
        raise GitError(f"git cannot be started: {exc.strerror or exc}") from exc
    process = interrupt.proc
    interrupt.proc = None  # else it ends the process when it is collected
    assert isinstance(process, Popen)
    return process


def _without_drivers(drivers: Sequence[str]) -> dict[str, str]:
    """Environment variables that disable the commands of all filter drivers.

    Not `-c` options, because a driver's name may contain "=".
    """
    if not drivers:
        return {}
    settings = [(f"{driver}.{key}", "") for driver in drivers for key in DRIVER_KEYS]
    settings += [(f"{driver}.required", "false") for driver in drivers]
    inherited = os.environ.get("GIT_CONFIG_COUNT", "")
    first = int(inherited) if inherited.isdecimal() else 0
    environment = {"GIT_CONFIG_COUNT": str(first + len(settings))}
    for number, (name, value) in enumerate(settings, start=first):
        environment[f"GIT_CONFIG_KEY_{number}"] = name
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    return environment


@cache
def gitpython() -> ModuleType:
    """`git.cmd` of GitPython, imported at the first call without the rest of the package, which takes 40 ms more.

    `import git` elsewhere gives the whole package, with the same `git.cmd`.
    """
    spec = find_spec("git") if "git" not in sys.modules else None
    if spec:
        sys.modules["git"] = module_from_spec(spec)  # not run
    try:
        from git import cmd
    finally:
        if spec:
            del sys.modules["git"]
    return cmd


def _drain(stderr: IO[bytes], kept: bytearray) -> None:
    with stderr:  # closed here: child processes of git may outlive it and hold the other end
        while data := stderr.read1(STDERR_KEPT):  # type: ignore[attr-defined]
            kept += data[: STDERR_KEPT - len(kept)]


def _write(stdin: IO[bytes], feed: bytes) -> None:
    with suppress(BrokenPipeError), stdin:  # git ended first: its exit status says why
        stdin.write(feed)


def _failure(arguments: list[str], messages: str) -> GitError:
    """The error for git's message: its reason as one sentence, and the next step."""
    lines = [line.strip() for line in messages.splitlines() if line.strip()]
    start = next((n for n, line in enumerate(lines) if line.startswith(("fatal:", "error:"))), 0)
    reason = lines[start].partition(": ")[2] if lines else ""
    if "dubious ownership" in reason:  # the user decides whether to follow git's advice, so it is only shown
        return GitError(f"git refuses: {reason}", hint=" ".join(lines[start + 1 :]))
    if "not a git repository" in reason:
        return GitError(reason, hint="run git init, or cd into a repository")
    return GitError(f"git refuses: {reason}" if reason else f"git failed: {' '.join(arguments[-3:])}")
