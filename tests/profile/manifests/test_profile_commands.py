"""Task files, workflows and guides: the commands and versions that are read from them."""

from textwrap import dedent

import pytest

from repomem.profile.facts import profile_facts
from repomem.profile.manifests.commands import slot_of_command

Found = list[tuple[str, str, int]]


def found(path: str, text: str, *slots: str) -> Found:
    """Give (slot, text, first line) of the facts of one file, of `slots` alone where any are named."""
    facts = profile_facts({path: dedent(text).lstrip("\n")})
    return [(f.slot, f.text, f.start_line) for f in facts if not slots or f.slot in slots]


def test_a_make_target_shows_its_first_command_that_is_not_a_message() -> None:
    makefile = """
    CC ?= cc
    test: CFLAGS = -g
    all: lib tool
    test check: lib  # everything
    \t@echo "testing"
    \t-$(CC) --version && \\
    \t  ./run-tests
    lint: ; clang-tidy src/*.c
    dist:
    """
    assert found("Makefile", makefile) == [
        ("build", "make all → lib tool", 3),
        ("test", "make test → cc --version && ./run-tests", 4),
        ("lint", "make lint → clang-tidy src/*.c", 8),
    ]


def test_a_task_shows_its_first_step_if_that_is_of_its_kind_and_marks_further_linters() -> None:
    makefile = "test:\n\t./prepare\n\tpytest\nlint:\n\truff check\n\tmypy src\nvet:\n\t@echo vet\n\tgo vet ./...\n"
    assert found("Makefile", makefile) == [
        ("test", "make test", 1),
        ("lint", "make lint → ruff check && …; make vet → go vet ./...", 4),
    ]
    tox = "[testenv]\ncommands =\n    ./prepare\n    pytest\n[testenv:lint]\ncommands =\n    ruff check\n    mypy\n"
    assert found("tox.ini", tox) == [("test", "tox", 3), ("lint", "tox -e lint → ruff check && …", 7)]
    taskfile = "tasks: {lint: [ruff check, mypy src], test: [cmd: ./prepare, cmd: pytest]}\n"
    taskfile = taskfile.replace("cmd: ./prepare, cmd: pytest", "{cmd: ./prepare}, {cmd: pytest}")
    assert [text for _, text, _ in found("Taskfile.yml", taskfile)] == ["task test", "task lint → ruff check && …"]
    table = '[tool.tox.env.lint]\ncommands = [["ruff", "check"], ["mypy"]]\n'
    assert [text for _, text, _ in found("pyproject.toml", table)] == ["tox -e lint → ruff check && …"]


@pytest.mark.parametrize(("needs", "shown"), [("build", "make test → cargo test"), ("test-core build", "make test")])
def test_a_make_target_with_test_prerequisites_does_not_show_only_its_own_line(needs: str, shown: str) -> None:
    assert found("Makefile", f"test: {needs}\n\tcargo test\n")[0][1] == shown


def test_tox_with_a_plugin_that_uv_installs_is_run_by_uv() -> None:
    table = '[tool.tox.env_run_base]\nrunner = "uv-venv-lock-runner"\ncommands = [["pytest"]]\n'
    group = '[dependency-groups]\ndev = ["tox-uv"]\n'
    assert next(text for _, text, _ in found("pyproject.toml", table + group)) == "uv run tox → pytest"
    assert next(text for _, text, _ in found("pyproject.toml", table)) == "tox → pytest"


def test_a_task_spans_its_name_and_the_line_that_it_runs() -> None:
    fact, _ = profile_facts({"Makefile": "test:\n\t@echo hello\n\tgo test ./...\n"})
    assert (fact.text, fact.start_line, fact.end_line) == ("make test → go test ./...", 1, 3)


def test_a_rake_task_inside_a_namespace_has_another_name_and_is_left_out() -> None:
    assert found("Rakefile", "namespace :doc do\n  task test: :build do\n  end\nend\n") == []


@pytest.mark.parametrize(
    ("recipe", "count"),
    [
        ("virtualenv venv\n\tvenv/bin/pip install -e .\n\tvenv/bin/pip install -r requirements_dev.txt", 0),
        ("npm ci && bundle install", 0),
        ("pip install -e '.[dev]'", 1),
        ("npm install\n\tnpm run compile", 1),
    ],
)
def test_a_task_that_only_installs_packages_is_no_build(recipe: str, count: int) -> None:
    assert len(found("Makefile", f"build:\n\t{recipe}\n", "build")) == count


def test_a_make_target_that_only_prints_messages_is_not_shown() -> None:
    assert found("Makefile", "all:\n\t@echo hello\n") == []


def test_the_matrix_of_a_workflow_is_sorted_folded_and_without_what_is_excluded() -> None:
    workflow = """
    jobs:
      test:
        strategy:
          matrix:
            python-version: ["3.12", "3.10", '3.11',
                             "pypy-3.10"]  # all we support
            os: [ubuntu-24.04, windows-latest]
            flavour: [a1, b2]
            exclude:
            - python-version: "2.7"
            include:
            - { python-version: "3.14", os: macos-14 }
            - python-version: ${{ fromJSON(x) }}
    """
    assert found(".github/workflows/ci.yml", workflow) == [
        ("ci", "Python 3.10–3.12, 3.14, pypy-3.10, others computed; on macos, ubuntu, windows", 5)
    ]


@pytest.mark.parametrize(
    ("command", "count"),
    [
        *(("mvn install site", 1), ("./mvnw -B package", 1), ("mvn -DskipTests=false install", 1)),
        *(("mvn -DskipTests install", 0), ("mvn compile", 0), ("mvn -Dmaven.test.skip=true package", 0)),
        *(("./gradlew build", 1), ("./gradlew build -x test", 0), ("./gradlew assemble", 0)),
    ],
)
def test_a_ci_job_whose_build_runs_the_tests_counts_as_a_test_job(command: str, count: int) -> None:
    steps = f"[{{uses: actions/setup-java@v4, with: {{java-version: 8}}}}, {{run: {command}}}]"
    workflow = f"jobs: {{build: {{steps: {steps}}}}}\n"
    assert found(".github/workflows/ci.yml", workflow, "ci") == [("ci", "Java 8", 1)] * count


def test_the_versions_of_rustup_are_read_from_its_commands_and_the_matrix_that_they_name() -> None:
    workflow = """
    jobs:
      test:
        strategy:
          matrix:
            channel: [stable, beta]
        steps:
        - run: rustup update ${{ matrix.channel }} && rustup default ${{ matrix.channel }}
        - run: cargo test
      old:
        steps:
        - run: rustup toolchain install 1.70.0
        - run: rustup default $msrv
        - run: cargo test
    """
    assert found(".github/workflows/ci.yml", workflow, "ci") == [("ci", "Rust 1.70.0, beta, stable", 5)]


def test_a_linter_that_an_action_runs_is_found_unless_it_has_arguments() -> None:
    action = "jobs:\n  check:\n    steps:\n    - uses: dominikh/staticcheck-action@v1\n"
    assert found(".github/workflows/ci.yml", action) == [("lint", "staticcheck ./...", 4)]
    assert found(".github/workflows/ci.yml", f"{action}      with: {{args: -x}}\n") == []


@pytest.mark.parametrize(("plain", "shown"), [(0, ["compiler clang++, g++; on macos, ubuntu"]), (3, [])])
def test_a_compiler_set_by_few_matrix_entries_is_not_shown(plain: int, shown: list[str]) -> None:
    entries = ["{os: macos-14, CXX: clang++}", "{os: ubuntu-24.04, CXX: g++}", *["{os: ubuntu-24.04}"] * plain]
    workflow = f"jobs: {{test: {{strategy: {{matrix: {{include: [{', '.join(entries)}]}}}}}}}}\n"
    assert [text for _, text, _ in found(".github/workflows/ci.yml", workflow, "ci")] == shown


def test_a_matrix_is_read_over_several_lines_and_from_a_flow_mapping_but_not_of_a_lint_job() -> None:
    workflow = """
    jobs:
      test:
        strategy:
          matrix:
            python-version:
              [
                "3.10",
                "3.11",  # the oldest that we support, and the next
              ]
      browsers:
        strategy:
          matrix: { node-version: [20, 22] }
      lint:
        strategy:
          matrix: { node-version: [24] }
    """
    assert found(".github/workflows/ci.yml", workflow) == [("ci", "Python 3.10, 3.11; Node 20, 22", 7)]


@pytest.mark.parametrize(
    ("matrix", "shown"),
    [
        ("{ go: ['1.22'], os: [ubuntu-latest, macOS-latest] }", "Go 1.22; on macos, ubuntu"),
        ("{ java: [temurin@11, temurin@17] }", "Java 11, 17"),
        ("{ python: [3.x, '3.12'] }", "Python 3.12"),
        ("{ python: [3.x] }", "Python 3.x"),
        ("{ node: [20.x, 22.x] }", "Node 20.x, 22.x"),
        ("{ node: ['${{ inputs.node }}'], python: ['3.12'] }", "Python 3.12"),
        (f"{{ node: {[2 * at for at in range(1, 16)]} }}", f"Node {', '.join(map(str, range(2, 26, 2)))}, 3 more"),
    ],
)
def test_a_matrix_is_shown_whole_or_marks_what_is_missing(matrix: str, shown: str) -> None:
    workflow = f"jobs:\n  test:\n    strategy:\n      matrix: {matrix}\n"
    assert [text for _, text, _ in found(".github/workflows/ci.yml", workflow)] == [shown]


def test_anchors_and_aliases_are_resolved() -> None:
    workflow = """
    versions: &supported
      - "3.12"
      - "3.13"
    jobs:
      test:
        strategy:
          matrix:
            python-version: *supported
        steps: &steps
          - run: pytest -q
      again:
        steps: *steps
    """
    assert found(".github/workflows/ci.yml", workflow) == [
        ("test", "pytest -q", 10),
        ("one test", "pytest FILE -k NAME", 10),
        ("ci", "Python 3.12, 3.13", 2),
    ]
    gitlab = ".test: &test\n  - tox -e py\nunit:\n  script: *test\n"
    assert found(".gitlab-ci.yml", gitlab) == [("test", "tox -e py", 2)]
    taskfile = "x: &go\n  cmds: [go test ./...]\ntasks:\n  test:\n    <<: *go\n    desc: all\n"
    assert found("Taskfile.yml", taskfile, "test") == [("test", "task test → go test ./...", 4)]


@pytest.mark.parametrize(
    "text",
    [
        *("run: [pytest\n", "run: *nothing\n", "\tscript: pytest\n", "script: &a [*a]\n", "a: &a {<<: *a}\n"),
        *(
            "[\n" * 50_000,
            "- " * 2_000,
            "run: \x00\n",
            "a: b: c\n",
            "%YAML 9\n---\n%\n",
            "&a [*a, *a]\n---\nx: {\n",
            "\udcff",
        ),
    ],
)
@pytest.mark.parametrize("path", [".github/workflows/ci.yml", ".gitlab-ci.yml", ".travis.yml", "Taskfile.yml"])
def test_broken_yaml_gives_no_facts_and_does_not_affect_other_files(path: str, text: str) -> None:
    assert profile_facts({path: text, "package.json": '{"name": "tern"}'}) == profile_facts(
        {"package.json": '{"name": "tern"}'}
    )


def test_the_commands_of_a_workflow_are_read_from_scalars_and_blocks() -> None:
    workflow = """
    jobs:
      build:
        defaults:
          run:
            working-directory: src
        steps:
        - run: npm ci
        - name: Lint
          run: "cargo fmt --check"
        - run: |
            # cargo test --doc
            cargo test --workspace \\
              --all-features

            cargo build --release
        - run: >-
            cargo clippy
            -- -D warnings
    """
    assert found(".github/workflows/ci.yml", workflow) == [
        ("build", "cargo build --release", 15),
        ("test", "cargo test --workspace --all-features", 12),
        ("one test", "cargo test --workspace --all-features NAME", 12),
        ("lint", "cargo clippy -- -D warnings; cargo fmt --check", 9),
    ]


def test_travis_and_gitlab_scripts_are_read() -> None:
    travis = "language: ruby\nrvm:\n- 3.2\n- 3.3\nscript: bundle exec rake\n"
    assert found(".travis.yml", travis) == [("test", "bundle exec rake", 5), ("ci", "Ruby 3.2, 3.3", 3)]
    gitlab = "unit:\n  script:\n    - pip install tox\n    - tox -e py\n"
    assert found(".gitlab-ci.yml", gitlab) == [("test", "tox -e py", 4)]


def test_a_guide_names_commands_in_fences_and_inline_but_no_single_test() -> None:
    guide = "Doc tests run with `cargo test --doc`.\n\n```console\n$ cargo test  # all of it\n```\n"
    assert found("CONTRIBUTING.md", guide, "test") == [("test", "cargo test", 4)]


@pytest.mark.parametrize(
    ("command", "slot"),
    [
        *(("FOO=1 poetry run pytest -q", "test"), ("cd a && go test ./...", "test"), ("python3 -m unittest", "test")),
        *(
            ("./test/run.sh", "test"),
            ("bash scripts/run_tests.sh", "test"),
            ("make checkpatches", ""),
            ("test.sh-x", ""),
        ),
        *(("npm test", "test"), ("pnpm run test:unit", "test"), ("./gradlew check", "test"), ("mvn -B verify", "test")),
        *(
            ("uv run ruff check", "lint"),
            ("npx eslint .", "lint"),
            ("tox -e lint", "lint"),
            ("cargo fmt", "format"),
            ("go vet ./...", "lint"),
        ),
        *(
            ("cargo build", "build"),
            ("python -m build", "build"),
            ("cmake -B out && cmake --build out", "build"),
            ("nox -rs docs", ""),
        ),
        *(
            ("pip install pytest", ""),
            ("npm install", ""),
            ("echo pytest", ""),
            ("pytest.ini", ""),
            ("git clone tox", ""),
        ),
    ],
)
def test_a_command_is_classified_by_its_program(command: str, slot: str) -> None:
    assert slot_of_command(command) == slot


@pytest.mark.parametrize(
    ("check", "write"),
    [
        ("cargo fmt --all -- --check", "cargo fmt --all"),
        ("black --check .", "black ."),
        ("ruff format --check", "ruff format"),
        ("ruff format --diff .", "ruff format ."),
        ("isort -c -l 100 src", "isort -l 100 src"),
        ("npx prettier --check .", "npx prettier --write ."),
        ("prettier -c src", "prettier --write --list-different src"),
        ("npm run format:check", "npm run format"),
        ("yarn format --check", "yarn format"),
        ("biome format .", "biome format --write ."),
        ("gofmt -s -l .", "gofmt -s -w ."),
        ("gofmt -d .", "gofmt -l -w ."),
        ("rustfmt --check src/lib.rs", "rustfmt src/lib.rs"),
        ("mix format --check-formatted", "mix format"),
        ("dart format -o none --set-exit-if-changed .", "dart format ."),
        ("dart format --output=none lib", "dart format lib"),
        ("terraform fmt -check -recursive", "terraform fmt -recursive"),
        ("zig fmt --check src", "zig fmt src"),
        ("dotnet format --verify-no-changes", "dotnet format"),
        ("vendor/bin/php-cs-fixer fix --dry-run", "vendor/bin/php-cs-fixer fix"),
        ("./vendor/bin/pint --test", "./vendor/bin/pint"),
        ("clang-format --dry-run -Werror a.c", "clang-format -i a.c"),
        ("swiftformat --lint .", "swiftformat ."),
        ("fourmolu -m check src", "fourmolu -m inplace src"),
        ("stylua --check .", "stylua ."),
        ("sbt scalafmtCheckAll", "sbt scalafmtAll"),
        ("./gradlew spotlessCheck", "./gradlew spotlessApply"),
        ("mvn spotless:check", "mvn spotless:apply"),
    ],
)
def test_a_formatter_that_only_checks_is_a_linter(check: str, write: str) -> None:
    assert (slot_of_command(check), slot_of_command(write)) == ("lint", "format")


@pytest.mark.parametrize(
    ("command", "slot"),
    [
        ("sbt scalafmtCheck test:scalafmtCheck +coreJS/test +coreJVM/test", "test"),
        ("sbt scalafmtCheck test:scalafmtCheck", "lint"),
        ("./gradlew spotlessCheck test", "test"),
        ("./gradlew detekt -x test", "lint"),
        ("mvn checkstyle:check test", "test"),
        ("mvn checkstyle:check -Dtest=A", "lint"),
    ],
)
def test_a_line_that_also_tests_is_not_a_linter(command: str, slot: str) -> None:
    assert slot_of_command(command) == slot


def test_a_format_task_that_only_checks_comes_after_the_linters() -> None:
    scripts = '{"scripts": {"format": "prettier --check .", "lint": "eslint ."}}'
    facts = found("package.json", scripts)
    assert [(slot, text) for slot, text, *_ in facts if slot in ("lint", "format")] == [
        ("lint", "npm run lint → eslint .; npm run format → prettier --check .")
    ]


def test_a_preparing_line_of_a_make_target_is_not_shown_as_its_command() -> None:
    facts = found(
        "Makefile", "test:\n\trm -f .coverage\n\t@mkdir -p out\n\tpytest\nlint:\n\trm -rf out && ruff check\n"
    )
    texts = [text for _, text, _ in facts]
    assert texts[0] == "make test → pytest"
    assert "make lint → rm -rf out && ruff check" in texts


def test_a_benchmark_of_go_is_not_how_the_tests_run() -> None:
    facts = found("README.md", "# Log\n\n```sh\ngo test -bench=ReportCaller\n```\n", "test")
    assert [text for _, text, _ in facts] == []


def test_prerequisites_of_a_just_recipe_are_read_until_their_parentheses_are_closed() -> None:
    text = 'test *args: (\n  in-venv "test"\n  "pytest -o testpaths=tests"\n  args\n) (\n  test-doc args\n)\n'
    [test, one] = profile_facts({"justfile": text})
    assert (test.text, test.start_line, test.end_line) == (
        'just test → in-venv "test" "pytest -o testpaths=tests" args, test-doc args',
        1,
        7,
    )
    assert one.text == "pytest FILE -k NAME"


def test_a_task_that_runs_until_it_is_stopped_is_no_command() -> None:
    text = "watch +args:\n  cargo watch --exec '{{args}}'\n\ntest: (watch 'test --all')\n\nbuild:\n  cargo build\n"
    assert [fact.text for fact in profile_facts({"justfile": text})] == ["just build → cargo build"]


def test_a_task_whose_first_step_is_of_another_kind_is_shown_without_it() -> None:
    text = "ci:\n  cargo clippy --all\n  cargo test --all\n\nbuild:\n  cargo lbuild\n"
    assert [fact.text for fact in profile_facts({"justfile": text})] == ["just build → cargo lbuild", "just ci"]


@pytest.mark.parametrize(
    ("recipe", "shown"),
    [
        ("@test -z $(shell gofmt -l $(SRC)) || (gofmt -d $(SRC); exit 1)", "lint"),
        ("test -z `gofmt -l .`", "lint"),
        ("git ls-files '*.c' | xargs -n 1 clang-format --dry-run -Werror", "lint"),
        ("gofmt -l . | xargs gofmt -w", "format"),
        ("gofmt -w $(shell find . -name '*.go')", "format"),
    ],
)
def test_a_formatter_inside_another_command_checks_or_writes(recipe: str, shown: str) -> None:
    [fact] = profile_facts({"Makefile": f"fmt:\n\t{recipe}\n"})
    assert (fact.slot, fact.text.partition(" → ")[0]) == (shown, "make fmt")


def test_the_systems_of_a_job_without_a_matrix_count_if_it_runs_tests() -> None:
    job = "  {}:\n    runs-on: {}-latest\n    steps:\n      - run: {}\n"
    jobs = (
        ("win", "windows", "GO=1 make richtest"),
        ("mac", "macos", "go test ./..."),
        ("notes", "ubuntu", "go install x@latest"),
    )
    matrix = "jobs:\n  go:\n    runs-on: windows-2022\n    strategy:\n      matrix: { go: ['1.22'] }\n"
    workflow = matrix + "".join(job.format(*each) for each in jobs)
    assert [text for _, text, _ in found(".github/workflows/test.yml", workflow, "ci")] == [
        "Go 1.22; on macos, windows"
    ]


def test_an_archive_for_a_release_is_no_build() -> None:
    assert found("Rakefile", "task dist: %w[chmod changelog] do\nend\ntask package: :dist do\nend\n") == []
    assert found("Makefile", "dist:\n\ttar czf a.tgz src\n") == []
    assert found("package.json", '{"scripts": {"dist": "rollup -c"}}') == [("build", "npm run dist → rollup -c", 1)]


def test_a_script_named_after_phpcs_is_a_linter_before_types() -> None:
    scripts = '{"scripts": {"phpcs": "phpcs", "phpstan": "phpstan"}}'
    assert [text for _, text, _ in found("composer.json", scripts, "lint")] == [
        "composer phpcs → phpcs; composer phpstan → phpstan"
    ]


def test_the_target_of_compiled_java_is_named_by_the_line_that_sets_it() -> None:
    source, target = (
        "<maven.compiler.source>1.8</maven.compiler.source>\n",
        "<maven.compiler.target>11</maven.compiler.target>\n",
    )
    assert found("pom.xml", source + target) == [("runtime", "Java 11 (target version)", 2)]
    assert found("pom.xml", target + source) == [("runtime", "Java 11 (target version)", 1)]
    assert found("pom.xml", source) == [("runtime", "Java 1.8 (target version)", 1)]


def test_a_property_of_a_pom_has_its_value_unless_profiles_give_several() -> None:
    pom = """
    <properties><java>1.8</java></properties>
    <properties><maven.compiler.target>${java}</maven.compiler.target></properties>
    """
    assert found("pom.xml", pom) == [("runtime", "Java 1.8 (target version)", 2)]
    profile = "<profile><properties><java>11</java></properties></profile>\n"
    assert found("pom.xml", pom + profile) == []


@pytest.mark.parametrize(
    "command",
    [
        *("TRYBUILD=overwrite cargo +beta test --all", "INSTA_UPDATE=always cargo test", "BLESS=1 cargo test"),
        *("env UPDATE_SNAPSHOTS=1 npm test", "pytest --snapshot-update", "npx jest --ci -u", "npm test -- -u"),
        *("go test ./... -args -update-golden", "cargo insta test --accept", "mvn test -Dsnapshots.update=true"),
        *("make test-update", "npm run test:update-snapshots", "pytest --force-regen", "VCR_RECORD=all rspec"),
    ],
)
def test_a_command_that_accepts_wrong_output_is_not_the_test_command(command: str) -> None:
    guide = f"# Tests\n\n```\n{command}\n```\n"
    workflow = f"jobs:\n  test:\n    steps:\n    - run: {command}\n"
    assert found("CONTRIBUTING.md", guide, "test") == []
    assert found(".github/workflows/ci.yml", workflow, "test") == []


@pytest.mark.parametrize(
    "command",
    [
        *("INSTA_UPDATE=no cargo test", "make test-acceptance", "ACCEPT_EULA=Y dotnet test", "mocha test -u tdd"),
        *("pytest --record-mode=none", "git submodule update --init && make test", "python -m pytest --no-update"),
    ],
)
def test_a_command_that_only_mentions_updates_may_be_the_test_command(command: str) -> None:
    assert [text for _, text, _ in found("CONTRIBUTING.md", f"# Tests\n\n```\n{command}\n```\n", "test")] == [command]


def test_linters_behind_tasks_are_found() -> None:
    tox = "[testenv:lint]\ncommands = pylint a\n[testenv:pycodestyle]\ncommands = pycodestyle a\n"
    shown = "tox -e lint → pylint a; tox -e pycodestyle → pycodestyle a"
    assert found("tox.ini", tox) == [("lint", shown, 2)]
    guide = "Then run ```make clang-format-check```. `make clang-format-diff` edits.\n"
    assert found("CONTRIBUTING.md", guide) == [("lint", "make clang-format-check", 1)]
    assert slot_of_command("bundle exec rake standard") == "lint"
    assert slot_of_command("bundle exec rake standard:fix") == ""


def test_a_section_about_updates_has_no_command_but_one_that_generates_files() -> None:
    guide = "# Tests\n\n## Updating expected outputs\n\n```\ncargo test --all\nmake generate\n```\n\nThen `tox`.\n"
    assert found("CONTRIBUTING.md", guide) == [("generate", "make generate", 7)]
