"""Track an anchor on a whole file: follow its renames; a small file drifts when its content changes."""

from collections.abc import Generator, Iterable, Mapping, Sequence

from repomem.adapters.git.file_history import FileRevision
from repomem.core.records import Anchor
from repomem.core.types.code import SymbolPrint
from repomem.memories.anchors.commits import Commits
from repomem.memories.anchors.fingerprints import Fingerprints, Wanted
from repomem.memories.anchors.live_files import LiveFiles
from repomem.memories.status import AnchorLocation, Status

MOST_RENAMES = 8  # of one file that are followed
SMALL_FILE = 200  # tokens: an anchor on a larger file is an address, not a claim about every line


def track_file(
    commits: Commits, prints: Fingerprints, anchor: Anchor, base: str
) -> Generator[Wanted, None, AnchorLocation]:
    """Where the file of an anchor is now, and whether it drifted."""
    files = commits.files
    path, gone, start = anchor.path, "", base
    walked: list[tuple[str, FileRevision]] = []
    for _ in range(MOST_RENAMES):
        here = commits.touching(path, start)
        walked += [(path, step) for step in here]
        if path in files.blobs:
            break
        gone = _deleted_by(here)
        renamed = commits.renames(gone, path)
        if not renamed:
            break
        path, start = renamed[0], gone
    path = path if path in files.blobs else _renamed_now(files, anchor, walked)
    if not path:
        return AnchorLocation(anchor, Status.GONE, commit=gone)
    blob = files.blobs[path]
    yield [(blob, path)]
    now = whole_of(prints.of(blob))
    if 0 < anchor.tokens <= SMALL_FILE and now and now.print != anchor.print:
        commit = (yield from _drifted_since(prints, anchor, walked)) or ("" if path in files.dirty else gone)
        return AnchorLocation(anchor, Status.DRIFTED, path, commit=commit)
    return AnchorLocation(anchor, Status.CURRENT if path == anchor.path else Status.MOVED, path)


def _deleted_by(walked: Sequence[FileRevision]) -> str:
    """The commit since which the file is absent, whatever merged it since; empty if it is there at the end."""
    return _first_of_last({step.commit: step for step in walked if not step.blob}, walked)


def _first_of_last(changed: Mapping[str, FileRevision], walked: Sequence[FileRevision]) -> str:
    """The first of the changed revisions that lead to the last one; empty if that is none of them."""
    step = changed.get(walked[-1].commit) if walked else None
    commit = ""
    while step:
        commit = step.commit
        step = next((changed[parent] for parent in step.parents if parent in changed), None)
    return commit


def _renamed_now(files: LiveFiles, anchor: Anchor, walked: Sequence[tuple[str, FileRevision]]) -> str:
    """The uncommitted file with the bytes that the old path had; empty if none."""
    last = walked[-1][1].blob if walked else anchor.blob
    return next((path for path in files.dirty if last and files.blobs.get(path) == last), "")


def _drifted_since(
    prints: Fingerprints, anchor: Anchor, walked: Sequence[tuple[str, FileRevision]]
) -> Generator[Wanted, None, str]:
    """The first commit of the present drift; empty where only the worktree drifted."""
    yield [(step.blob, path) for path, step in walked]
    found = {step.commit: whole_of(prints.of(step.blob)) for _, step in walked}
    drifted = {step.commit: step for _, step in walked if (one := found[step.commit]) and one.print != anchor.print}
    return _first_of_last(drifted, [step for _, step in walked])


def whole_of(prints: Iterable[SymbolPrint]) -> SymbolPrint | None:
    """The fingerprint of the whole file."""
    return next((each for each in prints if not each.qualified), None)
