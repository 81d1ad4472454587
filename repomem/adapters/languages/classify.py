"""Decides from path and bytes whether a file is indexed, and decodes its text.

The role of a path is decided by `adapters.languages.file_roles`, secrets by `core.secrets.redact`.
"""

import codecs

from repomem.adapters.languages.file_roles import PROSE_SUFFIXES, suffix_of, words_set

LARGE_DATA = "large data file"  # the reason not to index one
LFS_HEADER = b"version https://git-lfs.github.com/spec/"
BINARY_PROBE = 8_000  # bytes: git calls a file binary by a NUL in as many

LONG_AVERAGE_LINE = 500  # bytes: people write 30 to 40, the densest of our sample repositories 90
LONG_LINE = 20_000  # bytes: a bundle or an embedded file, nothing that a person wrote
FEW_LINES = 100  # with more, the long line is a picture or a style sheet inside of code that a person wrote
SHORT_FILE = 5_000  # bytes: one long line in a short file costs only a few chunks

FEWEST_TEXT_BYTES_PER_CONTROL = 500  # compressed data has a control character in every 10 bytes, legacy text none
LEAST_UTF8_SHARE = 0.9  # of the bytes above ASCII: below it the text is in another encoding, not damaged

# The widest mark first: that of UTF-16 is the beginning of that of UTF-32.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b")) + b"\x7f"
_ASCII = bytes(range(128))

_LOCK_FILES = words_set(
    """
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
    poetry.lock uv.lock pdm.lock pixi.lock pylock.toml Pipfile.lock conan.lock Cargo.lock go.sum go.work.sum
    composer.lock symfony.lock Gemfile.lock gems.locked mix.lock rebar.lock pubspec.lock shard.lock
    Podfile.lock Package.resolved Cartfile.resolved packages.lock.json project.assets.json paket.lock
    gradle.lockfile stack.yaml.lock cabal.project.freeze flake.lock MODULE.bazel.lock .terraform.lock.hcl Chart.lock
    """
)
_MINIFIED_ENDINGS = (
    *(".min.js", ".min.mjs", ".min.cjs", ".min.css", "-min.js"),
    *(".js.map", ".mjs.map", ".cjs.map", ".css.map", ".ts.map", ".mts.map", ".cts.map"),
)
# KB up to which a file of data still says something: settings and schemas are smaller, tables and records larger.
# YAML, TOML and SQL are written by hand and stay, up to the general limit.
_DATA_LIMITS = {
    **dict.fromkeys(("csv", "tsv", "psv", "jsonl", "ndjson", "geojson"), 64),
    **dict.fromkeys(("json", "xml", "txt"), 256),
    "ipynb": 512,  # its cells are source, the pictures in its output are not
    "svg": 32,
    "snap": 128,
}
_LONG_LINES_ALLOWED = PROSE_SUFFIXES | {"ipynb", "txt"}  # a paragraph on a line, a picture inside a page


def text_of(data: bytes) -> str | None:
    """The text of a file, encodable as UTF-8 and without a byte order mark; None if it is not text.

    Decoded as UTF-8, as UTF-16 or UTF-32 with a byte order mark, or as Windows-1252 if the bytes look like legacy text.
    Line ends stay unchanged.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decoded(data, encoding)
    if b"\0" in data[:BINARY_PROBE] or data.startswith(b"%PDF-"):
        return None
    text = _decoded(data, "utf-8")
    return _legacy_text(data) if text is None else text


def left_out(path: str, data: bytes) -> str:
    """The reason why a file is not indexed; empty if it is.

    One of: binary, minified, LFS pointer, lock file, large data file.
    """
    name = path.rpartition("/")[2]
    if is_lock_file(path):
        return "lock file"
    if name.endswith(_MINIFIED_ENDINGS):
        return "minified"
    if data.startswith(LFS_HEADER):
        return "LFS pointer"
    if text_of(data) is None:
        return "binary"
    return _shape_fault(suffix_of(name), data)


def is_lock_file(path: str) -> bool:
    """Whether a package manager writes the file, by its name."""
    return path.rpartition("/")[2] in _LOCK_FILES


def _shape_fault(suffix: str, data: bytes) -> str:
    """The reason why the size or lines of a text rule out a human author and reader."""
    limit = _DATA_LIMITS.get(suffix)
    if limit is not None and len(data) > limit * 1024:
        return LARGE_DATA
    if suffix in _LONG_LINES_ALLOWED or not _has_long_lines(data):
        return ""
    return "minified" if limit is None else LARGE_DATA


def _has_long_lines(data: bytes) -> bool:
    if len(data) < SHORT_FILE:
        return False
    lines = data.splitlines()
    if len(data) > LONG_AVERAGE_LINE * len(lines):
        return True
    return len(lines) < FEW_LINES and max(map(len, lines)) > LONG_LINE


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _legacy_text(data: bytes) -> str | None:
    """Damaged UTF-8 or text in a one-byte encoding; None if control characters rule out both."""
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls * FEWEST_TEXT_BYTES_PER_CONTROL > len(data):
        return None
    high = len(data.translate(None, _ASCII))
    kept = len(data.decode("utf-8", "ignore").encode().translate(None, _ASCII))
    if kept >= LEAST_UTF8_SHARE * high:
        return data.decode("utf-8", "replace")
    # Latin-1 gives the five bytes that Windows-1252 lacks a meaning: one of them must not lose the file
    return _decoded(data, "cp1252") or data.decode("latin-1")
