"""Packages as archives: the files in a wheel, an npm tarball, a Debian package or a source tarball, by path.

Nothing is unpacked on the disk, and nothing in an archive is run.
"""

import io
import lzma
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

AR_MAGIC = b"!<arch>\n"
AR_HEADER = 60  # bytes before each member of a .deb
LARGEST_FILE = 400_000  # bytes: what is larger was generated, or is data


class Archive:
    """One package's file. Paths are without the top folder that tarballs have."""

    def __init__(self, path: Path, largest: int = LARGEST_FILE) -> None:
        self.path = path
        self._largest = largest  # bytes

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Every regular file of up to `largest` bytes, in the archive's order."""
        if zipfile.is_zipfile(self.path):
            yield from self._zipped()
            return
        with self._tar() as tar:
            for member in tar:
                if member.isfile() and member.size <= self._largest:
                    stream = tar.extractfile(member)
                    yield self._inner(member.name), stream.read() if stream else b""

    def has(self, path: str) -> bool:
        """Whether there is a file at exactly this path."""
        return any(name == path for name, _ in self.files())

    def text(self, path: str) -> str:
        """The file at exactly this path; empty where there is none."""
        return next((data.decode("utf-8", "replace") for name, data in self.files() if name == path), "")

    def first(self, ending: str) -> str:
        """The first file whose path ends so; empty where there is none."""
        found = (data for name, data in self.files() if f"/{name}".endswith(ending))
        return next(found, b"").decode("utf-8", "replace")

    def _zipped(self) -> Iterator[tuple[str, bytes]]:
        with zipfile.ZipFile(self.path) as wheel:
            for info in wheel.infolist():
                if not info.is_dir() and info.file_size <= self._largest:
                    yield info.filename, wheel.read(info)

    def _tar(self) -> tarfile.TarFile:
        if self.path.suffix == ".deb":
            return tarfile.open(fileobj=io.BytesIO(_data_of_deb(self.path)))
        return tarfile.open(self.path)

    def _inner(self, name: str) -> str:
        name = name.removeprefix("./")
        if self.path.suffix == ".deb" or ".debian.tar" in self.path.name:
            return name
        return name.partition("/")[2] or name


def _data_of_deb(path: Path) -> bytes:
    """The tar of a Debian package's files: the member `data.tar.*` of its ar archive."""
    data = path.read_bytes()
    at = len(AR_MAGIC)
    while at + AR_HEADER <= len(data):
        header = data[at : at + AR_HEADER]
        size = int(header[48:58])
        body = data[at + AR_HEADER : at + AR_HEADER + size]
        if header.startswith(b"data.tar"):
            return lzma.decompress(body) if header.startswith(b"data.tar.xz") else body
        at += AR_HEADER + size + size % 2
    return b""
