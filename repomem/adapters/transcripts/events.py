"""Events in one form for all hosts: messages, tool calls and results; and the steps made from them.

A host's reader gives events in order. Results are joined to their calls here. An event without an identifier gets a key
from its time and text, which does not change when only a part is read.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from repomem.adapters.transcripts.clean_text import own_words, printed, without_briefs
from repomem.adapters.transcripts.json_shapes import plain
from repomem.adapters.transcripts.steps import Step, StepKind
from repomem.core.digests import short_digest

OUTPUT_START = 2_000  # characters kept: compilers print the first error there,
OUTPUT_END = 6_000  # test runners sum up here
REMEMBER = "remember"  # the end of the name of our tool over MCP, such as mcp__repomem__remember


@dataclass(frozen=True, slots=True)
class Words:
    """A message: ASKED or SAID."""

    kind: StepKind
    text: str
    at: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: it runs `command`, writes `paths`, or does neither; then it may read files."""

    key: str
    tool: str
    command: str = ""
    paths: tuple[str, ...] = ()
    at: str = ""
    read: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """The result of the call with this key."""

    call: str
    output: str = ""
    code: int | None = None
    is_refused: bool = False
    is_void: bool = False  # the tool did nothing, for example after wrong arguments


Act = Words | Call | Result


def shortened(output: str) -> str:
    """Cut the middle out of long output."""
    if len(output) <= OUTPUT_START + OUTPUT_END:
        return plain(output)
    return plain(f"{output[:OUTPUT_START]}\n…\n{output[-OUTPUT_END:]}")


def steps_of(acts: Sequence[Act]) -> tuple[Step, ...]:
    """Make steps of acts: each call with its result, repeated calls once."""
    results = {act.call: act for act in acts if isinstance(act, Result)}
    return tuple(_with_keys(_steps(acts, results)))


def _steps(acts: Iterable[Act], results: dict[str, Result]) -> Iterator[Step]:
    seen: set[str] = set()
    for act in acts:
        if isinstance(act, Result) or (act.key and act.key in seen):
            continue
        seen.add(act.key)
        if isinstance(act, Words):
            yield from _spoken(act)
        else:
            yield from _called(act, results.get(act.key) if act.key else None)


def _spoken(words: Words) -> Iterator[Step]:
    clean = own_words if words.kind is StepKind.ASKED else without_briefs
    if text := clean(plain(words.text)):
        yield Step(words.key, words.kind, text, words.at)


def _called(call: Call, result: Result | None) -> Iterator[Step]:
    found = result or Result(call.key)
    if found.is_void:
        return
    if command := plain(call.command):
        output = printed(shortened(found.output))
        yield Step(call.key, StepKind.RAN, command, call.at, found.code, output, found.is_refused)
        return
    for at, path in enumerate(call.paths):
        key = f"{call.key}:{at}" if at and call.key else call.key
        yield Step(key, StepKind.EDITED, plain(path), call.at, is_refused=found.is_refused)
    if not call.paths:
        output = printed(shortened(found.output)) if call.tool.endswith(REMEMBER) else ""
        yield Step(call.key, StepKind.LOOKED, call.tool, call.at, output=output, paths=tuple(map(plain, call.read)))


def _with_keys(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps; one without a key gets a digest of its text and time, numbered where two are equal."""
    seen = Counter[str]()
    for step in steps:
        if step.key:
            yield step
            continue
        digest = short_digest(f"{step.kind}\0{step.at}\0{step.text}".encode(errors="surrogatepass"))
        seen[digest] += 1
        yield replace(step, key=digest if seen[digest] == 1 else f"{digest}:{seen[digest]}")
