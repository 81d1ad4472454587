"""Reads rollouts of Codex: items sent to and from the model, and events that repeat much of them.

Prompts are in both; events have them without what Codex adds, so items are ignored where there are events. Turns that
were rolled back are left out. The rollout of a sub-agent may repeat its parent's lines first; these are left out too.
"""

from collections.abc import Iterable, Iterator, Mapping

from repomem.adapters.transcripts.events import Act, Result, Words, shortened, steps_of
from repomem.adapters.transcripts.json_shapes import inner, mapping, parsed, records, string, text_at, time_of, words_of
from repomem.adapters.transcripts.steps import StepKind, Transcript, of_subagent
from repomem.adapters.transcripts.tool_calls import UNKNOWN_FAILURE, call_of, exit_code, is_refusal, is_running
from repomem.core.text.lazy_pattern import lazy_pattern

HOST = "codex"
_TIME = 13  # characters of a UUID that encode the millisecond
SUMMARY_END = 40  # characters at its end that identify a summary
_DECLINED = frozenset({"declined", "rejected", "denied"})
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
_SESSION = lazy_pattern(r"Process running with session ID (\d+)")
_REFUSED = lazy_pattern(r"(?i)\s*(?:exec command |patch |error: )?(?:rejected|aborted) by (?:the )?user")


def read(lines: Iterable[bytes | str]) -> Transcript:
    meta: Mapping[str, object] = {}
    rollout = _Rollout()
    is_inherited = False
    for record in records(lines):
        payload = mapping(record.get("payload")) or record  # the first versions had no envelope
        at = time_of(record.get("timestamp"))
        kind = text_at(record, "type")
        if kind in {"session_meta", "turn_context"}:
            meta = {**payload, **meta}  # a session that was forked has its parent's behind its own
            is_inherited = _is_inherited(kind, payload, meta, is_inherited=is_inherited)
        elif is_inherited:
            continue
        elif kind == "event_msg":
            rollout.event(payload, at)
        elif kind == "compacted":
            rollout.drop_summary(text_at(payload, "message"))
        else:
            rollout.item(payload, at)
    steps = steps_of(rollout.acts())
    return Transcript(
        host=HOST,
        session=text_at(meta, "id"),
        folder=text_at(meta, "cwd"),
        steps=of_subagent(steps, text_at(meta, "id") or HOST) if _is_subagent(meta) else steps,
        started=time_of(meta.get("timestamp")),
        branch=text_at(meta.get("git"), "branch"),
    )


def _is_subagent(meta: Mapping[str, object]) -> bool:
    return bool(mapping(inner(meta, "source", "subagent"))) or meta.get("thread_source") == "subagent"


def _is_inherited(kind: str, payload: Mapping[str, object], meta: Mapping[str, object], *, is_inherited: bool) -> bool:
    """Whether the lines behind this one are the parent's: those of a sub-agent up to its own first turn.

    Ids are UUIDs of version 7, which start with the time; a turn of the parent is older than the sub-agent.
    """
    if kind == "session_meta":
        is_parents = _is_subagent(meta) and bool(meta.get("forked_from_id") or payload.get("id") != meta.get("id"))
        return is_inherited or is_parents
    turn, own = text_at(payload, "turn_id"), text_at(meta, "id")
    return is_inherited and bool(turn) and turn[:_TIME] < own[:_TIME]


class _Rollout:
    """Collects acts; prompts in both forms."""

    def __init__(self) -> None:
        self._acts: list[tuple[Act, bool]] = []  # with whether it comes from an event
        self._has_programs = False  # only items report a program's result; for other calls they repeat the call
        self._running: dict[str, str] = {}  # the number of a process to the call that started it
        self._continued: dict[str, str] = {}  # a call that waits for a process to the one that started it

    def event(self, payload: Mapping[str, object], at: str) -> None:
        kind = text_at(payload, "type")
        if kind == "user_message":
            self._ask(text_at(payload, "message"), at)
        elif kind == "agent_message":
            self._acts.append((Words(StepKind.SAID, text_at(payload, "message"), at), True))
        elif kind == "item_completed":
            self._item(mapping(payload.get("item")), at)
        elif kind == "thread_rolled_back":
            turns = payload.get("num_turns")
            self._roll_back(turns if isinstance(turns, int) else 0)

    def _item(self, item: Mapping[str, object], at: str) -> None:
        """Add the prompt of a completed item, or a program's result."""
        if item.get("type") == "UserMessage":
            self._ask(words_of(item.get("content")), at)
        elif self._has_programs:
            self._acts.extend((act, False) for act in _acts_of_item(item, at))

    def _ask(self, text: str, at: str) -> None:
        last = self._acts[-1] if self._acts else None
        is_repeated = last is not None and last[1] and isinstance(last[0], Words) and last[0].text == text
        if not is_repeated:  # an event and an item may both have the prompt
            self._acts.append((Words(StepKind.ASKED, text, at), True))

    def drop_summary(self, text: str) -> None:
        """Drop the agent's last message if it is the summary for a compacted session."""
        last = self._acts[-1][0] if self._acts else None
        if isinstance(last, Words) and last.kind is StepKind.SAID and last.text[-SUMMARY_END:] == text[-SUMMARY_END:]:
            self._acts.pop()

    def item(self, payload: Mapping[str, object], at: str) -> None:
        """Add the acts of an item sent to the model or received from it."""
        kind = text_at(payload, "type")
        call = text_at(payload, "call_id") or text_at(payload, "id")
        if kind == "message":
            self._acts.extend((words, False) for words in _words(payload, at))
        elif kind in _CALLS:
            self._call(call, payload, at)
        elif kind in _OUTPUTS:
            self._acts.append((self._result(call, payload.get("output")), False))

    def acts(self) -> list[Act]:
        """All acts, each prompt and answer once."""
        forms = {(act.kind, is_event) for act, is_event in self._acts if isinstance(act, Words)}
        left_out = {
            (StepKind.ASKED, (StepKind.ASKED, True) not in forms),
            (StepKind.SAID, (StepKind.SAID, False) in forms),
        }
        return [
            act for act, is_event in self._acts if not isinstance(act, Words) or (act.kind, is_event) not in left_out
        ]

    def _call(self, call: str, payload: Mapping[str, object], at: str) -> None:
        arguments = payload.get("arguments") or payload.get("input") or payload
        name = text_at(payload, "name") or text_at(payload, "type")
        if name == "exec" and "tools." in text_at(payload, "input"):  # a program that calls tools
            self._has_programs = True
        elif name == "write_stdin":
            session = inner(parsed(string(arguments)), "session_id")
            self._continued[call] = self._running.get(str(session), call)
        else:
            self._acts.append((call_of(call, name, arguments, at), False))

    def _result(self, call: str, output: object) -> Result:
        record = parsed(output)
        text = text_at(record, "output", "content") or words_of(output)
        call = self._continued.get(call, call)
        if found := _SESSION.search(text[:400]):
            self._running[found[1]] = call
        return _result(call, text, inner(record, "metadata", "exit_code"))

    def _roll_back(self, turns: int) -> None:
        acts = self._acts
        asked = [at for at, (act, _) in enumerate(acts) if isinstance(act, Words) and act.kind is StepKind.ASKED]
        # a prompt followed by its other form counts once
        starts = [at for at in asked if not (at - 1 in asked and acts[at][1] != acts[at - 1][1])]
        if 0 < turns <= len(starts):
            del acts[starts[-turns] :]


def _words(payload: Mapping[str, object], at: str) -> Iterator[Words]:
    kind = {"user": StepKind.ASKED, "assistant": StepKind.SAID}.get(text_at(payload, "role"))
    if kind is not None:
        yield Words(kind, words_of(payload.get("content")), at)


def _result(call: str, text: str, code: object) -> Result:
    if _REFUSED.match(text) or (code and is_refusal(text)):
        return Result(call, shortened(text), is_refused=True)
    if isinstance(code, int):
        return Result(call, shortened(text), code)
    if text.startswith(("failed to parse", "apply_patch verification failed")):
        return Result(call, is_void=True)
    found = exit_code(text)
    if found is None and text.startswith("execution error"):
        found = UNKNOWN_FAILURE
    return Result(call, shortened(text), None if is_running(text) else found)


def _acts_of_item(item: Mapping[str, object], at: str) -> Iterator[Act]:
    """The call and result of an item."""
    key, kind, status = text_at(item, "id"), text_at(item, "type"), text_at(item, "status")
    is_refused = status in _DECLINED
    if kind == "FileChange":
        yield call_of(key, "apply_patch", {"changes": item.get("changes")}, at)
        yield Result(key, is_refused=is_refused, is_void=status == "failed")
    elif kind == "CommandExecution":
        code = item.get("exit_code")
        output = text_at(item, "aggregated_output", "stdout", "stderr")
        yield call_of(key, "exec_command", {"command": item.get("command")}, at)
        yield Result(key, shortened(output), code if isinstance(code, int) else None, is_refused)
