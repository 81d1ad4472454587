"""Worker process: the fingerprints of the symbols in one file. It loads grammars, but no store."""

from repomem.adapters.languages.classify import text_of
from repomem.adapters.languages.fingerprint import prints_of
from repomem.adapters.languages.grammar import language_of
from repomem.core.types.code import SymbolPrint


def print_file(task: tuple[str, bytes]) -> tuple[SymbolPrint, ...]:
    """The fingerprints of a file, given its path and bytes; none for a binary file."""
    path, data = task
    text = text_of(data)
    if text is None:
        return ()
    return prints_of(text.encode("utf-8", "replace"), language_of(path, text))
