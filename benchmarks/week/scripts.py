"""The session scripts of the week: what was said and done, and what is worth remembering of it."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.processes import ROOT

TRANSCRIPTS = ROOT / "fixtures" / "transcripts"
sys.path.insert(0, str(TRANSCRIPTS))  # its modules are scripts, without a package

from scenario import Scenario, Step, old_and_new, scenario_of  # noqa: E402
from writers import WRITERS, Writer  # noqa: E402

__all__ = ["SESSIONS", "Falsehood", "Session", "Statement", "Step", "Turn", "old_and_new", "sessions_in", "writer_of"]

SESSIONS = Path(__file__).with_name("sessions")
Turn = tuple[Step, ...]  # a person's words, and what the agent says and does until the next ones


@dataclass(frozen=True, slots=True)
class Statement:
    """A planted sentence that later sessions should know."""

    id: str
    session: str
    phrase: str
    worded: str  # as somebody careful would note it
    by: str
    kind: str
    tells: tuple[str, ...]  # regular expressions; a text that matches all of them can be understood on its own
    needed: str  # the session whose first prompt needs it


@dataclass(frozen=True, slots=True)
class Falsehood:
    """A planted sentence that no later session should take for true."""

    id: str
    session: str
    phrase: str
    sort: str
    tells: tuple[str, ...]
    since: str  # the first session in which it is false


@dataclass(frozen=True, slots=True)
class Session:
    """One session: its script, its day, the subject of its commit, and its labels."""

    scenario: Scenario
    statements: tuple[Statement, ...]
    falsehoods: tuple[Falsehood, ...]
    lasting: tuple[str, ...]  # other phrases that are true and may be kept

    @property
    def name(self) -> str:
        """Its number, of two digits."""
        return str(self.scenario.name.partition("-")[0])

    @property
    def host(self) -> str:
        """The host's name in `fixtures/transcripts`."""
        return str(self.scenario.header["host"])

    @property
    def at(self) -> datetime:
        """When it starts."""
        return datetime.fromisoformat(self.scenario.header["at"])

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Its steps, a person's words first in each."""
        return tuple(_turns(self.scenario.steps))


def sessions_in(folder: Path) -> tuple[Session, ...]:
    """The sessions of a folder, in order of time."""
    return tuple(_session(scenario_of(path)) for path in sorted(folder.glob("*.txt")))


def writer_of(session: Session, steps: tuple[Step, ...]) -> Writer:
    """What writes these steps of a session as its host does."""
    writer: Writer = WRITERS[session.host](replace(session.scenario, steps=steps))
    writer.now = session.at
    return writer


def _session(scenario: Scenario) -> Session:
    labels = scenario.labels
    name = scenario.name.partition("-")[0]
    return Session(
        scenario,
        tuple(Statement(session=name, **_tuples(each)) for each in labels.get("statement", [])),
        tuple(Falsehood(session=name, **{"since": name, **_tuples(each)}) for each in labels.get("falsehood", [])),
        tuple(labels.get("lasting", [])),
    )


def _tuples(label: dict[str, Any]) -> dict[str, Any]:
    return {**label, "tells": tuple(label["tells"])}


def _turns(steps: tuple[Step, ...]) -> Iterator[Turn]:
    starts = [at for at, step in enumerate(steps) if step.verb == "user"]
    for start, end in zip(starts, [*starts[1:], len(steps)], strict=True):
        yield steps[start:end]
