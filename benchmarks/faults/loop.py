"""Fail one system call after another of every verb that writes, and look whether anything was lost.

After each: the exit code told the truth, what was acknowledged before is in the ledger once, a brief comes, a clean run
heals what is left, `repomem doctor` finds nothing broken, and the briefs are those of a run that nothing failed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import unified_diff
from random import Random

from benchmarks.faults.injector import Fault, Injector, Run, drawn
from benchmarks.faults.place import FRESH, SAID, VICTIM, Place
from repomem.core.records import Event

TRUTHFUL = (0, 1)  # done, or an error of ours with a hint; 3 is an exception that nobody expected


@dataclass(frozen=True, slots=True)
class Verb:
    """One command, what must be so where it says that it did its work, and how a user makes good what it did not."""

    command: tuple[str, ...]
    is_done: Callable[[Place], bool]
    again: Callable[[Place], None] = Place.index
    is_indexed: bool = True
    ends_at: tuple[str, ...] = ()  # for one that goes on: what it says when it has done one thing
    is_silent: bool = False  # git's hook: never an error, never a word; whether it did anything is nobody's concern


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one fault led to."""

    verb: str
    fault: Fault
    failed: str  # the call and its path; empty where the run had ended before it
    code: int
    wrong: tuple[str, ...]  # each a sort, a colon, and what it is


def _is_remembered(place: Place) -> bool:
    return place.texts().count(FRESH) == 1


def _is_forgotten(place: Place) -> bool:
    return VICTIM not in place.texts() and place.victim not in {record.id for record in place.records()}


def _is_grouped(place: Place) -> bool:
    return place.events(Event.GROUP) == 1 and place.events(Event.ACCESS) > 0


def _is_committed(place: Place) -> bool:
    return "told by a hook" in place.subject()


VERBS = {
    "index": Verb(("repomem", "index", "--quiet"), Place.is_indexed),
    "first index": Verb(("repomem", "index", "--quiet"), Place.is_indexed, is_indexed=False),
    "remember": Verb(("repomem", "remember", FRESH), _is_remembered, Place.remember),
    "forget": Verb(("repomem", "forget", "--purge", "--yes", VICTIM), _is_forgotten, Place.forget),
    "consolidate": Verb(("repomem", "consolidate"), _is_grouped, Place.consolidate),
    "hook": Verb(("git", "commit", "-q", "--allow-empty", "-m", "told by a hook"), _is_committed, is_silent=True),
    "watch": Verb(("repomem", "watch"), lambda _: True, ends_at=("indexed ", "warning: ")),
}


class Loop:
    """The loop over one verb: what its run is like when nothing fails, then fault after fault."""

    def __init__(self, injector: Injector, place: Place, name: str) -> None:
        self._injector, self._place, self._name, self._verb = injector, place, name, VERBS[name]
        clean = self._run(Fault())
        assert (clean.code, self._verb.is_done(place)) == (0, True), clean.said
        self.calls = clean.calls
        self._make_good()
        self._briefs = place.briefs()

    def outcomes(self, points: int, chance: Random) -> Iterator[Outcome]:
        """The outcome of each of `points` faults, spread over the run."""
        for fault in drawn(self.calls, points, chance):
            run = self._run(fault)
            yield Outcome(self._name, fault, run.failed, run.code, tuple(self._wrong(run)))

    def _run(self, fault: Fault) -> Run:
        verb, place = self._verb, self._place
        place.begin(is_indexed=verb.is_indexed)
        command = [place.victim if word == VICTIM else word for word in verb.command]
        return self._injector.run(command, place.folder, place.watched, fault, verb.ends_at)

    def _make_good(self) -> None:
        """What a user does after a failure; consolidation, which an index run does by the way, is done by then."""
        self._verb.again(self._place)
        self._place.index()
        self._place.consolidate()

    def _wrong(self, run: Run) -> Iterator[str]:
        """All that is not as it must be."""
        place, verb = self._place, self._verb
        try:
            yield from self._untrue(run)
            yield from place.lost_and_doubled()
            brief = place.brief()
            yield from (f"lost: {text!r} is in no brief" for text in SAID if text not in brief)
            self._make_good()
            if not verb.is_done(place):
                yield "not healed: a clean run changed nothing"
            yield from place.lost_and_doubled()
            yield from place.broken()
            yield from place.residue() if self._name == "forget" else ()
            yield from _differences(self._briefs, place.briefs())
        except Exception as error:  # noqa: BLE001  # whatever is raised is what this loop is looking for
            yield f"not healed: {error!r}"

    def _untrue(self, run: Run) -> Iterator[str]:
        """Where the command's own word is not to be trusted."""
        if run.code not in TRUTHFUL or "Traceback" in run.said:
            yield f"untrue: exit code {run.code}: {run.said[-400:]}"
        if self._verb.is_silent and (run.code, run.said) != (0, ""):
            yield f"untrue: the hook was heard: {run.code}: {run.said[-400:]}"
        if run.code == 0 and not self._verb.is_done(self._place):
            yield f"untrue: exit code 0, and it was not done: {run.said[-400:]}"
        if run.code == 1 and "error: " not in run.said:
            yield f"untrue: exit code 1, and no word why: {run.said[-400:]}"


def _differences(wanted: list[str], found: list[str]) -> Iterator[str]:
    """The lines of briefs that nothing failed which others lack, and those that they have instead."""
    lines = [unified_diff(one.splitlines(), other.splitlines(), n=0) for one, other in zip(wanted, found, strict=True)]
    yield from (f"another brief: {line}" for each in lines for line in each)
