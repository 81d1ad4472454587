"""Parses a file's bytes to chunks, in a worker process. Loads no store."""

from collections import deque
from collections.abc import Iterable

from repomem.adapters.languages.chunks import chunks_of
from repomem.adapters.languages.classify import left_out, text_of
from repomem.adapters.languages.file_roles import role_of
from repomem.adapters.languages.grammar import language_of
from repomem.adapters.languages.outline import outline_of
from repomem.adapters.languages.packed_outline import EntryRefused, OtherLanguage, chunks_from, entry_of
from repomem.adapters.languages.parsers import has_grammar
from repomem.adapters.languages.uses import uses_of
from repomem.core.encoded_uses import packed_imports, packed_uses
from repomem.core.secrets.redact import redact
from repomem.core.text.words import definition_words, words_of
from repomem.core.types.code import Chunk, Outline, Use
from repomem.core.types.indexed import IndexedChunk, Symbol
from repomem.core.types.text import CleanText
from repomem.index.parse_messages import FileTask, ParsedFile


def parse_file(task: FileTask) -> ParsedFile:
    """Decode, redact, outline, chunk, and split into words and references."""
    reason = left_out(task.path, task.data)
    text = text_of(task.data) if not reason else None
    if text is None:
        return ParsedFile(role_of(task.path, "", task.attributes), "", reason or "undecodable")
    role = role_of(task.path, text[:4096] + text[4096:][-200:], task.attributes)  # a source map is named at the end
    language = language_of(task.path, text)
    if role in task.leave_out:
        return ParsedFile(role, language, role.value)
    clean = redact(text)
    chunks, is_refused = _from_shared_outline(task, clean, language)
    if chunks:
        return ParsedFile(role, language, "", clean.count("\n") + 1, chunks, is_taken=True)
    chunks = _made(clean, language)
    entry = entry_of(chunks, clean, language) if task.wants_entry and has_grammar(language) else b""
    return ParsedFile(role, language, "", clean.count("\n") + 1, chunks, entry, is_refused=is_refused)


def _from_shared_outline(task: FileTask, clean: CleanText, language: str) -> tuple[tuple[IndexedChunk, ...], bool]:
    """Chunks by the shared outline, and whether there is one that contradicts the file."""
    if not task.entry or not has_grammar(language):
        return (), False
    try:
        return chunks_from(task.entry, clean, language), False
    except OtherLanguage:  # the same bytes under another name
        return (), False
    except EntryRefused:
        return (), True


def _made(clean: CleanText, language: str) -> tuple[IndexedChunk, ...]:
    """The chunks of a redacted text."""
    data = clean.encode("utf-8", "replace")
    outline = outline_of(data, language, with_references=True) if has_grammar(language) else None
    uses = uses_of(data, outline, language) if outline else ()
    return tuple(_indexed(chunks_of(data, outline), outline, uses))


def _indexed(chunks: Iterable[Chunk], outline: Outline | None, uses: Iterable[Use]) -> Iterable[IndexedChunk]:
    imports = packed_imports(outline.imports) if outline else ""  # stored with the first chunk
    definitions, left = deque(outline.definitions if outline else ()), deque(uses)
    for ordinal, chunk in enumerate(chunks):
        sites = []
        while definitions and definitions[0].start_line <= chunk.end_line:
            one = definitions.popleft()
            sites.append(Symbol(one.qualified, one.kind, one.start_line, one.end_line, one.signature))
        mine = []
        while left and left[0].line <= chunk.end_line:
            mine.append(left.popleft())
        parts = (words_of(chunk.symbol), words_of(chunk.text), definition_words(chunk.defines))
        yield IndexedChunk(
            version=0,
            ordinal=ordinal,
            start_line=chunk.start_line,
            end_line=chunk.end_line,
            symbol=chunk.symbol,
            kind=chunk.kind,
            signature=chunk.signature,
            docstring=chunk.docstring,
            sites=tuple(sites),
            text=CleanText(chunk.text),
            words=" ".join(filter(None, parts)),
            uses=packed_uses(mine) if ordinal else imports + packed_uses(mine),
        )
