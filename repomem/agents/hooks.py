"""The actions of host hooks: print the brief at the start, add to a prompt, capture when a turn ends.

A session gets the brief once, however many hooks are installed, and again after its context was cleared or compacted.
The brief ends with a nonce, by which `repomem doctor` finds it in the host's transcript.
"""

import time
from collections.abc import Iterator
from dataclasses import replace

from repomem.agents.deliver import deliver, delivery_of, forget_shown, session_of
from repomem.agents.late_answers import take_late
from repomem.capture.host_sessions import (
    HostEvent,
    HostSession,
    drop_old_host_sessions,
    host_session,
    is_first,
    nonce_for,
)
from repomem.capture.new_memories_line import kept_message
from repomem.core.types.brief import Brief
from repomem.recall.prompt_addition import Addition, memories_for, names_task, places_and_memories_for
from repomem.recall.request import BriefRequest
from repomem.workspace.cached_brief import cached_brief, outdated_brief
from repomem.workspace.deliveries import Delivery, drop_old_deliveries
from repomem.workspace.freshness import is_behind
from repomem.workspace.process import warm_up
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace

MOST_TOKENS = 2_400  # Codex takes 2,500
MOST_BYTES = 9_900  # Claude Code takes 10,000 characters; the nonce is added
ASKING_AGAIN = frozenset(["copilot", "opencode"])  # these may ask again and keep earlier answers in context
KEEPING = frozenset(["claude-code", "codex"])  # hosts whose resumed sessions keep earlier answers
SHOWING_MESSAGES = frozenset(["claude-code", "codex", "gemini"])  # hosts that show the person a hook's message
DEAF_AFTER_CLEAR = frozenset(["gemini"])  # it asks for context when a session is cleared, and drops the answer
JUST_NOW = 30.0  # seconds
LATE_LINES = 1.0  # seconds until hosts have written the last line of a turn
STALE = "Cached before the latest changes; `repomem recall` prints a current one."


def briefs_at_start(workspace: Workspace, event: HostEvent, catch_up: float) -> Iterator[str]:
    """The brief for the start of a session: first the cached one, even if outdated, then a fresh one.

    Nothing if another call has just printed it.
    """
    from repomem.capture.run import capture_missed

    known = session_of(workspace, event)
    if event.host in DEAF_AFTER_CLEAR and event.source == "clear":
        brief_again_later(workspace, event)
        return
    is_told = event.host in ASKING_AGAIN and event.source == "startup" and bool(known.briefed)
    if is_told or not is_first(workspace, event, f"start {event.source}"):
        return
    kept = outdated_brief(workspace) or _stale_map(workspace)
    if kept and len(kept.markdown.encode()) <= MOST_BYTES:
        yield f"{kept.markdown.rstrip()}\n{STALE}"
    capture_missed(workspace, event)
    brief = _fitting_brief(workspace, catch_up)
    if event.source == "startup" and not known.briefed:
        brief = _with_line_since(workspace, brief)
    is_kept = event.source == "resume" and event.host in KEEPING  # earlier answers are still in its context
    yield "" if is_kept and _holds_nothing_new(brief, known) else _told(workspace, known, brief)


def message_at_start(workspace: Workspace, event: HostEvent) -> str:
    """The line for the person at a session's start: the memories captured from the last one. Usually empty."""
    return kept_message(workspace) if event.host in SHOWING_MESSAGES else ""


def brief_again_later(workspace: Workspace, event: HostEvent) -> None:
    """Print the brief again with the next prompt, unless just printed: hosts differ in when they accept context."""
    known = session_of(workspace, event)
    if abs(time.time() - known.briefed) > JUST_NOW:
        forget_shown(workspace, known)


def additions(workspace: Workspace, event: HostEvent, catch_up: float) -> Iterator[str]:
    """What a prompt adds: first the quick results, then all; empty if nothing is new.

    Late answers to an earlier prompt come first.
    """
    known = session_of(workspace, event)
    if not is_first(workspace, event, f"prompt {event.prompt}"):
        return
    if known.is_brief_due:
        yield _told(workspace, known, _fitting_brief(workspace, catch_up))
        return
    late = ""
    if found := take_late(workspace, event):
        yield (late := _added(workspace, known, *found, has_places=True))
        known = session_of(workspace, event)
    quick = memories_for(workspace, event.prompt, known.shown)
    if quick:
        yield "\n".join(filter(None, (late, _added(workspace, known, quick))))
    if names_task(event.prompt) and not known.has_places:
        run = Run(deadline=time.monotonic() + catch_up)
        whole = places_and_memories_for(workspace, event.prompt, known.shown, run) or Addition("", ())
        yield _added(workspace, known, whole, has_places=True) or (quick.text if quick else "")


def capture_at_stop(workspace: Workspace, event: HostEvent) -> None:
    """Save what happened in the session so far, and cache the next brief."""
    from repomem.capture.model_proposals import propose
    from repomem.capture.run import capture
    from repomem.capture.session_transcripts import stamp_of, transcript_file
    from repomem.index.maintenance import index_in_background

    time.sleep(LATE_LINES)
    known = host_session(workspace, event)
    turn = stamp_of(transcript_file(workspace, known), known) or event.said
    if not is_first(workspace, event, f"{event.event} {turn}"):
        return
    capture(workspace, known, event.said)
    propose(workspace, host_session(workspace, event))
    drop_old_host_sessions(workspace)
    drop_old_deliveries(workspace.folder)
    index_in_background(workspace)


def _with_line_since(workspace: Workspace, brief: Brief) -> Brief:
    """The brief with a line on what others changed since the user's last session, if anything."""
    from repomem.recall.since_last_session import line_since_last_session

    line = line_since_last_session(workspace) if brief.markdown else ""
    text = f"{brief.markdown.rstrip()}\n{line}\n"
    return replace(brief, markdown=text) if line and len(text.encode()) <= MOST_BYTES else brief


def _holds_nothing_new(brief: Brief, known: HostSession) -> bool:
    """Whether a session has seen all items of a brief, apart from the line on the last session (often itself)."""
    return {item.id for item in brief.items if item.id and item.kind != "session"} <= set(known.shown)


def _told(workspace: Workspace, known: HostSession, brief: Brief) -> str:
    """A brief with its nonce, recorded as given."""
    text = brief.markdown.rstrip("\n")
    if not (text and known.session):  # without a session id the nonce cannot be checked
        return text
    nonce = nonce_for(known, text)
    ids = tuple(item.id for item in brief.items if item.id)

    def told(now: HostSession) -> HostSession:
        older = (*now.older_nonces, now.nonce) if now.nonce else ()
        shown = (*now.shown, *ids)
        return replace(now, shown=shown, nonce=nonce, older_nonces=older, briefed=time.time(), is_brief_due=False)

    deliver(workspace, known, delivery_of("session-start", brief), told)
    return f"{text}\n<!-- repomem {nonce} -->"


def _added(
    workspace: Workspace,
    known: HostSession,
    found: Addition,
    record: Delivery | None = None,
    *,
    has_places: bool = False,
) -> str:
    """The text of an addition to a prompt, recorded as given."""

    def told(now: HostSession) -> HostSession:
        return replace(now, shown=(*now.shown, *found.ids), has_places=now.has_places or has_places)

    deliver(workspace, known, record or delivery_of("prompt", found.brief), told)
    return found.text


def _stale_map(workspace: Workspace) -> Brief | None:
    """The map of the code as last indexed, with the current memories: none that was forgotten since."""
    from repomem.items.repository_map import map_after_ledger_write

    return map_after_ledger_write(workspace, min(workspace.loaded.config.recall.budget, MOST_TOKENS))


def _fitting_brief(workspace: Workspace, catch_up: float) -> Brief:
    """The map of the repository, no longer than hosts accept."""
    brief = _map(workspace, min(workspace.loaded.config.recall.budget, MOST_TOKENS), catch_up)
    while len(brief.markdown.encode()) > MOST_BYTES:
        brief = _map(workspace, brief.budget // 2, catch_up)
    return brief


def _map(workspace: Workspace, budget: int, catch_up: float) -> Brief:
    """The cached map, or one made now from the files that can be indexed in time."""
    if cached := cached_brief(workspace, budget):
        return cached
    if is_behind(workspace):
        warm_up()
    from repomem.recall.answer import recall_now

    return recall_now(workspace, BriefRequest("", budget), Run(deadline=time.monotonic() + catch_up))
