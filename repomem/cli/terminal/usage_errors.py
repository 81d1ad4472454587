"""Usage errors in the form of all errors: what is wrong with which option, and where its help is.

Values are checked by pydantic, whose messages do not name the value.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from typer._click.exceptions import (  # typer has no public names for these
    BadParameter,
    MissingParameter,
    NoArgsIsHelpError,
    NoSuchOption,
    UsageError,
)

from repomem.cli.terminal.console import tell
from repomem.core.lazy_pattern import lazy_pattern

_EXTRA = lazy_pattern(r"Got unexpected extra argument\S* \((.+)\)")
_BOUNDS = {"greater_than_equal": ("ge", "less than"), "less_than_equal": ("le", "more than")}


class PlainUsageError(UsageError):
    """A usage error that is printed as an error and a hint."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint

    def show(self, file: IO[Any] | None = None) -> None:  # noqa: ARG002  # typer's signature
        """Print it to stderr."""
        tell(f"error: {self.message}")
        tell(f"hint: {self.hint}")


@contextmanager
def plain_usage_errors(command: str) -> Iterator[None]:
    """Turn typer's usage errors of a command into plain ones."""
    try:
        yield
    except (PlainUsageError, NoArgsIsHelpError):
        raise
    except UsageError as error:
        message, _, guess = _message(error).partition(". Did you mean ")
        if isinstance(error, NoSuchOption) and error.possibilities:
            message, guess = error.message, f"{', '.join(sorted(error.possibilities))}?"
        message = message[:1].lower() + message[1:] if message[1:2].islower() else message
        raise PlainUsageError(message, f"did you mean {guess}" if guess else f"{command} --help") from error


def _message(error: UsageError) -> str:
    if isinstance(error, MissingParameter):
        return f"{_name(error)} is missing"
    if isinstance(error, BadParameter):
        return f"{_name(error)} {_reason(error)}".lstrip()
    text = error.format_message().rstrip(".")
    return _EXTRA.sub(r"unexpected argument: \1", text)


def _name(error: BadParameter) -> str:
    """The long form of the option, or the name that help gives the argument; empty if the error is about neither."""
    if error.param_hint:
        return str(error.param_hint)
    return max(error.param.get_error_hint().split(" / "), key=len).strip("'") if error.param else ""


def _reason(error: BadParameter) -> str:
    errors = getattr(error.__cause__, "errors", None)
    if errors is None:
        return error.message
    first = errors()[0]
    if first["type"].startswith("int_"):
        return f"{first['input']!r} is not a whole number"
    if first["type"] in _BOUNDS:
        bound, relation = _BOUNDS[first["type"]]
        return f"{first['input']} is {relation} {first['ctx'][bound]}"
    text: str = first["msg"]
    return text.removeprefix("Value error, ").rstrip(".")
