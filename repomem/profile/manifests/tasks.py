"""The tasks of Makefiles, justfiles, Taskfiles and Rakefiles, with the command that each runs."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import Fact
from repomem.profile.manifests.commands import Task, only_installs, task_facts
from repomem.profile.manifests.manifest import Excerpt, Manifest
from repomem.profile.manifests.structured_text import YamlNode, yaml_nodes

MAKE_RULE = lazy_pattern(r"([A-Za-z0-9][\w.-]*(?:[ \t]+[\w.-]+)*)[ \t]*::?(?![:=])([^=#;]*)(?:;(.*)|#.*)?")
JUST_RULE = lazy_pattern(r"@?([A-Za-z_][\w-]*)(?:[ \t]+[^:=\n]*)?:(?!=)([^=#]*)(?:#.*)?")
JUST_NEED = lazy_pattern(r"\(([^()]*)\)")  # a prerequisite with arguments
JUST_NEEDS = lazy_pattern(r"(?:\([^()]*\)\s*)+")
MAX_RECIPE_LINES = 50  # a recipe's purpose is near its top; bounds matching time
BETWEEN_RECIPES = lazy_pattern(r"#|ifn?eq|ifn?def|else|endif")  # unindented lines that do not end a recipe
QUIET_LINE = lazy_pattern(  # messages, and what only prepares the command of a recipe
    r"(?:@?[ \t]*(?:echo|printf|:|#)|\$\((?:info|warning|call)\b|#)|[@-]*(?:rm|touch|mkdir)\b(?!.*(?:&&|;))"
)
MAKE_VARIABLE = lazy_pattern(r"(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*(?:[?:]{0,2}=)[ \t]*([^#\\]*)(?:#.*)?")
MAKE_USE = lazy_pattern(r"(?<!\$)\$(?:\((\w+)\)|\{(\w+)\})")
MAX_EXPANSIONS = 4  # variables inside variables
MAX_EXPANDED = 500  # characters
MAKE_ORDER = ("GNUmakefile", "makefile", "Makefile")  # in one folder make reads the first alone
CONFIGURE = ("configure", "configure.ac", "configure.in")
ASKS_FOR_CONFIGURE = lazy_pattern(r"^[^#\n]*\b(?:echo|printf|error)\b[^\n]*\bconfigure\b", re.MULTILINE)
MAKE_INCLUDE = lazy_pattern(r"^include[ \t]+([\w./-]+)[ \t]*$", re.MULTILINE)  # not -include, which may be absent
RAKE_TASK = lazy_pattern(r"(?:multi)?task[ (]+(?::|['\"])?(\w+(?::\w+)*)(?:['\"]?[ \t]*(?:=>|:|,)[ \t]*(.*))?")
RAKE_CLASS = lazy_pattern(r"[\w:]{0,60}(Test|RSpec|Spec|RuboCop)[\w:]{0,40}\.(?:new|create)\b(?:[( ]+[:'\"]+([\w:]+))?")
RAKE_NEEDS = lazy_pattern(r"%w\[[\w: -]+\]|\[[\w:, '\"-]+\]|[:'\"][\w:-]+['\"]?(?![\w.(])")
RAKE_DEFAULTS = {"Test": "test", "RSpec": "spec", "Spec": "spec", "RuboCop": "rubocop"}


def read_makefile(manifest: Manifest) -> Iterable[Fact]:
    """The targets of a Makefile that build, test or lint; none where make reads another, or only after `configure`."""
    if _is_passed_over(manifest) or _is_configured(manifest):
        return []
    return task_facts(manifest, list(_rules(manifest, MAKE_RULE, "make")))


def read_justfile(manifest: Manifest) -> Iterable[Fact]:
    """The recipes of a justfile that build, test or lint."""
    return task_facts(manifest, list(_rules(manifest, JUST_RULE, "just")))


def read_taskfile(manifest: Manifest) -> Iterable[Fact]:
    """The tasks of a Taskfile that build, test or lint."""
    tasks = []
    for name, body in yaml_nodes(manifest.text)[0].get("tasks").entries():
        lines = _shell_lines(body)
        runs, has_more = (lines[0], len(lines) > 1) if lines else ("", False)
        tasks.append(Task(name.text, f"task {name.text}", runs, name.line, has_more=has_more))
    return task_facts(manifest, tasks)


def read_rakefile(manifest: Manifest) -> Iterable[Fact]:
    """The tasks of a Rakefile, without namespaced ones; they run Ruby, so only prerequisites are shown."""
    tasks, rake = [], "bundle exec rake" if "Gemfile" in manifest.paths else "rake"
    for number, line in enumerate(manifest.lines, start=1):
        if task := RAKE_TASK.match(line):
            needs = RAKE_NEEDS.match(task[2] or "")
            runs = " ".join(re.findall(r"\w+(?:[:-]\w+)*", needs[0].removeprefix("%w"))) if needs else ""
            tasks.append(Task(task[1], f"{rake} {task[1]}", runs, number))
        elif made := RAKE_CLASS.match(line):
            name = made[2] or RAKE_DEFAULTS.get(made[1], "")
            tasks.append(Task(name, f"{rake} {name}", "", number))
    return task_facts(manifest, tasks)


def _is_passed_over(manifest: Manifest) -> bool:
    path = PurePosixPath(manifest.path)
    return any(str(path.with_name(name)) in manifest.paths for name in MAKE_ORDER[: MAKE_ORDER.index(path.name)])


def _is_configured(manifest: Manifest) -> bool:
    """Whether a Makefile beside a `configure` asks to run it, or includes a file that is not in git and has no rule."""
    path = PurePosixPath(manifest.path)
    if not any(str(path.with_name(name)) in manifest.paths for name in CONFIGURE):
        return False
    included = (name for name in MAKE_INCLUDE.findall(manifest.text) if f"\n{name}:" not in manifest.text)
    return ASKS_FOR_CONFIGURE.search(manifest.text) is not None or any(
        posixpath.normpath(path.parent / name) not in manifest.paths for name in included
    )


def _rules(manifest: Manifest, rule: re.Pattern[str], program: str) -> Iterator[Task]:
    """The tasks of the rules with a command (a recipe line that prints no message) or with prerequisites."""
    lines = manifest.lines
    values = _assigned(lines) if rule is MAKE_RULE else {}
    for index, line in enumerate(lines):
        found = rule.fullmatch(line)
        if found is None:
            continue
        inline = found[3] if rule is MAKE_RULE else ""
        needs, below = _prerequisites(found[2], lines, index + 1)
        recipe = list(_recipe([inline or "", *lines[below : below + MAX_RECIPE_LINES]], below))
        if recipe and only_installs(each.text for each in recipe):
            continue
        runs = recipe[0] if recipe else Excerpt(needs, below)
        for name in found[1].split():
            if runs.text:
                is_part = recipe and any(need.startswith((f"{name}-", f"{name}_")) for need in needs.split())
                text = "" if is_part else _expanded(runs.text, values)
                yield Task(name, f"{program} {name}", text, index + 1, runs.line, len(recipe) > 1)


def _prerequisites(first: str, lines: Sequence[str], below: int) -> tuple[str, int]:
    """The prerequisites of a rule, and the number of lines above its recipe, `below` being those above its second line.

    just reads a prerequisite with arguments until its parenthesis is closed, on whichever line.
    """
    whole, end = first.strip(), below
    while whole.count("(") > whole.count(")") and end < min(below + MAX_RECIPE_LINES, len(lines)):
        whole = f"{whole} {lines[end].strip()}"
        end += 1
    return ", ".join(need.strip() for need in JUST_NEED.findall(whole)) if JUST_NEEDS.fullmatch(whole) else whole, end


def _assigned(lines: Iterable[str]) -> dict[str, str]:
    """The values of a Makefile's variables that are assigned once; the others depend on conditions."""
    found: dict[str, list[str]] = {}
    for line in lines:
        if assigned := MAKE_VARIABLE.fullmatch(line):
            found.setdefault(assigned[1], []).append(assigned[2].strip())
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _expanded(command: str, values: Mapping[str, str]) -> str:
    """A command with the variables that have known values replaced."""
    for _ in range(MAX_EXPANSIONS):
        command = MAKE_USE.sub(lambda use: values.get(use[1] or use[2], use[0]), command)[:MAX_EXPANDED]
    return command


def _recipe(body: Sequence[str], line: int) -> Iterator[Excerpt]:
    """The commands of a recipe that do more than print messages, with their continuation lines.

    `body` starts with the rest of the rule's own line, whose number is `line`.
    """
    whole = ""
    for number, raw in enumerate(body, start=line):
        if number > line and raw.strip() and not raw[0].isspace() and not BETWEEN_RECIPES.match(raw):
            break
        whole += raw.strip() if number == line or raw[:1].isspace() else ""
        if whole.endswith("\\"):
            whole = whole[:-1].rstrip() + " "
            continue
        command = whole.strip().lstrip("@-+ \t")
        if command and not QUIET_LINE.match(command):
            yield Excerpt(command, number)
        whole = ""


def _shell_lines(body: YamlNode) -> list[str]:
    """The shell lines of a Taskfile's task; its commands are a scalar, a list, or under `cmds` or `cmd`."""
    commands = (body.get("cmds") or body.get("cmd")) if body.pairs else body
    own = (item.get("cmd") if item.pairs else item for item in commands.items or [commands])
    return [line for command in own if command for line in command.text.strip().split("\n") if line]
