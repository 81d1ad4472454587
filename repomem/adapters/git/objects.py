"""Git's objects: the sizes and bytes of blobs, and the id that git would give to bytes."""

import hashlib
from collections.abc import Collection, Iterable, Iterator

from repomem.adapters.git.repository import Repository


def blob_sizes(repository: Repository, blobs: Iterable[str]) -> dict[str, int | None]:
    """Bytes of each blob; None where it is not in this clone, or no blob. Nothing is fetched."""
    sizes: dict[str, int | None] = dict.fromkeys(blobs)
    feed = _lines(_present(repository, sizes))
    with repository.stream("cat-file", "--batch-check", "--buffer", feed=feed) as output:
        for line in output:
            name, kind, *size = line.decode().split()
            sizes[name] = int(size[0]) if kind == "blob" else None
    return sizes


def blobs_of(repository: Repository, blobs: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Id and bytes of each blob that this clone has, in the order asked for; one blob is in memory at a time."""
    feed = _lines(_present(repository, list(blobs)))
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
    """Those of the objects that are here, in their order.

    In a partial clone git would fetch the others, and where it may not, fails at the first: so all that is here is
    listed, which asks nobody. In other clones nothing is left out: git answers for one that is missing.
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
    """The id that git gives to these bytes as a blob; `object_format` is the repository's, sha1 or sha256."""
    digest = hashlib.new(object_format, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def _lines(names: Iterable[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode()
