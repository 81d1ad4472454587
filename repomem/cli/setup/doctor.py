"""`repomem doctor`: the result of each check, and the command that repairs a problem."""

from collections.abc import Sequence
from dataclasses import asdict

from repomem.cli.terminal.console import out
from repomem.cli.terminal.formats import Format, is_rich, non_empty, out_json, out_table
from repomem.core.errors import RepomemError
from repomem.core.text.counts import counted
from repomem.core.text.escape import visible
from repomem.setup.doctor import HealthCheck, HealthState, health_checks
from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.doctor/1"


def doctor_command(workspace: Workspace, form: Format, *, is_mending: bool) -> None:
    """Print the checks. Raises RepomemError where something is broken, so that scripts notice."""
    found = list(health_checks(workspace, is_mending=is_mending))
    workspace.notices.clear()  # they are among the checks
    if form is Format.JSON:
        out_json({"schema": SCHEMA, "findings": [non_empty(asdict(one)) for one in found]})
    else:
        _print(found)
    broken = [one for one in found if one.state is HealthState.BROKEN]
    if broken:
        fix = "" if is_mending else "; repomem doctor --fix repairs what it can"
        hint = f"the fix for each problem is shown above{fix}"
        raise RepomemError(f"{counted(len(broken), 'problem')} found", hint)


def _print(found: Sequence[HealthCheck]) -> None:
    if is_rich():
        out_table("", ("", "", "", "remedy"), [(one.state.value, one.name, one.text, one.remedy) for one in found])
        return
    for one in found:
        remedy = f" → {visible(one.remedy)}" if one.remedy else ""
        out(f"{one.state.value}: {one.name}: {visible(one.text)}{remedy}\n")
