"""One line for the person at the start of a session: memories captured since the last one, and how to review them."""

from repomem.adapters.ledger.fold import memories_of
from repomem.core.processes.locks import WRITE_LOCK, try_lock
from repomem.core.records import Memory, Source
from repomem.core.text.counts import counted, listed
from repomem.core.text.escape import one_line, quoted
from repomem.workspace.ledger import records_here
from repomem.workspace.workspace import Workspace

TOLD = "captured memories told"  # catalog key: id of the newest memory announced to a person
SHOWN = 3
LOCK_WAIT = 0.2  # seconds; a person waits for the session to start
TEXT_LENGTH = 70  # characters; Codex drops the whole answer where this line is long


def kept_message(workspace: Workspace) -> str:
    """The memories captured since the last message, marked as announced; empty if there are none."""
    captured = [one for one in memories_of(records_here(workspace)).values() if _is_captured(one)]
    told = workspace.catalog.meta(TOLD)
    newest = max((one.id for one in captured), default="")
    if newest <= told or not workspace.is_writable:
        return ""
    with try_lock(workspace.folder / WRITE_LOCK, LOCK_WAIT) as is_held:
        if not is_held:  # the next session announces it
            return ""
        workspace.catalog.set_meta(TOLD, newest)
    last = next(one.origin.session for one in captured if one.id == newest)
    new = [one for one in captured if (one.id > told if told else one.origin.session == last)]
    shown = [one for one in new if not one.is_forgotten]
    if not shown:
        return ""
    texts = listed(shown, SHOWN, lambda one: quoted(one_line(one.said.text, TEXT_LENGTH)))
    what = counted(len(shown), "memory", "memories")
    return f"repomem saved {what} from your sessions: {texts}. See them: repomem session show --last"


def _is_captured(one: Memory) -> bool:
    return one.origin.source is Source.TRANSCRIPT and not one.origin.writer
