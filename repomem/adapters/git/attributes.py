"""Attributes of paths from `.gitattributes`, and the line ends that git would store."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from repomem.adapters.git.objects import blobs_of
from repomem.adapters.git.repository import Repository

NOT_TEXT = bytes({*range(0x20), 0x7F} - set(b"\b\t\n\r\f\x1b"))  # as git counts them


def attributes(repository: Repository, paths: Iterable[str], names: Iterable[str]) -> dict[str, dict[str, str]]:
    """The attributes of each path that has any, by name: "set", "unset" or the value."""
    feed = b"".join(os.fsencode(path) + b"\0" for path in paths)
    found: dict[str, dict[str, str]] = {}
    if not feed:
        return found
    answers = repository.read("check-attr", "-z", "--stdin", *names, feed=feed).split(b"\0")
    for path, name, value in zip(answers[::3], answers[1::3], answers[2::3], strict=False):
        if value != b"unspecified":
            found.setdefault(os.fsdecode(path), {})[name.decode()] = os.fsdecode(value)
    return found


@dataclass(frozen=True, slots=True)
class LineEnds:
    """The paths whose CRLF git stores as LF."""

    always: frozenset[str]
    if_text: frozenset[str]  # where the bytes look like text

    def stored(self, path: str, data: bytes) -> bytes:
        """The bytes that git would store for a file of the worktree.

        Filters, `ident` and `working-tree-encoding` are ignored: the id of such a file differs from git's, so it is
        read once more after it is committed.
        """
        if path in self.always or (path in self.if_text and not _is_binary(data)):
            return data.replace(b"\r\n", b"\n")
        return data


def line_ends(repository: Repository, blobs: Mapping[str, str | None]) -> LineEnds:
    """The paths whose CRLF git stores as LF; `blobs` maps each path to its blob in the index, None if untracked.

    If git only guesses that a file is text, a file with CRLF in the index stays as it is.
    """
    said = attributes(repository, blobs, ("text", "eol", "crlf"))
    rules = {path: _rule(repository, said.get(path, {})) for path in blobs}
    guessed = {path: blob for path, blob in blobs.items() if rules[path] == "auto"}
    with_crlf = {
        blob
        for blob, data in blobs_of(repository, {blob for blob in guessed.values() if blob})
        if b"\r\n" in data and not _is_binary(data)
    }
    return LineEnds(
        always=frozenset(path for path, rule in rules.items() if rule == "text"),
        if_text=frozenset(path for path, blob in guessed.items() if blob not in with_crlf),
    )


def _rule(repository: Repository, said: Mapping[str, str]) -> str:
    """The text rule of a path (text, auto or binary), in git's order: `text`, `crlf`, `eol`, then the configuration."""
    text = said.get("text", said.get("crlf", ""))
    if text == "unset":
        return "binary"
    if text == "auto":
        return "auto"
    if text in ("set", "input") or said.get("eol") in ("lf", "crlf"):
        return "text"
    configured = repository.settings.get("core.autocrlf", "false").lower()
    return "auto" if configured in ("true", "input", "yes", "on", "1") else "binary"


def _is_binary(data: bytes) -> bool:
    """Whether git would guess that bytes are binary: a NUL, a lone CR, or over 1 in 128 non-text bytes."""
    if b"\0" in data or data.count(b"\r") != data.count(b"\r\n"):
        return True
    strange = len(data) - len(data.translate(None, NOT_TEXT)) - data.endswith(b"\x1a")
    line_end_bytes = data.count(b"\r") + data.count(b"\n")
    return (len(data) - strange - line_end_bytes) >> 7 < strange
