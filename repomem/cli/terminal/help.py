"""How `--help` looks: commands in groups, whole summaries, no Python types.

Help is plain text on a terminal and in a pipe: drawing it with rich would triple the time it takes.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import typer
from typer._click import Command, Context, HelpFormatter  # typer has no public name for its copy of Click
from typer._click.core import augment_usage_errors
from typer._click.parser import _OptionParser, _ParsingState
from typer.core import TyperCommand, TyperGroup

from repomem.cli.terminal.console import output_errors
from repomem.core.text.lazy_pattern import lazy_pattern

HELP_FLAGS: Mapping[str, Any] = MappingProxyType({"help_option_names": ["-h", "--help"]})
TYPE_NAME = lazy_pattern(r" <[a-z]+(?:\[[a-z]+\])?>$")  # as in `QUERY <list[str]>`; a choice such as <text|json> stays
BRACES = lazy_pattern(r"\{(.+)\}")  # typer's around a required argument; git writes plain names
RANGE = lazy_pattern(r"(?:; )?\b\d+<=x<=\d+|\s*\[\d+<=x<=\d+\]")


class TextParser(_OptionParser):
    """Takes "--json prints one object per line" as text: no option has white space in its name."""

    def _process_opts(self, arg: str, state: _ParsingState) -> None:
        name = (arg.split(maxsplit=1) or [arg])[0]
        is_known = name in self._long_opt or name[:2] in self._short_opt
        if name == arg or "=" in name or is_known:
            super()._process_opts(arg, state)
        else:
            state.largs.append(arg)


class NamedInErrors(Command):
    """A command or group that its usage errors name: typer's parser leaves that out of some."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse the arguments; prints the help if they ask for it."""
        with augment_usage_errors(ctx), output_errors():
            return super().parse_args(ctx, args)


class CommandHelp(NamedInErrors, TyperCommand):
    """A command whose help names arguments as a user types them, and whose text may start with a dash."""

    def make_parser(self, ctx: Context) -> TextParser:
        """The parser of the command's arguments."""
        parser = TextParser(ctx)
        for parameter in self.get_params(ctx):
            parameter.add_to_parser(parser, ctx)
        return parser

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        """The parts of the usage line."""
        return [BRACES.sub(r"\1", piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the arguments, then the options."""
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            rows = list(self._rows(ctx, kind))
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def _rows(self, ctx: Context, kind: str) -> Iterator[tuple[str, str]]:
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record and parameter.param_type_name == kind:
                yield TYPE_NAME.sub("", record[0]), RANGE.sub("", record[1])


class GroupHelp(NamedInErrors, TyperGroup):
    """A group of commands whose help lists each with its whole summary, under the heading it was given."""

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002  # typer's signature
        """Write a section for each heading, in the order in which the commands were added."""
        shown = [command for command in self.commands.values() if not command.hidden]
        width = max(len(command.name or "") for command in shown)
        for group in dict.fromkeys(map(_group, shown)):
            rows = [(f"{command.name:<{width}}", _summary(command)) for command in shown if _group(command) == group]
            with formatter.section(group or "Commands"):
                formatter.write_dl(rows)


class Commands(typer.Typer):
    """Commands under one heading of `repomem --help`, or with a `name` the subcommands of that name."""

    def __init__(self, heading: str | None = None, *, name: str | None = None, **options: Any) -> None:  # typer's own
        super().__init__(
            name=name,
            cls=GroupHelp,
            rich_markup_mode=None,
            no_args_is_help=name is not None,
            context_settings=dict(HELP_FLAGS),
            **options,
        )
        self._heading = heading

    def command(self, name: str | None = None, **options: Any) -> Callable[[Any], Any]:
        """Register a command, as typer does."""
        return super().command(name, cls=CommandHelp, rich_help_panel=self._heading, **options)

    def add_subcommands(self, commands: "Commands") -> None:
        """Add commands that have a name of their own under the same heading."""
        self.add_typer(commands, rich_help_panel=self._heading)


def _group(command: Command) -> str | None:
    panel = getattr(command, "rich_help_panel", None)
    return panel if isinstance(panel, str) else None


def _summary(command: Command) -> str:
    """The first paragraph of its help, on one line."""
    return " ".join((command.help or "").partition("\n\n")[0].split())
