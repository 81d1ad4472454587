"""One file's bytes to the prints of its symbols: what a worker process does. It loads the grammars, and no store."""

from repomem.adapters.languages.classify import text_of
from repomem.adapters.languages.fingerprint import prints_of
from repomem.adapters.languages.grammar import language_of
from repomem.core.types import SymbolPrint


def print_file(task: tuple[str, bytes]) -> tuple[SymbolPrint, ...]:
    """The prints of a file, given its path and bytes; none where it is no text."""
    path, data = task
    text = text_of(data)
    if text is None:
        return ()
    return prints_of(text.encode("utf-8", "replace"), language_of(path, text[:200].partition("\n")[0]))
