"""Codex's record of our hooks: whether they are enabled and approved. Read-only."""

import os
import re
from pathlib import Path
from typing import Any

from repomem.adapters.settings.block import table_in, toml_of
from repomem.adapters.settings.files import read_foreign
from repomem.adapters.settings.json_text import read_json
from repomem.agents.entries import Place, own_entries
from repomem.agents.targets import InstallTarget, Target
from repomem.core.errors import ForeignError

UNTRUSTED_PROJECT = (
    "untrusted: open Codex in this folder and trust the project; until then, it reads nothing of the folder's .codex"
)
UNTRUSTED_BOTH = (
    "untrusted: open Codex in this folder, trust the project, run /hooks and approve repomem's hooks; until then, Codex"
    " ignores them"
)
UNTRUSTED = "untrusted: open Codex, run /hooks and approve repomem's hooks; until then, Codex silently skips them"


def trust_notes(where: InstallTarget, hooks: Target) -> tuple[str, ...]:
    """Why the hooks in this file do not run; empty if they run or there are none."""
    config = where.folder("CODEX_HOME", where.home / ".codex") / "config.toml"
    try:
        said = toml_of(read_foreign(config).content or b"")
        value = read_json(read_foreign(hooks.path).content or b"").value
    except ForeignError as error:
        return (f"cannot tell whether Codex runs the hooks: {error.message}",)
    places = [own.place for own in own_entries(value)]
    features = table_in(said, ("features",)) or {}
    is_off = False in (features.get("hooks"), features.get("codex_hooks"))
    off = (f"Codex runs no hooks: {config} has hooks = false in [features]",) if places and is_off else ()
    state = table_in(said, ("hooks", "state"))
    is_trusted = all(_is_trusted(state, hooks, place) for place in places)
    is_known = not places or where.root is None or _is_known(said, where.root)
    if is_known:
        return off if is_trusted else (*off, UNTRUSTED)
    return (*off, UNTRUSTED_PROJECT if is_trusted else UNTRUSTED_BOTH)


def _is_known(said: Any, root: Path) -> bool:
    """Whether the project is trusted, by the name of its folder."""
    levels = [table_in(said, ("projects", path, "trust_level")) for path in (str(root), os.path.realpath(root))]
    return "trusted" in levels


def _is_trusted(state: Any, hooks: Target, place: Place) -> bool:
    """Whether the state has a hash for a hook: `<file>:<event>:<group>:<hook>`. The hash is Codex's own."""
    _, event, group, *inner = place
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(event)).lower()
    hook = inner[1] if inner else 0
    paths = (str(hooks.path), os.path.realpath(hooks.path))
    known = [table_in(state, (f"{path}:{snake}:{group}:{hook}",)) for path in paths]
    return any(isinstance(each, dict) and each.get("trusted_hash") and each.get("enabled", True) for each in known)
