"""Secrets, wherever they stand: in no byte that is kept, printed or sent; a rule that comes later cleans what was kept.

The secrets are put together at run time: no scanner finds one here.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.fault_scenes import indexed, repomem, repomem_fresh, said_by
from support.model_server import Manner, Server, serving
from support.repositories import Commit, MakeRepository, RunGit

from repomem.core.records import Event, MemoryContent, MemoryKind, Origin, Record, Source
from repomem.core.secrets.redact import rules_version
from repomem.core.types.text import CleanText
from repomem.core.ulid import new_ulid
from repomem.memories.ledger_files import export_lines, import_lines
from repomem.workspace.cached_brief import outdated_brief
from repomem.workspace.ledger import ledger_of
from repomem.workspace.workspace import opened

pytest_plugins = ("support.fault_scenes",)

ZEBRA = "def striped_zebra():\n    return 'zebra'\n"
BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"
SECRETS = {
    "token": "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "cloud": "AKI" + "A" + "Q3EGRIKQ7TPWJ5KT",
    "jwt": "eyJ" + "hbGciOiJIUzI1NiJ9" + "." + "eyJ" + "zdWIiOiJ6ZWJyYTEifQ" + "." + "c2lnbmF0dXJlLW9mLXplYnJh",
    "url": "https://ada:" + "hunter2hunter" + "@zebra.example/striped",
    "key": "\n".join(["-----BEGIN RSA " + "PRIVATE KEY-----", BODY, BODY, "-----END RSA " + "PRIVATE KEY-----"]),
}
# What must be found nowhere, as it is, in lower case or without its prefix.
TELLING = [SECRETS["token"], SECRETS["token"][4:], SECRETS["token"].lower(), SECRETS["cloud"], SECRETS["jwt"][-20:]]
TELLING += [BODY, "hunter2hunter"]
ALL = "; ".join(value for name, value in SECRETS.items() if name != "key")


def contents(*folders: Path) -> Iterator[bytes]:
    """Every byte of every file below these folders and every name; of catalogs each value, which a page may cut."""
    for path in (path for folder in folders for path in folder.rglob("*")):
        yield os.fsencode(path)
        if path.is_file() and not path.is_symlink():
            yield path.read_bytes()
            if path.suffix == ".sqlite":
                yield from cells(path)


def left_of(secrets: Iterable[str], *found: bytes) -> Iterator[tuple[str, bytes]]:
    """Each secret that is in one of the contents, with what stands around it."""
    for secret in secrets:
        for content in found:
            if (at := content.find(secret.encode())) >= 0:
                yield secret, content[max(0, at - 90) : at + 90]


def cells(catalog: Path) -> Iterator[bytes]:
    connection = sqlite3.connect(catalog)
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall():
        for row in connection.execute(f"SELECT * FROM {table}"):  # names of ours
            for value in row:
                yield value if isinstance(value, bytes) else str(value).encode()
    connection.close()


def rows(folder: Path) -> bytes:
    """All that the tables hold, which their files may hold packed."""
    with opened(folder, os.environ) as workspace:
        versions = [version.id for version in workspace.catalog.file_versions.with_ids(range(200))]
        found = [repr(workspace.store.chunks(versions)), repr(workspace.store.episodes(range(200)))]
        found += [repr(workspace.store.words(name, range(200))) for name in ("chunks", "episodes")]
    return "\n".join(found).encode()


def told(folder: Path, *arguments: str, **options: Any) -> str:
    """What a command prints; it must succeed."""
    run = repomem_fresh if "env" in options else repomem  # other rules come by PYTHONPATH
    done = run(folder, *arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def transcript(folder: Path, home: Path) -> str:
    """A session of an agent that was told secrets, and told them again; the hook's input that names it."""
    path = home / ".claude" / "projects" / "-w" / "s.jsonl"
    path.parent.mkdir(parents=True)
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": f"pytest --token {SECRETS['token']}"}}
    failed = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": f"Error: bad token {ALL}"}
    lines = [
        ("user", f"Make the zebra log in with {ALL}"),
        ("assistant", [call]),
        ("user", [failed]),
        ("user", f"From now on: the zebra logs in with {SECRETS['token']}, because floats lose pennies."),
        ("assistant", [{"type": "text", "text": f"Done: it uses {ALL} now, and the tests pass."}]),
    ]
    whole = [
        {"type": role, "message": {"role": role, "content": content}, "sessionId": "s", "cwd": str(folder)}
        | {"uuid": f"u{at}", "parentUuid": f"u{at - 1}" if at else None, "timestamp": f"2026-11-19T10:00:{at:02}.000Z"}
        for at, (role, content) in enumerate(lines)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in whole), encoding="utf-8")
    event = {"session_id": "s", "transcript_path": str(path), "cwd": str(folder), "hook_event_name": "Stop"}
    return json.dumps(event)


def leaking(make_repository: MakeRepository, run_git: RunGit) -> Path:
    """A repository with secrets in all that git keeps."""
    assigned = "".join(f"{name} = '''{value}'''\n" for name, value in SECRETS.items())
    folder = make_repository(
        Commit({"a.py": f"{ZEBRA}{assigned}", "README.md": f"# Zebra\n\n{ALL}\n", ".env": f"ZEBRA={ALL}\n"}),
        Commit({"b.py": f"def log_in():\n    return '{SECRETS['token']}'\n"}, f"feat: {ALL}\n\n{SECRETS['key']}"),
        Commit({"b.py": "def log_in():\n    return ask()\n"}, "fix: the zebra asks", author=f"{ALL[:200]} <a@b>"),
    )
    run_git(folder, "remote", "add", "origin", f"{SECRETS['url']}.git")
    run_git(folder, "checkout", "-qb", f"fix/{SECRETS['token']}")
    (folder / ".repomem.toml").write_text(f'[embedding]\napi_base = "{SECRETS["url"]}"\n')
    return folder


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_fault_36_no_secret_is_stored_printed_or_sent(
    make_repository: MakeRepository, run_git: RunGit, sealed_environment: Path
) -> None:
    folder = leaking(make_repository, run_git)
    event = transcript(folder, sealed_environment)
    manner = Manner()
    with serving(manner) as server:
        model = {
            "REPOMEM_EMBEDDING_MODEL": "litellm:openai/small",
            "REPOMEM_EMBEDDING_API_BASE": server.address,
            "OPENAI_API_KEY": "none",
        }
        environ = {**os.environ, **model}
        printed = [told(folder, "index", env=environ), told(folder, "recall", f"zebra {ALL}", env=environ)]
    printed += [told(folder, "hook", "stop", "--host", "claude-code", input=event), *said_by(folder, *commands())]
    for name, command in {"RECALL_BUDGET": "search", "STORE_URI": "index", "EMBEDDING_API_BASE": "config"}.items():
        done = repomem(folder, command, env={**os.environ, f"REPOMEM_{name}": SECRETS["url"]})
        printed += [done.stdout, done.stderr]
    printed.append(repomem(folder, "trust").stdout)
    assert "zebra.example" in printed[-3]
    assert "zebra.example" in printed[-1]
    assert any("github-token" in text for text in printed)
    assert "github-token" in (folder / ".git/repomem/ledger").read_text()
    assert len(manner.asked) >= 2
    shutil.rmtree(sealed_environment / ".claude")  # the host's own
    (sealed_environment / "printed").write_text("\n".join(printed))
    (sealed_environment / "sent").write_text(repr(manner.asked))
    assert list(left_of(TELLING, *contents(folder / ".git/repomem", sealed_environment), rows(folder))) == []


def commands() -> Iterator[tuple[str, ...]]:
    for text in (f"The zebra logs in with {SECRETS['token']}", f"Zebras know {ALL}\n{SECRETS['key']}"):
        yield "remember", text, "--why", f"since {ALL}", "--rejected", ALL, "--on", "a.py"
    yield from (("session", "start", f"zebra {ALL}"), ("session", "note", f"tried {ALL}"))
    yield from (("status",), ("doctor",), ("log",), ("log", "b.py"), ("why", "a.py:4"), ("recall",))
    yield from (("show", "a.py"), ("recall", "log in", "--format", "json"), ("search", "zebra", "--format", "json"))
    yield from (("session", "end", f"done with {ALL}"), ("session", "list"), ("consolidate",), ("config",))
    yield from (("ledger", "export"), ("review", "--format", "json"), ("profile",), ("eval", "--commits", "1"))


# A rule that comes later

FUTURE = "zeb" + "ra_" + "0123456789abcdef" * 2
LATER = """
import repomem.core.secrets.rules as rules
from repomem.core.secrets.token_formats import rule
rules.PREFIX_RULES += (rule("zebra-token", "zebra_", "[0-9a-f]{32}"),)
"""


@pytest.fixture
def later(tmp_path: Path) -> dict[str, str]:
    """The environment of a process, and of all that it starts, that knows one rule more."""
    folder = tmp_path / "later"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(LATER)
    return {**os.environ, "PYTHONPATH": str(folder)}


def kept_ids(folder: Path) -> list[str]:
    return [json.loads(line)["id"] for line in told(folder, "ledger", "export").splitlines()]


@pytest.mark.slow
def test_fault_36_a_new_rule_redacts_all_stored_data(
    make_repository: MakeRepository, run_git: RunGit, sealed_environment: Path, later: dict[str, str]
) -> None:
    folder = make_repository(
        Commit({"a.py": f"{ZEBRA}TOKEN = '{FUTURE}'\n", "Makefile": f"test:\n\tpytest --token {FUTURE}\n"}),
        Commit({"b.py": "b = 1\n"}, f"feat: log in with {FUTURE}\n\nRejected: {FUTURE} alone"),
    )
    run_git(folder, "checkout", "-qb", f"fix/{FUTURE}")
    memory = ("remember", f"The zebra logs in with {FUTURE}", "--why", FUTURE, "--rejected", FUTURE)
    session = ("session", "start", f"use {FUTURE}"), ("session", "note", f"tried {FUTURE}")
    said_by(folder, ("index",), memory, *session, ("recall", "zebra"))
    places = folder / ".git/repomem", sealed_environment
    [mirror] = (sealed_environment / ".local/share/repomem").rglob("ledger")
    (mirror.parent / "ledger.damaged").write_text(f"torn {FUTURE}\n")
    old, before = mirror.read_bytes(), kept_ids(folder)
    assert len(list(left_of([FUTURE], *contents(*places)))) >= 5
    assert FUTURE.encode() in rows(folder)

    assert "zebra-token" in "".join(said_by(folder, ("index",), ("recall", "zebra logs in"), env=later))

    assert list(left_of([FUTURE], *contents(*places))) == []
    assert FUTURE.encode() not in rows_under(folder, later)
    assert kept_ids(folder) == before
    mirror.write_bytes(old)  # a copy that was away comes back
    told(folder, "remember", "Zebras are striped", env=later)
    assert list(left_of([FUTURE], *contents(*places))) == []
    assert kept_ids(folder)[: len(before)] == before


def summarised(folder: Path, server: Server, environ: dict[str, str]) -> str:
    """What `consolidate --llm` prints, with a model behind the server."""
    where = {"REPOMEM_LLM_API_BASE": server.address, "OPENAI_API_KEY": "none"}
    return told(folder, "consolidate", "--llm", "openai/small", env={**environ, **where})


@pytest.mark.filterwarnings("ignore")
def test_fault_36_a_model_that_writes_summaries_is_sent_no_secret(
    make_repository: MakeRepository, run_git: RunGit, later: dict[str, str]
) -> None:
    folder = leaking(make_repository, run_git)
    (folder / ".repomem.toml").unlink()
    run_git(folder, "checkout", "-q", "main")
    said_by(folder, ("index",), ("remember", f"The zebra logs in with {ALL} and {SECRETS['key']}"))
    origin = Origin("2099-01-01T00:00:00Z", "agent", Source.AGENT)
    with opened(folder, os.environ) as workspace:
        ledger = ledger_of(workspace)
        said = [record.said for record in ledger.records() if record.said]
        text = CleanText(f"Every other zebra is let in by {FUTURE} at the gate")  # redacted by older rules
        said.append(MemoryContent(MemoryKind.FACT, text))
        twins = [Record(new_ulid(), Event.REMEMBER, origin, said=each) for each in (*said, said[-1])]
        ledger.append(lambda _: twins)
    with serving(Manner()) as server:
        assert "summaries written" in summarised(folder, server, later)
        asked = "".join(map(repr, server.manner.asked))
        assert ("github-token" in asked, "zebra-token" in asked) == (True, True)
        assert list(left_of([*TELLING, FUTURE], *server.manner.sent)) == []


def test_fault_36_a_brief_cached_under_other_rules_is_not_shown(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_repository(Commit({"a.py": f"{ZEBRA}TOKEN = '{FUTURE}'\n"}))
    indexed(folder)
    with opened(folder, os.environ) as workspace:
        assert outdated_brief(workspace)
        monkeypatch.setattr("repomem.workspace.freshness.rules_version", lambda: "later")
        assert outdated_brief(workspace) is None


def rows_under(folder: Path, environ: dict[str, str]) -> bytes:
    """What the tables hold, as it is searched under other rules."""
    search = ("search", "zebra token", "-k", "50", "--format", "json")
    return "\n".join(said_by(folder, search, ("log",), ("recall", "log in"), env=environ)).encode()


def test_fault_36_an_import_is_redacted_by_the_current_rules(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.py": ZEBRA}))
    told(folder, "remember", "Zebras are striped")
    with opened(folder, os.environ) as workspace:
        [line] = export_lines(workspace)
        changed = json.loads(line) | {"id": "01" + "A" * 24, "author": ALL[:150], "branch": SECRETS["token"]}
        changed["said"]["text"] = ALL
        assert import_lines(workspace, [json.dumps(changed).encode()]).added == 1
        kept = "\n".join(export_lines(workspace))
    assert [secret for secret in TELLING if secret in kept] == []


def test_changing_a_rule_changes_the_version_of_the_rules(later: dict[str, str]) -> None:
    script = "from repomem.core.secrets.redact import rules_version; print(rules_version())"
    done = subprocess.run([sys.executable, "-P", "-c", script], env=later, capture_output=True, text=True, check=True)
    assert done.stdout.strip() != rules_version()
