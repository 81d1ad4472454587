"""Outcomes of a session's commands: which passed, which failed, and with which error."""

import re

from repomem.adapters.transcripts.steps import Step, StepKind
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.sessions.command_notes import Ran

LONGEST_COMMAND = 2_000  # characters; a longer command is an inline script

_QUOTED = r"'[^']*'|\"(?:\\.|[^\"\\])*\""
_SEPARATOR = lazy_pattern(rf"({_QUOTED})|(\s*(?:&&|\|\||[;\n]|(?<![|>&])\|(?!\|)&?)\s*)")
_NOISE = lazy_pattern(
    r"\A(?:(?:CI|FORCE_COLOR|NO_COLOR|TERM|COLUMNS|PAGER|GIT_PAGER|LANG|LC_ALL|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE"
    r"|DEBIAN_FRONTEND|CLICOLOR\w*|RUST_BACKTRACE)=\S*\s+|(?:sudo|command|exec|time|nice|nohup)\s+"
    r"|env\s+(?=\w+=)|timeout\s+(?:-\S+\s+)*\d+[smh]?\s+)+"
)
_REDIRECTED = lazy_pattern(r"\s*(?:[12]?>&[12]|&?[12]?>>?\s*(?:/dev/null|\S+\.(?:log|txt|out)))(?=\s|$)")
_VARIABLES = lazy_pattern(r"(?:\w+=(?:\"[^\"]*\"|'[^']*'|\S*)\s+)*")
_RUNNERS = (
    r"(?:(?:uv|poetry|pdm|hatch|pipenv|rye|conda|mamba|bundle|npx|bunx|pnpm|yarn|docker compose|docker-compose)\s+"
    r"(?:run|exec|dlx)(?:\s+-\S+)*\s+)?(?:(?:npx|bunx)\s+(?:-\S+\s+)*)?"
)
_PROGRAMS = (
    r"pytest|py\.test|tox|nox|coverage run|unittest|jest|vitest|mocha|ava|playwright|cypress|karma|"
    r"ng (?:test|build|lint)|"
    r"(?:npm|pnpm|yarn|bun)\s+(?:--(?:filter|workspace|prefix|dir|cwd)[ =]\S+\s+|-\S+\s+)*(?:(?:run|"
    r"run-script)\s+\S+|t|test|ci|install|i|add|build|lint|typecheck|check|audit)|yarn|"
    r"tsc|eslint|prettier|biome|stylelint|webpack|vite build|next (?:build|lint)|turbo|nx|lerna|deno|"
    r"cargo\s+(?:\+\S+\s+)?(?!--version|search|tree|metadata)\w+|rustc|clippy-driver|"
    r"go\s+(?:test|build|vet|generate|mod|run|install|fmt)|gofmt|golangci-lint|staticcheck|"
    r"make|gmake|cmake|ninja|ctest|meson|bazel|buck2?|just|task|rake|rspec|rails|rubocop|bundle install|"
    r"mvnw?|gradlew?|sbt|lein|dotnet\s+(?:test|build|run|restore|publish|ef)|msbuild|"
    r"composer|phpunit|phpstan|psalm|artisan|mix|rebar3|stack|cabal|zig|swift\s+(?:test|build)|xcodebuild|flutter|dart|"
    r"ruff|mypy|pyright|basedpyright|flake8|pylint|black|isort|bandit|pre-commit|lint-imports|shellcheck|hadolint|"
    r"uv\s+(?:sync|lock|add|build|pip|publish)|(?:pip3?|pipx)\s+(?:install|check)|poetry\s+(?:install|add|lock|build)|"
    r"alembic|prisma|knex|sequelize|flyway|liquibase|goose|dbmate|migrate|diesel|sqlx|"
    r"node\s+--test|kubectl\s+(?:apply|diff|rollout|wait|kustomize)|psql(?=\s.*-f)|"
    r"terraform|tofu|ansible-playbook|helm|docker\s+(?:build|compose|buildx|start)|docker-compose|nix|nix-build|protoc|buf|"
    r"redis-server|pg_ctl|createdb|initdb|systemctl\s+(?:re)?start|service\s+\S+\s+(?:re)?start|brew\s+services\s+start|"
    r"git\s+submodule\s+update|git\s+lfs\s+pull|cp(?=\s+\S*\.(?:example|sample|template|dist)\s)"
)
_SCRIPT = (
    r"(?:\S*/)?[\w.-]+\.(?:sh|bash|py|rb|js|mjs|cjs|ts|pl|php|exs?|lua)\b|(?:\./|\S+/)?(?:scripts?|bin|tools|hack)/\S+"
)
_TELLING = lazy_pattern(
    rf"{_RUNNERS}(?:(?:\S*/)?(?:{_PROGRAMS})(?=\s|$)"
    rf"|(?:\S*/)?(?:python[\d.]*|pypy3?)\s+(?:-[A-Za-z]+\s+)*?-m\s+(?!http\.server|json\.tool|pdb|venv)\S+"
    r"|(?:\S*/)?(?:python[\d.]*|node|ruby|php|perl|bash|sh|zsh|deno run|bun|tsx|ts-node|elixir)\s+"
    rf"(?:-(?![ce]\b)\S+\s+)*(?:{_SCRIPT})"
    rf"|{_SCRIPT})"
)
_SETTING = lazy_pattern(  # commands that later commands depend on
    r"cd\s+(?![.-]/?$)[\w.][\w./-]*|(?:source|\.)\s+(?!/)\S*activate(?:\.\w+)?|export\s+\w+=\S+"
)
_ASKS_ONLY = lazy_pattern(r"(?:\S+\s+){1,3}(?:--version|-V|--help|-h|help|version|list|show|--list)\s*$")
_HEREDOC = lazy_pattern(r"<<-?\s*['\"]?\w+")

_FAILED = lazy_pattern(
    r"(?m)^(?:FAILED|FAIL|ERROR)\b|\b[1-9]\d* (?:failed|failures?|errors?)\b|\bfatal\b|^error(?:\[\w+\])?:|: error\b"
    r"|npm (?:ERR!|error)|Traceback \(most recent|\bpanic(?:ked)?:|BUILD FAIL|\bexit status [1-9]|\*\*\* \[.*\] Error"
    r"|\bTests? failed\b|✗|✘|✖"
)
_PASSED = lazy_pattern(
    r"(?m)\b[1-9]\d* (?:passed|passing|tests? ok)\b|^ok\b|^OK\b|\bBUILD SUCCESS|test result: ok|All checks passed"
    r"|^(?:# |ℹ )fail 0\b|no issues found|^PASS\b|\b0 (?:errors|failures|failed)\b|Successfully (?:installed|built)|"
    r"Compiled successfully"
)
_ECHOED = lazy_pattern(r"(?im)^(?:exit(?: ?code| status)?|rc|status|EXIT(?:_?CODE)?)?\s*[:=]?\s*(\d{1,3})\s*$")


def ran_of(step: Step) -> Ran | None:
    """The command of a step with its exit code and error line; None if it is uninformative or its result unknown."""
    if step.kind is not StepKind.RAN or step.is_refused:
        return None
    command, is_certain = telling_command(step.text)
    code = _code(step, is_certain=is_certain) if command else None
    return None if code is None else Ran(command, abs(code), error_line(step.output) if code else "")


def telling_command(line: str) -> tuple[str, bool]:
    """The part of a command line that tests, builds or installs, and whether the line's exit code belongs to it.

    The part includes `cd` within the repository, activated environments and exported variables. It excludes settings
    of appearance and pipes that shorten the output.
    """
    if len(line) > LONGEST_COMMAND or _HEREDOC.search(line):
        return "", False
    parts = _parts(line.replace("\\\n", " ").strip())
    chosen: list[str] = []
    is_certain = True
    for at, (joint, part) in enumerate(parts):
        following = parts[at + 1][0] if at + 1 < len(parts) else ""
        command = _bare(part)
        if joint != "|" and _SETTING.fullmatch(command):
            chosen.append(command)
        if joint == "|" or not is_telling(command):
            continue
        if joint in {";", "\n"}:
            chosen = [command for command in chosen if _SETTING.fullmatch(command)]
        chosen.append(command)
        is_certain = following in {"", "&&"}
    while chosen and _SETTING.fullmatch(chosen[-1]):
        chosen.pop()
    return " && ".join(dict.fromkeys(chosen)), is_certain


def has_failed(output: str) -> bool:
    """Whether an output shows that its command failed; for hosts that report no exit code."""
    return bool(_FAILED.search(output))


def is_telling(command: str) -> bool:
    """Whether a command tests, builds, checks, installs, migrates or runs a script."""
    start = _VARIABLES.match(command)
    return bool(_TELLING.match(command, start.end() if start else 0)) and not _ASKS_ONLY.fullmatch(command)


def _parts(line: str) -> list[tuple[str, str]]:
    """The commands of a line, each with the operator before it ("&&", "||", "|", ";" or empty)."""
    parts: list[tuple[str, str]] = []
    joint, start = "", 0
    for found in _SEPARATOR.finditer(line):
        if found[2] is not None:
            parts.append((joint, line[start : found.start()]))
            joint, start = found[2].strip()[:2].rstrip("&") or ("&&" if "&&" in found[2] else ";"), found.end()
    parts.append((joint, line[start:]))
    return [(joint, part.strip()) for joint, part in parts if part.strip()]


def _bare(part: str) -> str:
    """The command without prefixes such as `time` or `NO_COLOR=1`, and without redirections."""
    bare = _NOISE.sub("", _REDIRECTED.sub("", part.strip("() \t")), count=1)
    return " ".join(bare.split())


def _code(step: Step, *, is_certain: bool) -> int | None:
    """The exit code of the informative part; read from the output if another command follows. None if unknown."""
    if is_certain or step.code is None:
        return step.code
    echoed = _ECHOED.findall(step.output)
    if echoed and re.search(r"\$\?|PIPESTATUS|pipestatus", step.text):
        return int(echoed[-1])
    if _FAILED.search(step.output):
        return step.code or 1
    return 0 if _PASSED.search(step.output) and not step.code else None


LONGEST_LINE = 200  # characters of an error line
_START = r"^[ \t│|>]*"

_PAIRS = tuple(
    lazy_pattern(pattern, re.MULTILINE)
    for pattern in (
        (
            rf"{_START}(?P<one>Expected(?: \w+)?:[ \t]+\S.*)\n{_START}(?P<two>(?:Received|Actual|"
            rf"Got)(?: \w+)?:[ \t]+\S.*)"
        ),  # jest, xunit
        r"^[ \t]*(?P<one>[A-Z]\w*(?:::\w+)*(?:Error|Exception)):\n[ \t]+(?P<two>\S.+)",  # rspec
        rf"{_START}(?P<one>expected: .+)\n{_START}(?P<two>got: .+)",  # rspec
        rf"{_START}(?P<one>left: .+)\n{_START}(?P<two>right: .+)",  # cargo test
        (
            rf"{_START}(?P<one>Error: (?!.*\bexit).+)\n+(?:{_START}(?:on|with) .+\n+)(?:{_START}\d+: .*\n+)?"
            rf"{_START}(?P<two>[A-Z].+)"
        ),  # terraform: the second line has the details
    )
)
_SUMMARY = lazy_pattern(r"(?m)^FAILED \S+ - .+")  # pytest's
_LINES = tuple(
    lazy_pattern(pattern, re.MULTILINE)
    for pattern in (
        r"^E\s{2,}\S*(?:Error|Exception|Warning|Failed)\b.*|^E\s{2,}assert .+",
        r"\bExpected:? .+? (?:Actual|Received|Got): .+|\bAssert\.\w+\(\) Failure:? .+",  # on one line
        r"(?<=Error Message:\n)[ \t]+\S.+",  # dotnet test
        r"^[ \t]*Failed asserting that .+",  # phpunit
        r"^[ \t]*expected .{1,120} (?:but|to|not to) .+|^[ \t]*expected `.+",  # rspec; a matcher's own words
        r"^[ \t]*\S+_test\.go:\d+: .+|^[ \t]*Error Trace:.+|^[ \t]*Error:\s{2,}\S.+",  # go test
        r"^\S+\.go:\d+:\d+: .+",
        (
            r"^error(?:\[\w+\])?: (?!could not compile|aborting|command |script |recipe |Failed to push|"
            r"process didn't).+"
            r"|^.{1,160}: (?:fatal )?error(?: [A-Z]+\d+)?: .+|^.{1,120}\(\d+,\d+\): error .+|"
            r"^.{1,120}:\d+:\d+ - error \w+: .+"
        ),
        r"^(?:\S+: )?(?:ERROR|FATAL): {1,2}(?!process |Job |Service |No matching).+|^psql:.+ERROR: .+",  # psql, pip
        (
            r"^\[ERROR\]\s+(?!Tests run|Failures:|Errors:|->|To see|Re-run|For more|Failed to execute|COMPILATION|"
            r"BUILD|\s*$)\S.+"
        ),
        r"^[ \t]*[\w.:\\]*(?:Error|Exception|Panic)\b(?: ?\[\w+\])?: .+",
        r"^.{1,60}? (?:Error|\w+Error): .+",  # with the name of a package in front
        r"^(?:thread '.*' )?panicked at .+|^panic: .+|^.*\bfatal(?: error)?: .+",
        r"^.*Received status code \d+.*",
        r"^.*Could not (?:resolve|GET|find) .+",  # gradle
        r"^error: .+|^Error from server .+|^\S+: \*\*\* (?!\[).+",
        r"^npm (?:ERR!|error) (?!code|A complete log|path|errno).+|^make: \*\*\* .+",
        r"^[ \t]*--- FAIL: .+|^[ \t]*(?:●|✕|✗|✘|×|✖) .+|^[ \t]*(?:FAIL|FAILED)\b.+",
        r"^.*\b(?:error|Error|ERROR|cannot|Cannot|not found|No such file|denied|undefined)\b.*",
    )
)
_NO_ERROR = lazy_pattern(
    r"(?i)\b(?:0|no) errors?\b|^(?:Exit code|error Command failed with exit|Error: \(none\))|\b0 failed\b"
)


def error_line(output: str) -> str:
    """The most informative error line of an output, at most LONGEST_LINE characters; else its last line."""
    firsts = (_first(pattern, output) for pattern in _LINES)
    candidates = (_summed_up(output), _pair(output), *firsts, _last(output))
    return next(filter(None, candidates), "")[:LONGEST_LINE]


def _summed_up(output: str) -> str:
    """The first two failed tests of a summary, each with its error whole; only the first if both are too long."""
    lines = [_whole(" ".join(found[0].split()), output) for found in _SUMMARY.finditer(output)][:2]
    both = "  ".join(lines)
    return both if len(both) <= LONGEST_LINE else lines[0]


def _whole(line: str, output: str) -> str:
    """A line of pytest's summary; where its end is cut off, with the line of the failure that begins alike."""
    test, _, error = line.partition(" - ")
    start = error.removesuffix("...")
    whole = re.search(rf"^E\s+({re.escape(start)}.*)", output, re.MULTILINE) if start and start != error else None
    return f"{test} - {' '.join(whole[1].split())}" if whole else line


def _first(pattern: re.Pattern[str], output: str) -> str:
    lines = (" ".join(found[0].split()) for found in pattern.finditer(output) if not _NO_ERROR.search(found[0].strip()))
    return next(lines, "")


def _pair(output: str) -> str:
    """The expected and the actual value, from two lines; empty without such a pair."""
    found = next(filter(None, (pattern.search(output) for pattern in _PAIRS)), None)
    return "  ".join(" ".join(found[name].split()) for name in ("one", "two")) if found else ""


def _last(output: str) -> str:
    last = next((line for line in reversed(output.splitlines()) if line.strip()), "")
    return " ".join(last.split())
