"""The state of an anchor's code after one commit that touched its file: same, drifted, moved or gone."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from repomem.adapters.git.file_history import FileRevision
from repomem.core.records import Anchor
from repomem.core.types.code import SymbolPrint
from repomem.memories.anchors.commits import CandidateFile, Commits
from repomem.memories.anchors.fingerprints import Fingerprints, Wanted
from repomem.memories.anchors.match import Match, as_seen, by_print, is_same, match
from repomem.memories.anchors.moved_code import SeenSymbol, find_moved
from repomem.memories.status import CHANCE_TOKENS, Status


class CodeState(NamedTuple):
    """The state of the code after one commit."""

    symbol: str  # its last name
    seen: SeenSymbol | None  # its last location
    blob: str = ""  # of the tracked path
    drifted: str = ""  # the first commit that changed it
    gone: str = ""  # the commit that removed it
    left: str = ""  # the commit that moved it to another file, where it was `seen`
    is_certain: bool = True  # False: on a branch that may not have had it yet


Texts = Mapping[str, SymbolPrint | None]  # blob to the symbol, None without its name; others must be parsed
Stepping = Generator[Wanted, None, CodeState]


@dataclass(slots=True)
class AnchorTrack:
    """The track of an anchor's code so far."""

    anchor: Anchor
    path: str
    state: CodeState
    landed: str = ""  # the first commit with the code as the memory knows it
    last: str = ""  # the last commit that touched the path


@dataclass(frozen=True, slots=True)
class Steps:
    """Takes a track over one commit at a time; yields the files whose fingerprints it needs next."""

    commits: Commits
    fingerprints: Fingerprints

    def after(self, track: AnchorTrack, step: FileRevision, before: Sequence[CodeState], texts: Texts) -> Stepping:
        """The state after a commit that changed the file, given the states before it."""
        if step.blob and step.blob not in texts and not self.fingerprints.of(step.blob):
            return before[0]._replace(blob=step.blob)  # the version cannot be read
        found = self._match(track.anchor, step.blob, before, texts)
        if found and found.status is not Status.DRIFTED:
            track.landed = track.landed or step.commit
            return CodeState(found.found.qualified, SeenSymbol(track.path, step.blob, found.found), step.blob)
        went = next((state for state in before if state.left), None)
        if went:
            return went._replace(blob=step.blob)
        if found:
            return (yield from self._after_drift(track, step, before, found))
        absent = next((state for state in before if state.gone), None)
        if absent:
            return absent._replace(blob=step.blob)
        return (yield from self._after_loss(track, step, before[0]))

    def _match(self, anchor: Anchor, blob: str, before: Sequence[CodeState], texts: Texts) -> Match | None:
        """The code in a version of the file, under its name on one of the branches before it."""
        if blob in texts:
            found = texts[blob]
            status = Status.CURRENT if found and is_same(found, anchor) else Status.DRIFTED
            return Match(status, found) if found else None
        prints = self.fingerprints.of
        matches = (
            match(anchor, state.symbol, prints(blob), prints(state.seen.blob) if state.seen else ()) for state in before
        )
        there = [one for one in matches if one]
        return next((one for one in there if one.status is not Status.DRIFTED), there[0] if there else None)

    def _after_drift(
        self, track: AnchorTrack, step: FileRevision, before: Sequence[CodeState], found: Match
    ) -> Stepping:
        anchor = track.anchor
        drifted = next((state.drifted for state in before if state.drifted), "")
        is_stub = anchor.tokens >= CHANCE_TOKENS and found.found.tokens * 2 <= anchor.tokens
        if not drifted and is_stub and before[0].is_certain:  # did its body move elsewhere, leaving a stub?
            files = self.commits.candidates(step.commit, track.path)
            moved = yield from find_moved(self.fingerprints, anchor, before[0].symbol, before[0].seen, files)
            if moved and moved[1].status is not Status.DRIFTED:
                track.landed = track.landed or step.commit
                return CodeState(moved[1].found.qualified, moved[0], step.blob, left=step.commit)
        return before[0]._replace(
            symbol=found.found.qualified,
            seen=SeenSymbol(track.path, step.blob, found.found),
            blob=step.blob,
            drifted=drifted or step.commit,
            gone="",
        )

    def _after_loss(self, track: AnchorTrack, step: FileRevision, before: CodeState) -> Stepping:
        anchor = track.anchor
        before = yield from self._with_committed_code(track, step, before)
        renamed = yield from self._with_last_name(anchor, before)
        if renamed is not before:
            yield [(step.blob, track.path)]
            found = match(anchor, renamed.symbol, self.fingerprints.of(step.blob))
            if found:
                return (yield from self._after_drift(track, step, [renamed], found))
            before = renamed
        lost = before._replace(blob=step.blob, gone=step.commit)
        if not before.is_certain:
            return lost
        files = self.commits.candidates(step.commit, track.path)
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

    def _with_committed_code(self, track: AnchorTrack, step: FileRevision, state: CodeState) -> Stepping:
        """The state with the code that a commit changed, if only the memory's own was seen: that was uncommitted."""
        anchor = track.anchor
        is_uncommitted = state.seen is None or state.seen.blob == anchor.blob
        blob = self.commits.blob_before(step.commit, track.path) if is_uncommitted else ""
        if blob in {"", anchor.blob}:
            return state
        yield [(blob, track.path)]
        found = match(anchor, state.symbol, self.fingerprints.of(blob))
        return state._replace(seen=SeenSymbol(track.path, blob, found.found), blob=blob) if found else state

    def _with_last_name(self, anchor: Anchor, state: CodeState) -> Stepping:
        """The state with the symbol's last qualified name: its text does not show a rename of the enclosing type."""
        seen = state.seen
        if seen is None:
            return state
        yield [(seen.blob, seen.path)]
        prints = self.fingerprints.of(seen.blob)
        if any(one.qualified == state.symbol for one in prints):
            return state
        last = as_seen(anchor, state.symbol, seen.found)
        found = by_print(last, prints)
        return state._replace(symbol=found.qualified, seen=seen._replace(found=found)) if found else state
