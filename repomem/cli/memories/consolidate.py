"""`repomem consolidate`: group and archive memories, or preview that."""

from collections.abc import Iterator

from repomem.cli.terminal.console import out, out_lines, tell
from repomem.cli.terminal.formats import Format, out_json
from repomem.core.errors import StoreError
from repomem.core.text.counts import counted
from repomem.core.text.escape import one_line, quoted
from repomem.memories.consolidate.run import Consolidated, consolidate
from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.consolidate/1"
TEXT_LENGTH = 100  # characters of a memory
MOST_LEARNED = 10  # lines; JSON has them all


def consolidate_command(workspace: Workspace, form: Format, model: str, *, is_dry_run: bool) -> None:
    """Consolidate, or print the plan; `model` writes summaries, empty: none."""
    _index_if_needed(workspace)
    result = consolidate(workspace, is_dry_run=is_dry_run)
    if form is Format.TEXT:
        out_lines(_lines(result))  # before the model is asked, which may fail
    written = _summaries(workspace, model) if model and not is_dry_run else 0
    if form is Format.JSON:
        out_json({"schema": SCHEMA, **_json(result), "summaries": written})
    elif written:
        out(f"summaries written: {written}; repomem show prints them\n")
    if result.unread:
        raise StoreError(
            f"recalls were not counted: cannot read {result.unread[0]}",
            "repair or delete the file (it only lists memories that briefs showed), then consolidate again",
        )


def _index_if_needed(workspace: Workspace) -> None:
    """Make the first index; otherwise the last published one is used."""
    if workspace.catalog.worktree(workspace.root) is None:
        from repomem.recall.answer import ready
        from repomem.workspace.run import Run

        ready(workspace, Run())


def _summaries(workspace: Workspace, model: str) -> int:
    from repomem.memories.consolidate.summaries import groups_to_summarize, summarize

    name, count = one_line(model, TEXT_LENGTH), len(groups_to_summarize(workspace, model))
    if not count:
        tell(f"nothing to summarize: {name} was not called")
        return 0
    tell(f"asking {name} to summarize {counted(count, 'group')} in a sentence each")
    return summarize(workspace, model)


def _lines(result: Consolidated) -> Iterator[str]:
    would = "would be " if result.is_dry_run else ""
    if not (result.groups or result.archived or result.recalled):
        yield "nothing to group, archive or learn" + (": another consolidation is in progress" if result.left else "")
    for group in result.groups:
        yield f"{would}grouped under {group.id} {_shown(group.text)} ({group.likeness:.0%} similar):"
        yield from (f"  {name} {_shown(text)}" for name, text in group.members)
    for each in result.archived:
        yield f"{would}archived: {each.id} {_shown(each.text)} ({each.reason})"
    if result.recalled:
        verb = "would update" if result.is_dry_run else "updated"
        yield f"{verb} the use counts of {counted(result.recalled, 'memory', 'memories')}"
    yield from (f"learnt: {line}" for line in result.learned[:MOST_LEARNED])
    if len(result.learned) > MOST_LEARNED:
        yield f"learnt: {len(result.learned) - MOST_LEARNED} more (--format json prints all)"
    if (result.groups or result.archived) and not result.is_dry_run:
        yield "to restore one: repomem restore ID"


def _shown(text: str) -> str:
    return quoted(one_line(text, TEXT_LENGTH))


def _json(result: Consolidated) -> dict[str, object]:
    return {
        "dry_run": result.is_dry_run,
        "groups": [
            {"id": each.id, "members": [name for name, _ in each.members], "likeness": round(each.likeness, 4)}
            for each in result.groups
        ],
        "archived": [{"id": each.id, "reason": each.reason} for each in result.archived],
        "recalled": result.recalled,
        "distilled": list(result.learned),
        "left": list(result.left),
    }
