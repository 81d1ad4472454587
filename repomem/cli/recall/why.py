"""`repomem why FILE:LINE`: the commits that made a line, and the memories about its code."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from repomem.cli.recall.show import answered_now, session_name
from repomem.cli.terminal.console import out_lines, tell_warnings
from repomem.cli.terminal.formats import Format, non_empty, out_json
from repomem.core.text.escape import one_line, quoted, quoted_title, visible, visible_path
from repomem.core.types.commits import short_hash
from repomem.core.ulid import unique_prefix
from repomem.recall.why import LineCommit, LineHistory, LineMemory, why
from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.why/1"
LINE_LENGTH = 200
BOUNDARY = "or an older commit, which this shallow clone lacks: git fetch --unshallow"


def why_command(workspace: Workspace, target: str, form: Format) -> None:
    """Print why a line is as it is."""
    reasons, warnings = answered_now(workspace, lambda snapshot: why(snapshot, target))
    tell_warnings(warnings)
    if form is Format.JSON:
        out_json(_json(reasons))
    else:
        out_lines(_lines(reasons))


def _lines(reasons: LineHistory) -> Iterator[str]:
    symbol = f" {visible(reasons.symbol)}" if reasons.symbol else ""
    yield f"{visible_path(reasons.path)}:{reasons.line}{symbol}"
    yield f"    {one_line(reasons.text, LINE_LENGTH)}"
    if not reasons.is_committed:
        yield "not committed yet"
    for made in reasons.commits:
        yield from _made_lines(made)
        if session := reasons.sessions.get(made.commit):
            yield f"  {session_name(session.id, session.goal)}"
            yield from (f"  decided {name} {quoted(one_line(text, LINE_LENGTH))}" for name, text in session.decisions)
    for one in reasons.memories:
        yield f"memory: {_said(one, list(reasons.ids))}"


def _made_lines(made: LineCommit) -> Iterator[str]:
    change = made.state
    if change is None:
        yield f"{short_hash(made.commit)} (older than the indexed history)"
    else:
        episode = change.episode
        number = f" (#{episode.pull_request})" if episode.pull_request else ""
        state = f": {change.state}" if change.state else ""
        yield f"{short_hash(made.commit)} {episode.date} {quoted_title(one_line(episode.title, 120))}{number}{state}"
        reason = one_line(made.reason, LINE_LENGTH)
        if reason:
            yield f"    {quoted(reason)}"
    if made.is_boundary:
        yield f"  {BOUNDARY}"
    yield from (f"  - {one_line(line, LINE_LENGTH)}" for line in made.before)
    yield from (f"  + {one_line(line, LINE_LENGTH)}" for line in made.after)


def _said(one: LineMemory, ids: list[str]) -> str:
    status = f"{one.status} " if one.status else ""
    why = f", because {one_line(one.why, LINE_LENGTH)}" if one.why else ""
    source = f", from {session_name(one.session, one.goal)}" if one.session else ""
    return f"{status}{one.kind} {unique_prefix(one.id, ids)} {quoted(one_line(one.text, LINE_LENGTH))}{why}{source}"


def _json(reasons: LineHistory) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "path": visible_path(reasons.path),
        "line": reasons.line,
        "text": reasons.text,
        "symbol": reasons.symbol,
        "committed": reasons.is_committed,
        "commits": [_made_json(made) for made in reasons.commits],
        "memories": [non_empty(asdict(one)) for one in reasons.memories],
        "sessions": [{"commit": commit, **non_empty(asdict(one))} for commit, one in reasons.sessions.items()],
    }


def _made_json(made: LineCommit) -> dict[str, Any]:
    change = made.state
    known = {"date": change.episode.date, "subject": change.episode.subject, "state": change.state} if change else {}
    lines = {"before": list(made.before), "after": list(made.after)}
    return non_empty({"commit": made.commit, **known, "boundary": made.is_boundary or None, **lines})
