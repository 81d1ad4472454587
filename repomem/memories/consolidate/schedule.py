"""When consolidation is due, and the clock that it uses."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from repomem.adapters.ledger.file import FILE
from repomem.core.times import this_moment, time_of_moment
from repomem.workspace.ledger import ledger_of
from repomem.workspace.workspace import Workspace

META = "consolidated"  # catalog key: the time of the last run, and the steps it left
DUE_RECORDS = 50  # added since the last time
DUE_AFTER = timedelta(days=7)
MOST_LEAP = timedelta(days=60)  # a longer time between two runs is suspect: a wrong clock must not archive memories
STEPS = ("recalls", "memories")


@dataclass(frozen=True, slots=True)
class LastRun:
    """The last consolidation."""

    at: str = ""
    lines: int = 0  # of the ledger
    left: tuple[str, ...] = STEPS


def last_run(workspace: Workspace) -> LastRun:
    """The last consolidation; an empty one if there was none."""
    try:
        at, lines, left = json.loads(workspace.catalog.meta(META) or "[]")
        return LastRun(str(at), int(lines), tuple(step for step in left if step in STEPS))
    except (ValueError, TypeError):
        return LastRun()


def plausible_now(last: LastRun) -> str:
    """The time now; or of the last run, if the clock has jumped, until a second run confirms the jump."""
    age = _age(last)
    return last.at if age and age > MOST_LEAP else this_moment()


def is_due(workspace: Workspace, last: LastRun) -> bool:
    """Whether enough time has passed, or enough records were added."""
    age = _age(last)
    return age is None or abs(age) >= DUE_AFTER or _lines(workspace) - last.lines >= DUE_RECORDS


def mark_done(workspace: Workspace, left: Sequence[str]) -> None:
    """Store that consolidation ran now, and the steps that it left."""
    workspace.catalog.set_meta(META, json.dumps([this_moment(), _lines(workspace), list(left)]))


def _age(last: LastRun) -> timedelta | None:
    """The time since the last run; negative if the clock was set back, None without a last run."""
    try:
        return datetime.now(UTC) - time_of_moment(last.at)
    except ValueError:
        return None


def _lines(workspace: Workspace) -> int:
    """The approximate number of records: counting lines is fast, reading records is not."""
    counts = [0]
    for folder in ledger_of(workspace).folders:
        with suppress(OSError):
            counts.append((folder / FILE).read_bytes().count(b"\n"))
    return max(counts)
