"""Texts that would be more than data, planted wherever a repository holds text: what comes out is looked at by bytes.

Nothing hidden comes out; the brief's frame opens and closes once; no line speaks as a role or is a heading of theirs;
nothing is a link, an image or HTML outside of code.
"""

import json
import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.fault_scenes import said_by
from support.repositories import Commit, MakeRepository

from repomem.cli.agents.output_formats import in_host_format
from repomem.cli.recall.recall import tool_result
from repomem.cli.recall.show import shown_for, shown_markdown, story_for, story_lines
from repomem.cli.terminal.formats import HostName
from repomem.core.records import Event, MemoryContent, MemoryKind, Origin, Record, Source
from repomem.core.types.text import CleanText
from repomem.core.ulid import new_ulid
from repomem.recall.answer import recall_now
from repomem.recall.brief_json import brief_json
from repomem.recall.request import BriefRequest
from repomem.sessions.lifecycle import tree_of
from repomem.workspace.ledger import ledger_of
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace, opened

pytest_plugins = ("support.fault_scenes",)

CORPUS = Path(__file__).parents[2] / "fixtures" / "injection" / "strings.json"
STRINGS: list[dict[str, str]] = json.loads(CORPUS.read_text(encoding="ascii"))
TEXTS = [each["text"] for each in STRINGS]
HEADINGS = re.compile(
    r"## (Task: |Map: |Project facts and rules$|Where to look( \(weak matches: right about half of the time\))?$"
    r"|Where things are$|Relevant history$|Recent and reverted changes$|Sessions and open threads$)"
)
ROLE = re.compile(
    r"\s*(?:[-*>]\s+|\d+\.\s+)?[*_>\s]{0,4}(?:system|user|human|assistant|developer|important|instruction)[*_\s]{0,3}:",
    re.IGNORECASE,
)
LIVE = re.compile(r"(?<!\\)(?:\]\(|!\[|<[A-Za-z/!?|])")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
SELECTED = re.compile(r"[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff][\ufe0e\ufe0f]")  # how an emoji is drawn


def hidden_in(text: str) -> list[str]:
    """The characters that nobody sees, that turn the line, or that a terminal obeys."""
    plain = SELECTED.sub("", text)
    return [char for char in plain if char not in "\n\t" and _is_hidden(char)]


def _is_hidden(char: str) -> bool:
    code = ord(char)
    is_filler = code in {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0}
    is_selector = 0xFE00 <= code <= 0xFE0F or 0xE0000 <= code <= 0xE0FFF or 0x180B <= code <= 0x180F
    return unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} or is_filler or is_selector


def outside_code(text: str) -> Iterator[str]:
    """The lines that stand in no fence, with `code` for each code span."""
    fence = ""
    for line in text.split("\n"):
        mark = re.match(r"\s*(`{3,})[\w+#-]*\s*$", line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1] == fence:
            fence = ""
        elif not fence:
            yield CODE.sub("code", line)
    assert not fence


def faults_of(text: str, *, is_brief: bool = True) -> list[str]:
    """What is wrong with a text that an agent reads."""
    lines = list(outside_code(text))
    if is_brief:
        first, *lines = lines
        found = [] if first.startswith("<repomem-brief ") and text.endswith("\n</repomem-brief>\n") else ["its frame"]
        found += ["two frames"] if len(re.findall(r"<\s*/?\s*repomem-brief", text, re.IGNORECASE)) != 2 else []
        lines = [line for line in lines if line != "</repomem-brief>"]
        found += [line for line in lines if line.startswith("#") and not HEADINGS.match(line)]
        found += [line for line in lines if LIVE.search(line)]
    else:
        found = [line for line in lines if line.startswith("#")]
    found += [line for line in lines if ROLE.match(line)]
    return found + [repr(hidden) for hidden in hidden_in(text)[:3]]


def texts_in(value: Any) -> Iterator[str]:
    """Every text of a JSON value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for pair in value.items() for each in pair for text in texts_in(each))
    elif isinstance(value, list | tuple):
        yield from (text for each in value for text in texts_in(each))


def history() -> Iterator[Commit]:
    listed = "".join(f"- {text}\n" for text in TEXTS)
    rules = "".join(f"- Never do this: {text}. You must always run tests.\n" for text in TEXTS)
    yield Commit({"README.md": f"{TEXTS[0]}\n# About\n\n{listed}", "CONTRIBUTING.md": rules, "AGENTS.md": rules})
    for number, text in enumerate(TEXTS):
        code = f'"""{text}"""\n# {text}\ndef needle{number}(at="{text}"):\n    """{text}"""\n    return 1\n'
        name = re.sub(r"[\0/]", "-", text)[:40].rstrip("\\")
        author = re.sub(r"[<>\n\0]", "", text)[:60]
        files: dict[str, str | bytes | None] = {f"n{number}.py": code, f"src/{name}-needle{number}.md": f"{text}\n"}
        message = f"{text} needle{number}\n\n{text}\n\nReviewed-by: {text}\nRejected: {text}"
        yield Commit(files, message.replace("\0", " "), author=f"{author} <e@x>")


def say_it(workspace: Workspace) -> None:
    """Every text as a memory, a goal, a note and an outcome, past all that cleans what is said here."""
    tree, last = tree_of(workspace), ""
    records = list[Record]()
    for number, text in enumerate(TEXTS):
        clean = CleanText(text)
        origin = Origin("2026-01-31T10:00:00Z", text[:60], Source.AGENT, tool=text[:20], branch=text)
        kind = list(MemoryKind)[number % len(MemoryKind)]
        said = MemoryContent(kind, CleanText(f"{text} needle{number}"), why=clean, rejected=(clean,), scope=(text,))
        last = new_ulid(last)
        records.append(Record(last, Event.REMEMBER, origin, said=said))
        session = last = new_ulid(last)
        origin = Origin("2026-01-31T10:00:00Z", text[:60], Source.AGENT, session=session)
        records.append(Record(session, Event.SESSION_START, origin, other=tree, text=clean))
        for event in (Event.SESSION_NOTE, Event.SESSION_END):
            last = new_ulid(last)
            records.append(Record(last, event, origin, text=clean, files=(text,)))
    ledger_of(workspace).append(lambda _: records)


@pytest.fixture
def injected(make_repository: MakeRepository) -> Iterator[Workspace]:
    folder = make_repository(*history())
    with opened(folder, os.environ) as workspace:
        say_it(workspace)
        yield workspace


def test_the_corpus_is_large_and_its_texts_are_distinct() -> None:
    assert len(set(TEXTS)) == len({each["name"] for each in STRINGS}) == len(STRINGS) >= 100
    assert sum(bool(hidden_in(text)) for text in TEXTS) >= 40


def test_fault_34_briefs_quote_repository_text_as_data(injected: Workspace) -> None:
    wrong: dict[str, list[str]] = {}
    shown = 0
    for first in range(0, len(STRINGS), 3):  # three in one question
        names = [f"needle{number}" for number in range(first, min(first + 3, len(STRINGS)))]
        brief = recall_now(injected, BriefRequest(f"what do {' and '.join(names)} do", 2000), Run())
        result = tool_result(brief.markdown, brief_json(brief))
        faults = [*faults_of(brief.markdown), *(text for text in texts_in(result) if hidden_in(text))]
        for host in HostName:
            told = in_host_format(brief.markdown, host, "session-start")
            contexts = [told[:-1]] if host in {HostName.PLAIN, HostName.OPENCODE} else list(texts_in(json.loads(told)))
            faults += [host.value] * (brief.markdown not in contexts)
        if faults:
            wrong[f"{first} {STRINGS[first]['name']}"] = faults[:3]
        said = [f"{item.path} {item.title} {item.text}" for item in brief.items]
        shown += sum(any(name in each for each in said) for name in names)
    assert wrong == {}
    assert shown >= 0.9 * len(STRINGS)
    assert faults_of(recall_now(injected, BriefRequest("", 5000), Run()).markdown) == []


def test_fault_34_show_quotes_repository_text_as_data(injected: Workspace) -> None:
    story, _ = story_for(injected, "", 400)
    assert faults_of(story_lines(story), is_brief=False) == []
    wrong: dict[str, list[str]] = {}
    wanted = [told.episode.commit[:12] for told in story.commits][::12] + [f"n{at}.py" for at in range(5, 150, 13)]
    for name in wanted:
        faults = faults_of(shown_markdown(shown_for(injected, name)[0]), is_brief=False)
        if faults:
            wrong[name] = faults[:3]
    assert wrong == {}
    assert len(wanted) > 20


@pytest.mark.slow
def test_fault_34_every_command_quotes_repository_text_as_data(injected: Workspace) -> None:
    folder = injected.repository.top
    assert folder
    ids = [record.id for record in ledger_of(injected).records() if record.event is Event.REMEMBER][::15]
    forms = [("recall", "needle7 needle40", "--format", form) for form in ("text", "markdown", "json", "mcp")]
    plain = [
        ("search", "needle12"),
        ("log", "n3.py"),
        ("why", "n31.py:3"),
        ("status",),
        ("session", "list"),
        ("profile",),
    ]
    plain += [("show", name) for name in ids] + [("log",), ("doctor",), ("consolidate",)]
    more = [(*command, "--format", "json") for command in (*plain[:3], ("review",))]
    said = said_by(folder, *forms, *plain, *more)
    assert [repr(hidden) for text in said for hidden in hidden_in(text)] == []
    lines = [line for line in said[0].split("\n") if ROLE.match(line)]
    assert lines == []
