"""`repomem review` and `repomem confirm`: decisions that wait for a person; agents see the list."""

import sys
from collections.abc import Sequence

from repomem.cli.memories.review_card import card_text, out_card, review_json
from repomem.cli.terminal.caller import speaker
from repomem.cli.terminal.console import out, out_lines, tell
from repomem.cli.terminal.formats import Format, is_rich, out_json
from repomem.core.errors import RepomemError
from repomem.core.records import Record
from repomem.core.secrets.redact import redact
from repomem.core.text.counts import counted
from repomem.core.text.escape import one_line, quoted
from repomem.memories.anchors.anchored_code import AnchoredCode, anchored_code
from repomem.memories.noise import noise_here, reset_noise
from repomem.memories.restore import undo
from repomem.memories.review import PendingReview, close_threads, contradict, pending_reviews
from repomem.memories.review_actions import ACTIONS, Decision
from repomem.memories.show import show_memory
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_now
from repomem.memories.status import Status, Visibility
from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.review/1"
DONE_SCHEMA = "repomem.done/1"
NOISE_SCHEMA = "repomem.noise/1"
SHORT_ID = 10  # characters
TEXT_LENGTH = 300
KEYS = (  # with the reason for which a key is listed
    ("as recorded", "[c]onfirm"),
    ("drifted", "[c]onfirm on the code as it is now"),
    ("proposal", "[t]ake the proposed replacement"),
    ("", "[f]orget  [n]oise: forget, and capture nothing similar  [u]ndo  [s]kip  [q]uit"),
)
ACTION_KEYS = {"c": "confirm", "a": "anchor", "t": "take", "f": "forget", "n": "noise"}


def review_command(workspace: Workspace, form: Format) -> None:
    """List what waits; a person at a terminal decides each with one key."""
    from repomem.memories.search.relevant import changed_memories

    known = memories_now(workspace)
    pending = pending_reviews(known, changed_memories(workspace, known))
    if form is Format.JSON:
        out_json({"schema": SCHEMA, "waiting": [review_json(each, known) for each in pending]})
    elif not pending:
        out("nothing to review\n")
    elif not (speaker().is_person and sys.stdout.isatty()):
        out_lines(card_text(each, known) for each in pending)
    else:
        _Review(workspace, pending, known).go_through()


def noise_command(workspace: Workspace, form: Format, *, is_reset: bool) -> None:
    """List memories forgotten as noise, or allow similar texts to be captured again."""
    known = noise_here(workspace)
    count = reset_noise(workspace, speaker()) if is_reset else 0
    if form is Format.JSON:
        noise = [{"id": name, "text": text} for name, text in known.items()]
        out_json({"schema": NOISE_SCHEMA, "noise": noise, "reset": count})
    elif count:
        out(f"reset: texts similar to {counted(count, 'forgotten text')} may be captured again\n")
    elif known and not is_reset:
        out_lines(f"{name[:SHORT_ID]} {quoted(one_line(text, TEXT_LENGTH))}" for name, text in known.items())
    else:
        out("nothing was forgotten as noise\n")


def confirm_command(workspace: Workspace, wanted: list[str], denied: str | None) -> None:
    """Confirm memories, or deny them with a reason; only a person may confirm."""
    known = memories_now(workspace)
    names = [known.resolve_id(each) for each in wanted]
    if denied is not None:
        contradict(workspace, known, names, redact(one_line(denied, TEXT_LENGTH)), speaker())
        out_lines(f"denied: {known.short_id(name)}{_elsewhere(known, name)}" for name in names)
        if speaker().is_person:
            tell(f"hidden from briefs; to undo: repomem confirm {' '.join(map(known.short_id, names))}")
        return
    made = {name: ACTIONS["confirm"](Decision(workspace, known, name, speaker())) for name in dict.fromkeys(names)}
    now = memories_now(workspace)
    for name, (line, _) in made.items():
        where = line.removeprefix("confirmed")
        out(f"confirmed: {known.short_id(name)}{where}{_elsewhere(now, name) or _hidden(now, name)}\n")
    out_lines(f"superseded: {known.short_id(name)}" for name in _superseded(now) - _superseded(known))


def _superseded(known: MemorySnapshot) -> set[str]:
    return set(known.outlines.where(status=lambda status: status is Status.SUPERSEDED))


def _elsewhere(known: MemorySnapshot, name: str) -> str:
    """The branch of a memory that does not apply here, even after a confirmation; else empty."""
    return "" if known.states[name].visibility is Visibility.HERE else f"; still {show_memory(known, name).where}"


def _hidden(known: MemorySnapshot, name: str) -> str:
    """Why a memory stays hidden although it is confirmed; else empty."""
    hidden = show_memory(known, name).hidden
    return hidden and f"; still hidden: {hidden}"


def done_command(workspace: Workspace, wanted: list[str], note: str, form: Format) -> None:
    """Close open threads."""
    known = memories_now(workspace)
    names = [known.resolve_id(each) for each in wanted]
    made = close_threads(workspace, known, names, redact(one_line(note, TEXT_LENGTH)), speaker())
    closed = [name for name in dict.fromkeys(names) if any(name in each.targets for each in made)]
    if form is Format.JSON:
        out_json({"schema": DONE_SCHEMA, "done": closed, "already_done": [n for n in names if n not in closed]})
        return
    for name in names:
        text = one_line(known.said(name).text, TEXT_LENGTH)
        short = known.short_id(name)
        out(f"{'done' if name in closed else 'already done'}: {short} {text}\n")
        if note and name not in closed:
            tell(f"note: the note was not saved; repomem restore {short} reopens the thread")


class _Review:
    """One review by a person: each memory in turn, one key each, with undo."""

    def __init__(self, workspace: Workspace, pending: list[PendingReview], known: MemorySnapshot) -> None:
        self._workspace = workspace
        self._pending = pending
        self._known = known
        self._at = 0
        self._keys = ""  # the list of keys printed last
        self._code: dict[str, list[AnchoredCode]] = {}
        self._decided: list[tuple[int, Sequence[Record]]] = []  # position and records of each decision

    def go_through(self) -> None:
        """Show each memory and wait for its key; the last decision can still be undone at the end."""
        while True:
            if self._at < len(self._pending):
                each = self._pending[self._at]
                if self._keys != (keys := _keys(each)):
                    self._keys = keys
                    tell(keys)
                if is_rich():
                    out_card(each, self._known, self._code_of(each))
                else:
                    out(f"{card_text(each, self._known)}\n")
            elif self._decided:
                tell("nothing more to review; [u]ndo the last decision, or any other key to end")
            else:
                break
            sys.stdout.flush()
            if not self._is_continued():
                break
        skipped = self._at - len(self._decided)
        if left := len(self._pending) - len(self._decided):
            tell(f"{counted(left, 'memory', 'memories')} left undecided" + f" ({skipped} skipped)" * bool(skipped))

    def _code_of(self, each: PendingReview) -> list[AnchoredCode]:
        """The code of a memory, parsed once: going back draws at once, and drops no key that is pressed meanwhile."""
        name = each.state.memory.id
        if name not in self._code:
            self._code[name] = anchored_code(self._workspace, each.state)
        return self._code[name]

    def _is_continued(self) -> bool:
        """Run the action of the pressed key; False to end. A failed action prints its error, and waits again."""
        while True:
            key = _pressed()
            is_end = self._at == len(self._pending)
            try:
                if key == "u" and self._decided:
                    tell(self._undo())
                    return True
                if key in {"q", ""} or is_end:
                    return False
                if key == "s":
                    self._at += 1
                    return True
                if action := ACTION_KEYS.get(key):
                    self._decide(action)
                    return True
                tell(self._keys)
            except RepomemError as error:
                tell(f"{error.message}; {error.hint}" if error.hint else error.message)

    def _decide(self, action: str) -> None:
        each = self._pending[self._at]
        decision = Decision(self._workspace, self._known, each.state.memory.id, speaker(), each.proposed)
        line, made = ACTIONS[action](decision)
        self._decided.append((self._at, made))
        self._at += 1
        tell(f"{line} (repomem review --noise)" if action == "noise" else line)

    def _undo(self) -> str:
        at, made = self._decided[-1]
        undo(self._workspace, made, speaker())
        self._decided.pop()
        self._at = at
        return f"undone: {self._known.short_id(self._pending[at].state.memory.id)} is back in the review"


def _keys(each: PendingReview) -> str:
    """The keys that apply to a memory."""
    is_drifted = each.state.status is Status.DRIFTED
    reasons = {"", "drifted" if is_drifted else "as recorded", "proposal" if each.proposed else ""}
    return "  ".join(text for reason, text in KEYS if reason in reasons)


def _pressed() -> str:
    """The next key, in lower case; empty at the end of the input."""
    import typer

    try:
        return typer.getchar().lower()
    except EOFError:
        return ""
