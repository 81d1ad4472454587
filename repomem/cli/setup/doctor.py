"""`repomem doctor`: what was looked at, how it stands, and the command that restores what is broken."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from repomem.cli.terminal.console import out, workspace_at
from repomem.cli.terminal.formats import Format, is_rich, out_json, out_table, present
from repomem.core.errors import RepomemError
from repomem.core.escape import visible

if TYPE_CHECKING:
    from repomem.setup.findings import Finding

SCHEMA = "repomem.doctor/1"


def doctor_command(directory: Path, form: Format, *, is_mending: bool) -> None:
    """Print the findings. Raises RepomemError where something is broken, so that scripts see it."""
    from repomem.setup.doctor import findings
    from repomem.setup.findings import State

    with workspace_at(directory) as workspace:
        found = list(findings(workspace, is_mending=is_mending))
        workspace.notices.clear()  # they stand among the findings
    if form is Format.JSON:
        out_json({"schema": SCHEMA, "findings": [present(asdict(one)) for one in found]})
    else:
        _print(found)
    broken = [one for one in found if one.state is State.BROKEN]
    if broken:
        counted = "1 thing is" if len(broken) == 1 else f"{len(broken)} things are"
        hint = "the remedies stand above" + ("" if is_mending else "; repomem doctor --fix tries those of its own")
        raise RepomemError(f"{counted} broken", hint)


def _print(found: "Sequence[Finding]") -> None:
    if is_rich():
        out_table("", ("", "", "", "remedy"), [(one.state.value, one.name, one.text, one.remedy) for one in found])
        return
    for one in found:
        remedy = f" → {visible(one.remedy)}" if one.remedy else ""
        out(f"{one.state.value}: {one.name}: {visible(one.text)}{remedy}\n")
