"""A cache of replay outcomes in the user's cache folder: one line of JSON per commit, appended as it is measured.

The file name is a hash of everything an outcome depends on, so an interrupted run continues, and another version,
option or weight starts a new file. Truncated lines are ignored.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from repomem.core.digests import short_digest
from repomem.core.files import append_to
from repomem.evaluate.changed_lines import LineShares
from repomem.evaluate.figures import ReplayOutcome
from repomem.evaluate.tasks import Measures


def cache_folder() -> Path:
    """The folder of outcomes and of the last evaluations."""
    from platformdirs import user_cache_path

    return user_cache_path("repomem", appauthor=False) / "eval"


def outcomes_of(identity: str, depends_on: object) -> "OutcomeCache":
    """The cached outcomes of one repository; `depends_on` is everything else that they depend on."""
    digest = short_digest(repr(depends_on))
    return OutcomeCache(cache_folder() / f"{identity}-{digest}.jsonl")


@dataclass(frozen=True, slots=True)
class OutcomeCache:
    """The outcomes in one file."""

    path: Path

    def read(self) -> dict[str, ReplayOutcome]:
        """The outcomes by commit; empty if the file cannot be read."""
        try:
            lines = self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return {}
        found = filter(None, map(_outcome, lines))
        return {one.commit: one for one in found}

    def add(self, outcome: ReplayOutcome) -> None:
        """Append one; on failure, the next run measures it again."""
        line = json.dumps(asdict(outcome), separators=(",", ":"))
        with suppress(OSError):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            append_to(self.path, f"\n{line}\n".encode())  # a leading newline ends a truncated line

    def clear(self) -> None:
        """Delete the cache file."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def _outcome(line: str) -> ReplayOutcome | None:
    try:
        values = json.loads(line)
        rankings, signals = (_measures(values.pop(name)) for name in ("rankings", "signals"))
        lines = {name: LineShares(**each) for name, each in values.pop("lines").items()}
        return ReplayOutcome(rankings=rankings, signals=signals, lines=lines, **values)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _measures(values: Mapping[str, Mapping[str, object]]) -> dict[str, Measures]:
    return {name: Measures(tuple(each["recall"]), float(each["rr"])) for name, each in values.items()}  # type: ignore[arg-type]  # as they were written
