"""A process that gives entries to a pool until it has given all or is killed; it prints each batch once it is kept."""

import sys

from repomem.pool import tables

DEADLINES = ("OPENING_SECONDS", "FINDING_SECONDS", "TAKING_SECONDS", "GIVING_SECONDS")
SECONDS = 60.0  # for a request: the machine is busy
BATCH = 5


def entry_of(key: bytes) -> bytes:
    """What every writer says under a key: the same."""
    return b"what a grammar made of " + key.hex().encode()


def main(uri: str, writer: str, first: str, count: str) -> None:
    for name in DEADLINES:
        setattr(tables, name, SECONDS)
    pool = tables.Pool.open(uri, "crowd", writer)
    for number in range(int(first), int(first) + int(count), BATCH):
        keys = [at.to_bytes(20, "big") for at in range(number, number + BATCH)]
        pool.add_entries("1.a", {key: entry_of(key) for key in keys})
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
