"""`repomem show` and `repomem log`: an id of a brief expanded, and the history of a file or symbol."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeVar

from repomem.cli.recall.show_memory import memory_json, memory_lines
from repomem.cli.terminal.console import out, tell, tell_warnings
from repomem.cli.terminal.formats import Format, is_rich, non_empty, out_json, out_rich, out_table
from repomem.cli.terminal.progress import progress_for_terminal
from repomem.core.text.counts import are, counted
from repomem.core.text.escape import fence_for, one_line, quoted, visible, visible_path
from repomem.core.types.code import TYPES
from repomem.core.types.commits import short_hash

if TYPE_CHECKING:
    from repomem.history.episodes import RelatedEpisode
    from repomem.memories.show import ShownMemory
    from repomem.recall.callers import CalledDefinition
    from repomem.recall.commit_sessions import CommitSession
    from repomem.recall.log import LogMemory, TargetLog
    from repomem.recall.show import Shown
    from repomem.workspace.snapshot import Snapshot
    from repomem.workspace.workspace import Workspace

Answer = TypeVar("Answer")
SHOW_SCHEMA = "repomem.show/1"
LOG_SCHEMA = "repomem.log/1"
STORY_HEADS = ("id", "date", "subject", "at HEAD")
GOAL_LENGTH = 120  # characters of a session's goal
ORDER = "sorted like git log, with author dates, so dates may be out of order"
SUBJECT_LENGTH = 120  # characters; longer text is not a subject
OF_SESSIONS = ("session", "note")  # kinds that were recorded at a commit, not read from one
MOST_DEFINITIONS = 20  # of a name, as text; JSON has all
UNREAD_CALLS = {  # by language: calls that its grammar does not tell from something else
    "c": "calls in the body of a `#define`",
    "cpp": "calls in the body of a `#define`",
    "ruby": "calls that are a bare name (they look like variables)",
    "rust": "calls in the body of a macro",
}
SELDOM_UNREAD = ("c", "cpp")  # said only where no call is found
MOST_CALLERS = 20  # of each definition, as text; JSON has all
MOST_BY_NAME = 50  # matches by name alone, if other definitions have the name; of more, such as `add`, few are right


def show_command(workspace: "Workspace", wanted: str, form: Format) -> None:
    """Print the item with an id."""
    from repomem.workspace.process import warm_up

    if found := memory_for(workspace, wanted):
        if form is Format.JSON:
            out_json({"schema": SHOW_SCHEMA, **memory_json(found)})
        else:
            out(memory_markdown(found))
        return
    warm_up()
    shown, warnings = shown_for(workspace, wanted)
    tell_warnings(warnings)
    if form is Format.JSON:
        out_json({"schema": SHOW_SCHEMA, **_shown_json(shown)})
    elif is_rich():
        _out_shown(shown)
    else:
        out(shown_markdown(shown))


def log_command(workspace: "Workspace", target: str, last: int, form: Format, *, is_said_only: bool) -> None:
    """Print the history of a file or symbol, newest first; or only memories or sessions."""
    from repomem.recall.log import MOST, log_of_memories

    if is_said_only:
        story, warnings = answered_now(workspace, lambda snapshot: log_of_memories(snapshot, target, last))
    else:
        story, warnings = story_for(workspace, target, last)
    tell_warnings(warnings)
    if form is Format.JSON:
        out_json(_story_json(story))
        return
    if is_rich():
        out_table(story.today and f"now: {visible(story.today)}", STORY_HEADS, _story_rows(story))
    else:
        out(story_lines(story))
    if not story.is_in_order_of_dates:
        tell(ORDER)
    if story.older:
        older = f"{counted(story.older, 'older commit')} {are(story.older)} not shown"
        every = story.older + len(story.commits)
        tell(f"{older}; --last {every} shows all" if every <= MOST else f"{older}; --last accepts at most {MOST}")
    elif workspace.repository.is_shallow:
        tell("this clone is shallow: older commits are missing")
    if story.moved_from:
        tell(f"moved here in the oldest commit; before: repomem log {visible(story.moved_from)}")
    if story.of_newest:
        tell(limit_text(story.of_newest))


def memory_for(workspace: "Workspace", wanted: str) -> "ShownMemory | None":
    """The memory with an id; None if the text is not the id of one. NotFound if it was forgotten."""
    from repomem.core.ulid import is_ulid_prefix

    if not is_ulid_prefix(wanted):
        return None
    from repomem.memories.search.relevant import changed_among
    from repomem.memories.show import means_memory, show_memory
    from repomem.memories.snapshots.snapshot import memories_now

    known = memories_now(workspace)
    if means_memory(known, wanted):
        name = known.resolve_id(wanted)
        return show_memory(known, name, changed_among(workspace, known, [name]).get(name, ""))
    known.refuse_forgotten(wanted)
    return None


def memory_markdown(shown: "ShownMemory") -> str:
    """A memory in full, for a pipe."""
    return "".join(f"{line}\n" for line in memory_lines(shown))


def shown_for(workspace: "Workspace", wanted: str) -> "tuple[Shown, tuple[str, ...]]":
    """The item with an id, and warnings about what is not indexed."""
    from repomem.recall.show import show

    return answered_now(workspace, lambda snapshot: show(snapshot, wanted))


def shown_markdown(shown: "Shown") -> str:
    """The item as plain text: a line for each property, then its text."""
    text = visible(shown.text).rstrip("\n")
    fence = fence_for(text)
    body = [f"{fence}{shown.language}\n{text}\n{fence}"] if text else []
    above, below = _around_text(shown)
    return "".join(f"{line}\n" for line in [*above, *body, *below])


def story_for(workspace: "Workspace", target: str, last: int) -> "tuple[TargetLog, tuple[str, ...]]":
    """The history of a file or symbol, and warnings about what is not indexed."""
    from repomem.recall.log import log

    return answered_now(workspace, lambda snapshot: log(snapshot, target, last))


def story_lines(story: "TargetLog") -> str:
    """A history for a pipe: the current place, then one line per commit and memory."""
    today = f"now: {visible(story.today)}\n" if story.today else ""
    return today + "".join(
        f'{commit} {date} "{subject}"{state and f": {state}"}\n' for commit, date, subject, state in _story_rows(story)
    )


def limit_text(newest: int) -> str:
    """A note that the commits of a symbol were looked for in only part of the history."""
    return f"symbols are recorded for the newest {newest:,} commits: older ones may be missing (log the file instead)"


def _story_rows(story: "TargetLog") -> list[tuple[str, str, str, str]]:
    return [_story_row(entry, story.sessions) for entry in story.entries]


def _story_row(
    entry: "RelatedEpisode | LogMemory", sessions: "Mapping[str, CommitSession]"
) -> tuple[str, str, str, str]:
    from repomem.recall.log import LogMemory

    if isinstance(entry, LogMemory):
        source = session_name(entry.session, entry.goal) if entry.session else ""
        state = ", ".join(filter(None, (entry.kind, entry.status, f"by {one_line(entry.author, 60)}", source)))
        return entry.id, entry.date, one_line(entry.text, SUBJECT_LENGTH), state
    episode = entry.episode
    made_in = sessions.get(episode.commit)
    state = ", ".join(filter(None, (entry.state, session_name(made_in.id, made_in.goal) if made_in else "")))
    return short_hash(episode.commit), episode.date, one_line(episode.subject, SUBJECT_LENGTH), state


def session_name(short_id: str, goal: str) -> str:
    """A session as a line names it: its short id, and its goal if it has one."""
    return f"session {short_id}" + (f" {quoted(one_line(goal, GOAL_LENGTH))}" if goal else "")


def answered_now(workspace: "Workspace", question: "Callable[[Snapshot], Answer]") -> "tuple[Answer, tuple[str, ...]]":
    """The answer to a question from the updated index, and warnings about what is missing."""
    from repomem.recall.answer import answered
    from repomem.workspace.run import Run

    return answered(workspace, Run(progress=progress_for_terminal()), question)


def _shown_json(shown: "Shown") -> dict[str, Any]:
    definitions = [_definition_json(each) for each in shown.definitions]
    return non_empty({**asdict(replace(shown, definitions=())), "definitions": definitions})


def _definition_json(called: "CalledDefinition") -> dict[str, Any]:
    site = called.site
    return {
        "path": visible_path(called.file.path),
        "symbol": site.qualified,
        "kind": site.kind,
        "start_line": site.start_line,
        "end_line": site.end_line,
        "signature": site.signature,
        **(_callers_json(called) if called.callers or called.is_called else {}),
    }


def _callers_json(called: "CalledDefinition") -> dict[str, Any]:
    return {
        "namesakes": called.namesakes,
        "overloads": called.overloads,
        "callers": [
            {"path": visible_path(caller.path), "line": caller.line, "symbol": caller.within, "by": caller.how.value}
            for caller in called.callers
        ],
    }


def _heading(shown: "Shown") -> Iterator[str]:
    """The details of an item that is no symbol, one per line."""
    if shown.kind == "code":
        within = "" if shown.title == shown.path else f" {visible(shown.title)}"
        lines = f":{shown.start_line}-{shown.end_line}" if shown.start_line else ": an empty file"
        yield f"{visible_path(shown.path)}{lines}{within}".rstrip()
    elif shown.kind in OF_SESSIONS:
        yield f'{shown.kind} {shown.id} {shown.date} "{one_line(shown.title, SUBJECT_LENGTH)}"'
        yield f"author: {one_line(shown.author, SUBJECT_LENGTH)}"
        yield f"state: {shown.state}"
        yield from [f"commit: {short_hash(shown.commit)}"] * bool(shown.commit)
    else:
        yield f'{shown.commit} {shown.date} "{one_line(shown.title, SUBJECT_LENGTH)}"'
        yield f"author: {one_line(shown.author, SUBJECT_LENGTH)}"
    at_head = "" if shown.kind in OF_SESSIONS else shown.state
    parts = {"at HEAD": (at_head,), "defines": shown.defines, "uses": shown.calls}
    parts |= {"files": shown.files, "symbols": shown.symbols}
    for name, values in parts.items():
        if any(values):
            yield f"{name}: {', '.join(map(visible_path, values))}"


def _around_text(shown: "Shown") -> tuple[list[str], list[str]]:
    """The details above an item's text, and those below: the callers of the definition whose code it is."""
    if shown.kind != "symbol":
        return list(_heading(shown)), []
    above, below = list[str](), list[str]()
    lines = above
    for called, (place, *callers) in _lines_of_definitions(shown.definitions):
        lines.append(place)
        if (called.file.path, called.site.start_line) == (shown.path, shown.start_line):
            lines = below
        lines += callers
    if len(shown.definitions) > MOST_DEFINITIONS:
        lines.append(f"and {len(shown.definitions) - MOST_DEFINITIONS:,} more definitions")
    return above, below


def _lines_of_definitions(definitions: "Sequence[CalledDefinition]") -> "Iterator[tuple[CalledDefinition, list[str]]]":
    """Each definition with its line and the lines of its users: resolved ones first, then matches by name alone.

    Overloads share their callers, which follow the last of them. A declaration in a header does not repeat those of its
    definition.
    """
    shown = definitions[:MOST_DEFINITIONS]
    for number, called in enumerate(shown, start=1):
        site = called.site
        span = f"{site.start_line}-{site.end_line}" if site.end_line > site.start_line else f"{site.start_line}"
        lines = [f"{visible_path(called.file.path)}:{span} {visible(site.qualified)} ({site.kind})"]
        is_known = (called.is_in_header or not called.callers) and any(
            _has_callers_of(called, other) for other in definitions
        )
        if not (is_known or any(_are_overloads(called, following) for following in shown[number : number + 1])):
            lines += _caller_lines(called)
        yield called, lines


def _has_callers_of(one: "CalledDefinition", other: "CalledDefinition") -> bool:
    """Whether the other has the same name and all its callers, such as the definition for a declaration in a header."""
    is_same = one.site.qualified == other.site.qualified and other is not one
    return is_same and bool(other.callers) and set(one.callers) <= set(other.callers)


def _are_overloads(one: "CalledDefinition", other: "CalledDefinition") -> bool:
    return (one.file.path, one.site.qualified) == (other.file.path, other.site.qualified)


def _caller_lines(called: "CalledDefinition") -> Iterator[str]:
    if not called.callers and not called.is_called:
        return
    is_type = called.site.kind in TYPES
    unread = "" if is_type else UNREAD_CALLS.get(called.file.language, "")
    if not called.callers:
        unsearched = f"not read: {unread}" if unread else "other references are not searched"
        yield "  no uses by this name found" if is_type else f"  no calls found ({unsearched})"
        return
    verb = "used" if is_type else "called"
    of_any = f"may call any of {called.overloads} definitions" if called.overloads > 1 else ""
    only = "" if called.namesakes or of_any else "the only candidate here"
    by_name = ", ".join(filter(None, ("name match", of_any, only)))
    titles = {True: f"  {verb} from{of_any and f' ({of_any})'}:", False: f"  perhaps {verb} from ({by_name}):"}
    unlisted = len(called.callers) - len(called.resolved) if called.namesakes else 0
    listed = called.resolved if unlisted > MOST_BY_NAME else called.callers
    for is_resolved, callers in groupby(listed[:MOST_CALLERS], lambda one: one.is_resolved):
        yield titles[is_resolved]
        for caller in callers:
            within = f" {visible(caller.within)}" if caller.within else ""
            yield f"    {visible_path(caller.path)}:{caller.line}{within}"
    if len(listed) > MOST_CALLERS:
        yield f"    and {len(listed) - MOST_CALLERS:,} more (`--format json` has all)"
    if unlisted > MOST_BY_NAME:
        yield f"  not listed: {unlisted:,} calls by this name, which others have too (`--format json` has all)"
    if unread and called.file.language not in SELDOM_UNREAD:
        yield f"    not read: {unread}"


def _out_shown(shown: "Shown") -> None:
    from rich.syntax import Syntax
    from rich.text import Text

    (first, *above), below = _around_text(shown)
    text = visible(shown.text).rstrip("\n")
    body: list[Syntax | Text] = [Text(""), Text(text)] if text else []
    if text and shown.path:
        lexer, first_line = Syntax.guess_lexer(shown.path, text), shown.start_line
        body = [Syntax(text, lexer, theme="ansi_dark", line_numbers=True, start_line=first_line, word_wrap=True)]
    out_rich(Text(first, style="bold cyan"), *map(Text, above), *body, *map(Text, below))


def _story_json(story: "TargetLog") -> dict[str, Any]:
    return {
        "schema": LOG_SCHEMA,
        "target": visible_path(story.target),
        "episodes": [
            {
                "commit": told.episode.commit,
                "date": told.episode.date,
                "author": told.episode.author,
                "subject": told.episode.subject,
                "kind": told.kind,
                "state": told.state,
                "files": [visible_path(file.path) for file in told.episode.files],
                **_made_in(story.sessions.get(told.episode.commit)),
            }
            for told in story.commits
        ],
        "older": story.older,
        **({"of_newest": story.of_newest} if story.of_newest else {}),
        "said": [non_empty(asdict(one)) for one in story.memories],
        "today": story.today,
        **({"moved_from": story.moved_from} if story.moved_from else {}),
    }


def _made_in(session: "CommitSession | None") -> dict[str, Any]:
    """The session that a commit was made in, if it is known."""
    return {"session": non_empty({"id": session.id, "goal": session.goal})} if session else {}
