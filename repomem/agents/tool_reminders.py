"""Hook output when a tool touches a file or a command fails: reminders not yet shown to the session.

Imports are lazy: a hook that prints nothing, as most do, loads neither git nor SQLite.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from repomem.agents.deliver import session_of
from repomem.capture.host_sessions import HostEvent, HostSession, change_host_session
from repomem.core.ulid import is_ulid, time_of
from repomem.recall.select_reminders import (
    HEADER_TOKENS,
    FailedCommand,
    FileUse,
    answer_of,
    chosen,
    for_failure,
    for_file,
)
from repomem.workspace.deliveries import Delivery, deliveries_of, is_shadow, record_delivery
from repomem.workspace.reminder_cache import Reminder, Reminders, WorktreePaths, cached_reminders

LARGEST_FILE = 2 << 20  # bytes; larger ones are generated


def reminders_of(worktree: WorktreePaths) -> Reminders:
    """The reminders of a worktree: cached, and rebuilt after a change of ledger or commit."""
    kept, is_fresh = cached_reminders(worktree)
    if kept and is_fresh:
        return kept
    from repomem.items.reminders import reminders_now
    from repomem.workspace.process import prepare_process
    from repomem.workspace.workspace import opened

    prepare_process()
    with opened(worktree.top, os.environ) as workspace:
        return reminders_now(workspace)


def reminders_for_files(worktree: WorktreePaths, event: HostEvent, uses: Sequence[FileUse]) -> str:
    """The reminders for files that are read or edited, as the text to show; empty if there are none."""
    if not uses:
        return ""
    known = reminders_of(worktree)
    return _shown(worktree, event, [each for use in uses for each in for_file(known, _with_text(worktree, known, use))])


def reminders_for_failure(worktree: WorktreePaths, event: HostEvent, failed: FailedCommand) -> str:
    """The reminders for a failed command, as the text to show; empty if there are none."""
    return _shown(worktree, event, for_failure(reminders_of(worktree), failed))


def path_in(worktree: WorktreePaths, folder: str, path: str) -> str:
    """A path relative to the top of the worktree; empty if it is outside."""
    whole = os.path.realpath(os.path.join(folder, path))  # noqa: PTH118  # the host's text may be absolute
    with suppress(ValueError):
        return Path(whole).relative_to(worktree.top).as_posix()
    return ""


def _with_text(worktree: WorktreePaths, known: Reminders, use: FileUse) -> FileUse:
    """The use with the text of its file, if a reminder is about a symbol in it."""
    if not any(path == use.path and symbol for each in known for path, symbol in each.places):
        return use
    return replace(use, text=text_of(worktree.top / use.path))


def text_of(file: Path) -> str:
    """The text of a file; empty if it is unreadable or too large."""
    with suppress(OSError, ValueError):
        if file.stat().st_size <= LARGEST_FILE:
            return file.read_text(encoding="utf-8", errors="replace")
    return ""


def _shown(worktree: WorktreePaths, event: HostEvent, found: Sequence[Reminder]) -> str:
    """The reminders not yet shown to the session, or to a sub-agent with its own context, recorded as shown."""
    if not found:
        return ""
    known, is_silent = session_of(worktree, event), is_shadow()
    own = f"{event.agent_id} " if event.agent_id else ""
    told: dict[str, str] = {}
    times = {name: each.at for each in deliveries_of(worktree.folder, event.host, event.session) for name in each.ids}

    def shown(now: HostSession) -> HostSession:
        before = [each.removeprefix(own) for each in now.shown if each.startswith(own)]
        told.update(chosen(found, _shown_before(found, before, times)))
        return replace(now, shown=(*now.shown, *(f"{own}{name}" for name in told)))

    if is_silent:
        shown(known)
    else:
        change_host_session(worktree, known, shown)
    if told:
        prices = {line: tokens + 1 for each in found for line, tokens in each.lines}
        tokens = HEADER_TOKENS + sum(prices[line] for line in told.values())
        delivery = Delivery(event.event, tuple(told), (), tokens, is_silent=is_silent, agent=event.agent_id)
        record_delivery(worktree.folder, event.host, event.session, delivery)
    return answer_of(told.values())


def _shown_before(found: Sequence[Reminder], shown: Sequence[str], times: Mapping[str, float]) -> list[str]:
    """The ids that were shown; `times` are those of deliveries. A short prefix does not mean a memory made since."""

    def is_meant(name: str, full: str) -> bool:
        is_later = name in times and is_ulid(full) and time_of(full) > times[name]
        return bool(name) and full.startswith(name) and not is_later

    return [each.id for each in found if any(is_meant(name, each.id) for name in shown)]
