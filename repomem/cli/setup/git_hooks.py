"""`repomem hooks`: install, uninstall and show git hooks."""

import shlex
from collections.abc import Iterator
from typing import Any

from repomem.cli.terminal.console import tell
from repomem.cli.terminal.formats import Format, non_empty, out_json, out_pairs
from repomem.core.errors import RepomemError
from repomem.core.text.escape import visible_path
from repomem.setup.git_hooks import Hook, HooksReport, HookState, hooks_status, install, uninstall
from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.hooks/1"
STATES = {
    "installed": "installed",
    "outdated": "installed by another version: run repomem hooks install",
    "absent": "absent",
    "foreign": "left alone",
    "ignored": "ignored by git",
    "read-only": "absent",
    "unreachable": "not reachable",
}


def hooks_command(action: str, workspace: Workspace, form: Format, *, with_push: bool = False) -> None:
    """Install, uninstall or only show (status) the hooks; the line to add by hand is a hint, and a field in JSON."""
    if action == "install":
        report, done = install(workspace, with_push=with_push), "installed now"
    else:
        report, done = (uninstall(workspace), "removed") if action == "uninstall" else (hooks_status(workspace), "")
    if form is Format.JSON:
        out_json(_report_json(report))
    else:
        out_pairs("Git hooks", _pairs(report, done))
    if action == "install" and all(hook.state is HookState.READ_ONLY for hook in report.hooks):
        folder = visible_path(report.folder)
        raise RepomemError(f"no hook was installed: {folder} is not writable", f"chmod u+w {shlex.quote(folder)}")
    if report.by_hand and form is not Format.JSON:
        tell(f"hint: to keep the index fresh, add this line to a hook that was left alone: {report.by_hand}")


def _pairs(report: HooksReport, done: str) -> Iterator[tuple[str, str]]:
    yield "folder", visible_path(report.folder)
    yield "not reachable", visible_path(report.refusal)
    if not report.refusal:
        yield from ((hook.event, _hook_text(hook, done)) for hook in report.hooks)
    else:
        yield from ((hook.event, done) for hook in report.hooks if hook.is_changed)


def _hook_text(hook: Hook, done: str) -> str:
    """One hook: its state, the reason, and the program it starts."""
    state = done if hook.is_changed else STATES[hook.state]
    gone = "" if hook.is_runnable else ", which does not exist: run repomem hooks install"
    starts = f"starts {hook.program[0]}{gone}" if hook.program else ""
    return visible_path("; ".join(filter(None, (state, hook.reason, starts))))


def _report_json(report: HooksReport) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        **non_empty({"folder": report.folder, "refusal": report.refusal, "by_hand": report.by_hand}),
        "hooks": [_hook_json(hook) for hook in report.hooks],
    }


def _hook_json(hook: Hook) -> dict[str, Any]:
    return {
        "event": hook.event,
        "state": hook.state.value,
        "changed": hook.is_changed,
        **non_empty({"reason": hook.reason, "program": list(hook.program)}),
        **({"runnable": hook.is_runnable} if hook.program else {}),
    }
