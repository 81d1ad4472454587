"""Finds code that left its file: by its fingerprint, else by the similarity of its text."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import NamedTuple

from repomem.core.records import Anchor
from repomem.core.types.code import SymbolPrint
from repomem.memories.anchors.commits import CandidateFile
from repomem.memories.anchors.fingerprints import Fingerprints, Wanted
from repomem.memories.anchors.match import (
    Match,
    as_seen,
    by_print_elsewhere,
    fresh,
    is_same,
    may_contain_symbol,
    most_similar_symbol,
    renamed_function,
)
from repomem.memories.status import CHANCE_TOKENS, Status


class SeenSymbol(NamedTuple):
    """The code in one version of one file."""

    path: str
    blob: str
    found: SymbolPrint


def find_moved(
    prints: Fingerprints, anchor: Anchor, symbol: str, seen: SeenSymbol | None, files: Sequence[CandidateFile]
) -> Generator[Wanted, None, tuple[SeenSymbol, Match] | None]:
    """The symbol that the code became: by its fingerprint, as known or as last seen, else by its text."""
    text = prints.text_of(seen.blob, seen.path, seen.found) if seen else b""
    data = dict(prints.contents((file.blob, file.path) for file in files))
    own = seen.path if seen else ""
    near = [file for file in files if file.blob in data]
    near = [file for file in near if file.path == own or may_contain_symbol(data[file.blob], text, symbol)]
    yield [(blob, file.path) for file in near for blob in (file.blob, file.old_blob)]
    new = [(file, fresh(prints.of(file.blob), prints.of(file.old_blob))) for file in near]
    known = [(replace(anchor, symbol=symbol), Status.MOVED)]
    if seen:
        known.append((as_seen(anchor, symbol, seen.found), Status.DRIFTED))
    for wanted, status in known:
        for file, listed in new:
            found = by_print_elsewhere(wanted, listed)
            if not found and file.path == own:
                found = renamed_function(wanted, prints.of(file.blob), prints.of(file.old_blob))
            if found:
                is_known = is_same(found, anchor)
                return SeenSymbol(file.path, file.blob, found), Match(Status.MOVED if is_known else status, found)
    is_long = seen and len(text.split()) >= CHANCE_TOKENS  # a class has its members outside its own fingerprint
    return _most_similar(prints, anchor, seen, text, new) if seen and is_long else None


def _most_similar(
    prints: Fingerprints,
    anchor: Anchor,
    seen: SeenSymbol,
    text: bytes,
    new: Sequence[tuple[CandidateFile, Sequence[SymbolPrint]]],
) -> tuple[SeenSymbol, Match] | None:
    alike: list[tuple[float, SeenSymbol]] = []
    for file, listed in new:
        lines = prints.lines_of(file.blob, file.path)
        texts = [(one, b"\n".join(lines[one.start_line - 1 : one.end_line])) for one in listed]
        if found := most_similar_symbol(seen.found, text, texts):
            alike.append((found[0], SeenSymbol(file.path, file.blob, found[1])))
    if not alike:
        return None
    _, best = max(alike, key=itemgetter(0))
    return best, Match(Status.MOVED if is_same(best.found, anchor) else Status.DRIFTED, best.found)
