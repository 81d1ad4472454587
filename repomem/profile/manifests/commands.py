"""Finds build, test, lint and format commands, by task name or by the program that a command line runs."""

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import Fact
from repomem.profile.manifests.manifest import Excerpt, Manifest, joined

GENERATE = "generate"  # the slot of the command that rewrites generated files
BENCHMARK = "benchmark"  # the slot of what measures the speed of a package
TASK_NAMES = {  # in order of preference
    "build": ("build", "compile", "all", "dist", "bundle", "package"),
    "test": ("test", "tests", "check", "spec", "unit", "ci"),
    "lint": (
        *("lint", "check:lint", "lint:check", "typecheck", "type-check", "check:type", "check:types", "typing"),
        *("types", "style", "vet", "test:lint", "test:eslint", "mypy", "eslint", "phpcs", "cs-check", "phpstan"),
        *("psalm", "rubocop", "clippy", "golangci-lint", "standard", "pycodestyle"),
        "fix:lint",  # also edits files
    ),
    "format": ("format", "fmt", "prettier", "reformat", "fix-style", "fix:format"),
    GENERATE: ("generate", "codegen", "gen"),
    BENCHMARK: ("benchmark", "bench"),
}
_ARCHIVES = lazy_pattern(r"(?:.*\s)?(?:make|rake) (?:dist|package|bundle)")  # of what is built elsewhere
SHOWN = {"build": 1, "test": 1, "lint": 2, "format": 1, GENERATE: 1, BENCHMARK: 1}  # lint: style, types
SHOWN_PARTS = 3  # shown of test:unit, test:browser and so on if there is no `test`

_BEFORE_PROGRAM = (  # words before the actual program
    r"(?:\w+=(?:\"[^\"]*\"|\S*)\s+|(?:time|sudo|exec|npx|uvx|xvfb-run|corepack)\s+(?:-\S+\s+)*|bundle exec\s+"
    r"|pipx run\s+|(?:poetry|pdm|uv|pipenv|hatch|rye|pixi)\s+run\s+(?:-\S+\s+)*|python[\d.]*\s+-\w*m\s+"
    r"|coverage run\s+(?:-\S+\s+)*|(?:\./|vendor/bin/|node_modules/\.bin/))*"
)
_SCRIPTS = r"(?:npm|pnpm|yarn|bun|deno|composer)(?:\s+(?:run|run-script|task))?"
_NO_TESTS = r"(?!.*(?<!\s-x)[\s/:+]test(?![\w:/.-]))"  # among the tasks of one line
_PROGRAMS = {  # a command has the first slot that matches
    "format": (
        rf"ruff format|black|isort|prettier|biome format|{_SCRIPTS}\s+(?:format|fmt|prettier)\b"
        r"|cargo\s+(?:\+\S+\s+)?fmt"
        r"|gofmt|gofumpt|rustfmt|php-cs-fixer|pint\b|mix format|dotnet format|swiftformat|swift[ -]format"
        r"|clang-format|stylua"
        r"|ormolu|fourmolu|dart format|(?:terraform|tofu) fmt"
        rf"|melos (?:run )?format\b(?!:)|zig fmt|sbt\b{_NO_TESTS}.*scalafmt\w*|scalafmt"
        rf"|gradlew?\b{_NO_TESTS}.*\bspotless\w*|mvnw?\b{_NO_TESTS}.*spotless"
        r"|(?:make|just|task)\s+(?:fmt|format)"
    ),
    "lint": (
        r"ruff|flake8|pylint|mypy|pyright|pyrefly|pre-commit run|prek run|tox\b.*(?:lint|typing|mypy|style)"
        rf"|nox\b.*lint|eslint|biome|tsc\b.*--noEmit|{_SCRIPTS}\s+(?:lint|type-?check|check-types|phpstan|psalm)"
        r"|cargo\s+(?:\+\S+\s+)?l?clippy|golangci-lint run|go vet|staticcheck|rubocop|standardrb"
        r"|rake\s+\S*(?:rubocop|standard)(?!:(?:fix|auto))|phpstan|psalm|phpcs|mix (?:credo|dialyzer)|swiftlint"
        r"|clang-tidy|melos (?:run )?(?:analyze|lint)|luacheck|selene|hlint|dart analyze|flutter analyze"
        rf"|mvnw?\b{_NO_TESTS}.*checkstyle|gradlew?\b{_NO_TESTS}.*(?:ktlint|detekt)\w*"
        r"|(?:make|just|task)\s+(?:lint|vet|style|[\w-]*format-check|check-(?:format|style))"
        r"|(?:(?:ba)?sh )?(?:[\w.-]+/)*[\w.-]*(?:lint|clippy|vet|gofmt|rubocop|phpstan|phpcs|mypy|typecheck)[\w-]*\.sh"
    ),
    "test": (
        rf"pytest|unittest|(?:tox|nox)(?!.*\s-\w*[es].*(?:doc|lint|typ|style|format|mypy|stress|random|build|release|bench))"
        rf"|{_SCRIPTS}\s+(?:t\b|test\S*)|jest|vitest|mocha|go test|richgo test|gotestsum"
        r"|cargo\s+(?:\+\S+\s+)?(?:l?test|nextest|hack\b.*test)|rake$|rake\s+(?:test|spec)|rspec|(?:simple-)?phpunit(?!\s+install)|pest\b"
        r"|mix test|fastlane tests?"
        r"|dotnet test|swift test|xcodebuild\b.*\btest\b|mvnw?\b.*\b(?:test|verify)"
        r"|gradlew?\b(?!.*\s-x\s+\S*\btest\b).*\b(?:test|check)"
        r"|sbt\b.*\btest\w*|ctest|meson test|cabal (?:v2-)?test|stack test|zig build test|dart test|flutter test"
        r"|busted|prove\b|melos (?:run )?test\S*|hatch test|julia\b.*Pkg\.test"
        r"|(?:(?:ba)?sh )?(?:[\w-]+/)*(?:(?:run[-_]?)?tests?|tests?/run)\.sh|scripts?/tests?"
        r"|make\s+(?:test\S*|(?:check|ci)(?!\w)\S*)|just\s+test|task\s+test"
    ),
    "build": (
        rf"{_SCRIPTS}\s+(?:build|compile)|cargo\s+(?:\+\S+\s+)?l?build|go build|dotnet build|swift build|xcodebuild"
        r"|mvnw?\b.*\b(?:package|install|compile)|gradlew?\b.*\b(?:build|assemble)|sbt\b.*\b(?:compile|package)"
        r"|cmake --build|meson (?:setup|compile)|ninja"
        r"|cabal (?:v2-)?build|stack build|zig build"
        r"|mix compile|rake build|make\s+(?:build|-j\S*)"
        r"|(?:(?<=-m )|(?<=pipx run ))build$|hatch build|poetry build|uv build"
    ),
}
_COMMANDS = {slot: lazy_pattern(rf"{_BEFORE_PROGRAM}(?:{words})(?![\w./@=-])") for slot, words in _PROGRAMS.items()}
_GENERATES = lazy_pattern(
    rf"{_BEFORE_PROGRAM}(?:go generate|(?:{_SCRIPTS}|make|just|task)\s+(?:generate|codegen|gen)|[\w./-]*generate\.sh)"
    r"(?![\w./@=:-])"
)
_CHECKS_FORMAT = lazy_pattern(  # a formatter that reports files and writes none
    r"(?!.*\s(?:--write|-w)\b)(?:.*?\s--?(?:check|dry-run|diff|list-different|verify-no-changes|lint|test)(?![\w-])"
    r"|.*?\s--check-(?:formatted|only)\b|.*?\s(?:-o[ ]?|--output[= ])(?:none|show)\b|.*?\s(?:--mode[= ]|-m[ ])check\b"
    r"|.*\bprettier\s(?:.*\s)?-[cl]\b|.*\bisort\s(?:.*\s)?-c\b|.*\bclang-format\s(?:.*\s)?-n\b"
    r"|.*\bswift[ -]format\s+lint\b|.*\bphp-cs-fixer\s+check\b|.*\b(?:gofmt|gofumpt)\b(?!.*\s-\w*w)"
    r"|.*\bbiome\s+format\b(?!.*\s--fix)|.*\b(?:spotless|scalafmt):?\w*[cC]heck|.*[:_-](?:check|verify)\b)"
)
# Before a command within another.
_INNER = lazy_pattern(r"\|\|\s*|\$?\((?:shell\s)?\s*|`|\|\s*xargs\s+(?:-\S+\s+(?:\d+\s+)?)*")
# Variables, placeholders, half a line.
UNKNOWN = lazy_pattern(r"\$|[{}<>]|\.\.\.(?!\S)(?<!/\.\.\.)|…|\bpath/to\b|\[\w*\]|[\\^]$")
PARTIAL = lazy_pattern(  # one test of many, another mode, or the second half of a build
    r"--doc\b|--no-run\b|(?<!clippy)(?<!rustdoc)::|[ ]-(?:k|run|t|R)[ ]|[ ]-(?:bench|run)="
    r"|--(?:watch|filter|match|grep|help|version|coverage|cov)\b"
    r"|-Dtest=|--tests[ ](?!-)|--test[ ]|:\d+$|--(?:dry-run|list|exec|flag|sessions)\b|^cmake --build"
)
_ACCEPTS = r"(?:updat|overwrit|bless|accept(?!ance|_?eula|_?licen)|record|re-?gen(?!t)|rebaselin|rewrit)"
_OFF = r"[\"']?(?:0|no(?:ne)?|never|false|off)\b"
_ACCEPTS_OUTPUT = lazy_pattern(  # writes what the tests expect, right or wrong: a variable, an option, a part of a name
    rf"(?i)(?:^|\s)\w*{_ACCEPTS}\w*=(?!{_OFF})\S|(?:^|\s)\w+=[\"']?{_ACCEPTS}"
    rf"|\s--?(?!-|no-|disable-)[\w.-]*?{_ACCEPTS}[\w.-]*(?![\w.-]|[= ]{_OFF})"
    rf"|\w(?<!\bno)(?<!\bdisable)[-:]{_ACCEPTS}[\w:-]*(?![\w/.:-])"
    r"|\b(?:jest|vitest|ava|test)\b.*\s-u(?![\w-]|\s+\w)|\btap\b.*\s--snapshot\b"
)
NAMES_A_FILE = lazy_pattern(
    r"[ ](?!\S*(?:run|setup|manage|all|main)\w*\.)\S+\.(?:py|rb|exs?|[cm]?[jt]sx?|go|java|kt|rs|php|dart|hs|t)\b"
)
SHELL_BODY = lazy_pattern(
    r"(?:if|for|while|until|case|do|then|else|fi|done|function|set|test)\b|[\[({!]|.*(?:;;|\|\||\bthen$|\bdo$|`)"
)
NEVER = lazy_pattern(  # writes versions, publishes or deploys
    r"\bversions?[:-]\S*set\b|:set\b|\brelease:|gh release"
    r"|\b(?:deploy|publish|twine|semantic-release|npm version|changeset)\b"
)
_INSTALLS = lazy_pattern(  # makes an environment, or gets packages
    r"(?:\S*/)?(?:virtualenv\b|python[\d.]*\s+-m\s+(?:venv|virtualenv|pip\s+install)\b|(?:uv\s+)?pip[\d.]*\s+install\b"
    r"|uv\s+(?:venv|sync)\b|(?:npm|pnpm|yarn|bun|bundle|poetry|pdm|composer)\s+(?:ci|install|sync)\b)"
)
_OF_ITSELF = lazy_pattern(r".*\binstall\s+(?:-\S+\s+)*[\"']?\.(?![\w./])")  # compiles the package's own extensions
WATCHES = lazy_pattern(  # runs until it is stopped
    r"^@?watch\b|\b(?:cargo[ ]watch|watchexec|nodemon|chokidar|entr)\b|[ ]--watch(?:All)?(?![=\w-])"
)
ARGUMENTS = lazy_pattern(r"\{posargs[^{}]*\}|\{\{[^{}]*\}\}|\$@|\$\*")  # added by the caller: tox, just, shell
OF_NO_BUILD = lazy_pattern(r"[-_:./](?:\S*version|docs?|site|website|release|publish)\b")  # `build:docs`
# `test:types`, `test.setup`
OF_NO_TEST = lazy_pattern(
    r"[-_:./](?:\S*lint|types?|tsc|build|size|docs?|format|style|exports|package|prepare|set-?up|reset|clean(?:-?up)?)\b"
)
BY_HAND = lazy_pattern(r"[-_:./](?:fix|dev|watch|ui|debug|update|open)\b")  # `lint:fix`: it edits, or does not end
OF_ALL = lazy_pattern(r"\b(?:tests?|check|lint|fmt|format)\b")  # `make all` that runs more than a build
LONGEST_RUN = 100  # characters of the command behind a task; a longer one says little
MAX_COMMAND_CHARS = 500  # a longer line is an inline script; bounds matching time


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a task file: `call` is what to type, `runs` the command that it runs; empty if unknown."""

    name: str
    call: str
    runs: str
    line: int
    end_line: int = 0  # last line of its command, if below `line`
    has_more: bool = False  # whether it runs other commands after `runs`

    def excerpt(self, slot: str) -> Excerpt:
        """The task as one line of text, with what it runs for a slot.

        Not if that is a shell body, has unknown variables, or is the first step of several, which does something else.
        """
        runs = " ".join(ARGUMENTS.sub("", self.runs).replace("@php ", "php ").split())
        is_of_slot = slot_of_command(runs) == slot if self.has_more else _may_be(slot, runs)
        if not (runs and len(runs) <= LONGEST_RUN and is_runnable(runs) and is_of_slot):
            return Excerpt(self.call, self.line, self.end_line)
        others = " && …" * (self.has_more and slot == "lint")  # other linters; after a test command, often a report
        return Excerpt(f"{self.call} → {runs}{others}", self.line, self.end_line)


def task_facts(manifest: Manifest, tasks: Sequence[Task]) -> Iterable[Fact]:
    """The build, test, lint and format facts from the tasks of one file that end by themselves."""
    folder = posixpath.dirname(manifest.path)  # in which its runner finds the file
    enter = f"cd {folder} && " if folder else ""
    ending = (task for task in tasks if not WATCHES.search(task.runs))
    working = (task for task in ending if task.has_more or not only_installs([task.runs]))
    tasks = [replace(task, call=enter + task.call) for task in working]
    checking = {task.name for task in tasks if is_format_check(task.runs)}
    writing = [task for task in tasks if task.name not in checking]
    for slot, names in TASK_NAMES.items():
        found = _named(writing if slot == "format" else tasks, names)
        if slot == "lint":
            found += [task for task in _named(tasks, TASK_NAMES["format"]) if task.name in checking]
        chosen = found[: SHOWN[slot]] or _parts(writing if slot == "format" else tasks, slot)[:SHOWN_PARTS]
        yield from joined(manifest, slot, [task.excerpt(slot) for task in chosen])


def command_facts(manifest: Manifest, commands: Iterable[Excerpt]) -> Iterable[Fact]:
    """The build, test, lint and format facts from the runnable command lines of one file, the first of each."""
    slots = [
        (GENERATE if generates(command.text) else slot_of_command(command.text), command)
        for command in commands
        if is_runnable(command.text)
    ]
    whole = [(slot, command) for slot, command in slots if not _is_special(command.text)]
    whole.sort(key=lambda one: is_format_check(one[1].text))  # after the linters
    for slot, shown in SHOWN.items():
        yield from joined(manifest, slot, [command for at, command in whole if at == slot][:shown])


def is_runnable(command: str, *, is_of_guide: bool = False) -> bool:
    """Whether a line can be typed as it is: no variables, placeholders, parts of shell scripts, or publishing.

    A guide also shows commands for a single file as examples, which are left out.
    """
    line = command[:MAX_COMMAND_CHARS]
    if UNKNOWN.search(line) or SHELL_BODY.match(line) or NEVER.search(line):
        return False
    return not is_of_guide or not (_is_special(line) or NAMES_A_FILE.search(line))


def _is_special(line: str) -> bool:
    """Whether a line does a part of the work, or accepts whatever the tests print."""
    return bool(PARTIAL.search(line) or _ACCEPTS_OUTPUT.search(line[:MAX_COMMAND_CHARS]))


def slot_of_command(command: str) -> str:
    """The slot of a shell line: build, test, lint or format; empty if it does none of these.

    A formatter that only checks is a linter.
    """
    for piece in _pieces(command):
        if slot := _slot(piece):
            return "lint" if slot == "format" and _CHECKS_FORMAT.match(piece) else slot
    return ""


def only_installs(commands: Iterable[str]) -> bool:
    """Whether shell lines make an environment with packages, and do nothing else."""
    pieces = [piece for command in commands for piece in _pieces(command)]
    return all(map(_INSTALLS.match, pieces)) and not all(map(_OF_ITSELF.match, pieces))


def generates(command: str) -> bool:
    """Whether a shell line rewrites generated files."""
    return any(map(_GENERATES.match, _pieces(command)))


def is_format_check(command: str) -> bool:
    """Whether the line runs a formatter that reports files and writes none."""
    pieces = (piece for whole in _pieces(command) for piece in _INNER.split(whole))
    formatters = [piece for piece in pieces if _slot(piece) == "format"]
    return bool(formatters) and all(map(_CHECKS_FORMAT.match, formatters))


def _may_be(slot: str, command: str) -> bool:
    """Whether a part of a line is a command of a slot, or none is known to be of another."""
    slots = {each for piece in _pieces(command) if (each := slot_of_command(piece))}
    return not slots or slot in slots


def _pieces(command: str) -> list[str]:
    return [piece.strip() for piece in re.split(r"&&|;", command[:MAX_COMMAND_CHARS])]


def _slot(piece: str) -> str:
    return next((slot for slot, pattern in _COMMANDS.items() if pattern.match(piece)), "")


def _named(tasks: Sequence[Task], names: Sequence[str]) -> list[Task]:
    known = (task for task in tasks if not _ARCHIVES.fullmatch(task.call))
    by_name = {task.name: task for task in reversed([*known]) if task.name != "all" or not OF_ALL.search(task.runs)}
    return [by_name[name] for name in names if name in by_name]


def _parts(tasks: Sequence[Task], slot: str) -> list[Task]:
    """The tasks `test:unit`, `test:browser` and so on, without those run by hand or that test no code."""
    name = TASK_NAMES[slot][0]
    other = OF_NO_TEST if slot == "test" else OF_NO_BUILD
    found = [task for task in tasks if re.match(rf"{name}[-_:./]\w", task.name) and not other.search(task.name)]
    return [task for task in found if _may_be(slot, task.runs) and not BY_HAND.search(task.name)]
