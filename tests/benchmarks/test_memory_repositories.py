"""The sets on real repositories: what they promise, and what counts as found and as a false alarm."""

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.inputs import Pinned, git
from benchmarks.memory.ask_repositories import BUDGETS, DOUBT, Found, Told, alarm_rows, answers, doubtful_in, rows
from benchmarks.memory.sets import (
    FORMS,
    UNRELATED,
    Asked,
    EvaluationSet,
    Noted,
    RepositorySet,
    repositories,
    repository,
)
from repomem.core.records import MemoryKind
from repomem.core.types.brief import Brief, BriefItem, Gate, RepositoryState

LENGTHS = {"phrase": (3, 6), "sentence": (8, 30), "issue": (60, 150)}  # words
RIGHT = Asked("how often do we retry", ("a",), "phrase", "dev")
ALIEN = Asked("paint the lamp", (), UNRELATED, "dev")


def test_each_set_has_19_tasks_in_three_forms_and_ten_that_need_no_memory() -> None:
    for one in repositories():
        counts = Counter(each.form for each in one.asked.questions)
        assert counts == {**dict.fromkeys(FORMS, 19), UNRELATED: 10}


def test_tasks_are_as_long_as_their_form_says() -> None:
    tasks = [each for one in repositories() for each in one.asked.questions if each.form in LENGTHS]
    lengths = {each.text: (len(each.text.split()), LENGTHS[each.form]) for each in tasks}
    assert {text: length for text, (length, (least, most)) in lengths.items() if not least <= length <= most} == {}


def test_about_half_of_the_memories_are_anchored_to_code() -> None:
    for one in repositories():
        share = sum(bool(each.on) for each in one.asked.memories) / len(one.asked.memories)
        assert 0.4 <= share <= 0.65


def test_a_task_for_an_unknown_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "repository_x.toml"
    task = 'task = [{ right = ["b"], phrase = "p", sentence = "s", issue = "i" }]'
    memory = 'memory = [{ id = "a", text = "We retry" }]\nunrelated = []\n'
    path.write_text(f'split = "dev"\nrepository = "o/n"\ncommit = "1"\n{memory}{task}\n', encoding="utf-8")
    with pytest.raises(ValueError, match="no memory is called b"):
        repository(path)


def test_a_memory_is_asked_for_in_a_clone_at_the_pinned_commit(tmp_path: Path) -> None:
    source = tmp_path / "mirror/o+n/repo"
    source.mkdir(parents=True)
    git(source, "init", "-q", "-b", "main")
    (source / "net.py").write_text("def fetch(url):\n    return url\n", encoding="utf-8")
    git(source, "add", ".")
    git(source, "commit", "-q", "-m", "Start")
    commit = git(source, "rev-parse", "HEAD").strip()
    git(source, "rm", "-q", "net.py")
    git(source, "commit", "-q", "-m", "Drop it")
    memory = Noted("a", "We retry a fetch three times", MemoryKind.DECISION, on=("net.py:fetch",))
    asked = EvaluationSet("x", [memory, Noted("b", "Always paint lamps green", MemoryKind.RULE)], [RIGHT])
    found = answers(RepositorySet(Pinned("o/n", commit), asked), tmp_path / "mirror", tmp_path / "x")
    assert (found[0].is_first, found[0].everywhere) == (True, ["b"])
    assert found[0].ranked["words"][:1] == ["a"]


def test_only_memories_that_the_brief_marks_are_doubtful() -> None:
    items = (BriefItem("fact", id="01A"), BriefItem("rule", id="01B"))
    text = f"- fact `01A` x ({DOUBT})\n- rule `01B` y"
    state = RepositoryState("r", "1", "", "", is_dirty=False)
    brief = Brief(state, "", 100, 10, Gate("use", ""), items, (), text)
    assert doubtful_in(brief) == {"01A"}


def test_a_memory_found_by_one_budget_or_baseline_counts_there_alone() -> None:
    found = [_found(RIGHT, [Told("b", is_doubtful=False), Told("a", is_doubtful=False)], {500: []})]
    assert list(rows(found)) == [("x", "dev", "phrase", 1, 1, 0, 0, 1, 0)]


def test_an_alarm_is_a_memory_without_a_mark_that_is_no_rule_for_everything() -> None:
    marked, rule = Told("b", is_doubtful=True), Told("r", is_doubtful=False)
    silent = [_found(ALIEN, [marked, rule])]
    assert list(alarm_rows(silent)) == [("x", "dev", 1, 0, 1.0, 1.0)]
    assert list(alarm_rows([*silent, _found(ALIEN, [Told("a", is_doubtful=False)])])) == [("x", "dev", 2, 1, 1.0, 0.5)]


def _found(question: Asked, told: list[Told], others: dict[int, list[Told]] | None = None) -> Found:
    briefs = {**dict.fromkeys(BUDGETS, told), **(others or {})}
    return Found("x", question, briefs, {"words": ["a"], "vectors": ["b"] * 6 + ["a"]}, ["r"])
