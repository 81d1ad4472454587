"""The functions that a replayed commit changed, and the shares that the brief and plain chunks name."""

from collections.abc import Iterable, Iterator

from repomem.adapters.git.hunks import old_lines
from repomem.adapters.languages.grammar import language_of
from repomem.adapters.languages.outline import outline_of
from repomem.core.tokens import count_tokens
from repomem.core.types.brief import BriefItem
from repomem.core.types.code import FUNCTIONS, Definition, Outline
from repomem.core.types.indexed import IndexedChunk
from repomem.evaluate.figures import FunctionShares
from repomem.evaluate.tasks import ReplayTask
from repomem.ranking.definitions import LONGEST_WHOLE
from repomem.ranking.gather import Evidence
from repomem.workspace.snapshot import Snapshot

CHUNKS = 60  # best by words; more than any budget prints
LARGEST = 1 << 20  # bytes of a file that is parsed
Function = tuple[str, str]  # path, qualified name


def function_shares(
    snapshot: Snapshot, task: ReplayTask, items: Iterable[BriefItem], evidence: Evidence, budget: int
) -> FunctionShares | None:
    """The shares for a task at its parent; None if its commit changed no function that exists there."""
    changed = _changed(snapshot, task)
    if not changed:
        return None
    named = {(item.path, item.symbol) for item in items}
    printed = _printed(_best_chunks(snapshot, evidence), budget)
    return FunctionShares(len(changed & named) / len(changed), len(changed & printed) / len(changed))


def _changed(snapshot: Snapshot, task: ReplayTask) -> set[Function]:
    found: set[Function] = set()
    for path, parts in old_lines(snapshot.workspace.repository, task.parent, task.commit).items():
        language = language_of(path)
        data = snapshot.data(path, LARGEST) if language and path in task.answers else None
        if data is not None:
            outline = outline_of(data, language)
            around = (function_at(outline, line) for lines in parts for line in lines)
            found |= {(path, each.qualified) for each in around if each}
    return found


def function_at(outline: Outline, line: int) -> Definition | None:
    """The function that contains a line: the innermost, or a short one around it."""
    around = [each for each in outline.definitions if each.start_line <= line <= each.end_line]
    functions = [each for each in around if each.kind in FUNCTIONS]
    whole = (each for each in functions if each.end_line - each.start_line < LONGEST_WHOLE)
    return next(whole, functions[-1]) if functions else None


def _best_chunks(snapshot: Snapshot, evidence: Evidence) -> Iterator[tuple[str, IndexedChunk]]:
    ranked = sorted(
        ((score, version, at) for version, scores in evidence.chunk_scores.items() for at, score in enumerate(scores)),
        key=lambda each: (-each[0], each[1], each[2]),
    )[:CHUNKS]
    code = snapshot.code(snapshot.tree.corpus)
    chunks = {(each.version, each.ordinal): each for each in code.chunks(sorted({each[1] for each in ranked}))}
    return ((evidence.files[version].path, chunks[version, at]) for _, version, at in ranked if (version, at) in chunks)


def _printed(chunks: Iterable[tuple[str, IndexedChunk]], budget: int) -> set[Function]:
    """The functions in the first chunks that fit into `budget` tokens when printed with path and lines."""
    found: set[Function] = set()
    for path, chunk in chunks:
        budget -= count_tokens(f"{path}:{chunk.start_line}-{chunk.end_line}\n{chunk.text}\n")
        if budget < 0:
            break
        found |= {(path, site.qualified) for site in chunk.sites} | {(path, chunk.symbol)}
    return found
