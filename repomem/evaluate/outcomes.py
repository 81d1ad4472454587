"""The outcomes of a replay, kept as they come: a line of JSON for each commit, in the user's cache folder.

The file is named by all that an outcome depends on, so a run that was killed is gone on with, and another version,
option or weight begins anew. A line that was cut off counts as none. Losing the file loses time.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict

from repomem.evaluate.figures import FunctionShares, ReplayOutcome
from repomem.evaluate.tasks import Measures


class OutcomeCache:
    """The outcomes of one repository under one set of options; `depends_on` is all else that they follow from."""

    def __init__(self, identity: str, depends_on: object) -> None:
        from platformdirs import user_cache_path

        digest = hashlib.blake2b(repr(depends_on).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
        self._path = user_cache_path("repomem", appauthor=False) / "eval" / f"{identity}-{digest}.jsonl"

    def read(self) -> dict[str, ReplayOutcome]:
        """What is kept, by commit; nothing where it cannot be read."""
        try:
            lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return {}
        found = filter(None, map(_outcome, lines))
        return {one.commit: one for one in found}

    def add(self, outcome: ReplayOutcome) -> None:
        """Keep one more; where that cannot be done the next run measures it again."""
        line = json.dumps(asdict(outcome), separators=(",", ":"))
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "ab") as file:
                file.write(f"\n{line}\n".encode())  # what a kill cut off before it stays a line of its own

    def forget(self) -> None:
        """Drop all of them."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def _outcome(line: str) -> ReplayOutcome | None:
    try:
        values = json.loads(line)
        rankings, signals = (_measures(values.pop(name)) for name in ("rankings", "signals"))
        functions = values.pop("functions")
        shares = FunctionShares(**functions) if functions else None
        return ReplayOutcome(rankings=rankings, signals=signals, functions=shares, **values)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _measures(values: Mapping[str, Mapping[str, object]]) -> dict[str, Measures]:
    return {name: Measures(tuple(each["recall"]), float(each["rr"])) for name, each in values.items()}  # type: ignore[arg-type]  # as they were written
