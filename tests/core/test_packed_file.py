"""Packed files: whole or not there, whatever is killed, torn, flipped or written twice at once."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from repomem.core.packed_file import read_packed, write_packed

SECTIONS = {"ids": b"one two", "empty": b"", "rows": bytes(range(256)) * 40}
WRITER = """
import sys
from pathlib import Path
from repomem.core.packed_file import write_packed
print("begun", flush=True)
while True:
    write_packed(Path(sys.argv[1]), {"rows": sys.argv[2].encode() * 2_000_000})
"""


def read(path: Path) -> dict[str, bytes] | None:
    found = read_packed(path)
    return None if found is None else {name: bytes(data) for name, data in found.items()}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_packed(tmp_path / "new" / "file", SECTIONS)
    assert read(tmp_path / "new" / "file") == SECTIONS


def test_a_missing_file_reads_as_none(tmp_path: Path) -> None:
    assert read(tmp_path / "file") is None


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.9, 0.9999])
def test_a_flipped_or_cut_file_is_not_read(tmp_path: Path, share: float) -> None:
    path = tmp_path / "file"
    write_packed(path, SECTIONS)
    data = path.read_bytes()
    at = int(len(data) * share)
    path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    assert read(path) is None
    path.write_bytes(data[:at])
    assert read(path) is None
    path.write_bytes(data + b"\0")
    assert read(path) is None


def writer(path: Path, letter: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(path), letter], stdout=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()
    return process


def test_a_killed_writer_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_packed(path, {"rows": b"old"})
    for at in range(4):
        process = writer(path, "x")
        time.sleep(0.003 * at)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert read(path) in ({"rows": b"old"}, {"rows": b"x" * 2_000_000})


def test_two_writers_at_once_leave_the_file_of_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_packed(path, {"rows": b"a" * 2_000_000})
    both = [writer(path, letter) for letter in "ab"]
    whole = [{"rows": letter * 2_000_000} for letter in (b"a", b"b")]
    try:
        assert all(read(path) in whole for _ in range(30))
    finally:
        for process in both:
            process.kill()
            process.communicate()
