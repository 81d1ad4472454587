"""Places that cannot be written: what is said is kept where it can be, found again, and merged once."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest
from support.memory_places import WAYS, Site, ids_in, is_linux_root, unwritable
from support.repositories import Commit, MakeRepository, RunGit

CODE = "def retry(times):\n    delay = 1\n    for _ in range(times):\n        delay *= 2\n    return delay\n"
SAID = "We retry three times"
USER = os.getuid() if hasattr(os, "getuid") else 0


@pytest.fixture
def site(tmp_path: Path, make_repository: MakeRepository) -> Site:
    """A repository of one commit, indexed; nothing was said in it."""
    clone = make_repository(Commit({"src/net.py": CODE}, "feat: retry"))
    made = Site(clone, tmp_path / "user", tmp_path / "temporary")
    made.home.mkdir()
    made.temporary.mkdir()
    assert made.run("index", "--quiet").returncode == 0
    return made


NEXT = {
    "remember": ("remember", "Dates are ISO"),
    "session": ("session", "start", "a goal"),
    "index": ("index",),
    "verify": ("ledger", "verify"),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_fault_10_memories_go_to_the_data_folder_if_the_git_directory_is_read_only(site: Site, way: str) -> None:
    first = site.remembered("Amounts are integers of cents")
    with unwritable(way, site.git):
        before = site.ledger.read_bytes()
        name = site.remembered(SAID)
        assert SAID in site.brief()
        assert site.ledger.read_bytes() == before
    assert sorted(ids_in(*site.mirrors)) == [first, name]
    assert site.passing == []

    later = site.remembered("Dates are ISO")

    assert sorted(ids_in(site.ledger)) == sorted(ids_in(*site.mirrors)) == [first, name, later]


@pytest.mark.slow
@pytest.mark.parametrize(("way", "then"), [*(("modes", then) for then in NEXT), ("mounts", "remember")])
def test_fault_10_in_a_sandbox_memories_go_to_the_temporary_folder_until_the_next_command(
    site: Site, way: str, then: str
) -> None:
    with unwritable(way, site.git, site.home):
        name = site.remembered(SAID)
        assert SAID in site.brief()
    [passing] = site.passing
    assert ids_in(passing) == [name]
    assert [stat.S_IMODE(path.stat().st_mode) for path in (passing, passing.parent, passing.parent.parent)] == [
        0o600,
        0o700,
        0o700,
    ]

    done = site.run(*NEXT[then])

    assert done.returncode == 0, done.stderr
    assert (ids_in(site.ledger).count(name), ids_in(*site.mirrors).count(name)) == (1, 1)
    assert passing.read_bytes() == b""
    site.run(*NEXT[then])
    assert (ids_in(site.ledger).count(name), ids_in(*site.mirrors).count(name)) == (1, 1)


@pytest.mark.slow
def test_a_sandbox_without_any_home_keeps_sessions_and_notes_too(site: Site) -> None:
    nowhere = site.home / "no_folder"
    nowhere.write_text("")
    with unwritable("modes", site.git):
        done = [
            site.run(
                *words, HOME=str(nowhere / "home"), XDG_DATA_HOME=str(nowhere / "data"), REPOMEM_STORE_TRUST="true"
            )
            for words in (("session", "start", "a goal"), ("session", "note", SAID), ("session", "end", "it is done"))
        ]
        assert [each.returncode for each in done] == [0, 0, 0], [each.stderr for each in done]
    assert len(ids_in(*site.passing)) == 3

    listed = site.run("session", "list", "--format", "json")

    assert "it is done" in listed.stdout


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_fault_10_an_error_is_reported_if_nothing_is_writable_and_recall_writes_nothing(site: Site, way: str) -> None:
    site.remembered(SAID)
    site.brief()
    with unwritable(way, site.git, site.home, site.temporary):
        before = site.state()
        done = site.run("remember", "Dates are ISO")
        shown, whole = site.brief(), site.run("recall")
        after = site.state()

    assert done.returncode == 1
    assert done.stderr.startswith("error: nothing was saved")
    assert {"modes": "check the owner and mode", "mounts": "make the file system writable"}[way] in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert SAID in shown
    assert (whole.returncode, whole.stderr) == (0, "")
    assert SAID in whole.stdout
    assert after == before


def test_no_temporary_folder_at_all_ends_no_recall_and_nothing_goes_into_the_work_tree(site: Site) -> None:
    site.remembered(SAID)
    nowhere = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(site.home / "none"))

    done = site.run("recall", "how often do we retry", **nowhere)

    assert (done.returncode, SAID in done.stdout) == (0, True)
    assert sorted(path.name for path in site.clone.iterdir()) == [".git", "src"]


def test_without_a_readable_secret_a_folder_is_refused_and_the_error_names_the_option(site: Site) -> None:
    site.remembered(SAID)
    nowhere = {"HOME": str(site.home / "none"), "XDG_DATA_HOME": "/dev/null/none"}

    done = site.run("recall", **nowhere)

    assert (done.returncode, "REPOMEM_STORE_TRUST" in done.stderr, done.stdout) == (1, True, "")
    assert SAID in site.run("recall", **nowhere, REPOMEM_STORE_TRUST="true").stdout
    assert SAID in site.brief()


def test_a_file_in_place_of_a_folder_counts_as_no_folder(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPOMEM_STORE_TRUST", "true")
    data = site.home / "data" / "repomem"
    shutil.move(data, site.home / "aside")
    data.write_text("no folder")
    (site.temporary / f"repomem-{USER}").write_text("no folder")

    name = site.remembered(SAID)
    assert ids_in(site.ledger) == [name]
    assert SAID in site.brief()
    assert site.run("ledger", "verify").returncode == 1

    monkeypatch.delenv("REPOMEM_STORE_TRUST")
    data.unlink()
    shutil.move(site.home / "aside", data)
    assert site.run("ledger", "verify").returncode == 0
    assert ids_in(*site.mirrors) == [name]


def test_fault_10_a_temporary_folder_that_everybody_can_write_is_not_used(site: Site) -> None:
    open_to_all = site.temporary / f"repomem-{USER}"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)

    with unwritable("modes", site.git, site.home):
        done = site.run("remember", SAID)

    assert (done.returncode, done.stderr.partition(":")[0]) == (1, "error")
    assert list(open_to_all.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(not is_linux_root(), reason="giving files away takes root")
@pytest.mark.parametrize("whose", ["parent", "folder"])
def test_fault_10_a_temporary_folder_of_another_user_is_not_used(site: Site, whose: str) -> None:
    with unwritable("modes", site.git, site.home):
        site.remembered(SAID)
        folder = site.passing[0].parent
        os.chown({"parent": folder.parent, "folder": folder}[whose], 12345, 12345)
        shutil.copytree(folder, site.temporary / "before")

        done = site.run("remember", "Dates are ISO")
        assert done.returncode == 1
        assert SAID not in site.brief()

    assert (folder / "ledger").read_bytes() == (site.temporary / "before" / "ledger").read_bytes()


def test_a_fresh_clone_finds_memories_saved_beside_a_read_only_git_directory(
    site: Site, tmp_path: Path, run_git: RunGit
) -> None:
    run_git(tmp_path, "clone", "-q", "--bare", str(site.clone), "remote.git")
    first, second = (Site(tmp_path / name, site.home, site.temporary) for name in ("first", "second"))
    run_git(tmp_path, "clone", "-q", "remote.git", "first")
    assert first.run("index").returncode == 0
    with unwritable("modes", first.git):
        name = first.remembered(SAID)
    shutil.rmtree(first.clone)
    run_git(tmp_path, "clone", "-q", "remote.git", "second")

    assert SAID in second.brief()
    assert second.run("ledger", "verify").returncode == 0
    assert ids_in(second.ledger) == [name]


def test_fault_10_a_folder_that_everybody_can_write_is_refused_and_the_hook_is_silent(site: Site) -> None:
    site.ledger.parent.chmod(0o777)

    done, hook = site.run("remember", SAID), site.run("hook", "session-start", "--host", "plain")

    assert (done.returncode, done.stdout) == (1, "")
    assert "writable by everyone" in done.stderr
    assert (hook.returncode, hook.stdout, hook.stderr) == (0, "", "")
    assert not site.mirrors


@pytest.mark.skipif(not is_linux_root(), reason="giving files away takes root")
def test_fault_10_a_folder_of_another_user_is_refused_and_the_hook_is_silent(site: Site) -> None:
    os.chown(site.ledger.parent, 12345, 12345)

    done, hook = site.run("remember", SAID), site.run("hook", "session-start", "--host", "plain")

    assert (done.returncode, done.stdout) == (1, "")
    assert "another user" in done.stderr
    assert (hook.returncode, hook.stdout, hook.stderr) == (0, "", "")


def test_an_unreadable_copy_of_another_user_hides_nothing(site: Site) -> None:
    name = site.remembered(SAID)
    mirror = site.mirrors[0]
    mirror.parent.chmod(0)
    try:
        assert SAID in site.brief()
        later = site.remembered("Dates are ISO")
        assert site.run("ledger", "verify").returncode == 1
    finally:
        mirror.parent.chmod(0o700)

    assert site.run("ledger", "verify").returncode == 0
    assert sorted(ids_in(mirror)) == sorted(ids_in(site.ledger)) == [name, later]


@pytest.mark.slow
def test_fault_38_what_is_purged_in_a_sandbox_is_gone_from_every_copy_by_the_next_command(site: Site) -> None:
    name = site.remembered("The launch is called Heliotrope")
    with unwritable("modes", site.git, site.home):
        done = site.run("forget", "--purge", "--yes", name)
        assert done.returncode == 0, done.stderr
        assert "cannot write" in done.stderr
        assert "Heliotrope" not in site.brief("what is the launch called")

    assert site.run("index").returncode == 0
    assert site.run("ledger", "verify").returncode == 0

    left = [path for path in site.clone.parent.rglob("*") if path.is_file() and b"Heliotrope" in path.read_bytes()]
    assert left == []


def test_json_of_a_memory_in_a_sandbox_has_its_contract(site: Site) -> None:
    with unwritable("modes", site.git, site.home):
        done = site.run("remember", "--format", "json", SAID)

    assert json.loads(done.stdout)["outcome"] == "added"
