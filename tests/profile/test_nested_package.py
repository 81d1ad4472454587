"""Which commands a brief names for a file of a package in a folder."""

import json
import re
from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled

from repomem.profile.nested_package import package_of

GUARD = "export function guardToken(session) {\n  return session.token !== null\n}\n"
SEND = "export function sendParcel(parcel) {\n  return parcel.sent\n}\n"
ROOT = {"package.json": json.dumps({"name": "post", "scripts": {"test": "mocha"}}), "src/send.js": SEND}


def commands(folder: Path, task: str) -> list[str]:
    """The lines of a brief on tests, builds and benchmarks, without their sources."""
    lines = recalled(folder, task).markdown.splitlines()
    labels = ("- test:", "- one test:", "- build:", "- benchmark:")
    return [re.split(r" (?:\(derived from )?`", line)[0] for line in lines if line.startswith(labels)]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("guard/lib/token.rb", "guard"),
        ("packages/web/src/a.js", "packages/web"),
        ("packages/b.js", ""),
        ("src/a.js", ""),
    ],
)
def test_the_package_of_a_file_is_the_nearest_folder_with_a_manifest(path: str, expected: str) -> None:
    paths = {"package.json", "guard/guard.gemspec", "packages/web/package.json", path}
    assert package_of(path, paths) == expected


def test_the_tests_of_a_package_come_before_those_of_the_root(make_repository: MakeRepository) -> None:
    package = {"package.json": json.dumps({"name": "guard", "scripts": {"test": "vitest run"}}), "src/token.js": GUARD}
    lock = {"pnpm-lock.yaml": "lockfileVersion: 9\n"}
    folder = make_repository(Commit({**ROOT, **lock, **{f"guard/{path}": text for path, text in package.items()}}))
    indexed(folder)
    assert commands(folder, "guardToken rejects a session") == [
        "- test: cd guard && pnpm test → vitest run",
        "- one test: cd guard && pnpm exec vitest run FILE -t NAME",
        "- test: pnpm test → mocha",
    ]
    assert commands(folder, "sendParcel returns nothing") == [
        "- test: pnpm test → mocha",
        "- one test: pnpm exec mocha FILE -g NAME",
    ]


def test_a_package_with_an_unknown_runner_has_no_command_for_one_test(make_repository: MakeRepository) -> None:
    package = {"package.json": json.dumps({"name": "guard", "scripts": {"test": "./check"}}), "src/token.js": GUARD}
    folder = make_repository(Commit({**ROOT, **{f"guard/{path}": text for path, text in package.items()}}))
    indexed(folder)
    assert commands(folder, "guardToken rejects a session") == [
        "- test: cd guard && npm test → ./check",
        "- test: npm test → mocha",
    ]


def test_the_scripts_of_a_package_without_tests_come_before_those_of_the_root(make_repository: MakeRepository) -> None:
    scripts = {"benchmark": "node dist/speed.js", "build": "rolldown -c", "lint": "eslint ."}
    root = {"name": "post", "scripts": {"test": "mocha", "build": "tsup"}}
    files = {
        "package.json": json.dumps(root),
        "src/send.js": SEND,
        "speed/package.json": json.dumps({"private": True, "scripts": scripts}),
        "speed/rounds.js": "export function countRounds(results) {\n  return results.length\n}\n",
    }
    folder = make_repository(Commit(files))
    indexed(folder)
    own = [
        "- build: cd speed && npm run build → rolldown -c",
        "- benchmark: cd speed && npm run benchmark → node dist/speed.js",
    ]
    usual = ["- test: npm test → mocha", "- one test: npx mocha FILE -g NAME"]
    assert commands(folder, "countRounds counts each round twice") == [*own, *usual]
    assert commands(folder, "sendParcel returns nothing") == usual


def test_a_default_command_is_shown_as_derived_from_its_manifest(make_repository: MakeRepository) -> None:
    readme = "# Post\n\n## Contributing\n\nRun `go generate ./...` to update generated files.\n"
    files = {
        "README.md": readme,
        "go.mod": "module post\n\ngo 1.21\n",
        "send_test.go": "package post\n\nfunc TestSend() {\n}\n",
    }
    folder = make_repository(Commit(files))
    indexed(folder)
    lines = recalled(folder, "Send a parcel").markdown.splitlines()
    assert "- test: go test ./... (derived from `go.mod`)" in lines
    assert "- runtime: Go >= 1.21 `go.mod:3`" in lines
    assert "- generate: go generate ./... `README.md:5`" in lines
    assert "- generate: go generate ./... `README.md:5`" in recalled(folder, "").markdown.splitlines()


def test_one_test_is_run_in_the_gradle_project_of_the_first_place(make_repository: MakeRepository) -> None:
    test = "import org.junit.Test;\n\npublic class {}Test {{\n  @Test public void works() {{}}\n}}\n"
    files = {
        "gradlew": "#!/bin/sh\n",
        "settings.gradle.kts": 'include(":post")\ninclude(":post:guard")\ninclude(":api")\n',
        "api/src/main/java/Relay.java": "public class Relay {\n  void relayPacket() {}\n}\n",
        "post/guard/src/main/java/Guard.java": "public class Guard {\n  boolean guardToken() { return true; }\n}\n",
        "post/guard/src/test/java/GuardTest.java": test.format("Guard"),
        "post/src/test/java/PostTest.java": test.format("Post"),
    }
    folder = make_repository(Commit(files))
    indexed(folder)
    single = {task: commands(folder, task)[1] for task in ("guardToken rejects a session", "relayPacket is lost")}
    assert list(single.values()) == [
        "- one test: ./gradlew :post:guard:test --tests CLASS.METHOD",
        "- one test: ./gradlew :PROJECT:test --tests CLASS.METHOD",  # api has no tests of its own
    ]


def test_a_package_with_the_same_commands_as_the_root_is_not_named(make_repository: MakeRepository) -> None:
    crate = '[package]\nname = "{}"\n'
    text = "pub fn guard_token(session: &Session) -> bool {\n    session.token.is_some()\n}\n"
    files = {"Cargo.toml": crate.format("post"), "guard/Cargo.toml": crate.format("guard"), "guard/src/lib.rs": text}
    folder = make_repository(Commit(files))
    indexed(folder)
    assert commands(folder, "guard_token rejects a session") == ["- test: cargo test", "- one test: cargo test NAME"]
