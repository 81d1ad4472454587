"""The usual commands of each ecosystem, and which ecosystem a repository mainly belongs to.

`ECOSYSTEMS` is a table, each with its default commands: to support another one, add a row.
"""

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import Fact
from repomem.profile.manifests import cmake
from repomem.profile.manifests.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Default:
    """A command that works where a file at `path` exists, contains `text`, and a file at `needs` exists too.

    It is not shown if a workflow contains `unless`, another way to do the same. A file at `needs` that contains `lacks`
    does not count.
    """

    slot: str
    path: str
    command: str
    needs: str = ""
    text: str = ""
    unless: str = ""
    lacks: str = ""


@dataclass(frozen=True, slots=True)
class Ecosystem:
    """One toolchain: its manifests at the root, its source files, and its programs."""

    manifests: str
    sources: str  # the extensions of its files
    programs: str


_CARGO = r"Cargo\.toml"
_WORKSPACE = (  # several packages and one at the root, to which `cargo` without options is limited
    r"\A(?=[\s\S]*^\[package\])(?![\s\S]*^default-members)"
    r"(?=[\s\S]*^members\s*=\s*\[[^\]]*[\"'](?!\.[\"'])[\w./*])[\s\S]*?^\[workspace\]"
)
_RUNS_RUSTFMT = r"^(?!\s*#).*\brustfmt --"
_GRADLE_FILE = r"(?:[^/]+/)?build\.gradle(?:\.kts)?"
MULTIPLATFORM = r"kotlin\(\"multiplatform\"\)|kotlin\.multiplatform|kotlinMultiplatform"  # it has no task `test`
_PYPROJECT = r"pyproject\.toml"
_PYTEST_OPTION = r"\[tool\.pytest|\[tool:pytest\]|\[pytest\]"
_CABAL_FILE = r"(?:[^/]+/)?[^/]+\.cabal"
_TEST_SUITE = r"(?i)^\s*test-suite\b"
_COMPOSER = r"composer\.json"
_PHPUNIT_FILE = r"phpunit\.(?:xml|xml\.dist|dist\.xml)"
OWN_BIN_FOLDER = r"\"(?:bin|vendor)-dir\""  # in composer.json: programs are not in vendor/bin
_BUSTED_HELPER = r"\bbusted\b.*\s-Xhelper\b"  # its arguments are those of the machine
_HASKELL_PACKAGE = r"cabal\.project|[^/]+\.cabal"
_OPTIONAL_RUBOCOP = (  # in a group that `bundle install` leaves out
    r"^group\b[^\n]*\boptional(?::|[ ]*=>)[ ]*true\b[^\n]*\n(?:(?!end\b)[^\n]*\n)*?[ \t]+gem[ (]+['\"]rubocop['\"]"
)


def _requires(package: str) -> str:
    """A pattern of a composer.json that requires a package and installs its programs in vendor/bin."""
    return rf"\A(?![\s\S]*{OWN_BIN_FOLDER})[\s\S]*?\"{package}\"[ ]*:"


ECOSYSTEMS: Mapping[Ecosystem, tuple[Default, ...]] = {
    Ecosystem(r"Cargo\.toml", r"rs", r"cargo"): (
        Default("build", _CARGO, "cargo build --workspace", text=_WORKSPACE),
        Default("build", _CARGO, "cargo build"),
        Default("test", _CARGO, "cargo test --workspace", text=_WORKSPACE),
        Default("test", _CARGO, "cargo test"),
        Default("lint", _CARGO, "cargo clippy --workspace", needs=r"\.?clippy\.toml", text=_WORKSPACE),
        Default("lint", r"\.?clippy\.toml", "cargo clippy"),
        Default("format", _CARGO, "cargo fmt --all", r"\.?rustfmt\.toml", _WORKSPACE, _RUNS_RUSTFMT),
        Default("format", r"\.?rustfmt\.toml", "cargo fmt", unless=_RUNS_RUSTFMT),
    ),
    Ecosystem(r"go\.mod", r"go", r"go|gofmt|golangci-lint|gotestsum"): (
        Default("build", r"go\.mod", "go build ./..."),
        Default("test", r"go\.mod", "go test ./...", needs=r".*_test\.go"),
        Default("lint", r"\.golangci\.ya?ml", "golangci-lint run"),
    ),
    Ecosystem(r"(?:settings|build)\.gradle(?:\.kts)?", r"java|kt|groovy", r"gradlew?"): (
        Default("build", r"gradlew", "./gradlew build"),
        Default("build", r"(?:settings|build)\.gradle(?:\.kts)?", "gradle build"),
        Default("test", _GRADLE_FILE, "./gradlew check", needs=r"gradlew", text=MULTIPLATFORM),
        Default("test", _GRADLE_FILE, "gradle check", text=MULTIPLATFORM),
        Default("test", r"gradlew", "./gradlew test"),
        Default("test", r"(?:settings|build)\.gradle(?:\.kts)?", "gradle test"),
    ),
    Ecosystem(r"pom\.xml", r"java|kt", r"mvnw?"): (
        Default("build", r"mvnw", "./mvnw package"),
        Default("build", r"pom\.xml", "mvn package"),
        Default("test", r"mvnw", "./mvnw test"),
        Default("test", r"pom\.xml", "mvn test"),
    ),
    Ecosystem(r"mix\.exs", r"exs?", r"mix"): (
        Default("build", r"mix\.exs", "mix compile"),
        Default("test", r"mix\.exs", "mix test"),
        Default("lint", r"\.credo\.exs", "mix credo"),
        Default("format", r"\.formatter\.exs", "mix format"),
    ),
    Ecosystem(r"[^/]+\.(?:slnx?|csproj|fsproj)", r"cs|fs|vb", r"dotnet|msbuild"): (
        Default("build", r"[^/]+\.(?:slnx?|csproj|fsproj)", "dotnet build"),
        Default("test", r"[^/]+\.(?:slnx?|csproj|fsproj)", "dotnet test", needs=r"(?i:.*tests?[^/]*\.(?:cs|fs)proj)"),
    ),
    Ecosystem(r"Package\.swift", r"swift|mm?", r"swift|xcodebuild|(?:bundle exec )?fastlane"): (
        Default("build", r"Package\.swift", "swift build"),
        Default("test", r"Package\.swift", "swift test", text=r"\.testTarget\("),
        Default("lint", r"\.swiftlint\.yml", "swiftlint"),
    ),
    Ecosystem(r"Gemfile|Rakefile|[^/]+\.gemspec", r"rb", r"bundle|rake|rspec|ruby|rubocop"): (
        Default("test", r"\.rspec", "bundle exec rspec", needs=r"Gemfile"),
        Default("test", r"Rakefile", "bundle exec rake", needs=r"Gemfile", text=r"task[ (]+:?default"),
        Default("lint", r"\.rubocop\.yml", "bundle exec rubocop", needs=r"Gemfile", lacks=_OPTIONAL_RUBOCOP),
    ),
    Ecosystem(_COMPOSER, r"php", r"composer|(?:php\s+)?(?:\./)?vendor/bin/[\w-]+|phpunit"): (
        Default("test", _COMPOSER, "vendor/bin/pest", needs=_PHPUNIT_FILE, text=_requires("pestphp/pest")),
        Default("test", _COMPOSER, "vendor/bin/phpunit", needs=_PHPUNIT_FILE, text=_requires("phpunit/phpunit")),
        Default("test", _COMPOSER, "vendor/bin/simple-phpunit", _PHPUNIT_FILE, _requires("symfony/phpunit-bridge")),
        Default("lint", r"phpstan(?:\.dist)?\.neon(?:\.dist)?", "vendor/bin/phpstan analyse"),
        Default("format", _COMPOSER, "vendor/bin/php-cs-fixer fix", text=_requires("friendsofphp/php-cs-fixer")),
    ),
    Ecosystem(rf"stack\.yaml|{_HASKELL_PACKAGE}", r"l?hs", r"stack|cabal"): (
        Default("build", r"stack\.yaml", "stack build"),
        Default("build", _HASKELL_PACKAGE, "cabal build all"),
        Default("test", _CABAL_FILE, "stack test", needs=r"stack\.yaml", text=_TEST_SUITE),
        Default("test", r"stack\.yaml", "stack test", needs=r"(?:tests?|spec)/.*\.hs"),
        Default("test", _CABAL_FILE, "cabal test all", text=_TEST_SUITE),
    ),
    Ecosystem(r"build\.zig", r"zig", r"zig"): (
        Default("build", r"build\.zig", "zig build"),
        Default("test", r"build\.zig", "zig build test", text=r"\.step\(\s*\"test\""),
    ),
    Ecosystem(r"pubspec\.yaml", r"dart", r"dart|flutter|melos"): (
        Default("test", r"pubspec\.yaml", "flutter test", needs=r"test/.*_test\.dart", text=r"sdk:\s*flutter"),
        Default("test", r"pubspec\.yaml", "dart test", needs=r"test/.*_test\.dart"),
        Default("lint", r"analysis_options\.yaml", "dart analyze"),
    ),
    Ecosystem(r"build\.sbt", r"scala|sc|java", r"sbt"): (
        Default("build", r"build\.sbt", "sbt compile"),
        Default("test", r"build\.sbt", "sbt test"),
    ),
    Ecosystem(r"Project\.toml", r"jl", r"julia"): (
        Default("test", r"test/runtests\.jl", "julia --project -e 'using Pkg; Pkg.test()'", needs=r"Project\.toml"),
    ),
    Ecosystem(r"[^/]+\.rockspec|\.busted|\.luacheckrc", r"lua", r"busted|luarocks|luacheck"): (
        Default("test", r"\.busted", "busted", unless=_BUSTED_HELPER),
        Default("test", r"[^/]+\.rockspec", "busted", needs=r"spec/.*_spec\.lua", unless=_BUSTED_HELPER),
        Default("test", r"[^/]+\.rockspec", "luarocks test", text=r"^test[ ]*="),
        Default("lint", r"\.luacheckrc", "luacheck ."),
    ),
    Ecosystem(r"Makefile\.PL|dist\.ini|cpanfile", r"p[lm]|t", r"prove|perl"): (
        Default("test", r"Makefile\.PL|dist\.ini|cpanfile", "prove -lr t", needs=r"t/.*\.t"),
    ),
    Ecosystem(r"package\.json", r"[cm]?[jt]sx?|vue|svelte", r"npm|npx|pnpm|yarn|bun|node"): (),
    Ecosystem(
        rf"{_PYPROJECT}|setup\.(?:py|cfg)|tox\.ini", r"pyx?", r"pytest|tox|nox|uv|uvx|poetry|pdm|hatch|python[\d.]*"
    ): (
        Default("test", _PYPROJECT, "uv run pytest", needs=r"uv\.lock", text=_PYTEST_OPTION),
        Default("test", _PYPROJECT, "poetry run pytest", needs=r"poetry\.lock", text=_PYTEST_OPTION),
        Default("test", _PYPROJECT, "pdm run pytest", needs=r"pdm\.lock", text=_PYTEST_OPTION),
        Default("test", rf"{_PYPROJECT}|setup\.cfg|pytest\.ini|tox\.ini", "pytest", text=_PYTEST_OPTION),
        Default("lint", r"\.?ruff\.toml", "ruff check"),
    ),
    Ecosystem(r"CMakeLists\.txt", r"c|cc|cpp|cxx|h|hh|hpp", r"cmake|ctest|ninja"): (
        Default("build", r"CMakeLists\.txt", "cmake -B build && cmake --build build"),
    ),
    Ecosystem(r"configure\.(?:ac|in)", r"c|cc|cpp|cxx|h|hh|hpp", r"autoreconf"): (
        Default("build", r"configure\.(?:ac|in)", "autoreconf -i && ./configure && make", needs=r"Makefile\.am"),
        Default("test", r"Makefile\.am", "make check"),
    ),
}
LINTER = lazy_pattern(r"(?:cargo |mix |bundle exec |vendor/bin/)?([\w-]+)")  # in the command of a default
CI_FILES = lazy_pattern(r"\.github/workflows/.*|\.gitlab-ci\.yml|\.travis\.yml")
CMAKE_FILE = "CMakeLists.txt"
_PREK_ALONE = r"\A(?![\s\S]*[\"']pre-commit\b)[\s\S]*?[\"']prek\b"  # it reads the same configuration
ANY_ECOSYSTEM = (
    Default("lint", _PYPROJECT, "prek run --all-files", needs=r"\.pre-commit-config\.yaml", text=_PREK_ALONE),
    Default("lint", r"\.pre-commit-config\.yaml", "pre-commit run --all-files"),
)
_SOLUTION = lazy_pattern(r"[^/]+\.slnx?")
_PROJECT = lazy_pattern(r"[^/]+\.\w*proj")
_BEFORE_PROGRAM = lazy_pattern(
    r"^\(?(?:\w+=(?:\"[^\"]*\"|\S*)\s+|(?:cd|mkdir)\s+\S+\s*&&\s*|(?:\./|sudo|exec|time)\s*)*"
)


def main_ecosystem(paths: Collection[str]) -> Ecosystem | None:
    """The ecosystem with a manifest at the root and most source files; None without one."""
    endings = Counter(path.rpartition(".")[2] for path in paths if "." in path)
    at_root = [path for path in paths if "/" not in path]
    known = [each for each in ECOSYSTEMS if any(re.fullmatch(each.manifests, path) for path in at_root)]
    return max(
        known, key=lambda each: sum(n for e, n in endings.items() if re.fullmatch(each.sources, e)), default=None
    )


def is_foreign(command: str, main: Ecosystem | None) -> bool:
    """Whether a command runs a program of another ecosystem than the main one."""
    if main is None:
        return False
    rest = _BEFORE_PROGRAM.sub("", command)
    owners = [each for each in ECOSYSTEMS if re.match(rf"(?:{each.programs})(?![\w.-])", rest)]
    return bool(owners) and main not in owners


def default_facts(main: Ecosystem | None, files: Mapping[str, str], paths: Collection[str]) -> Iterator[Fact]:
    """The first default of each slot that applies to these live paths; `files` are the texts that were read."""
    found: set[str] = set()
    shallow = [path for path in paths if path.count("/") <= 1]  # a default applies to no file below that
    if main and CMAKE_FILE in files and re.fullmatch(main.manifests, CMAKE_FILE):
        yield from _cmake_tests(files[CMAKE_FILE])
    own = (each for each in ECOSYSTEMS[main] if not _is_abandoned(each, files)) if main else ()
    for default in (*own, *ANY_ECOSYSTEM):
        place = _place_of(default, files, shallow, paths) if default.slot not in found else ""
        command = default.command
        if place and command.startswith("dotnet "):
            command, place = _dotnet_command(command, files, shallow)
        if place and command:
            found.add(default.slot)
            yield Manifest(place, "").fact(default.slot, command, 0)  # no line states it


def _dotnet_command(command: str, files: Mapping[str, str], paths: Iterable[str]) -> tuple[str, str]:
    """A command for the root and the file that it takes, named where MSBuild would not choose; empty if unclear."""
    at_root = [path for path in paths if "/" not in path]
    solutions = [path for path in at_root if _SOLUTION.fullmatch(path)]
    projects = [path for path in at_root if _PROJECT.fullmatch(path)]
    if len(solutions) + len(projects) == 1 or (
        len(solutions) == len(projects) == 1 and PurePosixPath(solutions[0]).stem == PurePosixPath(projects[0]).stem
    ):
        return command, (solutions or projects)[0]
    option = " --solution" if command == "dotnet test" and runs_testing_platform(files) else ""
    return (f"{command}{option} {shlex.quote(solutions[0])}", solutions[0]) if len(solutions) == 1 else ("", "")


def runs_testing_platform(files: Mapping[str, str]) -> bool:
    """Whether `dotnet test` starts Microsoft.Testing.Platform, which takes other arguments."""
    return "Microsoft.Testing.Platform" in files.get("global.json", "")


def _is_abandoned(default: Default, files: Mapping[str, str]) -> bool:
    """Whether a repository with CI keeps the settings of a linter that no file names any more."""
    linter = LINTER.match(default.command) if default.slot == "lint" else None
    return (
        linter is not None
        and any(map(CI_FILES.fullmatch, files))
        and not any(linter[1] in text.lower() for text in files.values())
    )


def _cmake_tests(text: str) -> Iterator[Fact]:
    """How CTest runs the tests, after a build with the option that they need."""
    if found := cmake.tests_of(text):
        line, option = found
        build = f"cmake -B build -D{option}=ON && cmake --build build && " if option else ""
        yield Manifest(CMAKE_FILE, "").fact("test", f"{build}ctest --test-dir build", line)


def _place_of(default: Default, files: Mapping[str, str], shallow: Iterable[str], paths: Collection[str]) -> str:
    """The path that a default applies to; empty if it does not apply."""
    workflows = (text for path, text in files.items() if path.startswith(".github/workflows/"))
    if default.unless and any(re.search(default.unless, text, re.MULTILINE) for text in workflows):
        return ""
    needed = [path for path in paths if re.fullmatch(default.needs, path)] if default.needs else [""]
    if default.lacks:
        needed = [path for path in needed if not re.search(default.lacks, files.get(path, ""), re.MULTILINE)]
    if not needed:
        return ""
    applies = (path for path in sorted(shallow) if re.fullmatch(default.path, path))
    return next((path for path in applies if re.search(default.text, files.get(path, ""), re.MULTILINE)), "")
