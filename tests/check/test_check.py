"""A change judged against the history and the ledger, in repositories that were never indexed."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from support.memory_scenes import AGENT, PERSON, committed, git, said
from support.repositories import START, Commit, MakeRepository, RunGit
from support.samples import workspace_at

from repomem.check.findings import CheckFinding, Fault, Level
from repomem.check.run import CheckReport, check
from repomem.core.errors import GitError, NotFound

BROKEN = """\
def total(entries):
    if entries:
        return sum_of(entries, rounded=True)
    return nothing_at_all()
"""
MENDED = BROKEN.replace("if entries:", "if entries is not None:").replace("rounded=True", "digits=2")
OTHER = "def other():\n    return another_thing()\n"
YEAR = 365 * 86_400


@dataclass(frozen=True)
class Money:
    """A repository in which a total was mended."""

    folder: Path
    fix: str

    def checked(self, asked: str = "HEAD~1..HEAD") -> CheckReport:
        """What a check says."""
        with workspace_at(self.folder) as workspace:
            return check(workspace, asked)

    def found(self, asked: str = "HEAD~1..HEAD") -> list[CheckFinding]:
        """What it finds."""
        return list(self.checked(asked).findings)


@pytest.fixture
def money(make_repository: MakeRepository, run_git: RunGit) -> Money:
    folder = make_repository(
        Commit({"money.py": BROKEN + OTHER, "notes.md": "x"}, "feat: totals"),
        Commit({"money.py": MENDED + OTHER}, "fix: an empty journal has a total (#12)\n\nIt crashed on import."),
    )
    return Money(folder, run_git(folder, "rev-parse", "HEAD"))


# What comes back


def test_lines_that_a_fix_removed_are_reported_with_the_fix(money: Money) -> None:
    committed(money.folder, "feat: tidy up", money__py=BROKEN + OTHER)
    [one] = money.found()
    assert (one.fault, one.level, one.id, one.source) == (Fault.BACK, Level.WARNING, money.fix[:8], "commit")
    assert (one.path, one.start_line, one.end_line) == ("money.py", 2, 3)
    assert one.lines == ("if entries:", "return sum_of(entries, rounded=True)")
    assert (one.said, one.reason) == ("fix: an empty journal has a total (#12)", "It crashed on import.")


def test_uncommitted_changes_are_checked_too(money: Money) -> None:
    (money.folder / "money.py").write_text(BROKEN + OTHER)
    assert [one.fault for one in money.found("HEAD")] == [Fault.BACK]
    assert money.found("HEAD~1..HEAD") == []


def test_a_file_that_was_renamed_since_is_followed(money: Money) -> None:
    git(money.folder, "mv", "money.py", "totals.py")
    committed(money.folder, "refactor: rename")
    committed(money.folder, "feat: tidy up", totals__py=BROKEN + OTHER)
    assert [(one.fault, one.path) for one in money.found()] == [(Fault.BACK, "totals.py")]


def test_lines_added_again_by_a_later_commit_are_not_reported(money: Money) -> None:
    committed(money.folder, "feat: as before", money__py=BROKEN + OTHER)
    committed(money.folder, "feat: differently", money__py=OTHER)
    committed(money.folder, "feat: as before", money__py=BROKEN + OTHER)
    assert money.found() == []


@pytest.mark.parametrize(
    "message",
    ['Revert "fix: an empty journal has a total (#12)"', "feat: totals\n\n#12 was wrong", "Reapply the first totals"],
)
def test_a_reversal_on_purpose_is_a_note(money: Money, message: str) -> None:
    committed(money.folder, message, money__py=BROKEN + OTHER)
    assert [one.level for one in money.found()] == [Level.NOTE]


def test_an_announced_revert_of_other_files_excuses_nothing(money: Money) -> None:
    committed(money.folder, "Restore the notes", notes__md="y")
    committed(money.folder, "feat: tidy up", money__py=BROKEN + OTHER)
    assert [one.level for one in money.found("HEAD~2..HEAD")] == [Level.WARNING]


def test_a_change_that_restores_no_earlier_lines_has_no_findings(money: Money) -> None:
    committed(money.folder, "feat: more", money__py=MENDED + OTHER + "def third():\n    return sum_of(entries)\n")
    assert money.found() == []


def test_a_small_fix_of_long_ago_is_not_reported(make_repository: MakeRepository) -> None:
    texts = (BROKEN, MENDED, BROKEN)
    messages = ("feat: totals", "fix: an empty journal has a total", "feat: tidy up")
    times = (START, START, START + 3 * YEAR)
    history = [Commit({"a.py": text}, said_, time=at) for text, said_, at in zip(texts, messages, times, strict=True)]
    assert Money(make_repository(*history), "").found() == []


def test_a_completely_reverted_change_that_comes_back_is_reported(make_repository: MakeRepository) -> None:
    added = "def cached(entries):\n    key = hash_of(entries)\n    return STORE.setdefault(key, total(entries))\n"
    folder = make_repository(
        Commit({"a.py": MENDED}, "feat: totals"),
        Commit({"a.py": MENDED + added}, "feat: cache totals"),
        Commit({"a.py": MENDED}, 'Revert "feat: cache totals"\n\nIt leaks memory because nothing is dropped.'),
        Commit({"a.py": MENDED + added}, "feat: quicker totals"),
    )
    [one] = Money(folder, "").found()
    assert (one.fault, one.level) == (Fault.AGAIN, Level.WARNING)
    assert one.reason == "It leaks memory because nothing is dropped."


# Memories


def test_a_memory_is_broken_by_a_change_of_its_code_alone(money: Money) -> None:
    total = said(money.folder, "A total is never rounded", on=("money.py:total",)).id
    said(money.folder, "The other one is for tests", on=("money.py:other",))
    change = committed(money.folder, "feat: more digits", money__py=MENDED.replace("digits=2", "digits=4") + OTHER)
    [one] = money.found()
    assert (one.fault, one.level, one.commit) == (Fault.BROKEN, Level.WARNING, change)
    assert total.startswith(one.id)
    assert (one.path, one.symbol, one.start_line, one.end_line) == ("money.py", "total", 1, 4)


def test_uncommitted_changes_break_memories_that_are_newer_than_the_branchs_start(
    money: Money, run_git: RunGit
) -> None:
    run_git(money.folder, "switch", "-q", "-c", "topic")
    committed(money.folder, "feat: more", more__py="MORE = 1\n")
    said(money.folder, "the total counts from zero", on=("money.py:total",))
    assert money.checked("main").memories == 1
    (money.folder / "money.py").write_text(BROKEN + OTHER)
    report = money.checked("main")
    assert [one.fault for one in report.findings if one.source != "commit"] == [Fault.BROKEN]
    assert (report.memories, report.since) == (1, 1)


def test_a_rename_or_a_move_breaks_nothing(money: Money) -> None:
    said(money.folder, "A total is never rounded", on=("money.py:total",))
    git(money.folder, "mv", "money.py", "totals.py")
    committed(money.folder, "refactor: rename", totals__py=MENDED.replace("def total", "def total_of") + OTHER)
    assert money.found() == []


def test_deleted_code_breaks_its_memory(money: Money) -> None:
    said(money.folder, "A total is never rounded", on=("money.py:total",))
    committed(money.folder, "feat: without totals", money__py=OTHER)
    assert [(one.fault, one.why[:19], one.start_line) for one in money.found()] == [
        (Fault.BROKEN, "`total` was deleted", 0)
    ]


def test_a_memory_that_was_replaced_is_not_broken(money: Money) -> None:
    old = said(money.folder, "A total is never rounded", on=("money.py:total",)).id
    committed(money.folder, "feat: more digits", money__py=MENDED.replace("digits=2", "digits=4") + OTHER)
    said(money.folder, "A total has four digits", on=("money.py:total",), supersedes=(old,))
    assert money.found() == []


def test_an_agents_memory_gives_only_a_note_until_it_is_confirmed(money: Money) -> None:
    said(money.folder, "A total is never rounded", AGENT, on=("money.py:total",))
    committed(money.folder, "feat: more digits", money__py=MENDED.replace("digits=2", "digits=4") + OTHER)
    assert [(one.level, one.status) for one in money.found()] == [(Level.NOTE, "provisional")]


def test_a_rejected_alternative_is_reported_within_the_scope(money: Money) -> None:
    said(money.folder, "Totals are kept in memory", PERSON, rejected=("redis",), scope=("src/**",))
    committed(money.folder, "feat: cache", src_S_cache__py="import redis\n", tools_S_cache__py="import redis\n")
    assert [(one.fault, one.path, one.start_line) for one in money.found()] == [(Fault.AGAINST, "src/cache.py", 1)]


def test_code_that_was_there_before_is_not_reported(money: Money) -> None:
    committed(money.folder, "feat: cache", src_S_cache__py="import redis\n")
    said(money.folder, "Totals are kept in memory", PERSON, rejected=("redis",))
    committed(money.folder, "feat: another", src_S_second__py="import redis\n", src_S_third__py="# import redis\n")
    assert money.found() == []


def test_a_rule_is_contradicted_by_what_it_forbids(money: Money) -> None:
    said(money.folder, "Never use `time.sleep`: callers own their waiting", PERSON, scope=("src/**",))
    committed(money.folder, "feat: wait", src_S_wait__py="import time\n\n\ndef wait():\n    time.sleep(1)\n")
    [one] = money.found()
    assert (one.fault, one.start_line, one.lines) == (Fault.AGAINST, 5, ("time.sleep(1)",))


def test_a_check_writes_neither_ledger_nor_index(money: Money) -> None:
    said(money.folder, "A total is never rounded", on=("money.py:total",))
    ledger = money.folder / ".git" / "repomem" / "ledger.jsonl"
    files = {path.name for path in ledger.parent.iterdir()}
    before = {path: path.read_bytes() for path in ledger.parent.glob("ledger*") if path.is_file()}
    committed(money.folder, "feat: tidy up", money__py=BROKEN + OTHER)
    assert len(money.found()) == 2
    assert {path: path.read_bytes() for path in before} == before
    assert before
    assert {path.name for path in ledger.parent.iterdir()} - files <= {"catalog.sqlite-shm", "catalog.sqlite-wal"}


# Ranges


def test_without_a_range_the_branch_is_checked_against_its_upstream(money: Money, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(money.folder), str(clone))
    committed(clone, "feat: tidy up", money__py=BROKEN + OTHER)
    (clone / "new.py").write_text("x = 1\n")
    report = Money(clone, "").checked("")
    assert report.range_text.startswith("origin/main..HEAD, with uncommitted changes (from ")
    assert (report.commits, report.files, report.base) == (1, 2, money.fix)
    assert [one.fault for one in report.findings] == [Fault.BACK]


def test_branches_are_compared_from_their_merge_base(money: Money) -> None:
    git(money.folder, "checkout", "-q", "-b", "side", "HEAD~1")
    committed(money.folder, "docs: a note", notes__md="y")
    for asked in ("main..side", "main...side", "main.."):
        assert (money.checked(asked).files, money.checked(asked).commits) == (1, 1)


def test_an_unknown_commit_and_a_shallow_clone_give_a_hint(money: Money, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no commit 'origin/nope'") as unknown:
        money.checked("origin/nope..HEAD")
    assert unknown.value.hint.startswith("git fetch origin")
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{money.folder}", str(shallow))
    with pytest.raises(GitError, match="shallow") as lacking:
        Money(shallow, "").checked("HEAD~1..HEAD")
    assert "fetch-depth: 0" in lacking.value.hint
    assert "shallow" in Money(shallow, "").checked("HEAD").gaps[0]


def test_a_partial_clone_reports_what_it_lacks(money: Money, tmp_path: Path) -> None:
    git(money.folder, "config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{money.folder}", str(partial))
    with pytest.raises(GitError, match="this clone is partial"):
        Money(partial, "").checked("HEAD~1..HEAD")
    assert "partial" in Money(partial, "").checked("HEAD").gaps[0]
