"""Repositories made of plain descriptions."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

AUTHOR = "Ada Example"
EMAIL = "ada@example.org"
START = 1_700_000_000  # 2023-11-14 22:13:20 UTC; each commit comes a minute after the one before it


@dataclass(frozen=True)
class Commit:
    """One commit to make. Its files are what changes against its first parent: None deletes a path.
    A path that is no UTF-8 is given as `os.fsdecode` would.

    `parents` are places in the list of commits; without them it follows the commit before it.
    """

    files: Mapping[str, bytes | str | None] = field(default_factory=dict)
    message: bytes | str = "a change"
    parents: Sequence[int] | None = None
    author: str = f"{AUTHOR} <{EMAIL}>"
    zone: str = "+0000"
    time: int | None = None  # author's and committer's
    modes: Mapping[str, str] = field(default_factory=dict)  # 100755 or 120000 instead of 100644
    encoding: str = ""


MakeRepository = Callable[..., Path]
RunGit = Callable[..., str]


def fast_import(number: int, commit: Commit) -> bytes:
    when = f"{START + 60 * number if commit.time is None else commit.time} {commit.zone}"
    header = [f"commit refs/heads/main\nmark :{number + 1}\nauthor {commit.author} {when}"]
    header += [f"committer {commit.author} {when}"]
    header += [f"encoding {commit.encoding}"] if commit.encoding else []
    parts = ["\n".join(header).encode() + b"\n", _data(commit.message)]
    parents = commit.parents if commit.parents is not None else ([number - 1] if number else [])
    for place, parent in enumerate(parents):
        parts.append(f"{'merge' if place else 'from'} :{parent + 1}\n".encode())
    for path, content in commit.files.items():
        if content is None:
            parts.append(b"D " + _quoted(path) + b"\n")
        else:
            mode = commit.modes.get(path, "100644").encode()
            parts += [b"M " + mode + b" inline " + _quoted(path) + b"\n", _data(content)]
    return b"".join(parts) + b"\n"


def _data(content: bytes | str) -> bytes:
    content = content.encode() if isinstance(content, str) else content
    return b"data %d\n%s\n" % (len(content), content)


def _quoted(path: str) -> bytes:
    raw = os.fsencode(path)
    return b'"' + b"".join(b"\\%03o" % byte if byte in b'"\\\n' else bytes([byte]) for byte in raw) + b'"'
