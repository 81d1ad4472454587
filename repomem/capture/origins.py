"""The state of the repository to which a session's statements belong."""

from dataclasses import replace

from repomem.adapters.git.branches import is_new_branch, tip_of
from repomem.adapters.git.log import commit_before
from repomem.adapters.transcripts.steps import Transcript
from repomem.core.records import Origin, Source
from repomem.core.secrets.redact import redact
from repomem.workspace.ledger import Speaker, origin_of, with_work_tree
from repomem.workspace.workspace import Workspace

DETACHED = "HEAD"  # a host's name of no branch


def origin_now(workspace: Workspace, host: str) -> Origin:
    """The state of the repository now, for a session in progress."""
    return with_work_tree(workspace, replace(origin_of(workspace, Speaker(tool=host)), source=Source.TRANSCRIPT))


def origin_then(workspace: Workspace, transcript: Transcript) -> Origin:
    """The state of the repository when a past session ended, by the commit dates of its branch.

    Of a branch that is gone nothing is known, so its work counts as not merged.
    """
    now = replace(origin_of(workspace, Speaker(tool=transcript.host)), source=Source.TRANSCRIPT)
    at = next((step.at for step in reversed(transcript.steps) if step.at), transcript.started) or now.at
    branch = (redact(transcript.branch) if transcript.branch != DETACHED else "") or now.branch
    tip = now.head if branch == now.branch else tip_of(workspace.repository, branch)
    if not (tip or now.head):
        return replace(now, at=at, branch=branch)
    head = commit_before(workspace.repository, tip or now.head, at)
    is_new = not tip or is_new_branch(workspace.repository, branch, head)
    return replace(now, at=at, head=head, branch=branch, is_new_branch=is_new)
