"""Commands of code blocks and CI steps as they work from the repository's root."""

import pytest

from repomem.profile.facts import profile_facts
from repomem.profile.manifests.manifest import Excerpt
from repomem.profile.manifests.working_folder import clones_in, from_root

LIVE = ("web/package.json", "core/CMakeLists.txt")


def rooted(*lines: str, folder: str = "", clones: str = "") -> list[str]:
    block = [Excerpt(line, number) for number, line in enumerate(lines, start=1)]
    return [command.text for command in from_root(block, LIVE, folder, clones_in(clones))]


@pytest.mark.parametrize(
    ("lines", "commands"),
    [
        (("cd web", "npm test"), ["cd web && npm test"]),
        (("npm ci; cd web && npm test", "npm run lint"), ["npm ci; cd web && npm test", "cd web && npm run lint"]),
        (("cd web", "cd ..", "make test"), ["make test"]),
        (("git clone git@x.org:a/web.git", "cd web", "make test"), ["make test"]),
        (("cd our-clone", "make test"), ["make test"]),
        (("cd $HOME/x", "make test"), []),
        (("cd ..", "make test"), []),
        (("cd build", "make -j4", "ctest"), ["cd build && ctest"]),  # what configures it is not known
        (("cmake ..", "../web/run.sh", "ctest -V"), []),  # of a folder that another block entered
        (("ctest --test-dir build", "go test ./..."), ["ctest --test-dir build", "go test ./..."]),
        (("julia -e 'using Pkg; Pkg.test()'",), ["julia -e 'using Pkg; Pkg.test()'"]),
    ],
)
def test_a_command_after_cd_begins_with_that_folder_or_is_left_out(lines: tuple[str, ...], commands: list[str]) -> None:
    assert rooted(*lines) == commands


@pytest.mark.parametrize("is_guide", [False, True])
def test_a_cd_on_the_line_of_its_command_ends_at_a_gap_in_a_guide(is_guide: bool) -> None:
    block = [Excerpt("cd web && npm ci", 2), Excerpt("npm run build", 3), Excerpt("make lint", 6)]
    commands = [one.text for one in from_root(block, LIVE, is_guide=is_guide)]
    assert commands == [
        "cd web && npm ci",
        "cd web && npm run build",
        "make lint" if is_guide else "cd web && make lint",
    ]


def test_the_next_command_of_a_guide_does_not_run_in_the_folder_of_the_one_above() -> None:
    block = "```sh\n# Build\ncd cmd/depot && go build\n\n# Lint\ngolangci-lint run --timeout 10m\n```\n"
    facts = profile_facts({"AGENTS.md": f"## Build & Test\n\n{block}"}, ["AGENTS.md", "cmd/depot/main.go"])
    assert ("lint", "golangci-lint run --timeout 10m") in {(fact.slot, fact.text) for fact in facts}


def test_a_build_in_a_new_folder_has_every_step_since_its_mkdir() -> None:
    lines = ("mkdir -p build && cd build", "cmake ..", "make -j4", "ctest")
    assert rooted(*lines)[1:] == ["mkdir -p build && cd build && cmake .. && make -j4", "cd build && ctest"]
    assert "make -j4" not in " ".join(rooted("mkdir build", "cd build", "cmake -DX=$X ..", "make -j4"))


def test_cd_into_the_cloned_repository_is_not_a_subfolder() -> None:
    assert rooted("cd web", "make test", clones="    $ git clone https://x.org/a/web.git\n") == ["make test"]
    assert rooted("cd web", "make test", clones="git clone https://x.org/a/b.git core\n") == ["cd web && make test"]


def test_a_folder_named_like_the_repository_in_an_address_of_the_document_is_its_clone() -> None:
    for address in ("Fork github.com/a/web, then:", "[![](https://gitlab.com/a/web.git)]"):
        assert rooted("cd web", "make test", clones=address) == ["make test"]
    assert rooted("cd web", "make test", clones="github.com/a/web.js") == ["cd web && make test"]


@pytest.mark.parametrize(
    ("path", "text", "command"),
    [
        ("core/Makefile", "test:\n\tpytest -q\n", "cd core && make test → pytest -q"),
        ("web/package.json", '{"scripts": {"test": "jest"}}', "cd web && npm test → jest"),
        ("a/b/tox.ini", "[testenv]\ncommands = pytest\n", "cd a/b && tox → pytest"),
    ],
)
def test_a_task_of_a_file_in_a_folder_runs_there(path: str, text: str, command: str) -> None:
    facts = {fact.slot: fact.text for fact in profile_facts({path: text}, [path])}
    assert facts["test"] == command
    assert facts["one test"].startswith(command.partition(" && ")[0] + " && ")


def test_a_block_ends_at_its_fence_and_output_is_no_step() -> None:
    console = "```console\n$ mkdir build && cd build\n$ cmake ..\n-- Configuring done\n$ make -j2\n```\n"
    files = {"README.md": f"# Build\n\n{console}\n```sh\nmake test\n```\n", "Makefile": "x:\n"}
    facts = [(fact.slot, fact.text, fact.start_line, fact.end_line) for fact in profile_facts(files)]
    assert facts == [
        ("build", "mkdir -p build && cd build && cmake .. && make -j2", 4, 7),
        ("test", "make test", 11, 11),
    ]


def test_a_step_of_ci_runs_in_its_working_directory() -> None:
    workflow = """
    defaults: {run: {working-directory: web}}
    jobs:
      unit:
        steps:
          - run: npm test
          - run: npm run lint
            working-directory: ${{ env.X }}
    """
    facts = profile_facts({".github/workflows/ci.yml": workflow, "web/a.js": ""}, ["web/a.js"])
    assert [(fact.slot, fact.text) for fact in facts] == [("test", "cd web && npm test")]


def test_a_step_of_ci_that_may_fail_is_no_check() -> None:
    step = "jobs: {{unit: {{steps: [{{run: pytest -q, {}}}]}}}}\n"
    for setting, count in (("name: x", 1), ("if: false", 0), ("continue-on-error: true", 0)):
        facts = profile_facts({".github/workflows/ci.yml": step.format(setting)})
        assert sum(fact.slot == "test" for fact in facts) == count


def test_of_several_commands_one_that_enters_a_folder_runs_in_a_subshell() -> None:
    steps = "    - run: |\n        cd ./web\n        cargo clippy\n    - run: cargo clippy --all\n"
    facts = profile_facts({".github/workflows/ci.yml": f"jobs:\n  lint:\n    steps:\n{steps}"}, ["web/Cargo.toml"])
    assert [fact.text for fact in facts] == ["(cd web && cargo clippy); cargo clippy --all"]
    scripts = '{"scripts": {"test:unit": "jest unit", "test:dom": "jest dom"}, "packageManager": "pnpm@9"}'
    facts = profile_facts({"web/package.json": scripts})
    assert [fact.text for fact in facts if fact.slot == "test"] == [
        "(cd web && pnpm run test:unit) → jest unit; (cd web && pnpm run test:dom) → jest dom"
    ]
    assert [fact.text for fact in facts if fact.slot == "one test"] == ["cd web && pnpm exec jest FILE -t NAME"]


def test_the_tests_of_examples_in_ci_are_not_those_of_the_repository() -> None:
    steps = "steps: [{run: cd examples && ./test.sh}, {run: cd core && ./test.sh}]"
    files = {".github/workflows/test.yml": f"jobs: {{a: {{{steps}}}}}\n"}
    facts = profile_facts(files, [*files, "examples/test.sh", "core/test.sh"])
    assert [fact.text for fact in facts if fact.slot == "test"] == ["cd core && ./test.sh"]
