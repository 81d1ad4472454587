"""Whether a commit changed code only because functions or types that it uses were renamed.

The names that the old text has and the new one lacks must be as many as the reverse; the commit must have renamed the
definition of each; and the old text with the new names must have the fingerprint of the new one.
"""

from collections.abc import Generator, Iterable, Mapping, Sequence

from repomem.core.grouping import grouped_by
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.symbol_names import last_part
from repomem.core.types.code import SymbolPrint
from repomem.memories.anchors.commits import CandidateFile
from repomem.memories.anchors.fingerprints import Fingerprints, Wanted
from repomem.memories.anchors.moved_code import SeenSymbol

MOST_RENAMED = 3  # names in one function
_NAME = lazy_pattern(rb"(?<![\w$])[A-Za-z_$][\w$]{2,}")


def only_uses_renamed(
    prints: Fingerprints, before: SeenSymbol, after: SeenSymbol, files: Sequence[CandidateFile]
) -> Generator[Wanted, None, bool]:
    """Whether the code does the same, under other names; `files` are those that the commit of the change wrote."""
    old, new = (prints.text_of(seen.blob, seen.path, seen.found) for seen in (before, after))
    names = _renamed_names(old, new)
    if not names:
        return False
    contents = dict(prints.contents((blob, file.path) for file in files for blob in (file.blob, file.old_blob)))
    texts = {file: contents.get(file.blob, b"") + contents.get(file.old_blob, b"") for file in files}
    defining = [file for file, text in texts.items() if any(name in text for pair in names.items() for name in pair)]
    yield [(blob, file.path) for file in defining for blob in (file.blob, file.old_blob)]
    lost = _by_name(prints.of(file.old_blob) for file in defining)
    made = _by_name(prints.of(file.blob) for file in defining)
    is_renamed = all(_is_renamed(lost, made, name.decode(), other.decode()) for name, other in names.items())
    return is_renamed and any(_are_one(each, after.found) for each in _with_names(prints, before, names))


def may_have_renamed(old: bytes, new: bytes) -> bool:
    """Whether so few names are gone from a text that they may be renamed."""
    return 0 < len(_names_without(old, new)) <= MOST_RENAMED


def _renamed_names(old: bytes, new: bytes) -> dict[bytes, bytes]:
    """The names that only the old text has, each with the one that only the new text has in its place."""
    gone, came = _names_without(old, new), _names_without(new, old)
    return dict(zip(gone, came, strict=True)) if 0 < len(gone) == len(came) <= MOST_RENAMED else {}


def _names_without(one: bytes, other: bytes) -> list[bytes]:
    """The names in one text, in order, that the other lacks."""
    there = set(_NAME.findall(other))
    return [name for name in dict.fromkeys(_NAME.findall(one)) if name not in there]


_Symbols = Mapping[str, Sequence[SymbolPrint]]


def _by_name(prints: Iterable[Sequence[SymbolPrint]]) -> _Symbols:
    """The symbols of files by the last part of their names."""
    return grouped_by(
        (one for of_file in prints for one in of_file if one.qualified), lambda one: last_part(one.qualified)
    )


def _is_renamed(lost: _Symbols, made: _Symbols, name: str, other: str) -> bool:
    """Whether a definition that was lost was made again under the other name."""
    is_gone = name not in made and other not in lost
    return is_gone and any(_are_one(old, new) for old in lost.get(name, ()) for new in made.get(other, ()))


def _are_one(old: SymbolPrint, new: SymbolPrint) -> bool:
    return old.print == new.print or (bool(old.unnamed) and old.unnamed == new.unnamed)


def _with_names(prints: Fingerprints, seen: SeenSymbol, names: Mapping[bytes, bytes]) -> list[SymbolPrint]:
    """The fingerprints of the code with other names in it."""
    lines = prints.lines_of(seen.blob, seen.path)
    first, last = seen.found.start_line - 1, seen.found.end_line
    code = _NAME.sub(lambda name: names.get(name[0], name[0]), b"\n".join(lines[first:last]))
    text = b"\n".join([*lines[:first], code, *lines[last:]])
    place = seen.found.start_line, seen.found.end_line
    return [each for each in prints.of_text(seen.path, text) if (each.start_line, each.end_line) == place]
