"""The ledger of a repository: the places of its copies, and its writers."""

import os
from collections.abc import Sequence, Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace

from repomem.adapters.git.branches import is_new_branch
from repomem.adapters.git.log import head_of
from repomem.adapters.git.worktree import is_dirty
from repomem.adapters.ledger.ledger import Ledger
from repomem.adapters.ledger.trusted_writers import effective_records
from repomem.core.errors import RepomemError, StoreError
from repomem.core.records import Event, Origin, Record, Source, next_id
from repomem.core.secrets.redact import redact
from repomem.core.times import this_moment
from repomem.core.types.text import NOTHING, CleanText
from repomem.workspace.identity import identity_of, store_identity
from repomem.workspace.user.folders import LEDGERS, data_folder, temporary_folder
from repomem.workspace.user.own_memories import own_ids, own_ledger
from repomem.workspace.workspace import Workspace
from repomem.workspace.writer_trust import trusted_writers

NAME_LENGTH = 80  # characters of an author's name


@dataclass(frozen=True, slots=True)
class Speaker:
    """The author of a command: a person if it runs on a terminal that no agent opened, else an agent."""

    is_person: bool = False
    tool: str = ""  # the agent host, if known
    session: str = ""  # named by the host or the user


REPOMEM = Speaker(tool="repomem")  # the author of records that repomem writes by itself


def check_is_person(speaker: Speaker, action: str, hint: str) -> None:
    """Raise RepomemError for an agent: only a person may do this `action`."""
    if not speaker.is_person:
        raise RepomemError(
            f"only a person may {action}: stdin and stderr must be a terminal that no agent opened", hint
        )


def ledger_of(workspace: Workspace) -> Ledger:
    """The ledger, in the git directory, the user's data folder and, as a last resort, the temporary folder."""
    if workspace.is_writable:
        with suppress(StoreError):  # first, because a remote added later must not move the copies
            store_identity(workspace)
    identity = identity_of(workspace)
    mirror = data_folder() / LEDGERS / identity
    return Ledger([workspace.folder, mirror], temporary_folder(identity))


def records_here(workspace: Workspace) -> list[Record]:
    """The records that count here: all of this user and trusted writers; of others, those about their own."""
    return effective_records(ledger_of(workspace).records(), trusted_writers(workspace))


def stamp_here(workspace: Workspace) -> str:
    """A stamp that changes whenever the records that count may have changed."""
    return " ".join([ledger_of(workspace).stamp, own_ledger().stamp, *sorted(trusted_writers(workspace))])


def origin_of(workspace: Workspace, speaker: Speaker, session: str = "") -> Origin:
    """The writer of a record now, and the state of the repository."""
    head, branch = head_of(workspace.repository)
    return Origin(
        at=this_moment(),
        author=author_name(workspace, speaker),
        source=Source.PERSON if speaker.is_person else Source.AGENT,
        tool=speaker.tool,
        head=head or "",
        branch=branch or "",
        session=session,
    )


def with_work_tree(workspace: Workspace, origin: Origin) -> Origin:
    """The origin of a record made now, with whether its work may be uncommitted."""
    if not origin.head:
        return origin
    repository = workspace.repository
    is_new = is_new_branch(repository, origin.branch, origin.head)
    return replace(origin, is_new_branch=is_new, is_dirty=is_dirty(repository))


def author_name(workspace: Workspace, speaker: Speaker) -> str:
    """The user's name by git, or the name of the agent's host."""
    if not speaker.is_person:
        return speaker.tool or "agent"
    name = os.environ.get("GIT_AUTHOR_NAME") or workspace.repository.settings.get("user.name", "")
    return redact(" ".join(name.split())[:NAME_LENGTH]) or "a person"


RecordDraft = tuple[Event, Sequence[str], str, CleanText]  # event, targets, other, text


def append_records(workspace: Workspace, origin: Origin, *drafts: RecordDraft) -> list[Record]:
    """Append records about other records. Raises StoreError if no copy of the ledger can be written.

    Records about the user's own memories go to their ledger.
    """
    own = own_ids()
    here = [_only(each, frozenset(each[1]) - own) for each in drafts]
    theirs = [_only(each, own.intersection(each[1])) for each in drafts]
    named = [each for each in theirs if each[1]]
    made = own_ledger().append(lambda before: records(before, everywhere(origin), named)) if named else []
    rest = [each for each, whole in zip(here, drafts, strict=True) if each[1] or not whole[1]]
    return [*made, *(ledger_of(workspace).append(lambda before: records(before, origin, rest)) if rest else [])]


def everywhere(origin: Origin) -> Origin:
    """The origin without the fields of one repository."""
    return replace(origin, head="", branch="", session="", is_new_branch=False, is_dirty=False)


def _only(draft: RecordDraft, names: AbstractSet[str]) -> RecordDraft:
    """A draft, limited to these targets."""
    event, targets, other, text = draft
    return event, [each for each in targets if each in names], other, text


def records(before: Sequence[Record], origin: Origin, drafts: Sequence[RecordDraft]) -> list[Record]:
    """Make records from drafts, with ids that sort after those in `before`."""
    made: list[Record] = []
    for event, targets, other, text in drafts:
        made.append(Record(next_id(made or before), event, origin, tuple(targets), other, text))
    return made


def record_draft(event: Event, *targets: str, other: str = "", text: CleanText = NOTHING) -> RecordDraft:
    """One record without id and origin."""
    return event, targets, other, text
