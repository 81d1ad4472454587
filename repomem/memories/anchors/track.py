"""Track the code of an anchor through the commits that touched its file, and into the files it moved to.

A tracker is a generator that yields the files whose fingerprints it needs next, so that the files of several anchors
are fetched and parsed together. A version with a known text of the symbol is not parsed.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from repomem.adapters.git.file_history import FileRevision
from repomem.core.records import Anchor
from repomem.core.types.code import SymbolPrint
from repomem.memories.anchors.commits import CandidateFile, Commits
from repomem.memories.anchors.fingerprints import Fingerprints, Wanted
from repomem.memories.anchors.known_texts import symbols_by_text
from repomem.memories.anchors.live_files import LiveFiles
from repomem.memories.anchors.match import Match, by_print, match
from repomem.memories.anchors.moved_code import SeenSymbol, find_moved
from repomem.memories.anchors.track_file import track_file
from repomem.memories.status import CHANCE_TOKENS, AnchorLocation, Status
from repomem.workspace.workspace import Workspace

MOST_MOVES = 8  # of one symbol between files that are followed

Tracking = Generator[Wanted, None, AnchorLocation]


class ResumePoint(NamedTuple):
    """The code at an earlier commit of this history, from where tracking can resume. Stored in the catalog."""

    commit: str
    path: str
    symbol: str
    blob: str
    drifted: str
    landed: str
    gone: str = ""  # the commit that removed it; `blob` is the version before


class _State(NamedTuple):
    """What is known about the code after one commit."""

    symbol: str  # its last name
    seen: SeenSymbol | None  # its last location
    blob: str = ""  # of the tracked path
    drifted: str = ""  # the first commit that changed it
    gone: str = ""  # the commit that removed it
    left: str = ""  # the commit that moved it to another file, where it was `seen`
    is_certain: bool = True  # False: on a branch that may not have had it yet


@dataclass(slots=True)
class AnchorTrack:
    """The track of the code so far."""

    path: str
    state: _State
    landed: str = ""  # the first commit with the code as the memory knows it
    last: str = ""  # the last commit that touched the path


@dataclass(slots=True)
class AnchorTracker:
    """Tracks anchors to one revision."""

    workspace: Workspace
    fingerprints: Fingerprints
    files: LiveFiles
    lost: dict[Anchor, ResumePoint] = field(default_factory=dict)  # of deleted code: its last location
    _commits: Commits = field(init=False)

    def __post_init__(self) -> None:
        self._commits = Commits(self.workspace.repository, self.files)

    def track(self, anchor: Anchor, base: str, start: ResumePoint | None = None) -> Tracking:
        """The location of an anchor that was made on the commit `base`, and was last located at `start`."""
        here = self.files.blobs.get(anchor.path, "")
        yield [(here, anchor.path)]
        if anchor.symbol and here and not self.fingerprints.of(here):  # the file is too large, or not in this clone
            return AnchorLocation(anchor, Status.CURRENT, anchor.path, anchor.symbol)  # not disproved
        same = next((one for one in self.fingerprints.of(here) if _is_unchanged(one, anchor)), None)
        if same and anchor.symbol:
            return _location(anchor, anchor.path, Match(Status.CURRENT, same))
        yield [(anchor.blob, anchor.path)]
        anchor = _with_fresh_fingerprint(anchor, self.fingerprints)
        if not anchor.symbol:
            return (yield from track_file(self._commits, self.fingerprints, anchor, base))
        found = match(anchor, anchor.symbol, self.fingerprints.of(here), self.fingerprints.of(anchor.blob))
        if found and found.status is not Status.DRIFTED:
            return _location(anchor, anchor.path, found)
        track = yield from (self._track_from(anchor, start) if start else self._track_from_anchor(anchor, base))
        return (yield from self._end_location(anchor, track))

    def track_landing(self, anchor: Anchor, base: str) -> Tracking:
        """The first commit after `base` with the code as the memory knows it, as `landed`."""
        if not anchor.symbol:
            walked = self._commits.touching(anchor.path, base)
            return AnchorLocation(
                anchor, Status.CURRENT, landed=next((s.commit for s in walked if s.blob == anchor.blob), "")
            )
        yield [(anchor.blob, anchor.path)]
        track = yield from self._track_from_anchor(_with_fresh_fingerprint(anchor, self.fingerprints), base)
        return AnchorLocation(anchor, Status.CURRENT, landed=track.landed)

    def _track_from_anchor(self, anchor: Anchor, base: str) -> Generator[Wanted, None, AnchorTrack]:
        """Track the code from where the anchor was made."""
        own = next((one for one in self.fingerprints.of(anchor.blob) if _is_unchanged(one, anchor)), None)
        seen = SeenSymbol(anchor.path, anchor.blob, own) if own else None
        track = AnchorTrack(anchor.path, _State(anchor.symbol, seen, anchor.blob, is_certain=bool(base)))
        return (yield from self._track_through_files(anchor, track, base))

    def _track_from(self, anchor: Anchor, start: ResumePoint) -> Generator[Wanted, None, AnchorTrack]:
        """Track the code from where it was located last."""
        yield [(start.blob, start.path)]
        own = next((one for one in self.fingerprints.of(start.blob) if one.qualified == start.symbol), None)
        seen = SeenSymbol(start.path, start.blob, own) if own else None
        state = _State(start.symbol, seen, start.blob, start.drifted, start.gone)
        return (
            yield from self._track_through_files(anchor, AnchorTrack(start.path, state, start.landed), start.commit)
        )

    def _track_through_files(
        self, anchor: Anchor, track: AnchorTrack, start: str
    ) -> Generator[Wanted, None, AnchorTrack]:
        """Track the code through every commit that touched its file, and into the files it moved to."""
        for _ in range(MOST_MOVES):
            yield from self._track_through_file(anchor, track, start)
            if not track.state.left or track.state.seen is None:
                break
            start = track.state.left
            track.path = track.state.seen.path
            track.state = track.state._replace(left="", blob=track.state.seen.blob)
        return track

    def _track_through_file(self, anchor: Anchor, track: AnchorTrack, start: str) -> Generator[Wanted, None, None]:
        """Track the code through the versions of one file, up to the last."""
        walked = self._commits.touching(track.path, start)
        at = track.path, self.files.blobs.get(track.path, "")
        texts = yield from symbols_by_text(self.fingerprints, anchor, at, track.state.symbol, track.state.seen, walked)
        states: dict[str, _State] = {}
        foreign = track.state._replace(is_certain=False, blob="")
        for step in walked:
            outside = track.state if start in step.parents else foreign
            before = [states[parent] for parent in step.parents if parent in states] or [outside]
            same = next((state for state in before if state.blob == step.blob and state is not outside), None)
            states[step.commit] = same or (yield from self._after(anchor, track, step, before, texts))
        if walked:
            track.last = walked[-1].commit
            track.state = states[track.last]

    def _after(
        self,
        anchor: Anchor,
        track: AnchorTrack,
        step: FileRevision,
        before: Sequence[_State],
        texts: Mapping[str, SymbolPrint | None],
    ) -> Generator[Wanted, None, _State]:
        """The state after a commit that changed the file, given the states before it."""
        if step.blob and step.blob not in texts and not self.fingerprints.of(step.blob):
            return before[0]._replace(blob=step.blob)  # the version cannot be read
        found = self._match(anchor, step.blob, before, texts)
        if found and found.status is not Status.DRIFTED:
            track.landed = track.landed or step.commit
            return _State(found.found.qualified, SeenSymbol(track.path, step.blob, found.found), step.blob)
        went = next((state for state in before if state.left), None)
        if went:
            return went._replace(blob=step.blob)
        if found:
            return (yield from self._after_drift(anchor, track, step, before, found))
        absent = next((state for state in before if state.gone), None)
        if absent:
            return absent._replace(blob=step.blob)
        return (yield from self._after_loss(anchor, track, step, before[0]))

    def _with_last_name(self, anchor: Anchor, state: _State) -> Generator[Wanted, None, _State]:
        """The state with the symbol's last qualified name: its text does not show a rename of the enclosing type."""
        seen = state.seen
        if seen is None:
            return state
        yield [(seen.blob, seen.path)]
        prints = self.fingerprints.of(seen.blob)
        if any(one.qualified == state.symbol for one in prints):
            return state
        last = replace(anchor, symbol=state.symbol, print=seen.found.print, tokens=seen.found.tokens)
        found = by_print(last, prints)
        return state._replace(symbol=found.qualified, seen=seen._replace(found=found)) if found else state

    def _match(
        self, anchor: Anchor, blob: str, before: Sequence[_State], texts: Mapping[str, SymbolPrint | None]
    ) -> Match | None:
        """The code in a version of the file, under its name on one of the branches before it."""
        if blob in texts:
            found = texts[blob]
            status = Status.CURRENT if found and found.print == anchor.print else Status.DRIFTED
            return Match(status, found) if found else None
        matches = [
            match(
                anchor,
                state.symbol,
                self.fingerprints.of(blob),
                self.fingerprints.of(state.seen.blob) if state.seen else (),
            )
            for state in before
        ]
        there = [one for one in matches if one]
        return next((one for one in there if one.status is not Status.DRIFTED), there[0] if there else None)

    def _after_drift(
        self, anchor: Anchor, track: AnchorTrack, step: FileRevision, before: Sequence[_State], found: Match
    ) -> Generator[Wanted, None, _State]:
        drifted = next((state.drifted for state in before if state.drifted), "")
        is_stub = anchor.tokens >= CHANCE_TOKENS and found.found.tokens * 2 <= anchor.tokens
        if not drifted and is_stub and before[0].is_certain:  # did its body move elsewhere, leaving a stub?
            files = self._commits.candidates(step.commit, track.path)
            moved = yield from find_moved(self.fingerprints, anchor, before[0].symbol, before[0].seen, files)
            if moved and moved[1].status is not Status.DRIFTED:
                track.landed = track.landed or step.commit
                return _State(moved[1].found.qualified, moved[0], step.blob, left=step.commit)
        return before[0]._replace(
            symbol=found.found.qualified,
            seen=SeenSymbol(track.path, step.blob, found.found),
            blob=step.blob,
            drifted=drifted or step.commit,
            gone="",
        )

    def _after_loss(
        self, anchor: Anchor, track: AnchorTrack, step: FileRevision, before: _State
    ) -> Generator[Wanted, None, _State]:
        renamed = yield from self._with_last_name(anchor, before)
        if renamed is not before:
            yield [(step.blob, track.path)]
            found = match(anchor, renamed.symbol, self.fingerprints.of(step.blob))
            if found:
                return (yield from self._after_drift(anchor, track, step, [renamed], found))
            before = renamed
        lost = before._replace(blob=step.blob, gone=step.commit)
        if not before.is_certain:
            return lost
        files = self._commits.candidates(step.commit, track.path)
        if step.blob:
            files = [CandidateFile(track.path, step.blob, before.seen.blob if before.seen else before.blob), *files]
        moved = yield from find_moved(self.fingerprints, anchor, before.symbol, before.seen, files)
        if moved is None:
            return lost
        seen, found = moved
        is_changed = found.status is Status.DRIFTED
        if not is_changed:
            track.landed = track.landed or step.commit
        return before._replace(
            symbol=found.found.qualified,
            seen=seen,
            blob=step.blob,
            drifted=(before.drifted or step.commit) if is_changed else "",
            left=step.commit,
        )

    def _end_location(self, anchor: Anchor, track: AnchorTrack) -> Tracking:
        """The location at the end of the track, in the live files."""
        state, now = track.state, self.files.blobs.get(track.path, "")
        is_dirty = track.path in self.files.dirty or not now
        yield [(now, track.path)]
        if now and not self.fingerprints.of(now) and state.seen:  # the version cannot be read
            status = Status.DRIFTED if state.drifted else Status.CURRENT
            return _location(anchor, track.path, Match(status, state.seen.found), track, state.drifted)
        old = self.fingerprints.of(state.seen.blob) if state.seen else ()
        found = match(anchor, state.symbol, self.fingerprints.of(now), old)
        if found:
            return _location(anchor, track.path, found, track, state.drifted or ("" if is_dirty else track.last))
        moved = yield from find_moved(self.fingerprints, anchor, state.symbol, state.seen, self._commits.dirty_files())
        if moved:
            return _location(anchor, moved[0].path, moved[1], track, state.drifted)
        if state.gone and state.seen and not self.files.dirty:
            seen = state.seen
            self.lost[anchor] = ResumePoint(
                self.files.head, track.path, state.symbol, seen.blob, state.drifted, track.landed, state.gone
            )
        return AnchorLocation(
            anchor, Status.GONE, commit=state.gone or ("" if is_dirty else track.last), landed=track.landed
        )


def _is_unchanged(one: SymbolPrint, anchor: Anchor) -> bool:
    return (one.qualified, one.print) == (anchor.symbol, anchor.print)


def _with_fresh_fingerprint(anchor: Anchor, prints: Fingerprints) -> Anchor:
    """The anchor with a fresh fingerprint: another grammar version may give another one for the same code."""
    same = [each for each in prints.of(anchor.blob) if each.qualified == anchor.symbol]
    if not same or any(each.print == anchor.print for each in same):
        return anchor
    likely = min(same, key=lambda each: abs(each.tokens - anchor.tokens))
    return replace(anchor, print=likely.print, tokens=likely.tokens)


def _location(
    anchor: Anchor, path: str, found: Match, track: AnchorTrack | None = None, commit: str = ""
) -> AnchorLocation:
    is_elsewhere = path != anchor.path and found.status is Status.CURRENT
    return AnchorLocation(
        anchor,
        Status.MOVED if is_elsewhere else found.status,
        path,
        found.found.qualified,
        found.found.start_line,
        found.found.end_line,
        commit if found.status is Status.DRIFTED else "",
        track.landed if track else "",
    )
