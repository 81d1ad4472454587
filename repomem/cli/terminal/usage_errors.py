"""Usage errors in the form of all errors: what is wrong with which option, and where its help is.

Values are checked by pydantic, whose messages do not name the value.
"""

from typer._click.exceptions import (  # typer has no public names for these
    BadParameter,
    MissingParameter,
    NoArgsIsHelpError,
    NoSuchOption,
    UsageError,
)

from repomem.cli.terminal.console import tell
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.ulid import is_ulid_prefix

_EXTRA = lazy_pattern(r"Got unexpected extra argument\S* \((.+)\)")
TEXTS = frozenset(["TEXT", "QUERY", "GOAL", "OUTCOME"])  # arguments in a user's own words
_BOUNDS = {"greater_than_equal": ("ge", "less than"), "less_than_equal": ("le", "more than")}


def tell_usage_error(error: UsageError) -> None:
    """Print an error and a hint, or the help of a group that was given no command."""
    if isinstance(error, NoArgsIsHelpError):
        error.show()
        return
    message, _, guess = _message(error).partition(". Did you mean ")
    if isinstance(error, NoSuchOption) and error.possibilities:
        message, guess = error.message, f"{', '.join(sorted(error.possibilities))}?"
    command = error.ctx.command_path if error.ctx else "repomem"
    tell(f"error: {message[:1].lower() + message[1:] if message[1:2].islower() else message}")
    tell(f"hint: did you mean {guess}" if guess else f"hint: {command} --help{_text_after_dashes(error)}")


def _text_after_dashes(error: UsageError) -> str:
    """How to write a text that starts with an unknown option, for a command that takes a text."""
    if not isinstance(error, NoSuchOption) or error.ctx is None:
        return ""
    taken = (str(each.metavar) for each in error.ctx.command.params if each.nargs == -1)
    text = next((each for each in taken if each in TEXTS), "")
    return f"; a text that starts with a dash: -- {text}" if text else ""


def _message(error: UsageError) -> str:
    if isinstance(error, MissingParameter):
        return f"{_name(error)} is missing{_taken_by_option(error)}"
    if isinstance(error, BadParameter):
        return f"{_name(error)} {_reason(error)}".lstrip()
    text = error.format_message().rstrip(".")
    return _EXTRA.sub(r"unexpected argument: \1", text)


def _taken_by_option(error: MissingParameter) -> str:
    """The option before an id that took it as its value, in words; empty if none did."""
    given = error.ctx.params if error.ctx else {}
    for option in error.ctx.command.params if error.ctx else ():
        value = given.get(option.name or "")
        if isinstance(value, str) and is_ulid_prefix(value):
            return f": {option.opts[0]} took {value!r} as its {(option.metavar or 'value').lower()}"
    return ""


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
