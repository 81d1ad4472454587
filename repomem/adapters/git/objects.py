"""Git objects: sizes and bytes of blobs, and the blob id of given bytes."""

import hashlib
from collections.abc import Collection, Iterable, Iterator

from repomem.adapters.git.repository import Repository


def blob_sizes(repository: Repository, blobs: Iterable[str]) -> dict[str, int | None]:
    """The size of each blob in bytes; None if it is missing or not a blob. Fetches nothing."""
    sizes: dict[str, int | None] = dict.fromkeys(blobs)
    feed = _present(repository, sizes)
    with repository.stream("cat-file", "--batch-check", "--buffer", feed=feed) as output:
        for line in output:
            name, kind, *size = line.decode().split()
            sizes[name] = int(size[0]) if kind == "blob" else None
    return sizes


def blobs_of(repository: Repository, blobs: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """The id and bytes of each blob that the clone has, in the given order, one at a time."""
    feed = _present(repository, list(blobs))
    if not feed:
        return
    with repository.stream("cat-file", "--batch", "--buffer", feed=feed) as output:
        while header := output.readline():
            name, kind, *size = header.decode().split()
            if not size:  # missing
                continue
            data = output.read(int(size[0]))
            output.read(1)  # the line break behind it
            if kind == "blob":
                yield name, data


def _present(repository: Repository, names: Collection[str]) -> Collection[str]:
    """The objects that the clone has, in order.

    In a partial clone git would fetch missing objects or fail at the first, so all local objects are listed. In other
    clones nothing is left out: git reports missing objects itself.
    """
    if not repository.is_partial:
        return names
    wanted = set(names)
    with repository.stream(
        "cat-file", "--batch-all-objects", "--unordered", "--buffer", "--batch-check=%(objectname)"
    ) as output:
        here = {name for line in output if (name := line.decode().strip()) in wanted}
    return [name for name in names if name in here]


def blob_id(data: bytes, object_format: str) -> str:
    """The id of these bytes as a blob; `object_format` is the repository's, sha1 or sha256."""
    digest = hashlib.new(object_format, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()
