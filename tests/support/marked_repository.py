"""A repository in which every text is a script, or starts one, where somebody takes it for HTML."""

from pathlib import Path

from repomem.core.records import Event, MemoryContent, MemoryKind, Origin, Record, Source, next_id
from repomem.core.secrets.redact import redact
from repomem.sessions.lifecycle import tree_of
from repomem.workspace.ledger import ledger_of
from support.pages import MARKUP
from support.repositories import Commit, MakeRepository
from support.samples import indexed, workspace_at

CHANGED = 30  # files: the others are only added


def marked_repository(make_repository: MakeRepository, count: int = len(MARKUP)) -> Path:
    """An indexed repository with markup as file names, commit messages, authors, memories, reasons and sessions."""
    texts = MARKUP[:count]
    names = [_file_name(text, at) for at, text in enumerate(texts)]
    first = Commit(
        {name: f"def parse():\n    return {text!r}\n" for name, text in zip(names, texts, strict=True)}, texts[0]
    )
    commits = [first, *(_change(names, at, text) for at, text in enumerate(texts))]
    folder = make_repository(*commits, name="marked")
    indexed(folder)
    _remember(folder, texts)
    return folder


def shown(text: str) -> str:
    """A text of the corpus as the ledger has it."""
    return str(redact(text))


def _file_name(text: str, at: int) -> str:
    plain = text.replace("/", "\\").replace("\0", "").replace("\n", "")
    return f"{plain.encode()[:200].decode(errors='ignore')}{at}.py"


def _change(names: list[str], at: int, text: str) -> Commit:
    author = text.replace("<", "‹").replace(">", "›").replace("\0", "").replace("\n", " ")  # git's own signs
    content = f"def parse():\n    return {text!r}, {at}\n"
    return Commit({names[at % CHANGED]: content}, f"{text}\n\n{text}", author=f"{author} <a@example.org>")


def _remember(folder: Path, texts: list[str]) -> None:
    with workspace_at(folder) as workspace:

        def make(before: list[Record]) -> list[Record]:
            made: list[Record] = []
            for at, text in enumerate(texts):
                clean = redact(text)
                session = next_id([*before, *made])
                origin = Origin("2026-01-02T03:04:05Z", clean, Source.AGENT, tool="codex", session=session)
                made.append(Record(session, Event.SESSION_START, origin, other=tree_of(workspace), text=clean))
                kind = list(MemoryKind)[at % len(MemoryKind)]
                said = MemoryContent(kind, clean, clean, (clean,), scope=(text,), sentence=clean)
                made.append(Record(next_id(made), Event.REMEMBER, origin, said=said))
            return made

        ledger_of(workspace).append(make)
