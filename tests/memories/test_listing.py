"""The list of memories: every filter, the order, and what is listed only on demand."""

from pathlib import Path

import pytest
from support.memory_scenes import AGENT, PERSON, committed, confirmed, forgotten, git, said, standing
from support.repositories import Commit, MakeRepository
from support.samples import workspace_at

from repomem.core.errors import NotFound
from repomem.core.records import MemoryKind
from repomem.core.types.text import CleanText
from repomem.memories.listing import MemoryFilter, listed_memories, shown_status
from repomem.memories.restore import restore
from repomem.memories.review import contradict
from repomem.memories.snapshots.snapshot import memories_now
from repomem.memories.status import Status
from repomem.workspace.snapshot import Window

CODE = "def retry(times):\n    for at in range(times):\n        try_once(at, times, back_off=2)\n    return times\n"


@pytest.fixture
def place(make_repository: MakeRepository) -> Path:
    """A repository with one function in a folder, and one file outside."""
    return make_repository(Commit({"src/net/retry.py": CODE, "README.md": "# net\n"}, "Send messages"))


def listed(folder: Path, question: str = "", **filters: object) -> list[str]:
    """The texts of the list."""
    with workspace_at(folder) as workspace:
        wanted = MemoryFilter(**filters)  # type: ignore[arg-type]  # as the test gives them
        found = listed_memories(workspace, memories_now(workspace), question, wanted)
        return [each.state.memory.said.text for each in found]


def test_without_a_question_the_newest_comes_first(place: Path) -> None:
    said(place, "Amounts are integers")
    said(place, "We retry three times")

    assert listed(place) == ["We retry three times", "Amounts are integers"]


def test_a_question_lists_what_is_relevant_to_it(place: Path) -> None:
    said(place, "We retry three times")
    said(place, "Amounts are integers")

    assert listed(place, "how often do we retry") == ["We retry three times"]


def test_kinds_and_statuses_are_filters(place: Path) -> None:
    said(place, "Amounts are integers", kind=MemoryKind.RULE)
    said(place, "The queue delivers twice", AGENT, kind=MemoryKind.GOTCHA)

    assert listed(place, kinds=frozenset([MemoryKind.RULE])) == ["Amounts are integers"]
    assert listed(place, statuses=frozenset([Status.PROVISIONAL])) == ["The queue delivers twice"]


def test_code_is_named_by_folder_file_or_symbol_also_after_a_move(place: Path) -> None:
    said(place, "We retry three times", on=("src/net/retry.py:retry",))
    said(place, "Amounts are integers")
    git(place, "mv", "src/net/retry.py", "src/net/again.py")
    committed(place, "Call the module again")

    places = ["src/net", "./src/net/again.py", "src/net/retry.py:retry", "src/net/again.py:retry"]
    assert [listed(place, on=on) for on in places] == [["We retry three times"]] * 4
    assert [listed(place, on=on) for on in ("README.md", "src/net/again.py:other", "src/ne")] == [[]] * 3


def test_a_path_is_named_as_it_is_or_as_it_is_printed(make_repository: MakeRepository) -> None:
    place = make_repository(Commit({"new\nline.py": "A = 1\n"}, "Begin"))
    said(place, "A is one", on=("new\nline.py",))

    assert listed(place, on="new\nline.py") == listed(place, on="new\\nline.py") == ["A is one"]


def test_a_path_may_have_colons(make_repository: MakeRepository) -> None:
    place = make_repository(Commit({"co:lon.py": "def send():\n    return 1\n"}, "Send"))
    said(place, "We send once", on=("co:lon.py:send",))

    assert listed(place, on="co:lon.py:send") == listed(place, on="co:lon.py") == ["We send once"]
    assert listed(place, on="co:lon.py:other") == []


def test_a_method_of_another_class_is_another_symbol(make_repository: MakeRepository) -> None:
    code = "class Disk:\n    def get(self):\n        return 1\n\n\nclass Cache:\n    def get(self):\n        return 2\n"
    place = make_repository(Commit({"store.py": code}, "Store"))
    said(place, "A read takes a lock", on=("store.py:Disk.get",))

    assert listed(place, on="store.py:get") == listed(place, on="store.py:Disk::get") == ["A read takes a lock"]
    assert listed(place, on="store.py:Cache.get") == []


def test_authors_are_found_by_a_part_of_their_name(place: Path) -> None:
    said(place, "Amounts are integers")
    said(place, "The queue delivers twice", AGENT)

    assert listed(place, author="CODE") == ["The queue delivers twice"]


def test_days_are_filters_and_include_themselves(place: Path) -> None:
    said(place, "Amounts are integers")
    with workspace_at(place) as workspace:
        [today] = {one.memory.origin.at[:10] for one in memories_now(workspace).states.values()}

    assert listed(place, window=Window(today, today)) == ["Amounts are integers"]
    assert listed(place, window=Window(until="2001-01-01")) == []


def test_what_was_replaced_is_listed_on_demand_only(place: Path) -> None:
    old = said(place, "We retry three times")
    said(place, "We retry seven times", supersedes=(old.id,))

    assert listed(place) == ["We retry seven times"]
    assert listed(place, has_hidden=True) == ["We retry seven times", "We retry three times"]
    assert listed(place, statuses=frozenset([Status.SUPERSEDED])) == ["We retry three times"]


def test_what_a_person_denied_is_listed_as_denied_on_demand_only(place: Path) -> None:
    name = said(place, "Salts are optional", AGENT).id
    with workspace_at(place) as workspace:
        contradict(workspace, memories_now(workspace), [name], CleanText("they are required"), PERSON)

    assert listed(place) == listed(place, statuses=frozenset([Status.PROVISIONAL])) == []
    assert listed(place, statuses=frozenset([Status.DENIED])) == ["Salts are optional"]
    assert shown_status(standing(place, name)) == "denied"
    with workspace_at(place) as workspace, pytest.raises(NotFound, match="was denied by a person") as error:
        restore(workspace, memories_now(workspace), name, PERSON)
    assert error.value.hint.startswith("repomem confirm ")
    confirmed(place, name)
    assert shown_status(standing(place, name)) == "current"


def test_another_branchs_memories_are_listed_on_demand_only(place: Path) -> None:
    git(place, "checkout", "-q", "-b", "wip")
    committed(place, "Try it")
    said(place, "The cache is per process", AGENT)
    git(place, "checkout", "-q", "main")

    assert listed(place) == []
    assert listed(place, has_hidden=True) == ["The cache is per process"]


def test_a_forgotten_memory_is_in_no_list(place: Path) -> None:
    forgotten(place, said(place, "We retry three times").id)

    assert listed(place, has_hidden=True) == []
