"""Where the anchors of memories are now: only those on changed blobs are looked at, and what was found is kept.

Bytes are parsed in a worker process. What several anchors need is fetched and parsed at once: following one of them
is a generator that yields what it must know next.
"""

import json
import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace

from repomem.core.errors import NotFound, StoreError
from repomem.core.records import Anchor
from repomem.core.types import FileChange, SymbolPrint, Unread
from repomem.core.workers import WorkerFault, run_in_workers
from repomem.memory.anchors import Match, bare, by_name, by_print, match
from repomem.memory.standing import Placed, Status
from repomem.operations.workspace import Workspace
from repomem.sources.attributes import line_ends
from repomem.sources.lineage import Change, Step, changes, steps
from repomem.sources.objects import blob_id, blobs_of
from repomem.sources.worktree import read_file

PRINT_WORK = "repomem.operations.printing:print_file"
MOST_MOVES = 8  # of one symbol from file to file that are followed
MOST_NEIGHBOURS = 60  # files of one commit in which a symbol that left is looked for
LANDED = "landed"  # stands for the blob where the commit is kept that an anchor's code landed with
SMALL_FILE = 200  # tokens: an anchor on a whole file of more is an address, not a claim about every line of it

_Wanted = list[tuple[str, str]]  # blob and path of files whose prints are asked for
_Following = Generator[_Wanted, None, Placed]


@dataclass(slots=True)
class Place:
    """The files that are live at one place of the history."""

    head: str
    blobs: Mapping[str, str]  # path to blob, of every live file
    dirty: Sequence[str] = ()  # paths whose blob git may not have


@dataclass(slots=True)
class Prints:
    """The prints of blobs, as far as they were asked for; `checked` counts them."""

    workspace: Workspace
    known: dict[str, tuple[SymbolPrint, ...]] = field(default_factory=dict)

    @property
    def checked(self) -> int:
        """How many blobs were parsed."""
        return len(self.known)

    def of(self, blob: str) -> tuple[SymbolPrint, ...]:
        """The prints of a blob that was asked for; none where it could not be read."""
        return self.known.get(blob, ())

    def learn(self, wanted: Iterable[tuple[str, str]]) -> None:
        """Parse the blobs that are not known yet."""
        paths = {blob: path for blob, path in wanted if blob and blob not in self.known}
        if not paths:
            return
        self.known |= dict.fromkeys(paths, ())
        tasks = ((blob, (paths[blob], data)) for blob, data in self._contents(paths))
        for blob, result in run_in_workers(PRINT_WORK, tasks, processes=1):
            if not isinstance(result, WorkerFault):
                self.known[blob] = result

    def _contents(self, paths: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
        """The bytes of each blob: from git, else from the disk, where they are those of the work tree."""
        missing = dict(paths)
        for blob, data in blobs_of(self.workspace.repository, paths):
            missing.pop(blob, None)
            yield blob, data
        for blob, path in missing.items():
            found = stored_bytes(self.workspace, path)
            if found and found[0] == blob:
                yield found


def stored_bytes(workspace: Workspace, path: str) -> tuple[str, bytes] | None:
    """Blob and bytes of a file of the work tree as git would store it; None where it cannot be read."""
    data = read_file(workspace.repository, path, workspace.loaded.config.index.max_file_kb * 1024)
    if isinstance(data, Unread):
        return None
    stored = line_ends(workspace.repository, {path: None}).stored(path, data)
    return (blob_id(stored, workspace.repository.object_format), stored) if isinstance(stored, bytes) else None


def anchor_at(workspace: Workspace, path: str, symbol: str = "") -> Anchor:
    """The anchor for a file of the work tree, or for a symbol in it. NotFound where there is none, or several."""
    found = stored_bytes(workspace, path)
    if found is None:
        raise NotFound(f"{path} is no file that can be read here", "give a path from the top of the repository")
    prints = Prints(workspace)
    prints.learn([(found[0], path)])
    one = _symbol(prints.of(found[0]), path, symbol) if symbol else _whole(prints.of(found[0]))
    return Anchor(path, one.qualified if one else "", found[0], one.print if one else "", one.tokens if one else 0)


def _whole(prints: Sequence[SymbolPrint]) -> SymbolPrint | None:
    return next((each for each in prints if not each.qualified), None)


def _symbol(prints: Sequence[SymbolPrint], path: str, symbol: str) -> SymbolPrint:
    wanted = symbol.replace("::", ".").replace("#", ".").removesuffix("()")
    named = [each for each in prints if each.qualified == wanted]
    named = named or [each for each in prints if each.qualified.endswith(f".{wanted}")]
    if len({each.qualified for each in named}) == 1:
        return named[0]
    if named:
        raise NotFound(f"{path} has several symbols called {symbol}", _one_of(named))
    near = [each for each in prints if each.qualified and bare(each.qualified).lower() == bare(wanted).lower()]
    listed = near or [each for each in prints if each.qualified][:8]
    raise NotFound(f"{path} defines no {symbol}", _one_of(listed) if listed else f"--on {path} anchors the whole file")


def _one_of(prints: Iterable[SymbolPrint]) -> str:
    return "one of " + ", ".join(dict.fromkeys(each.qualified for each in prints))


def placed(
    workspace: Workspace, place: Place, wanted: Sequence[tuple[Anchor, str]], *, is_kept: bool = True
) -> tuple[list[Placed], int]:
    """Where each anchor is, given with the commit that it was made on; and how many blobs had to be parsed.

    What is found is kept in the catalog unless the place is a passing one (not `is_kept`).
    """
    found: dict[int, Placed] = {}
    for at, (anchor, _) in enumerate(wanted):
        kept = _unchanged(anchor, place) or _kept(workspace, anchor, place)
        if kept:
            found[at] = kept
    prints = Prints(workspace)
    missing = {at: _follow(workspace, prints, place, *one) for at, one in enumerate(wanted) if at not in found}
    fresh = _together(missing, prints)
    if is_kept:
        _keep(
            workspace,
            [(wanted[at][0], _key(wanted[at][0], one, place), _text(one, place)) for at, one in fresh.items()],
        )
    found |= fresh
    return [found[at] for at in range(len(wanted))], prints.checked


def _keep(workspace: Workspace, found: Sequence[tuple[Anchor, str, str]]) -> None:
    """Keep what was found, where that can be written: it is found again otherwise."""
    if found and os.access(workspace.folder, os.W_OK):
        with suppress(StoreError):
            workspace.catalog.placings.keep(found)


def _key(anchor: Anchor, one: Placed, place: Place) -> str:
    """The blob that a finding holds for; with the head where the work tree alone made it so: a commit changes that."""
    blob = place.blobs.get(anchor.path, "")
    is_passing = one.status in {Status.DRIFTED, Status.GONE} and not one.commit
    return f"{blob} {place.head}" if is_passing else blob


def _unchanged(anchor: Anchor, place: Place) -> Placed | None:
    """An anchor whose file is the very one that it was made on: nothing is parsed, nothing is kept."""
    if not anchor.blob or place.blobs.get(anchor.path) != anchor.blob:
        return None
    return Placed(anchor, Status.CURRENT, anchor.path, anchor.symbol)


def _text(one: Placed, place: Place) -> str:
    fields = asdict(replace(one, anchor=Anchor("")))
    del fields["anchor"]
    return json.dumps([fields, place.blobs.get(one.path, "")])


def _kept(workspace: Workspace, anchor: Anchor, place: Place) -> Placed | None:
    """What was found before, where the file that it was found in is as it was."""
    known, blob = workspace.catalog.placings, place.blobs.get(anchor.path, "")
    text = known.get(anchor, blob) or known.get(anchor, f"{blob} {place.head}")
    if not text:
        return None
    fields, found_blob = json.loads(text)
    if place.blobs.get(fields["path"], "") != found_blob:
        return None
    return Placed(anchor, Status(fields.pop("status")), **fields)


def _together(following: Mapping[int, _Following], prints: Prints) -> dict[int, Placed]:
    """Follow all of them side by side; what they want to know next is parsed in one go."""
    waiting = dict(following)
    done: dict[int, Placed] = {}
    while waiting:
        wanted: _Wanted = []
        for at, one in list(waiting.items()):
            try:
                wanted += next(one)
            except StopIteration as end:
                done[at] = end.value
                del waiting[at]
        prints.learn(wanted)
    return done


def landings(workspace: Workspace, place: Place, wanted: Sequence[tuple[Anchor, str]]) -> list[str]:
    """The first commit after the one given with each anchor that holds its code as it stood; empty where none does."""
    known = workspace.catalog.placings
    found = {at: known.get(anchor, LANDED) for at, (anchor, _) in enumerate(wanted)}
    prints = Prints(workspace)
    missing = {at: _follow_landing(workspace, prints, place, *one) for at, one in enumerate(wanted) if not found[at]}
    fresh = {at: one.landed for at, one in _together(missing, prints).items() if one.landed}
    _keep(workspace, [(wanted[at][0], LANDED, commit) for at, commit in fresh.items()])
    found |= fresh
    return [found[at] for at in range(len(wanted))]


def _follow_landing(workspace: Workspace, prints: Prints, place: Place, anchor: Anchor, base: str) -> _Following:
    if not anchor.symbol:
        walked = steps(workspace.repository, anchor.path, base, place.head)
        return Placed(anchor, Status.CURRENT, landed=next((s.commit for s in walked if s.blob == anchor.blob), ""))
    trail = yield from _trail(workspace, prints, place, anchor, base)
    return Placed(anchor, Status.CURRENT, landed=trail.landed)


@dataclass(slots=True)
class _Trail:
    """Where the code went so far."""

    path: str
    symbol: str
    drifted: str = ""  # the first commit after which it was not as the memory knew it
    gone: str = ""
    landed: str = ""
    print: str = ""  # as it was last seen


def _follow(workspace: Workspace, prints: Prints, place: Place, anchor: Anchor, base: str) -> _Following:
    here = place.blobs.get(anchor.path, "")
    if not anchor.symbol:
        return (yield from _follow_file(workspace, prints, place, anchor, base))
    if here:
        yield [(here, anchor.path), (anchor.blob, anchor.path)]
        anchor = _printed_anew(anchor, prints)
        found = match(anchor, anchor.symbol, prints.of(here))
        if found and found.status is not Status.DRIFTED:
            return _placed(anchor, anchor.path, found, _Trail(anchor.path, anchor.symbol))
    trail = yield from _trail(workspace, prints, place, anchor, base)
    now = place.blobs.get(trail.path, "")
    if now:
        yield [(now, trail.path)]
    found = match(anchor, trail.symbol, prints.of(now))
    if found is None:
        uncommitted = [(place.blobs[path], path) for path in place.dirty if path in place.blobs][:MOST_NEIGHBOURS]
        yield uncommitted
        moved = _elsewhere(anchor, trail, [(path, prints.of(blob)) for blob, path in uncommitted])
        if moved:
            return _placed(anchor, moved[0], Match(moved[2], moved[1]), trail)
        return Placed(anchor, Status.GONE, commit=trail.gone, landed=trail.landed)
    return _placed(anchor, trail.path, found, trail)


def _printed_anew(anchor: Anchor, prints: Prints) -> Anchor:
    """The anchor with the print that its own bytes have today: another grammar may print the same code otherwise."""
    same = [each for each in prints.of(anchor.blob) if each.qualified == anchor.symbol]
    if not same or any(each.print == anchor.print for each in same):
        return anchor
    return replace(anchor, print=same[0].print, tokens=same[0].tokens)


def _placed(anchor: Anchor, path: str, found: Match, trail: _Trail) -> Placed:
    is_elsewhere = path != anchor.path and found.status is Status.CURRENT
    return Placed(
        anchor,
        Status.MOVED if is_elsewhere else found.status,
        path,
        found.found.qualified,
        found.found.start_line,
        found.found.end_line,
        trail.drifted if found.status is Status.DRIFTED else "",
        trail.landed,
    )


def _trail(
    workspace: Workspace, prints: Prints, place: Place, anchor: Anchor, base: str
) -> Generator[_Wanted, None, _Trail]:
    """Follow the code through every commit that touched its file, and into the files where it went."""
    trail = _Trail(anchor.path, anchor.symbol, print=anchor.print)
    start = base
    for _ in range(MOST_MOVES):
        walked = steps(workspace.repository, trail.path, start, place.head) if place.head else []
        yield [(step.blob, trail.path) for step in walked]
        start = yield from _walked(workspace, prints, anchor, trail, walked)
        if not start:
            break
    return trail


def _walked(
    workspace: Workspace, prints: Prints, anchor: Anchor, trail: _Trail, walked: Sequence[Step]
) -> Generator[_Wanted, None, str]:
    """Go along the versions of one file; gives the commit with which the code left for another, or empty."""
    for step in walked:
        found = match(anchor, trail.symbol, prints.of(step.blob)) if step.blob else None
        if found is None:
            if trail.gone:
                continue
            moved = yield from _moved(workspace, prints, anchor, trail, step.commit)
            if moved:
                return step.commit
            trail.gone = step.commit
        else:
            _seen(trail, found, step.commit)
    return ""


def _seen(trail: _Trail, found: Match, commit: str) -> None:
    trail.gone = ""
    trail.symbol, trail.print = found.found.qualified, found.found.print
    if found.status is Status.DRIFTED:
        trail.drifted = trail.drifted or commit
    else:
        trail.drifted = ""  # it is again what it was
        trail.landed = trail.landed or commit


def _moved(
    workspace: Workspace, prints: Prints, anchor: Anchor, trail: _Trail, commit: str
) -> Generator[_Wanted, None, bool]:
    """Whether the commit took the code to another file; the trail is then there."""
    near = _neighbours(changes(workspace.repository, commit), trail.path)
    yield [(each.blob, each.file.path) for each in near]
    moved = _elsewhere(anchor, trail, [(each.file.path, prints.of(each.blob)) for each in near])
    if moved is None:
        return False
    path, found, status = moved
    trail.path = path
    _seen(trail, Match(status, found), commit)
    return True


def _neighbours(changed: Sequence[Change], path: str) -> list[Change]:
    """The other files that a commit wrote, the one that the path was renamed to first."""
    written = [each for each in changed if each.blob and each.file.path != path]
    return sorted(written, key=lambda each: not _is_rename_of(each.file, path))[:MOST_NEIGHBOURS]


def _is_rename_of(file: FileChange, path: str) -> bool:
    return file.status == "R" and file.old_path == path


def _elsewhere(
    anchor: Anchor, trail: _Trail, files: Sequence[tuple[str, Sequence[SymbolPrint]]]
) -> tuple[str, SymbolPrint, Status] | None:
    """The file and symbol that the code went to: by what it does, as known or as last seen, else by its name."""
    for known, status in ((anchor.print, Status.MOVED), (trail.print, Status.DRIFTED)):
        for path, prints in files:
            found = by_print(replace(anchor, symbol=trail.symbol, print=known), prints)
            if found:
                return path, found, status
    named = [(path, found) for path, prints in files if (found := by_name(trail.symbol, prints))]
    return (*named[0], Status.DRIFTED) if len(named) == 1 or (named and files[0][0] == named[0][0]) else None


def _follow_file(workspace: Workspace, prints: Prints, place: Place, anchor: Anchor, base: str) -> _Following:
    """An anchor on a whole file: renames are followed; it drifts where a small file changes what it says."""
    path, gone = anchor.path, ""
    start = base
    for _ in range(MOST_MOVES):
        if path in place.blobs or not place.head:
            break
        left = [step.commit for step in steps(workspace.repository, path, start, place.head) if not step.blob]
        gone = left[-1] if left else ""
        renamed = (
            [c.file.path for c in changes(workspace.repository, gone) if _is_rename_of(c.file, path)] if gone else []
        )
        if not renamed:
            break
        path, start = renamed[0], gone
    blob = place.blobs.get(path, "")
    if not blob:
        return Placed(anchor, Status.GONE, commit=gone)
    yield [(blob, path)]
    now = _whole(prints.of(blob))
    is_claim = 0 < anchor.tokens <= SMALL_FILE
    if is_claim and now and now.print != anchor.print:
        touched = [
            step.commit for step in steps(workspace.repository, path, start, place.head) if step.blob != anchor.blob
        ]
        return Placed(anchor, Status.DRIFTED, path, commit=touched[0] if touched else "")
    return Placed(anchor, Status.CURRENT if path == anchor.path else Status.MOVED, path)
