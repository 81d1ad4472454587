"""Large repositories from small ones: real files repeated in numbered folders, each copy varied by a seed.

In a copy a third of the identifiers bears another name (the same one throughout the copy, as a program's own names
are), and numbers differ, so that blobs, words, symbols and vectors differ between copies. What stays alike is the
shape of the code: that is what repetition costs in truth, and it is said where the figures are.
"""

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from subprocess import PIPE, Popen
from typing import IO

from benchmarks.inputs import Pinned, git
from repomem.adapters.languages.grammar import language_of
from repomem.adapters.languages.parsers import has_grammar
from repomem.index.parse_messages import FileTask
from repomem.index.parse_worker import parse_file

LARGEST_FILE = 200_000  # bytes: one file of test data would be a copy's largest part
RENAMED = 3  # every third identifier of a copy
SYLLABLES = ("ka", "lo", "mi", "ren", "tu", "vas", "pel", "dor", "sin", "qua", "bre", "nof", "zem", "gil", "hux", "wy")
INVENTED = 60_000  # words that copies choose from: vocabularies grow with repositories, and ever more slowly
MOST_TOUCHED = 6  # files in a commit
TOKEN = re.compile(r"([A-Za-z_][A-Za-z0-9_]{3,}|\d+)")
KEPT = frozenset(
    """
    abstract assert async await boolean break byte case catch char class const continue crate default defer double
    elif elseif else enum except export extends false final finally float foreach from func function global goto
    impl implements import instanceof interface lambda long loop match module move mutable namespace native none
    nonlocal null object package pass private protected public raise range require return self short static struct
    super switch then this throw throws trait transient true type typeof undef union unless unsafe until using
    void volatile when where while with yield None True False String
    """.split()  # noqa: SIM905  # readable
)
DAY = 86_400
BEGIN = 1_600_000_000  # seconds: 13 September 2020


@dataclass(frozen=True, slots=True)
class Original:
    """A file that is repeated: where, its tokens as `TOKEN` splits it, and the chunks that it makes."""

    path: str
    tokens: tuple[str, ...]
    chunks: int


def originals(pins: Iterable[Pinned], mirror: Path) -> list[Original]:
    """The code of the repositories at their commits, in an order that mixes them."""
    found = [original for pin in pins for original in _originals(pin, mirror)]
    return sorted(found, key=lambda one: blake2b(one.path.encode()).digest())


def _originals(pin: Pinned, mirror: Path) -> Iterator[Original]:
    clone = pin.bare_clone(mirror)
    for entry in git(clone, "ls-tree", "-r", "-z", "--long", pin.commit).split("\0")[:-1]:
        about, path = entry.split("\t", 1)
        mode, _, blob, size = about.split()
        if not mode.startswith("100") or not has_grammar(language_of(path, "")) or int(size) > LARGEST_FILE:
            continue
        text = git(clone, "cat-file", "blob", blob)
        parsed = parse_file(FileTask(path, text.encode("utf-8", "replace"), {}, frozenset()))
        if parsed.chunks:
            name = f"{pin.repository.rpartition('/')[2]}/{path}"
            yield Original(name, tuple(TOKEN.split(text)), len(parsed.chunks))


def subjects(pins: Iterable[Pinned], mirror: Path) -> list[str]:
    """What the newest commits of the repositories say, for generated commits and for questions."""
    lines = [
        line
        for pin in pins
        for line in git(pin.bare_clone(mirror), "log", "-200", "--no-merges", "--format=%s", pin.commit).splitlines()
    ]
    chosen = [line for line in lines if 4 <= len(line.split()) <= 14 and not line.startswith(("Bump", "build(deps"))]
    return sorted(set(chosen), key=lambda line: blake2b(line.encode()).digest())


def committed(top: Path, files: Sequence[Original], chunks: int, messages: Sequence[str], commits: int) -> None:
    """A new repository of about so many chunks: all files in its first commit, then commits that touch a few each."""
    git(top.parent, "init", "-q", str(top))
    process = Popen(["git", "-C", str(top), "fast-import", "--quiet"], stdin=PIPE)
    assert process.stdin, "it was asked for"
    with process.stdin as stream:
        placed = _first_commit(stream, files, chunks)
        for number in range(1, commits + 1):
            _later_commit(stream, placed, number, messages[number % len(messages)])
    assert process.wait() == 0, "git fast-import failed"
    git(top, "checkout", "-q", "-f", "main")
    git(top, "gc", "-q")


def _first_commit(stream: IO[bytes], files: Sequence[Original], chunks: int) -> list[tuple[int, Original]]:
    """Write the copies; gives what was written, as (number of the copy, file)."""
    placed: list[tuple[int, Original]] = []
    _head(stream, 0, "Begin")
    made, copy = 0, 0
    while made < chunks:
        names: dict[str, str] = {}
        for file in files:
            if made >= chunks:
                break
            _put(stream, copy, file, varied(file, copy, names))
            placed.append((copy, file))
            made += file.chunks
        copy += 1
    return placed


def _later_commit(stream: IO[bytes], placed: Sequence[tuple[int, Original]], number: int, message: str) -> None:
    chance = random.Random(number)  # repeatable, no secret
    _head(stream, number, message)
    for copy, file in dict.fromkeys(chance.choice(placed) for _ in range(chance.randint(1, MOST_TOUCHED))):
        tokens = list(varied(file, copy, {}))
        at = chance.randrange(len(tokens))
        tokens[at] = _invented(f"{number}") if TOKEN.fullmatch(tokens[at]) else tokens[at] + " "
        _put(stream, copy, file, tokens)


def _head(stream: IO[bytes], number: int, message: str) -> None:
    data = message.encode()
    stream.write(b"commit refs/heads/main\n")
    stream.write(f"committer Benchmark <benchmark@example.org> {BEGIN + number * DAY} +0000\n".encode())
    stream.write(b"data %d\n%s\n" % (len(data), data))


def _put(stream: IO[bytes], copy: int, file: Original, tokens: Iterable[str]) -> None:
    data = "".join(tokens).encode("utf-8", "surrogateescape")
    path = f"part-{copy:04}/{file.path}".replace("\\", "\\\\").replace('"', '\\"')
    stream.write(f'M 100644 inline "{path}"\ndata {len(data)}\n'.encode())
    stream.write(data + b"\n")


def varied(file: Original, copy: int, names: dict[str, str]) -> Iterable[str]:
    """The file's tokens as the copy has them; copy 0 is the original. `names` remembers what the copy renamed."""
    if copy == 0:
        return file.tokens
    return [_renamed(token, copy, names) if at % 2 else token for at, token in enumerate(file.tokens)]


def _renamed(token: str, copy: int, names: dict[str, str]) -> str:
    if token not in names:
        names[token] = _other(token, copy)
    return names[token]


def _other(token: str, copy: int) -> str:
    """What a copy calls something: often the same."""
    if token in KEPT or _number(f"{copy} {token}") % RENAMED:
        return token
    if token.isdecimal():
        return str(int(token) + copy) if token[0] != "0" and len(token) < len("123456789") else token
    word = _invented(f"{copy} {token}")
    return f"{token}_{word}" if token.islower() or "_" in token else f"{token}{word.capitalize()}"


def _invented(seed: str) -> str:
    number = _number(seed) % INVENTED
    word = ""
    while number or not word:
        number, at = divmod(number, len(SYLLABLES))
        word += SYLLABLES[at]
    return word


def _number(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).digest())
