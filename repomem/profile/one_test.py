"""How each test runner runs a single test, and which package manager starts those of JavaScript.

`RUNNERS` is a table: to support another runner, add a row.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import islice

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import ONE_TEST, Fact
from repomem.profile.ecosystems import MULTIPLATFORM, OWN_BIN_FOLDER, runs_testing_platform
from repomem.profile.manifests.patterns import with_properties

_EXEC = r"(?:\b(?:uv|poetry|pdm|hatch|rye|pixi) run (?:-\S+ )*)?(?:(?:[\w.-]+/){0,4}\bpython3? -\w*m )?"
_FEATURES = r"(?: --(?:workspace|all-features|no-default-features)\b| (?:--features|-F|-p)[ =][\w/,-]+)*"  # of cargo
_BY_PYTEST = "{0} FILE -k NAME"  # FILE::NAME does not find the methods of a class
_BY_CTEST = "{0} -R NAME"
_BY_VITEST = "{exec} vitest run FILE -t NAME"
_BY_MOCHA = "{exec} mocha FILE -g NAME"
KEPT_OPTIONS = {  # options of the test command that a single test needs too
    _BY_VITEST: lazy_pattern(r" --project[= ][\w-]+"),  # else all projects start, such as each browser
    # Modules loaded first.
    _BY_MOCHA: lazy_pattern(r"(?: (?:--require|-r|--import|--loader|--experimental-loader)[ =]\S+)+"),
}
_BY_MAVEN = "{0} test -Dtest=CLASS#METHOD"
_BY_GRADLE = "{0} test --tests CLASS.METHOD"
TEST_SOURCES = "/src/test/"  # of a project of Maven or Gradle
GRADLE_SETTINGS = ("settings.gradle", "settings.gradle.kts")
PROJECT = ":PROJECT:"  # a placeholder, where a Gradle build has several projects with tests
_IN_ONE_PROJECT = {  # projects without a test of that name fail: the setting that allows it, else the other form
    _BY_GRADLE: (r"(?i)failOnNoMatchingTests\b\W*(?:set\W+)?false", f"{{0}} {PROJECT}test --tests CLASS.METHOD"),
    _BY_MAVEN: (r"(?i)failIfNoSpecifiedTests>\s*false", f"{_BY_MAVEN} -Dsurefire.failIfNoSpecifiedTests=false"),
}
_HAS_PROJECTS = lazy_pattern(r"^[ \t]*include\b|<modules>", re.MULTILINE)  # in settings.gradle, pom.xml
_DOTNET_PROJECT = r"(?:'[^']+'|[^\s'-]\S*\.(?:slnx?|slnf|[a-z]+proj)\b)"
_CTEST = r"\bctest\b(?: --test-dir \S+)?"
RUNNERS: tuple[tuple[str, str], ...] = (  # a pattern in the test command; the command of one test, {0} what matched
    (rf"{_EXEC}\bpytest\b", _BY_PYTEST),
    (r"\bhatch test\b", "{0} FILE -k NAME"),
    (rf"{_EXEC}\bunittest\b", "{0} MODULE.CLASS.METHOD"),
    (r"\bgo test\b", "go test ./PACKAGE -run '^NAME$'"),
    (rf"\bcargo (?:nextest run|test)\b{_FEATURES}", "{0} NAME"),
    (r"(?:\./)?\bmvnw?\b", _BY_MAVEN),
    (r"(?:\./)?\bgradlew?\b", _BY_GRADLE),
    (r"\bmix test\b", "mix test FILE:LINE"),
    (rf"\bdotnet test\b(?: {_DOTNET_PROJECT})?", "{0} --filter FullyQualifiedName~NAME"),
    (r"\bswift test\b", "swift test --filter NAME"),
    (r"(?:\bbundle exec )?\brspec\b", "{0} FILE:LINE"),
    (r"\bruby -Itest\b", "bundle exec ruby -Ilib -Itest FILE -n /NAME/"),  # a spec's name is a part of its method's
    (r"\bmelos\b", "dart test FILE --plain-name NAME"),
    (r"(?:[\w.-]+/)+(?:(?:simple-)?phpunit|pest)\b", "{0} --filter NAME"),
    (r"(?:\bsimple-)?\b(?:phpunit|pest)\b", "vendor/bin/{0} --filter NAME"),
    (r"\b(?:dart|flutter) test\b", "{0} FILE --plain-name NAME"),
    (_CTEST, _BY_CTEST),
    (r"\bsbt\b", "sbt 'testOnly CLASS'"),
    (r"\bbusted\b", "busted FILE --filter=NAME"),
    (r"\bprove\b", "prove -l FILE"),
)
JAVASCRIPT_RUNNERS = (  # one script may run several
    (r"\bvitest\b", _BY_VITEST),
    (r"\bjest\b", "{exec} jest FILE -t NAME"),
    (r"\bmocha\b", _BY_MOCHA),
    (r"\bava\b", "{exec} ava FILE --match NAME"),
    (r"\bborp\b", "{exec} borp FILE"),
    (r"\bbun test\b", "bun test FILE -t NAME"),
    (r"\bnode --test\b", "node --test --test-name-pattern=NAME FILE"),
)
RUBY_RUNNERS = (("spec/", "_spec.rb", "bundle exec rspec"), ("test/", ".rb", "ruby -Itest"))  # folder, ending; runner
PACKAGE_MANAGERS = (  # a lock file at the root; the program; how it runs the program of a package
    ("pnpm-lock.yaml", "pnpm", "pnpm exec"),
    ("yarn.lock", "yarn", "yarn"),
    ("bun.lock", "bun", "bunx"),
    ("bun.lockb", "bun", "bunx"),
    ("package-lock.json", "npm", "npx"),
)
_FOLDER = lazy_pattern(r"\(?((?:cd (\S+) && )?)")  # in which a test command runs
_ENVIRONMENT = lazy_pattern(  # assignments before a runner, which it may need
    r"(?:^|\s)((?:[A-Z][A-Z0-9_]*=(?:'[^'\n]*'|\"[^\"\n]*\"|[^\s'\"]+) )+)(?:(?:npx|cross-env) )?$"
)
_CASES_IN_CTEST = lazy_pattern(r"\b(?:gtest_(?:discover|add)_tests|(?:catch|doctest)_discover_tests)\b")
_ADD_TEST = lazy_pattern(r"(?i)\badd_test\s*\(\s*(?:NAME\s+)?([^\s)]+)")
FEWEST_TESTS = 3  # that are registered by name: fewer are programs with many tests each
_GTEST = lazy_pattern(r"(?i)\bgtest|\bgoogletest\b")
_CASES_OF_A_PROGRAM = lazy_pattern(r"(?i)\bcatch2\b|\bdoctest\b|\bclar\b|add_clar_test|unit_test_framework")
_IN_PATH = lazy_pattern(r"(?<!bin)(?<!node_modules)/\Z")  # before a folder that is named as a program
_HAS_PATH = lazy_pattern(r"\s+[^\s&|;-]")
_PYTEST_SETTINGS = ("pyproject.toml", "setup.cfg", "tox.ini")
_MEASURES_COVERAGE = lazy_pattern(  # in the settings of pytest: a single test prints all files, and fails a threshold
    r"^addopts\s*=(?:(?!^[\w-]+\s*=|^\[)[\s\S])*?--cov\b", re.MULTILINE
)
_JUNIT3 = lazy_pattern(r"<artifactId>junit</artifactId>\s*<version>3\.")  # with it, Maven can only run whole classes
_BUILD_BEFORE = lazy_pattern(  # in package.json: `npm test` builds what the tests load, a runner alone does not
    r"\"pretest\"\s*:\s*\"(?:[^\"\\]|\\.)*\b(?:build|compile|tsc|rollup|webpack|esbuild|babel)\b"
)
_TEST_SCRIPT = lazy_pattern(r"\"test\"\s*:\s*\"((?:[^\"\\]|\\.)*)\"")  # in package.json
# Of a JavaScript runner.
_CONFIGURATION = r"(?:(?:vitest|vite|jest)\.(?:config|workspace|projects)\.\w+|\.mocharc\.\w+)"
_PACKAGE = lazy_pattern(r"\"(vitest|jest|mocha|ava|borp)\"\s*:\s*\"")  # in package.json


def package_manager(paths: Collection[str], declared: str) -> tuple[str, str]:
    """The JavaScript package manager, and how it runs a program: the declared one, else the one of the lock file."""
    for lock, program, run in PACKAGE_MANAGERS:
        if declared.split("@", maxsplit=1)[0] == program or (not declared and lock in paths):
            return program, run
    return "npm", "npx"


def one_test(test: Fact, files: Mapping[str, str], paths: Collection[str], fallback: str = "") -> Fact | None:
    """How to run a single test with the runner of a test command; None if the runner is unknown.

    A command that names no runner (`make test`, `npm test`) takes that of package.json, or of `fallback`.
    """
    folder = _FOLDER.match(test.text)
    inside = f"{folder[2]}/" if folder and folder[2] else ""
    package = files.get(f"{inside}package.json", "") if re.search(r"\b(?:npm|pnpm|yarn|bun)\b", test.text) else ""
    program, run = package_manager(paths, _declared_manager(package))
    same = "" if fallback.startswith("ctest") else fallback  # a C Makefile does not run CMake's tests
    if _has_no_filter(test.text, files):
        return None
    script = _TEST_SCRIPT.search(package)
    known = (
        (test.text, test),
        (script[1] if script else "", _place(f"{inside}package.json", package, script)),
        (_installed_runners(package, inside, paths), _place(f"{inside}package.json")),
        (_ruby_runner(test.text, paths), _place(test.path)),
        (same, _place(test.path)),
    )
    for text, place in known:
        if runner := _runner_in(text):
            found, template = runner
            form = _form(template, text, files, paths)
            settings = _ENVIRONMENT.search(text[: found.start()])
            command = form.format(found[0], exec=run)
            build = f"{program} run pretest && " if "{exec}" in form and _BUILD_BEFORE.search(package) else ""
            command = "".join((folder[1] if folder else "", build, settings[1] if settings else "", command))
            return replace(place, slot=ONE_TEST, text=command) if form else None
    return None


def _installed_runners(package: str, folder: str, paths: Collection[str]) -> str:
    """The runners that package.json installs; none in a workspace whose packages have the configuration."""
    has_packages = '"workspaces"' in package or f"{folder}pnpm-workspace.yaml" in paths
    if has_packages and not _configures_runner(package, folder, paths):
        return ""
    return " && ".join(_PACKAGE.findall(package))


def _configures_runner(package: str, folder: str, paths: Collection[str]) -> bool:
    known = re.compile(re.escape(folder) + _CONFIGURATION)
    return '"jest": {' in package or any(map(known.fullmatch, paths))


def _place(path: str, text: str = "", found: re.Match[str] | None = None) -> Fact:
    """A fact about the line where something was found; about the file as a whole if nothing was."""
    line = text.count("\n", 0, found.start()) + 1 if found else 0
    return Fact("", "", path, line, line)


def _form(template: str, text: str, files: Mapping[str, str], paths: Collection[str]) -> str:
    """The template adapted to a command and these files; empty if a single test cannot be selected."""
    if template == _BY_CTEST:
        return _ctest_form(files)
    if template == _BY_PYTEST and any(_MEASURES_COVERAGE.search(files.get(path, "")) for path in _PYTEST_SETTINGS):
        return template.replace(" FILE", " --no-cov FILE")
    if template in _IN_ONE_PROJECT and _have_several_projects_tests(files, paths):
        allowing, form = _IN_ONE_PROJECT[template]
        template = template if any(re.search(allowing, each) for each in files.values()) else form
    poms = "\n".join(text for path, text in files.items() if path.endswith("pom.xml"))
    if template.startswith(_BY_MAVEN) and _JUNIT3.search(with_properties(poms)):
        return template.replace("#METHOD", "")
    kept = KEPT_OPTIONS[template].search(text) if template in KEPT_OPTIONS else None
    return template.replace(" FILE", f"{kept[0]} FILE") if kept else template


def _have_several_projects_tests(files: Mapping[str, str], paths: Collection[str]) -> bool:
    roots = {place[0] for path in paths if (place := f"/{path}".partition(TEST_SOURCES))[1]}
    return len(roots) > 1 and any(_HAS_PROJECTS.search(files.get(path, "")) for path in (*GRADLE_SETTINGS, "pom.xml"))


def _runner_in(text: str) -> tuple[re.Match[str], str] | None:
    """The runner in a command and its form for one test, which is empty if several runners are possible.

    Of several for JavaScript, the one without a path of its own counts (`borp && jest test/jest`).
    """
    for pattern, template in RUNNERS:
        if found := re.search(pattern, text):
            return found, template
    known: list[tuple[re.Match[str], str]] = []
    for pattern, template in JAVASCRIPT_RUNNERS:
        programs = (each for each in re.finditer(pattern, text) if not _IN_PATH.search(text, 0, each.start()))
        known += [(each, template) for each in islice(programs, 1)]
    whole = [one for one in known if not _HAS_PATH.match(text, one[0].end())]
    if len(known) < 2:
        return known[0] if known else None
    return whole[0] if len(whole) == 1 else (known[0][0], "")


def _ctest_form(files: Mapping[str, str]) -> str:
    """How CTest runs one test: by name if CMake registers each test; for GoogleTest, by an environment variable.

    Empty if CTest only knows programs with many tests each, since no common option selects one of those.
    """
    text = "\n".join(text for path, text in files.items() if path.endswith("CMakeLists.txt"))
    if not _CASES_IN_CTEST.search(text):
        if _GTEST.search(text):
            return "GTEST_FILTER=SUITE.NAME {0}"
        names = _ADD_TEST.findall(text)
        are_few = 0 < len(names) < FEWEST_TESTS and not any("$" in name for name in names)
        if are_few or _CASES_OF_A_PROGRAM.search(text):
            return ""
    return _BY_CTEST


def _has_no_filter(test: str, files: Mapping[str, str]) -> bool:
    """Whether the usual command for one test would fail.

    Multiplatform projects have other tasks than `test`, the options of Microsoft.Testing.Platform depend on the test
    framework, Composer may install programs elsewhere, and a class set in pom.xml overrides that of the command.
    """
    if re.search(r"\bgradlew?\b", test):
        return any(re.search(MULTIPLATFORM, text) for path, text in files.items() if ".gradle" in path)
    if re.search(r"(?<![\w./-])(?:simple-)?(?:phpunit|pest)\b", test):
        return re.search(OWN_BIN_FOLDER, files.get("composer.json", "")) is not None
    if re.search(r"\bmvnw?\b", test):
        return any(map(_pins_test, files.values()))
    return "dotnet test" in test and runs_testing_platform(files)


def _pins_test(pom: str) -> bool:
    """Whether a pom.xml tells Maven which class to test."""
    plugins = (after.partition("</plugin>")[0] for after in pom.split("<artifactId>maven-surefire-plugin<")[1:])
    return any("<test>" in plugin for plugin in plugins)


def _ruby_runner(test: str, paths: Collection[str]) -> str:
    """The runner behind a rake task, by where the tests are; empty for other commands."""
    known = RUBY_RUNNERS if re.search(r"\brake\b", test) else ()
    is_used = (run for folder, end, run in known if any(p.startswith(folder) and p.endswith(end) for p in paths))
    return next(is_used, "")


def _declared_manager(package: str) -> str:
    declared = re.search(r"\"packageManager\"\s*:\s*\"(\w+)@", package)
    return declared[1] if declared else ""
