"""The profile of a whole repository: which files are read, whose word counts, and what comes out."""

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from repomem.core.types.brief import Fact
from repomem.profile.facts import MAX_PATHS, profile_facts, profile_paths

FIXTURES = Path(__file__).parents[3] / "fixtures"

PATHS = (  # one of each kind that is read
    *("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "package.json", "Cargo.toml", "go.mod"),
    *("Gemfile", "a.gemspec", "Rakefile", "pom.xml", "build.gradle.kts", "a.csproj", "Directory.Build.props"),
    *("composer.json", "mix.exs", "build.sbt", "Package.swift", "CMakeLists.txt", "Makefile", "GNUmakefile"),
    *("justfile", "Taskfile.yml", "deno.json", "pubspec.yaml", "build.zig", "a.cabal", "stack.yaml", "a.rockspec"),
    *("cmd/a/main.go", "src/main.rs", "Dockerfile", "CONTRIBUTING.md", "AGENTS.md", ".cursorrules"),
    *(".github/workflows/test.yml", ".gitlab-ci.yml", ".travis.yml"),
)
FRAGMENTS = st.sampled_from(
    [
        *(
            "[project]\n",
            'name = "x"\n',
            "[[bin]]\n",
            "[testenv]\ncommands =\n    pytest\n",
            '{"name": "x", "scripts": {',
        ),
        *('"test": "jest"', "}}", "[", "]", "{", "}", ":", ",", '"', "'", "\\", "\\\n", "\n", "\r\n", "  ", "\t", "#"),
        *(
            "test: a b\n\tgo test ./...\n",
            "test:\n",
            "tasks:\n  test:\n    cmds:\n      - go test\n",
            "task test: :spec\n",
        ),
        *(
            "matrix:\n",
            "  python: [3.10, 3.11\n",
            "  include:\n",
            "    - {python: 3.9}\n",
            "run: |\n",
            "- run: pytest\n",
        ),
        *(
            "<artifactId>x</artifactId>",
            "<parent>",
            "<!--",
            "project(x VERSION 1.0)\n",
            "defp aliases do\n",
            "def f():\n",
        ),
        *(
            "Never do it without a test. ",
            "必须写测试。",
            "- Please run the tests",
            "```\n",
            "<!--",
            "> ",
            "@nox.session\n",
        ),
        *("module x\n", "func main() {\n", "\ufeff", "\x00", "\udcff", "\u2028", "é", "[link](url)", "1.1.1"),
    ]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(FRAGMENTS, max_size=30).map("".join))


def read_tree(root: Path) -> dict[str, str]:
    paths = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    return {path: (root / path).read_text(encoding="utf-8") for path in profile_paths(paths)}


def shown(facts: tuple[Fact, ...]) -> str:
    return "".join(f"{f.slot} | {f.text} | {f.path}:{f.start_line}-{f.end_line}\n" for f in facts)


def texts(facts: tuple[Fact, ...], slot: str) -> list[str]:
    return [fact.text for fact in facts if fact.slot == slot]


@pytest.mark.parametrize("name", ["ledgerly", "courier", "tidepool"])
def test_the_facts_of_a_repository_are_those_of_its_golden_file(name: str) -> None:
    facts = profile_facts(read_tree(FIXTURES / "repositories" / name))
    assert shown(facts) == (FIXTURES / "golden" / "profile" / f"{name}.txt").read_text(encoding="utf-8")


@settings(max_examples=40)
@given(path=st.sampled_from(PATHS), text=TEXTS)
def test_every_reader_survives_any_text_and_cites_existing_lines(path: str, text: str) -> None:
    for fact in profile_facts({path: text}):
        assert fact.path == path
        assert 1 <= fact.start_line <= fact.end_line <= text.count("\n") + 1
        assert fact.text == " ".join(fact.text.split())
        assert 0 < len(fact.text) <= (180 if fact.slot == "quoted" else 160)


@pytest.mark.parametrize("path", PATHS)
def test_each_kind_of_manifest_is_read_and_gives_no_facts_if_empty(path: str) -> None:
    assert profile_paths([path]) == [path]
    assert profile_facts({path: ""}) == ()


def test_windows_line_ends_change_no_fact() -> None:
    tree = read_tree(FIXTURES / "repositories" / "ledgerly")
    assert profile_facts({path: text.replace("\n", "\r\n") for path, text in tree.items()}) == profile_facts(tree)


def test_the_order_of_the_files_changes_no_fact() -> None:
    tree = read_tree(FIXTURES / "repositories" / "courier")
    assert profile_facts(dict(reversed(tree.items()))) == profile_facts(tree)


def test_manifest_paths_are_sorted_by_depth_and_workflows_count_as_root() -> None:
    paths = ["packages/a/package.json", "a/go.mod", "package.json", ".github/workflows/ci.yml", "src/index.ts"]
    assert profile_paths(paths) == ["package.json", ".github/workflows/ci.yml", "a/go.mod", "packages/a/package.json"]


def test_paths_are_at_most_forty() -> None:
    assert len(profile_paths(f"part{number}/Cargo.toml" for number in range(200))) == MAX_PATHS == 40


@pytest.mark.parametrize(
    "path",
    [
        *("node_modules/x/package.json", "vendor/x/go.mod", "examples/a/Cargo.toml", "tests/fixtures/pyproject.toml"),
        *("fuzz/Cargo.toml", "fuzzing/CMakeLists.txt"),
        *(
            "a/b/c/Cargo.toml",
            ".github/CODE_OF_CONDUCT.md",
            ".github/SECURITY.md",
            "sub/README.md",
            "src/contributing.py",
        ),
    ],
)
def test_manifests_of_examples_and_vendored_code_are_not_read(path: str) -> None:
    assert profile_paths([path]) == []


def test_the_manifest_nearest_the_root_names_the_repository() -> None:
    files = {"web/package.json": '{"name": "web"}', "go.mod": "module example.org/whole\n"}
    assert texts(profile_facts(files), "name") == ["example.org/whole"]


def test_the_package_whose_name_is_a_prefix_of_all_others_names_the_repository() -> None:
    part = '[package]\nname = "{0}"\ndescription = "about {0}"\n'
    files = {f"{name}/Cargo.toml": part.format(name) for name in ("tern-core", "tern", "tern-macros")}
    facts = profile_facts(files)
    assert [texts(facts, "name"), texts(facts, "about")] == [["tern"], ["about tern"]]


def test_packages_without_a_common_prefix_do_not_name_the_repository() -> None:
    files = {f"{name}/package.json": f'{{"name": "{name}"}}' for name in ("auk", "tern")}
    assert profile_facts(files) == ()


def test_task_files_are_shown_with_package_scripts_and_ci_is_the_last_resort() -> None:
    files = {
        "Makefile": "test:\n\tgo test ./...\n",
        "package.json": '{"scripts": {"test": "jest"}}',
        "CONTRIBUTING.md": "Run `go test -count=1 ./...` first.\n",
        ".github/workflows/test.yml": "jobs:\n  unit:\n    steps:\n    - run: go test -race ./...\n",
    }
    assert texts(profile_facts(files), "test") == ["make test → go test ./...", "npm test → jest"]
    del files["Makefile"], files["package.json"]
    assert texts(profile_facts(files), "test") == ["go test -count=1 ./..."]
    del files["CONTRIBUTING.md"]
    assert texts(profile_facts(files), "test") == ["go test -race ./..."]


def test_a_language_alone_gives_no_test_command() -> None:
    files = {"go.mod": "module example.org/a\n\ngo 1.22\n", "Cargo.toml": '[package]\nname = "a"\n'}
    assert {fact.slot for fact in profile_facts(files)} == {"name", "runtime"}


def test_linters_of_two_workflows_are_both_shown() -> None:
    files = {
        ".github/workflows/typecheck.yml": "jobs: {types: {steps: [{run: pyright src}]}}\n",
        ".github/workflows/lint.yml": "jobs: {lint: {steps: [{run: pre-commit run --all-files}]}}\n",
    }
    assert texts(profile_facts(files), "lint") == ["pyright src", "pre-commit run --all-files"]


def test_of_two_workflows_the_one_with_the_plainer_name_gives_the_matrix() -> None:
    matrix = "jobs:\n  unit:\n    strategy:\n      matrix:\n        ruby: [{}]\n"
    files = {
        ".github/workflows/test-external.yaml": matrix.format("3.3"),
        ".github/workflows/test.yaml": matrix.format("2.7"),
    }
    assert texts(profile_facts(files), "ci") == ["Ruby 2.7"]


def test_overlong_files_state_no_facts() -> None:
    name = '{"name": "x"}'
    assert profile_facts({"package.json": name + " \n" * 1_100_000}) == ()
    assert profile_facts({"Cargo.toml": '[package]\nname = "x"' + " " * 6_000}) == ()
    assert texts(profile_facts({"package.json": name}), "name") == ["x"]


@pytest.mark.parametrize("version", ["DON'T CHANGE; IT'S SET BY THE RELEASE OF v2", "UNRELEASED", "0.0.0-development"])
def test_what_is_no_version_is_not_shown_after_the_name(version: str) -> None:
    [name] = profile_facts({"package.json": f'{{"name": "tern", "version": "{version}"}}'})
    assert name.text == "tern"


def test_a_blank_name_is_ignored() -> None:
    assert profile_facts({"package.json": '{"name": " ", "description": "\\n"}'}) == ()


def test_a_long_text_is_cut_with_an_ellipsis() -> None:
    (fact,) = profile_facts({"package.json": '{"description": "' + "a" * 200 + '"}'})
    assert fact.text == "a" * 159 + "…"


def test_code_that_only_names_a_folder_is_no_command() -> None:
    guide = "Run ``tox -e docs``, which makes a directory named\n``build``.\n"

    assert "build" not in {fact.slot for fact in profile_facts({"CONTRIBUTING.rst": guide})}


def test_python_m_build_is_a_build_command() -> None:
    facts = profile_facts({"CONTRIBUTING.md": "Build it with `python -m build`.\n"})

    assert [fact.text for fact in facts if fact.slot == "build"] == ["python -m build"]


def test_a_script_that_checks_comes_before_one_that_edits() -> None:
    scripts = '{"scripts": {"fix:lint": "eslint --fix .", "check:lint": "eslint ."}}'
    facts = profile_facts({"package.json": scripts})

    [lint] = [fact.text for fact in facts if fact.slot == "lint"]
    assert lint.startswith("npm run check:lint → eslint .; ")


def test_the_version_that_only_tests_need_is_not_the_projects() -> None:
    text = "java { toolchain { languageVersion.set(JavaLanguageVersion.of(17)) } }\n"
    files = {"core/records-tests/build.gradle.kts": text}

    assert profile_paths(files) == []
