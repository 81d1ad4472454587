"""The agent hosts: which of their files get which entries, for a project or a user, and how hosts are detected.

What an entry says, its units and its matchers, follows each host's own documentation.

An entry contains the path of this installation, so it belongs in files that stay on this machine. Claude Code has such
a file for a project, and gets its hooks there. The other hosts have none, or none that all of their programs read:
their files are edited and listed in `.git/info/exclude`, since `.gitignore` is committed. Rules and instructions
contain no path. `AGENTS.md` belongs to a whole team, and is edited only when named.

Claude Code keeps its private MCP servers in `~/.claude.json`, together with its login and all its projects. While it
runs, it rewrites the whole file from memory, and it discards a file that does not parse. So repomem reads that file but
never writes it: the report prints Claude Code's own command that adds the server. The hooks work without the server.

Codex runs a hook only after its user has approved it. repomem could compute and write the hash that records the
approval, but the approval is the user's to give, so the hash is only read (`host_trust`).
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from shlex import join
from shutil import which
from typing import Any

from repomem.agents.entries import SERVER
from repomem.agents.wanted_entries import (
    Entry,
    Form,
    InstallTarget,
    Target,
    copilot_hook,
    cursor_hook,
    grouped,
    server_entry,
)
from repomem.core.errors import ConfigError

STARTS = "startup|resume|clear|compact"
READ_OR_EDIT = "read_file|replace|write_file"  # the tools of Gemini CLI
SHELL = "run_shell_command"
INSTRUCTIONS = """\
## Repository memory (repomem)

Before you change code, run `repomem recall "<the task in one sentence>"`. It prints the rules that apply, where to
look, and earlier attempts. To save a decision or finding that later sessions need, run
`repomem remember "<one sentence>"`.
"""
CURSOR_RULE = f"""\
---
description: repository memory (repomem)
alwaysApply: true
---
{INSTRUCTIONS}"""
OPENCODE_SCHEMA = "https://opencode.ai/config.json"  # OpenCode adds it to files that lack it
NEW_SESSION = "start a new session: sessions already open don't use the hooks, and may overwrite these settings"
APPROVE = "run /hooks and approve repomem's hooks: until then, it silently skips them"
PLACEHOLDER = '["repomem"]'  # in the plugin; replaced by the words that start this installation


@dataclass(frozen=True, slots=True)
class Host:
    """One host. `folder` contains its user settings; if it exists, the host is in use here."""

    name: str
    title: str
    targets: Callable[[InstallTarget], tuple[Target, ...]]
    programs: tuple[str, ...] = ()
    folder: Callable[[InstallTarget], Path] | None = None
    steps: tuple[str, ...] = ()  # for the user, after installing in a project
    user_steps: tuple[str, ...] = ()  # after installing for a user
    runs_hooks_of: tuple[str, ...] = ()  # hosts whose project settings it also reads

    def is_found(self, where: InstallTarget) -> bool:
        """Whether the host is on this machine. One that is not a program must be named."""
        path = where.environ.get("PATH", "")
        is_there = self.folder is not None and self.folder(where).is_dir()
        return is_there or any(which(program, path=path) for program in self.programs)


def hosts_named(names: tuple[str, ...]) -> tuple[Host, ...]:
    """The hosts of these names, or all. Raises ConfigError for an unknown name."""
    for name in names:
        if name not in HOSTS:
            raise ConfigError(f"unknown agent {name!r}", f"choose one of: {', '.join(HOSTS)}")
    return tuple(HOSTS[name] for name in (dict.fromkeys(names) if names else HOSTS))


def _claude_folder(where: InstallTarget) -> Path:
    return where.folder("CLAUDE_CONFIG_DIR", where.home / ".claude")


def _claude(where: InstallTarget) -> tuple[Target, ...]:
    settings = where.root / ".claude" / "settings.local.json" if where.root else _claude_folder(where) / "settings.json"
    shown: dict[str, Any] = {"timeout": 20, "statusMessage": "repomem brief"}
    hooks = (
        grouped(where, "claude-code", "SessionStart", "session-start", STARTS, **shown),
        grouped(where, "claude-code", "UserPromptSubmit", "prompt", timeout=20),
        grouped(where, "claude-code", "PreToolUse", "file", "Read|Edit|Write|MultiEdit|NotebookEdit", timeout=5),
        grouped(where, "claude-code", "PreToolUse", "delegate", "Task|Agent", timeout=5),
        grouped(where, "claude-code", "SubagentStart", "subagent-start", timeout=20),
        grouped(where, "claude-code", "PostToolUse", "edit", "Edit|Write|MultiEdit|NotebookEdit", is_async=True),
        grouped(where, "claude-code", "PostToolUseFailure", "command", "Bash", timeout=5),
        grouped(where, "claude-code", "PreCompact", "pre-compact", "manual|auto", timeout=30),
        grouped(where, "claude-code", "Stop", "stop", timeout=10),  # not async: `claude -p` kills async hooks
    )
    return Target(settings, Form.JSON, hooks), _claude_server(where)


def _claude_server(where: InstallTarget) -> Target:
    """In a file that Claude Code rewrites constantly: never written here."""
    above = ("projects", str(where.root)) if where.root else ()
    entry = server_entry(where, *above, "mcpServers", type="stdio", env={})
    scope = "local" if where.root else "user"
    return Target(
        where.folder("CLAUDE_CONFIG_DIR", where.home) / ".claude.json",
        Form.JSON,
        (entry,),
        command=f"claude mcp add --scope {scope} {SERVER} -- {join(where.program.server)}",
        undo_command=f"claude mcp remove --scope {scope} {SERVER}",
    )


def codex_folder(where: InstallTarget) -> Path:
    """The user settings of Codex."""
    return where.folder("CODEX_HOME", where.home / ".codex")


def _codex(where: InstallTarget) -> tuple[Target, ...]:
    folder = where.root / ".codex" if where.root else codex_folder(where)
    hooks = (
        grouped(where, "codex", "SessionStart", "session-start", STARTS, timeout=20, statusMessage="Loading repomem"),
        grouped(where, "codex", "UserPromptSubmit", "prompt"),
        grouped(where, "codex", "PreToolUse", "file", "apply_patch", timeout=5),
        grouped(where, "codex", "PreToolUse", "delegate", "spawn_agent", timeout=5),
        grouped(where, "codex", "SubagentStart", "subagent-start", timeout=20),
        grouped(where, "codex", "PostToolUse", "command", "Bash", timeout=5),  # success and failure share an event
        grouped(where, "codex", "PostCompact", "post-compact", "manual|auto"),
        grouped(where, "codex", "Stop", "stop"),  # never async: Codex skips such hooks
    )
    command, *arguments = where.program.server
    lines = (
        f"[mcp_servers.{SERVER}]",
        f"command = {json.dumps(command, ensure_ascii=False)}",  # a JSON string is also a TOML string
        f"args = {json.dumps(arguments, ensure_ascii=False)}",
        "startup_timeout_sec = 20",  # the default, 10, is short for a cold start
    )
    server = server_entry(where, "mcp_servers")
    text = "".join(f"{line}\n" for line in lines)
    return (
        Target(folder / "hooks.json", Form.JSON, hooks),
        Target(folder / "config.toml", Form.TOML, (server,), text=text),
    )


def gemini_folder(where: InstallTarget) -> Path:
    """The user settings of Gemini CLI."""
    return where.folder("GEMINI_CLI_HOME", where.home) / ".gemini"


def _gemini(where: InstallTarget) -> tuple[Target, ...]:
    """Gemini CLI matches whole words in lifecycle hooks, and takes timeouts in milliseconds.

    Of its tool hooks, only the one after a call can add context.
    """
    folder = where.root / ".gemini" if where.root else gemini_folder(where)
    entries = (
        grouped(where, "gemini", "SessionStart", "session-start", name="repomem", timeout=20_000),
        grouped(where, "gemini", "BeforeAgent", "prompt", name="repomem-prompt", timeout=20_000),
        grouped(where, "gemini", "AfterTool", "file", READ_OR_EDIT, name="repomem-file", timeout=5_000),
        grouped(where, "gemini", "AfterTool", "command", SHELL, name="repomem-command", timeout=5_000),
        grouped(where, "gemini", "AfterAgent", "stop", name="repomem-stop", timeout=5_000),
        server_entry(where, "mcpServers", timeout=30_000, trust=False),
    )
    return (Target(folder / "settings.json", Form.JSON, entries),)


def _cursor_folder(where: InstallTarget) -> Path:
    return where.home / ".cursor"


def _cursor(where: InstallTarget) -> tuple[Target, ...]:
    """With a rule, since some versions drop the answer of a session's first hook. A user's rules are not files."""
    folder = where.root / ".cursor" if where.root else _cursor_folder(where)
    hooks = (
        cursor_hook(where, "sessionStart", "session-start"),
        cursor_hook(where, "postToolUse", "edit", matcher="Write|StrReplace|ApplyPatch"),
        cursor_hook(where, "postToolUse", "file", matcher="Read|Write|StrReplace|ApplyPatch"),
        cursor_hook(where, "postToolUse", "command", matcher="Shell"),
        cursor_hook(where, "stop", "stop"),
    )
    rule = Target(folder / "rules" / "repomem.mdc", Form.WHOLE, (Entry("rule"),), text=CURSOR_RULE)
    return (
        Target(folder / "hooks.json", Form.JSON, hooks, needs=(("version", 1),)),
        Target(folder / "mcp.json", Form.JSON, (server_entry(where, "mcpServers"),)),
        *([rule] if where.root else ()),
    )


def _opencode_folder(where: InstallTarget) -> Path:
    return where.folder("XDG_CONFIG_HOME", where.home / ".config") / "opencode"


def _opencode(where: InstallTarget) -> tuple[Target, ...]:
    folder = where.root / ".opencode" if where.root else _opencode_folder(where)
    words = json.dumps(where.program.words, ensure_ascii=False)
    template = (files("repomem.agents") / "opencode_plugin.ts").read_text(encoding="utf-8")
    plugin = Entry("plugin", value=where.program.words)
    command = list(where.program.server)
    server = Entry("MCP server", ("mcp", SERVER), {"type": "local", "command": command, "enabled": True})
    with_comments = folder / "opencode.jsonc"
    settings = with_comments if with_comments.exists() else folder / "opencode.json"
    return (
        Target(folder / "plugins" / "repomem.ts", Form.WHOLE, (plugin,), text=template.replace(PLACEHOLDER, words, 1)),
        Target(settings, Form.JSON, (server,), needs=(("$schema", OPENCODE_SCHEMA),)),
    )


def _copilot_folder(where: InstallTarget) -> Path:
    return where.folder("COPILOT_HOME", where.home / ".copilot")


def _copilot(where: InstallTarget) -> tuple[Target, ...]:
    """Copilot CLI and VS Code read a project's hooks; only VS Code reads its MCP servers.

    None runs before a tool: there, a hook whose program is gone may deny the call.
    """
    hooks = (
        copilot_hook(where, "sessionStart", "session-start"),
        copilot_hook(where, "userPromptSubmitted", "prompt"),
        copilot_hook(where, "subagentStart", "subagent-start"),
        copilot_hook(where, "postToolUse", "file", matcher="view|edit|create|apply_patch"),
        copilot_hook(where, "postToolUse", "command", matcher="bash|powershell"),
        copilot_hook(where, "agentStop", "stop"),
    )
    needs = (("version", 1),)
    if where.root is None:
        folder = _copilot_folder(where)
        server = server_entry(where, "mcpServers", type="local", tools=["*"])
        return (
            Target(folder / "hooks" / "repomem.json", Form.JSON, hooks, needs),
            Target(folder / "mcp-config.json", Form.JSON, (server,)),
        )
    words = Target(
        where.root / ".github" / "copilot-instructions.md", Form.MARKDOWN, (Entry("instructions"),), text=INSTRUCTIONS
    )
    return (
        Target(where.root / ".github" / "hooks" / "repomem.json", Form.JSON, hooks, needs),
        words,
        Target(where.root / ".vscode" / "mcp.json", Form.JSON, (server_entry(where, "servers", type="stdio"),)),
    )


def _agents_md(where: InstallTarget) -> tuple[Target, ...]:
    if where.root is None:
        return ()
    return (Target(where.root / "AGENTS.md", Form.MARKDOWN, (Entry("instructions"),), text=INSTRUCTIONS),)


_REGISTRY = (
    Host("claude-code", "Claude Code", _claude, ("claude",), _claude_folder, (NEW_SESSION,), (NEW_SESSION,)),
    Host(
        "codex",
        "Codex",
        _codex,
        ("codex",),
        codex_folder,
        (f"in Codex, trust the project, {APPROVE}",),
        (f"in Codex, {APPROVE}",),
    ),
    Host(
        "gemini",
        "Gemini CLI",
        _gemini,
        ("gemini",),
        gemini_folder,
        ("open Gemini CLI here and trust the folder: it runs no hooks in untrusted folders",),
    ),
    Host("cursor", "Cursor", _cursor, ("cursor", "cursor-agent"), _cursor_folder),
    Host("opencode", "OpenCode", _opencode, ("opencode",), _opencode_folder),
    Host(
        "copilot",
        "GitHub Copilot",
        _copilot,
        ("copilot",),
        _copilot_folder,
        (
            "start Copilot CLI with --trust-folder, or install with --user: it silently skips hooks of a repository",
            "to add the MCP server to Copilot CLI: copilot mcp add repomem -- {server}, or install with --user",
        ),
        runs_hooks_of=("claude-code",),
    ),
    Host("agents-md", "AGENTS.md", _agents_md),
)
HOSTS: Mapping[str, Host] = {host.name: host for host in _REGISTRY}
