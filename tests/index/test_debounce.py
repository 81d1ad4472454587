"""When a worktree is checked, on the test's own clock."""

from hypothesis import given, strategies as st

from repomem.index.watch.debounce import LONGEST, QUIET, Debounce

SLACK = 1e-6  # sums of fractions
GAPS = st.lists(st.floats(min_value=0.0, max_value=3.0), min_size=1, max_size=60)


def looks_after(changes: list[float]) -> list[tuple[float, float, float]]:
    """When one worktree is looked at that changes at these times, with the first and last change of each look."""
    debounce, looks = Debounce(), []

    def look_until(now: float) -> None:
        while (due := debounce.next_due()) < now:
            assert debounce.due(due) == ["tree"]
            burst = debounce.take("tree")
            looks.append((due, burst.first, burst.last))

    for change in changes:
        look_until(change)
        debounce.note("tree", change)
    look_until(float("inf"))
    return looks


def times(gaps: list[float]) -> list[float]:
    return [100.0 + sum(gaps[: count + 1]) for count in range(len(gaps))]


@given(GAPS)
def test_every_change_leads_to_a_check_within_the_longest_wait(gaps: list[float]) -> None:
    changes = times(gaps)
    looks = looks_after(changes)
    for change in changes:
        seen = [look for look, first, last in looks if first <= change <= last]
        assert len(seen) >= 1
        assert change <= seen[0] <= change + LONGEST + SLACK


@given(GAPS)
def test_a_check_comes_after_quiet_or_after_the_longest_wait(gaps: list[float]) -> None:
    for look, first, last in looks_after(times(gaps)):
        assert look >= last + QUIET - SLACK or look >= first + LONGEST - SLACK
        assert look <= first + LONGEST + SLACK


@given(st.lists(st.floats(min_value=0.0, max_value=QUIET / 50), min_size=1, max_size=50))
def test_a_save_of_many_writes_leads_to_one_check(gaps: list[float]) -> None:
    assert len(looks_after(times(gaps))) == 1


def test_writing_without_a_pause_leads_to_regular_checks() -> None:
    assert [round(look, 3) for look, _, _ in looks_after([0.1 * n for n in range(50)])] == [2.0, 4.1, 5.3]


def test_a_requested_check_is_due_at_once() -> None:
    debounce = Debounce()
    debounce.note("a", 1.0, is_of_folders=True)
    debounce.ask(["a", "b"], 1.1)
    assert debounce.due(1.1) == ["a", "b"]
    assert (debounce.take("a").is_of_folders, debounce.take("b").is_of_folders) == (True, False)


def test_the_work_tree_that_waits_longest_comes_first() -> None:
    debounce = Debounce()
    debounce.note("late", 5.0)
    debounce.note("early", 1.0)
    assert debounce.due(10.0) == ["early", "late"]
    debounce.drop("early")
    assert debounce.due(10.0) == ["late"]
    assert debounce.due(5.1) == []


def test_nothing_is_due_where_nothing_changed() -> None:
    assert Debounce().next_due() == float("inf")
