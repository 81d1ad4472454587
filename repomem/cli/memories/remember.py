"""`repomem remember`, `forget` and `confirm`: what people and agents write down, and take back."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repomem.cli.terminal.caller import speaker
from repomem.cli.terminal.console import out, tell, workspace_at
from repomem.cli.terminal.formats import Format, out_json
from repomem.core.errors import RepomemError
from repomem.core.escape import one_line, visible
from repomem.core.records import Kind

if TYPE_CHECKING:
    from repomem.memories.at_head import Remembered
    from repomem.memories.remember import Outcome
    from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.remember/1"
FORGET_SCHEMA = "repomem.forget/1"
SHOWN_TEXT = 100  # characters of another memory's text

Asked = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class RememberRequest:
    """What the command line asks for; what was not given is None or empty."""

    directory: Path
    text: str
    kind: Kind | None = None
    why: str = ""
    importance: int | None = None
    rejected: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    session: str = ""
    is_private: bool = False
    format: Format = Format.TEXT


def remember_command(request: RememberRequest, asked: Asked) -> None:
    """Keep a memory and say what became of it; `asked` puts a question to the person at the terminal."""
    with workspace_at(request.directory) as workspace:
        outcome, known = remembered_outcome(workspace, request)
        if request.format is Format.JSON:
            out_json(outcome_json(outcome))
            return
        out(outcome_text(outcome, known))
        if outcome.proposed and speaker().is_person:
            _ask_whether_superseded(workspace, outcome, known, asked)


def remembered_outcome(workspace: "Workspace", request: RememberRequest) -> "tuple[Outcome, Remembered]":
    """Keep what is asked for; the outcome, and the memories as they stood before."""
    from repomem.memories.remember_now import Statement, remember_now

    statement = Statement(
        request.text,
        request.kind,
        request.why,
        request.rejected,
        request.importance,
        request.scope,
        request.on,
        request.supersedes,
        request.is_private,
    )
    return remember_now(workspace, statement, speaker(request.session))


def outcome_json(outcome: "Outcome") -> dict[str, Any]:
    """What became of it, by the contract `repomem.remember/1`."""
    return {
        "schema": SCHEMA,
        "outcome": outcome.outcome,
        "id": outcome.id,
        "kind": outcome.said.kind.value,
        "importance": outcome.said.importance,
        "text": outcome.said.text,
        "anchors": [{"path": each.path, "symbol": each.symbol} for each in outcome.said.anchors],
        "visible_on": outcome.branch or "everywhere",
        "supersedes": list(outcome.supersedes),
        "proposed": [{"id": one.id, "text": one.text, "why": one.why} for one in outcome.proposed],
        "near": [{"id": name, "text": text} for name, text in outcome.near],
    }


def outcome_text(outcome: "Outcome", known: "Remembered") -> str:
    """What became of it, for people and pipes."""
    from repomem.core.ulid import unique_prefix

    short = unique_prefix(outcome.id, sorted({*known.ids, outcome.id}))
    said = outcome.said
    if outcome.outcome == "duplicate":
        return f"known already: {short} {said.kind.value}: {one_line(said.text, SHOWN_TEXT)}\n"
    where = f"on branch {visible(outcome.branch)}" if outcome.branch else "everywhere"
    lines = [f"remembered {short}: {said.kind.value}, importance {said.importance}, seen {where}"]
    lines += [f"  on {visible(each.path)}{each.symbol and ':' + visible(each.symbol)}" for each in said.anchors]
    lines += [f"  takes the place of {name[:10]}" for name in outcome.supersedes]
    for one in outcome.proposed:
        lines.append(
            f"  this seems to supersede {known_prefix(known, one.id)}: {one_line(one.text, SHOWN_TEXT)} ({one.why})"
        )
    proposed = {one.id for one in outcome.proposed}
    lines += [
        f"  related: {known_prefix(known, name)}: {one_line(text, SHOWN_TEXT)}"
        for name, text in outcome.near
        if name not in proposed
    ]
    return "".join(f"{line}\n" for line in lines)


def known_prefix(known: "Remembered", name: str) -> str:
    """The shortest start of an id that means it alone."""
    from repomem.core.ulid import unique_prefix

    return unique_prefix(name, known.ids)


def _ask_whether_superseded(workspace: "Workspace", outcome: "Outcome", known: "Remembered", asked: Asked) -> None:
    from repomem.memories.remember import supersede

    for one in outcome.proposed:
        if asked(f"Does it take the place of {known_prefix(known, one.id)}?"):
            supersede(workspace, speaker(), one.id, outcome.id)
            tell(f"{known_prefix(known, one.id)} is superseded")


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """What the command line asks for."""

    directory: Path
    wanted: str
    is_purge: bool
    is_sure: bool
    format: Format


def forget_command(request: ForgetRequest, asked: Asked) -> None:
    """Forget a memory, after asking the person at the terminal."""
    from repomem.memories.forget import forget
    from repomem.memories.remember import resolve_id
    from repomem.memories.remember_now import known_now

    with workspace_at(request.directory) as workspace:
        known = known_now(workspace)
        name = resolve_id(known, request.wanted)
        short, text = known_prefix(known, name), one_line(known.standings[name].memory.said.text, SHOWN_TEXT)
        if not request.is_sure and not _is_agreed(f"{short}: {text}", asked, is_purge=request.is_purge):
            tell("nothing was forgotten")
            return
        done = forget(workspace, known, name, speaker(), is_purge=request.is_purge)
        if request.format is Format.JSON:
            out_json({"schema": FORGET_SCHEMA, "id": name, "purged": done.is_purged, "mentions": done.mentions})
            return
        out(f"purged {short}: no byte of it is left here\n" if done.is_purged else f"forgotten: {short} {text}\n")
        if done.mentions:
            tell(f"note: {done.mentions} other records hold the same words; repomem log --memories finds them")
        for folder in done.unwritten:
            tell(f"warning: {folder} could not be written; the next repomem that may write there purges it")


def _is_agreed(what: str, asked: Asked, *, is_purge: bool) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise RepomemError("forgetting asks on a terminal, and this is none", "give --yes if you are sure")
    deed = "Erase every byte of" if is_purge else "Forget"
    return asked(f"{deed} {what}?")
