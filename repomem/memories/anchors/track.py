"""Track the code of an anchor through the commits that touched its file, and into the files where it went.

A tracker is a generator that yields the files whose prints it must know next, so that what several anchors need is
fetched and parsed at once. A version that holds a known text of the symbol as it stands is not parsed.
"""

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from repomem.adapters.git.file_history import Change, Step, blobs_at, changes, steps
from repomem.adapters.languages.file_roles import role_of
from repomem.core.records import Anchor
from repomem.core.types import Role, SymbolPrint
from repomem.memories.anchors.fingerprints import Fingerprints, Wanted
from repomem.memories.anchors.live_files import LiveFiles
from repomem.memories.anchors.match import (
    Match,
    bare,
    by_print,
    by_print_elsewhere,
    fresh,
    holds,
    likest,
    match,
    may_hold,
)
from repomem.memories.status import CHANCE_TOKENS, AnchorLocation, Status
from repomem.workspace.workspace import Workspace

MOST_MOVES = 8  # of one symbol from file to file that are followed
MOST_NEIGHBOURS = 60  # files of one commit in which a symbol that left is looked for
PROBES = 8  # versions of a file that are parsed at once, to know more of the symbol's texts
COPIES = frozenset({Role.GENERATED, Role.VENDORED})
SMALL_FILE = 200  # tokens: an anchor on a whole file of more is an address, not a claim about every line of it

Tracking = Generator[Wanted, None, AnchorLocation]


class ResumePoint(NamedTuple):
    """What was found at an earlier commit of the same history, where following can go on."""

    commit: str
    path: str
    symbol: str
    blob: str
    drifted: str
    landed: str
    gone: str = ""  # then it was at `blob` before


class _Seen(NamedTuple):
    """The code in one version of one file."""

    path: str
    blob: str
    found: SymbolPrint


class _State(NamedTuple):
    """What is known of the code after one commit."""

    symbol: str  # as it was called last
    seen: _Seen | None  # where it was last
    blob: str = ""  # of the path that is followed
    drifted: str = ""  # the first commit after which it was not as the memory knew it
    gone: str = ""  # the commit that took it out
    left: str = ""  # the commit that took it to another file, where it was `seen`
    is_certain: bool = True  # False: on a line of history where it may not have been yet


class _File(NamedTuple):
    """A file in which code may be found that left another one."""

    path: str
    blob: str
    old_blob: str  # of the same path before; empty where it was not there


class _Text(NamedTuple):
    """How a symbol was once written."""

    lines: bytes
    above: bytes
    found: SymbolPrint


@dataclass(slots=True)
class AnchorTrack:
    """Where the code went so far."""

    path: str
    state: _State
    landed: str = ""  # the first commit that holds the code as the memory knew it
    last: str = ""  # the last commit that touched the path


@dataclass(slots=True)
class AnchorTracker:
    """Follows anchors to one place; what git was asked is not asked again."""

    workspace: Workspace
    prints: Fingerprints
    place: LiveFiles
    lost: dict[Anchor, ResumePoint] = field(default_factory=dict)  # of those that are gone: where they were
    _steps: dict[tuple[str, str], list[Step]] = field(default_factory=dict)
    _changes: dict[str, list[Change]] = field(default_factory=dict)

    def follow(self, anchor: Anchor, base: str, start: ResumePoint | None = None) -> Tracking:
        """Where an anchor is that was made on the commit `base`, and was found at `start` since."""
        here = self.place.blobs.get(anchor.path, "")
        yield [(here, anchor.path)]
        if anchor.symbol and here and not self.prints.of(here):  # too large, or not in this clone
            return AnchorLocation(anchor, Status.CURRENT, anchor.path, anchor.symbol)  # nothing speaks against it
        same = next((one for one in self.prints.of(here) if _is_the_same(one, anchor)), None)
        if same and anchor.symbol:
            return _placed(anchor, anchor.path, Match(Status.CURRENT, same))
        yield [(anchor.blob, anchor.path)]
        anchor = _printed_anew(anchor, self.prints)
        if not anchor.symbol:
            return (yield from self._follow_file(anchor, base))
        found = match(anchor, anchor.symbol, self.prints.of(here), self.prints.of(anchor.blob))
        if found and found.status is not Status.DRIFTED:
            return _placed(anchor, anchor.path, found)
        trail = yield from (self._resumed(anchor, start) if start else self._begun(anchor, base))
        return (yield from self._arrived(anchor, trail))

    def follow_landing(self, anchor: Anchor, base: str) -> Tracking:
        """The first commit after `base` that holds an anchor's code as it stood, as `landed`."""
        if not anchor.symbol:
            walked = self._walk(anchor.path, base)
            return AnchorLocation(
                anchor, Status.CURRENT, landed=next((s.commit for s in walked if s.blob == anchor.blob), "")
            )
        yield [(anchor.blob, anchor.path)]
        trail = yield from self._begun(_printed_anew(anchor, self.prints), base)
        return AnchorLocation(anchor, Status.CURRENT, landed=trail.landed)

    def _walk(self, path: str, start: str) -> list[Step]:
        if not self.place.head:
            return []
        if (path, start) not in self._steps:
            self._steps[path, start] = steps(self.workspace.repository, path, start, self.place.head)
        return self._steps[path, start]

    def _changed_by(self, commit: str) -> list[Change]:
        if commit not in self._changes:
            self._changes[commit] = changes(self.workspace.repository, commit)
        return self._changes[commit]

    def _begun(self, anchor: Anchor, base: str) -> Generator[Wanted, None, AnchorTrack]:
        """Follow the code from where the anchor was made."""
        own = next((one for one in self.prints.of(anchor.blob) if _is_the_same(one, anchor)), None)
        seen = _Seen(anchor.path, anchor.blob, own) if own else None
        trail = AnchorTrack(anchor.path, _State(anchor.symbol, seen, anchor.blob, is_certain=bool(base)))
        return (yield from self._followed(anchor, trail, base))

    def _resumed(self, anchor: Anchor, start: ResumePoint) -> Generator[Wanted, None, AnchorTrack]:
        """Follow the code from where it was found last."""
        yield [(start.blob, start.path)]
        own = next((one for one in self.prints.of(start.blob) if one.qualified == start.symbol), None)
        seen = _Seen(start.path, start.blob, own) if own else None
        state = _State(start.symbol, seen, start.blob, start.drifted, start.gone)
        return (yield from self._followed(anchor, AnchorTrack(start.path, state, start.landed), start.commit))

    def _followed(self, anchor: Anchor, trail: AnchorTrack, start: str) -> Generator[Wanted, None, AnchorTrack]:
        """Follow the code through every commit that touched its file, and into the files where it went."""
        for _ in range(MOST_MOVES):
            yield from self._walk_along(anchor, trail, start)
            if not trail.state.left or trail.state.seen is None:
                break
            start = trail.state.left
            trail.path = trail.state.seen.path
            trail.state = trail.state._replace(left="", blob=trail.state.seen.blob)
        return trail

    def _walk_along(self, anchor: Anchor, trail: AnchorTrack, start: str) -> Generator[Wanted, None, None]:
        """Go along the versions of one file; the trail is then at the last of them."""
        walked = self._walk(trail.path, start)
        texts = yield from self._texts(anchor, trail, walked)
        states: dict[str, _State] = {}
        foreign = trail.state._replace(is_certain=False, blob="")
        for step in walked:
            outside = trail.state if start in step.parents else foreign
            before = [states[parent] for parent in step.parents if parent in states] or [outside]
            same = next((state for state in before if state.blob == step.blob and state is not outside), None)
            states[step.commit] = same or (yield from self._after(anchor, trail, step, before, texts))
        if walked:
            trail.last = walked[-1].commit
            trail.state = states[trail.last]

    def _texts(
        self, anchor: Anchor, trail: AnchorTrack, walked: Sequence[Step]
    ) -> Generator[Wanted, None, Mapping[str, SymbolPrint | None]]:
        """The symbol in the versions that hold it as it is written in one that was parsed; None where its name is not.

        The texts at both ends are known first; between them versions are probed until the rest is parsed or known.
        """
        path, seen = trail.path, trail.state.seen
        now = self.place.blobs.get(path, "")
        yield [(now, path)]
        names = {anchor.symbol, trail.state.symbol}
        words = {bare(name).encode() for name in names}
        texts = self._written(anchor, seen.blob, seen.path, {seen.found.qualified}) if seen else []
        texts += self._written(anchor, now, path, names)
        waiting = list(dict.fromkeys(step.blob for step in walked if step.blob and step.blob not in self.prints.known))
        known: dict[str, SymbolPrint | None] = {}
        while waiting:
            for blob, data in self.prints.contents((blob, path) for blob in waiting):
                unix = data.replace(b"\r\n", b"\n")
                written = next((text for text in texts if holds(unix, text.lines, text.above)), None)
                if written or not any(word in data for word in words):
                    known[blob] = written.found if written else None
            waiting = [blob for blob in waiting if blob not in known]
            probes = waiting[:: max(1, len(waiting) // PROBES)]
            yield [(blob, path) for blob in probes]
            waiting = [blob for blob in waiting if blob not in probes]
            texts = [text for blob in probes for text in self._written(anchor, blob, path, names)]
        return known

    def _written(self, anchor: Anchor, blob: str, path: str, names: Iterable[str]) -> list[_Text]:
        """How the symbol, under one of these names, is written in a version that was parsed."""
        matches = [match(anchor, name, self.prints.of(blob)) for name in names]
        found = dict.fromkeys(one.found for one in matches if one)
        data = dict(self.prints.contents([(blob, path)])).get(blob, b"") if found else b""
        lines = data.splitlines()
        return [
            _Text(
                b"\n".join(lines[one.start_line - 1 : one.end_line]),
                lines[one.start_line - 2].strip() if one.start_line > 1 and lines else b"",
                one,
            )
            for one in found
        ]

    def _after(
        self,
        anchor: Anchor,
        trail: AnchorTrack,
        step: Step,
        before: Sequence[_State],
        texts: Mapping[str, SymbolPrint | None],
    ) -> Generator[Wanted, None, _State]:
        """What is known of the code after a commit that changed the file, given what was known before."""
        if step.blob and step.blob not in texts and not self.prints.of(step.blob):
            return before[0]._replace(blob=step.blob)  # it cannot be read
        found = self._match(anchor, step.blob, before, texts)
        if found and found.status is not Status.DRIFTED:
            trail.landed = trail.landed or step.commit
            return _State(found.found.qualified, _Seen(trail.path, step.blob, found.found), step.blob)
        went = next((state for state in before if state.left), None)
        if went:
            return went._replace(blob=step.blob)
        if found:
            return (yield from self._after_drift(anchor, trail, step, before, found))
        absent = next((state for state in before if state.gone), None)
        if absent:
            return absent._replace(blob=step.blob)
        return (yield from self._after_loss(anchor, trail, step, before[0]))

    def _renamed_around(self, anchor: Anchor, state: _State) -> Generator[Wanted, None, _State]:
        """The state with the symbol's name of then: a text does not tell that the type around it was renamed."""
        seen = state.seen
        if seen is None:
            return state
        yield [(seen.blob, seen.path)]
        prints = self.prints.of(seen.blob)
        if any(one.qualified == state.symbol for one in prints):
            return state
        last = replace(anchor, symbol=state.symbol, print=seen.found.print, tokens=seen.found.tokens)
        found = by_print(last, prints)
        return state._replace(symbol=found.qualified, seen=seen._replace(found=found)) if found else state

    def _match(
        self, anchor: Anchor, blob: str, before: Sequence[_State], texts: Mapping[str, SymbolPrint | None]
    ) -> Match | None:
        """The code in a version of the file, as one of the lines of history before it calls it."""
        if blob in texts:
            found = texts[blob]
            status = Status.CURRENT if found and found.print == anchor.print else Status.DRIFTED
            return Match(status, found) if found else None
        matches = [
            match(anchor, state.symbol, self.prints.of(blob), self.prints.of(state.seen.blob) if state.seen else ())
            for state in before
        ]
        there = [one for one in matches if one]
        return next((one for one in there if one.status is not Status.DRIFTED), there[0] if there else None)

    def _after_drift(
        self, anchor: Anchor, trail: AnchorTrack, step: Step, before: Sequence[_State], found: Match
    ) -> Generator[Wanted, None, _State]:
        drifted = next((state.drifted for state in before if state.drifted), "")
        is_stub = anchor.tokens >= CHANCE_TOKENS and found.found.tokens * 2 <= anchor.tokens
        if not drifted and is_stub and before[0].is_certain:  # does it call what it did itself?
            files = _neighbours(self._changed_by(step.commit), trail.path)
            moved = yield from self._searched(anchor, before[0], files)
            if moved and moved[1].status is not Status.DRIFTED:
                trail.landed = trail.landed or step.commit
                return _State(moved[1].found.qualified, moved[0], step.blob, left=step.commit)
        return before[0]._replace(
            symbol=found.found.qualified,
            seen=_Seen(trail.path, step.blob, found.found),
            blob=step.blob,
            drifted=drifted or step.commit,
            gone="",
        )

    def _after_loss(
        self, anchor: Anchor, trail: AnchorTrack, step: Step, before: _State
    ) -> Generator[Wanted, None, _State]:
        renamed = yield from self._renamed_around(anchor, before)
        if renamed is not before:
            yield [(step.blob, trail.path)]
            found = match(anchor, renamed.symbol, self.prints.of(step.blob))
            if found:
                return (yield from self._after_drift(anchor, trail, step, [renamed], found))
            before = renamed
        lost = before._replace(blob=step.blob, gone=step.commit)
        if not before.is_certain:
            return lost
        files = _neighbours(self._changed_by(step.commit), trail.path)
        if step.blob:
            files = [_File(trail.path, step.blob, before.seen.blob if before.seen else before.blob), *files]
        moved = yield from self._searched(anchor, before, files)
        if moved is None:
            return lost
        seen, found = moved
        is_changed = found.status is Status.DRIFTED
        if not is_changed:
            trail.landed = trail.landed or step.commit
        return before._replace(
            symbol=found.found.qualified,
            seen=seen,
            blob=step.blob,
            drifted=(before.drifted or step.commit) if is_changed else "",
            left=step.commit,
        )

    def _searched(
        self, anchor: Anchor, state: _State, files: Sequence[_File]
    ) -> Generator[Wanted, None, tuple[_Seen, Match] | None]:
        """The file and symbol that the code went to: by what it does, as known or as last seen, else by its text."""
        seen = state.seen
        text = self.prints.text_of(seen.blob, seen.path, seen.found) if seen else b""
        data = dict(self.prints.contents((file.blob, file.path) for file in files))
        near = [file for file in files if file.blob in data and may_hold(data[file.blob], text, state.symbol)]
        yield [(blob, file.path) for file in near for blob in (file.blob, file.old_blob)]
        new = [(file, fresh(self.prints.of(file.blob), self.prints.of(file.old_blob))) for file in near]
        known = [(replace(anchor, symbol=state.symbol), Status.MOVED)]
        if seen:
            last = replace(anchor, symbol=state.symbol, print=seen.found.print, tokens=seen.found.tokens)
            known.append((last, Status.DRIFTED))
        for wanted, status in known:
            for file, listed in new:
                found = by_print_elsewhere(wanted, listed)
                if found:
                    is_known = found.print == anchor.print
                    return _Seen(file.path, file.blob, found), Match(Status.MOVED if is_known else status, found)
        is_enough = seen and len(text.split()) >= CHANCE_TOKENS  # what a class holds is not in its own print
        return self._likest(anchor, seen, text, new) if seen and is_enough else None

    def _likest(
        self, anchor: Anchor, seen: _Seen, text: bytes, new: Sequence[tuple[_File, Sequence[SymbolPrint]]]
    ) -> tuple[_Seen, Match] | None:
        best: tuple[float, _Seen] | None = None
        for file, listed in new:
            lines = dict(self.prints.contents([(file.blob, file.path)])).get(file.blob, b"").splitlines()
            texts = [(one, b"\n".join(lines[one.start_line - 1 : one.end_line])) for one in listed]
            found = likest(seen.found, text, texts)
            if found and (best is None or found[0] > best[0]):
                best = found[0], _Seen(file.path, file.blob, found[1])
        if best is None:
            return None
        is_known = best[1].found.print == anchor.print
        return best[1], Match(Status.MOVED if is_known else Status.DRIFTED, best[1].found)

    def _arrived(self, anchor: Anchor, trail: AnchorTrack) -> Tracking:
        """Where the trail ends, in the work tree."""
        state, now = trail.state, self.place.blobs.get(trail.path, "")
        is_dirty = trail.path in self.place.dirty or not now
        yield [(now, trail.path)]
        if now and not self.prints.of(now) and state.seen:  # it cannot be read
            status = Status.DRIFTED if state.drifted else Status.CURRENT
            return _placed(anchor, trail.path, Match(status, state.seen.found), trail, state.drifted)
        old = self.prints.of(state.seen.blob) if state.seen else ()
        found = match(anchor, state.symbol, self.prints.of(now), old)
        if found:
            return _placed(anchor, trail.path, found, trail, state.drifted or ("" if is_dirty else trail.last))
        moved = yield from self._searched(anchor, state, self._dirty_files())
        if moved:
            return _placed(anchor, moved[0].path, moved[1], trail, state.drifted)
        if state.gone and state.seen and not self.place.dirty:
            seen = state.seen
            self.lost[anchor] = ResumePoint(
                self.place.head, trail.path, state.symbol, seen.blob, state.drifted, trail.landed, state.gone
            )
        return AnchorLocation(
            anchor, Status.GONE, commit=state.gone or ("" if is_dirty else trail.last), landed=trail.landed
        )

    def _dirty_files(self) -> list[_File]:
        paths = [path for path in self.place.dirty if path in self.place.blobs][:MOST_NEIGHBOURS]
        head = self.place.head
        old = blobs_at(self.workspace.repository, [(head, path) for path in paths]) if head else [""] * len(paths)
        return [_File(path, self.place.blobs[path], blob) for path, blob in zip(paths, old, strict=True)]

    def _follow_file(self, anchor: Anchor, base: str) -> Tracking:
        """An anchor on a whole file: renames are followed; it drifts where a small file changes what it says."""
        path, gone, start = anchor.path, "", base
        walked: list[tuple[str, Step]] = []
        for _ in range(MOST_MOVES):
            here = self._walk(path, start)
            walked += [(path, step) for step in here]
            if path in self.place.blobs:
                break
            gone = next((step.commit for step in reversed(here) if not step.blob), "")
            renamed = [each.file.path for each in self._changed_by(gone) if _is_rename_of(each, path)] if gone else []
            if not renamed:
                break
            path, start = renamed[0], gone
        path = path if path in self.place.blobs else self._renamed_now(anchor, walked)
        if not path:
            return AnchorLocation(anchor, Status.GONE, commit=gone)
        blob = self.place.blobs[path]
        yield [(blob, path)]
        now = whole_of(self.prints.of(blob))
        if 0 < anchor.tokens <= SMALL_FILE and now and now.print != anchor.print:
            commit = (yield from self._drifted_since(anchor, walked)) or ("" if path in self.place.dirty else gone)
            return AnchorLocation(anchor, Status.DRIFTED, path, commit=commit)
        return AnchorLocation(anchor, Status.CURRENT if path == anchor.path else Status.MOVED, path)

    def _renamed_now(self, anchor: Anchor, walked: Sequence[tuple[str, Step]]) -> str:
        """The file of the work tree, not committed yet, that has the bytes which another name had; empty if none."""
        last = walked[-1][1].blob if walked else anchor.blob
        return next((path for path in self.place.dirty if last and self.place.blobs.get(path) == last), "")

    def _drifted_since(self, anchor: Anchor, walked: Sequence[tuple[str, Step]]) -> Generator[Wanted, None, str]:
        """The commit since which a file does not say what it said; empty where the work tree alone does not."""
        yield [(step.blob, path) for path, step in walked]
        found = {step.commit: whole_of(self.prints.of(step.blob)) for _, step in walked}
        drifted = {step.commit: step for _, step in walked if (one := found[step.commit]) and one.print != anchor.print}
        step = drifted.get(walked[-1][1].commit) if walked else None
        commit = ""
        while step:
            commit = step.commit
            step = next((drifted[parent] for parent in step.parents if parent in drifted), None)
        return commit


def whole_of(prints: Iterable[SymbolPrint]) -> SymbolPrint | None:
    """The print of the file."""
    return next((each for each in prints if not each.qualified), None)


def _is_the_same(one: SymbolPrint, anchor: Anchor) -> bool:
    return (one.qualified, one.print) == (anchor.symbol, anchor.print)


def _printed_anew(anchor: Anchor, prints: Fingerprints) -> Anchor:
    """The anchor with the print that its own bytes have today: another grammar may print the same code otherwise."""
    same = [each for each in prints.of(anchor.blob) if each.qualified == anchor.symbol]
    if not same or any(each.print == anchor.print for each in same):
        return anchor
    likely = min(same, key=lambda each: abs(each.tokens - anchor.tokens))
    return replace(anchor, print=likely.print, tokens=likely.tokens)


def _placed(
    anchor: Anchor, path: str, found: Match, trail: AnchorTrack | None = None, commit: str = ""
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
        trail.landed if trail else "",
    )


def _neighbours(changed: Iterable[Change], path: str) -> list[_File]:
    """The other files that a commit wrote, the one that the path was renamed to first."""
    written = [each for each in changed if each.blob and each.file.path != path and _may_go(path, each.file.path)]
    near = sorted(written, key=lambda each: not _is_rename_of(each, path))[:MOST_NEIGHBOURS]
    return [_File(each.file.path, each.blob, each.old_blob) for each in near]


def _may_go(old: str, new: str) -> bool:
    """Whether code may have gone from one file to another: no bundle is where it went, though it holds a copy."""
    role = role_of(new, "", {})
    return role not in COPIES or role is role_of(old, "", {})


def _is_rename_of(change: Change, path: str) -> bool:
    return change.file.status == "R" and change.file.old_path == path
