"""Whether a host's agent received the brief: its nonce must be in the host's transcript.

An installed hook proves nothing: hosts skip unapproved hooks, drop their output, or cut it.
"""

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from repomem.adapters.transcripts.files import read_transcript, transcripts_of
from repomem.adapters.transcripts.steps import TranscriptFile
from repomem.capture.host_sessions import HostSession, host_sessions
from repomem.capture.run import is_ours
from repomem.capture.session_transcripts import read_session, transcript_file
from repomem.core.times import moment_of
from repomem.workspace.workspace import Workspace

LEEWAY = 60.0  # seconds after the last brief during which a host may still write to a session that ended
LOOKED_AT = 5  # newest transcripts
MARK = b"repomem "  # precedes the nonce; hosts escape the characters around it differently
BRIEF_START = b"repomem-brief "
# What a line must also contain to prove delivery to the model: Claude Code also records mere hook output.
GIVEN = {"claude-code": b"hook_additional_context"}


class Arrival(StrEnum):
    """What the newest session of a host shows about delivery of the brief."""

    SEEN = "seen"
    NEVER_RUN = "never run"  # the host never called a hook here
    UNKNOWN = "no transcript"
    LACKS = "lacks it"
    OLD = "an old one"  # an earlier brief arrived, the last one did not
    UNBRIEFED = "unbriefed"  # a later session received none
    CUT = "cut"  # only the start of the brief arrived


@dataclass(frozen=True, slots=True)
class DeliveryCheck:
    """The delivery of the last brief to one host."""

    host: str
    arrival: Arrival
    session: str = ""  # the host's id of it
    at: str = ""  # time of the brief: YYYY-MM-DDTHH:MM:SSZ

    @property
    def words(self) -> str:
        """The finding, and the next step."""
        return _WORDS[self.arrival].format(session=self.session[:8], at=self.at)


_WORDS = {
    Arrival.SEEN: "the whole brief of {at} is in the transcript of session {session}",
    Arrival.NEVER_RUN: "its hook has not run here yet: start a session, send a prompt, and run repomem doctor again",
    Arrival.UNKNOWN: "the hook printed the brief of {at}, but the transcript of session {session} cannot be found",
    Arrival.UNBRIEFED: "session {session} received no brief, though an earlier session did: the hook no longer runs",
    Arrival.LACKS: "the host dropped the brief of {at}: it is not in the transcript of session {session}",
    Arrival.OLD: "session {session} received an earlier brief, but not the one of {at}",
    Arrival.CUT: "the brief of {at} was cut off in session {session}: set a smaller recall.budget",
}


def delivery_checks(workspace: Workspace, hosts: Sequence[str]) -> list[DeliveryCheck]:
    """The delivery of the last brief to each of these hosts."""
    briefed = [each for each in host_sessions(workspace) if each.nonce]
    return [_delivery_check(workspace, host, [each for each in briefed if each.host == host]) for host in hosts]


def _delivery_check(workspace: Workspace, host: str, briefed: Sequence[HostSession]) -> DeliveryCheck:
    if not briefed:
        return DeliveryCheck(host, Arrival.NEVER_RUN)
    last = max(briefed, key=lambda each: each.briefed)
    later = _session_after(workspace, host, last.briefed + LEEWAY, {each.session for each in briefed})
    if later:
        return DeliveryCheck(host, Arrival.UNBRIEFED, later)
    at = moment_of(last.briefed)
    return DeliveryCheck(host, _arrival(workspace, last, [each.nonce for each in briefed]), last.session, at)


def _session_after(workspace: Workspace, host: str, moment: float, briefed: Collection[str]) -> str:
    """A session of this repository, active since a given time, that never received a brief; empty if there is none."""
    listed = transcripts_of(host, os.environ, Path.home(), workspace.repository.top)
    later = [each for each in listed[:LOOKED_AT] if each.changed > moment and each.session not in briefed]
    return next((each.session for each in later if _is_ours(workspace, each)), "")


def _is_ours(workspace: Workspace, file: TranscriptFile) -> bool:
    found = read_session(file)
    return bool(found.steps) and found.session == file.session and is_ours(workspace, found.folder)


def _arrival(workspace: Workspace, last: HostSession, nonces: Sequence[str]) -> Arrival:
    file = transcript_file(workspace, last)
    every = read_transcript(file) if file else []
    if not every:
        return Arrival.UNKNOWN
    lines = [line for line in every if GIVEN.get(last.host, b"") in line]
    if _holds(lines, MARK + last.nonce.encode()):
        return Arrival.SEEN
    if any(_holds(lines, MARK + each.encode()) for each in (*nonces, *last.older_nonces)):
        return Arrival.OLD
    return Arrival.CUT if _holds(lines, BRIEF_START) else Arrival.LACKS


def _holds(lines: Sequence[bytes], wanted: bytes) -> bool:
    return any(wanted in line for line in lines)
