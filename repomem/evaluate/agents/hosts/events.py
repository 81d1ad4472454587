"""What an agent did in one run, the same for all hosts; and what a host's adapter provides."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from repomem.adapters.transcripts.tool_calls import call_of


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call; paths are as the agent wrote them."""

    key: str  # of its result
    command: str = ""  # of a shell
    reads: tuple[str, ...] = ()  # files
    edits: tuple[str, ...] = ()  # files


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The output of the call with this key."""

    key: str
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class Turn:
    """The model answered once."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens and money spent since the last such event, as the host reports them."""

    input: int = 0  # tokens, those read from a cache included
    cached: int = 0  # of these
    output: int = 0
    cost: float | None = None  # US dollars; None if the host does not report it


@dataclass(frozen=True, slots=True)
class Finished:
    """The host ended the run by itself; `failure` is its reason, empty if the agent was done."""

    failure: str = ""


AgentEvent = ToolCall | ToolResult | Turn | Spent | Finished


@dataclass(frozen=True, slots=True)
class HostAdapter:
    """One host. The prompt is given on stdin."""

    name: str
    command: Callable[[Sequence[str], float | None], list[str]]  # of the user's words and a limit in US dollars
    read: Callable[[Iterable[bytes]], Iterator[AgentEvent]]
    missing: Callable[[Sequence[str]], str] = lambda _: ""  # an option without which the agent can do little


def tool_call(key: str, tool: str, arguments: object) -> ToolCall:
    """A call by its tool's name and arguments."""
    call = call_of(key, tool, arguments)
    return ToolCall(key, call.command, call.read, call.paths)


def tool_result(key: str, output: str) -> ToolResult:
    """The result of the call with this key, by its output."""
    return ToolResult(key, len(output.encode("utf-8", "surrogatepass")))


def failed(reason: str) -> Finished:
    """The end of a run with an error, which the host may have given no reason for."""
    return Finished(reason or "it reported an error")


def number(value: object) -> int:
    """A count in JSON; 0 if it is something else."""
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0


def dollars(value: object) -> float | None:
    """A cost in JSON; None if it is something else."""
    return float(value) if isinstance(value, int | float) else None


def with_option(words: Sequence[str], *option: str) -> list[str]:
    """The words with an option and its value at the end, unless the option is given."""
    is_given = any(word == option[0] or word.startswith(f"{option[0]}=") for word in words)
    return [*words, *([] if is_given else option)]


def has_any(words: Sequence[str], *options: str) -> bool:
    """Whether one of these options is given."""
    return any(word.partition("=")[0] in options for word in words)
