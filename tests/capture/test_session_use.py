"""What a session did with what it was shown: only what it did afterwards, for the first time."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

from repomem.adapters.transcripts.steps import Step, StepKind
from repomem.capture.own_paths import relative_paths
from repomem.capture.session_use import Traces, commands_named, use_of, work_of
from repomem.workspace.deliveries import Delivery, SessionUse, Usage

SHOWN = 1_772_359_200.0  # 2026-03-01T10:00:00Z
ID, OTHER = (
    "01KJMDCGN00000000000000000",
    "01KJMDJ0E00000000000000000",
)  # of a minute before the delivery, and two after it
FILE = "src/money.py"
MEMORY = {ID: Traces((FILE,), ("make fixture",))}
UNUSED = Usage()
BLANK = SessionUse("codex", "s1")


def at(minute: int) -> str:
    """A time before (negative) or after the delivery."""
    return f"2026-03-01T{'09' if minute < 0 else '10'}:{minute % 60:02}:00Z"


def read(path: str, minute: int) -> Step:
    return Step("", StepKind.LOOKED, "Read", at(minute), paths=(path,))


def edit(path: str, minute: int, *, is_refused: bool = False) -> Step:
    return Step("", StepKind.EDITED, path, at(minute), is_refused=is_refused)


def ran(command: str, minute: int) -> Step:
    return Step("", StepKind.RAN, command, at(minute), 0)


def relative(paths: Iterable[str]) -> Iterator[str]:
    return relative_paths(["/w/repo"], "/w/repo", paths)


def use(*steps: Step, shown: Delivery | None = None) -> SessionUse:
    delivery = shown or Delivery("session-start", (ID[:6],), (FILE,), at=SHOWN)
    return use_of(BLANK, steps, [delivery], MEMORY, relative)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (read("/w/repo/src/money.py", 1), Usage(is_opened=True)),
        (read("src/money.py", 1), Usage(is_opened=True)),
        (ran("cat src/money.py | head -5", 1), Usage(is_opened=True)),
        (ran("cd /w/repo && sed -n '1,40p' src/money.py", 1), Usage(is_opened=True)),
        (edit("/w/repo/src/money.py", 1), Usage(is_edited=True)),
        (ran("make fixture 2>&1 | tail -3", 1), Usage(is_run=True)),
        (ran("FOO=1 make fixture && make test", 1), Usage(is_run=True)),
        (ran("make fixtures", 1), UNUSED),
        (ran("grep -n total src/money.py", 1), UNUSED),
        (ran("cat notes > src/money.py", 1), UNUSED),
        (ran("echo 'cat src/money.py", 1), UNUSED),
        (edit("/w/repo/src/money.py", 1, is_refused=True), UNUSED),
        (edit("/w/other/src/money.py", 1), UNUSED),
        (edit("/w/repo/src/money.py", -1), UNUSED),
        (edit("/w/repo/src/money.py", 0), UNUSED),
    ],
)
def test_a_memory_is_used_by_a_later_read_edit_or_run(step: Step, expected: Usage) -> None:
    assert use(step).memories == {ID: expected}


def test_repeating_an_earlier_action_is_no_use_of_a_memory() -> None:
    again = (edit(FILE, -5), ran("make fixture", -4), read(FILE, -3), edit(FILE, 1), ran("make fixture", 2))
    assert use(*again, read(FILE, 3)).memories == {ID: UNUSED}


def test_a_step_without_a_time_counts_as_later() -> None:
    assert use(Step("", StepKind.EDITED, FILE)).memories == {ID: Usage(is_edited=True)}


def test_use_of_places_and_edits_of_files_shown_before_are_counted_separately() -> None:
    found = use(read(FILE, 1), edit(FILE, 2), edit("src/net.py", 3), edit(FILE, 4))
    assert found.places == {FILE: Usage(is_opened=True, is_edited=True)}
    assert (found.edited, found.foreseen) == (2, 1)


def test_an_id_prefix_is_resolved_as_of_the_delivery() -> None:
    both = {**MEMORY, OTHER: Traces(("src/net.py",))}
    found = use_of(BLANK, (), [Delivery("prompt", (ID[:6],), at=SHOWN + 60)], both, relative)
    assert found.memories == {ID: UNUSED}
    late = use_of(BLANK, (), [Delivery("prompt", (ID[:6],), at=SHOWN + 9e6)], both, relative)
    assert late.memories == {}


def test_a_memory_without_file_or_command_is_not_counted() -> None:
    found = use_of(BLANK, (), [Delivery("prompt", (ID,), at=SHOWN)], {ID: Traces()}, relative)
    assert found.memories == {ID: Usage(is_measurable=False)}


def test_reads_before_the_first_edit_are_those_of_own_files() -> None:
    steps = [read("a.py", 1), read("/etc/hosts", 2), ran("cat b.py c.py", 3), edit("/tmp/x", 4), edit("a.py", 5)]
    assert work_of([*steps, read("d.py", 6)], relative).reads_before_edit == 3
    assert work_of(steps[:4], relative).reads_before_edit is None


def test_only_commands_that_test_build_or_run_are_named_by_a_text() -> None:
    assert commands_named("`make fixture` first, then `total()`, `pytest -q` and `make fixture`") == (
        "make fixture",
        "pytest -q",
    )


def test_a_sub_agents_deliveries_are_compared_only_with_its_own_work() -> None:
    mine, its = Delivery("prompt", (ID,), at=SHOWN), Delivery("file", (OTHER,), at=SHOWN, agent="a1")
    both = {ID: Traces(("src/money.py",)), OTHER: Traces(("src/net.py",))}
    steps = [replace(edit("src/money.py", 1), agent="a1"), replace(read("src/net.py", 2), agent="a1")]
    found = use_of(BLANK, [*steps, edit("src/net.py", 3)], [mine, its], both, relative)
    assert found.memories == {ID: UNUSED, OTHER: Usage(is_opened=True)}
    assert (found.edited, found.reads) == (2, 0)
