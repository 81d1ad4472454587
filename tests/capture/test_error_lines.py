"""The telling line of a failing command, by tool."""

import pytest

from repomem.capture.command_outcomes import LONGEST_LINE, error_line, telling_command

OUTPUTS = (
    (
        "go test",
        "--- FAIL: TestA (0.3s)\n    a_test.go:29: got 4 calls, want 3\nFAIL",
        "a_test.go:29: got 4 calls, want 3",
    ),
    (
        "go build",
        "# example.org/a\na/b.go:41:15: undefined: newA\nFAIL a [build failed]",
        "a/b.go:41:15: undefined: newA",
    ),
    (
        "cargo",
        "error[E0106]: missing lifetime\n --> a.rs:1:2\nerror: could not compile",
        "error[E0106]: missing lifetime",
    ),
    (
        "cargo test",
        "thread 'a' panicked at src/a.rs:3:5:\nassertion `left == right` failed\n  left: 1\n right: 2",
        "left: 1  right: 2",
    ),
    ("jest", "  ● a › b\n\n    Expected: 0\n    Received: 2000\n", "Expected: 0  Received: 2000"),
    (
        "vitest",
        "FAIL a.test.ts > a\nAssertionError: expected true to be false",
        "AssertionError: expected true to be false",
    ),
    ("node --test", "AssertionError [ERR_ASSERTION]: 1 == 2\n# fail 1", "AssertionError [ERR_ASSERTION]: 1 == 2"),
    (
        "dotnet test",
        "  Failed A [1 ms]\n  Assert.Equal() Failure\n  Expected: a\n  Actual:   b",
        "Expected: a  Actual: b",
    ),
    ("rspec", "  Failure/Error: x\n\n       expected: 1\n            got: 2\n", "expected: 1  got: 2"),
    ("rspec", "Failure/Error: x\n  expected A but nothing was raised\n1 failure", "expected A but nothing was raised"),
    (
        "phpunit",
        "1) A::b\nFailed asserting that null matches 'EL'.\nFAILURES!",
        "Failed asserting that null matches 'EL'.",
    ),
    (
        "terraform",
        (
            'Error: Missing required argument\n\n  on a.tf line 7, in resource "x" "y":\n   7: resource\n\n'
            'The argument "filter" is required.'
        ),
        'Error: Missing required argument  The argument "filter" is required.',
    ),
    ("psql", "psql:a.sql:1: ERROR:  cannot run\nmake: *** [x] Error 3", "psql:a.sql:1: ERROR: cannot run"),
    ("docker", "ERROR: Failed building wheel\nerror: command 'cmake' failed", "ERROR: Failed building wheel"),
    (
        "maven",
        "[INFO] x\n[ERROR] A.java:[3,4] cannot find symbol\n[ERROR] BUILD",
        "[ERROR] A.java:[3,4] cannot find symbol",
    ),
    (
        "junit",
        "A > b() FAILED\n  org.opentest4j.AssertionFailedError: expected: <A> but was: <B>",
        "org.opentest4j.AssertionFailedError: expected: <A> but was: <B>",
    ),
    ("make", "Makefile:5: *** missing separator.  Stop.", "Makefile:5: *** missing separator. Stop."),
    ("kubectl", 'Error from server (NotFound): pods "a" not found', 'Error from server (NotFound): pods "a" not found'),
    ("pytest", "FAILED a::b - X: 1\nFAILED a::c - Y: 2\n2 failed", "FAILED a::b - X: 1  FAILED a::c - Y: 2"),
)


@pytest.mark.parametrize(("tool", "output", "line"), OUTPUTS)
def test_the_error_line_prefers_expected_values_and_first_errors(tool: str, output: str, line: str) -> None:
    assert error_line(output) == line, tool


def test_a_second_failed_test_without_room_is_left_out() -> None:
    first, second = "FAILED a::b - X: 1", f"FAILED a::c - {'y' * LONGEST_LINE}"
    assert error_line(f"{first}\n{second}") == first


@pytest.mark.parametrize(
    "line",
    ["pnpm -r test", "pnpm --filter web test", "bundle exec rspec spec/a_spec.rb", "node --test", "psql -f a.sql"],
)
def test_a_command_is_recognised_behind_flags_and_runners(line: str) -> None:
    assert telling_command(line) == (line, True)
