"""Track the code of an anchor through the commits that touched its file, and into the files it moved to.

A tracker is a generator that yields the files whose fingerprints it needs next, so that the files of several anchors
are fetched and parsed together. A version with a known text of the symbol is not parsed.
"""

from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from repomem.adapters.git.file_history import FileRevision
from repomem.core.records import Anchor
from repomem.core.text.symbol_names import last_part
from repomem.core.types.code import SymbolPrint
from repomem.memories.anchors.commits import Commits
from repomem.memories.anchors.fingerprints import Fingerprints, Wanted
from repomem.memories.anchors.live_files import LiveFiles
from repomem.memories.anchors.match import Match, as_seen, holds, is_same, match
from repomem.memories.anchors.moved_code import SeenSymbol, find_moved
from repomem.memories.anchors.renamed_uses import may_have_renamed, only_uses_renamed
from repomem.memories.anchors.track_file import track_file
from repomem.memories.anchors.track_step import AnchorTrack, CodeState, Steps, Texts
from repomem.memories.status import AnchorLocation, Status

MOST_MOVES = 8  # of one symbol between files that are followed
PROBES = 8  # versions of a file that are parsed at once, to learn more texts of the symbol

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


class AnchorTracker:
    """Tracks anchors to one revision."""

    def __init__(self, fingerprints: Fingerprints, files: LiveFiles) -> None:
        self.fingerprints = fingerprints
        self.files = files
        self.lost: dict[Anchor, ResumePoint] = {}  # of deleted code: its last location
        self._commits = Commits(files)
        self._steps = Steps(self._commits, fingerprints)

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
        located = yield from self._end_location(track, anchor)
        if (yield from self._has_same_effect(anchor, located)):
            is_moved = (located.path, located.symbol) != (anchor.path, anchor.symbol)
            return replace(located, status=Status.MOVED if is_moved else Status.CURRENT, commit="")
        return located

    def _has_same_effect(self, anchor: Anchor, located: AnchorLocation) -> Generator[Wanted, None, bool]:
        """Whether code that a commit changed uses other names, and is else as the memory knows it."""
        if located.status is not Status.DRIFTED or not located.commit:
            return False
        blob, prints = self.files.blobs[located.path], self.fingerprints
        known = next((one for one in prints.of(anchor.blob) if _is_unchanged(one, anchor)), None)
        named = (one for one in prints.of(blob) if one.qualified == located.symbol)
        place = located.start_line, located.end_line
        now = next((one for one in named if (one.start_line, one.end_line) == place), None)
        if known is None or now is None:
            return False
        texts = prints.text_of(anchor.blob, anchor.path, known), prints.text_of(blob, located.path, now)
        if not may_have_renamed(*texts):
            return False
        files = self._commits.candidates(located.commit, "")
        own = next((each for each in files if each.path == located.path), None)
        if own is None:
            return False
        yield [(own.blob, own.path), (own.old_blob, own.path)]
        old = next((one for one in prints.of(own.old_blob) if is_same(one, anchor)), None)
        new = next((one for one in prints.of(own.blob) if one.print == now.print), None)
        if old is None or new is None:
            return False
        before, after = (SeenSymbol(own.path, *each) for each in ((own.old_blob, old), (own.blob, new)))
        return (yield from only_uses_renamed(prints, before, after, files))

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
        state = CodeState(anchor.symbol, seen, anchor.blob, is_certain=bool(base))
        return (yield from self._track_through_files(AnchorTrack(anchor, anchor.path, state), base))

    def _track_from(self, anchor: Anchor, start: ResumePoint) -> Generator[Wanted, None, AnchorTrack]:
        """Track the code from where it was located last."""
        yield [(start.blob, start.path)]
        named = [one for one in self.fingerprints.of(start.blob) if one.qualified == start.symbol]
        own = next((one for one in named if is_same(one, anchor)), named[0] if named else None)
        seen = SeenSymbol(start.path, start.blob, own) if own else None
        if len(named) == 1 and not (start.drifted or start.gone):  # it was the same, perhaps with other names in it
            anchor = as_seen(anchor, anchor.symbol, named[0])
        state = CodeState(start.symbol, seen, start.blob, start.drifted, start.gone)
        track = AnchorTrack(anchor, start.path, state, start.landed)
        return (yield from self._track_through_files(track, start.commit))

    def _track_through_files(self, track: AnchorTrack, start: str) -> Generator[Wanted, None, AnchorTrack]:
        """Track the code through every commit that touched its file, and into the files it moved to."""
        for _ in range(MOST_MOVES):
            yield from self._track_through_file(track, start)
            if not track.state.left or track.state.seen is None:
                break
            start = track.state.left
            track.path = track.state.seen.path
            track.state = track.state._replace(left="", blob=track.state.seen.blob)
        return track

    def _track_through_file(self, track: AnchorTrack, start: str) -> Generator[Wanted, None, None]:
        """Track the code through the versions of one file, up to the last."""
        walked = self._commits.touching(track.path, start)
        now = self.files.blobs.get(track.path, "")
        texts = yield from _symbols_by_text(self.fingerprints, track, now, walked)
        states: dict[str, CodeState] = {}
        foreign = track.state._replace(is_certain=False, blob="")
        for step in walked:
            outside = track.state if start in step.parents else foreign
            before = [states[parent] for parent in step.parents if parent in states] or [outside]
            same = next((state for state in before if state.blob == step.blob and state is not outside), None)
            states[step.commit] = same or (yield from self._steps.after(track, step, before, texts))
        if walked:
            track.last = walked[-1].commit
            track.state = states[track.last]

    def _end_location(self, track: AnchorTrack, anchor: Anchor) -> Tracking:
        """The location of an anchor at the end of its track, in the live files."""
        state, now = track.state, self.files.blobs.get(track.path, "")
        is_dirty = track.path in self.files.dirty or not now
        yield [(now, track.path)]
        if now and not self.fingerprints.of(now) and state.seen:  # the version cannot be read
            status = Status.DRIFTED if state.drifted else Status.CURRENT
            return _location(anchor, track.path, Match(status, state.seen.found), track, state.drifted)
        old = self.fingerprints.of(state.seen.blob) if state.seen else ()
        found = match(track.anchor, state.symbol, self.fingerprints.of(now), old)
        if found:
            return _location(anchor, track.path, found, track, state.drifted or ("" if is_dirty else track.last))
        dirty = self._commits.dirty_files()
        moved = yield from find_moved(self.fingerprints, track.anchor, state.symbol, state.seen, dirty)
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
    """The anchor with fresh fingerprints: another grammar version may give other ones for the same code."""
    same = [each for each in prints.of(anchor.blob) if each.qualified == anchor.symbol]
    if not same:
        return anchor
    likely = min(same, key=lambda each: (each.print != anchor.print, abs(each.tokens - anchor.tokens)))
    return as_seen(anchor, anchor.symbol, likely)


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


class _SymbolText(NamedTuple):
    """How a symbol was once written."""

    lines: bytes
    above: bytes
    found: SymbolPrint


def _symbols_by_text(
    prints: Fingerprints, track: AnchorTrack, now: str, walked: Sequence[FileRevision]
) -> Generator[Wanted, None, Texts]:
    """The symbol by blob, for versions that contain a known text of it; None for versions without its name.

    `now` is the present blob. The texts at both ends are known first; versions between them are probed
    until the rest is parsed or known.
    """
    anchor, path, seen = track.anchor, track.path, track.state.seen
    yield [(now, path)]
    names = {anchor.symbol, track.state.symbol}
    words = {last_part(name).encode() for name in names}
    texts = _texts_in(prints, anchor, seen.blob, seen.path, {seen.found.qualified}) if seen else []
    texts += _texts_in(prints, anchor, now, path, names)
    waiting = list(dict.fromkeys(step.blob for step in walked if step.blob and step.blob not in prints.known))
    known: dict[str, SymbolPrint | None] = {}
    while waiting:
        for blob, data in prints.contents((blob, path) for blob in waiting):
            unix = data.replace(b"\r\n", b"\n")
            written = next((text for text in texts if holds(unix, text.lines, text.above)), None)
            if written or not any(word in data for word in words):
                known[blob] = written.found if written else None
        waiting = [blob for blob in waiting if blob not in known]
        probes = waiting[:: max(1, len(waiting) // PROBES)]
        yield [(blob, path) for blob in probes]
        waiting = [blob for blob in waiting if blob not in probes]
        texts = [text for blob in probes for text in _texts_in(prints, anchor, blob, path, names)]
    return known


def _texts_in(prints: Fingerprints, anchor: Anchor, blob: str, path: str, names: Iterable[str]) -> list[_SymbolText]:
    """The texts of the symbol, under one of these names, in a parsed version."""
    matches = [match(anchor, name, prints.of(blob)) for name in names]
    found = dict.fromkeys(one.found for one in matches if one)
    lines = prints.lines_of(blob, path) if found else []
    return [
        _SymbolText(
            b"\n".join(lines[one.start_line - 1 : one.end_line]),
            lines[one.start_line - 2].strip() if one.start_line > 1 and lines else b"",
            one,
        )
        for one in found
    ]
