"""The commands for what people and agents write down: names, options and help, as in `cli.main`."""

from pathlib import Path
from typing import Annotated

import typer

from repomem.cli.terminal.console import asked, finish, words_or_stdin
from repomem.cli.terminal.formats import Format
from repomem.core.records import Kind
from repomem.profile.slots import Action, Slot

memory_app = typer.Typer(rich_markup_mode=None)
ledger_app = typer.Typer(
    name="ledger",
    help="What cannot be rebuilt: bring it out, in, or look it over.",
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
Form = Annotated[Format, typer.Option("--format", help="how to answer")]
Sure = Annotated[bool, typer.Option("--yes", "-y", help="do not ask")]


@memory_app.command(
    epilog="""\b
Examples:
  repomem remember "Amounts are integers of cents" --why "floats do not add up" --on src/money.py:Amount.add
  repomem remember --kind rule --scope 'src/api/**' "Every handler checks the tenant"
  repomem remember --kind gotcha --rejected "a retry in the client" "The queue delivers twice"
  repomem remember --supersedes 01KRGY "Amounts are decimals"
"""
)
def remember(  # noqa: PLR0913, PLR0917  # an option is an argument
    context: typer.Context,
    text: Annotated[
        list[str], typer.Argument(metavar="TEXT", show_default=False, help="words; - reads them from stdin")
    ],
    kind: Annotated[
        Kind | None, typer.Option("--kind", show_default=False, help="what it is; told from its words where not given")
    ] = None,
    why: Annotated[str, typer.Option("--why", metavar="TEXT", show_default=False, help="the reason")] = "",
    importance: Annotated[
        int | None, typer.Option("--importance", metavar="1-5", min=1, max=5, show_default=False, help="5 is the most")
    ] = None,
    rejected: Annotated[
        list[str] | None,
        typer.Option("--rejected", metavar="TEXT", show_default=False, help="an alternative not taken"),
    ] = None,
    scope: Annotated[
        list[str] | None, typer.Option("--scope", metavar="GLOB", show_default=False, help="the paths that it is for")
    ] = None,
    on: Annotated[
        list[str] | None,
        typer.Option(
            "--on",
            metavar="PATH[:SYMBOL]",
            show_default=False,
            help="the code it speaks of; of a class its own lines alone, not its methods",
        ),
    ] = None,
    supersedes: Annotated[
        list[str] | None, typer.Option("--supersedes", metavar="ID", show_default=False, help="the memory it replaces")
    ] = None,
    session: Annotated[
        str, typer.Option("--session", metavar="ID", show_default=False, help="the session it belongs to")
    ] = "",
    private: Annotated[bool, typer.Option("--private", help="for you alone: repomem sync leaves it here")] = False,
    form: Form = Format.TEXT,
) -> None:
    """Write down a decision, rule, fact, gotcha or open thread.

    What names a symbol or file without doubt is anchored there: when that code changes, the memory says so. What an
    agent writes is provisional until its work has lived in the history, or a person confirms it.
    """
    from repomem.cli.memories.remember import RememberRequest, remember_command

    def command() -> None:
        request = RememberRequest(
            context.obj,
            words_or_stdin(text),
            kind,
            why,
            importance,
            tuple(rejected or ()),
            tuple(scope or ()),
            tuple(on or ()),
            tuple(supersedes or ()),
            session,
            private,
            form,
        )
        remember_command(request, asked)

    finish(command)


@memory_app.command(
    epilog="""\b
Examples:
  repomem forget 01KRGY           a tombstone: it is shown no more, and can be looked up
  repomem forget --purge 01KRGY   no byte of it is left in this clone and its copies
"""
)
def forget(
    context: typer.Context,
    wanted: Annotated[str, typer.Argument(metavar="ID", help="a memory's id, or its start")],
    purge: Annotated[bool, typer.Option("--purge", help="erase every byte of it, for good")] = False,
    yes: Sure = False,
    form: Form = Format.TEXT,
) -> None:
    """Forget a memory."""
    from repomem.cli.memories.remember import ForgetRequest, forget_command

    request = ForgetRequest(context.obj, wanted, is_purge=purge, is_sure=yes, format=form)
    finish(lambda: forget_command(request, asked))


@memory_app.command()
def confirm(
    context: typer.Context,
    wanted: Annotated[list[str], typer.Argument(metavar="ID...", help="memories' ids, or their starts")],
    deny: Annotated[
        str, typer.Option("--deny", metavar="WHY", show_default=False, help="say that it is not true, and why")
    ] = "",
) -> None:
    """Confirm memories: on a terminal only, for a person vouches for them.

    An agent may deny what another agent said; what a person said it can only propose to replace.
    """
    from repomem.cli.memories.review import confirm_command

    finish(lambda: confirm_command(context.obj, wanted, deny))


@memory_app.command()
def review(context: typer.Context, form: Form = Format.TEXT) -> None:
    """Go through what waits for a person: provisional, drifted, gone and contested memories, one key each.

    Piped, it lists them.
    """
    from repomem.cli.memories.review import ReviewRequest, review_command

    finish(lambda: review_command(ReviewRequest(context.obj, form), _pressed))


@memory_app.command(
    epilog="""\b
Examples:
  repomem profile                               all of it, each line with its source
  repomem profile test "make check"             say yourself how it is tested
  repomem profile owners --append "ask Ana"     beside what stands there
  repomem profile pitfalls --clear              show nothing there
"""
)
def profile(
    context: typer.Context,
    slot: Annotated[Slot | None, typer.Argument(show_default=False, help="the slot to correct")] = None,
    text: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", show_default=False, help="what to say there")
    ] = None,
    append: Annotated[bool, typer.Option("--append", help="beside what stands there")] = False,
    clear: Annotated[bool, typer.Option("--clear", help="show nothing there")] = False,
    form: Form = Format.TEXT,
) -> None:
    """Print what this repository is, in a few lines, each with its source; or correct one of them.

    How to build, test and lint it, where things are, what is the custom, whom to ask: as it was last indexed, with
    what people said of it. Correcting is for people at a terminal.
    """
    from repomem.cli.recall.profile import ProfileRequest, profile_command

    if append and clear:
        raise typer.BadParameter("give --append or --clear, not both")
    action = Action.CLEAR if clear else Action.APPEND if append else Action.REPLACE
    finish(lambda: profile_command(ProfileRequest(context.obj, slot, words_or_stdin(text), action, form)))


@memory_app.command(
    epilog="""\b
Example:
  repomem why src/api.py:42   the commits that made the line, and what was said about it
"""
)
def why(
    context: typer.Context,
    target: Annotated[str, typer.Argument(metavar="FILE:LINE", help="a line of a tracked file")],
    form: Form = Format.TEXT,
) -> None:
    """Tell why a line is as it is: who wrote it, what it was before, and what was decided about its code."""
    from repomem.cli.recall.why import WhyRequest, why_command

    finish(lambda: why_command(WhyRequest(context.obj, target, form)))


@ledger_app.command("export")
def ledger_export(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", show_default=False, help="stdout if not given")] = None,
) -> None:
    """Print every record as a line of JSON."""
    from repomem.cli.memories.ledger import LedgerRequest, export_command

    finish(lambda: export_command(LedgerRequest(context.obj, file)))


@ledger_app.command("import")
def ledger_import(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", show_default=False, help="stdin if not given")] = None,
) -> None:
    """Merge exported records by their ids: twice is once."""
    from repomem.cli.memories.ledger import LedgerRequest, import_command

    finish(lambda: import_command(LedgerRequest(context.obj, file)))


@ledger_app.command("verify")
def ledger_verify(context: typer.Context, form: Form = Format.TEXT) -> None:
    """Read every line of every copy, mend what can be mended, and say what was found."""
    from repomem.cli.memories.ledger import LedgerRequest, verify_command

    finish(lambda: verify_command(LedgerRequest(context.obj, format=form)))


def _pressed() -> str:
    """The next key, lower case; empty at the end of the input."""
    try:
        return typer.getchar().lower()
    except EOFError:
        return ""
