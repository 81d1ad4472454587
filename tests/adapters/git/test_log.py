"""Revisions and logged commits."""

from pathlib import Path

import pytest
from support.repositories import AUTHOR, START, Commit, MakeRepository, RunGit

from repomem.adapters.git.log import (
    MESSAGE_KEPT,
    head_of,
    log,
    remote_url,
    resolve,
    revisions,
    root_commit,
)
from repomem.adapters.git.repository import Repository
from repomem.core.errors import GitError, NotFound
from repomem.core.types.commits import FileChange, LogRecord


def logged(top: Path) -> list[LogRecord]:
    repository = Repository.open(top)
    return list(log(repository, revisions(repository, 0, "HEAD")))


class TestRevisions:
    def test_they_come_newest_first_up_to_the_limit(self, make_repository: MakeRepository) -> None:
        top = make_repository(*(Commit({"x": str(number)}, f"number {number}") for number in range(5)))
        assert [record.message for record in logged(top)] == [f"number {number}" for number in (4, 3, 2, 1, 0)]
        repository = Repository.open(top)
        assert revisions(repository, 2, "main") == [resolve(repository, "main"), resolve(repository, "main~1")]

    def test_the_head_of_a_branch_without_commits_has_an_error_of_its_own(
        self, make_repository: MakeRepository, run_git: RunGit
    ) -> None:
        top = make_repository(Commit({"x": "1"}))
        run_git(top, "switch", "-q", "--orphan", "empty")
        with pytest.raises(NotFound, match="the checked-out branch has no commit yet"):
            resolve(Repository.open(top), "HEAD")

    def test_a_commit_that_was_pruned_is_not_found(self, make_repository: MakeRepository, run_git: RunGit) -> None:
        top = make_repository(Commit({"x": "1"}), Commit({"x": "2"}))
        repository = Repository.open(top)
        lost = resolve(repository, "main")
        run_git(top, "reset", "-q", "--hard", "main~1")
        assert resolve(repository, lost[:10]) == lost
        run_git(top, "reflog", "expire", "--expire=now", "--all")
        run_git(top, "gc", "-q", "--prune=now")
        with pytest.raises(NotFound):
            resolve(repository, lost)
        with pytest.raises(NotFound):
            revisions(repository, 0, lost)

    def test_fault_27_an_unborn_branch_has_no_commits(self, make_repository: MakeRepository) -> None:
        repository = Repository.open(make_repository())
        assert head_of(repository) == (None, "main")
        assert root_commit(repository) is None

    def test_the_root_stays_when_another_history_is_merged_in(self, make_repository: MakeRepository) -> None:
        top = make_repository(
            Commit({"x": "1"}),
            Commit({"y": "2"}, parents=[], time=START - 10_000),
            Commit({"z": "3"}, parents=[0, 1]),
        )
        repository = Repository.open(top)
        assert root_commit(repository) == resolve(repository, "main^1")

    def test_fault_27_a_shallow_clone_has_no_root_and_no_files_at_its_boundary(
        self, make_repository: MakeRepository, run_git: RunGit, tmp_path: Path
    ) -> None:
        origin = make_repository(*(Commit({f"file{number}": "1"}) for number in range(4)), name="origin")
        run_git(tmp_path, "clone", "-q", "--depth=2", f"file://{origin}", "shallow")
        repository = Repository.open(tmp_path / "shallow")
        assert repository.is_shallow
        assert root_commit(repository) is None
        newest, oldest = logged(tmp_path / "shallow")
        assert newest.files == (FileChange("A", "file3"),)
        assert oldest.files == ()


class TestRemotes:
    @pytest.mark.parametrize(
        ("url", "expected"),
        [
            ("https://ada:secret@example.org/a/b.git", "https://example.org/a/b.git"),
            ("https://token@example.org:8443/a/b", "https://example.org:8443/a/b"),
            ("https://a:p@ss@example.org/a@b", "https://example.org/a@b"),
            ("git@example.org:a/b.git", "example.org:a/b.git"),
            ("ssh://git@example.org/a/b.git", "ssh://example.org/a/b.git"),
            ("/srv/git/a@b.git", "/srv/git/a@b.git"),
            ("https://example.org/a/b", "https://example.org/a/b"),
        ],
    )
    def test_the_remote_address_has_no_user_and_password(
        self, url: str, expected: str, make_repository: MakeRepository, run_git: RunGit
    ) -> None:
        top = make_repository()
        run_git(top, "remote", "add", "another", "https://example.org/other")
        assert remote_url(Repository.open(top)) == "https://example.org/other"
        run_git(top, "remote", "add", "origin", url)
        assert remote_url(Repository.open(top)) == expected

    def test_without_a_remote_there_is_none(self, make_repository: MakeRepository) -> None:
        assert remote_url(Repository.open(make_repository())) is None


class TestLog:
    def test_a_record_has_author_time_and_message(self, make_repository: MakeRepository) -> None:
        top = make_repository(Commit({"x": "1"}, "one"), Commit({"x": "2", "y": "3"}, "two\n\nbecause\n"))
        newest, oldest = logged(top)
        assert newest == LogRecord(
            commit=newest.commit,
            parents=(oldest.commit,),
            author=AUTHOR,
            date="2023-11-14",
            time=START + 60,
            message="two\n\nbecause",
            files=(FileChange("M", "x"), FileChange("A", "y")),
        )
        assert (oldest.parents, oldest.files) == ((), (FileChange("A", "x"),))

    def test_a_date_is_the_authors_own(self, make_repository: MakeRepository) -> None:
        top = make_repository(Commit({"x": "1"}, zone="+0900"), Commit({"x": "2"}, zone="-1100"))
        assert [record.date for record in logged(top)] == ["2023-11-14", "2023-11-15"]

    def test_records_come_in_the_order_asked_for(self, make_repository: MakeRepository) -> None:
        top = make_repository(*(Commit({"x": str(number)}) for number in range(6)))
        repository = Repository.open(top)
        commits = revisions(repository, 0, "HEAD")
        wanted = [commits[number] for number in (3, 0, 5, 1)]
        assert [record.commit for record in log(repository, wanted)] == wanted
        assert list(log(repository, [])) == []

    def test_renames_copies_and_type_changes_are_listed(self, make_repository: MakeRepository) -> None:
        lines = "".join(f"{number}\n" for number in range(100))
        top = make_repository(
            Commit({"old": lines, "kind": "target"}),
            Commit({"old": None, "new": lines + "more\n", "kind": "elsewhere"}, modes={"kind": "120000"}),
        )
        assert logged(top)[0].files == (FileChange("T", "kind"), FileChange("R", "new", old_path="old"))

    def test_renames_with_changes_are_not_detected_if_a_blob_is_missing(
        self, make_repository: MakeRepository, run_git: RunGit
    ) -> None:
        lines = "".join(f"{number}\n" for number in range(100))
        top = make_repository(Commit({"old": lines}), Commit({"old": None, "new": lines + "more\n"}))
        blob = run_git(top, "rev-parse", "HEAD~1:old")
        (top / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
        repository = Repository.open(top)
        commits = revisions(repository, 1, "HEAD")
        with pytest.raises(GitError):
            list(log(repository, commits))
        (record,) = log(repository, commits, has_all_bytes=False)
        assert record.files == (FileChange("A", "new"), FileChange("D", "old"))

    def test_a_merge_comes_without_files(self, make_repository: MakeRepository) -> None:
        top = make_repository(
            Commit({"x": "1"}),
            Commit({"y": "2"}),
            Commit({"z": "3"}, parents=[0]),
            Commit({"z": "3", "y": "4"}, "merge", parents=[1, 2]),
        )
        merge = logged(top)[0]
        assert (merge.message, len(merge.parents), merge.files) == ("merge", 2, ())

    def test_fault_21_any_name_comes_back_as_it_is(self, make_repository: MakeRepository) -> None:
        names = ["a\nb", ":100644 x", "\x1b]0;t\x07", 'q"', "\udcff\udcfe", "-rf", "n" * 255]
        top = make_repository(Commit(dict.fromkeys(names, "1")))
        assert sorted(change.path for change in logged(top)[0].files) == sorted(names)

    def test_fault_22_messages_in_any_encoding_or_none_are_read(self, make_repository: MakeRepository) -> None:
        top = make_repository(
            Commit({"x": "0"}, "naïve café".encode("latin-1"), encoding="ISO-8859-1"),
            Commit({"x": "1"}, b"broken \xff\xfe bytes"),
            Commit({"x": "2"}, ""),
            Commit({"x": "3"}, "\x1b]52;c;cm0gLXJm\x07 subject"),
            Commit({}, "nothing in it"),
            Commit({"x": "5"}, "no author", author=" <>"),
        )
        records = logged(top)[::-1]
        assert [record.message for record in records] == [
            "naïve café",
            "broken \ufffd\ufffd bytes",
            "",
            "\x1b]52;c;cm0gLXJm\x07 subject",
            "nothing in it",
            "no author",
        ]
        assert [len(record.files) for record in records] == [1, 1, 1, 1, 0, 1]
        assert records[-1].author == ""

    def test_fault_22_a_message_of_a_megabyte_is_cut(self, make_repository: MakeRepository) -> None:
        top = make_repository(Commit({"x": "1"}, "subject\n\n" + "body line\n" * 300_000), Commit({"y": "1"}, "next"))
        newest, oldest = logged(top)
        assert (newest.message, newest.files) == ("next", (FileChange("A", "y"),))
        assert len(oldest.message) <= MESSAGE_KEPT
        assert oldest.message.startswith("subject\n\nbody line\n")
        assert oldest.files == (FileChange("A", "x"),)

    def test_a_thousand_files_in_one_commit_are_all_there(self, make_repository: MakeRepository) -> None:
        names = [f"folder/{'n' * 100}{number:04}" for number in range(1000)]
        top = make_repository(Commit(dict.fromkeys(names, "1")))
        assert [change.path for change in logged(top)[0].files] == names

    def test_fault_28_replaced_commits_and_mailmaps_change_nothing(
        self, make_repository: MakeRepository, run_git: RunGit
    ) -> None:
        top = make_repository(Commit({"x": "1"}, "one"), Commit({"x": "2"}, "two"))
        before = logged(top)
        other = run_git(top, "commit-tree", "-m", "another", "HEAD^{tree}")
        run_git(top, "replace", "HEAD", other)
        (top / ".mailmap").write_text(f"Someone Else <else@example.org> {AUTHOR} <ada@example.org>\n")
        assert logged(top) == before

    def test_configuration_does_not_bend_the_answer(self, make_repository: MakeRepository, run_git: RunGit) -> None:
        lines = "".join(f"{number}\n" for number in range(100))
        top = make_repository(
            Commit({"d/old": lines}),
            Commit({"d/old": None, "d/new": lines + "x\n"}),
            Commit({"y": "1"}, parents=[0, 1]),
        )
        before = logged(top)
        for name, value in {
            "color.ui": "always",
            "core.abbrev": "7",
            "diff.noprefix": "true",
            "diff.orderFile": str(top / "d" / "missing"),
            "diff.relative": "true",
            "diff.renames": "false",
            "diff.statGraphWidth": "5",
            "diff.submodule": "log",
            "format.pretty": "fuller",
            "i18n.logOutputEncoding": "UTF-16",
            "log.date": "relative",
            "log.decorate": "full",
            "log.diffMerges": "first-parent",
            "log.follow": "true",
            "log.showRoot": "false",
            "notes.displayRef": "*",
        }.items():
            run_git(top, "config", name, value)
        run_git(top, "notes", "add", "-m", "a note", "HEAD")
        assert logged(top / "d") == before
