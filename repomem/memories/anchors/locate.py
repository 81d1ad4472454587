"""Where the anchors of memories are now: only those on changed blobs are looked at, and what was found is kept."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace

from repomem.adapters.git.ancestry import ancestors_among
from repomem.core.errors import NotFound, StoreError
from repomem.core.records import Anchor
from repomem.core.types import SymbolPrint
from repomem.memories.anchors.fingerprints import Fingerprints, Wanted
from repomem.memories.anchors.live_files import LiveFiles, stored_bytes
from repomem.memories.anchors.match import bare
from repomem.memories.anchors.track import AnchorTracker, ResumePoint, Tracking, whole_of
from repomem.memories.status import AnchorLocation, Status
from repomem.workspace.workspace import Workspace

LANDED = "landed"  # stands for the blob where the commit is kept that an anchor's code landed with
LAST = "last"  # the same where it is kept what was found at a commit, to go on from there


def anchor_at(workspace: Workspace, path: str, symbol: str = "") -> Anchor:
    """The anchor for a file of the work tree, or for a symbol in it. NotFound where there is none, or several."""
    found = stored_bytes(workspace, path)
    if found is None:
        raise NotFound(f"{path} is no file that can be read here", "give a path from the top of the repository")
    prints = Fingerprints(workspace)
    prints.learn([(found[0], path)])
    one = _symbol(prints.of(found[0]), path, symbol) if symbol else whole_of(prints.of(found[0]))
    return Anchor(path, one.qualified if one else "", found[0], one.print if one else "", one.tokens if one else 0)


def _symbol(prints: Sequence[SymbolPrint], path: str, symbol: str) -> SymbolPrint:
    """The symbol that is meant; of those of one name the largest, for the others may only declare it."""
    wanted = symbol.replace("::", ".").replace("#", ".").removesuffix("()")
    named = [each for each in prints if each.qualified == wanted]
    named = named or [each for each in prints if each.qualified.endswith(f".{wanted}")]
    if len({each.qualified for each in named}) == 1:
        return max(named, key=lambda each: each.tokens)
    if named:
        raise NotFound(f"{path} has several symbols called {symbol}", _one_of(named))
    near = [each for each in prints if each.qualified and bare(each.qualified).lower() == bare(wanted).lower()]
    listed = near or [each for each in prints if each.qualified][:8]
    raise NotFound(f"{path} defines no {symbol}", _one_of(listed) if listed else f"--on {path} anchors the whole file")


def _one_of(prints: Iterable[SymbolPrint]) -> str:
    return "one of " + ", ".join(dict.fromkeys(each.qualified for each in prints))


def locate_anchors(
    workspace: Workspace, place: LiveFiles, wanted: Sequence[tuple[Anchor, str]], *, is_kept: bool = True
) -> tuple[list[AnchorLocation], int]:
    """Where each anchor is, given with the commit that it was made on; and how many blobs had to be parsed.

    What is found is kept in the catalog unless the place is a passing one (not `is_kept`).
    """
    found = _known(workspace, place, [anchor for anchor, _ in wanted])
    missing = {at: one for at, one in enumerate(wanted) if at not in found}
    starts = _starts(workspace, place, [anchor for anchor, _ in missing.values()])
    prints = Fingerprints(workspace)
    trails = AnchorTracker(workspace, prints, place)
    fresh = _together({at: trails.follow(*one, starts.get(one[0])) for at, one in missing.items()}, prints)
    if is_kept:
        rows = [row for at, one in fresh.items() for row in _rows(wanted[at][0], one, place)]
        _keep(workspace, rows + [(anchor, LAST, json.dumps(start)) for anchor, start in trails.lost.items()])
    found |= fresh
    return [found[at] for at in range(len(wanted))], prints.checked


def _known(workspace: Workspace, place: LiveFiles, anchors: Sequence[Anchor]) -> dict[int, AnchorLocation]:
    """What need not be looked for: anchors on unchanged files, and what was found before and holds here."""
    found: dict[int, AnchorLocation] = {}
    blamed: dict[int, str] = {}
    for at, anchor in enumerate(anchors):
        unchanged = _unchanged(anchor, place)
        if unchanged:
            found[at] = unchanged
        elif kept := _kept(workspace, anchor, place):
            found[at], head = kept
            if found[at].commit and head != place.head:
                blamed[at] = found[at].commit
    part = ancestors_among(workspace.repository, place.head, set(blamed.values())) if blamed else set()
    return {at: one for at, one in found.items() if at not in blamed or blamed[at] in part}


def _starts(workspace: Workspace, place: LiveFiles, anchors: Iterable[Anchor]) -> dict[Anchor, ResumePoint]:
    """Where following can go on, where something was found at a commit of this history."""
    known = workspace.catalog.placings
    texts = {anchor: text for anchor in anchors if (text := known.get(anchor, LAST))}
    found = {anchor: ResumePoint(*json.loads(text)) for anchor, text in texts.items()}
    commits = {start.commit for start in found.values()}
    part = ancestors_among(workspace.repository, place.head, commits) if commits else set()
    return {anchor: start for anchor, start in found.items() if start.commit in part}


def _unchanged(anchor: Anchor, place: LiveFiles) -> AnchorLocation | None:
    """An anchor whose file is the very one that it was made on: nothing is parsed, nothing is kept."""
    if not anchor.blob or place.blobs.get(anchor.path) != anchor.blob:
        return None
    return AnchorLocation(anchor, Status.CURRENT, anchor.path, anchor.symbol)


def _keep(workspace: Workspace, found: Sequence[tuple[Anchor, str, str]]) -> None:
    """Keep what was found, where that can be written: it is found again otherwise."""
    if found and os.access(workspace.folder, os.W_OK):
        with suppress(StoreError):
            workspace.catalog.placings.keep(found)


def _rows(anchor: Anchor, one: AnchorLocation, place: LiveFiles) -> list[tuple[Anchor, str, str]]:
    """What is to be kept of a finding."""
    rows = [(anchor, _key(anchor, one, place), _text(one, place))]
    is_committed = one.path and one.path not in place.dirty and (one.commit or one.status is not Status.DRIFTED)
    if anchor.symbol and is_committed and place.head:
        drifted = one.commit if one.status is Status.DRIFTED else ""
        start = ResumePoint(place.head, one.path, one.symbol, place.blobs[one.path], drifted, one.landed)
        rows.append((anchor, LAST, json.dumps(start)))
    return rows


def _key(anchor: Anchor, one: AnchorLocation, place: LiveFiles) -> str:
    """The blob that a finding holds for; with all that is not committed where that made it so."""
    blob = place.blobs.get(anchor.path, "")
    is_passing = one.status is Status.GONE or (one.status is Status.DRIFTED and not one.commit)
    return _passing_key(blob, place) if is_passing else blob


def _passing_key(blob: str, place: LiveFiles) -> str:
    """A blob with the head and what differs from it: a commit or another change may tell otherwise."""
    told = "\0".join([place.head, *(f"{path}\0{place.blobs.get(path, '')}" for path in sorted(place.dirty))])
    return f"{blob} {hashlib.blake2b(os.fsencode(told), digest_size=8).hexdigest()}"


def _text(one: AnchorLocation, place: LiveFiles) -> str:
    fields = asdict(replace(one, anchor=Anchor("")))
    del fields["anchor"]
    return json.dumps([fields, place.blobs.get(one.path, ""), place.head])


def _kept(workspace: Workspace, anchor: Anchor, place: LiveFiles) -> tuple[AnchorLocation, str] | None:
    """What was found before, where the file that it was found in is as it was; and the head that it was found at."""
    known, blob = workspace.catalog.placings, place.blobs.get(anchor.path, "")
    text = known.get(anchor, blob) or known.get(anchor, _passing_key(blob, place))
    if not text:
        return None
    fields, found_blob, head = json.loads(text)
    if place.blobs.get(fields["path"], "") != found_blob:
        return None
    return AnchorLocation(anchor, Status(fields.pop("status")), **fields), head


def _together(following: Mapping[int, Tracking], prints: Fingerprints) -> dict[int, AnchorLocation]:
    """Follow all of them side by side; what they want to know next is parsed in one go."""
    waiting = dict(following)
    done: dict[int, AnchorLocation] = {}
    while waiting:
        wanted: Wanted = []
        for at, one in list(waiting.items()):
            try:
                wanted += next(one)
            except StopIteration as end:
                done[at] = end.value
                del waiting[at]
        prints.learn(wanted)
    return done


def landing_commits(workspace: Workspace, place: LiveFiles, wanted: Sequence[tuple[Anchor, str]]) -> list[str]:
    """The first commit after the one given with each anchor that holds its code as it stood; empty where none does."""
    known = workspace.catalog.placings
    found = {at: known.get(anchor, LANDED) for at, (anchor, _) in enumerate(wanted)}
    prints = Fingerprints(workspace)
    trails = AnchorTracker(workspace, prints, place)
    missing = {at: trails.follow_landing(*one) for at, one in enumerate(wanted) if not found[at]}
    fresh = {at: one.landed for at, one in _together(missing, prints).items() if one.landed}
    _keep(workspace, [(wanted[at][0], LANDED, commit) for at, commit in fresh.items()])
    found |= fresh
    return [found[at] for at in range(len(wanted))]
