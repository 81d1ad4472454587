"""The commands under Agents: settings of agent hosts, the MCP server, and the hooks that hosts run."""

from typing import Annotated

import typer

from repomem.agents.rules_block import EXPORT_FILES
from repomem.cli.commands.options import Form
from repomem.cli.terminal.console import workspace_of
from repomem.cli.terminal.formats import HOOK_EVENTS, Format, HostName
from repomem.cli.terminal.help import HELP_FLAGS, Commands

agent_commands = Commands("Agents")
host_commands = Commands(
    name="agents",
    help="Connect agents to repomem: their hooks and MCP settings.",
    epilog="""\b
Examples:
  repomem agents install                     every agent found on this machine, for this worktree
  repomem agents install --user claude-code  for all your repositories
  repomem agents install agents-md           a few lines in AGENTS.md, for any other agent
  repomem agents status
  repomem agents uninstall                   restore every file
""",
)
agent_commands.add_subcommands(host_commands)
Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="NAME", help="claude-code, codex, gemini, cursor, opencode, copilot or agents-md"),
]
ForUser = Annotated[bool, typer.Option("--user", help="use the agents' user settings, not those of this worktree")]
ExportFile = Annotated[
    str, typer.Option("--to", metavar="FILE", help=f"one of: {', '.join(EXPORT_FILES)}", show_default=False)
]


@host_commands.command("install")
def agents_install(
    context: typer.Context, names: Names = None, user: ForUser = False, form: Form = Format.TEXT
) -> None:
    """Add repomem to the settings of agents.

    Without a NAME, changes the settings of every agent found on this machine. Nothing else in a file changes. If a file
    cannot be edited safely, prints what to add. The hooks do nothing in a repository that repomem has not indexed.
    """
    from repomem.cli.agents.agents import agents_command

    agents_command("install", context.obj, tuple(names or ()), form, is_for_user=user)


@host_commands.command("uninstall")
def agents_uninstall(
    context: typer.Context, names: Names = None, user: ForUser = False, form: Form = Format.TEXT
) -> None:
    """Remove repomem from the settings of agents.

    Without a NAME, changes the settings of every agent. Changes that others made to the same files stay.
    """
    from repomem.cli.agents.agents import agents_command

    agents_command("uninstall", context.obj, tuple(names or ()), form, is_for_user=user)


@host_commands.command("status")
def agents_status(context: typer.Context, names: Names = None, user: ForUser = False, form: Form = Format.TEXT) -> None:
    """Show which agents are set up, and any problems.

    Changes nothing.
    """
    from repomem.cli.agents.agents import agents_command

    agents_command("status", context.obj, tuple(names or ()), form, is_for_user=user)


@agent_commands.command(
    epilog="""\b
Configure an MCP client with:
  {"mcpServers": {"repomem": {"command": "repomem", "args": ["mcp"]}}}
"""
)
def mcp(context: typer.Context) -> None:
    """Run an MCP server on stdin and stdout.

    Its tools are recall, search, show, log, remember and forget. Each call reads the worktree as it is then. The server
    ends when stdin is closed.
    """
    from repomem.cli.agents.mcp import mcp_command

    mcp_command(context.obj)


@agent_commands.command(
    # a host's configuration may be newer than this program, and some hosts take exit code 2 for a veto
    context_settings={**HELP_FLAGS, "ignore_unknown_options": True, "allow_extra_args": True},
    epilog="""\b
Example, the command that an agent runs at the start of a session:
  repomem hook session-start --host claude-code
""",
)
def hook(
    context: typer.Context,
    event: Annotated[str, typer.Argument(metavar="EVENT", help=", ".join(HOOK_EVENTS))] = "",
    host: Annotated[
        str, typer.Option("--host", metavar="HOST", help=f"the agent that runs it: {', '.join(HostName)}")
    ] = "plain",
) -> None:
    """Answer a hook event; run by agents, not by people.

    Reads the event as JSON from stdin and prints text for the agent: the brief at the start of a session, new and
    relevant items at each prompt. Saves what happened at the end of each turn. Does nothing in a repository that
    is not indexed, and always exits with 0. REPOMEM=0 turns it off. With REPOMEM=shadow it shows nothing and records
    what it would have shown, for `repomem eval --memory`. For git hooks, see repomem hooks.
    """
    from repomem.cli.agents.hook import hook_command

    hook_command(context.obj, event, host)


@agent_commands.command(
    epilog="""\b
Examples:
  repomem export --to AGENTS.md                write the block, or refresh it
  repomem export --to CLAUDE.md --budget 300
  repomem export --to AGENTS.md --remove
"""
)
def export(
    context: typer.Context,
    to: ExportFile,
    budget: Annotated[
        int | None,
        typer.Option("--budget", metavar="N", min=100, max=20_000, help="maximum tokens of the block; default: 600"),
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="remove the block")] = False,
    form: Form = Format.TEXT,
) -> None:
    """Keep confirmed rules in AGENTS.md or another agent's file.

    For agents without hooks: writes confirmed rules and decisions, most used first, into a marked block, without their
    scope, and changes nothing else in the file. The git hooks of repomem refresh the block after a commit. A line that
    you edit or add in the block becomes a memory that waits for repomem review; a line that you delete is not written
    again. To export all memories as JSON, see repomem ledger export.
    """
    from repomem.cli.agents.export import export_command

    export_command(workspace_of(context), to, budget, form, is_removal=remove)
