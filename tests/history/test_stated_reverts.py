"""Which commit a message says that it reverts: only one that is in this history, and older than the revert."""

from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import ready_at

from repomem.recall.log import log
from repomem.recall.show import show

FIRST = "def deliver(parcel):\n    return courier.deliver(parcel, timeout=30)\n"
FOREVER = "def deliver(parcel):\n    return courier.deliver(parcel, until_it_succeeds=True)\n"
UNKNOWN = "0123456789abcdef0123456789abcdef01234567"
WISH = "feat: deliver for ever"


def history(folder: Path) -> list[tuple[str, str, str]]:
    """Hash, subject and state of each commit, newest first."""
    with ready_at(folder) as it:
        return [(one.episode.commit, one.episode.subject, one.state) for one in log(it.snapshot, "", 20).commits]


def reverted(make_repository: MakeRepository, message: str, *later: str) -> Path:
    """A wish, its revert with this message, and commits with a wish of the same subject after it."""
    steps = [
        Commit({"a.py": FIRST}, "feat: deliver"),
        Commit({"a.py": FOREVER}, WISH),
        Commit({"a.py": FIRST}, message),
    ]
    return make_repository(*steps, *(Commit({"a.py": FOREVER}, subject) for subject in later))


@pytest.mark.parametrize(
    "message",
    [
        f"back out\n\nThis reverts commit {UNKNOWN}.",
        f"back out\n\nThis reverts commit {UNKNOWN[:7]}.",
        f'Revert "feat: of another fork"\n\nThis reverts commit {UNKNOWN}.',
        'Revert "feat: of another fork"',
    ],
)
def test_a_commit_that_is_not_in_the_history_is_not_said_to_be_reverted(
    make_repository: MakeRepository, message: str
) -> None:
    told = [state for _, _, state in history(reverted(make_repository, message))]
    assert not any("revert" in state for state in told)


@pytest.mark.parametrize("message", [f'Revert "{WISH}"', f'Revert "{WISH}"\n\nThis reverts commit {UNKNOWN}.'])
def test_a_commit_with_another_hash_today_is_known_by_its_subject(
    make_repository: MakeRepository, message: str
) -> None:
    revert, wish, _ = history(reverted(make_repository, message))
    assert revert[2].startswith(f"reverts {wish[0][:8]}")
    assert wish[2].startswith(f"reverted by {revert[0][:8]} ")


@pytest.mark.parametrize(
    "message",
    [
        "This reverts commit {}.\n\nAlso revert commit {} because it came with it.",
        "This reverts commits {} and {}.",
        "This reverts commit {}.\nThis reverts commit {}.",
    ],
)
@pytest.mark.parametrize("length", [40, 10])
def test_a_message_may_revert_several_commits(
    make_repository: MakeRepository, run_git: RunGit, message: str, length: int
) -> None:
    folder = make_repository(
        Commit({"a.py": FIRST, "b.py": FIRST}, "feat: deliver"),
        Commit({"a.py": FOREVER}, WISH),
        Commit({"b.py": FOREVER}, "feat: deliver b"),
    )
    for path in ("a.py", "b.py"):
        (folder / path).write_text(FIRST)
    named = [run_git(folder, "rev-parse", f"--short={length}", name) for name in ("HEAD", "HEAD~")]
    run_git(folder, "commit", "-q", "-a", "-m", f"Revert two commits\n\n{message.format(*named)}")
    told = history(folder)
    assert [state.partition(",")[0][:21] for _, _, state in told[1:3]] == [f"reverted by {told[0][0][:8]} "] * 2


def test_of_commits_with_one_subject_each_is_reverted_once(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"a.py": FIRST, "b.py": FIRST}, "feat: deliver"),
        Commit({"a.py": FOREVER}, WISH),
        Commit({"b.py": FOREVER}, WISH),
        Commit({"b.py": FIRST}, f'Revert "{WISH}"'),
        Commit({"a.py": FIRST}, f'Revert "{WISH}"'),
    )
    told = history(folder)
    targets = {state.split()[1].rstrip(",") for _, subject, state in told if subject.startswith("Revert")}
    assert targets == {commit[:8] for commit, subject, _ in told if subject == WISH}


def test_a_commit_that_landed_again_is_not_said_to_be_reverted(make_repository: MakeRepository) -> None:
    again, revert, wish, _ = history(reverted(make_repository, f'Revert "{WISH}"', WISH))
    assert again[2] == "still in the code"
    assert revert[2].startswith(f"reverts {wish[0][:8]}")
    assert wish[2].startswith("reverted by ")


def test_a_revert_is_shown_without_the_state_of_its_few_added_lines(make_repository: MakeRepository) -> None:
    version = {"version.py": 'VERSION = "1.2.1"\n'}
    folder = make_repository(
        Commit({"a.py": FIRST, "version.py": 'VERSION = "1.2.0"\n'}, "feat: deliver"),
        Commit({"a.py": FIRST + FOREVER}, WISH),
        Commit({"a.py": FIRST, **version}, f'Revert "{WISH}"'),
        Commit({"version.py": 'VERSION = "1.3.0"\n'}, "release"),
    )
    _, revert, wish, _ = history(folder)
    assert revert[2] == f"reverts {wish[0][:8]}"


def test_a_commit_of_another_branch_is_not_in_this_history(make_repository: MakeRepository, run_git: RunGit) -> None:
    folder = make_repository(Commit({"a.py": FIRST}, "feat: deliver"))
    run_git(folder, "checkout", "-q", "-b", "wish")
    (folder / "a.py").write_text(FOREVER)
    run_git(folder, "commit", "-q", "-am", WISH)
    assert len(history(folder)) == 2  # it is indexed
    named = run_git(folder, "rev-parse", "HEAD").strip()
    run_git(folder, "checkout", "-q", "main")
    (folder / "b.py").write_text(FOREVER)
    run_git(folder, "add", "b.py")
    run_git(folder, "commit", "-q", "-m", f"back it out\n\nThis reverts commit {named}.")
    assert not any("revert" in state for _, _, state in history(folder))


def test_show_names_the_revert_of_a_commit(make_repository: MakeRepository) -> None:
    folder = reverted(make_repository, f'Revert "{WISH}"')
    revert, wish, _ = history(folder)
    with ready_at(folder) as it:
        assert f"reverted by {revert[0][:8]}" in show(it.snapshot, wish[0]).state


def merged_and_reverted(make_repository: MakeRepository, run_git: RunGit, *settings: str) -> Path:
    """A branch of one commit, its merge, the revert of the merge, and a commit for each setting file."""
    folder = make_repository(
        Commit({"a.py": FIRST}, "feat: deliver"),
        Commit({"b.py": FIRST}, "feat: deliver elsewhere"),
        Commit({"a.py": FOREVER}, WISH, parents=[0]),
        Commit({"a.py": FOREVER}, "Merge branch 'wish'", parents=[1, 2]),
    )
    run_git(folder, "revert", "--no-edit", "-m", "1", "HEAD")
    for number, text in enumerate(settings):
        (folder / (".repomem.toml" if not number else f"{number}.txt")).write_text(text)
        run_git(folder, "add", ".")
        run_git(folder, "commit", "-q", "-m", f"later {number}")
    return folder


@pytest.mark.parametrize("settings", [(), ("[history]\nsymbol_commits = 1\n", "one", "two")])
def test_the_revert_of_a_merge_reverts_what_the_merge_brought(
    make_repository: MakeRepository, run_git: RunGit, settings: tuple[str, ...]
) -> None:
    found = {subject: state for _, subject, state in history(merged_and_reverted(make_repository, run_git, *settings))}
    assert found[WISH].startswith("reverted by ")
    assert "revert" not in found["feat: deliver elsewhere"]
    assert "revert" not in found["feat: deliver"]


def test_what_a_reverted_merge_brought_is_not_reverted_on_another_branch(
    make_repository: MakeRepository, run_git: RunGit
) -> None:
    folder = merged_and_reverted(make_repository, run_git)
    assert len(history(folder)) == 5
    run_git(folder, "checkout", "-q", "main~1")
    found = {subject: state for _, subject, state in history(folder)}
    assert not any("revert" in state for state in found.values())
