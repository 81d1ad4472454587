"""The commands under Remember: record, review and retire memories."""

from typing import Annotated

import typer

from repomem.cli.commands import remember_options
from repomem.cli.commands.options import Form, MemoryIds, Yes, words
from repomem.cli.terminal.console import words_or_stdin, workspace_of
from repomem.cli.terminal.formats import Format
from repomem.cli.terminal.help import Commands

remember_commands = Commands("Remember")


@remember_commands.command(
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
    text: Annotated[list[str], words("TEXT", "what to remember")],
    kind: remember_options.Kind = None,
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="the reason")] = "",
    importance: remember_options.Importance = None,
    rejected: remember_options.Rejected = None,
    scope: remember_options.Scope = None,
    on: remember_options.On = None,
    supersedes: remember_options.Supersedes = None,
    session: Annotated[str, typer.Option("--session", metavar="ID", help="the session that it belongs to")] = "",
    private: Annotated[bool, typer.Option("--private", help="never share it: repomem sync skips it")] = False,
    mine: remember_options.Mine = False,
    pin: remember_options.Pin = False,
    form: Form = Format.TEXT,
) -> None:
    """Save a decision, rule, fact, gotcha or open thread.

    A gotcha is a trap, an open thread is work left to do. A memory that clearly names a file or symbol is attached to
    it, and is marked when that code changes. An agent's memory is provisional until a person confirms it, or until the
    code that it is attached to has survived ten more commits. Without attached code, the first commit of its session
    has to survive ten more commits.
    """
    from repomem.cli.memories.remember import remember_command
    from repomem.memories.new_memory import NewMemory

    new = NewMemory(
        words_or_stdin(text),
        kind,
        why,
        tuple(rejected or ()),
        importance,
        tuple(scope or ()),
        tuple(on or ()),
        tuple(supersedes or ()),
        private,
        pin,
        mine,
    )
    remember_command(workspace_of(context), new, session, form)


@remember_commands.command(
    epilog="""\b
Examples:
  repomem forget 01KRGY           hide it from every brief, list and log
  repomem forget --noise 01KRGY   hide it, and capture no similar texts again
  repomem forget --purge 01KRGY   erase it here and in your copies, and from other clones at their next sync
"""
)
def forget(
    context: typer.Context,
    wanted: Annotated[str, typer.Argument(metavar="ID", help="the id of a memory, or its first characters")],
    purge: Annotated[bool, typer.Option("--purge", help="erase every byte of it; this cannot be undone")] = False,
    noise: Annotated[
        bool,
        typer.Option(
            "--noise", help="forget it as noise: no similar text is captured from sessions again; only at a terminal"
        ),
    ] = False,
    yes: Yes = False,
    form: Form = Format.TEXT,
) -> None:
    """Hide a memory, or erase it with --purge."""
    from repomem.cli.memories.remember import forget_command

    if purge and noise:
        raise typer.BadParameter("cannot be combined with --purge, which erases the text", param_hint="--noise")
    forget_command(workspace_of(context), wanted, form, is_purge=purge, is_noise=noise, is_sure=yes)


@remember_commands.command(
    epilog="""\b
Examples:
  repomem restore          list what was forgotten, last forgotten first
  repomem restore 01KRGY   show it in briefs, lists and logs again
"""
)
def restore(
    context: typer.Context,
    wanted: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="the id of a memory, or its first characters; default: list all forgotten ones"
        ),
    ] = "",
    form: Form = Format.TEXT,
) -> None:
    """Undo forget: show a hidden memory again.

    Also restores memories that were archived or grouped, and reopens threads that are done. A memory erased with
    forget --purge cannot be restored. Only a person may restore what a person forgot.
    """
    from repomem.cli.memories.remember import forgotten_command, restore_command

    if wanted:
        restore_command(workspace_of(context), wanted, form)
    else:
        forgotten_command(workspace_of(context), form)


@remember_commands.command(
    epilog="""\b
Examples:
  repomem pin 01KRGY         show it first in every brief
  repomem pin 01KRGY --off   show it only where it is relevant
"""
)
def pin(
    context: typer.Context,
    wanted: MemoryIds,
    off: Annotated[bool, typer.Option("--off", help="unpin them")] = False,
) -> None:
    """Show memories first in every brief.

    All pinned memories together take at most 200 tokens. Only a person may unpin what a person pinned.
    """
    from repomem.cli.memories.memories import pin_command

    pin_command(workspace_of(context), wanted, is_off=off)


@remember_commands.command(
    epilog="""\b
Examples:
  repomem memories                             all of them, newest first
  repomem memories "retry of failed uploads"   those relevant to a question, best first
  repomem memories --kind rule --on src/api    rules about the code in a folder
  repomem memories --status drifted            those whose code has changed
  repomem memories --all --until 2026-01-31    also hidden ones
"""
)
def memories(  # noqa: PLR0913, PLR0917  # an option is an argument
    context: typer.Context,
    query: Annotated[list[str] | None, words("QUERY", "what the memories must be relevant to")] = None,
    kind: remember_options.OfKinds = None,
    status: remember_options.OfStatuses = None,
    on: remember_options.About = "",
    author: remember_options.ByAuthor = "",
    since: Annotated[str, typer.Option("--since", metavar="DATE", help="only those recorded from this date on")] = "",
    until: Annotated[str, typer.Option("--until", metavar="DATE", help="only those recorded up to this date")] = "",
    mine: Annotated[bool, typer.Option("--mine", help="only your own, which apply in every repository")] = False,
    every: remember_options.HiddenToo = False,
    most: remember_options.Most = 50,
    form: Form = Format.TEXT,
) -> None:
    """List memories, or find those relevant to a question.

    Sorts by date without a query, by relevance with one. Needs no index. A memory is drifted if its code has changed,
    moved if its code is elsewhere, gone if its code was deleted, contested if an agent proposes a replacement, denied
    if a person marked it as wrong, unmerged if its commit is only on another branch, abandoned if it is on no branch.
    Ids are shortened to a unique beginning.
    """
    from repomem.cli.memories.memories import memories_command
    from repomem.cli.terminal.dates import window_of
    from repomem.memories.listing import MemoryFilter

    window = window_of(since, until)
    wanted = MemoryFilter(frozenset(kind or ()), frozenset(status or ()), on, author, window, mine, every)
    memories_command(workspace_of(context), words_or_stdin(query), wanted, most, form)


@remember_commands.command(
    epilog="""\b
Examples:
  repomem done 01KRGY
  repomem done 01KRGY --note "the retry moved to the client"
"""
)
def done(
    context: typer.Context,
    wanted: Annotated[list[str], typer.Argument(metavar="ID", help="ids of open threads, or their first characters")],
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="how it was done")] = "",
    form: Form = Format.TEXT,
) -> None:
    """Close open threads.

    A closed thread is hidden from briefs on branches that contain the current commit; show and log print it as done.
    """
    from repomem.cli.memories.review import done_command

    done_command(workspace_of(context), wanted, note, form)


@remember_commands.command()
def confirm(
    context: typer.Context,
    wanted: MemoryIds,
    deny: Annotated[str | None, typer.Option("--deny", metavar="REASON", help="mark them as wrong instead")] = None,
) -> None:
    """Confirm that memories are true, or deny them.

    Confirming a drifted memory accepts its code as it is now; it is then current.

    Only a person at a terminal can confirm. An agent can deny a memory that an agent saved; for a person's memory it
    can only propose a replacement.
    """
    from repomem.cli.memories.review import confirm_command

    confirm_command(workspace_of(context), wanted, deny)


@remember_commands.command()
def review(
    context: typer.Context,
    noise: Annotated[bool, typer.Option("--noise", help="list memories forgotten as noise instead")] = False,
    reset_noise: Annotated[
        bool,
        typer.Option(
            "--reset-noise", help="forget what --noise has taught: similar texts are captured from sessions again"
        ),
    ] = False,
    form: Form = Format.TEXT,
) -> None:
    """Go through memories that need a decision, one key each.

    Lists memories that are provisional (unconfirmed) or contested, and those whose code has changed or is gone, each
    with the reason and the sentence it was taken from. Keys: confirm (on the code as it is now), accept the proposed
    replacement, forget, forget as noise, undo, skip, quit. In a pipe, only prints the memories.
    """
    from repomem.cli.memories.review import noise_command, review_command

    if noise and reset_noise:
        raise typer.BadParameter("give --noise or --reset-noise, not both")
    if noise or reset_noise:
        noise_command(workspace_of(context), form, is_reset=reset_noise)
    else:
        review_command(workspace_of(context), form)


@remember_commands.command(
    epilog="""\b
Examples:
  repomem consolidate --dry-run   print the plan, and change nothing
  repomem restore 01KRGY          restore an archived or grouped memory
"""
)
def consolidate(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only print the plan")] = False,
    llm: Annotated[
        str, typer.Option("--llm", metavar="MODEL", help="let this model summarize each group in a sentence")
    ] = "",
    form: Form = Format.TEXT,
) -> None:
    """Group similar memories; archive superseded and unused ones.

    Briefs show one memory of each group and no archived memories; repomem restore undoes both. Also derives facts
    from commits and sessions. Deletes nothing. Runs automatically when it is due. Only --llm sends anything to a
    model: the texts of the groups.
    """
    from repomem.cli.memories.consolidate import consolidate_command

    consolidate_command(workspace_of(context), form, llm, is_dry_run=dry_run)
