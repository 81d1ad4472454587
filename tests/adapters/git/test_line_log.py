"""The commits of a range of lines, across rewrites in white space."""

from pathlib import Path

from support.repositories import Commit, MakeRepository, RunGit

from repomem.adapters.git.line_log import REWRITES, commits_of_lines
from repomem.adapters.git.repository import Repository

HEAD = [f"int top{number} = {number};" for number in range(60)]
TAIL = [f"int end{number} = {number};" for number in range(60)]
BODY = ["int area(int w, int h) {", "  return w * h;", "}"]


def text(
    body: list[str] = BODY, head: list[str] = HEAD, tail: list[str] = TAIL, end: str = "\n", left: str = ""
) -> str:
    return "".join(f"{left}{line}{end}" for line in [*head, *body, *tail])


LONGER = [BODY[0], "  // of a rectangle", *BODY[1:]]
OTHER_TAIL = [*TAIL[:-1], "int last = 1;"]
OTHER_HEAD = ["int first = 1;", *HEAD]


def messages(folder: Path, run_git: RunGit, first: int, last: int, path: str = "a.c") -> list[str]:
    found = commits_of_lines(
        Repository.open(folder), path, [(first, last)], run_git(folder, "rev-parse", "HEAD").strip()
    )
    order = run_git(folder, "log", "--reverse", "--format=%H %s").splitlines()
    return [subject for commit, _, subject in (line.partition(" ") for line in order) if commit in found]


def test_lines_are_followed_through_new_line_ends(make_repository: MakeRepository, run_git: RunGit) -> None:
    folder = make_repository(
        Commit({"a.c": text()}, "begin"),
        Commit({"a.c": text(tail=OTHER_TAIL)}, "end"),
        Commit({"a.c": text(LONGER, tail=OTHER_TAIL)}, "comment"),
        Commit({"a.c": text(LONGER, tail=OTHER_TAIL, end="\r\n")}, "line ends"),
        Commit({"a.c": text(LONGER, OTHER_HEAD, OTHER_TAIL, end="\r\n")}, "above"),
    )
    assert messages(folder, run_git, 62, 65) == ["begin", "comment"]


def test_a_rewrite_that_also_changed_the_lines_is_one_of_their_commits(
    make_repository: MakeRepository, run_git: RunGit
) -> None:
    folder = make_repository(
        Commit({"a.c": text()}, "begin"),
        Commit({"a.c": text(tail=OTHER_TAIL)}, "end"),
        Commit({"a.c": text(LONGER, OTHER_HEAD, OTHER_TAIL, left="    ")}, "indent and comment"),
    )
    assert messages(folder, run_git, 62, 65) == ["begin", "indent and comment"]
    assert messages(folder, run_git, 66, 70) == ["begin"]


def test_lines_that_a_rewrite_added_have_no_older_commits(make_repository: MakeRepository, run_git: RunGit) -> None:
    folder = make_repository(
        Commit({"a.c": text([])}, "begin"),
        Commit({"a.c": text([], tail=OTHER_TAIL)}, "end"),
        Commit({"a.c": text(tail=OTHER_TAIL, left="\t")}, "indent and add"),
    )
    assert messages(folder, run_git, 61, 63) == ["indent and add"]


def test_commits_of_a_branch_beside_a_rewrite_are_found(make_repository: MakeRepository, run_git: RunGit) -> None:
    begun, other = text(), text(LONGER)
    folder = make_repository(
        Commit({"a.c": begun}, "begin"),
        Commit({"a.c": text(tail=OTHER_TAIL)}, "end"),
        Commit({"a.c": text(tail=OTHER_TAIL, end="\r\n")}, "line ends"),
        Commit({"a.c": other}, "comment on a branch", parents=[0]),
        Commit({"a.c": text(LONGER, tail=OTHER_TAIL, end="\r\n")}, "merge", parents=[2, 3]),
    )
    assert messages(folder, run_git, 61, 64) == ["begin", "comment on a branch"]


def test_of_several_ranges_each_is_followed_through_a_rewrite(make_repository: MakeRepository, run_git: RunGit) -> None:
    head = [*HEAD[:9], "int ten = 10;", *HEAD[10:]]
    folder = make_repository(
        Commit({"a.c": text()}, "begin"),
        Commit({"a.c": text(head=head)}, "ten"),
        Commit({"a.c": text([f"\t{line}" for line in [*BODY, *TAIL]], head, [])}, "indent below"),
    )
    tip = run_git(folder, "rev-parse", "HEAD").strip()
    ten = run_git(folder, "rev-parse", "HEAD~1").strip()
    assert ten in commits_of_lines(Repository.open(folder), "a.c", [(10, 10), (61, 63)], tip)


def test_ranges_one_line_apart_are_followed_although_git_refuses_them_together(
    make_repository: MakeRepository, run_git: RunGit
) -> None:
    declared = ["Table();", "Table(const Table&) = delete;", "Table(int rows);"]
    folder = make_repository(
        Commit({"a.h": "\n".join(declared[:1]) + "\n"}, "default"),
        Commit({"a.h": "\n".join(declared) + "\n"}, "rows"),
    )
    tip = run_git(folder, "rev-parse", "HEAD").strip()
    assert len(commits_of_lines(Repository.open(folder), "a.h", [(1, 1), (3, 3)], tip)) == 2


def test_a_renamed_file_is_followed_beyond_a_rewrite(make_repository: MakeRepository, run_git: RunGit) -> None:
    dashes = ["-- a/b", *HEAD]  # once removed, "--- a/b": no header
    folder = make_repository(
        Commit({"old\tname.c": text(head=dashes)}, "begin"),
        Commit({"old\tname.c": None, "a.c": text(head=dashes)}, "rename"),
        Commit({"a.c": text(LONGER, dashes)}, "comment"),
        Commit({"a.c": text(LONGER, dashes, end="\r\n")}, "line ends"),
        Commit({"a.c": text(LONGER, dashes)}, "line ends back"),
    )
    assert messages(folder, run_git, 62, 65) == ["begin", "comment"]


def test_a_real_rewrite_ends_no_walk(make_repository: MakeRepository, run_git: RunGit) -> None:
    folder = make_repository(
        Commit({"a.c": text()}, "begin"),
        Commit({"a.c": text(tail=OTHER_TAIL)}, "end"),
        Commit({"a.c": "".join(f"new {number}\n" for number in range(50))}, "new"),
    )
    assert messages(folder, run_git, 20, 22) == ["begin", "end", "new"]


def test_rewrites_back_and_forth_are_passed_up_to_a_limit(make_repository: MakeRepository, run_git: RunGit) -> None:
    ends = ("\n", "\r\n")
    changed = [Commit({"a.c": text(end=ends[at % 2])}, f"ends {at}") for at in range(REWRITES + 1)]
    folder = make_repository(Commit({"a.c": text(tail=OTHER_TAIL)}, "begin"), *changed)
    assert messages(folder, run_git, 61, 63) == ["begin"]
