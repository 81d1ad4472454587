"""Recognise a symbol in a version of its file by a known text, so that most versions need not be parsed."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import NamedTuple

from repomem.adapters.git.file_history import FileRevision
from repomem.core.records import Anchor
from repomem.core.symbol_names import last_part
from repomem.core.types.code import SymbolPrint
from repomem.memories.anchors.fingerprints import Fingerprints, Wanted
from repomem.memories.anchors.match import holds, match
from repomem.memories.anchors.moved_code import SeenSymbol

PROBES = 8  # versions of a file that are parsed at once, to learn more texts of the symbol


class _SymbolText(NamedTuple):
    """How a symbol was once written."""

    lines: bytes
    above: bytes
    found: SymbolPrint


def symbols_by_text(
    prints: Fingerprints,
    anchor: Anchor,
    at: tuple[str, str],
    symbol: str,
    seen: SeenSymbol | None,
    walked: Sequence[FileRevision],
) -> Generator[Wanted, None, Mapping[str, SymbolPrint | None]]:
    """The symbol by blob, for versions that contain a known text of it; None for versions without its name.

    `at` is the path with its present blob. The texts at both ends are known first; versions between them are probed
    until the rest is parsed or known.
    """
    path, now = at
    yield [(now, path)]
    names = {anchor.symbol, symbol}
    words = {last_part(name).encode() for name in names}
    texts = _texts_in(prints, anchor, seen.blob, seen.path, {seen.found.qualified}) if seen else []
    texts += _texts_in(prints, anchor, now, path, names)
    waiting = list(dict.fromkeys(step.blob for step in walked if step.blob and step.blob not in prints.known))
    known: dict[str, SymbolPrint | None] = {}
    while waiting:
        for blob, data in prints.contents((blob, path) for blob in waiting):
            unix = data.replace(b"\r\n", b"\n")
            written = next((text for text in texts if holds(unix, text.lines, text.above)), None)
            if written or not any(word in data for word in words):
                known[blob] = written.found if written else None
        waiting = [blob for blob in waiting if blob not in known]
        probes = waiting[:: max(1, len(waiting) // PROBES)]
        yield [(blob, path) for blob in probes]
        waiting = [blob for blob in waiting if blob not in probes]
        texts = [text for blob in probes for text in _texts_in(prints, anchor, blob, path, names)]
    return known


def _texts_in(prints: Fingerprints, anchor: Anchor, blob: str, path: str, names: Iterable[str]) -> list[_SymbolText]:
    """The texts of the symbol, under one of these names, in a parsed version."""
    matches = [match(anchor, name, prints.of(blob)) for name in names]
    found = dict.fromkeys(one.found for one in matches if one)
    lines = prints.lines_of(blob, path) if found else []
    return [
        _SymbolText(
            b"\n".join(lines[one.start_line - 1 : one.end_line]),
            lines[one.start_line - 2].strip() if one.start_line > 1 and lines else b"",
            one,
        )
        for one in found
    ]
