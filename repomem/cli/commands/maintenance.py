"""The commands under Maintenance: the index, git hooks, configuration, and removal."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from repomem.cli.commands import eval_options
from repomem.cli.commands.options import Form, Quiet, Yes
from repomem.cli.terminal.console import can_ask, workspace_of
from repomem.cli.terminal.formats import Format
from repomem.cli.terminal.help import Commands

AGENT_TASKS = 10  # of `eval --agent`: twenty runs take hours
RUN_SECONDS = 900.0  # of one run
AGENT_OPTIONS = ("tasks", "memory_tasks", "arms", "timeout", "turns", "max_cost", "test_command", "keep", "seed", "yes")

maintenance_commands = Commands("Maintenance")
hook_commands = Commands(
    name="hooks",
    help="Install git hooks that keep the index fresh.",
    epilog="""The hooks add a few milliseconds to a commit, print nothing and never fail. With CI set they do nothing.

\b
Examples:
  repomem hooks install
  repomem hooks status --format json
  REPOMEM=0 git commit   skip the hooks
""",
)
ledger_commands = Commands(name="ledger", help="Export, import or verify the ledger, the file of memories.")


@maintenance_commands.command(
    epilog="""\b
Examples:
  repomem index               index this repository
  repomem -C ../other index   index another repository
"""
)
def index(
    context: typer.Context,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="delete the index and build it again from git")] = False,
    wait: Annotated[
        bool | None,
        typer.Option(
            "--wait/--no-wait",
            help="wait for another index run to end; default: --wait on a terminal",
            show_default=False,
        ),
    ] = None,
    quiet: Quiet = False,
    form: Form = Format.TEXT,
) -> None:
    """Update the index to the worktree and its history.

    Reads only what has changed. After an interruption, the next run continues. recall and search update the index
    automatically.
    """
    from repomem.cli.index.index import index_command

    is_waiting = can_ask() if wait is None else wait
    index_command(workspace_of(context), form, is_rebuild=rebuild, is_quiet=quiet, is_waiting=is_waiting)


@maintenance_commands.command(
    epilog="""\b
Examples:
  repomem watch             until Ctrl-C
  repomem watch --quiet &   in the background; repomem status shows it
"""
)
def watch(
    context: typer.Context,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="print only warnings")] = False,
) -> None:
    """Update the index whenever files change.

    Covers all worktrees of this clone. Useful for large repositories only: recall and search update the index by
    themselves, and git hooks do after each commit. Only one process can watch a clone.
    """
    from repomem.cli.index.watch import watch_command

    watch_command(context.obj, is_quiet=quiet)


maintenance_commands.add_subcommands(hook_commands)


@hook_commands.command("install")
def hooks_install(
    context: typer.Context,
    pre_push: Annotated[
        bool, typer.Option("--pre-push", help="also add a pre-push hook that runs repomem sync once the push has ended")
    ] = False,
    form: Form = Format.TEXT,
) -> None:
    """Install or update the hooks.

    Adds lines to post-checkout, post-commit, post-merge and post-rewrite. Hooks that are not plain shell scripts, and
    folders of hooks outside this clone, are left alone.
    """
    from repomem.cli.setup.git_hooks import hooks_command

    hooks_command("install", workspace_of(context), form, with_push=pre_push)


@hook_commands.command("uninstall")
def hooks_uninstall(context: typer.Context, form: Form = Format.TEXT) -> None:
    """Remove the hooks and restore each file byte for byte."""
    from repomem.cli.setup.git_hooks import hooks_command

    hooks_command("uninstall", workspace_of(context), form)


@hook_commands.command("status")
def hooks_status(context: typer.Context, form: Form = Format.TEXT) -> None:
    """Show the state of each hook.

    Changes nothing.
    """
    from repomem.cli.setup.git_hooks import hooks_command

    hooks_command("status", workspace_of(context), form)


@maintenance_commands.command()
def config(context: typer.Context, form: Form = Format.TEXT) -> None:
    """Print every configuration option, its value and its source.

    Environment variables (REPOMEM_SECTION_KEY) override your configuration file, which overrides .repomem.toml in the
    repository.
    """
    from repomem.cli.setup.config import config_command

    config_command(workspace_of(context), form)


@maintenance_commands.command(
    epilog="""\b
Examples:
  repomem doctor         check everything, change nothing
  repomem doctor --fix   repair what can be repaired
"""
)
def doctor(
    context: typer.Context,
    fix: Annotated[bool, typer.Option("--fix", help="repair what can be repaired")] = False,
    form: Form = Format.TEXT,
) -> None:
    """Check memories, index, hooks and agents; --fix repairs.

    Also verifies from the transcripts of each agent that its last brief arrived. For each problem, prints the command
    that repairs it. Exits with 1 if there is a problem.
    """
    from repomem.cli.setup.doctor import doctor_command

    doctor_command(workspace_of(context), form, is_mending=fix)


@maintenance_commands.command(
    name="eval",
    epilog="""\b
Examples:
  repomem eval                     the newest 30 commits with a usable message
  repomem eval --commits 100 --html eval.html
  repomem eval --budget 800        compare with a shorter brief
  repomem eval --memory            were memories shown where their code changed?
  repomem eval --agent 'claude -p --permission-mode acceptEdits --allowedTools Bash' --tasks 5
""",
)
def evaluate(  # noqa: PLR0913, PLR0917  # an option is an argument
    context: typer.Context,
    commits: eval_options.Commits = eval_options.REPLAYED_COMMITS,
    budget: eval_options.BriefBudget = None,
    html: eval_options.Html = None,
    fresh: eval_options.Fresh = False,
    memory: eval_options.OwnMemories = False,
    agent: eval_options.Agent = None,
    tasks: eval_options.Tasks = None,
    memory_tasks: eval_options.MemoryTasks = False,
    arms: eval_options.Arms = "",
    timeout: eval_options.Timeout = None,
    turns: eval_options.Turns = None,
    max_cost: eval_options.MaxCost = None,
    test_command: eval_options.TestCommand = "",
    keep: eval_options.Keep = None,
    seed: eval_options.Seed = None,
    yes: Yes = False,
    form: Form = Format.TEXT,
) -> None:
    """Measure how well briefs predict the files of past commits.

    For each commit, repomem indexes its parent, makes a brief from the commit message, and compares the brief with the
    files that the commit changed. Results are optimistic: authors of commit messages already knew the answer. Does not
    change the index, memories or worktree. After an interruption, the next run continues.

    With --agent, it measures whether an agent does better with repomem. It runs the agent on commits whose tests fail
    before and pass after, in temporary clones without later commits, and judges each run by these tests. It shows
    the commands and asks before it runs them. The agent and the tests run with your rights and environment,
    without a sandbox, and the agent's provider may charge you.
    """
    _refuse_what_does_not_combine(context)
    page = html and context.obj / html
    if agent:
        from repomem.cli.evaluate.agents import AgentOptions, evaluate_agents_command

        asked = AgentOptions(
            command=agent, test_command=test_command, arms=arms, with_memories=memory_tasks, is_fresh=fresh,
            tasks=tasks or AGENT_TASKS, timeout=timeout or RUN_SECONDS, turns=turns, max_cost=max_cost,
            keep=keep and context.obj / keep, seed=seed or 0,
        )  # fmt: skip
        evaluate_agents_command(workspace_of(context), asked, budget, page, form, is_sure=yes)
    elif memory:
        from repomem.cli.evaluate.memories import evaluate_memories_command

        evaluate_memories_command(workspace_of(context), commits, budget, form)
    else:
        from repomem.cli.evaluate.evaluate import evaluate_command

        evaluate_command(context.obj, commits, budget, page, form, is_fresh=fresh)


def _refuse_what_does_not_combine(context: typer.Context) -> None:
    """A usage error for options of `eval` that exclude or need each other."""
    given = context.params
    if given["memory"] and (given["html"] or given["fresh"] or given["agent"]):
        raise typer.BadParameter("cannot be combined with --html, --fresh or --agent", param_hint="--memory")
    if given["agent"] and (limited := _given(context, ["commits"])):
        raise typer.BadParameter("cannot be combined with --agent, which takes --tasks", param_hint=limited)
    if not given["agent"] and (lonely := _given(context, AGENT_OPTIONS)):
        raise typer.BadParameter("needs --agent", param_hint=lonely)


def _given(context: typer.Context, names: Iterable[str]) -> str:
    """The first of these options that was given on the command line; empty if none was."""
    sources = {name: context.get_parameter_source(name) for name in names}
    return next((f"--{name.replace('_', '-')}" for name, at in sources.items() if at and at.name == "COMMANDLINE"), "")


maintenance_commands.add_subcommands(ledger_commands)


@ledger_commands.command("export")
def ledger_export(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="default: stdout")] = None,
) -> None:
    """Write all records as JSON, one per line."""
    from repomem.cli.memories.ledger import export_command

    export_command(workspace_of(context), file)


@ledger_commands.command("import")
def ledger_import(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="default: stdin")] = None,
) -> None:
    """Add exported records.

    Importing a file twice has no effect.
    """
    from repomem.cli.memories.ledger import import_command

    import_command(workspace_of(context), file)


@ledger_commands.command("verify")
def ledger_verify(context: typer.Context, form: Form = Format.TEXT) -> None:
    """Check every copy of the ledger, and repair damaged copies from intact ones."""
    from repomem.cli.memories.ledger import verify_command

    verify_command(workspace_of(context), form)


@maintenance_commands.command()
def uninstall(
    context: typer.Context,
    user: Annotated[bool, typer.Option("--user", help="also remove it from the agents' user settings")] = False,
    ledger: Annotated[
        bool,
        typer.Option("--ledger", help="also delete every copy of this repository's memories; this cannot be undone"),
    ] = False,
    yes: Yes = False,
) -> None:
    """Remove repomem from this repository; your memories stay.

    Deletes the index, and removes what repomem added to git hooks and to the settings of agents. Those
    files are restored byte for byte; edits made since then stay.
    """
    from repomem.cli.setup.init import uninstall_command

    uninstall_command(workspace_of(context), is_sure=yes, is_for_user=user, is_ledger_too=ledger)


@maintenance_commands.command(hidden=True)
def maintain(context: typer.Context) -> None:
    """Compact the tables; started by repomem itself."""
    from repomem.index import maintenance

    maintenance.maintain(workspace_of(context))
