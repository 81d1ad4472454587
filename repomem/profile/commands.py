"""Finds build, test and lint commands, by task name or by the program that a command line runs."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from repomem.core.types.brief import Fact
from repomem.profile.manifest import Excerpt, Manifest, joined

TASK_NAMES = {  # in order of preference
    "build": ("build", "compile", "all", "dist", "bundle", "package"),
    "test": ("test", "tests", "check", "spec", "unit", "ci"),
    "lint": (
        *("lint", "format", "fmt", "typecheck", "type-check", "typing", "types", "style", "vet"),
        *("mypy", "eslint", "phpstan", "psalm", "rubocop", "clippy"),
    ),
}
SHOWN = {"build": 1, "test": 1, "lint": 3}  # lint: style, format, types
SHOWN_PARTS = 3  # shown of test:unit, test:browser and so on if there is no `test`

_BEFORE_PROGRAM = (  # words before the actual program
    r"(?:\w+=\S*\s+|(?:time|sudo|exec|npx|uvx|xvfb-run|corepack)\s+(?:-\S+\s+)*|bundle exec\s+|pipx run\s+"
    r"|(?:poetry|pdm|uv|pipenv|hatch|rye|pixi)\s+run\s+(?:-\S+\s+)*|python[\d.]*\s+-m\s+"
    r"|coverage run\s+(?:-\S+\s+)*|(?:\./|vendor/bin/|node_modules/\.bin/))*"
)
_SCRIPTS = r"(?:npm|pnpm|yarn|bun|deno|composer)(?:\s+(?:run|run-script|task))?"
_PROGRAMS = {
    "lint": (
        r"ruff|flake8|pylint|mypy|pyright|pyrefly|black|isort|pre-commit run|prek run|tox\b.*(?:lint|typing|mypy|style)"
        rf"|nox\b.*lint|eslint|prettier|biome|tsc\b.*--noEmit|{_SCRIPTS}\s+(?:lint|format|type-?check|check-types|phpstan)"
        r"|cargo\s+(?:\+\S+\s+)?(?:clippy|fmt)|golangci-lint run|go vet|gofmt|staticcheck|rubocop|standardrb"
        r"|rake\s+\S*rubocop|phpstan|psalm|php-cs-fixer|phpcs|mix (?:format|credo|dialyzer)|dotnet format|swiftlint"
        r"|swiftformat|clang-format|clang-tidy|stylua|luacheck|selene|hlint|ormolu|fourmolu|dart (?:analyze|format)"
        r"|zig fmt|sbt\b.*scalafmtCheck\w*|scalafmt|mvn\b.*checkstyle|gradlew?\b.*(?:ktlint|detekt|spotless)\w*"
        r"|make\s+(?:lint|fmt|format|vet|style)|just\s+(?:lint|fmt|format)|task\s+lint"
    ),
    "test": (
        rf"pytest|unittest|tox|nox|{_SCRIPTS}\s+(?:t\b|test\S*)|jest|vitest|mocha|go test|richgo test|gotestsum"
        r"|cargo\s+(?:\+\S+\s+)?(?:test|nextest|hack\b.*test)|rake$|rake\s+(?:test|spec)|rspec|phpunit|pest\b|mix test"
        r"|dotnet test|swift test|xcodebuild\b.*\btest\b|mvnw?\b.*\b(?:test|verify)|gradlew?\b.*\b(?:test|check)"
        r"|sbt\b.*\btest\w*|ctest|meson test|cabal (?:v2-)?test|stack test|zig build test|dart test|flutter test"
        r"|busted|prove\b|make\s+(?:test|check|ci)\S*|just\s+test|task\s+test"
    ),
    "build": (
        rf"{_SCRIPTS}\s+(?:build|compile)|cargo\s+(?:\+\S+\s+)?build|go build|dotnet build|swift build|xcodebuild"
        r"|mvnw?\b(?!.*(?:deploy|javadoc|site))|gradlew?\b.*\b(?:build|assemble)|sbt\b.*\b(?:compile|package)"
        r"|cmake --build|cmake\s+(?:-[SBGD]|\.)|meson (?:setup|compile)|ninja|cabal (?:v2-)?build|stack build|zig build"
        r"|mix compile|rake build|make\s+(?:all|build|-j\S*)|build$|hatch build|poetry build|uv build"
    ),
}
_COMMANDS = {slot: re.compile(rf"{_BEFORE_PROGRAM}(?:{words})(?![\w./@=])") for slot, words in _PROGRAMS.items()}
PARTIAL = re.compile(r"\$|--doc\b|--no-run\b|::|[ ]-(?:k|run)[ ]")  # CI variables, or one test of many
MAX_COMMAND_CHARS = 500  # a longer line is an inline script; bounds matching time


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a task file: `call` is what to type, `runs` the command that it runs; empty if unknown."""

    name: str
    call: str
    runs: str
    line: int
    end_line: int = 0  # last line of its command, if below `line`

    @property
    def excerpt(self) -> Excerpt:
        """The task as one line of text."""
        return Excerpt(f"{self.call} → {self.runs}" if self.runs else self.call, self.line, self.end_line)


def task_facts(manifest: Manifest, tasks: Sequence[Task]) -> Iterable[Fact]:
    """The build, test and lint facts from the tasks of one file."""
    for slot, names in TASK_NAMES.items():
        chosen = _named(tasks, names)[: SHOWN[slot]] or _parts(tasks, names[0])[:SHOWN_PARTS]
        yield from joined(manifest, slot, [task.excerpt for task in chosen])


def command_facts(manifest: Manifest, commands: Iterable[Excerpt]) -> Iterable[Fact]:
    """The build, test and lint facts from the command lines of one file, complete runs before partial ones."""
    whole_first = sorted(commands, key=lambda command: bool(PARTIAL.search(command.text[:MAX_COMMAND_CHARS])))
    slots = [(slot_of_command(command.text), command) for command in whole_first]
    for slot, shown in SHOWN.items():
        yield from joined(manifest, slot, [command for at, command in slots if at == slot][:shown])


def slot_of_command(command: str) -> str:
    """The slot of a shell line: build, test or lint; empty if it does none of these."""
    for piece in re.split(r"&&|;", command[:MAX_COMMAND_CHARS]):
        for slot, pattern in _COMMANDS.items():
            if pattern.match(piece.strip()):
                return slot
    return ""


def _named(tasks: Sequence[Task], names: Sequence[str]) -> list[Task]:
    by_name = {task.name: task for task in reversed(tasks)}
    return [by_name[name] for name in names if name in by_name]


def _parts(tasks: Sequence[Task], name: str) -> list[Task]:
    return [task for task in tasks if re.match(rf"{name}[-_:./]\w", task.name)]
