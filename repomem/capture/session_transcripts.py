"""Finds a session's transcript where its host stores it, and reads it with the transcripts of its sub-agents."""

import os
from dataclasses import replace
from pathlib import Path

from repomem.adapters.transcripts.files import read_transcript, transcript_at, transcripts_of
from repomem.adapters.transcripts.readers import read
from repomem.adapters.transcripts.steps import Transcript, TranscriptFile, of_subagent, with_subagents
from repomem.adapters.transcripts.subagent_files import subagent_files
from repomem.capture.host_sessions import HostSession
from repomem.workspace.workspace import Workspace


def transcript_file(workspace: Workspace, known: HostSession) -> TranscriptFile | None:
    """A session's transcript: at the path that its host sent, else among the host's sessions of this folder."""
    home = Path.home()
    if known.transcript:
        return transcript_at(known.host, Path(known.transcript), os.environ, home)
    listed = transcripts_of(known.host, os.environ, home, workspace.repository.top)
    return next((file for file in listed if known.session and file.session == known.session), None)


def read_session(file: TranscriptFile) -> Transcript:
    """A recorded session with the steps of its sub-agents; id and folder come from the path if its lines have none."""
    transcript = read(file.host, read_transcript(file))
    session, folder = transcript.session or file.session, transcript.folder or file.folder
    transcript = replace(transcript, session=session, folder=folder)
    if transcript.is_subagents:
        return transcript
    files = subagent_files(file, session)
    blocks = [of_subagent(read(one.host, read_transcript(one)).steps, one.session) for one in files]
    kept = [block for block in blocks if block and block[0].agent not in transcript.left]
    return replace(transcript, steps=with_subagents(transcript.steps, kept)) if kept else transcript


def stamp_of(file: TranscriptFile | None, known: HostSession) -> str:
    """The total size and last change of the transcript and its sub-agents', as "SIZE.TIME"; empty without one."""
    if file is None:
        return ""
    files = [file, *subagent_files(file, known.session or file.session)]
    return f"{sum(one.size for one in files)}.{max(one.changed for one in files)}"
