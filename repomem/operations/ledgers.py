"""Where a repository's ledger lies, and who writes into it."""

import os
import stat
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from repomem.core.records import Event, Origin, Record, Source
from repomem.core.redact import redact
from repomem.core.types import NOTHING, CleanText
from repomem.core.ulid import new_ulid
from repomem.operations.identity import identity_of
from repomem.operations.workspace import Workspace
from repomem.sources.history import head_of
from repomem.sources.ledger import Ledger

NAME_LENGTH = 80  # characters of an author's name


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who speaks: a person where a command runs on a terminal and no agent started it, else an agent."""

    is_person: bool = False
    tool: str = ""  # the agent host, where one is known
    session: str = ""  # that the host or the user named


AGENT = Speaker()


def ledger_of(workspace: Workspace) -> Ledger:
    """The ledger: in the git directory, in the user's data folder, and as a last resort in that for temporary files."""
    from platformdirs import user_data_path

    identity = identity_of(workspace)
    mirror = user_data_path("repomem", appauthor=False) / "ledgers" / identity
    return Ledger([workspace.folder, mirror], _last_resort(identity))


def origin_of(workspace: Workspace, speaker: Speaker, session: str = "") -> Origin:
    """Who says something now, and where the repository stands."""
    head, branch = head_of(workspace.repository)
    return Origin(
        at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        author=author_name(workspace, speaker),
        source=Source.PERSON if speaker.is_person else Source.AGENT,
        tool=speaker.tool,
        head=head or "",
        branch=branch or "",
        session=session,
    )


def author_name(workspace: Workspace, speaker: Speaker) -> str:
    """What git calls the user; of an agent the name of its host."""
    if not speaker.is_person:
        return speaker.tool or "agent"
    name = os.environ.get("GIT_AUTHOR_NAME") or workspace.repository.settings.get("user.name", "")
    return redact(" ".join(name.split())[:NAME_LENGTH]) or "a person"


Told = tuple[Event, Sequence[str], str, CleanText]  # event, targets, other, text


def tell(workspace: Workspace, origin: Origin, *told: Told) -> list[Record]:
    """Keep records that are about others. Raises StoreError where none can be kept."""
    return ledger_of(workspace).append(lambda before: list(records(before, origin, told)))


def records(before: Sequence[Record], origin: Origin, told: Sequence[Told]) -> list[Record]:
    """Records with fresh ids behind those that are there."""
    made: list[Record] = []
    for event, targets, other, text in told:
        last = made[-1].id if made else before[-1].id if before else ""
        made.append(Record(new_ulid(last), event, origin, tuple(targets), other, text))
    return made


def plain_told(event: Event, *targets: str, other: str = "", text: CleanText = NOTHING) -> Told:
    """One thing to tell."""
    return event, targets, other, text


def _last_resort(identity: str) -> Path | None:
    """A folder of this user's alone; None where somebody else made it."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"repomem-{user}" / identity
    for each in (folder.parent, folder):
        try:
            found = each.lstat()
        except OSError:
            continue
        if not stat.S_ISDIR(found.st_mode) or (hasattr(os, "getuid") and found.st_uid != user):
            return None
    return folder
