"""The symbols that one file defines: those of a name, the one around a line, and the file's whole outline.

Files are parsed in a worker, so that a crashing grammar does not end the command.
"""

from collections.abc import Iterable, Sequence

from repomem.adapters.languages.classify import text_of
from repomem.adapters.languages.grammar import language_of
from repomem.adapters.languages.parsers import has_grammar
from repomem.core.errors import NotFound
from repomem.core.processes.workers import WorkerFault, run_in_workers
from repomem.core.text.symbol_names import dotted, is_named, last_part
from repomem.core.types.code import Definition, Outline
from repomem.recall.callers import IN_PLACE_OF_BODY
from repomem.workspace.snapshot import Snapshot

OUTLINE_WORK = "repomem.recall.file_symbols:outline_with_references"
NAMESAKES_NAMED = 3
DECLARING = frozenset({"c", "cpp", "objc", "typescript", "tsx"})  # languages with declarations apart from the body
LARGEST_FILE = 4 << 20  # bytes of a file that is read


def enclosing_symbol(text: str, path: str, line: int) -> str:
    """The innermost definition around a line, qualified; empty if there is none.

    A line that holds several definitions, such as an enum with its constants, belongs to the one that encloses them.
    """
    outline = outline_in(text, language_of(path, text))
    around = [each for each in outline.definitions if each.start_line <= line <= each.end_line]
    if not around:
        return ""
    parent = around[-1].qualified.rpartition(".")[0]
    on_line = {each.qualified for each in around if each.start_line == each.end_line}
    siblings = [name for name in on_line if name.rpartition(".")[0] == parent]
    return parent if len(siblings) > 1 else around[-1].qualified


def definitions_of(snapshot: Snapshot, path: str, symbol: str) -> list[Definition]:
    """Where a live file defines a symbol; see `definitions_in`."""
    return definitions_in(_live_text(snapshot, path), path, symbol)


def definitions_in(text: str, path: str, symbol: str) -> list[Definition]:
    """Where a file of this text defines a symbol, in order: several places for overloads and for getter and setter.

    The name may leave out enclosing definitions. A declaration is left out if the file has the definition too. Raises
    NotFound if symbols of several qualified names match.
    """
    language = language_of(path, text)
    wanted = dotted(symbol)
    every = [
        each
        for each in outline_in(text, language).definitions
        if each.qualified == symbol or is_named(each.qualified, wanted)
    ]
    found = [each for each in every if each.qualified in {symbol, wanted}] or _outermost(every)
    names = list(dict.fromkeys(each.qualified for each in found))
    if len(names) > 1:
        listed = ", ".join(f"{path}:{name}" for name in names[:NAMESAKES_NAMED])
        raise NotFound(f"{path} has {len(names)} symbols called {symbol}", f"give one of {listed}")
    return found if language not in DECLARING else _with_body(text, found) or found


def without_declarations(snapshot: Snapshot, places: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    """Of places (path and symbol) of one symbol those that define it, if others only declare it, as headers do."""
    if len({symbol for _, symbol in places}) != 1:
        return places
    return [place for place in places if _has_definition(snapshot, *place)] or places


def _has_definition(snapshot: Snapshot, path: str, symbol: str) -> bool:
    text = _live_text(snapshot, path)
    return language_of(path, text) not in DECLARING or bool(_with_body(text, definitions_in(text, path, symbol)))


def _with_body(text: str, definitions: Iterable[Definition]) -> list[Definition]:
    data = text.encode("utf-8", "replace")
    return [each for each in definitions if has_body(data[each.start_byte : each.end_byte].decode(errors="replace"))]


def has_body(written: str) -> bool:
    """Whether a definition of a language in DECLARING is more than a declaration."""
    return written.endswith("}") or IN_PLACE_OF_BODY.search(written) is not None


def namesakes_of(snapshot: Snapshot, path: str, symbol: str) -> list[str]:
    """The qualified names of other symbols in a live file with the same last part."""
    wanted, text = dotted(symbol), _live_text(snapshot, path)
    outline = outline_in(text, language_of(path, text))
    named = (each.qualified for each in outline.definitions if each.name == last_part(wanted))
    return list(dict.fromkeys(name for name in named if not is_named(name, wanted)))


def _live_text(snapshot: Snapshot, path: str) -> str:
    """The text of a live file; empty without one."""
    return text_of(snapshot.data(path, LARGEST_FILE) or b"") or ""


def _outermost(definitions: Sequence[Definition]) -> list[Definition]:
    """The definitions without those inside another, such as constructors named like their class."""
    return [each for each in definitions if not any(_holds(other, each) for other in definitions)]


def _holds(outer: Definition, inner: Definition) -> bool:
    return inner.qualified.startswith(f"{outer.qualified}.") and outer.start_line <= inner.start_line <= outer.end_line


def outline_with_references(task: tuple[bytes, str]) -> Outline:
    """The part that runs in a worker: the outline of these bytes in this language."""
    from repomem.adapters.languages.outline import outline_of

    data, language = task
    return outline_of(data, language, with_references=True)


def outline_in(text: str, language: str) -> Outline:
    nothing = Outline((), (), is_broken=True)
    if not has_grammar(language):
        return nothing
    tasks = [(0, (text.encode("utf-8", "replace"), language))]
    found = [result for _, result in run_in_workers(OUTLINE_WORK, tasks, processes=1)]
    return nothing if not found or isinstance(found[0], WorkerFault) else found[0]
