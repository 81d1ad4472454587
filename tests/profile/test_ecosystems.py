"""Which commands a repository gets: from guides, task files, or the defaults of its ecosystem; and one test."""

import json
from textwrap import dedent

import pytest

from repomem.core.types.brief import Fact
from repomem.profile.facts import profile_facts, profile_paths
from repomem.profile.profile import needs


def facts_of(files: dict[str, str], *more_paths: str) -> dict[str, str]:
    """Give the first fact of each slot of a tree: `files` with their texts, and paths that are not read."""
    facts = profile_facts(files, [*files, *more_paths])
    return {fact.slot: fact.text for fact in reversed(facts)}


BUSTED = "jobs: {a: {steps: [{run: 'busted -Xhelper lua_dir=$(which lua)'}]}}\n"
MAVEN = "<project>\n</project>\n"
SUREFIRE = "<plugin>\n<artifactId>maven-surefire-plugin</artifactId>\n"
PINNED = "<configuration>\n<test>org/a/AllTests.java</test>\n</configuration>\n</plugin>\n"
OF_PROPERTY = (
    "<properties>\n<junit.version>{}</junit.version>\n</properties>\n"
    "<dependency>\n<artifactId>junit</artifactId>\n<version>${{junit.version}}</version>\n</dependency>\n"
)
JUNIT3 = "<dependency>\n<artifactId>junit</artifactId>\n<version>3.8.2</version>\n</dependency>\n"


@pytest.mark.parametrize(
    ("files", "paths", "test", "one_test"),
    [
        ({"Cargo.toml": "[workspace]\n"}, ("src/lib.rs",), "cargo test", "cargo test NAME"),
        ({"go.mod": "module x\n"}, ("x_test.go",), "go test ./...", "go test ./PACKAGE -run '^NAME$'"),
        ({"pom.xml": MAVEN}, ("src/A.java",), "mvn test", "mvn test -Dtest=CLASS#METHOD"),
        ({"pom.xml": MAVEN + JUNIT3}, ("src/A.java",), "mvn test", "mvn test -Dtest=CLASS"),
        ({"pom.xml": OF_PROPERTY.format("3.8.2")}, ("src/A.java",), "mvn test", "mvn test -Dtest=CLASS"),
        ({"pom.xml": OF_PROPERTY.format("4.13.2")}, ("src/A.java",), "mvn test", "mvn test -Dtest=CLASS#METHOD"),
        ({"pom.xml": MAVEN + SUREFIRE}, ("src/A.java",), "mvn test", "mvn test -Dtest=CLASS#METHOD"),
        ({"pom.xml": MAVEN}, ("mvnw", "src/A.java"), "./mvnw test", "./mvnw test -Dtest=CLASS#METHOD"),
        ({"build.gradle": ""}, ("gradlew",), "./gradlew test", "./gradlew test --tests CLASS.METHOD"),
        ({"mix.exs": ""}, ("lib/a.ex",), "mix test", "mix test FILE:LINE"),
        ({}, ("A.sln", "a/A.Tests.csproj"), "dotnet test", "dotnet test --filter FullyQualifiedName~NAME"),
        ({"Gemfile": ""}, (".rspec", "a.rb"), "bundle exec rspec", "bundle exec rspec FILE:LINE"),
        (
            {"composer.json": '{"require-dev": {"phpunit/phpunit": "^9"}}'},
            ("phpunit.xml.dist",),
            "vendor/bin/phpunit",
            "vendor/bin/phpunit --filter NAME",
        ),
        (
            {"composer.json": '{"require-dev": {"symfony/phpunit-bridge": "^7"}}'},
            ("phpunit.xml.dist",),
            "vendor/bin/simple-phpunit",
            "vendor/bin/simple-phpunit --filter NAME",
        ),
        (
            {"composer.json": '{"require-dev": {"phpunit/phpunit": "^9", "pestphp/pest": "^2"}}'},
            ("phpunit.xml",),
            "vendor/bin/pest",
            "vendor/bin/pest --filter NAME",
        ),
        ({"build.sbt": ""}, (), "sbt test", "sbt 'testOnly CLASS'"),
        ({"pubspec.yaml": ""}, ("test/a_test.dart",), "dart test", "dart test FILE --plain-name NAME"),
        ({"CMakeLists.txt": "enable_testing()\n"}, (), "ctest --test-dir build", "ctest --test-dir build -R NAME"),
        (
            {"pyproject.toml": "[tool.pytest.ini_options]\n"},
            ("uv.lock",),
            "uv run pytest",
            "uv run pytest FILE -k NAME",
        ),
        (
            {"pyproject.toml": '[tool.pytest.ini_options]\naddopts = [\n  "-ra",\n  "--cov=depot",\n]\n'},
            (),
            "pytest",
            "pytest --no-cov FILE -k NAME",
        ),
        (
            {"tox.ini": "[pytest]\naddopts = -ra\n  --strict\ncov = 1\n[testenv]\ncommands = pytest --cov\n"},
            (),
            "tox → pytest --cov",
            "pytest FILE -k NAME",
        ),
    ],
)
def test_the_default_of_the_ecosystem_is_the_test_command_if_no_file_names_one(
    files: dict[str, str], paths: tuple[str, ...], test: str, one_test: str
) -> None:
    facts = facts_of(files, *paths)
    assert (facts["test"], facts["one test"]) == (test, one_test)


GRADLE_PROJECTS = {"settings.gradle": "include 'a', 'b'\n", "build.gradle": ""}
MAVEN_MODULES = {"pom.xml": "<modules>\n<module>a</module>\n<module>b</module>\n</modules>\n"}
LENIENT = {"build.gradle": "test { filter { failOnNoMatchingTests = false } }\n"}


@pytest.mark.parametrize(
    ("files", "tested", "single"),
    [
        (GRADLE_PROJECTS, ("a", "b"), "./gradlew :PROJECT:test --tests CLASS.METHOD"),
        (GRADLE_PROJECTS, ("a",), "./gradlew test --tests CLASS.METHOD"),
        (GRADLE_PROJECTS | LENIENT, ("a", "b"), "./gradlew test --tests CLASS.METHOD"),
        (MAVEN_MODULES, ("a", "b"), "mvn test -Dtest=CLASS#METHOD -Dsurefire.failIfNoSpecifiedTests=false"),
        (MAVEN_MODULES, ("a",), "mvn test -Dtest=CLASS#METHOD"),
    ],
)
def test_one_test_of_several_projects_does_not_fail_in_the_others(
    files: dict[str, str], tested: tuple[str, ...], single: str
) -> None:
    tests = [f"{project}/src/test/java/ATest.java" for project in tested]
    assert facts_of(files, "gradlew", *tests)["one test"] == single


@pytest.mark.parametrize(
    ("files", "paths", "test"),
    [
        ({"build.gradle.kts": 'plugins { kotlin("multiplatform") }\n'}, ("gradlew",), "./gradlew check"),
        (
            {"global.json": '{"test": {"runner": "Microsoft.Testing.Platform"}}'},
            ("A.sln", "a.Tests.csproj"),
            "dotnet test --solution A.sln",
        ),
        (
            {"composer.json": '{"scripts": {"test": "phpunit"}, "config": {"bin-dir": "bin"}}'},
            (),
            "composer test → phpunit",
        ),
    ],
)
def test_how_one_test_is_run_is_left_out_where_the_usual_option_fails(
    files: dict[str, str], paths: tuple[str, ...], test: str
) -> None:
    facts = facts_of(files, *paths)
    assert (facts["test"], facts.get("one test")) == (test, None)


@pytest.mark.parametrize(
    ("files", "paths"),
    [
        ({"hlint.cabal": "name: hlint\n"}, ("src/A.hs",)),
        ({"CMakeLists.txt": "project(a)\n"}, ("a.c",)),
        ({"build.zig": "pub fn build() void {}\n"}, ("src/a.zig",)),
        ({"pyproject.toml": "[project]\n"}, ("a.py",)),
        ({"composer.json": "{}"}, ("phpunit.xml.dist",)),
        ({"composer.json": '{"require-dev": {"phpunit/phpunit": "9"}, "config": {"bin-dir": "b"}}'}, ("phpunit.xml",)),
        ({".github/workflows/ci.yml": BUSTED, "a.rockspec": ""}, (".busted", "spec/a_spec.lua")),
        ({".github/workflows/ci.yml": "jobs: {a: {steps: [{run: 'busted ^'}]}}\n"}, ()),
    ],
)
def test_a_default_command_without_evidence_is_left_out(files: dict[str, str], paths: tuple[str, ...]) -> None:
    assert "test" not in facts_of(files, *paths)


def test_luarocks_test_is_shown_if_busted_needs_machine_specific_arguments() -> None:
    rockspec = 'test_dependencies = {"luacov"}\ntest = {\n   type = "busted",\n   flags = {"-Xhelper", "$(LUA)"}\n}\n'
    files = {".github/workflows/ci.yml": BUSTED, "a.rockspec": rockspec}
    assert facts_of(files, ".busted")["test"] == "luarocks test"


def test_maven_without_arguments_is_the_build_only_if_its_default_goal_compiles() -> None:
    pom = "<project><build><defaultGoal>{}</defaultGoal></build></project>\n"
    assert facts_of({"pom.xml": pom.format("clean install")}, "mvnw")["build"] == "./mvnw"
    assert facts_of({"pom.xml": pom.format("pmd:check")})["lint"] == "mvn"
    assert "lint" not in facts_of({"pom.xml": pom.format("clean verify pmd:check")})
    assert facts_of({"pom.xml": pom.format("site:run")})["build"] == "mvn package"
    assert facts_of({"pom.xml": MAVEN, "core/pom.xml": pom.format("install")})["build"] == "mvn package"
    in_profile = f"<project><profiles><profile>{pom.format('install')}</profile></profiles></project>\n"
    assert facts_of({"pom.xml": in_profile})["build"] == "mvn package"


@pytest.mark.parametrize(
    ("files", "line"),
    [({"pom.xml": MAVEN}, 0), ({"CMakeLists.txt": "project(a)\n# tests\nenable_testing()\n"}, 3)],
)
def test_a_default_command_cites_the_line_that_it_depends_on_if_there_is_one(files: dict[str, str], line: int) -> None:
    test = next(fact for fact in profile_facts(files, files) if fact.slot == "test")
    assert (test.start_line, test.end_line) == (line, line)


def test_simple_phpunit_is_a_test_command_but_not_its_installation() -> None:
    workflow = "jobs: {{unit: {{steps: [{{run: vendor/bin/simple-phpunit install}}, {{run: {}}}]}}}}\n"
    facts = facts_of({".github/workflows/ci.yml": workflow.format("vendor/bin/simple-phpunit")})
    assert facts == {"test": "vendor/bin/simple-phpunit", "one test": "vendor/bin/simple-phpunit --filter NAME"}


def test_a_default_that_ci_runs_is_cited_from_there() -> None:
    files = {"mix.exs": "", ".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: mix test\n"}
    facts = {fact.slot: (fact.path, fact.start_line) for fact in profile_facts(files, files)}
    assert facts["test"] == facts["one test"] == (".github/workflows/ci.yml", 4)
    assert facts["build"] == ("mix.exs", 0)


def test_a_command_of_another_ecosystem_is_left_out() -> None:
    files = {"mix.exs": "", "package.json": '{"scripts": {"test": "jest", "build": "esbuild a.js"}}'}
    facts = facts_of(files, "lib/a.ex", "lib/b.ex", "assets/a.js")
    assert (facts["test"], facts["build"]) == ("mix test", "mix compile")


def test_a_guides_test_command_comes_before_a_make_target() -> None:
    files = {"Makefile": "all:\n\tgo build\ntest:\n\tgo test -v ./...\n", "go.mod": "module x\n"}
    guide = "# Tests\n\n```sh\n$ {}\n```\n"
    readme = guide.format("go test -short ./...")
    assert facts_of({**files, "CONTRIBUTING.md": guide.format("make test")})["test"] == "make test → go test -v ./..."
    assert facts_of({**files, "README.md": readme, "CONTRIBUTING.md": guide})["test"] == "go test -short ./..."
    assert facts_of({**files, "README.md": "# Usage\n\n```sh\ngo test -short\n```\n"})["test"].startswith("make test")


def test_the_lint_task_comes_before_the_linters_that_a_guide_lists() -> None:
    guide = "# Linting\n\n```sh\nuv run pytest\nuv run mypy src\n```\n"
    files = {"CONTRIBUTING.md": guide, "Justfile": "@lint:\n  uv run mypy src tests\n\n@test:\n  pytest\n"}
    facts = facts_of(files)
    assert (facts["lint"], facts["test"]) == ("just lint → uv run mypy src tests", "uv run pytest")
    assert facts_of({"CONTRIBUTING.md": guide})["lint"] == "uv run mypy src"


@pytest.mark.parametrize(
    "command",
    [
        *("mvn versions:set -DnewVersion=2", "npm publish && npm test", "for f in *; do pytest", "pytest $FILES"),
        *(
            "pytest tests/test_a.py",
            "go test -run TestX ./a",
            "cargo test ...",
            "mvn test -Dtest=A",
            "if make test; then",
        ),
    ],
)
def test_a_guide_gives_no_release_shell_body_variable_or_single_test(command: str) -> None:
    assert facts_of({"CONTRIBUTING.md": f"# Tests\n\n```sh\n{command}\n```\n"}) == {}


def test_a_release_job_gives_no_command_and_the_default_system_is_shown() -> None:
    workflow = """
    jobs:
      tests:
        runs-on: ${{ matrix.os || 'ubuntu-latest' }}
        strategy:
          matrix:
            include:
              - { python: '3.13' }
              - { python: '3.13', os: macos-latest }
        steps:
          - run: pytest -q
      publish:
        steps:
          - run: uv build
    """
    facts = facts_of({".github/workflows/tests.yml": dedent(workflow)})
    assert (facts["test"], facts["ci"], facts.get("build")) == ("pytest -q", "Python 3.13; on macos, ubuntu", None)


@pytest.mark.parametrize(
    ("lock", "run"), [("pnpm-lock.yaml", "pnpm exec"), ("yarn.lock", "yarn"), ("package-lock.json", "npx")]
)
def test_the_lock_file_decides_how_one_javascript_test_is_run(lock: str, run: str) -> None:
    package = '{"scripts": {"test": "run-s test:*"}, "devDependencies": {"vitest": "1"}}'
    assert facts_of({"package.json": package}, lock)["one test"] == f"{run} vitest run FILE -t NAME"


@pytest.mark.parametrize(
    ("lock", "call"), [("package-lock.json", "npm test"), ("yarn.lock", "yarn test"), ("bun.lock", "bun run test")]
)
def test_the_script_test_is_called_by_its_short_form_unless_that_is_a_runner(lock: str, call: str) -> None:
    package = '{"scripts": {"test": "tsc && vitest --run"}}'
    assert facts_of({"package.json": package}, lock)["test"] == f"{call} → tsc && vitest --run"


def test_one_javascript_test_is_run_with_the_environment_of_all() -> None:
    package = """{"scripts": {"test": "xo && NODE_OPTIONS='--import=tsx/esm' ava"}, "devDependencies": {"ava": "6"}}"""
    expected = "NODE_OPTIONS='--import=tsx/esm' npx ava FILE --match NAME"
    assert facts_of({"package.json": package})["one test"] == expected


def test_a_task_whose_variables_are_unknown_shows_its_name_alone() -> None:
    assert facts_of({"Makefile": "test:\n\t$(RUNNER) tests\n"}) == {"test": "make test"}


def test_of_several_makefiles_the_one_that_make_reads_gives_the_tasks() -> None:
    files = {name: f"test:\n\t./{name}.sh\n" for name in ("GNUmakefile", "makefile", "Makefile")}
    assert facts_of(files)["test"] == "make test → ./GNUmakefile.sh"
    del files["GNUmakefile"]
    assert facts_of(files)["test"] == "make test → ./makefile.sh"


@pytest.mark.parametrize(
    ("top", "is_ready"),
    [
        ("config.mk:\n\t@echo Please run ./configure\n", False),
        ("include config.mk\n", False),
        ("-include config.mk\n", True),
        ("include common.mk\n", True),
        ("include config.mk\nconfig.mk: configure\n\t./configure\n", True),
        ("# echo configure\n", True),
    ],
)
def test_a_makefile_that_needs_configure_gives_no_task(top: str, is_ready: bool) -> None:
    files = {"Makefile": f"{top}all:\n\tcc a.c\n"}
    assert ("build" in facts_of(files, "configure", "common.mk")) is is_ready
    assert "build" in facts_of(files)


def test_a_task_that_also_tests_is_no_build() -> None:
    assert facts_of({"Makefile": "all: fmt test\n"}) == {}


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("spec/a_spec.rb", "bundle exec rspec FILE:LINE"),
        ("test/test_a.rb", "bundle exec ruby -Ilib -Itest FILE -n /NAME/"),
        ("test/spec_a.rb", "bundle exec ruby -Ilib -Itest FILE -n /NAME/"),  # minitest/spec numbers its methods
    ],
)
def test_one_test_of_a_rake_task_is_run_by_the_runner_of_its_folder(path: str, command: str) -> None:
    assert facts_of({"Rakefile": "task test: :spec\n"}, path)["one test"] == command


def test_one_test_cites_the_line_of_its_runner_or_the_file_that_leads_to_it() -> None:
    files = {
        "package.json": '{\n"scripts": {\n"test": "vitest run"\n}\n}\n',
        "CONTRIBUTING.md": "```sh\nnpm test\n```\n",
    }
    by_script, by_rake = (
        profile_facts(files, files),
        profile_facts({"Rakefile": "\ntask test: :spec\n"}, ["spec/a_spec.rb"]),
    )

    assert [(fact.path, fact.start_line) for fact in by_script if fact.slot == "one test"] == [("package.json", 3)]
    assert [(fact.path, fact.start_line) for fact in by_rake if fact.slot == "one test"] == [("Rakefile", 0)]


def test_maven_has_no_command_for_one_test_if_the_pom_selects_tests() -> None:
    facts = facts_of({"pom.xml": MAVEN + SUREFIRE + PINNED}, "src/A.java")
    assert (facts["test"], facts.get("one test")) == ("mvn test", None)


@pytest.mark.parametrize(
    ("cmake", "command"),
    [
        ("gtest_discover_tests(core)", "ctest --test-dir build -R NAME"),
        ("target_link_libraries(core gtest)", "GTEST_FILTER=SUITE.NAME ctest --test-dir build"),
        ("target_link_libraries(core Catch2::Catch2)", None),
        ("add_test(NAME uv_test COMMAND run)\nadd_test(NAME uv_test_a COMMAND run_a)\n", None),
        ("add_test(one run)\nadd_test(two run)\nadd_test(three run)\n", "ctest --test-dir build -R NAME"),
        ("add_test(NAME ${name} COMMAND ${name})\n", "ctest --test-dir build -R NAME"),
    ],
)
def test_ctest_selects_a_test_by_name_only_if_cmake_registers_each(cmake: str, command: str | None) -> None:
    files = {"CMakeLists.txt": "enable_testing()\nadd_subdirectory(tests)\n", "tests/core/CMakeLists.txt": cmake}
    assert set(profile_paths(files)) == set(files)
    facts = facts_of(files, "a.c")
    assert (facts["test"], facts.get("one test")) == ("ctest --test-dir build", command)


@pytest.mark.parametrize(
    ("at_root", "test", "single"),
    [
        (("A.slnx", "Build.csproj"), "dotnet test A.slnx", "dotnet test A.slnx --filter FullyQualifiedName~NAME"),
        (
            ("A B.sln", "Build.proj"),
            "dotnet test 'A B.sln'",
            "dotnet test 'A B.sln' --filter FullyQualifiedName~NAME",
        ),
        (("A.sln", "A.csproj"), "dotnet test", "dotnet test --filter FullyQualifiedName~NAME"),
        (("A.sln", "B.sln"), None, None),
        (("A.csproj", "B.csproj"), None, None),
    ],
)
def test_dotnet_commands_name_the_solution_only_if_dotnet_would_not_choose_it(
    at_root: tuple[str, ...], test: str | None, single: str | None
) -> None:
    facts = facts_of({}, *at_root, "tests/A.Tests/A.Tests.csproj")
    assert (facts.get("test"), facts.get("one test")) == (test, single)
    assert facts.get("build") == (test and test.replace("test", "build"))
    sources = {fact.path for fact in profile_facts({}, [*at_root, "tests/A.Tests/A.Tests.csproj"])}
    assert sources == ({at_root[0]} if test else set())


@pytest.mark.parametrize(
    ("script", "single"),
    [
        ("npm run lint && npm run borp && jest test/jest", "npx borp FILE"),
        ("jest test/unit && node --test", "node --test --test-name-pattern=NAME FILE"),
        ("mocha test/jest", "npx mocha FILE -g NAME"),
        ("node node_modules/.bin/jest", "npx jest FILE -t NAME"),
        ("jest && ava", None),
        ("jest test/a && mocha test/b", None),
    ],
)
def test_one_test_is_run_by_the_runner_that_is_not_limited_to_a_folder(script: str, single: str | None) -> None:
    package = f'{{"scripts": {{"test": "{script}"}}, "devDependencies": {{"borp": "1", "jest": "1"}}}}'
    assert facts_of({"package.json": package}).get("one test") == single


def test_one_test_of_vitest_keeps_the_project_of_the_script() -> None:
    script = '{"scripts": {"test": "vitest run --coverage --project=chromium --typecheck"}}\n'
    assert facts_of({"package.json": script})["one test"] == "npx vitest run --project=chromium FILE -t NAME"


def test_one_test_of_mocha_loads_what_the_script_loads_and_builds_first() -> None:
    script = "c8 mocha --enable-source-maps ./test/*.cjs --require ./test/before.cjs --timeout=12000"
    package = {"scripts": {"test": script, "pretest": "npm run compile -- -p tsconfig.test.json"}}
    command = "npx mocha --require ./test/before.cjs FILE -g NAME"
    assert facts_of({"package.json": json.dumps(package)})["one test"] == f"npm run pretest && {command}"
    package["scripts"]["pretest"] = "npm run lint"
    assert facts_of({"package.json": json.dumps(package)})["one test"] == command


def test_one_test_is_run_in_the_folder_of_the_tests() -> None:
    workflow = "jobs: {unit: {steps: [{run: npm test, working-directory: web}]}}\n"
    files = {".github/workflows/ci.yml": workflow, "web/package.json": '{"devDependencies": {"jest": "1"}}'}
    assert facts_of(files)["one test"] == "cd web && npx jest FILE -t NAME"


@pytest.mark.parametrize(
    ("path", "text", "fetch"),
    [
        ("README.md", "```sh\ngit submodule update --init  # first\n```\n", "git submodule update --init && "),
        ("README", "    git clone --recursive https://x.org/a.git\n", "git submodule update --init --recursive && "),
        (
            ".github/workflows/ci.yml",
            "jobs: {a: {steps: [{uses: checkout, with:\n  submodules: true\n}]}}",
            "git submodule update --init && ",
        ),
        ("README.md", "It has submodules.\n", ""),
    ],
)
def test_a_build_begins_with_the_submodules_that_a_guide_or_ci_fetches(path: str, text: str, fetch: str) -> None:
    files = {"Cargo.toml": "", path: text}
    assert facts_of(files, ".gitmodules")["build"] == f"{fetch}cargo build"
    assert facts_of(files)["build"] == "cargo build"


def test_one_test_of_make_check_is_unknown_even_beside_cmake() -> None:
    files = {"CMakeLists.txt": "enable_testing()\n", "CONTRIBUTING.md": "```\nmake check\n```\n"}
    facts = facts_of(files, "Makefile", "a.c")
    assert (facts["test"], facts.get("one test")) == ("make check", None)


def test_make_is_no_test_command_beside_cmake_without_a_makefile() -> None:
    """`configure` would write it first, and the build that is shown is that of CMake."""
    files = {"CMakeLists.txt": "enable_testing()\n", "README.md": "```\n./configure\nmake\nmake check\n```\n"}
    assert facts_of(files, "a.c")["test"] == "ctest --test-dir build"


def test_parts_of_a_test_script_that_lint_or_check_types_are_no_tests() -> None:
    scripts = {"test:eslint": "eslint .", "test:types": "run-s test:types:*", "test:lib": "vitest", "test:lib:dev": "x"}
    facts = facts_of({"package.json": json.dumps({"scripts": {**scripts, "lint:fix": "eslint . --fix"}})})
    assert facts["test"] == "npm run test:lib → vitest"
    assert facts["lint"] == "npm run test:eslint → eslint ."


def test_parts_of_a_test_task_that_only_prepare_tests_are_no_tests() -> None:
    aliases = ['"test.reset": ["ecto.drop", "test.setup"],', '"test.setup": ["ecto.create"],', '"test.ci": [', '"test"']
    lines = ["defp aliases do", "[", *aliases, "]", "]", "end"]
    assert facts_of({"mix.exs": "\n".join(lines)})["test"] == "mix test.ci"


@pytest.mark.parametrize(
    ("paths", "single"),
    [
        (("pnpm-workspace.yaml",), None),
        (("pnpm-workspace.yaml", "vitest.config.ts"), "npx vitest run FILE -t NAME"),
        (("packages/a/vite.config.ts",), "npx vitest run FILE -t NAME"),
    ],
)
def test_a_runner_that_is_installed_for_the_packages_of_a_workspace_does_not_run_at_its_root(
    paths: tuple[str, ...], single: str | None
) -> None:
    package = '{"scripts": {"test": "nx run-many -t test"}, "devDependencies": {"vitest": "3"}}'
    assert facts_of({"package.json": package}, *paths).get("one test") == single


def test_many_workflows_do_not_crowd_out_the_manifest() -> None:
    paths = [f".github/workflows/{number}.yml" for number in range(60)]
    assert profile_paths([*paths, "package.json"])[0] == "package.json"


def test_a_go_matrix_of_minor_versions_is_shown_in_full() -> None:
    workflow = "jobs: {unit: {strategy: {matrix: {go: [21, 22]}}}}\n"
    assert facts_of({".github/workflows/ci.yml": workflow})["ci"] == "Go 1.21, 1.22"


def test_a_toolchain_other_than_rusts_is_not_shown_as_a_version() -> None:
    workflow = "jobs: {{unit: {{strategy: {{matrix: {{toolchain: [{}], shell: [sh]}}}}}}}}\n"
    assert "ci" not in facts_of({".github/workflows/ci.yml": workflow.format("mingw, msvc")})
    rust = facts_of({".github/workflows/ci.yml": workflow.format("stable, 1.70.0, nightly-2025-01-01")})
    assert rust["ci"].startswith("Rust 1.70.0")
    named = facts_of({".github/workflows/ci.yml": workflow.replace("toolchain", "rust").format("'1.74', msrv")})
    assert named["ci"] == "Rust 1.74"


TESTED_ON_NIGHTLY = """\
jobs:
  test:
    strategy: {matrix: {os: [ubuntu, windows]}}
    steps:
      - uses: dtolnay/rust-toolchain@nightly
      - run: cargo test
  build:
    strategy: {matrix: {rust: [beta, 1.65.0]}}
    steps:
      - uses: dtolnay/rust-toolchain@master
        with: {toolchain: "${{matrix.rust}}"}
      - run: cargo check
  minimal:
    steps: [{uses: dtolnay/rust-toolchain@stable}, {run: cargo check}]
  miri:
    steps: [{uses: dtolnay/rust-toolchain@miri}]
"""


@pytest.mark.parametrize(
    ("workflow", "versions"),
    [
        (TESTED_ON_NIGHTLY, "Rust nightly (tests), 1.65.0, beta, stable (other jobs); on ubuntu, windows"),
        (
            TESTED_ON_NIGHTLY.replace("cargo check", "cargo test"),
            "Rust 1.65.0, beta, nightly, stable; on ubuntu, windows",
        ),
        (TESTED_ON_NIGHTLY.replace("cargo test", "ci/run"), "Rust 1.65.0, beta; on ubuntu, windows"),
    ],
    ids=["one job tests", "all jobs test", "unknown"],
)
def test_a_toolchain_that_a_step_installs_is_a_version_and_those_of_the_tests_are_marked(
    workflow: str, versions: str
) -> None:
    assert facts_of({".github/workflows/ci.yml": workflow})["ci"] == versions


def test_the_versions_of_lua_are_named() -> None:
    workflow = "jobs: {unit: {strategy: {matrix: {lua-version: ['5.4', luajit-2.1]}}}}\n"
    assert facts_of({".github/workflows/ci.yml": workflow})["ci"] == "Lua 5.4, luajit-2.1"


def test_compilers_with_and_without_a_version_are_named() -> None:
    workflow = "jobs: {unit: {strategy: {matrix: {compiler: [g++-9, clang++]}}}}\n"
    assert facts_of({".github/workflows/ci.yml": workflow})["ci"] == "compiler clang++, g++-9"


def test_a_version_that_a_step_sets_up_is_tested_if_no_matrix_has_any() -> None:
    job = "steps: [{uses: actions/setup-java@v5, with: {java-version: 8, distribution: x}}, {run: mvn test}]"
    alone = f"jobs: {{unit: {{{job}}}}}\n"
    beside = f"jobs: {{unit: {{strategy: {{matrix: {{java: [11, 17]}}}}, {job}}}}}\n"
    called = f"jobs: {{unit: {{{job}}}, all: {{uses: ./.github/workflows/all.yml, with: {{versions: '8,11'}}}}}}\n"
    other = f"jobs: {{site: {{{job.replace('mvn test', 'mvn site')}}}}}\n"
    path = ".github/workflows/ci.yml"
    found = [facts_of({path: text}).get("ci") for text in (alone, beside, called, other)]
    assert found == ["Java 8", "Java 11, 17", None, None]


def test_a_compiler_is_shown_once() -> None:
    matrix = "{compiler: [clang, gcc], include: [{compiler: clang, CXX: clang++}, {compiler: gcc, CC: gcc-13}]}"
    workflow = f"jobs: {{unit: {{strategy: {{matrix: {matrix}}}}}}}\n"
    assert facts_of({".github/workflows/ci.yml": workflow})["ci"] == "compiler clang, gcc"


def test_a_processor_is_no_system_and_a_compiler_no_version_of_its_language() -> None:
    workflow = "jobs: {unit: {strategy: {matrix: {CXX: [clang++], platform: [x64, linux], os: [macos]}}}}\n"
    assert facts_of({".github/workflows/ci.yml": workflow})["ci"] == "compiler clang++; on linux, macos"


def test_a_rockspec_of_some_release_gives_no_version() -> None:
    facts = facts_of({"rockspecs/pen-1.6.0-1.rockspec": 'package = "pen"\nversion = "1.6.0-1"\n'})
    assert facts["name"] == "pen"


def test_one_test_is_run_by_the_interpreter_of_the_test_command() -> None:
    makefile = "BIN = .venv/bin\ntest:\n\t$(BIN)/python -m pytest -q tests\n"
    assert facts_of({"Makefile": makefile})["one test"] == ".venv/bin/python -m pytest FILE -k NAME"


def test_runtime_and_entry_come_from_the_root_if_it_has_them() -> None:
    files = {
        "pubspec.yaml": "name: dio\nenvironment:\n  sdk: '>=2.18.0 <4.0.0'\n",
        "plugins/linux/CMakeLists.txt": "set(CMAKE_CXX_STANDARD 17)\n",
        "setup.cfg": "[options.entry_points]\nconsole_scripts =\n    dio = dio:main\n",
        "plugins/web/package.json": '{"name": "web", "main": "index.js"}',
    }
    facts = profile_facts(files, list(files))
    assert [fact.text for fact in facts if fact.slot == "runtime"] == ["Dart >=2.18.0 <4.0.0"]
    assert [fact.text for fact in facts if fact.slot == "entry"] == ["dio → dio:main"]


@pytest.mark.parametrize(("version", "shown"), [("1.74", ["Rust >= 1.74"]), ("1.56", [])])
def test_the_runtime_is_not_shown_if_an_inner_package_accepts_an_older_one(version: str, shown: list[str]) -> None:
    package = '[package]\nname = "a"\nrust-version = "{}"\n'
    files = {"Cargo.toml": package.format("1.74"), "utils/Cargo.toml": package.format(version)}
    assert [fact.text for fact in profile_facts(files, files) if fact.slot == "runtime"] == shown


JDK_17 = "java { toolchain { languageVersion.set(JavaLanguageVersion.of(17)) } }\n"
COMPILER = (
    "<build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId>\n"
    "<configuration>{}</configuration></plugin></plugins></build>\n"
)


def test_a_default_command_cites_a_manifest_without_a_line() -> None:
    files = {"build.gradle.kts": 'plugins {\n  kotlin("multiplatform")\n}\n'}
    [test] = [fact for fact in profile_facts(files, [*files, "gradlew"]) if fact.slot == "test"]
    assert (test.text, test.path, test.start_line) == ("./gradlew check", "build.gradle.kts", 0)


@pytest.mark.parametrize(
    ("files", "shown"),
    [
        ({"go.mod": "module a\n\ngo 1.17\n"}, "Go >= 1.17"),
        ({"go.mod": "module a\n\ngo 1.21\n\ntoolchain go1.22.3\n"}, "Go >= 1.21 (built with 1.22.3)"),
        ({"go.mod": "module a\n\ngo 1.17\n", "_codegen/go.mod": "module b\n\ngo 1.11\n"}, "Go >= 1.17"),
        ({"CMakeLists.txt": "cmake_minimum_required(VERSION 3.5...3.30)\n"}, "CMake >= 3.5"),
        (
            {"build.gradle": "// jvmTarget = 6\nsourceCompatibility = JavaVersion.VERSION_1_8\n"},
            "Java 8 (target version)",
        ),
        ({"build.gradle.kts": f"{JDK_17}jvmTarget.set(JvmTarget.JVM_11)\n"}, "Java 11 (built with JDK 17)"),
        ({"build.gradle.kts": f'{JDK_17}kotlinOptions.jvmTarget = "17"\n'}, "Java 17"),
        (
            {"build.gradle.kts": f"{JDK_17}options.release.set(8)\n", "a/build.gradle": "jvmTarget = '16'\n"},
            "Java 8 (built with JDK 17)",
        ),
        ({"pom.xml": COMPILER.format("<release>11</release>")}, "Java 11 (target version)"),
        ({"pom.xml": COMPILER.format("<source>${jdk}</source><target>8</target>")}, "Java 8 (target version)"),
    ],
)
def test_the_oldest_version_that_a_manifest_accepts_is_shown(files: dict[str, str], shown: str) -> None:
    assert facts_of({path: text for path, text in files.items() if path in profile_paths(files)})["runtime"] == shown


def test_and_benchmark_projects_give_no_facts() -> None:
    project = "<Project>\n  <OutputType>Exe</OutputType>\n  <TargetFramework>{}</TargetFramework>\n</Project>\n"
    files = {
        "src/Rules/Rules.csproj": project.replace("Exe", "Library").format("net8.0"),
        "src/Rules.Tests.Benchmarks/Bench.csproj": project.format("net10.0"),
    }
    paths = profile_paths(files)
    assert paths == ["src/Rules/Rules.csproj"]
    runtime, *_ = profile_facts({path: files[path] for path in paths}, list(files))
    assert runtime.text == ".NET net8.0"


def test_a_swift_example_is_no_entry() -> None:
    target = '.executableTarget(\n  name: "{}",\n  dependencies: ["Core"],\n  path: "{}/x"),\n'
    targets = target.format("roll", "Examples") + target.format("serve", "Sources")
    text = f'let package = Package(\n  name: "core",\n  targets: [\n{targets}])\n'
    assert facts_of({"Package.swift": text})["entry"] == "executable serve"


WORKSPACE = '[package]\nname = "a"\n[workspace]\nmembers = [".", "b"]\n'


def test_a_workspace_with_a_package_at_the_root_is_built_and_tested_as_a_whole() -> None:
    facts = facts_of({"Cargo.toml": WORKSPACE}, "src/lib.rs", "clippy.toml", "rustfmt.toml")
    assert [facts[slot] for slot in ("build", "test", "one test", "lint", "format")] == [
        "cargo build --workspace",
        "cargo test --workspace",
        "cargo test --workspace NAME",
        "cargo clippy --workspace",
        "cargo fmt --all",
    ]


@pytest.mark.parametrize(
    "manifest",
    [
        WORKSPACE + 'default-members = ["b"]\n',
        WORKSPACE.replace('".", "b"', '"."'),
        '[workspace]\nmembers = ["a", "b"]\n',
        '[package]\nname = "a"\n',
    ],
)
def test_cargo_commands_get_no_workspace_flag_where_plain_cargo_suffices(manifest: str) -> None:
    facts = facts_of({"Cargo.toml": manifest}, "src/lib.rs", "clippy.toml", "rustfmt.toml")
    assert (facts["test"], facts["lint"], facts["format"]) == ("cargo test", "cargo clippy", "cargo fmt")


def test_no_default_formatter_is_named_where_ci_runs_another() -> None:
    steps = "jobs:\n  tidy:\n    steps:\n      # {0}\n      - run: {0}\n"
    for command, shown in (("rustfmt --check $(git ls-files)", False), ("cargo fmt", True)):
        files = {"Cargo.toml": "[package]\n", ".github/workflows/ci.yml": steps.format(command)}
        assert ("format" in facts_of(files, "src/lib.rs", "rustfmt.toml")) is shown


@pytest.mark.parametrize(
    ("groups", "command"),
    [
        ('lint = ["prek>=0.4"]', "prek run --all-files"),
        ('lint = ["prek>=0.4", "pre-commit"]', "pre-commit run --all-files"),
        ('lint = ["ruff"]', "pre-commit run --all-files"),
    ],
)
def test_hooks_run_with_the_program_that_the_project_installs(groups: str, command: str) -> None:
    files = {"pyproject.toml": f"[dependency-groups]\n{groups}\n"}
    assert facts_of(files, ".pre-commit-config.yaml", "a.py")["lint"] == command


TOX = "[tox]\nenv_list = py3{10,11},lint\n[testenv]\ncommands = pytest\n"


@pytest.mark.parametrize(
    ("tox", "test"),
    [
        (TOX, "tox -e py → pytest"),
        (TOX.replace("commands = ", "commands =\n    tests: "), "tox -f tests → pytest"),
        (TOX.replace(",lint", ""), "tox → pytest"),
    ],
)
def test_plain_tox_is_no_test_command_if_it_also_lints(tox: str, test: str) -> None:
    assert facts_of({"tox.ini": tox}, "a.py")["test"] == test


def test_environments_in_braces_are_several_with_their_own_commands() -> None:
    tox = "[testenv:lint-{ruff,pre-commit}]\ncommands =\n    ruff: ruff check\n    pre-commit: prek run -a\n"
    assert facts_of({"tox.ini": tox}, "a.py")["lint"] == (
        "tox -e lint-ruff → ruff check; tox -e lint-pre-commit → prek run -a"
    )


@pytest.mark.parametrize(
    "command",
    [
        "cargo clippy --tests -- -Dclippy::all -Dclippy::pedantic",
        "./.ci.govet.sh",
        "ci/check-lint.sh",
        "go vet ./...",
        "vendor/bin/phpstan analyse",
    ],
)
def test_a_linter_of_ci_is_shown_where_no_file_names_one(command: str) -> None:
    workflow = f"jobs: {{style: {{steps: [{{run: {json.dumps(command)}}}]}}}}\n"
    assert facts_of({".github/workflows/ci.yml": workflow})["lint"] == command


@pytest.mark.parametrize(
    ("path", "text", "command"),
    [
        ("README.md", "# A\n\n## Contributing\n\nRun `go generate ./...` first.\n", "go generate ./..."),
        ("README.md", "# A\n\n## Usage\n\nRun `go generate ./...` first.\n", None),
        ("Makefile", "generate:\n\tgo generate ./...\n", "make generate → go generate ./..."),
        ("package.json", '{"scripts": {"codegen": "graphql-codegen"}}', "npm run codegen → graphql-codegen"),
        (".github/workflows/ci.yml", "jobs: {a: {steps: [{run: ./.ci.gogenerate.sh}]}}\n", "./.ci.gogenerate.sh"),
        (".github/workflows/ci.yml", "jobs: {a: {steps: [{run: cargo generate-lockfile}]}}\n", None),
    ],
)
def test_the_command_that_rewrites_generated_files_is_a_fact(path: str, text: str, command: str | None) -> None:
    assert facts_of({path: text}).get("generate") == command


def test_computed_arguments_of_a_linter_are_left_out() -> None:
    steps = "jobs:\n  check:\n    steps:\n      - run: {}\n"
    linter = 'FLAGS="--deny all" cargo clippy ${{ matrix.features }}'
    for command, slots in (
        (linter, {"lint"}),
        ("cargo clippy --features ${{ matrix.features }}", set()),
        ("cargo nextest run ${{ matrix.features }}", set()),
    ):
        facts = profile_facts({".github/workflows/ci.yml": steps.format(command)}, ["a.rs"])
        assert {fact.slot for fact in facts} == slots
        assert all(fact.text == 'FLAGS="--deny all" cargo clippy' for fact in facts)


def test_a_script_that_writes_versions_or_documentation_is_no_build() -> None:
    scripts = '"build:sync-version": "node v.js", "build:docs": "typedoc", "build:lib": "tsc"'
    assert facts_of({"package.json": f'{{"scripts": {{{scripts}}}}}'}, "a.js")["build"] == "npm run build:lib → tsc"


def test_fastlane_lint_of_a_swift_package_is_not_shown_as_its_linter() -> None:
    guide = "```bash\nbundle exec fastlane tests\nbundle exec fastlane lint\n```\n"
    facts = facts_of({"Package.swift": "", "AGENTS.md": guide}, "Gemfile", "Sources/a.swift")
    assert (facts["test"], facts.get("lint")) == ("bundle exec fastlane tests", None)


@pytest.mark.parametrize(
    ("manifest", "settings", "linter"),
    [
        ("a.rockspec", ".luacheckrc", "luacheck"),
        ("Package.swift", ".swiftlint.yml", "swiftlint"),
        ("Cargo.toml", "clippy.toml", "clippy"),
        ("go.mod", ".golangci.yml", "golangci-lint"),
    ],
)
def test_a_linter_that_ci_does_not_run_is_not_shown(manifest: str, settings: str, linter: str) -> None:
    ci = ".github/workflows/ci.yml"
    assert "lint" in facts_of({manifest: ""}, settings)
    assert "lint" in facts_of({manifest: "", ci: f"# {linter}\n"}, settings)
    assert "lint" not in facts_of({manifest: "", ci: "jobs: {}\n"}, settings)


def test_one_borp_test_is_run_by_file() -> None:
    package = '{"scripts": {"test": "npm run unit", "unit": "borp"}, "devDependencies": {"borp": "^1"}}'
    assert facts_of({"package.json": package}, "a.js")["one test"] == "npx borp FILE"


def test_a_target_named_after_its_linter_is_shown() -> None:
    files = {"go.mod": "module x\n", "Makefile": "golangci-lint:\n\tgolangci-lint run -v\n"}
    assert facts_of(files, "a.go")["lint"] == "make golangci-lint → golangci-lint run -v"


@pytest.mark.parametrize(
    ("own", "others", "version"),
    [("5.1", ["5.5", "5.9"], "5.1"), ("6.0", ["5.9"], "5.9"), ("5.9", [], "5.9"), ("6.0", ["5.10", "5.9"], "5.9")],
)
def test_the_swift_tools_are_those_of_the_manifest_that_the_oldest_compilers_read(
    own: str, others: list[str], version: str
) -> None:
    form = '// swift-tools-version:{}\nlet package = Package(name: "A")\n'
    files = {"Package.swift": form.format(own)} | {f"Package@swift-{v}.swift": form.format(v) for v in others}
    facts = profile_facts(files, [*files, "Sources/a.swift"])
    assert [fact.text for fact in facts if fact.slot in ("name", "runtime")] == ["A", f"Swift tools >= {version}"]


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ('{"name": "a", "version": "1.2.3-beta", "release": "semantic-release"}', "a"),
        ('{"name": "a", "version": "0.0.0-development"}', "a"),
        ('{"name": "a", "version": "0.8.4"}', "a 0.8.4"),
    ],
)
def test_a_version_that_a_release_tool_replaces_is_not_shown(package: str, name: str) -> None:
    assert facts_of({"package.json": package}, "a.js")["name"] == name


@pytest.mark.parametrize(
    ("package", "entry"),
    [
        ('"main": "index.js", "scripts": {"serve": "docsify serve"}', ""),
        ('"main": "index.js", "scripts": {"build": "tsc"}', "main index.js, a build output"),
        ('"main": "a.js", "scripts": {"build": "tsup"}, "source": "./src/a.ts"', "main a.js, built from src/a.ts"),
    ],
)
def test_a_main_module_is_shown_if_it_exists_or_is_built(package: str, entry: str) -> None:
    assert facts_of({"package.json": f"{{{package}}}"}, "src/a.ts").get("entry", "") == entry


def test_programs_for_the_developers_of_a_library_are_no_entries() -> None:
    program = "<Project>\n<OutputType>Exe</OutputType>\n</Project>\n"
    names = ("App", "Lib.Website", "Lib.DocsGenerator", "Lib.PerformanceTests")
    facts = profile_facts({f"src/{name}/{name}.csproj": program for name in names}, ["a.cs"])
    assert [fact.text for fact in facts if fact.slot == "entry"] == ["executable App"]


def test_a_package_json_with_many_exports_is_read() -> None:
    exports = ",".join(f'"./{at:06}": "./{at:06}.js"' for at in range(9000))
    package = f'{{"name": "dates", "exports": {{{exports}}}, "scripts": {{"test": "vitest run"}}}}'
    facts = facts_of({"package.json": package}, "a.js")
    assert len(package) > 200_000
    assert (facts["name"], facts["test"]) == ("dates", "npm test → vitest run")


@pytest.mark.parametrize(
    ("group", "is_installed"),
    [
        ("group :style, optional: true do", False),
        ("group :style do", True),
        ("group :doc, optional: true do\nend\n", True),
    ],
)
def test_a_linter_of_an_optional_group_is_not_installed(group: str, is_installed: bool) -> None:
    files = {"Gemfile": f"gemspec\n\n{group}\n  gem 'rake'\n  gem 'rubocop', require: false\nend\n"}
    assert ("lint" in facts_of(files, ".rubocop.yml", "lib/a.rb")) is is_installed


@pytest.mark.parametrize(("root", "runtime"), [(("build.gradle.kts",), None), ((), "Java 8 (target version)")])
def test_a_gradle_subproject_gives_no_java_version_for_the_whole(root: tuple[str, ...], runtime: str | None) -> None:
    files = {"android/build.gradle.kts": "sourceCompatibility = JavaVersion.VERSION_1_8\n"}
    assert facts_of(files, *root, "android/A.kt").get("runtime") == runtime


def test_the_java_runtime_is_the_compile_target_not_the_build_jdk() -> None:
    texts = ("Java 8", "Java 11 (built with JDK 17)", "Python >=3.11")
    shown = [needs(Fact("runtime", text, "build.gradle", 1, 1)) for text in texts]
    assert shown == ["runs on Java 8", "runs on Java 11 (built with JDK 17)", "needs Python >=3.11"]


def test_a_program_in_build_zig_does_not_name_the_package() -> None:
    build = 'pub fn build(b: *std.Build) void {\n    _ = b.addExecutable(.{\n        .name = "vectors",\n    });\n}\n'
    assert "name" not in facts_of({"build.zig": build}, "src/a.zig")


def test_the_manifest_of_a_website_is_not_read() -> None:
    assert profile_paths(["package.json", "www/package.json", "xtask/Cargo.toml"]) == ["package.json"]
