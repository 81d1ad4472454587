"""Lets the model of `capture.llm` propose memories from the new turns of a session."""

from contextlib import suppress
from dataclasses import replace

from repomem.capture.host_sessions import HostSession, change_host_session
from repomem.capture.model_proposals import proposed
from repomem.capture.origins import origin_now
from repomem.capture.run import findings_in, is_ours, keep, own_steps
from repomem.capture.session_transcripts import read_session, transcript_file
from repomem.capture.turns import turns_of
from repomem.core.errors import RepomemError
from repomem.workspace.workspace import Workspace


def propose(workspace: Workspace, known: HostSession) -> None:
    """Save the model's proposals from the turns that it has not read yet, if a model is configured.

    A failure is noted for `repomem status`, and the turns are read with the next ones.
    """
    file = transcript_file(workspace, known) if workspace.loaded.config.capture.llm else None
    if file is None:
        return
    transcript = read_session(file)
    transcript = replace(transcript, session=known.session, folder=transcript.folder or workspace.root)
    turns = turns_of(own_steps(workspace, transcript))
    if len(turns) <= known.turns_read or not is_ours(workspace, transcript.folder):
        return
    found = findings_in(workspace, transcript)
    with suppress(RepomemError):
        new = proposed(workspace, turns, found.stated, known.turns_read)
        if new:
            keep(workspace, transcript, replace(found, stated=tuple(new)), origin_now(workspace, known.host))
        change_host_session(workspace, known, lambda now: replace(now, turns_read=len(turns)))
