"""The versions of one file at each commit that changed it, and the other files of such a commit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from repomem.adapters.git.log import file_change
from repomem.adapters.git.repository import Repository
from repomem.core.errors import GitError
from repomem.core.types.commits import FileChange

MOST_STEPS = 1_000  # newest commits of one file that are read
ABSENT = "0"  # an object id of nothing but zeros
_RECORD = b"\x01"  # begins a commit in the log: neither an id nor a mode does


@dataclass(frozen=True, slots=True)
class FileRevision:
    """A commit and a path's blob in it; empty if the path did not exist."""

    commit: str
    blob: str
    parents: tuple[str, ...]  # the nearest earlier commits that are steps; others are outside of the walk


@dataclass(frozen=True, slots=True)
class Change:
    """One file that a commit changed, and its new blob; empty if it was deleted."""

    file: FileChange
    blob: str
    old_blob: str = ""  # of the same path before; empty if it was not there


def steps(repository: Repository, path: str, base: str, head: str) -> list[FileRevision]:
    """The commits reachable from `head` but not `base` that changed a path, parents first, with its blob in each.

    Includes merges, even those that changed nothing. Empty in a clone without old trees.
    """
    if repository.is_treeless:
        return []
    listed = repository.read(
        "log",
        f"--max-count={MOST_STEPS}",
        "--no-follow",  # whatever log.follow says
        "--topo-order",
        "--parents",  # rewritten: they lead from step to step
        "--raw",
        "--no-abbrev",
        "--no-renames",
        "--diff-merges=first-parent",
        "--format=%x01%H %P",
        head,
        *[f"^{base}"] * bool(base),
        "--",
        f":(top,literal){path}",
    )
    entries = [entry.partition(b"\n") for entry in reversed(listed.split(_RECORD)[1:])]
    walked = [(names.decode().split(), raw.strip()) for names, _, raw in entries]
    inside = {names[0] for names, _ in walked}
    # a merge equal to its first parent has no raw line, and that parent may be outside of the walk
    alone = [names[0] for names, raw in walked if not raw and inside.isdisjoint(names[1:2])]
    blobs = dict(zip(alone, blobs_at(repository, [(commit, path) for commit in alone]), strict=True))
    found = []
    for (commit, *parents), raw in walked:
        blobs[commit] = _blob_in(raw) if raw else blobs[commit] if commit in blobs else blobs.get(parents[0], "")
        found.append(FileRevision(commit, blobs[commit], tuple(parents)))
    return found


def _blob_in(raw: bytes) -> str:
    """The new blob in a line of `--raw`; empty if the path was deleted or is not a file."""
    facts = raw.split()
    blob = facts[3].decode()
    return blob if blob.strip(ABSENT) and facts[1] != b"160000" else ""


def blobs_at(repository: Repository, places: Sequence[tuple[str, str]]) -> list[str]:
    """The blob of each (commit, path); empty if there is none."""
    if repository.is_partial:
        each = {place: _blob_at(repository, *place) for place in dict.fromkeys(places)}
        return [each[place] for place in places]
    askable = [(commit, path) for commit, path in dict.fromkeys(places) if "\n" not in path]
    if not askable:
        return [""] * len(places)
    names = [f"{commit}:{path}" for commit, path in askable]
    answers = repository.read("cat-file", "--batch-check=%(objectname) %(objecttype)", feed=names).splitlines()
    blobs = (answer.split()[0].decode() if answer.endswith(b" blob") else "" for answer in answers)
    known = dict(zip(askable, blobs, strict=True))
    return [known.get(place, "") for place in places]


def _blob_at(repository: Repository, commit: str, path: str) -> str:
    """The blob of a path from trees alone, since git would fetch a missing blob in a partial clone."""
    try:
        listed = repository.read("ls-tree", "-z", commit, "--", path).split()
    except GitError:
        return ""
    return listed[2].decode() if listed[1:2] == [b"blob"] else ""


def changes(repository: Repository, commit: str) -> list[Change]:
    """The files that a commit changed against its first parent, with renames if the clone has their bytes."""
    if repository.is_treeless:
        return []
    renames = "--no-renames" if repository.is_partial else "-M"
    options = ("-r", "-z", "--raw", "--no-abbrev", renames, "--no-commit-id", "--root", "-m", "--first-parent")
    return list(_changes_in(iter(repository.read("diff-tree", *options, commit).split(b"\0"))))


def _changes_in(fields: Iterator[bytes]) -> Iterator[Change]:
    for facts in fields:
        if facts.startswith(b":"):
            _, _, old_blob, blob, _ = facts.decode().split(" ")
            file = file_change(facts, fields)
            yield Change(file, "" if file.status == "D" else blob, old_blob if file.status in "MT" else "")
