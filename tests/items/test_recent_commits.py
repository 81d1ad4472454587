"""The reverts and the current work that a map shows."""

from pathlib import Path

from support.repositories import Commit, MakeRepository, RunGit
from support.samples import indexed, recalled

QUEUE = "def push(job):\n    check(job)\n    jobs.append(job)\n    notify(job)\n"
LIMIT = QUEUE.replace("    jobs", "    if len(jobs) > limit:\n        raise Full(job)\n    jobs")
FIRST = Commit(
    {"src/queue.py": QUEUE, "tests/test_queue.py": "def test_push():\n    push(1)\n"}, "Begin the queue of jobs"
)
LIMITED = Commit(
    {"src/queue.py": LIMIT, "tests/test_queue.py": "def test_push():\n    push(1)\n    assert full()\n"},
    "Limit the number of waiting jobs",
)
REVERT = Commit(
    {"src/queue.py": QUEUE, "tests/test_queue.py": FIRST.files["tests/test_queue.py"]},
    'Revert "Limit the number of waiting jobs"\n\nIt is wrong because workers block each other.\n',
)


def recent(folder: Path) -> list[str]:
    indexed(folder)
    lines = recalled(folder).markdown.partition("## Recent and reverted changes\n")[2].split("\n")
    return [line for line in lines if line.startswith("- ")]


def test_a_revert_names_the_source_that_it_reverted_and_its_reason(make_repository: MakeRepository) -> None:
    line = recent(make_repository(FIRST, LIMITED, REVERT))[0]
    assert '"Limit the number of waiting jobs": `push`: reverted by ' in line
    assert line.endswith('because "It is wrong because workers block each other."')


def test_a_change_that_landed_again_is_not_shown_as_reverted(make_repository: MakeRepository) -> None:
    again = Commit(LIMITED.files, "Limit the number of waiting jobs")
    lines = recent(make_repository(FIRST, LIMITED, REVERT, again))
    assert not [line for line in lines if "revert" in line.lower()]


def test_a_revert_that_was_reverted_is_not_shown(make_repository: MakeRepository) -> None:
    undone = Commit(LIMITED.files, 'Revert "Revert "Limit the number of waiting jobs""')
    lines = recent(make_repository(FIRST, LIMITED, REVERT, undone))
    assert not [line for line in lines if "reverted by" in line]


def test_commits_that_do_not_change_what_the_code_does_are_left_out(make_repository: MakeRepository) -> None:
    subjects = [
        "Cleanup.",
        "Fix #3038",
        "Fix typo in a comment",
        "docs: the queue",
        "Bump version",
        "Update dev dependencies",
        "Merge commit from fork",
    ]
    more = [Commit({"src/queue.py": f"{QUEUE}# {at}\n"}, subject) for at, subject in enumerate(subjects)]
    assert [line.partition('"')[2] for line in recent(make_repository(FIRST, *more))] == [
        'Begin the queue of jobs": `push`'
    ]


def test_recent_commits_are_in_the_order_of_the_dates_shown(make_repository: MakeRepository, run_git: RunGit) -> None:
    folder = make_repository(FIRST, LIMITED)
    (folder / "src/queue.py").write_text(f"{LIMIT}def close(job):\n    end(job)\n")
    run_git(folder, "commit", "-q", "-a", "-m", "Close the queue of workers", "--date=2020-01-01T00:00:00Z")
    dates = [line.split()[2] for line in recent(folder)]
    assert dates == sorted(dates, reverse=True)
    assert len(set(dates)) > 1


def test_code_in_a_subject_says_something(make_repository: MakeRepository) -> None:
    lines = recent(make_repository(FIRST, Commit({"src/queue.py": LIMIT}, "Fix `_ = ~0`")))
    assert '"Fix `_ = ~0`"' in lines[0]


def test_the_body_stands_in_for_a_subject_without_content(make_repository: MakeRepository) -> None:
    body = "Merge commit from fork\n\n* fix: reject jobs of other hosts. More.\n* test\n\nCo-authored-by: Ada <a@b.c>\n"
    lines = recent(make_repository(FIRST, Commit({"src/queue.py": LIMIT}, body)))
    assert '"fix: reject jobs of other hosts": `push`' in lines[0]


def test_a_fault_that_a_body_describes_is_not_what_the_commit_did(make_repository: MakeRepository) -> None:
    fault = "Merge commit from fork\n\nJobs of other hosts bypassed the existing guard.\n"
    body = f"{fault}\nExtend the guard to jobs of other hosts.\n\nSecurity: GHSA-33mh-2634-fwr2\n"
    folders = (make_repository(FIRST, Commit({"src/queue.py": LIMIT}, text), name=text[-5]) for text in (body, fault))
    titles = [[line.partition('"')[2].partition('"')[0] for line in recent(folder)] for folder in folders]
    assert titles == [
        ["Extend the guard to jobs of other hosts.", "Begin the queue of jobs"],
        ["Begin the queue of jobs"],
    ]


def test_steps_of_one_work_are_shown_once(make_repository: MakeRepository) -> None:
    steps = [
        Commit({"src/queue.py": f"{QUEUE}x = {at}\n"}, f"Fix unsafe locking of waiting jobs in {name}.mark()")
        for at, name in enumerate(["Queue", "Worker", "Server"])
    ]
    assert len([line for line in recent(make_repository(FIRST, *steps)) if "unsafe locking" in line]) == 1


def test_a_step_that_does_not_remain_hides_no_other(make_repository: MakeRepository) -> None:
    steps = [
        Commit({"src/queue.py": f"{QUEUE}seconds_until_{name} = {name}\n"}, f"Wait for unsafe locking in {name}.mark()")
        for name in ("worker", "server")
    ]
    folder = make_repository(FIRST, *steps, Commit(steps[0].files, "Cleanup."))
    assert [line.partition('"')[2].partition('"')[0] for line in recent(folder)] == [
        "Wait for unsafe locking in worker.mark()",
        "Begin the queue of jobs",
    ]


def test_a_commit_that_only_sorts_lines_is_not_shown(make_repository: MakeRepository) -> None:
    close = "def close(job):\n    end(job)\n"
    folder = make_repository(
        FIRST,
        Commit({"src/queue.py": QUEUE + close}, "Close the queue of workers"),
        Commit({"src/queue.py": close + QUEUE}, "Sort members alphabetically"),
    )
    assert '"Close the queue of workers"' in recent(folder)[0]


def test_a_fresh_commit_is_not_said_to_be_in_the_code(make_repository: MakeRepository) -> None:
    assert "still in the code" not in "\n".join(recent(make_repository(FIRST, LIMITED)))
