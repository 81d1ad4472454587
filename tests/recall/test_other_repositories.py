"""Repositories that answer together: each keeps what is its own, and one brief tells what both have on a task."""

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.memory_scenes import said
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import indexed, workspace_at

from repomem.core.processes.locks import try_lock
from repomem.core.records import MemoryKind
from repomem.core.text.tokens import count_tokens
from repomem.core.types.brief import Brief
from repomem.memories.snapshots.snapshot import memories_now
from repomem.recall import other_repositories
from repomem.recall.answer import Ready, ready, recall_now
from repomem.recall.brief_json import brief_json
from repomem.recall.other_repositories import OtherRepositories, folders_of_groups, resolved
from repomem.recall.request import BriefRequest
from repomem.workspace.run import Run
from repomem.workspace.workspace import INDEX_LOCK, Workspace, opened

TASK = "raise the timeout of the charge request when a payment is retried"
SERVICE = [
    Commit(
        {
            "shop/orders.py": (
                '"""Orders of the shop."""\n\nfrom paylib.transport import charge\n\n\n'
                "def place_order(order):\n"
                '    """Charge the payment of an order, and keep it."""\n'
                "    return charge(order.payment, timeout=30)\n"
            ),
            "shop/invoices.py": 'def print_invoice(order):\n    """An invoice on paper."""\n    return order\n',
        },
        "feat: orders and invoices",
    ),
    Commit({"README.md": "# Shop\n\nSells things.\n"}, "docs: what the shop is"),
]
LIBRARY = [
    Commit(
        {
            "paylib/transport.py": (
                '"""The wire to the payment gateway."""\n\n\n'
                "def charge(payment, timeout):\n"
                '    """Send the charge request of a payment; retried until the timeout."""\n'
                "    return retry(lambda: send(payment), timeout)\n\n\n"
                "def retry(attempt, timeout):\n"
                '    """Retry an attempt until the timeout has passed."""\n'
                "    while timeout > 0:\n        timeout -= attempt()\n"
            ),
            "paylib/receipts.py": 'def receipt(payment):\n    """A receipt for the customer."""\n    return 1\n',
        },
        "feat: charge payments over the wire",
    ),
    Commit({"README.md": "# Paylib\n\nPays.\n"}, "docs: what the library is"),
    Commit({"paylib/limits.py": "MOST_TIMEOUT = 60\n"}, "fix: limit the timeout of a retried charge request"),
]
RULE = "A charge request is never retried after sixty seconds: the gateway charges twice."


@dataclass(frozen=True)
class Pair:
    """A service and the library that it calls, both indexed; the library has a rule."""

    service: Path
    library: Path

    def asked(self, *folders: Path, task: str = TASK, budget: int = 1500) -> tuple[Brief, list[str]]:
        """The service's brief with what these have, and the notices."""
        with workspace_at(self.service) as workspace:
            others = OtherRepositories(os.environ)
            ask, run = BriefRequest(task, budget), Run()
            brief = recall_now(workspace, ask, run, others.answers(workspace, folders, ask, run))
            others.close()
            return brief, workspace.notices


@pytest.fixture(scope="session")
def pair_shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the pair stands, once a test has made it."""
    return tmp_path_factory.mktemp("pair")


@pytest.fixture
def pair(pair_shelf: Path, make_repository: MakeRepository) -> Pair:
    """The pair, made once; tests leave it as it is."""
    made = Pair(pair_shelf / "shop", pair_shelf / "paylib")
    if not made.library.exists():
        for folder, commits in ((made.service, SERVICE), (made.library, LIBRARY)):
            shutil.copytree(make_repository(*commits, name=folder.name), folder)
            indexed(folder)
        said(made.library, RULE, kind=MemoryKind.RULE)
    return made


@pytest.fixture
def copied(pair: Pair, tmp_path: Path) -> Pair:
    """A copy of the pair, to be changed."""
    shutil.copytree(pair.service.parent, tmp_path / "copies")
    return Pair(tmp_path / "copies" / "shop", tmp_path / "copies" / "paylib")


def told_of(brief: Brief, name: str) -> list[tuple[str, str]]:
    """Kind and id of what a brief tells of another repository."""
    return [(item.kind, item.id) for item in brief.items if item.repository == name]


def files_under(folder: Path) -> dict[str, bytes]:
    """Everything below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_brief_shows_what_a_service_and_its_library_have_on_a_task(pair: Pair) -> None:
    brief, notices = pair.asked(pair.library)

    own = [(item.kind, item.id) for item in brief.items if not item.repository]
    others = told_of(brief, "paylib")
    assert own[:2] == [("code", "shop/orders.py:6-8"), ("code", "shop/orders.py:3-8")]
    assert [kind for kind, _ in own[2:]] == ["episode"]
    assert [kind for kind, _ in others] == ["rule", "code", "code", "code", "episode"]
    assert ("code", "paylib/transport.py:4-6") in others
    assert notices == []


def test_every_line_from_another_repository_names_it_and_how_to_open_it(pair: Pair) -> None:
    brief, _ = pair.asked(pair.library)

    part = brief.markdown.partition("## In paylib: `repomem -C ../paylib show ID`\n")[2].partition("\n\n")[0]
    lines = part.splitlines()
    assert len(lines) == 5
    assert all(line.startswith("- paylib: ") for line in lines)
    assert lines[0].startswith("- paylib: rule `")
    assert RULE in lines[0]


def test_an_id_from_elsewhere_is_opened_there(pair: Pair) -> None:
    brief, _ = pair.asked(pair.library)

    with workspace_at(pair.service / brief.also[0].path) as library:
        known = memories_now(library)
        [(_, rule)] = [each for each in told_of(brief, "paylib") if each[0] == "rule"]
        assert known.states[known.resolve_id(rule)].memory.said.text == RULE


def test_what_is_irrelevant_to_the_task_is_silent(pair: Pair) -> None:
    brief, _ = pair.asked(pair.library, task="print the invoice on paper")

    assert told_of(brief, "paylib") == []
    assert "paylib" not in brief.markdown
    assert brief.also == ()
    assert "also" not in brief_json(brief)


def test_a_match_in_another_repository_opens_the_gate_with_a_note(pair: Pair) -> None:
    task = "limits of MOST_TIMEOUT"
    alone, _ = pair.asked(task=task)
    brief, _ = pair.asked(pair.library, task=task)

    assert alone.gate.state == "none"
    assert (brief.gate.state, brief.gate.why) == ("use", "nothing in this repository matches, but paylib does")
    assert "Nothing clearly relevant found." in brief.markdown
    assert told_of(brief, "paylib")


def test_the_json_names_the_repository_of_each_item_from_elsewhere(pair: Pair) -> None:
    brief, _ = pair.asked(pair.library)
    told = brief_json(brief)

    assert [(each["name"], each["path"]) for each in told["also"]] == [("paylib", "../paylib")]
    assert [item.get("repository") for item in told["items"]] == [None, None, None, *["paylib"] * 5]
    json.dumps(told)


@pytest.mark.parametrize("budget", [60, 150, 220, 300, 1500])
def test_one_budget_holds_for_all_and_the_own_repository_comes_first(pair: Pair, budget: int) -> None:
    brief, _ = pair.asked(pair.library, budget=budget)

    assert brief.tokens <= budget
    assert count_tokens(brief.markdown) <= budget
    assert not brief.items or not brief.items[0].repository


def test_the_same_state_gives_the_same_bytes(pair: Pair) -> None:
    assert pair.asked(pair.library)[0] == pair.asked(pair.library)[0]


def test_recall_writes_nothing_into_another_repository(pair: Pair) -> None:
    folders = (pair.library, pair.service)
    for folder in folders:  # a first recall keeps the words of the own memories
        with workspace_at(folder) as workspace:
            recall_now(workspace, BriefRequest(TASK, 1500), Run())
    before = [files_under(folder / ".git" / "repomem") for folder in folders]
    pair.asked(pair.library)

    assert [files_under(folder / ".git" / "repomem") for folder in folders] == before


@pytest.mark.parametrize("given", [("paylib", "paylib"), ("paylib", "./paylib/../paylib"), ("paylib", "paylib/paylib")])
def test_a_repository_that_is_given_twice_counts_once(pair: Pair, given: Sequence[str]) -> None:
    twice, notices = pair.asked(*(resolved(pair.library.parent / each) for each in given))

    assert told_of(twice, "paylib") == told_of(pair.asked(pair.library)[0], "paylib")
    assert notices == []


def test_worktrees_and_clones_of_this_repository_are_skipped(copied: Pair, run_git: RunGit) -> None:
    parent = copied.service.parent
    run_git(copied.service, "worktree", "add", "-q", str(parent / "linked"), "-b", "side")
    run_git(parent, "clone", "-q", str(copied.service), str(parent / "clone"))
    indexed(parent / "clone")
    brief, notices = copied.asked(copied.service, parent / "linked", parent / "clone")

    assert brief == copied.asked()[0]
    again = [f"{path} was skipped: it is this repository" for path in (".", "../linked", "../clone")]
    assert notices == again


def test_whatever_is_wrong_with_another_is_a_line_of_warning(
    copied: Pair, make_repository: MakeRepository, tmp_path: Path
) -> None:
    new = make_repository(Commit({"a.py": "A = 1\n"}), name="new")
    (tmp_path / "plain").mkdir()
    broken = Path(shutil.copytree(copied.library, tmp_path / "copies" / "broken"))
    (broken / ".repomem.toml").write_text("[recall]\nbudget = 'many'\n")
    brief, _ = copied.asked(tmp_path / "gone", tmp_path / "plain", new, broken, copied.library)

    warnings = [item.text for item in brief.items if item.kind == "warning"]
    assert [text.partition(":")[0] for text in warnings] == [
        f"{path} was skipped" for path in ("../../gone", "../../plain", "../../new", "../broken")
    ]
    assert warnings[2].endswith("nothing is indexed there yet; run repomem -C ../../new index")
    assert not (new / ".git" / "repomem").exists()
    assert told_of(brief, "paylib")
    assert [item.id for item in brief.items if item.kind == "code" and not item.repository] == [
        "shop/orders.py:6-8",
        "shop/orders.py:3-8",
    ]


def test_an_index_of_a_newer_version_is_left_alone(copied: Pair) -> None:
    with workspace_at(copied.library) as library:
        library.catalog.set_meta("content", "1000000 of a later day")
    (copied.library / "paylib" / "limits.py").write_text("MOST_TIMEOUT = 90\n")  # so that it has something to index
    brief, _ = copied.asked(copied.library)

    [warning] = [item.text for item in brief.items if item.kind == "warning"]
    assert warning.startswith("../paylib was skipped: the index was made by a newer repomem")
    with workspace_at(copied.library) as library:
        assert library.catalog.meta("content") == "1000000 of a later day"


def test_a_damaged_index_elsewhere_costs_no_more_than_its_answer(copied: Pair) -> None:
    for file in (copied.library / ".git" / "repomem" / "store").rglob("*.manifest"):
        file.write_bytes(b"no manifest")
    brief, _ = copied.asked(copied.library)

    [warning] = [item.text for item in brief.items if item.kind == "warning"]
    assert warning.startswith("../paylib was skipped: ")
    assert [item.id for item in brief.items if item.kind == "code"] == ["shop/orders.py:6-8", "shop/orders.py:3-8"]


def test_a_busy_repository_answers_from_its_last_index(copied: Pair) -> None:
    indexed(copied.library)
    (copied.library / "paylib" / "limits.py").write_text("MOST_TIMEOUT = 90\n")
    with try_lock(copied.library / ".git" / "repomem" / INDEX_LOCK, 0.0) as is_held:
        assert is_held
        brief, _ = copied.asked(copied.library)

    [warning] = [item.text for item in brief.items if item.kind == "warning"]
    assert warning == "../paylib: another index run is still in progress; this shows what was indexed before"
    assert told_of(brief, "paylib")


def test_the_others_settings_are_as_untrusted_as_ever(copied: Pair) -> None:
    (copied.library / ".repomem.toml").write_text("[store]\nuri = 'elsewhere'\n")
    brief, notices = copied.asked(copied.library)

    assert told_of(brief, "paylib")
    assert notices == [
        "../paylib: `.repomem.toml` sets store.uri; it is ignored until you run: repomem trust",
    ]
    assert not (copied.library / "elsewhere").exists()


def test_a_secret_that_another_repository_holds_stays_there(copied: Pair) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2  # made up
    (copied.library / "paylib" / "limits.py").write_text(f'MOST_TIMEOUT = 60\nCHARGE_TOKEN = "{secret[:40]}"\n')
    indexed(copied.library)
    brief, _ = copied.asked(copied.library)

    assert told_of(brief, "paylib")
    assert secret[:40] not in brief.markdown + json.dumps(brief_json(brief))


def test_two_of_one_name_are_distinguished(copied: Pair, make_repository: MakeRepository, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    other = make_repository(Commit(LIBRARY[0].files, "feat: another beginning"), *LIBRARY[1:], name="x/paylib")
    indexed(other)
    brief, _ = copied.asked(copied.library, other)

    assert [each.name for each in brief.also] == [f"paylib-{each.id[:4]}" for each in brief.also]
    assert len({each.name for each in brief.also}) == 2
    assert {item.repository for item in brief.items} == {"", *(each.name for each in brief.also)}


def test_memories_of_another_repository_do_not_count_as_shown_here(copied: Pair) -> None:
    copied.asked(copied.library)

    assert not list((copied.service / ".git" / "repomem").glob("recalls*"))
    assert not list((copied.library / ".git" / "repomem").glob("recalls*"))


def test_a_group_is_the_other_folders_of_those_that_name_this_one(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    group = os.pathsep.join(map(str, (pair.library, pair.service, "/nowhere")))
    monkeypatch.setenv("REPOMEM_WORKSPACES_GROUPS", f"{group},/a{os.pathsep}/b")
    with opened(pair.service, os.environ) as service, opened(pair.library, os.environ) as library:
        assert folders_of_groups(service) == [pair.library, Path("/nowhere")]
        assert folders_of_groups(library) == [pair.service, Path("/nowhere")]


@pytest.mark.parametrize(("own", "expected"), [(float("inf"), 100.0 + other_repositories.SECONDS), (100.2, 100.2)])
def test_the_wait_for_anothers_index_has_a_limit(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, own: float, expected: float
) -> None:
    deadlines: list[float] = []

    def watched(workspace: Workspace, run: Run) -> Ready:
        deadlines.append(run.deadline)
        return ready(workspace, run)

    monkeypatch.setattr(other_repositories, "ready", watched)
    with workspace_at(pair.service) as workspace:
        others = OtherRepositories(os.environ)
        others.answers(workspace, [pair.library], BriefRequest(TASK, 1500), Run(deadline=own, clock=lambda: 100.0))
        others.close()
    assert deadlines == [expected]
