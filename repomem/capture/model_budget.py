"""The daily tokens of the model in `capture.llm`, and the reason its last request failed; stored in the catalog."""

import time

from repomem.core.errors import RepomemError
from repomem.core.processes.locks import write_lock
from repomem.workspace.workspace import Workspace

USED = "capture model tokens"  # catalog key: the day and the tokens used on it
FAULT = "capture model fault"  # catalog key: why the last request failed; empty: it did not


def used_today(workspace: Workspace) -> int:
    """The tokens that the model has read and may have written today, in UTC."""
    day, _, count = workspace.catalog.meta(USED).partition(" ")
    return int(count) if day == _today() and count.isdecimal() else 0


def last_fault(workspace: Workspace) -> str:
    """Why the last request failed; empty if it did not."""
    return workspace.catalog.meta(FAULT)


def spend(workspace: Workspace, tokens: int) -> None:
    """Count tokens before they are used. Raises RepomemError if that would be more than a day's."""
    most = workspace.loaded.config.capture.llm_tokens_per_day
    with write_lock(workspace.folder):
        used = used_today(workspace) + tokens
        if used > most:
            raise RepomemError(
                f"the request would bring today's tokens to {used:,}; capture.llm_tokens_per_day is {most:,}",
                "raise that option, or wait until tomorrow",
            )
        workspace.catalog.set_meta(USED, f"{_today()} {used}")


def note_fault(workspace: Workspace, fault: str) -> None:
    """Note why a request failed; empty if it did not."""
    with write_lock(workspace.folder):
        workspace.catalog.set_meta(FAULT, fault)


def _today() -> str:
    return time.strftime("%Y-%m-%d", time.gmtime())
