"""One system call after another fails in every verb that writes: the quick version of `python -m benchmarks soak`."""

import errno
from collections.abc import Iterator
from random import Random

import pytest

from benchmarks.faults.injector import Fault, Injector, drawn, injector, refusal
from benchmarks.faults.loop import VERBS, Loop, Verb
from benchmarks.faults.place import Place, sealed

pytestmark = pytest.mark.skipif(bool(refusal()), reason=refusal())
POINTS = {"remember": 9, "forget": 9, "consolidate": 7, "index": 7, "first index": 4, "hook": 2, "watch": 2}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Injector, Place]]:
    """An injector and a place, for all tests of this file."""
    work = tmp_path_factory.mktemp("calls")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in sealed(work).items():
            patch.setenv(name, value)
        place = Place.made(work)
        with injector(work / "server") as it:
            yield it, place


@pytest.fixture
def sealed_scene(scene: tuple[Injector, Place], monkeypatch: pytest.MonkeyPatch) -> tuple[Injector, Place]:
    """The same in a test's environment."""
    for name, value in sealed(scene[1].work).items():
        monkeypatch.setenv(name, value)
    return scene


def test_every_verb_has_its_points() -> None:
    assert POINTS.keys() == VERBS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("verb", POINTS)
def test_fault_09_a_failed_system_call_loses_nothing_and_the_exit_code_is_correct(
    sealed_scene: tuple[Injector, Place], verb: str
) -> None:
    loop = Loop(*sealed_scene, verb)
    outcomes = list(loop.outcomes(POINTS[verb], Random(9)))
    assert len(outcomes) == POINTS[verb]
    assert [outcome for outcome in outcomes if outcome.wrong] == []
    assert any(outcome.failed for outcome in outcomes)


@pytest.mark.slow
def test_the_loop_sees_a_lie_and_a_loss(sealed_scene: tuple[Injector, Place], monkeypatch: pytest.MonkeyPatch) -> None:
    it, place = sealed_scene
    said = place.memory / "said"

    def drop_the_ledgers(_: Place) -> None:
        said.touch()
        for path in place.work.glob("*/**/ledger"):
            if path.is_file() and "template" not in path.parts:
                path.write_bytes(b"")

    liar = ("sh", "-c", "echo yes 2>/dev/null >.git/repomem/said; exit 0")
    monkeypatch.setitem(VERBS, "lie", Verb(liar, lambda _: said.exists(), drop_the_ledgers))
    [outcome] = Loop(it, place, "lie").outcomes(1, Random(1))
    assert outcome.failed == f"create {said}"
    sorts = [each.partition(":")[0] for each in outcome.wrong]
    assert sorts[0] == "untrue"
    assert sorts.count("lost") == len(place.acknowledged) - 1  # without what was to be forgotten


def test_faults_are_spread_over_all_calls_and_of_every_kind() -> None:
    found = drawn(700, 40, Random(1))
    assert len({fault.at for fault in found}) == 40
    assert {fault.error for fault in found} == {"ENOSPC", "EIO", "EACCES"}
    assert {fault.is_for_good for fault in found} == {True, False}
    assert all(fault.at // 70 == number // 4 for number, fault in enumerate(found) if fault.at % 70)
    assert [fault.at for fault in drawn(5, 40, Random(1))] == [1, 2, 3, 4, 5]


@pytest.mark.slow
@pytest.mark.parametrize("error", [errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS])
def test_fault_18_a_file_system_without_hard_links_is_named_and_the_ledger_takes_memories(
    sealed_scene: tuple[Injector, Place], error: int
) -> None:
    it, place = sealed_scene
    no_links = Fault(1, errno.errorcode[error], is_for_good=True, only="link")
    place.begin(is_indexed=False)
    run = it.run(["repomem", "index", "--quiet"], place.folder, place.watched, no_links)
    assert (run.code, run.failed.partition(" ")[0]) == (1, "link")
    assert "has no hard links" in run.said
    assert "REPOMEM_STORE_URI" in run.said
    assert it.run(["repomem", "remember", "Dates are ISO"], place.folder, place.watched, no_links).code == 0
    assert "Dates are ISO" in place.texts()
