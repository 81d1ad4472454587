"""Memories selected by a task's files and symbols, whatever its words: rules in scope, and memories on code."""

from collections.abc import Iterator, Mapping, Sequence, Set as AbstractSet
from operator import not_

from repomem.core.records import MemoryKind
from repomem.core.scopes import matches
from repomem.core.text.escape import ends_path
from repomem.items.task_context import TaskContext
from repomem.memories.search.relevant import RelevantMemories
from repomem.memories.snapshots.memory_outlines import MemoryOutlines
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import REVERTED, Status
from repomem.ranking.query import Query

FILES_SHOWN = 3  # of the best: memories on them are shown whatever their words
SYMBOLS_SHOWN = 2  # the same of symbols: later ones are often only neighbours of the task's code
RULE_FILES = 5  # best files: a rule for other paths does not apply to this task


def rules_in_scope(here: MemoryOutlines, relevant: RelevantMemories, task: TaskContext) -> list[str]:
    """The confirmed rules in scope of the task: the relevant ones, then the newest, then general ones near to it."""
    rules = here.where(kind=lambda kind: kind is MemoryKind.RULE, is_fact=bool)
    newest = sorted(rules if task.query is None else _in_scope(rules, task.query, task), reverse=True)
    near = {name: at for at, name in enumerate(relevant.general, start=1)}
    scores = {name: one.score for name, one in relevant.matches.items()}
    return sorted(newest, key=lambda name: (-scores.get(name, 0.0), near.get(name, 0)))


def scoped_rules(here: MemoryOutlines, task: TaskContext) -> MemoryOutlines:
    """The confirmed rules with a scope that has a path of the task."""
    named = task.query.paths if task.query else ()
    paths = [*task.files[:RULE_FILES], *named, *([task.folder] if task.folder else [])]
    return _for_paths(here.where(kind=lambda kind: kind is MemoryKind.RULE, is_fact=bool), paths)


def _in_scope(rules: MemoryOutlines, query: Query, task: TaskContext) -> Iterator[str]:
    yield from scoped_rules(rules, task)
    everywhere = rules.where(scope=not_)
    yield from everywhere.where(is_anchored=not_)
    files = {*task.files[:SYMBOLS_SHOWN], *query.paths}  # few: a small repository's briefs list every rule's file
    yield from _on(everywhere, files, set(task.symbols[:RULE_FILES]))


def unconfirmed_rules(
    known: MemorySnapshot, here: MemoryOutlines, relevant: RelevantMemories, task: TaskContext, taken: AbstractSet[str]
) -> list[str]:
    """The unconfirmed rules that hold everywhere, the nearest to the task first; none if no code is relevant."""
    rules = rules_for_all(here) if task.files else {}
    near = [name for name in relevant.general if name in rules and name not in taken]
    return [name for name in near if is_only_unconfirmed(known, name)]


def is_only_unconfirmed(known: MemorySnapshot, name: str) -> bool:
    """Whether a memory is unconfirmed, and nothing else speaks against it."""
    one = known.states[name]
    return one.status is Status.PROVISIONAL and one.why != REVERTED and not known.is_of_untrusted_writer(name)


def general_rules(here: MemoryOutlines) -> MemoryOutlines:
    """The confirmed rules that hold everywhere."""
    return rules_for_all(here).where(is_fact=bool)


def rules_for_all(here: MemoryOutlines) -> MemoryOutlines:
    """The rules that hold everywhere, confirmed or not."""
    return here.where(kind=lambda kind: kind is MemoryKind.RULE, scope=not_, is_anchored=not_)


def on_places(here: MemoryOutlines, task: TaskContext, nearness: Mapping[str, float]) -> list[str]:
    """The memories in a file that the task names, then those on a first symbol, on a first file, or scoped to one.

    Those whose code has changed come last; else the nearest to the task come first, then the newest: in a large file
    much was decided that has nothing to do with it.
    """
    files, symbols = set(task.files[:FILES_SHOWN]), set(task.symbols[:SYMBOLS_SHOWN])
    ends = task.query.paths if task.query else ()
    named = {*here.where(paths=lambda paths: any(ends_path(path, end) for path in paths for end in ends))}
    on = {*named, *_for_paths(here, [*files, *ends]), *_on(here, files, symbols)}

    def importance(name: str) -> tuple[bool, bool, float, str]:
        return name in named, here[name].status is not Status.DRIFTED, nearness.get(name, 0.0), name

    return sorted(on, key=importance, reverse=True)


def _for_paths(memories: MemoryOutlines, paths: Sequence[str]) -> MemoryOutlines:
    """Those whose scope has one of the paths."""
    return memories.where(scope=lambda scope: any(matches(glob, path) for glob in scope for path in paths))


def _on(here: MemoryOutlines, files: AbstractSet[str], symbols: AbstractSet[str]) -> set[str]:
    """The memories on one of the symbols, or on one of the files as a whole."""
    near = here.where(paths=lambda paths: not files.isdisjoint(paths))
    places = {name: zip(near[name].paths, near[name].symbols, strict=True) for name in near}
    on_files = {name for name, own in places.items() if any(path in files and not symbol for path, symbol in own)}
    return on_files.union(here.where(symbols=lambda own: not symbols.isdisjoint(own)))
