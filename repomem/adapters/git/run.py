"""Running git, and opening a repository. The only place that starts git; what is asked of it lives beside this file.

Every call is neutral: whatever the repository's own configuration names, no hook, filter, file-system monitor, text
conversion, external diff, pager or transport runs, nothing is fetched, and no lock is taken. Output is a stream of
bytes; paths become `str` by `os.fsdecode`.
"""

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired
from types import MappingProxyType, ModuleType
from typing import IO

from repomem.core.errors import GitError

NEUTRAL = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.quotePath=off",
    "core.splitIndex=false",  # reading a split index touches its shared file
    "diff.external=",
    "diff.renames=true",
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
    "GIT_CONFIG_COUNT",  # how containers say safe.directory; ours come after it and win
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
QUESTIONS = (
    "rev-parse",
    "--is-inside-work-tree",
    "--is-shallow-repository",
    "--show-object-format",
    "--absolute-git-dir",
    "--path-format=absolute",
    "--git-common-dir",
    "--show-cdup",  # where there is no work tree it says nothing, while --show-toplevel fails
)
NO_VARIABLES: Mapping[str, str] = MappingProxyType({})
DRIVER_KEYS = ("clean", "smudge", "process")
GRACE = 2.0  # seconds for a git that took too long to end what it has started
STDERR_KEPT = 16_384  # bytes: enough for git's reason; the rest is read and dropped so that git never blocks

NO_GIT = GitError("git is not installed, or not on PATH", hint="install git, for example: apt install git")


def scrub_environment() -> None:
    """Take out of this process's environment what would send git to another repository, index or program.

    A git hook's environment names its own index and directory, and GitPython can add to the environment of a call but
    not take away. Where configuration is found, who the author is and how ssh is reached stay. Done twice it does
    nothing more.
    """
    for name in list(os.environ):
        if name.startswith("GIT_") and not name.startswith(KEPT_VARIABLES):
            del os.environ[name]
    os.environ["GIT_PYTHON_REFRESH"] = "quiet"  # else importing GitPython raises where git is missing


@dataclass(frozen=True, slots=True)
class Repository:
    """One repository as seen from one work tree. Paths are absolute and real.

    `settings` is its whole configuration at the time of opening, names as `git config --list` writes them, the last
    value of each.
    """

    top: Path | None  # None: bare
    git_dir: Path
    common_dir: Path  # shared by the linked work trees of a clone
    object_format: str  # sha1 or sha256
    is_shallow: bool
    prefix: str = ""  # the folder that it was opened from, relative to `top`, without a slash at its end
    settings: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def is_bare(self) -> bool:
        """Whether there is no work tree."""
        return self.top is None

    @property
    def is_partial(self) -> bool:
        """Whether objects may be absent here because they were left with a remote."""
        return any(
            name == "extensions.partialclone" or (name.startswith("remote.") and name.endswith(".promisor"))
            for name in self.settings
        )

    @property
    def is_treeless(self) -> bool:
        """Whether even the trees of old commits were left with a remote: which files they touched is unknown."""
        return any(
            name.endswith(".partialclonefilter") and value.startswith("tree:") for name, value in self.settings.items()
        )

    @classmethod
    def open(cls, start: Path) -> "Repository":
        """The repository that holds the folder `start`; GitError where there is none or git refuses.

        A git directory inside a work tree is data of that work tree, whose repository is opened instead: such a
        folder can come with a clone, and bring configuration and memories of its own.
        """
        folder = _folder(start)
        found = _discovered(folder)
        if not folder.is_relative_to(found.git_dir):
            return found
        try:
            around = cls.open(found.git_dir.parent)
        except GitError:
            return found
        return found if around.is_bare else around

    @contextmanager
    def stream(
        self,
        *arguments: str,
        feed: bytes | None = None,
        environ: Mapping[str, str] = NO_VARIABLES,
        limit: float | None = None,
    ) -> Iterator[IO[bytes]]:
        """The output of one git command as it comes; `feed` is its standard input.

        `environ` is added to its environment, and it is ended after `limit` seconds. Left early, the command is ended.
        Read to its end, a failure is a GitError.
        """
        place = [f"--git-dir={self.git_dir}"]
        if self.top is not None:
            place = ["-C", str(self.top), *place, f"--work-tree={self.top}"]
        drivers = filter_drivers(self.settings)
        with running([*place, *arguments], feed=feed, drivers=drivers, environ=environ, limit=limit) as output:
            yield output

    def read(self, *arguments: str, feed: bytes | None = None) -> bytes:
        """The whole output of one git command."""
        with self.stream(*arguments, feed=feed) as output:
            return output.read()


def git_version() -> str:
    """The version of the git that is run. GitError where there is none."""
    with running(["version"]) as output:
        return os.fsdecode(output.read()).strip().removeprefix("git version ")


def filter_drivers(settings: Mapping[str, str]) -> list[str]:
    """The filter drivers that the configuration names, each as `filter.NAME`."""
    return sorted({name.rpartition(".")[0] for name in settings if name.startswith("filter.")})


@contextmanager
def running(
    arguments: list[str],
    *,
    feed: bytes | None = None,
    drivers: Sequence[str] = (),
    environ: Mapping[str, str] = NO_VARIABLES,
    limit: float | None = None,
) -> Iterator[IO[bytes]]:
    """Git with neutral settings: its output while it runs, a GitError where it fails or takes longer than `limit`.

    Two threads keep the pipes from filling: one writes `feed`, one reads the complaints.
    """
    process = _start(arguments, has_input=feed is not None, environ={**_without_drivers(drivers), **environ})
    assert process.stdout is not None
    assert process.stderr is not None
    complaints = bytearray()
    threads = [threading.Thread(target=_drain, args=(process.stderr, complaints), daemon=True)]
    if process.stdin is not None:
        threads.append(threading.Thread(target=_write, args=(process.stdin, feed), daemon=True))
    for thread in threads:
        thread.start()
    watch = _Watch(process, limit)
    try:
        yield process.stdout
        process.stdout.read()  # what the caller did not want, so that git ends by itself
        process.wait()
    finally:
        watch.end()
        process.kill()
        process.wait()
        for thread in threads:
            thread.join(GRACE if watch.has_bitten else None)
        process.stdout.close()
    if watch.has_bitten:
        raise GitError(f"git gave no answer within {limit:.0f} seconds")
    if process.returncode:
        raise _failure(arguments, os.fsdecode(bytes(complaints)))


class _Watch:
    """Ends a process that takes longer than `limit` seconds; None: as long as it likes."""

    def __init__(self, process: "Popen[bytes]", limit: float | None) -> None:
        self.has_bitten = False
        self._process = process
        self._timer = threading.Timer(limit, self._bite) if limit else None
        if self._timer:
            self._timer.daemon = True
            self._timer.start()

    def end(self) -> None:
        """Watch no longer."""
        if self._timer:
            self._timer.cancel()

    def _bite(self) -> None:
        self.has_bitten = True
        self._process.terminate()  # git then ends what it has started, such as its speaker of https
        try:
            self._process.wait(GRACE)
        except TimeoutExpired:
            self._process.kill()


def _start(arguments: list[str], *, has_input: bool, environ: Mapping[str, str]) -> "Popen[bytes]":
    git = _gitpython()
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
    """Settings, as environment, that leave no filter driver a command to run.

    By the environment because a driver's name may hold "=", where `-c` would cut it.
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


def _gitpython() -> ModuleType:
    """GitPython, imported at the first call: it costs 70 ms that `--help` should not pay."""
    scrub_environment()
    import git

    return git


def _drain(stderr: IO[bytes], kept: bytearray) -> None:
    with stderr:  # closed here, for what git has started may outlive it and hold the other end
        while data := stderr.read1(STDERR_KEPT):  # type: ignore[attr-defined]
            kept += data[: STDERR_KEPT - len(kept)]


def _write(stdin: IO[bytes], feed: bytes) -> None:
    try:
        with stdin:
            stdin.write(feed)
    except BrokenPipeError:
        pass  # git ended first: its exit status says why


def _failure(arguments: list[str], complaints: str) -> GitError:
    """Git's own reason as one sentence, and what to do about it."""
    lines = [line.strip() for line in complaints.splitlines() if line.strip()]
    start = next((n for n, line in enumerate(lines) if line.startswith(("fatal:", "error:"))), 0)
    reason = lines[start].partition(": ")[2] if lines else ""
    if "dubious ownership" in reason:  # its advice is a decision of the user's: shown, never followed
        return GitError(f"git refuses: {reason}", hint=" ".join(lines[start + 1 :]))
    if "not a git repository" in reason:
        return GitError(reason, hint="run git init, or cd into a repository")
    return GitError(f"git refuses: {reason}" if reason else f"git failed: {' '.join(arguments[-3:])}")


def _folder(start: Path) -> Path:
    try:
        folder = start.resolve(strict=True)
        return folder if folder.is_dir() else folder.parent
    except OSError as exc:
        reason = exc.strerror or str(exc)
        raise GitError(f"{start} cannot be entered: {reason}", hint="cd into a folder that exists") from exc


def _discovered(folder: Path) -> Repository:
    """What git says of the folder, bare repositories included: `rev-parse` runs nothing that they name."""
    top, git_dir, common_dir, object_format, is_shallow = _places(folder)
    with running([f"--git-dir={git_dir}", "config", "--list", "-z"]) as output:
        settings = _settings(output.read())
    return Repository(
        top=top,
        git_dir=git_dir,
        common_dir=common_dir,
        object_format=object_format,
        is_shallow=is_shallow,
        prefix=_prefix(folder, top) if top else "",
        settings=settings,
    )


def _places(folder: Path) -> tuple[Path | None, Path, Path, str, bool]:
    """Top (None where there is no work tree around the folder), git dir, common dir, object format, is shallow."""
    with running(["-C", str(folder), "-c", "safe.bareRepository=all", *QUESTIONS]) as output:
        answers = os.fsdecode(output.read()).removesuffix("\n").split("\n")
    if len(answers) != (6 if answers[0] == "true" else 5):
        raise GitError(f"the path of {folder} contains a newline", hint="rename that folder")
    inside, shallow, object_format, git_dir, common_dir = answers[:5]
    top = (folder / answers[5]).resolve() if inside == "true" and not folder.is_relative_to(git_dir) else None
    return top, Path(git_dir), Path(common_dir).resolve(), object_format, shallow == "true"


def _prefix(folder: Path, top: Path) -> str:
    prefix = folder.resolve().relative_to(top).as_posix()
    return "" if prefix == "." else prefix


def _settings(listed: bytes) -> Mapping[str, str]:
    """`git config --list -z`: NAME, line break, value, NUL; a name alone means true."""
    entries = (os.fsdecode(entry).partition("\n") for entry in listed.split(b"\0") if entry)
    return MappingProxyType({name: value if mark else "true" for name, mark, value in entries})
