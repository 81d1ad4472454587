"""The last evaluation of a repository, which `repomem ui` shows without a replay.

A file in the user's cache folder lists its commits; their outcomes stay in the file of `outcomes`. Both may be lost.
"""

import json
from contextlib import suppress
from pathlib import Path

from repomem.adapters.git.repository import Repository
from repomem.core.files import replace_file
from repomem.evaluate.figures import Evaluation, ReplayedCommit, figures_of
from repomem.evaluate.outcomes import OutcomeCache, cache_folder
from repomem.workspace.identity import identity_in, name_in

SAVED = ("at", "head", "budget", "asked", "scanned", "failures", "notices")  # fields of an evaluation, as they are


def keep_last(found: Evaluation, outcomes: OutcomeCache) -> None:
    """Save the list of its commits, where that is possible and there are any."""
    values = {
        "outcomes": outcomes.path.name,
        **{name: getattr(found, name) for name in SAVED},
        "commits": [[row.commit, row.date, row.subject, row.answers] for row in found.rows],
    }
    if found.rows:
        with suppress(OSError):
            replace_file(_file_of(found.id), json.dumps(values).encode(), is_synced=False)


def last_evaluation(repository: Repository) -> Evaluation | None:
    """The last one of this repository; None if there was none, or its outcomes are gone."""
    identity = identity_in(repository)
    with suppress(OSError, ValueError, KeyError, TypeError):
        values = json.loads(_file_of(identity).read_bytes())
        outcomes = OutcomeCache(cache_folder() / Path(values["outcomes"]).name).read()
        rows = [
            ReplayedCommit(commit, date, subject, tuple(answers), outcomes[commit])
            for commit, date, subject, answers in values["commits"]
        ]
        saved = {name: values[name] for name in SAVED}
        return Evaluation(name_in(repository), identity, rows=rows, figures=figures_of(rows), **saved)
    return None


def _file_of(identity: str) -> Path:
    return cache_folder() / f"{identity}-last.json"
