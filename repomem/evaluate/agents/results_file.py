"""The results of runs in a folder, one line of JSON for each, so that an interrupted evaluation can be continued.

A line is used again if it was made by the same command with the same limits on the same task and arm.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from repomem.adapters.transcripts.json_shapes import mapping, records
from repomem.core.digests import short_digest
from repomem.core.disk_errors import store_errors
from repomem.core.files import append_to
from repomem.evaluate.agents.measures import RunOutcome, outcome_from

RESULTS = "results.jsonl"
LOGS = "logs"
FORMAT = 1  # increase when the fields change their meaning


@dataclass(frozen=True, slots=True)
class ResultsFile:
    """The results in one folder; `depends_on` is everything but task and arm that they depend on."""

    folder: Path
    depends_on: str

    @property
    def key(self) -> str:
        """A hash of what the results depend on."""
        return short_digest(f"{FORMAT} {self.depends_on}")

    def outcomes(self) -> dict[tuple[str, str], RunOutcome]:
        """The known outcomes by task and arm."""
        found: dict[tuple[str, str], RunOutcome] = {}
        for line in self._lines("run"):
            try:
                outcome = outcome_from(line)
            except TypeError:
                continue
            found[outcome.task, outcome.arm] = outcome
        return found

    def refusals(self) -> dict[str, str]:
        """Why a commit was not used, by the name of its task; empty if it was."""
        return {str(line.get("task")): str(line.get("reason")) for line in self._lines("candidate")}

    def add(self, outcome: RunOutcome) -> None:
        self._append({"run": asdict(outcome)})

    def refuse(self, task: str, reason: str) -> None:
        """Append why a commit is not a task; an empty reason if it is one."""
        self._append({"candidate": {"task": task, "reason": reason}})

    def log_folder(self, task: str, arm: str) -> Path:
        folder = self.folder / LOGS / f"{task}-{arm}"
        with self._errors():
            folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _append(self, value: Mapping[str, object]) -> None:
        line = json.dumps({"key": self.key, **value}, separators=(",", ":"))
        with self._errors():
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            append_to(self.folder / RESULTS, f"{line}\n".encode())

    def _errors(self) -> AbstractContextManager[None]:
        return store_errors("write to", self.folder, "choose another folder with --keep")

    def _lines(self, kind: str) -> Iterator[Mapping[str, object]]:
        try:
            lines = (self.folder / RESULTS).read_bytes().splitlines()
        except OSError:
            return
        own = (line for line in records(lines) if line.get("key") == self.key)  # without a torn last line
        yield from filter(None, (mapping(line.get(kind)) for line in own))
