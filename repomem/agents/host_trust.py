"""Whether Codex and Gemini CLI run our entries: both skip those that their user has not trusted. Read-only."""

import os
import re
from pathlib import Path
from typing import Any

from repomem.adapters.settings.block import toml_of
from repomem.adapters.settings.edits import value_at
from repomem.adapters.settings.files import read_foreign
from repomem.adapters.settings.json_text import read_json
from repomem.agents.entries import Place, own_entries
from repomem.agents.hosts import codex_folder, gemini_folder
from repomem.agents.wanted_entries import InstallTarget, Target
from repomem.core.errors import ForeignError

CODEX_PROJECT = (
    "untrusted: open Codex in this folder and trust the project; until then, it reads nothing of the folder's .codex"
)
CODEX_BOTH = (
    "untrusted: open Codex in this folder, trust the project, run /hooks and approve repomem's hooks; until then, Codex"
    " ignores them"
)
CODEX_HOOKS = "untrusted: open Codex, run /hooks and approve repomem's hooks; until then, Codex silently skips them"
GEMINI_FOLDER = (
    "untrusted: open Gemini CLI here and trust the folder; until then, it runs none of its hooks and no MCP server"
)
TRUSTING = frozenset(["TRUST_FOLDER", "TRUST_PARENT"])  # levels of Gemini CLI


def codex_notes(where: InstallTarget, hooks: Target) -> tuple[str, ...]:
    """Why the hooks in this file do not run; empty if they run or there are none."""
    config = codex_folder(where) / "config.toml"
    try:
        said = toml_of(read_foreign(config).content or b"")
        value = read_json(read_foreign(hooks.path).content or b"").value
    except ForeignError as error:
        return (f"cannot tell whether Codex runs the hooks: {error.message}",)
    places = [own.place for own in own_entries(value)]
    features = value_at(said, ("features",)) or {}
    is_off = False in (features.get("hooks"), features.get("codex_hooks"))
    off = (f"Codex runs no hooks: {config} has hooks = false in [features]",) if places and is_off else ()
    state = value_at(said, ("hooks", "state"))
    is_approved = all(_is_approved(state, hooks, place) for place in places)
    is_known = not places or where.root is None or _is_known(said, where.root)
    if is_known:
        return off if is_approved else (*off, CODEX_HOOKS)
    return (*off, CODEX_PROJECT if is_approved else CODEX_BOTH)


def gemini_notes(where: InstallTarget, settings: Target) -> tuple[str, ...]:
    """Why a project's entries do not run; empty if they run, or there are none."""
    if where.root is None:
        return ()
    folder = gemini_folder(where)
    try:
        if not list(own_entries(_json_value(settings.path))):
            return ()
        is_asked = value_at(_json_value(folder / "settings.json"), ("security", "folderTrust", "enabled"))
        rules = _json_value(where.folder("GEMINI_CLI_TRUSTED_FOLDERS_PATH", folder / "trustedFolders.json"))
    except ForeignError as error:
        return (f"cannot tell whether Gemini CLI trusts this folder: {error.message}",)
    return () if is_asked is False or _is_trusted(rules, where.root) else (GEMINI_FOLDER,)


def _is_known(said: Any, root: Path) -> bool:
    """Whether Codex trusts the project, by the name of its folder."""
    levels = [value_at(said, ("projects", path, "trust_level")) for path in (str(root), os.path.realpath(root))]
    return "trusted" in levels


def _is_approved(state: Any, hooks: Target, place: Place) -> bool:
    """Whether the state has a hash for a hook: `<file>:<event>:<group>:<hook>`. The hash is Codex's own."""
    _, event, group, *inner = place
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(event)).lower()
    hook = inner[1] if inner else 0
    paths = (str(hooks.path), os.path.realpath(hooks.path))
    known = [value_at(state, (f"{path}:{snake}:{group}:{hook}",)) for path in paths]
    return any(isinstance(each, dict) and each.get("trusted_hash") and each.get("enabled", True) for each in known)


def _json_value(path: Path) -> Any:  # what JSON holds
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
