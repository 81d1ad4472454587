"""Items of Codex: events that tell what a program of the agent did, where a call holds only the program's text."""

from collections.abc import Iterator, Mapping

from repomem.adapters.transcripts.events import Act, Result, shortened
from repomem.adapters.transcripts.json_shapes import first_string, string
from repomem.adapters.transcripts.tool_calls import call_of

_DECLINED = frozenset({"declined", "rejected", "denied"})


def is_program(name: str, text: object) -> bool:
    """Whether a call runs a program that calls tools, as models do that have no other tool."""
    return name == "exec" and "tools." in string(text)


def done(item: Mapping[str, object], at: str) -> Iterator[Act]:
    """The call and its result that an item tells of; none of an item that says something."""
    key, kind, status = string(item.get("id")), string(item.get("type")), string(item.get("status"))
    is_refused = status in _DECLINED
    if kind == "FileChange":
        yield call_of(key, "apply_patch", {"changes": item.get("changes")}, at)
        yield Result(key, is_refused=is_refused, is_void=status == "failed")
    elif kind == "CommandExecution":
        code = item.get("exit_code")
        output = first_string(item, "aggregated_output", "stdout", "stderr")
        yield call_of(key, "exec_command", {"command": item.get("command")}, at)
        yield Result(key, shortened(output), code if isinstance(code, int) else None, is_refused)
