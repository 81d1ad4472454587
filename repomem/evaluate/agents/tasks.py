"""Tasks for agents: commits whose own tests can judge an attempt.

A commit qualifies if it changes source files and test files, and if the test command fails with its tests alone and
passes with the whole commit: `verified` runs both.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from repomem.adapters.git.objects import blobs_of
from repomem.adapters.git.repository import Repository
from repomem.adapters.git.worktree import tracked
from repomem.adapters.languages.file_roles import is_test
from repomem.core.records import Record
from repomem.core.secrets.redact import redact
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.commits import LogRecord, short_hash
from repomem.core.types.worktree import FileMode
from repomem.evaluate.agents.worktrees import Contents
from repomem.evaluate.tasks import has_enough_words, is_code, question_of

MOST_SOURCES = 8  # changed by a task: a larger commit is more than one task
MOST_FILES = 25
GUIDE = lazy_pattern(
    r"(?:.*/)?(?:AGENTS?|CLAUDE|CLAUDE\.local|GEMINI)\.md|\.github/copilot-instructions\.md"
    r"|\.cursorrules|\.windsurfrules|\.cursor/rules/[^/]+\.mdc?|\.github/instructions/.+\.md"
)  # files that people write for agents
PROMPT = "Make this change in the repository in the current folder:\n\n{}\n"
_ONE_FILE = lazy_pattern(r"\bFILE(?:::NAME|:LINE)?(?: -{1,2}[\w-]+[ =]NAME)?$")  # of a command for one test
_PLACEHOLDER = lazy_pattern(r"\b(?:FILE|NAME|LINE|CLASS|METHOD|MODULE|PACKAGE)\b")


class Arm(StrEnum):
    """What an agent gets besides the task."""

    WITHOUT = "without"  # nothing
    WITH = "with"  # a brief before the prompt, and the command
    FILE = "file"  # a file that people wrote for agents


@dataclass(frozen=True, slots=True)
class Check:
    """A judgement of an agent's work by a command line: exit code 0 means passed."""

    command: str  # for the shell, at the top of the worktree
    files: Contents = field(default_factory=dict)  # put in place before


@dataclass(frozen=True, slots=True)
class AgentTask:
    name: str  # unique
    kind: str  # "code", or what a memory task is about
    title: str
    question: str  # what a brief is asked for
    prompt: str
    base: str  # the commit to start from
    right: frozenset[str]  # files that a right solution changes
    solved: Check
    respected: Check | None = None  # of a memory task: the memory, or the code that has made it stale
    later: str = ""  # a commit that the agent must not see
    changes: Mapping[Arm, Contents] = field(default_factory=dict)  # committed before the run, in one arm
    memories: Sequence[Record] = ()  # of the arm `with`


def candidates(history: Mapping[str, LogRecord]) -> Iterator[LogRecord]:
    """The commits that change source and test files and say what they do, newest first, as `history` is."""
    for record in history.values():
        paths = [file.path for file in record.files]
        sources = [path for path in paths if is_code(path) and not is_test(path)]
        is_sized = 1 <= len(sources) <= MOST_SOURCES and len(paths) <= MOST_FILES
        is_telling = len(record.parents) == 1 and has_enough_words(question_of(record.message))
        if is_sized and is_telling and any(map(is_test, paths)):
            yield record


def code_task(repository: Repository, record: LogRecord, command: str, one_test: str = "") -> AgentTask:
    """The task of a commit. `command` runs all tests; `one_test` is the form of a command for a single one."""
    tests = {path: data for path, data in contents_of(repository, record).items() if is_test(path)}
    parent = record.parents[0]
    guides: Contents = {file.path: None for file in tracked(repository, parent) if GUIDE.fullmatch(file.path)}
    whole = redact(question_of(record.message))
    return AgentTask(
        name=short_hash(record.commit),
        kind="code",
        title=whole.partition("\n")[0],
        question=whole,
        prompt=PROMPT.format(whole),
        base=parent,
        right=frozenset(name for file in record.files for name in (file.path, file.old_path) if name),
        solved=Check(of_files(one_test, [path for path, data in tests.items() if data is not None]) or command, tests),
        later=record.commit,
        changes={Arm.WITHOUT: guides, Arm.WITH: guides} if guides else {},
    )


def contents_of(repository: Repository, record: LogRecord) -> dict[str, bytes | None]:
    """The files that a commit changed, as they are after it; without links and submodules."""
    after = {file.path: file for file in tracked(repository, record.commit)}
    names = {name for file in record.files for name in (file.path, file.old_path) if name}
    kept = {FileMode.REGULAR, FileMode.EXECUTABLE}
    blobs = {name: after[name].blob for name in names if name in after and after[name].mode in kept}
    data = dict(blobs_of(repository, sorted(set(blobs.values()))))
    found: dict[str, bytes | None] = {name: data[blob] for name, blob in sorted(blobs.items()) if blob in data}
    return found | dict.fromkeys(sorted(names - after.keys()))


def of_files(one_test: str, paths: Sequence[str]) -> str:
    """The command that runs whole test files, from the form for one test; empty if the form takes no files."""
    code = [path for path in paths if is_code(path)]
    command = _ONE_FILE.sub(lambda _: shlex.join(code), one_test) if code else ""
    return "" if command == one_test or _PLACEHOLDER.search(_ONE_FILE.sub("", one_test)) else command
