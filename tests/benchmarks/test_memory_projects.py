"""Tasks in invented projects: what the files promise, and how briefs are counted."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.memory import ask_projects
from benchmarks.memory.ask_projects import (
    COVERED,
    EARLIER,
    FOREIGN,
    HEAD,
    LATER,
    NEAR,
    REPLACED,
    Answer,
    Task,
    answers,
    rows,
    tasks_of,
)

MEMORIES = [
    {"id": "m1", "kind": "decision", "text": "Uploads are retried three times", "why": "the proxy drops every tenth"},
    {"id": "m2", "kind": "fact", "text": "The lamp on the loading dock is green"},
    {"id": "m3", "kind": "rule", "text": "Tabs, never spaces"},
]
TASKS: list[dict[str, Any]] = [
    {"type": COVERED, "form": "phrase", "text": "retry uploads", "right": ["m1"], "welcome": []},
    {"type": FOREIGN, "form": "phrase", "text": "zebra stripes shader"},
]

ALIKE = [{"type": EARLIER, "form": "phrase", "text": "retries of uploads", "right": ["m1"], "other": "m2"}]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of one small project, x1."""
    for folder, content in (("amendments", {"memories": MEMORIES}), ("tasks", TASKS), ("alike", ALIKE)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x1.json").write_text(json.dumps(content), encoding="utf-8")
    monkeypatch.setattr(ask_projects, "FOLDER", tmp_path)
    return tmp_path


def test_each_project_has_as_many_tasks_of_each_type_and_form() -> None:
    names = [f"{writer}{number}" for writer in "abcd" for number in range(1, 7)]
    for name in names:
        tasks = tasks_of(name)
        assert Counter(each.type for each in tasks) == {COVERED: 15, NEAR: 12, FOREIGN: 5}
        assert all(bool(each.right) == (each.type == COVERED) for each in tasks)
        assert len({each.text for each in tasks}) == len(tasks)
        alike = Counter(each.type for each in tasks_of(name, "alike"))
        assert (alike[EARLIER], alike[LATER], alike[REPLACED] in (7, 8)) == (8, 4, True)


def test_an_unknown_memory_is_refused(project: Path) -> None:
    path = project / "tasks/x1.json"
    path.write_text(json.dumps([{**TASKS[0], "right": ["m9"]}]), encoding="utf-8")
    with pytest.raises(ValueError, match="no memory is called m9"):
        tasks_of("x1")


def test_what_is_remembered_is_asked_for_and_rules_for_everything_do_not_count(project: Path, tmp_path: Path) -> None:
    covered, foreign, alike = answers("x1", tmp_path / "work")
    assert (covered.is_first, covered.share, covered.wrong) == (True, 1.0, 0)
    assert (list(foreign.shown), foreign.wrong) == ([], 0)
    assert (alike.is_first, alike.is_other_ahead) == (True, False)


def test_rows_have_each_type_of_each_writer_then_all() -> None:
    one = Task("a1", COVERED, "phrase", "retry", ("m1", "m2"), ("m3",))
    found = [
        Answer(one, ["m1", "m3", "m4"]),
        Answer(Task("b1", COVERED, "phrase", "retry", ("m1",)), ["m5"]),
        Answer(Task("b1", NEAR, "phrase", "lamp"), ["m5"]),
        Answer(Task("b1", REPLACED, "phrase", "retry", ("m1",), other="m5"), ["m5", "m1"]),
    ]
    table = [dict(zip(HEAD, row, strict=True)) for row in rows(found)]
    assert [(row["writer"], row["tasks"]) for row in table] == [
        ("a", COVERED),
        ("b", COVERED),
        ("b", NEAR),
        ("b", REPLACED),
        ("all", COVERED),
        ("all", NEAR),
        ("all", REPLACED),
    ]
    assert list(table[0].values())[3:] == [1, 1, 0.5, "-", 3, 1]
    assert list(table[1].values())[3:] == [0, 0, 0, "-", 1, 1]
    assert list(table[2].values())[3:] == ["-", "-", "-", "-", 1, 1]
    assert list(table[3].values())[3:] == [0, 1, 1, 1, 2, 1]
