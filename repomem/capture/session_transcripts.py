"""The transcript of a session, found where its host keeps it, and read together with those of its sub-agents."""

import os
from dataclasses import replace
from pathlib import Path

from repomem.adapters.transcripts.files import TranscriptFile, read_transcript, transcript_at, transcripts_of
from repomem.adapters.transcripts.readers import read
from repomem.adapters.transcripts.steps import Step, Transcript
from repomem.adapters.transcripts.subagent_files import subagent_files
from repomem.adapters.transcripts.subagent_steps import of_subagent, with_subagents
from repomem.capture.host_sessions import HostSession
from repomem.workspace.workspace import Workspace


def transcript_file(workspace: Workspace, known: HostSession) -> TranscriptFile | None:
    """A session's transcript: at the path its host gave, else among the host's sessions of this folder."""
    home = Path.home()
    if known.transcript:
        return transcript_at(known.host, Path(known.transcript), os.environ, home)
    listed = transcripts_of(known.host, os.environ, home, workspace.repository.top)
    return next((each for each in listed if known.session and each.session == known.session), None)


def read_session(file: TranscriptFile) -> Transcript:
    """A session as its host recorded it, with its sub-agents, and an id from its path if its lines have none."""
    found = read(file.host, read_transcript(file))
    found = replace(found, session=found.session or file.session, folder=found.folder or file.folder)
    if found.is_subagents:
        return found
    others = [_subagent(each) for each in subagent_files(file, found.session)]
    return replace(found, steps=with_subagents(found.steps, others)) if others else found


def _subagent(file: TranscriptFile) -> tuple[Step, ...]:
    return of_subagent(read(file.host, read_transcript(file)).steps, file.session)


def stamp_of(file: TranscriptFile, known: HostSession) -> str:
    """What changes when the transcript or that of a sub-agent grows."""
    every = [file, *subagent_files(file, known.session or file.session)]
    return f"{sum(each.size for each in every)}.{max(each.changed for each in every)}"
