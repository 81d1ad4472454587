"""A small replayed history: known figures, no later commit visible, and nothing of the user's changed."""

import hashlib
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from support.memory_scenes import said
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import indexed, with_options

from repomem.core.errors import GitError, RepomemError
from repomem.core.ports import Silence
from repomem.core.types.brief import Brief
from repomem.evaluate import replay, run as evaluate_run
from repomem.evaluate.figures import Evaluation, ReplayOutcome
from repomem.evaluate.replay import Replay, ReplayOptions
from repomem.evaluate.run import evaluate
from repomem.evaluate.tasks import ReplayTask
from repomem.ranking.signals import RECALL
from repomem.recall.brief import recall
from repomem.recall.request import BriefRequest
from repomem.workspace import scratch
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Snapshot
from repomem.workspace.workspace import configured

MONEY = "def invoice_total(amounts):\n    return sum(amounts)\n"
CLOCK = "def scheduler_tick(minute):\n    return minute + 1\n"
MAIL = "def greeting_mail(name):\n    return f'hello {name}'\n"
LATER = "the zebra gallops over invoice_total"
HISTORY = (
    Commit({"src/money.py": MONEY, "src/clock.py": CLOCK, "src/mail.py": MAIL}, "feat: start with three modules"),
    Commit({"src/money.py": MONEY + "# cents\n"}, "fix: make invoice_total exact to the cent"),
    Commit({"NOTES.md": "nothing\n"}, "docs: say nothing of any of this"),
    Commit({"src/clock.py": CLOCK + "# tick\n"}, "fix: let scheduler_tick pass once a minute"),
    Commit({"src/mail.py": MAIL + "# plain\n"}, "feat: send greeting_mail in plain text"),
)
WANTED = ReplayOptions(30, 1500)


@dataclass
class Watched(Silence):
    """A progress that notes its stages, and is interrupted once so many commits are done."""

    patience: int = 1_000
    stages: list[tuple[str, int | None]] = field(default_factory=list)

    def stage(self, name: str, total: int | None, unit: str) -> "Watched":
        self.stages.append((name, total))
        return self

    def advance(self, steps: int = 1) -> None:
        if self.stages[-1][0] == "Replaying":
            self.patience -= 1
        if not self.patience:
            raise KeyboardInterrupt

    @property
    def replayed(self) -> list[int | None]:
        return [total for name, total in self.stages if name == "Replaying"]


def evaluated(folder: Path, wanted: ReplayOptions = WANTED, run: Run | None = None, **overrides: object) -> Evaluation:
    options = {name.replace("__", "."): value for name, value in overrides.items()}
    repository, loaded = configured(folder, with_options(options))
    return evaluate(repository, loaded, wanted, run or Run())


def bytes_below(*folders: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest() + str(path.stat().st_mtime_ns)
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def repository(make_repository: MakeRepository) -> Path:
    return make_repository(*HISTORY)


@pytest.fixture
def briefs(monkeypatch: pytest.MonkeyPatch) -> list[Brief]:
    """The briefs that a replay makes; where each is made no ref leads anywhere."""
    made: list[Brief] = []

    def recalled(found: Snapshot, ask: BriefRequest) -> Brief:
        assert found.workspace.repository.read("for-each-ref") == b""
        made.append(recall(found, ask))
        return made[-1]

    monkeypatch.setattr(replay, "recall", recalled)
    return made


def test_the_figures_are_those_worked_out_by_hand(repository: Path, run_git: RunGit) -> None:
    found = evaluated(repository)
    assert [row.subject for row in found.rows] == [str(HISTORY[at].message) for at in (1, 3, 4)]
    assert [row.answers for row in found.rows] == [("src/money.py",), ("src/clock.py",), ("src/mail.py",)]
    assert (found.scanned, found.failures, found.notices) == (5, [], [])
    assert found.head == run_git(repository, "rev-parse", "HEAD")
    figures = found.figures
    assert figures
    assert (figures.rankings["brief"].at(1), figures.rankings["words"].rr) == (1.0, 1.0)
    edited = figures.rankings["most edited"]  # the answers stand third, second and third
    assert edited.rr == pytest.approx(7 / 18)
    assert [edited.at(depth) for depth in (1, 2, 3)] == pytest.approx([0, 1 / 3, 1])
    assert (figures.named, figures.named_all) == (1.0, 1.0)
    assert 0 < figures.tokens <= WANTED.budget
    assert figures.signals["all"] == 1.0
    assert set(figures.signals) > {"without words", "without history", "without test"}
    assert "without here" not in figures.signals
    assert (figures.better, figures.worse) == (0, 0)
    assert [(block.commits, block.brief) for block in figures.blocks] == [(3, 1.0)]


def test_a_secret_in_a_message_is_in_nothing_that_is_kept_or_answered(
    make_repository: MakeRepository, sealed_environment: Path
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    message = f"fix: count invoice_total with {secret}"
    found = evaluated(make_repository(HISTORY[0], Commit({"src/money.py": MONEY + "# x\n"}, message)))
    assert found.rows[0].subject.startswith("fix: count invoice_total with")
    assert secret not in repr(found)
    kept = bytes_below(sealed_environment / ".cache")
    assert kept
    assert not any(secret.encode() in Path(path).read_bytes() for path in kept)


def test_the_number_of_replayed_commits_is_limited_to_the_newest(repository: Path) -> None:
    assert [row.answers for row in evaluated(repository, ReplayOptions(1, 1500)).rows] == [("src/mail.py",)]


def test_a_smaller_budget_spends_fewer_tokens(repository: Path) -> None:
    [row] = evaluated(repository, ReplayOptions(1, 120)).rows
    assert row.outcome.tokens <= 120


def test_a_replayed_brief_has_no_later_commit_and_no_memory(
    make_repository: MakeRepository, run_git: RunGit, briefs: list[Brief]
) -> None:
    planted = Commit({"src/zebra.py": "def zebra_gallop(invoice_total): ...\n"}, LATER)
    folder = make_repository(*HISTORY, planted, Commit({"src/money.py": MONEY}, "fix: count invoice_total by zebra"))
    commit = run_git(folder, "rev-parse", "HEAD~1")
    run_git(folder, "tag", "later")
    run_git(folder, "branch", "later-branch", commit)
    indexed(folder)
    said(folder, "invoice_total is never negative, says the giraffe")
    assert len(evaluated(folder).rows) == len(briefs) == 4
    texts = [f"{brief.markdown} {brief.items}" for brief in briefs]
    assert all("giraffe" not in text for text in texts)
    assert all("zebra" not in text and commit[:7] not in text for text in texts[:3])
    assert "zebra" in texts[3]  # it was there by then


def test_the_index_the_ledger_and_the_work_tree_are_left_as_they_are(
    repository: Path, sealed_environment: Path, tmp_path: Path
) -> None:
    indexed(repository)
    said(repository, "The invoice total is never negative")
    (repository / "src/money.py").write_text("changed and not committed\n")
    data = sealed_environment / ".local"
    before = bytes_below(repository, data)
    assert any("ledgers" in path for path in before)
    assert evaluated(repository, store__uri=str(tmp_path / "elsewhere")).figures
    assert bytes_below(repository, data) == before
    assert not (tmp_path / "elsewhere").exists()


def test_a_repository_that_was_never_indexed_stays_so(repository: Path) -> None:
    assert evaluated(repository, ReplayOptions(1, 1500)).figures
    assert not (repository / ".git" / "repomem").exists()


@pytest.mark.slow
def test_an_interrupted_run_is_continued(repository: Path) -> None:
    whole = evaluated(repository).rows
    told: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        evaluated(repository, replace(WANTED, is_fresh=True), Run(progress=Watched(patience=2), tell=told.append))
    assert told == ["2 of 3 commits are replayed and saved"]
    watched = Watched()
    assert evaluated(repository, run=Run(progress=watched)).rows == whole
    assert watched.replayed == [1]
    again = Watched()
    assert evaluated(repository, run=Run(progress=again)).rows == whole
    assert again.stages == []


@pytest.mark.slow
def test_a_truncated_outcome_is_measured_again(repository: Path, sealed_environment: Path) -> None:
    whole = evaluated(repository).rows
    [kept] = (sealed_environment / ".cache" / "repomem" / "eval").glob("*.jsonl")
    data = kept.read_bytes()
    kept.write_bytes(data[: len(data) - 200])
    watched = Watched()
    assert evaluated(repository, run=Run(progress=watched)).rows == whole
    assert watched.replayed == [1]
    assert evaluated(repository, run=Run(progress=watched)).rows == whole
    assert watched.replayed == [1]


def test_other_weights_are_measured_by_themselves(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated(repository, ReplayOptions(1, 1500))
    watched = Watched()
    monkeypatch.setattr(evaluate_run, "RECALL", RECALL.without("history"))
    evaluated(repository, ReplayOptions(1, 1500), Run(progress=watched))
    assert watched.replayed == [1]


def test_a_commit_that_fails_is_skipped_and_named(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Replay.predict

    def predict(self: Replay, task: ReplayTask) -> ReplayOutcome:
        if "src/clock.py" in task.answers:
            raise GitError("an object is not here")
        return whole(self, task)

    monkeypatch.setattr(Replay, "predict", predict)
    found = evaluated(repository)
    assert [row.answers for row in found.rows] == [("src/money.py",), ("src/mail.py",)]
    [failure] = found.failures
    assert failure.endswith(": an object is not here")


def test_it_is_an_error_if_every_commit_fails(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def predict(self: Replay, task: ReplayTask) -> ReplayOutcome:
        raise GitError("an object is not here")

    monkeypatch.setattr(Replay, "predict", predict)
    with pytest.raises(RepomemError, match="none of 3 commits could be replayed"):
        evaluated(repository)


@pytest.mark.parametrize("commits", [[], [Commit({"a.py": "x = 1\n"}, "wip")]], ids=["no commit", "none qualifies"])
def test_without_a_qualifying_commit_there_are_no_figures(
    make_repository: MakeRepository, commits: list[Commit]
) -> None:
    found = evaluated(make_repository(*commits))
    assert (found.rows, found.figures, found.scanned) == ([], None, len(commits))


def test_a_bare_repository_and_a_linked_work_tree_are_replayed_too(
    make_repository: MakeRepository, run_git: RunGit, tmp_path: Path
) -> None:
    bare = make_repository(*HISTORY, bare=True)
    run_git(bare, "worktree", "add", "-q", str(tmp_path / "linked"), "main~1")
    assert [row.answers for row in evaluated(bare, ReplayOptions(1, 1500)).rows] == [("src/mail.py",)]
    assert [row.answers for row in evaluated(tmp_path / "linked", ReplayOptions(1, 1500)).rows] == [("src/clock.py",)]


def test_a_shallow_clone_is_reported(repository: Path, tmp_path: Path, run_git: RunGit) -> None:
    run_git(tmp_path, "clone", "-q", "--depth", "3", f"file://{repository}", "shallow")
    found = evaluated(tmp_path / "shallow")
    assert [row.answers for row in found.rows] == [("src/clock.py",), ("src/mail.py",)]
    [notice] = found.notices
    assert "shallow" in notice


def test_a_partial_clone_is_an_error_that_says_what_to_do(repository: Path, run_git: RunGit) -> None:
    run_git(repository, "config", "remote.origin.promisor", "true")
    with pytest.raises(GitError, match="partial clone") as caught:
        evaluated(repository)
    assert "--filter" in caught.value.hint


def test_files_of_a_killed_run_are_removed_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(scratch, "AGE", -1.0)
    left, other = tmp_path / "repomem-eval-left", tmp_path / "other"
    for folder in (left, other):
        folder.mkdir()
        (folder / "file").touch()
    with scratch.scratch_folder() as mine:
        assert sorted(path.name for path in tmp_path.iterdir()) == ["other"]
        assert mine.is_dir()
    assert not mine.exists()
