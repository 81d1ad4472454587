"""Anchors one step away from the code that a memory is about: on a class, or on what only calls that code."""

from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import workspace_at

from repomem.index.run import index
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember
from repomem.memories.snapshots.snapshot import memories_now
from repomem.memories.status import MemoryState, Status
from repomem.workspace.ledger import Speaker
from repomem.workspace.run import Run

SESSIONS = """from core import checked


class Sessions:
    salt = "cookie"

    def name_of(self, app):
        return app.settings["SESSION_NAME"]

    def cookie_domain(self, app):
        if app.settings["SERVER_NAME"] is not None:
            return "." + app.settings["SERVER_NAME"]
        return None

    def is_due(self, app, session):
        return session.modified or (session.is_permanent and app.settings["SESSION_REFRESH"])


def parse(schema, data):
    return checked(schema, data)
"""
CORE = """def checked(schema, data, is_strict=False):
    result = schema.run(data, is_strict)
    if result.issues:
        raise SchemaError(result.issues)
    return result.value
"""
DOMAIN = "The cookie domain is that of SERVER_NAME with a leading dot"
STRICT = "parse raises SchemaError on any issue"
OPEN = "Other backends may be added beside it"
AGENT = Speaker(tool="an agent")


@pytest.fixture
def place(make_repository: MakeRepository) -> Path:
    return make_repository(Commit({"sessions.py": SESSIONS, "core.py": CORE}))


def said(place: Path, text: str, on: str) -> list[str]:
    """The code that a memory is anchored on."""
    with workspace_at(place) as workspace:
        index(workspace, Run())
        result, _ = remember(workspace, NewMemory(text, on=(on,)), AGENT)
    return [f"{each.path}:{each.symbol}" for each in result.said.anchors]


def changed(place: Path, run_git: RunGit, path: str, text: str) -> None:
    (place / path).write_text(text)
    run_git(place, "commit", "-qam", "change")


def state(place: Path) -> MemoryState:
    with workspace_at(place) as workspace:
        [one] = memories_now(workspace).states.values()
        return one


def test_a_claim_on_a_class_follows_the_method_it_is_about(place: Path, run_git: RunGit) -> None:
    assert said(place, DOMAIN, "sessions.py:Sessions") == ["sessions.py:Sessions", "sessions.py:Sessions.cookie_domain"]
    changed(place, run_git, "sessions.py", SESSIONS.replace('["SESSION_NAME"]', '["NAME"]'))
    assert state(place).status is Status.PROVISIONAL  # another method
    changed(place, run_git, "sessions.py", SESSIONS.replace('"." + ', ""))
    assert state(place).status is Status.DRIFTED


def test_a_claim_on_a_thin_wrapper_follows_what_it_calls(place: Path, run_git: RunGit) -> None:
    assert said(place, STRICT, "sessions.py:parse") == ["sessions.py:parse", "core.py:checked"]
    changed(place, run_git, "core.py", CORE.replace("if result.issues", "if is_strict and result.issues"))
    assert state(place).status is Status.DRIFTED


def test_a_claim_on_a_caller_follows_what_it_names(place: Path, run_git: RunGit) -> None:
    caller = """from core import checked


def load(store, schema):
    rows = [row for row in store.rows if row.is_live and not row.is_locked]
    found = [checked(schema, row) for row in sorted(rows, key=lambda row: row.number)]
    store.count += len(found)
    return log(found)
"""
    (place / "load.py").write_text(caller)
    run_git(place, "add", "--all")
    run_git(place, "commit", "-qm", "load")
    assert said(place, "load leaves out locked rows", "load.py:load") == ["load.py:load"]
    assert said(place, "load has each row checked strictly", "load.py:load") == ["load.py:load", "core.py:checked"]


@pytest.mark.parametrize(
    ("text", "on"),
    [
        (OPEN, "sessions.py:Sessions"),
        ("Never change how the cookie domain is found", "sessions.py:Sessions"),
        ("It raises SchemaError on any issue", "core.py:checked"),
    ],
    ids=["about no method", "a rule", "a function that does something itself"],
)
def test_other_memories_stay_where_they_were_put(place: Path, text: str, on: str) -> None:
    assert said(place, text, on) == [on]


@pytest.mark.parametrize(
    ("text", "status"), [(DOMAIN, Status.CURRENT), (OPEN, Status.PROVISIONAL)], ids=["a method", "the class alone"]
)
def test_lasting_work_confirms_no_claim_about_a_class_as_a_whole(
    place: Path, run_git: RunGit, text: str, status: Status
) -> None:
    said(place, text, "sessions.py:Sessions")
    for number in range(12):
        (place / "notes.txt").write_text(f"{number}\n")
        run_git(place, "add", "--all")
        run_git(place, "commit", "-qm", f"note {number}")
    assert state(place).status is status
