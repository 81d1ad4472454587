"""The number of commits in the map and the date of the last, which git confirms by the same clock."""

from pathlib import Path

from support.repositories import START, Commit, MakeRepository, RunGit
from support.samples import indexed, recalled

DAY = 24 * 3600


def test_the_commits_of_a_year_are_those_that_git_counts_since_its_first_day(
    make_repository: MakeRepository, run_git: RunGit
) -> None:
    times = (START - 366 * DAY, START - 365 * DAY - 60, START - DAY, START)
    folder = make_repository(*(Commit({"a.py": f"a = {time}\n"}, time=time) for time in times))
    run_git(folder, "commit", "-q", "--allow-empty", "--amend", "--no-edit", "--date=2023-10-01T00:00:00+0000")
    indexed(folder)
    head = run_git(folder, "log", "-1", "--format=%cd", "--date=short-local").strip()
    written = max(run_git(folder, "log", "--format=%as").split())
    since = f"{int(head[:4]) - 1}{head[4:]}"
    counted = run_git(folder, "rev-list", "--count", "--no-merges", f"--since={since}T00:00:00+0000", "HEAD")
    assert written != head
    assert f"- {counted} non-merge commits in the 12 months to {head}" in recalled(folder, budget=10**6).markdown


def test_the_last_commit_has_the_date_that_its_line_shows(make_repository: MakeRepository, run_git: RunGit) -> None:
    folder = make_repository(Commit({"a.py": "a = 1\n"}, "Begin the counting of parcels", time=START))
    run_git(folder, "commit", "-q", "--amend", "--no-edit", f"--date={START} +1400")
    indexed(folder)
    text = recalled(folder, budget=10**6).markdown
    written = run_git(folder, "log", "-1", "--format=%as").strip()
    assert written != run_git(folder, "log", "-1", "--format=%cd", "--date=short-local").strip()
    assert f"in the 12 months to {written}" in text


def test_the_commits_of_a_shallow_clone_are_counted_from_its_first_whole_day(
    make_repository: MakeRepository, run_git: RunGit, tmp_path: Path
) -> None:
    times = (START - 9 * DAY, START - 5 * DAY, START - DAY, START)
    whole = make_repository(*(Commit({"a.py": f"a = {time}\n"}, time=time) for time in times))
    for depth, shown in ((3, "- 2 non-merge commits from "), (1, "- last commit ")):
        run_git(tmp_path, "clone", "-q", "--depth", str(depth), whole.as_uri(), f"shallow{depth}")
        indexed(tmp_path / f"shallow{depth}")
        text = recalled(tmp_path / f"shallow{depth}", budget=10**6).markdown
        assert shown in text
        assert "12 months" not in text


def test_a_year_is_called_a_year_where_only_older_commits_are_missing(
    make_repository: MakeRepository, run_git: RunGit, tmp_path: Path
) -> None:
    times = (START - 900 * DAY, START - 400 * DAY, START - DAY, START)
    whole = make_repository(*(Commit({"a.py": f"a = {time}\n"}, time=time) for time in times))
    run_git(tmp_path, "clone", "-q", "--depth", "3", whole.as_uri(), "shallow")
    indexed(tmp_path / "shallow")
    assert "- 2 non-merge commits in the 12 months to " in recalled(tmp_path / "shallow", budget=10**6).markdown
