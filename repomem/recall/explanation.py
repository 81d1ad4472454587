"""Why each memory and place is in a brief, and which memories came close: lines for people, below the items.

They are not counted in the budget, since they explain the brief that an agent gets.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace

from repomem.brief.render import FRAME_END, LIST_START
from repomem.core.records import MemoryKind
from repomem.core.text.escape import code, one_line, quoted, unframed
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.stop_words import COMMON
from repomem.core.types.brief import Brief, BriefItem, ExplainedLine
from repomem.items.memories import MemoryItems, possible_memories
from repomem.items.task_context import TaskContext
from repomem.memories.search.likeness import LikenessToMemories
from repomem.memories.search.search_documents import documents_of
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.ranking.memories import MemoryMatch, matching_by_sentence, ranked_memories
from repomem.ranking.memory_signals import names_code
from repomem.ranking.memory_words import MemoryDocument, names_in
from repomem.ranking.other_code import without_other_code
from repomem.ranking.query import Query
from repomem.ranking.signals import DESCRIPTIONS as CODE_SIGNALS
from repomem.workspace.workspace import Workspace

NEARLY = 2  # memories that were not shown
WORDS_NAMED = 4
TEXT_LENGTH = 120  # characters of a memory that was not shown
SIGNALS = {  # of memories, then of code; the others are named as they are
    "name": "its code is named in the task",
    "symbol": "its symbol is in the brief",
    "file": "its file is in the brief",
    "date": "its date is named in the task",
    **CODE_SIGNALS,
}
_SPAN = lazy_pattern(r"`([^`]+)`")
_START = lazy_pattern(r"(?:- |\d+\. )")


@dataclass(frozen=True, slots=True)
class _Selection:
    """How the memories of a brief were selected, and each memory's words."""

    known: MemorySnapshot
    query: Query
    documents: Mapping[str, MemoryDocument]
    found: Sequence[MemoryMatch]  # with enough evidence
    kept: AbstractSet[str]  # of these, without those about other code
    chosen: AbstractSet[str]  # candidates for the brief

    def why(self, item: BriefItem) -> str:
        """Why an item is in the brief; empty for one that is neither memory nor place."""
        is_memory = item.kind in set(MemoryKind)
        name = next((each for each in self.known.states if each.startswith(item.id)), "") if is_memory else ""
        if item.why or item.score:
            return self.signals(name, item.why, item.score)
        if not name:
            return ""
        memory = self.known.states[name].memory
        if memory.pinned:
            return "pinned"
        if memory.said.scope:
            return "its scope covers files relevant to the task"
        return "its code is in the brief" if memory.said.anchors else "it applies everywhere"

    def signals(self, name: str, why: Sequence[str], score: float) -> str:
        """The signals that selected an item, with its score; `name` is the id of a memory, or empty."""
        labels = {**SIGNALS, **(self._labels(self.documents[name]) if name in self.documents else {})}
        labelled = [labels.get(each, each) for each in why]
        return f"{', '.join(labelled) or 'neighbouring memories match'}; score {score:.2f}"

    def _labels(self, memory: MemoryDocument) -> dict[str, str]:
        """The signals of a memory, with what it has in common with the task; a name may be only in its text."""
        own, weights = frozenset(memory.words.split()), self.query.words
        heaviest = sorted(own.intersection(weights) - COMMON, key=lambda word: (-weights[word], word))
        shared = ", ".join(heaviest[:WORDS_NAMED])
        labels = {"words": f"words ({shared})" if shared else "words"}
        names = names_in(memory.words, [*self.query.identifiers, *self.query.file_names])
        if names and not names_code(self.query, self.query.identifiers, memory.paths, memory.symbols):
            labels["name"] = f"shares a name with the task ({', '.join(names)})"
        return labels

    def why_not(self, name: str, budget: int) -> str:
        """Why a memory is not in the brief."""
        if name in self.chosen:
            return f"did not fit in {budget} tokens"
        if name in self.kept:
            return "other memories come first"
        if any(one.id == name for one in self.found):
            return "it names other code than the task"
        is_sure = any(one.is_certain for one in self.found)
        return "too little evidence that it is about the task" if is_sure else "not clearly about the task"


def described(signals: Iterable[str]) -> list[str]:
    """The signals of the code ranking in words."""
    return [CODE_SIGNALS.get(each, each) for each in signals]


def explained(
    workspace: Workspace,
    brief: Brief,
    known: MemorySnapshot,
    task: TaskContext,
    memories: MemoryItems,
    kinds: Collection[str],
) -> Brief:
    """The brief, of items of these kinds, with a line below each memory and place, and with the nearest left out."""
    query = task.query
    if query is None or not brief.markdown:
        return brief
    shown = possible_memories(known, task)
    documents = documents_of(workspace, known, shown)
    likeness = LikenessToMemories(workspace, known, shown)
    ranked = ranked_memories(query, documents, task.code, likeness(query))
    displayed = {*memories.shown_in(brief)}
    nearest = [one for one in ranked if one.id in shown.here and one.id not in displayed and one.score > 0]
    found = matching_by_sentence(query, documents, likeness, task.code)
    kept = without_other_code(query, found, documents, task.code)
    by_id = {each.id: each for each in documents}
    selection = _Selection(known, query, by_id, found, frozenset(one.id for one in kept), memories.ids)
    body = brief.markdown.rpartition(FRAME_END)[0].rstrip("\n").split("\n")
    lines = (*_with_reasons(body, brief.items, selection), *_nearly_shown(nearest, selection, brief.budget, kinds))
    return replace(brief, markdown="\n".join([*_markdown(lines), FRAME_END, ""]), explained=lines)


def _markdown(lines: Iterable[ExplainedLine]) -> Iterator[str]:
    """The lines, with the reason below each that has one."""
    is_nearly = False
    for line in lines:
        if not line.is_shown and not is_nearly:
            yield from ("", "## Not shown, but close")
        is_nearly = not line.is_shown
        yield line.text
        if line.why:
            start = _START.match(line.text)
            yield f"{' ' * len(start[0] if start else '')}- why: {unframed(line.why)}"


def _with_reasons(lines: Sequence[str], items: Sequence[BriefItem], selection: _Selection) -> Iterator[ExplainedLine]:
    """The lines, with the reason after each that shows a memory or a place."""
    by_id = {item.id: item for item in reversed(items) if item.id and not item.repository}  # the first of an id
    for line in lines:
        spans = _SPAN.findall(line) if _START.match(line) else []
        named = next((by_id[span] for span in spans if span in by_id), None)
        reason = selection.why(named) if named else ""
        is_listed = reason and line.startswith(LIST_START)
        yield ExplainedLine(line, f"the first: {reason}" if is_listed else reason, named)


def _nearly_shown(
    nearest: Sequence[MemoryMatch], selection: _Selection, budget: int, kinds: Collection[str]
) -> Iterator[ExplainedLine]:
    """The first of the `nearest` memories that the brief does not show, each with the reason."""
    for one in nearest[:NEARLY]:
        said, short = selection.known.said(one.id), selection.known.short_id(one.id)
        title = f"- {said.kind.value} {code(short)} {quoted(one_line(said.text, TEXT_LENGTH))}"
        item = BriefItem(said.kind.value, short, one.id, said.text)
        is_excluded = bool(kinds) and said.kind.value not in kinds
        why = "--kind excludes it" if is_excluded else selection.why_not(one.id, budget)
        text = f"{unframed(title)}: {why}"
        yield ExplainedLine(text, selection.signals(one.id, one.why, one.score), item, is_shown=False)
