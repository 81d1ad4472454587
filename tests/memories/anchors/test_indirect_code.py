"""Anchors one step away from the code that a memory is about: on a class, or on what only calls that code."""

from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import workspace_at

from repomem.brief.memories import status_note
from repomem.cli.memories.remember import result_text
from repomem.cli.recall.show_memory import memory_lines
from repomem.index.run import index
from repomem.items.memory_item import first_place
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember
from repomem.memories.show import show_memory
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


def test_a_claim_on_a_function_follows_the_constant_whose_value_it_states(place: Path, run_git: RunGit) -> None:
    hashing = """BLOCK = 1024 * 1024
MOST_READ = 30
ROOT = "/"


def digest_of(stream, found):
    while block := stream.read(BLOCK):
        found.update(ROOT, block)
        found.count = min(found.count + 1, MOST_READ)
    return found.digest()
"""
    (place / "hashing.py").write_text(hashing)
    run_git(place, "add", "--all")
    run_git(place, "commit", "-qm", "hash")
    assert said(place, "digest_of counts at most 40 blocks", "hashing.py:digest_of") == ["hashing.py:digest_of"]
    with workspace_at(place) as workspace:
        text = "digest_of counts reads up to 30 only"
        result, _ = remember(workspace, NewMemory(text, on=("hashing.py:digest_of",)), AGENT)
        assert [each.symbol for each in result.said.anchors] == ["digest_of", "MOST_READ"]
    changed(place, run_git, "hashing.py", hashing.replace("30", "50"))
    with workspace_at(place) as workspace:
        one = memories_now(workspace).states[result.id]
    assert (one.status, one.why) == (Status.DRIFTED, "MOST_READ, which it uses, was changed")


@pytest.mark.parametrize(
    ("binding", "is_followed"),
    [
        ("const parse = require('parseurl')", False),
        ("const { parse } = require('parseurl')", False),
        ("import parse from 'parseurl'", False),
        ("const { parse } = require('./search-params')", True),
        ("import { parse } from './search-params'", True),
    ],
)
def test_a_called_name_that_is_imported_from_elsewhere_is_not_followed(
    make_repository: MakeRepository, binding: str, is_followed: bool
) -> None:
    request = f"{binding}\nfunction path (req) {{\n  return parse(req).pathname\n}}\n"
    params = "function parse (text) {\n  return new Map(text.split('&').map(each => each.split('=')))\n}\n"
    folder = make_repository(Commit({"lib/request.js": request, "lib/search-params.js": params}))
    on = said(folder, "path is taken from the parsed url", "lib/request.js:path")
    assert ("lib/search-params.js:parse" in on) is is_followed


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


SCOPED = """class ScopedFactory<T>(val onClose: ((T?) -> Unit)?) {
    private var values = HashMap<String, T>()

    fun drop(id: String) {
        val v = values.remove(id)
        onClose?.invoke(v)
    }
}
"""
THREAD_LOCAL = """class ThreadLocal<T> {
    private var value: T? = null

    fun remove() {
        value = null
    }
}
"""
DROPS = "drop calls onClose even when the scope never created the instance"


@pytest.mark.parametrize(
    ("table", "text", "is_followed"),
    [
        ("HashMap<String, T>()", DROPS, False),
        ("HashMap<String, T>()", "drop removes the value before it calls onClose", False),
        ("HashMap<String, T>()", "drop calls the remove of a ThreadLocal before onClose", True),
        ("ThreadLocal<T>()", DROPS, True),
    ],
    ids=["a method of another type", "a verb is no name", "named in the text", "a variable of that type"],
)
def test_a_call_on_a_variable_is_followed_only_if_its_type_is_known(
    make_repository: MakeRepository, table: str, text: str, is_followed: bool
) -> None:
    source = SCOPED.replace("HashMap<String, T>()", table)
    place = make_repository(Commit({"Scoped.kt": source, "Local.kt": THREAD_LOCAL}))
    anchors = said(place, text, "Scoped.kt:ScopedFactory.drop")
    assert ("Local.kt:ThreadLocal.remove" in anchors) is is_followed


def test_a_called_function_is_not_named_by_a_part_of_another_name(place: Path, run_git: RunGit) -> None:
    code = """class Database:
    def execute(self, sql):
        return self.pool.run(sql, self.limit, self.name)

    def execute_write(self, sql, limit):
        for part in sql.split(";"):
            if len(part) > limit and not part.isspace():
                conn = self.writers.take(limit)
                conn.execute(part.strip())
        return len(sql)
"""
    (place / "database.py").write_text(code)
    run_git(place, "add", "--all")
    run_git(place, "commit", "-qm", "database")
    on = "database.py:Database.execute_write"
    assert said(place, "The queue of a database is short: execute_write raises if it is full", on) == [on]
    assert said(place, "A database may execute one part at a time", on) == [on, "database.py:Database.execute"]


def test_the_brief_names_the_called_code_that_changed(place: Path, run_git: RunGit) -> None:
    said(place, STRICT, "sessions.py:parse")
    changed(place, run_git, "core.py", CORE.replace("if result.issues", "if is_strict and result.issues"))
    one = state(place)
    note = status_note(one.status, one.commit, one.why)
    assert note == f"checked, which it calls, was changed by {one.commit[:8]}: verify before relying on it"


def test_a_drifted_memory_is_shown_on_the_code_that_changed(place: Path, run_git: RunGit) -> None:
    said(place, DOMAIN, "sessions.py:Sessions")
    changed(place, run_git, "sessions.py", SESSIONS.replace('"." + ', ""))
    shown = first_place(state(place))
    assert shown
    assert shown.symbol == "Sessions.cookie_domain"


def test_of_two_anchors_the_deleted_one_is_named(place: Path, run_git: RunGit) -> None:
    with workspace_at(place) as workspace:
        index(workspace, Run())
        remember(workspace, NewMemory("Both agree", on=("sessions.py:Sessions", "core.py:checked")), AGENT)
    changed(place, run_git, "core.py", "LIMIT = 3\n")
    one = state(place)
    assert (one.status, one.why) == (Status.DRIFTED, "checked was deleted")


def test_two_methods_of_one_name_are_one_line(make_repository: MakeRepository) -> None:
    source = """struct Time {
    frac: u32,
}

impl Time {
    fn nanosecond(&self) -> u32 {
        self.frac
    }
}

impl Timelike for Time {
    fn nanosecond(&self) -> u32 {
        self.frac % LIMIT
    }
}
"""
    place = make_repository(Commit({"time.rs": source}))
    with workspace_at(place) as workspace:
        index(workspace, Run())
        text = "The nanosecond of a leap second is large"
        result, known = remember(workspace, NewMemory(text, on=("time.rs:Time",)), AGENT)
        told = result_text(result, known).splitlines()
        shown = memory_lines(show_memory(memories_now(workspace), result.id))
        assert len(result.said.anchors) == 3
        assert [line for line in told if line.endswith(".nanosecond")] == ["  on time.rs:Time.nanosecond"]
        assert [line for line in shown if line.endswith(".nanosecond")] == ["on: time.rs:Time.nanosecond"]
