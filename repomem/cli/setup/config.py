"""`repomem config` and `repomem trust`: the options in effect, and trust in a repository's configuration file."""

import json
from pathlib import Path
from typing import Any

from repomem.cli.terminal.caller import speaker
from repomem.cli.terminal.console import asked, out, out_lines, tell
from repomem.cli.terminal.formats import Format, is_rich, out_json, out_table
from repomem.core.config import LoadedConfig, OptionSource, load_config, user_file
from repomem.core.options import OPTIONS, REPOSITORY_FILE, Option
from repomem.core.secrets.redact import redact
from repomem.core.text.escape import visible, visible_path
from repomem.workspace.ledger import check_is_person
from repomem.workspace.trust import config_file, distrust, is_trusted, trust_as_shown
from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.config/1"


def config_command(workspace: Workspace, form: Format) -> None:
    """Print every option with its value and source."""
    loaded = workspace.loaded
    options: dict[str, dict[str, Any]] = {
        each.name: {"value": _value(loaded, each), "origin": loaded.origins[each.name].value} for each in OPTIONS
    }
    files = {"user": str(user_file()), "repository": str(Path(workspace.root) / REPOSITORY_FILE)}
    if form is Format.JSON:
        out_json({"schema": SCHEMA, "files": files, "options": options})
        return
    if is_rich():
        rows = [(name, json.dumps(one["value"]), one["origin"]) for name, one in options.items()]
        out_table("", ("option", "value", "from"), rows)
    else:
        out_lines(f"{name} = {json.dumps(one['value'])}  # {one['origin']}" for name, one in options.items())
    for name, path in files.items():
        tell(f"{name} file: {visible_path(path)}{'' if Path(path).exists() else ' (does not exist)'}")


def trust_command(directory: Path, *, is_sure: bool) -> None:
    """Trust the repository's configuration file as it is now, after printing its options; RepomemError for an agent."""
    path, content = config_file(directory)
    if is_trusted(path, content):
        tell(f"{visible_path(str(path))} is already trusted")
        return
    _out_enabled(path)
    check_is_person(speaker(), "trust a file", "let a person run repomem trust on a terminal")
    if not (is_sure or asked("Trust this file?")):
        tell("nothing was trusted")
        return
    trust_as_shown(directory, content)
    tell(f"trusted, until it changes: {visible_path(str(path))}")


def distrust_command(directory: Path) -> None:
    """Stop trusting the repository's configuration file."""
    distrust(config_file(directory)[0])
    tell("the configuration file of this repository is no longer trusted")


def _value(loaded: LoadedConfig, option: Option) -> object:
    """An option's value without secrets, such as a password in a URL: agents read the output."""
    value = getattr(getattr(loaded.config, option.section), option.key)
    return redact(value) if isinstance(value, str) else value


def _out_enabled(path: Path) -> None:
    """Name the guarded options that the file would set."""
    trusting = load_config(path.parent, environ={}, trusted=lambda *_: True)
    enabled = [o for o in OPTIONS if o.is_guarded and trusting.origins[o.name] is OptionSource.REPOSITORY]
    out(f"{visible_path(str(path))} would set:\n" if enabled else "the file sets no option that needs trust\n")
    for option in enabled:
        value = json.dumps(_value(trusting, option), ensure_ascii=False)
        out(f"  {option.name} = {visible(value)}  ({option.help})\n")
