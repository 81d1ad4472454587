"""CI workflows (GitHub, GitLab, Travis): the tested versions, and commands if no other file has any."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import Fact
from repomem.profile.manifests.commands import MAX_COMMAND_CHARS, command_facts, slot_of_command
from repomem.profile.manifests.manifest import Excerpt, Manifest, joined
from repomem.profile.manifests.structured_text import YamlNode, yaml_nodes
from repomem.profile.manifests.working_folder import from_root

_LABELS = """Python Node Ruby Go Java PHP Rust Elixir OTP Scala Swift dotnet GHC Dart Kotlin Julia Perl Lua Zig Crystal
    Deno Bun Nim OCaml Xcode compiler"""
_OTHER_KEYS = {"py": "Python", "node_js": "Node", "rvm": "Ruby", "jdk": "Java", "toolchain": "Rust", "cxx": "compiler"}
VERSION_KEYS = {label.lower(): label for label in _LABELS.split()} | _OTHER_KEYS  # without the suffix "-version"
COMPILER_PROGRAMS = frozenset(["cc", "cxx"])  # of the compiler that a matrix names in a key of its own
SYSTEM_KEYS = frozenset({"os", "operating-system", "platform"})
PROCESSOR = lazy_pattern(r"x64|x86(?:_64)?|amd64|win32|arm\w*|aarch64|i[36]86|ppc\w*|riscv\w*|s390x")  # not a system
LISTS_OF_TRAVIS = frozenset({"python", "node_js", "rvm", "go", "jdk", "php", "rust", "scala", "elixir", "otp_release"})
VERSION = lazy_pattern(r"[\w.+-]{0,20}\d[\w.+-]{0,20}(?:[ ]?\([\w. -]{1,20}\))?|[a-z]+(?:\+\+)?(?:-[a-z]+)?")
RUST_TOOLCHAIN = lazy_pattern(r"\d.*|(?:stable|beta|nightly)\b.*|\$\{\{.*")  # other languages have toolchains too
EXPRESSION = "${{"  # a value that GitHub computes
COMPUTED = lazy_pattern(r"(\s(?!-)\S+)\s\$\{\{[^{}]*\}\}(?=\s|$)")  # an argument, but not the value of an option
JAVA_VENDOR = lazy_pattern(r"^[a-z]+@(?=\d)")  # temurin@17
FLOATING = lazy_pattern(r"\d\.x")  # of Python; Node's 20.x has two digits
MINOR = lazy_pattern(r"(\d+\.)?(\d+)(\.x)?")
# Jobs besides the tests.
SIDE_JOB = lazy_pattern(r"(?i)lint|clippy|format|fmt|style|typ(?:e|ing)|docs?\b|bench|fuzz|coverage|msrv")
TEST_TASK = lazy_pattern(r"\b(?:make|just|task|rake|run)\s+\w*tests?\b|\brake\s+\w*specs?\b")
BUILD_THAT_TESTS = lazy_pattern(  # a later phase of Maven's life cycle, a task of Gradle's that the tests belong to
    r"\bmvnw?\b(?!.*\s-D(?:skipTests|maven\.test\.skip)\b(?!=false)).*\s(?:package|install|deploy)\b"
    r"|\bgradlew?\b(?!.*\s-x\s+\S*\btest\b).*\s:?build\b"
)
ACTIONS = {  # a linter that an action runs
    "dominikh/staticcheck-action": "staticcheck ./...",
    "golangci/golangci-lint-action": "golangci-lint run",
    "pre-commit/action": "pre-commit run --all-files",
}
RUSTUP = lazy_pattern(
    r"\brustup\s+(?:update|default|toolchain\s+install)\s+(?:\$\{\{\s*matrix\.(\w+)\s*\}\}|([\w.-]+))"
)
IN_AN_EXAMPLE = lazy_pattern(  # which shows or describes the product
    r"(?i)\(?cd (?:\S+/)?(?:examples?|samples?|demos?|docs?|website|playground|smoke[-_]?tests?)(?:/\S*)? && "
)
NO_CHECK = lazy_pattern(r"(?i)publish|release|deploy")
MAX_VERSIONS = 12

Versions = dict[str, dict[str, int]]
"""The versions of a matrix: label to version to line number, in file order."""


def read_workflow(manifest: Manifest) -> Iterable[Fact]:
    """The versions and commands of a GitHub workflow."""
    nodes = yaml_nodes(manifest.text)
    jobs = [job for name, job in _named_jobs(nodes) if not SIDE_JOB.search(name.text)]
    testing = [job for job in jobs if _runs_tests(job)]
    tested: Versions = {}
    others: Versions = {}
    for job in jobs:
        versions = tested if job in testing else others
        matrix = job.get("strategy", "matrix")
        if matrix:
            _add_matrix(versions, matrix)
        if matrix or job in testing:
            _add_runner(versions, job.get("runs-on"))
        if testing:
            _add_toolchains(versions, job)
    if not any(job.get("strategy") or job.get("uses") for job in jobs):
        for job in testing:
            _add_set_up(tested, job)
    yield from _version_facts(manifest, tested, others)
    if not NO_CHECK.search(manifest.path):
        yield from command_facts(manifest, _job_commands(nodes, manifest))


def _runs_tests(job: YamlNode) -> bool:
    """Whether a step of a job that may fail runs tests."""
    checking = [step for step in job.get("steps").items if not (_is_ignored(job) or _is_ignored(step))]
    commands = [command.text[:MAX_COMMAND_CHARS] for command in _commands(checking, "run")]
    return any(
        slot_of_command(each) == "test" or TEST_TASK.search(each) or BUILD_THAT_TESTS.search(each) for each in commands
    )


def _job_commands(nodes: Sequence[YamlNode], manifest: Manifest) -> Iterator[Excerpt]:
    """The commands of a workflow's jobs that may fail them; of side jobs, only linters and formatters."""
    for name, job in _named_jobs(nodes):
        folder = _folder(job) or _folder(nodes[0])
        for step in job.get("steps").items:
            own = step.get("working-directory")
            run = [*_commands([step], "run"), *_linter_of_action(step)]
            commands = from_root(run, manifest.paths, own.text if own else folder)
            for command in () if _is_ignored(job) or _is_ignored(step) else map(_without_choices, commands):
                if IN_AN_EXAMPLE.match(command.text):
                    continue
                if not SIDE_JOB.search(name.text) or slot_of_command(command.text) in ("lint", "format"):
                    yield command


def _linter_of_action(step: YamlNode) -> Iterator[Excerpt]:
    """The linter that the action of a step runs, unless the step gives it arguments."""
    action = step.get("uses")
    command = ACTIONS.get(action.text.partition("@")[0])
    if command and not step.get("with", "args") and not step.get("with", "extra_args"):
        yield Excerpt(command, action.line)


def _without_choices(command: Excerpt) -> Excerpt:
    """A linter without computed arguments, such as the features of a matrix; any other command as it is."""
    text = COMPUTED.sub(r"\1", command.text)
    return replace(command, text=text) if slot_of_command(text) == "lint" else command


def _folder(node: YamlNode) -> str:
    """The folder in which the steps of a job or workflow run; empty for the root."""
    return node.get("defaults", "run", "working-directory").text


def _is_ignored(node: YamlNode) -> bool:
    """Whether a step or job never runs, or may fail."""
    values = {key.text: value.text for key, value in node.pairs}
    return values.get("if") == "false" or values.get("continue-on-error") == "true"


def read_gitlab(manifest: Manifest) -> Iterable[Fact]:
    """The commands of a GitLab pipeline."""
    return command_facts(manifest, _scripts(manifest, yaml_nodes(manifest.text)))


def read_travis(manifest: Manifest) -> Iterable[Fact]:
    """The language versions and commands of a Travis build."""
    nodes = yaml_nodes(manifest.text)
    versions: Versions = {}
    for key, value in nodes[0].entries():
        if key.text in LISTS_OF_TRAVIS:
            _add_values(versions, key.text, value)
    yield from _version_facts(manifest, versions, {})
    yield from command_facts(manifest, _scripts(manifest, nodes))


def _scripts(manifest: Manifest, nodes: Sequence[YamlNode]) -> Iterator[Excerpt]:
    """The commands of each `script`, which one shell runs."""
    for node in nodes:
        yield from from_root(list(_commands([node], "script")), manifest.paths)


def _commands(nodes: Sequence[YamlNode], name: str) -> Iterator[Excerpt]:
    """Each shell line under keys named `name`: scalars, list items, and block scalars line by line."""
    for node in nodes:
        for key, value in node.pairs:
            if key.text == name:
                for command in value.items or [value]:
                    yield from _shell_lines(command)


def _shell_lines(node: YamlNode) -> Iterator[Excerpt]:
    if node.style == "|":
        yield from _block_lines(node)
    elif len(node.pairs) == 1:  # YAML parses `- echo: x` as a mapping
        yield from (Excerpt(f"{key.text}: {value.text}", node.line) for key, value in node.pairs)
    elif text := " ".join(node.text.split()):
        yield Excerpt(text, node.line + (node.style == ">"))


def _block_lines(node: YamlNode) -> Iterator[Excerpt]:
    """The commands of a block scalar; a trailing backslash joins lines."""
    whole, start = "", 0
    for number, line in enumerate(node.text.split("\n"), start=node.line + 1):
        start = start if whole else number
        whole = f"{whole} {line.strip()}".strip()
        if whole.endswith("\\"):
            whole = whole.removesuffix("\\").rstrip()
            continue
        if whole:
            yield Excerpt(whole, start)
        whole = ""
    if whole:
        yield Excerpt(whole, start)


def _named_jobs(nodes: Sequence[YamlNode]) -> list[tuple[YamlNode, YamlNode]]:
    """The names and jobs of a workflow that do not only publish."""
    return [(name, job) for name, job in nodes[0].get("jobs").entries() if not NO_CHECK.search(name.text)]


def _add_runner(versions: Versions, runner: YamlNode) -> None:
    """Add the systems that `runs-on` names itself, such as the default in `matrix.os || 'ubuntu-latest'`."""
    for system in re.findall(r"\b(?:ubuntu|macos|windows)\b", runner.text):
        _add(versions, "os", system, runner.line)


def _add_set_up(versions: Versions, job: YamlNode) -> None:
    """Add the versions that steps such as `actions/setup-java` name themselves."""
    for step in job.get("steps").items:
        for key, value in step.get("with").entries():
            if key.text.endswith("-version") and re.search(r"\d", value.text):
                _add_values(versions, key.text, value)


def _add_toolchains(versions: Versions, job: YamlNode) -> None:
    """Add the versions of Rust that steps name: `uses: dtolnay/rust-toolchain@nightly`, or its option `toolchain`.

    `rustup` names them too, or the key of the matrix that lists them.
    """
    for step in job.get("steps").items:
        for command in _commands([step], "run"):
            for key, version in RUSTUP.findall(command.text):
                named = job.get("strategy", "matrix", key) if key else YamlNode(command.line, text=version)
                _add_values(versions, "toolchain", named)
        action = step.get("uses")
        name, _, version = action.text.partition("@")
        if name.endswith("rust-toolchain"):
            chosen = step.get("with", "toolchain") or replace(action, text=version)
            if re.fullmatch(r"\d+\.\d+(?:\.\d+)?|stable|beta|nightly\S*", chosen.text):
                _add(versions, "rust", chosen.text, chosen.line)


def _add_matrix(versions: Versions, matrix: YamlNode) -> None:
    """Add the values of a matrix, without a compiler that few of its included entries set: the others take another."""
    pairs = [pair for entry in matrix.get("include").items for pair in entry.entries()]
    uses = Counter(name.text for name, _ in pairs)
    few = {name for name, count in uses.items() if 2 * count < len(matrix.get("include").items)}
    skipped = {name for name in few if VERSION_KEYS.get(name.lower()) == "compiler"}
    skipped |= {name for name in uses if matrix.get("compiler") and name.lower() in COMPILER_PROGRAMS}
    for key, value in matrix.entries():
        if key.text == "include":
            for name, version in pairs:
                if name.text not in skipped:
                    _add_values(versions, name.text, version)
        elif key.text != "exclude":
            _add_values(versions, key.text, value)


def _add_values(versions: Versions, key: str, value: YamlNode) -> None:
    """Add a scalar, or each item of a list."""
    for version in value.items or [value]:
        _add(versions, key, version.text, version.line)


def _add(versions: Versions, key: str, value: str, line: int) -> None:
    name = re.sub(r"[-_]?versions?$", "", key.lower())
    label = "on" if name in SYSTEM_KEYS else VERSION_KEYS.get(name, "")
    if label == "Rust" and not RUST_TOOLCHAIN.fullmatch(value):
        return
    value = value.lower() if label == "on" else JAVA_VENDOR.sub("", value)
    if label == "on" and PROCESSOR.fullmatch(value):
        return
    if label and (VERSION.fullmatch(value) or EXPRESSION in value):
        system = value.split("-", maxsplit=1)[0] if label == "on" and EXPRESSION not in value else value
        if label == "Go" and value.isdigit() and int(value) > 1:  # the matrix of `go-version: 1.${{ matrix.go }}`
            system = f"1.{value}"
        versions.setdefault(label, {}).setdefault(system, line)


def _version_facts(manifest: Manifest, tested: Versions, others: Versions) -> list[Fact]:
    """One fact with languages and their versions, then operating systems; empty without a language.

    Versions of `others`, jobs that run no tests, are marked where the tests run with other ones.
    """
    tested, others = _without_computed_lists(tested), _without_computed_lists(others)
    found = {label: others.get(label, {}) | tested.get(label, {}) for label in tested | others}
    systems = found.pop("on", {})
    excerpts = [Excerpt(f"{label} {_listed(label, tested, others)}", min(found[label].values())) for label in found]
    if not excerpts:
        return []
    if len(systems) > 1:  # a single one is just the default runner
        excerpts.append(Excerpt(f"on {_shown(systems)}", min(systems.values())))
        found["on"] = systems
    facts = joined(manifest, "ci", excerpts)
    last = max(line for versions in found.values() for line in versions.values())
    return [manifest.fact(fact.slot, fact.text, fact.start_line, last) for fact in facts]


def _without_computed_lists(versions: Versions) -> Versions:
    return {label: found for label, found in versions.items() if not all(EXPRESSION in each for each in found)}


def _listed(label: str, tested: Versions, others: Versions) -> str:
    ours = tested.get(label, {})
    rest = [version for version in others.get(label, {}) if version not in ours]
    return f"{_shown(ours)} (tests), {_shown(rest)} (other jobs)" if ours and rest else _shown([*ours, *rest])


def _shown(versions: Collection[str]) -> str:
    """The versions in order; a list with a computed one is marked as incomplete."""
    known = [version for version in versions if EXPRESSION not in version]
    exact = [version for version in known if not FLOATING.fullmatch(version)]  # a bare `3.x` is whatever is newest
    computed = ["others computed"] * (len(known) < len(versions))
    return ", ".join([*_ranges(sorted(exact or known, key=_version_order)), *computed])


def _version_order(version: str) -> tuple[str, list[int], str]:
    """The sort key of a version: its name (pypy-3.11, stable; those without one first), then its numbers."""
    name = re.match(r"[^0-9]*", version)
    return name[0] if name else "", [int(number) for number in re.findall(r"[0-9]+", version)], version


def _ranges(versions: Sequence[str]) -> list[str]:
    """The versions, with three or more consecutive ones as a range: 3.10, 3.11, 3.12 becomes 3.10–3.12."""
    runs: list[list[str]] = []
    for version in versions:
        if runs and _follows(runs[-1][-1], version):
            runs[-1].append(version)
        else:
            runs.append([version])
    shown = [version for run in runs for version in ([f"{run[0]}–{run[-1]}"] if len(run) > 2 else run)]
    left_out = len(shown) - MAX_VERSIONS
    return [*shown[:MAX_VERSIONS], f"{left_out} more"] if left_out > 0 else shown


def _follows(earlier: str, later: str) -> bool:
    one, two = MINOR.fullmatch(earlier), MINOR.fullmatch(later)
    if one is None or two is None:
        return False
    return (one[1], one[3], int(one[2]) + 1) == (two[1], two[3], int(two[2]))
