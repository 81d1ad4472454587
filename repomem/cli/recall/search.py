"""`repomem search`: the best places in the code, for one query or a stream of them."""

import sys
from collections.abc import Iterator, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, TextIO

from repomem.cli.terminal.console import flush, out, tell, tell_warnings
from repomem.cli.terminal.formats import Format, is_rich, out_json, out_json_line, out_rich
from repomem.cli.terminal.progress import progress_for_terminal
from repomem.core.errors import RepomemError
from repomem.core.text.counts import counted
from repomem.core.text.escape import fence_for, visible, visible_path
from repomem.core.types.indexed import Hit

if TYPE_CHECKING:
    from repomem.workspace.snapshot import Scope
    from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.search/1"
MOST_AT_ONCE = 100  # queries answered together: their hits are held in memory


def search_command(workspace: "Workspace", query: str, scope: "Scope", limit: int | None, form: Format) -> None:
    """Print the hits for one question. Raises RepomemError for an empty one."""
    if not query.strip():
        raise RepomemError("the query is empty", 'repomem search "where is the config read"')
    [hits], warnings = hits_for(workspace, [query], scope, limit)
    tell_warnings(warnings)
    if form is Format.JSON:
        out_json(hits_json(hits, warnings))
    elif hits:
        _out_panels(hits) if is_rich() else out(hits_markdown(hits))
    else:
        tell(nothing_found(warnings))


def nothing_found(warnings: Sequence[str]) -> str:
    """The message without hits; `warnings` report what is not indexed."""
    return "nothing found in the part indexed so far" if warnings else "nothing found"


def search_lines_command(workspace: "Workspace", scope: "Scope", limit: int | None) -> None:
    """Answer each line of stdin with one line of JSON, in order, as soon as it comes."""
    for queries in _batches(sys.stdin):
        found, warnings = hits_for(workspace, queries, scope, limit)
        tell_warnings(warnings)
        for hits in found:
            out_json_line(hits_json(hits, warnings))
        flush()


def hits_json(hits: Sequence[Hit], warnings: Sequence[str]) -> dict[str, Any]:
    """Hits as plain values, by the contract `repomem.search/1`; `warnings` report what is not indexed, if anything."""
    lacking = {"warnings": list(warnings)} if warnings else {}
    return {"schema": SCHEMA, "hits": [_hit_json(hit) for hit in hits], **lacking}


def hits_markdown(hits: Sequence[Hit]) -> str:
    """Hits for a pipe: each with its place, its reasons and its lines."""
    return _lead(hits) + "\n".join(map(_as_markdown, hits))


def _lead(hits: Sequence[Hit]) -> str:
    """A line above hits that share no word with the query; else empty."""
    is_by_meaning = bool(hits) and all(hit.why == ("vector",) for hit in hits)
    return "No file contains these words; nearest by meaning:\n\n" if is_by_meaning else ""


def hits_for(
    workspace: "Workspace", queries: list[str], scope: "Scope", limit: int | None
) -> tuple[list[list[Hit]], tuple[str, ...]]:
    """The hits for each query, in order, none for an empty one; and warnings about what is not indexed."""
    from repomem.recall.answer import search_now
    from repomem.workspace.run import Run

    most = workspace.loaded.config.search.limit if limit is None else limit
    asked = [query for query in queries if query]
    if not asked:
        return [[] for _ in queries], ()
    hits, warnings = search_now(workspace, asked, scope, most, Run(progress=progress_for_terminal()))
    found = iter(hits)
    return [next(found) if query else [] for query in queries], warnings


def _batches(stream: TextIO) -> Iterator[list[str]]:
    """The queries in batches of the lines read so far: a single line is answered at once, a file in few batches."""
    lines: SimpleQueue[str | None] = SimpleQueue()
    Thread(target=_feed, args=(stream, lines), daemon=True).start()
    while batch := _waiting(lines):
        yield batch


def _feed(stream: TextIO, lines: "SimpleQueue[str | None]") -> None:
    for line in stream:
        if line.endswith("\n") or line.strip():  # blanks after the last line break are not a question
            lines.put(visible(line).strip())
    lines.put(None)


def _waiting(lines: "SimpleQueue[str | None]") -> list[str]:
    """The queries read so far, at least one; empty at the end of the input."""
    batch: list[str] = []
    while not batch or (len(batch) < MOST_AT_ONCE and not lines.empty()):
        query = lines.get()
        if query is None:
            lines.put(None)  # so that the next call also sees the end
            break
        batch.append(query)
    return batch


def _hit_json(hit: Hit) -> dict[str, Any]:
    return {
        "path": visible_path(hit.file.path),
        "start_line": hit.chunk.start_line,
        "end_line": hit.chunk.end_line,
        "symbol": hit.chunk.symbol,
        "kind": hit.chunk.kind,
        "language": hit.file.language,
        "score": round(hit.score, 4),
        "text": hit.chunk.text,
        "why": list(hit.why),
    }


def _heading(hit: Hit) -> str:
    from repomem.recall.explanation import described

    chunk = hit.chunk
    place = f"{visible_path(hit.file.path)}:{chunk.start_line}-{chunk.end_line}"
    more = f" and {counted(chunk.other_definitions, 'more definition')}" if chunk.other_definitions else ""
    symbol = f" {chunk.kind} {visible(chunk.symbol)}{more}" if chunk.symbol else ""
    return f"{place}{symbol} ({', '.join(described(hit.why))})"


def _as_markdown(hit: Hit) -> str:
    text = visible(hit.chunk.text).rstrip("\n")
    fence = fence_for(text)
    return f"{_heading(hit)}\n{fence}{hit.file.language}\n{text}\n{fence}\n"


def _out_panels(hits: Sequence[Hit]) -> None:
    from rich.syntax import Syntax
    from rich.text import Text

    out(_lead(hits))
    for hit in hits:
        text = visible(hit.chunk.text).rstrip("\n")
        lexer = Syntax.guess_lexer(hit.file.path, text)
        first = hit.chunk.start_line
        code = Syntax(text, lexer, theme="ansi_dark", line_numbers=True, start_line=first, word_wrap=True)
        out_rich(Text(_heading(hit), style="bold cyan"), code, "")
