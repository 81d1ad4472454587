"""Imports past sessions of an agent host that belong to this repository."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from repomem.adapters.transcripts.files import transcripts_of
from repomem.adapters.transcripts.readers import READERS
from repomem.adapters.transcripts.steps import TranscriptFile
from repomem.capture.origins import origin_then
from repomem.capture.run import findings_in, is_ours, keep
from repomem.capture.session_transcripts import read_session
from repomem.core.errors import NotFound
from repomem.core.ports import Progress
from repomem.workspace.workspace import Workspace

NEWEST = 100  # sessions per host, unless all are requested


@dataclass(slots=True)
class Imported:
    """The result of an import."""

    read: int = 0  # sessions of this repository
    kept: int = 0  # of these, those with findings
    left_to_read: int = 0  # older sessions, not read
    others: int = 0  # sessions of other projects, skipped
    unreadable: int = 0
    notes: int = 0
    statements: int = 0


def known_hosts() -> tuple[str, ...]:
    """The hosts whose sessions can be read."""
    return tuple(READERS)


def import_sessions(workspace: Workspace, host: str, progress: Progress, *, is_all: bool) -> Imported:
    """Import the sessions of a host, oldest first; importing again adds nothing.

    Raises NotFound for an unknown host, StoreError if nothing can be written.
    """
    if host not in READERS:
        raise NotFound(f"unknown agent {host!r}", f"choose one of: {', '.join(READERS)}")
    done = Imported()
    listed = transcripts_of(host, os.environ, Path.home())
    ours = list(_ours(workspace, listed, done))
    if not is_all:
        ours, done.left_to_read = ours[:NEWEST], len(ours[NEWEST:])
    with progress.stage(f"Reading sessions of {host}", len(ours), "sessions") as stage:
        for file in reversed(ours):
            _import(workspace, file, done)
            stage.advance()
    return done


def _ours(workspace: Workspace, listed: Sequence[TranscriptFile], done: Imported) -> Iterator[TranscriptFile]:
    """The transcripts that may belong to this repository, by the folder that the host stores with them."""
    known: dict[str, bool] = {}
    for file in listed:
        if file.folder and not known.setdefault(file.folder, is_ours(workspace, file.folder)):
            done.others += 1
        else:
            yield file


def _import(workspace: Workspace, file: TranscriptFile, done: Imported) -> None:
    """Import one session; an unreadable one is only counted. Raises StoreError if nothing can be written."""
    transcript = read_session(file)
    if transcript.is_subagents:
        return  # read with the session that started it
    if not transcript.steps:
        done.unreadable += 1
    elif not is_ours(workspace, transcript.folder):
        done.others += 1
    else:
        done.read += 1
        kept = keep(workspace, transcript, findings_in(workspace, transcript), origin_then(workspace, transcript))
        done.kept += bool(kept.session)
        done.notes += kept.notes
        done.statements += kept.statements
