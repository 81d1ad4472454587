"""Whether Gemini CLI trusts a folder: in others it runs no hooks and starts no MCP server. Read-only."""

import os
from pathlib import Path
from typing import Any

from repomem.adapters.settings.block import table_in
from repomem.adapters.settings.files import read_foreign
from repomem.adapters.settings.json_text import read_json
from repomem.agents.entries import own_entries
from repomem.agents.targets import InstallTarget, Target
from repomem.core.errors import ForeignError

UNTRUSTED = (
    "untrusted: open Gemini CLI here and trust the folder; until then, it runs none of its hooks and no MCP server"
)
TRUSTING = frozenset(["TRUST_FOLDER", "TRUST_PARENT"])


def trust_notes(where: InstallTarget, settings: Target) -> tuple[str, ...]:
    """Why a project's entries do not run; empty if they run, or there are none."""
    if where.root is None:
        return ()
    folder = where.folder("GEMINI_CLI_HOME", where.home) / ".gemini"
    try:
        if not list(own_entries(_value(settings.path))):
            return ()
        is_asked = table_in(_value(folder / "settings.json"), ("security", "folderTrust", "enabled"))
        rules = _value(where.folder("GEMINI_CLI_TRUSTED_FOLDERS_PATH", folder / "trustedFolders.json"))
    except ForeignError as error:
        return (f"cannot tell whether Gemini CLI trusts this folder: {error.message}",)
    return () if is_asked is False or _is_trusted(rules, where.root) else (UNTRUSTED,)


def _value(path: Path) -> Any:  # what JSON holds
    content = read_foreign(path).content
    return read_json(content).value if content else {}


def _is_trusted(rules: Any, root: Path) -> bool:
    """Whether the longest rule about the folder, or one around it, trusts it."""
    here, found = os.path.realpath(root), ("", "")
    for path, level in rules.items() if isinstance(rules, dict) else ():
        around = os.path.realpath(os.path.dirname(path) if level == "TRUST_PARENT" else path)  # noqa: PTH120
        if Path(here).is_relative_to(around) and len(path) > len(found[0]):
            found = path, str(level)
    return found[1] in TRUSTING
