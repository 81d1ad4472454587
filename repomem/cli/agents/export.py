"""`repomem export`: confirmed rules and decisions in a file that an agent reads."""

from repomem.agents.exported_rules import Exported, export_rules, remove_export
from repomem.cli.terminal.console import out, tell
from repomem.cli.terminal.formats import Format, out_json
from repomem.core.text.counts import counted
from repomem.core.text.escape import one_line, quoted
from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.export/1"
TEXT_LENGTH = 100  # characters of a line


def export_command(workspace: Workspace, name: str, budget: int | None, form: Format, *, is_removal: bool) -> None:
    """Write, refresh or remove the block of a file."""
    done = remove_export(workspace, name) if is_removal else export_rules(workspace, name, budget)
    if form is Format.JSON:
        out_json(
            {
                "schema": SCHEMA,
                "file": name,
                "changed": done.is_changed,
                "rules": done.rules,
                "left_out": done.left_out,
                "undecided": done.undecided,
                "proposed": list(done.taken.proposed),
                "refused": [{"text": line.text, "reason": why} for line, why in done.taken.refused],
            }
        )
        return
    if is_removal:
        result = f"removed from {name}" if done.path.exists() else f"deleted {name}, which had nothing else"
        out(f"{result if done.is_changed else f'{name} has no repomem block'}\n")
    elif not (done.rules or done.is_changed):
        _out_nothing(done)
    else:
        left = f"; {done.left_out} more do not fit the budget" if done.left_out else ""
        state = "written to" if done.is_changed else "up to date in"
        out(f"{counted(done.rules, 'rule or decision', 'rules and decisions')} {state} {name}{left}\n")
    if done.undecided:
        which = counted(done.undecided, "rule or decision", "rules and decisions")
        tell(f"left out: {which} that a later memory may replace; repomem review decides")
    tell_taken(done)


def _out_nothing(done: Exported) -> None:
    """Say why nothing was written, and what to do."""
    if done.left_out:
        which = counted(done.left_out, "rule or decision does", "rules and decisions do")
        out(f"nothing exported: {which} not fit the budget\n")
        tell("hint: allow more tokens with --budget")
        return
    out("nothing to export: no rule or decision that a person recorded or confirmed applies here\n")
    tell('hint: record one with repomem remember --kind rule "TEXT", or confirm those of agents with repomem review')


def tell_taken(done: Exported) -> None:
    """Report what a person wrote in the block."""
    for text in done.taken.proposed:
        tell(f"saved from {done.path.name}: {quoted(one_line(text, TEXT_LENGTH))}; repomem review confirms it")
    for line, why in done.taken.refused:
        tell(f"not saved from {done.path.name}: {quoted(one_line(line.text, TEXT_LENGTH))}: {why}")
