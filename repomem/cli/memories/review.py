"""`repomem review` and `repomem confirm`: decisions that wait for a person; agents see the list."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repomem.cli.terminal.caller import speaker
from repomem.cli.terminal.console import out, tell, workspace_at
from repomem.cli.terminal.formats import Format, out_json, present
from repomem.core.errors import RepomemError
from repomem.core.escape import one_line, quoted, visible_path
from repomem.core.plurals import counted
from repomem.core.secrets.redact import redact
from repomem.core.types.commits import short_hash

if TYPE_CHECKING:
    from repomem.memories.review import PendingReview
    from repomem.memories.snapshot import MemorySnapshot
    from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.review/1"
DONE_SCHEMA = "repomem.done/1"
NOISE_SCHEMA = "repomem.noise/1"
SHORT_ID = 10  # characters
TEXT_LENGTH = 300
KEYS = (
    "[c]onfirm  [a]ttach again  [t]ake the proposal  [f]orget  [n]oise: forget, capture nothing similar  [s]kip  [q]uit"
)


def review_command(directory: Path, form: Format) -> None:
    """List what waits; a person at a terminal decides each with one key."""
    from repomem.memories.review import pending_reviews
    from repomem.memories.snapshot import memories_now

    with workspace_at(directory) as workspace:
        known = memories_now(workspace)
        pending = pending_reviews(known)
        if form is Format.JSON:
            out_json({"schema": SCHEMA, "waiting": [_json(each, known) for each in pending]})
        elif not pending:
            out("nothing to review\n")
        elif not (speaker().is_person and sys.stdout.isatty()):
            out("".join(f"{_text(each, known)}\n" for each in pending))
        else:
            _go_through(workspace, pending, known)


def noise_command(directory: Path, form: Format, *, is_reset: bool) -> None:
    """List memories forgotten as noise, or allow similar texts to be captured again."""
    from repomem.memories.noise import noise_in, reset_noise
    from repomem.workspace.ledger import records_here

    with workspace_at(directory) as workspace:
        known = noise_in(records_here(workspace))
        count = reset_noise(workspace, speaker()) if is_reset else 0
        if form is Format.JSON:
            noise = [{"id": name, "text": text} for name, text in known.items()]
            out_json({"schema": NOISE_SCHEMA, "noise": noise, "reset": count})
        elif is_reset:
            out(f"reset: texts similar to {counted(count, 'forgotten text')} may be captured again\n")
        elif known:
            out("".join(f"{name[:SHORT_ID]} {quoted(one_line(text, TEXT_LENGTH))}\n" for name, text in known.items()))
        else:
            out("nothing was forgotten as noise\n")


def confirm_command(directory: Path, wanted: list[str], denied: str) -> None:
    """Confirm memories, or deny them with a reason; only a person may confirm."""
    from repomem.memories.review import confirm, contradict
    from repomem.memories.snapshot import memories_now

    with workspace_at(directory) as workspace:
        known = memories_now(workspace)
        names = [known.resolve_id(each) for each in wanted]
        if denied:
            for name in names:
                contradict(workspace, name, redact(one_line(denied, TEXT_LENGTH)), speaker())
        else:
            confirm(workspace, names, speaker())
        action = "denied" if denied else "confirmed"
        out("".join(f"{action}: {known.short_id(name)}\n" for name in names))


def done_command(directory: Path, wanted: list[str], note: str, form: Format) -> None:
    """Close open threads."""
    from repomem.memories.close_thread import close_threads
    from repomem.memories.snapshot import memories_now

    with workspace_at(directory) as workspace:
        known = memories_now(workspace)
        names = [known.resolve_id(each) for each in wanted]
        closed = close_threads(workspace, known, names, redact(one_line(note, TEXT_LENGTH)), speaker())
        if form is Format.JSON:
            out_json({"schema": DONE_SCHEMA, "done": closed, "already_done": [n for n in names if n not in closed]})
            return
        for name in names:
            text = one_line(known.states[name].memory.said.text, TEXT_LENGTH)
            out(f"{'done' if name in closed else 'already done'}: {known.short_id(name)} {text}\n")


def _go_through(workspace: "Workspace", pending: "list[PendingReview]", known: "MemorySnapshot") -> None:
    tell(KEYS)
    for each in pending:
        out(f"{_text(each, known)}\n")
        sys.stdout.flush()
        if not _decided(workspace, each, known):
            return


def _decided(workspace: "Workspace", each: "PendingReview", known: "MemorySnapshot") -> bool:
    """Run the action of the pressed key; False to quit. A failed action prints its error, and waits for another key."""
    while True:
        key = _pressed()
        if key in {"q", ""}:
            return False
        if key == "s":
            return True
        try:
            action = _actions(workspace, each, known).get(key)
            if action is not None:
                tell(action())
                return True
            tell(KEYS)
        except RepomemError as error:
            tell(f"{error.message}; {error.hint}" if error.hint else error.message)


def _pressed() -> str:
    """The next key, in lower case; empty at the end of the input."""
    import typer

    try:
        return typer.getchar().lower()
    except EOFError:
        return ""


def _actions(workspace: "Workspace", each: "PendingReview", known: "MemorySnapshot") -> dict[str, Callable[[], str]]:
    from repomem.memories.amend import supersede
    from repomem.memories.forget import forget
    from repomem.memories.review import anchor_again, confirm

    one = each.state
    name = one.memory.id

    def confirmed() -> str:
        confirm(workspace, [name], speaker())
        return "confirmed"

    def anchored() -> str:
        anchors = anchor_again(workspace, one, speaker())[0].anchors
        return f"attached to {', '.join(visible_path(a.path) + (a.symbol and ':' + a.symbol) for a in anchors)}"

    def taken() -> str:
        if not one.contested_by:
            raise RepomemError("no successor is proposed")
        confirm(workspace, [one.contested_by], speaker())
        supersede(workspace, speaker(), name, one.contested_by)
        return f"superseded by {known.short_id(one.contested_by)}"

    def forgotten() -> str:
        forget(workspace, known, name, speaker())
        return "forgotten"

    def called_noise() -> str:
        forget(workspace, known, name, speaker(), is_noise=True)
        return "forgotten; similar texts are no longer captured (repomem review --noise)"

    return {"c": confirmed, "a": anchored, "t": taken, "f": forgotten, "n": called_noise}


def _text(each: "PendingReview", known: "MemorySnapshot") -> str:
    """A memory that waits; below it the reason, and the sentence that it comes from."""
    said = each.state.memory.said
    below = (("because", said.why), ("sentence", said.sentence))
    lines = [f"  {name}: {quoted(one_line(text, TEXT_LENGTH))}" for name, text in below if text]
    return "\n".join([_line(each, known), *lines])


def _line(each: "PendingReview", known: "MemorySnapshot") -> str:
    one = each.state
    memory = one.memory
    by = f" by {short_hash(one.commit)}" if one.commit else ""
    why = one.why or {"provisional": "not confirmed", "gone": "its code was deleted"}.get(each.why, "")
    if one.contested_by:
        other = known.states[one.contested_by].memory
        why = f"proposed successor: {known.short_id(other.id)} {quoted(one_line(other.said.text, TEXT_LENGTH))}"
    text = quoted(one_line(memory.said.text, TEXT_LENGTH))
    who = f"{one_line(memory.origin.author, 60)} {memory.origin.at[:10]}"
    places = ", ".join(visible_path(a.path) + (a.symbol and f":{a.symbol}") for a in memory.said.anchors)
    parts = [f"{each.why}{by}" + (f" ({why})" if why else ""), who, places and f"on {places}"]
    return f"{known.short_id(memory.id)} {memory.said.kind.value} {text} · {' · '.join(filter(None, parts))}"


def _json(each: "PendingReview", known: "MemorySnapshot") -> dict[str, Any]:
    one = each.state
    memory = one.memory
    return present(
        {
            "id": memory.id,
            "short_id": known.short_id(memory.id),
            "kind": memory.said.kind.value,
            "text": memory.said.text,
            "reason": memory.said.why,
            "sentence": memory.said.sentence,
            "waits": each.why,
            "status": one.status.value,
            "status_commit": one.commit,
            "why": one.why,
            "proposed": one.contested_by,
            "author": memory.origin.author,
            "source": memory.origin.source.value,
            "date": memory.origin.at[:10],
            "anchors": [present({"path": a.path, "symbol": a.symbol}) for a in memory.said.anchors],
        }
    )
