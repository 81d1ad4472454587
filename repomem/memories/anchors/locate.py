"""Locates the anchors of memories. Anchors on changed blobs are tracked; results are cached."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict

from repomem.adapters.git.ancestry import ancestors_among
from repomem.core.digests import short_digest
from repomem.core.errors import NotFound, StoreError
from repomem.core.records import Anchor
from repomem.core.text.symbol_names import dotted, is_named, last_part
from repomem.core.types.code import CONTAINERS, SymbolPrint
from repomem.memories.anchors.fingerprints import Fingerprints, Wanted
from repomem.memories.anchors.live_files import LiveFiles, stored_bytes
from repomem.memories.anchors.track import AnchorTracker, ResumePoint, Tracking
from repomem.memories.anchors.track_file import whole_of
from repomem.memories.status import AnchorLocation, Status
from repomem.workspace.workspace import Workspace

LANDED = "landed"  # cache key, instead of a blob, of the commit that an anchor's code landed with
LAST = "last"  # cache key, instead of a blob, of the ResumePoint


def anchor_at(workspace: Workspace, path: str, symbol: str = "", prints: Fingerprints | None = None) -> Anchor:
    """The anchor for a worktree file, or a symbol in it. NotFound if there is none, or several.

    `prints` may have parsed the file already.
    """
    found = stored_bytes(workspace, path)
    if found is None:
        raise NotFound(f"cannot read {path} in the worktree", "if it was moved: repomem index, then give its new path")
    prints = prints or Fingerprints(workspace)
    prints.learn([(found[0], path)])
    one = _symbol(prints.of(found[0]), path, symbol) if symbol else whole_of(prints.of(found[0]))
    return anchor_on(path, found[0], one) if one else Anchor(path, blob=found[0])


def anchor_on(path: str, blob: str, one: SymbolPrint) -> Anchor:
    """The anchor for a symbol in a version of a file."""
    return Anchor(path, one.qualified, blob, one.print, one.tokens, one.kind if one.kind in CONTAINERS else "")


def _symbol(prints: Sequence[SymbolPrint], path: str, symbol: str) -> SymbolPrint:
    """The symbol of that name; of several with one name the largest, as others may only declare it."""
    wanted = dotted(symbol)
    named = [each for each in prints if each.qualified == wanted]
    named = named or [each for each in prints if is_named(each.qualified, wanted)]
    if len({each.qualified for each in named}) == 1:
        return max(named, key=lambda each: each.tokens)
    if named:
        raise NotFound(f"{path} has several symbols called {symbol}", _one_of(named))
    name, symbols = last_part(wanted).lower(), [each for each in prints if each.qualified]
    listed = [each for each in symbols if last_part(each.qualified).lower() == name] or symbols[:8]
    raise NotFound(
        f"{path} defines no {symbol}", _one_of(listed) if listed else f"--on {path} attaches it to the whole file"
    )


def _one_of(prints: Iterable[SymbolPrint]) -> str:
    return "one of " + ", ".join(dict.fromkeys(each.qualified for each in prints))


def locate_anchors(
    files: LiveFiles, wanted: Sequence[tuple[Anchor, str]], *, is_kept: bool = True
) -> tuple[list[AnchorLocation], int]:
    """The location of each anchor, given with the commit that it was made on; and the number of parsed blobs.

    With `is_kept` the results are cached in the catalog.
    """
    found = _known(files, [anchor for anchor, _ in wanted])
    missing = {at: one for at, one in enumerate(wanted) if at not in found}
    starts = _resume_points(files, [anchor for anchor, _ in missing.values()])
    prints = Fingerprints(files.workspace)
    tracker = AnchorTracker(prints, files)
    fresh = _run_together({at: tracker.track(*one, starts.get(one[0])) for at, one in missing.items()}, prints)
    if is_kept:
        rows = [row for at, one in fresh.items() for row in _rows(wanted[at][0], one, files)]
        rows += [(anchor, LAST, json.dumps(start)) for anchor, start in tracker.lost.items()]
        cache_anchors(files.workspace, rows)
    found |= fresh
    return [found[at] for at in range(len(wanted))], len(prints.known)


def _known(files: LiveFiles, anchors: Sequence[Anchor]) -> dict[int, AnchorLocation]:
    """The locations of anchors on unchanged files, and cached locations that hold for these files."""
    found: dict[int, AnchorLocation] = {}
    blamed: dict[int, str] = {}
    for at, anchor in enumerate(anchors):
        if anchor.blob and files.blobs.get(anchor.path) == anchor.blob:
            found[at] = AnchorLocation(anchor, Status.CURRENT, anchor.path, anchor.symbol)
        elif kept := _cached(anchor, files):
            found[at], head = kept
            if found[at].commit and head != files.head:
                blamed[at] = found[at].commit
    part = ancestors_among(files.workspace.repository, files.head, set(blamed.values()))
    return {at: one for at, one in found.items() if at not in blamed or blamed[at] in part}


def _resume_points(files: LiveFiles, anchors: Iterable[Anchor]) -> dict[Anchor, ResumePoint]:
    """The cached points of this history from where tracking can resume."""
    known = files.workspace.catalog.memory_cache
    texts = {anchor: text for anchor in anchors if (text := known.get(anchor, LAST))}
    found = {anchor: ResumePoint(*json.loads(text)) for anchor, text in texts.items()}
    part = ancestors_among(files.workspace.repository, files.head, {start.commit for start in found.values()})
    return {anchor: start for anchor, start in found.items() if start.commit in part}


def cache_anchors(workspace: Workspace, found: Sequence[tuple[Anchor, str, str]]) -> None:
    """Cache results, if the folder is writable."""
    if found and workspace.is_writable:
        with suppress(StoreError):
            workspace.catalog.memory_cache.keep(found)


def _rows(anchor: Anchor, one: AnchorLocation, files: LiveFiles) -> list[tuple[Anchor, str, str]]:
    """The cache rows of a location."""
    fields = {name: value for name, value in asdict(one).items() if name != "anchor"}
    text = json.dumps([fields, files.blobs.get(one.path, ""), files.head])
    rows = [(anchor, _key(anchor, one, files), text)]
    is_committed = one.path and one.path not in files.dirty and (one.commit or one.status is not Status.DRIFTED)
    if anchor.symbol and is_committed and files.head:
        drifted = one.commit if one.status is Status.DRIFTED else ""
        start = ResumePoint(files.head, one.path, one.symbol, files.blobs[one.path], drifted, one.landed)
        rows.append((anchor, LAST, json.dumps(start)))
    return rows


def _key(anchor: Anchor, one: AnchorLocation, files: LiveFiles) -> str:
    """The cache key of a location: its blob, with the uncommitted changes where they caused it."""
    blob = files.blobs.get(anchor.path, "")
    is_uncommitted = one.status is Status.GONE or (one.status is Status.DRIFTED and not one.commit)
    return _uncommitted_key(blob, files) if is_uncommitted else blob


def _uncommitted_key(blob: str, files: LiveFiles) -> str:
    """The blob with the head and the uncommitted changes: another commit or change may invalidate it."""
    state = "\0".join([files.head, *(f"{path}\0{files.blobs.get(path, '')}" for path in sorted(files.dirty))])
    return f"{blob} {short_digest(os.fsencode(state))}"


def _cached(anchor: Anchor, files: LiveFiles) -> tuple[AnchorLocation, str] | None:
    """The cached location where its file is unchanged, and the head at which it was located."""
    known, blob = files.workspace.catalog.memory_cache, files.blobs.get(anchor.path, "")
    text = known.get(anchor, blob) or known.get(anchor, _uncommitted_key(blob, files))
    if not text:
        return None
    fields, found_blob, head = json.loads(text)
    if files.blobs.get(fields["path"], "") != found_blob:
        return None
    return AnchorLocation(anchor, Status(fields.pop("status")), **fields), head


def _run_together(following: Mapping[int, Tracking], prints: Fingerprints) -> dict[int, AnchorLocation]:
    """Run all trackers side by side; the files that they need next are parsed together."""
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


def landing_commits(files: LiveFiles, wanted: Sequence[tuple[Anchor, str]]) -> list[str]:
    """For each anchor, the first commit after the given one with its code as the memory knows it; empty: none."""
    known = files.workspace.catalog.memory_cache
    found = {at: known.get(anchor, LANDED) for at, (anchor, _) in enumerate(wanted)}
    prints = Fingerprints(files.workspace)
    tracker = AnchorTracker(prints, files)
    missing = {at: tracker.track_landing(*one) for at, one in enumerate(wanted) if not found[at]}
    fresh = {at: one.landed for at, one in _run_together(missing, prints).items() if one.landed}
    cache_anchors(files.workspace, [(wanted[at][0], LANDED, commit) for at, commit in fresh.items()])
    found |= fresh
    return [found[at] for at in range(len(wanted))]
