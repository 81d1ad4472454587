"""The catalog, in real SQLite files."""

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from repomem.adapters.sqlite import catalog as catalog_module, database
from repomem.adapters.sqlite.catalog import Catalog
from repomem.adapters.sqlite.catalog_rows import FileVersion, History, TableStamp, View, Worktree
from repomem.core.errors import StoreDamaged, StoreError
from repomem.core.types.code import Role
from repomem.core.word_statistics import WordStatistics

POLICY = "00ff"
NOTHING = WordStatistics.empty()
OpenCatalog = Callable[[], Catalog]


def blob(number: int) -> str:
    return f"{number:040x}"


def counted(word: str, documents: int) -> WordStatistics:
    return WordStatistics.counted({word: documents}, documents=documents, words=documents)


def view(*versions: int) -> View:
    return View(versions, counted("chunk", 3), counted("file", 2))


def history(head: str, *episodes: int) -> History:
    return History(head, episodes, counted("said", 5))


def shown(root: str, of: View, head: str = "", fingerprint: str = "f") -> Worktree:
    return Worktree(root, of.id, head, fingerprint)


def version(number: int, path: str = "a.py", chunks: int = 1) -> FileVersion:
    return FileVersion(number, path, blob(number), Role.SOURCE, "python", chunks=chunks, lines=4, bytes=80)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenCatalog]:
    """Opens the one catalog, as another process would do again."""
    catalogs: list[Catalog] = []

    def again() -> Catalog:
        catalogs.append(Catalog.open(tmp_path))
        return catalogs[-1]

    yield again
    for each in catalogs:
        each.close()


def test_another_process_reads_a_publication_completely(opened: OpenCatalog) -> None:
    opened().publish(Worktree("/w", view(1, 2).id, "head", "print", "{}", "[]", "{}"), view(1, 2), history("head", 3))
    reader = opened()
    assert reader.worktree("/w") == Worktree("/w", view(1, 2).id, "head", "print", "{}", "[]", "{}")
    found, past = reader.view(view(1, 2).id), reader.history("head")
    assert found
    assert past
    assert (found.versions, past.episodes) == ((1, 2), (3,))
    assert found.chunk_words.frequencies(["chunk"]) == {"chunk": 3}
    assert found.file_words.frequencies(["file"]) == {"file": 2}
    assert past.words.frequencies(["said"]) == {"said": 5}


def test_a_publication_that_fails_half_way_leaves_the_old_state(opened: OpenCatalog) -> None:
    catalog = opened()
    catalog.publish(shown("/w", view(1)), view(1), history("", 1))
    broken = Worktree("/w", view(2).id, "new", "g", brief=object())  # type: ignore[arg-type]
    with pytest.raises(sqlite3.Error):
        catalog.publish(broken, view(2), history("new", 2))
    for each in (catalog, opened()):
        assert each.worktree("/w") == shown("/w", view(1))
        assert each.view(view(2).id) is None
        assert each.history("new") is None


def test_a_reader_sees_nothing_of_an_open_transaction(opened: OpenCatalog) -> None:
    writer, reader = opened(), opened()
    writer.publish(shown("/w", view(1)), view(1), None)
    with writer._writing():
        writer._db.execute("DELETE FROM worktrees")
        assert reader.worktree("/w") == shown("/w", view(1))
    assert reader.worktree("/w") is None


def test_a_commit_that_a_reader_holds_up_leaves_the_catalog_usable(opened: OpenCatalog) -> None:
    writer, reader = opened(), opened()
    writer.set_meta("key", "old")
    writer._db.execute("PRAGMA busy_timeout=0")
    held = reader._db.execute("SELECT value FROM meta")
    assert held.fetchone() == ("old",)
    reader._db.execute("BEGIN")
    reader._db.execute("SELECT value FROM meta").fetchone()
    with pytest.raises(StoreError, match="locked"):
        writer.set_meta("key", "lost")
    reader._db.execute("COMMIT")
    writer.set_meta("key", "new")
    assert reader.meta("key") == "new"


def test_ids_are_given_once(opened: OpenCatalog) -> None:
    one, other = opened(), opened()
    assert [one.file_versions.reserve(3), other.file_versions.reserve(2), one.file_versions.reserve(1)] == [1, 4, 6]
    assert [one.reserve_episodes(2), other.reserve_episodes(1)] == [1, 3]


def test_ids_go_on_after_everything_was_forgotten(opened: OpenCatalog) -> None:
    catalog = opened()
    first = catalog.file_versions.reserve(2)
    catalog.file_versions.record([version(first), version(first + 1, "b.py")], POLICY, {})
    catalog.file_versions.drop([first + 1], {"chunks": TableStamp(2, 0)})
    catalog.clear()
    assert catalog.file_versions.with_ids([first, first + 1]) == []
    assert catalog.file_versions.reserve(1) == first + 2
    assert opened().file_versions.reserve(1) == first + 3


def test_clearing_deletes_the_state_of_tables_and_keeps_the_rest(opened: OpenCatalog) -> None:
    catalog = opened()
    catalog.set_meta("identity", "abc")
    catalog.file_versions.record([version(1)], POLICY, {"chunks": TableStamp(3, 4)})
    catalog.record_episodes([(1, blob(7))], TableStamp(5, 6))
    catalog.publish(shown("/w", view(1), "head"), view(1), history("head", 1))
    catalog.clear()
    assert catalog.meta("identity") == "abc"
    assert catalog.file_versions.known([("a.py", blob(1))], POLICY) == {}
    assert catalog.known_episodes() == {}
    assert (catalog.worktree("/w"), catalog.view(view(1).id), catalog.history("head")) == (None, None, None)
    assert (catalog.table_stamp("chunks"), catalog.table_stamp("episodes")) == (None, None)


def test_a_version_is_known_by_path_blob_and_policy(opened: OpenCatalog) -> None:
    catalog = opened()
    catalog.file_versions.record([version(1), version(2, "b.py")], POLICY, {"chunks": TableStamp(1, 2)})
    asked = [("a.py", blob(1)), ("a.py", blob(2)), ("b.py", blob(2)), ("c.py", blob(1))]
    assert catalog.file_versions.known(asked, POLICY) == {("a.py", blob(1)): 1, ("b.py", blob(2)): 2}
    assert catalog.file_versions.known(asked, "00") == {}
    assert catalog.table_stamp("chunks") == TableStamp(1, 2)


def test_versions_are_read_by_id_as_recorded(opened: OpenCatalog) -> None:
    catalog = opened()
    left_out = FileVersion(2, "b.bin", blob(2), Role.SOURCE, "", left_out="binary")
    catalog.file_versions.record([version(3, "z.py"), left_out, version(1)], POLICY, {})
    found = catalog.file_versions.with_ids([3, 2, 99])
    assert [(v.id, v.path, v.left_out, v.chunks) for v in found] == [(2, "b.bin", "binary", 0), (3, "z.py", "", 1)]
    assert (found[1].role, found[1].language, found[1].lines, found[1].bytes) == (Role.SOURCE, "python", 4, 80)


def test_a_path_that_is_not_utf8_is_read_back(opened: OpenCatalog) -> None:
    path = os.fsdecode(b"caf\xe9.py")
    catalog = opened()
    catalog.file_versions.record([version(1, path)], POLICY, {})
    catalog.publish(shown(path, view(1)), view(1), None)
    assert catalog.file_versions.known([(path, blob(1))], POLICY) == {(path, blob(1)): 1}
    assert [found.path for found in catalog.file_versions.with_ids([1])] == [path]
    assert [each.root for each in catalog.worktrees()] == [path]


def test_dead_versions_are_those_with_chunks_that_no_view_shows(opened: OpenCatalog) -> None:
    catalog = opened()
    catalog.file_versions.record([version(1), version(2, "b"), version(3, "c", chunks=0), version(4, "d")], POLICY, {})
    catalog.publish(shown("/w", view(1)), view(1), None)
    catalog.publish(shown("/v", view(4)), view(4), None)
    assert catalog.file_versions.dead() == [2]


def test_work_trees_that_show_the_same_files_share_a_view(opened: OpenCatalog) -> None:
    catalog = opened()
    assert catalog.view(view(1, 2).id) is None
    for root in ("/w", "/v"):
        catalog.publish(shown(root, view(1, 2)), view(1, 2), None)
    assert catalog.view(view(1, 2).id) is not None
    assert catalog._db.execute("SELECT count(*) FROM views").fetchone() == (1,)


def test_the_nearest_view_differs_least(opened: OpenCatalog) -> None:
    catalog = opened()
    assert catalog.nearest_view([1]) is None
    for number, each in enumerate((view(1, 2, 3, 4), view(1, 2, 9), view(7, 8))):
        catalog.publish(shown(f"/{number}", each), each, None)
    found = [catalog.nearest_view(wanted) for wanted in ([1, 2, 3], [7], [9, 2, 1])]
    assert [each and each.versions for each in found] == [(1, 2, 3, 4), (7, 8), (1, 2, 9)]


def test_the_nearest_history_differs_least(opened: OpenCatalog) -> None:
    catalog = opened()
    assert catalog.nearest_history([1]) is None
    for head, episodes in (("a", (1, 2, 3)), ("b", (9,))):
        catalog.publish(shown(f"/{head}", view(1), head), view(1), history(head, *episodes))
    found = [catalog.nearest_history(wanted) for wanted in ([3, 2, 1, 4], [8, 9])]
    assert [each and each.head for each in found] == ["a", "b"]


def test_old_views_and_histories_are_forgotten_but_never_those_in_use(
    opened: OpenCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog_module, "KEPT_VIEWS", 3)
    catalog = opened()
    catalog.publish(shown("/still", view(1000), "still"), view(1000), history("still", 1))
    for number in range(1, 11):
        catalog.publish(shown("/w", view(number), f"h{number}"), view(number), history(f"h{number}", number))
    kept = {number for number in range(1, 11) if catalog.view(view(number).id)}
    assert kept == {8, 9, 10}
    assert kept == {number for number in range(1, 11) if catalog.history(f"h{number}")}
    assert catalog.view(view(1000).id)
    assert catalog.history("still")


def test_a_view_that_is_shown_again_counts_as_used(opened: OpenCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog_module, "KEPT_VIEWS", 2)
    catalog = opened()
    for number in (1, 2):
        catalog.publish(shown("/w", view(number)), view(number), None)
    catalog.publish(shown("/w", view(1)), None, None)
    catalog.publish(shown("/w", view(3)), view(3), None)
    assert catalog.view(view(1).id)
    assert catalog.view(view(2).id) is None


def test_work_trees_are_listed_and_dropped_one_by_one(opened: OpenCatalog) -> None:
    catalog = opened()
    for root in ("/w/b", "/w/a"):
        catalog.publish(shown(root, view(1)), view(1), None)
    assert [each.root for each in catalog.worktrees()] == ["/w/a", "/w/b"]
    catalog.drop_worktree("/w/a")
    assert [each.root for each in catalog.worktrees()] == ["/w/b"]
    assert catalog.view(view(1).id)


def test_a_brief_is_kept_until_the_next_publication(opened: OpenCatalog) -> None:
    catalog = opened()
    catalog.publish(shown("/w", view(1)), view(1), None)
    catalog.set_brief(shown("/w", view(1)), '{"markdown": "said"}')
    known = opened().worktree("/w")
    assert known
    assert known.brief == '{"markdown": "said"}'
    catalog.set_brief(shown("/w", view(2)), '{"markdown": "of another state"}')
    assert opened().worktree("/w") == known
    catalog.publish(shown("/w", view(1)), None, None)
    assert catalog.worktree("/w") == shown("/w", view(1))


def test_episodes_are_known_by_their_commit(opened: OpenCatalog) -> None:
    catalog = opened()
    sha256 = "ab" * 32
    catalog.record_episodes([(1, blob(1)), (2, sha256)], TableStamp(7, 2))
    assert catalog.known_episodes() == {blob(1): 1, sha256: 2}
    assert catalog.table_stamp("episodes") == TableStamp(7, 2)


def test_an_older_format_is_begun_anew(tmp_path: Path, opened: OpenCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    opened().set_meta("identity", "abc")
    monkeypatch.setattr(database, "FORMAT", database.FORMAT + 1)
    assert opened().meta("identity") == ""
    with sqlite3.connect(tmp_path / database.FILE_NAME) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (database.FORMAT,)
    connection.close()


def test_a_newer_format_is_refused_and_left_alone(tmp_path: Path, opened: OpenCatalog) -> None:
    opened().set_meta("identity", "abc")
    with sqlite3.connect(tmp_path / database.FILE_NAME) as connection:
        connection.execute(f"PRAGMA user_version={database.FORMAT + 1}")
    connection.close()
    before = (tmp_path / database.FILE_NAME).read_bytes()
    with pytest.raises(StoreError, match="newer repomem"):
        opened()
    assert (tmp_path / database.FILE_NAME).read_bytes() == before


@pytest.mark.parametrize("content", [b"no database at all " * 90, b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_file_that_is_not_a_catalog_is_recreated(tmp_path: Path, opened: OpenCatalog, content: bytes) -> None:
    (tmp_path / database.FILE_NAME).write_bytes(content)
    catalog = opened()
    catalog.publish(shown("/w", view(1)), view(1), None)
    assert opened().worktree("/w") == shown("/w", view(1))


def test_an_empty_file_becomes_a_catalog(tmp_path: Path, opened: OpenCatalog) -> None:
    (tmp_path / database.FILE_NAME).touch()
    assert opened().file_versions.reserve(1) == 1


def test_a_folder_in_the_place_of_the_catalog_is_replaced(tmp_path: Path, opened: OpenCatalog) -> None:
    (tmp_path / database.FILE_NAME / "inside").mkdir(parents=True)
    catalog = opened()
    catalog.set_meta("a", "b")
    assert catalog.meta("a") == "b"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE views SET versions=x'0100000002000000'",
        "UPDATE views SET versions=x'010000'",
        "UPDATE views SET chunk_words=x'00'",
        "UPDATE views SET file_words=substr(file_words, 1, 9)",
    ],
)
def test_a_view_whose_content_was_changed_is_damage(opened: OpenCatalog, damage: str) -> None:
    catalog = opened()
    catalog.publish(shown("/w", view(1)), view(1), None)
    with catalog._writing():
        catalog._db.execute(damage)
    with pytest.raises(StoreDamaged):
        catalog.view(view(1).id)


def test_a_work_tree_whose_state_cannot_be_read_is_damage(opened: OpenCatalog) -> None:
    catalog = opened()
    catalog.publish(shown("/w", view(1)), view(1), None)
    catalog.set_brief(shown("/w", view(1)), "{")
    with pytest.raises(StoreDamaged):
        catalog.worktree("/w")


def test_a_catalog_that_is_deleted_while_it_is_open_says_so(tmp_path: Path, opened: OpenCatalog) -> None:
    catalog = opened()
    (tmp_path / database.FILE_NAME).unlink()
    with pytest.raises(StoreError, match="the index was deleted by another process while this command ran"):
        catalog.set_meta("a", "b")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="modes do not bind this user")
def test_a_catalog_that_cannot_be_written_opens_for_reading(tmp_path: Path, opened: OpenCatalog) -> None:
    opened().publish(shown("/w", view(1)), view(1), None)
    (tmp_path / database.FILE_NAME).chmod(0o400)
    tmp_path.chmod(0o500)
    try:
        reader = opened()
        assert reader.worktree("/w") == shown("/w", view(1))
        with pytest.raises(StoreError):
            reader.set_meta("a", "b")
    finally:
        tmp_path.chmod(0o700)


def test_a_catalog_that_sqlite_may_not_open_for_writing_opens_for_reading(
    tmp_path: Path, opened: OpenCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened().publish(shown("/w", view(1)), view(1), None)

    def refused(path: Path) -> sqlite3.Connection:
        raise StoreError(f"the catalog cannot be used: unable to open {path.name}")

    monkeypatch.setattr(database, "_opened", refused)  # modes do not bind the superuser that tests may run as
    reader = opened()
    assert reader.worktree("/w") == shown("/w", view(1))
    with pytest.raises(StoreError, match="cannot be used"):
        reader.set_meta("a", "b")


def test_a_folder_without_a_catalog_that_cannot_be_written_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot open the index") as caught:
        Catalog.open(tmp_path / "nowhere")
    assert caught.value.hint


def test_ids_beyond_the_limit_of_a_table_are_a_store_error(opened: OpenCatalog) -> None:
    too_many = view(2**31)
    with pytest.raises(StoreError, match="ids"):
        opened().publish(Worktree("/w", "v", "", ""), too_many, None)
