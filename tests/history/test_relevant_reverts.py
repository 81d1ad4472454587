"""Reverted changes and lost fixes in real histories."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from support.repositories import Commit, MakeRepository, RunGit
from support.samples import indexed, recalled, workspace_at

from repomem.core.types.commits import Episode
from repomem.core.types.line_history import RevertedChange, RevertKind
from repomem.history.change_history import change_history_of
from repomem.history.episodes import RelatedEpisode
from repomem.history.relevant_reverts import (
    FailedAttempt,
    failed_attempts,
    failed_attempts_for,
    reverted_in,
    with_failed_attempts,
)
from repomem.ranking.query import Query
from repomem.workspace.snapshot import snapshot
from repomem.workspace.workspace import opened

BEFORE = "def price(order):\n    return order.amount * order.count\n"
SURCHARGE = """def surcharge(order):
    weight = order.weight_in_kilograms()
    distance = order.distance_to(depot)
    base = weight * distance * RATE
    extra = max(base, MINIMUM_SURCHARGE)
    return round(extra, 2)
"""
GUARD = "def price(order):\n    if order.count is None:\n        order.count = default_count(order)\n"
GUARDED = BEFORE.replace("def price(order):\n", GUARD)
OTHER = "def totals(orders):\n    return sum(price(order) for order in orders)\n"


def found_in(folder: Path, paths: Sequence[str] = ("a.py", "b.py")) -> list[FailedAttempt]:
    indexed(folder)
    with opened(folder, os.environ) as workspace:
        now = snapshot(workspace)
        assert now is not None
        return failed_attempts(now, reverted_in(change_history_of(now), paths))


def told(folder: Path) -> list[tuple[RevertKind, str, str]]:
    return [(each.change.how, each.before.subject, each.after.subject) for each in found_in(folder)]


def steps(*texts: str, path: str = "a.py", subjects: Iterable[str] = ()) -> list[Commit]:
    names = [*subjects, *(f"step {at}" for at in range(len(texts)))]
    return [Commit({path: text}, subject) for text, subject in zip(texts, names, strict=False)]


TRIED = steps(BEFORE, BEFORE + SURCHARGE, BEFORE, subjects=("begin", "feat: surcharge", "drop it"))


def test_added_and_removed_code_is_reported_with_its_symbols(make_repository: MakeRepository) -> None:
    [found] = found_in(make_repository(*TRIED))
    assert (found.change.how, found.before.subject, found.after.subject) == (
        RevertKind.REVERTED,
        "feat: surcharge",
        "drop it",
    )
    assert (found.change.path, found.change.symbols) == ("a.py", ("a.py:surcharge",))


def test_a_missing_blob_loses_only_commits_near_it(make_repository: MakeRepository, run_git: RunGit) -> None:
    filler = [Commit({"c.py": f"def filler():\n    return {at}\n"}, f"fill {at}") for at in range(40)]
    folder = make_repository(*filler, Commit({"c.py": "def lost():\n    return 0\n"}, "lost"), *filler, *TRIED)
    commit = run_git(folder, "log", "--format=%H", "--grep=^lost$").strip()
    blob = run_git(folder, "rev-parse", f"{commit}:c.py").strip()
    objects = folder / ".git" / "objects"
    for pack in list((objects / "pack").glob("*.pack")):  # each object in a file of its own
        data = pack.read_bytes()
        pack.unlink()
        run_git(folder, "unpack-objects", "-q", stdin=data)
    (objects / blob[:2] / blob[2:]).unlink()
    assert told(folder) == [(RevertKind.REVERTED, "feat: surcharge", "drop it")]


def test_a_relanded_change_is_not_reported_as_reverted(make_repository: MakeRepository) -> None:
    assert told(make_repository(*TRIED, Commit({"a.py": BEFORE + SURCHARGE}, "surcharge, again"))) == []


def test_a_revert_that_was_landed_again_in_another_file_is_not_reported(make_repository: MakeRepository) -> None:
    folder = make_repository(*TRIED, Commit({"b.py": SURCHARGE}, "surcharge, elsewhere"))
    assert [how for how, _, _ in told(folder)] == []


def test_moved_code_is_not_reported(make_repository: MakeRepository) -> None:
    moved = Commit({"a.py": BEFORE, "b.py": SURCHARGE}, "split")
    assert told(make_repository(*TRIED[:2], moved)) == []


def test_reformatted_code_is_not_reported(make_repository: MakeRepository) -> None:
    wide = SURCHARGE.replace("(", "( ").replace("    ", "\t").replace("RATE", "RATE ;")
    renamed = SURCHARGE.replace("weight * distance", "distance *\n    weight")
    assert told(make_repository(*TRIED[:2], Commit({"a.py": BEFORE + wide}, "format"))) == []
    assert told(make_repository(*TRIED[:2], Commit({"a.py": BEFORE + renamed}, "wrap"), name="wrapped")) == []


def replaced(lines: int, between: int = 0) -> list[Commit]:
    """Lines put in with others that stay, and taken out again with something else in their place."""
    body = "".join(f"    step_{at} = compute_{at}(order)\n" for at in range(lines - 1))
    attempt = f"def attempt(order):\n{body}"
    others = [Commit({f"other_{at}.txt": "text"}, f"other {at}") for at in range(between)]
    instead = "MARGIN = configured_margin()\n"
    return [
        *steps(BEFORE, subjects=["begin"]),
        Commit({"a.py": BEFORE + attempt, "b.py": OTHER}, "feat: attempt"),
        *others,
        Commit({"a.py": instead.join([BEFORE, ""])}, "another way"),
    ]


def test_five_lines_removed_soon_are_reported_and_four_are_not(make_repository: MakeRepository) -> None:
    assert told(make_repository(*replaced(5))) == [(RevertKind.REMOVED, "feat: attempt", "another way")]
    assert told(make_repository(*replaced(4), name="four")) == []


def test_code_that_lasted_more_than_fifty_commits_is_not_a_failed_attempt(make_repository: MakeRepository) -> None:
    assert told(make_repository(*replaced(6, between=49))) == [(RevertKind.REMOVED, "feat: attempt", "another way")]
    assert told(make_repository(*replaced(6, between=50), name="later")) == []


FIXED = steps(BEFORE, GUARDED, subjects=("begin", "fix: an order without a count"))


def test_a_fix_whose_lines_were_removed_is_reported(make_repository: MakeRepository) -> None:
    later = Commit({"a.py": BEFORE.replace("amount", "total()"), "b.py": OTHER}, "feat: totals")
    [found] = found_in(make_repository(*FIXED, later))
    assert (found.change.how, found.change.symbols) == (RevertKind.FIX_GONE, ("a.py:price",))


def test_a_fix_that_a_later_commit_writes_in_another_way_is_not_lost(make_repository: MakeRepository) -> None:
    begun = "class Meter:\n    def start(self):\n        self.clock = now()\n\n    def stop(self, meters):\n"
    ends = [
        "        return [one for one in meters if one]\n",
        "        return [one for one in meters if one and one.is_started]\n",
        "        return [one for one in meters if one and one.clock]\n",
    ]
    started = begun.replace("now()\n", "now()\n        self.is_started = True\n")
    folder = make_repository(
        Commit({"a.py": begun + ends[0]}, "begin"),
        Commit({"a.py": started + ends[1]}, "fix: a meter that never started"),
        Commit({"a.py": begun + ends[2]}, "one attribute less"),
    )
    assert found_in(folder) == []


def test_a_fix_that_was_reverted_is_a_revert(make_repository: MakeRepository) -> None:
    undone = Commit({"a.py": BEFORE, "b.py": OTHER}, 'Revert "fix: an order without a count"')
    assert told(make_repository(*FIXED, undone)) == [
        (RevertKind.REVERTED, "fix: an order without a count", 'Revert "fix: an order without a count"')
    ]


def test_a_fix_is_followed_through_quotes_and_a_rename(make_repository: MakeRepository) -> None:
    quoted = GUARDED.replace("order.count is None", "order['count'] is None")
    folder = make_repository(
        *steps(BEFORE, quoted, quoted.replace("'", '"'), subjects=("begin", "fix: no count", "format")),
        Commit({"a.py": None, "b.py": quoted.replace("'", '"')}, "rename"),
        Commit({"b.py": BEFORE.replace("amount", "total()"), "c.py": OTHER}, "feat: totals"),
    )
    [found] = found_in(folder, ["b.py"])
    assert (found.before.subject, found.after.subject) == ("fix: no count", "feat: totals")


def test_a_reason_is_quoted_or_left_out(make_repository: MakeRepository) -> None:
    said = [*TRIED[:2], Commit({"a.py": BEFORE}, "drop it\n\nIt fails for orders without a weight.\n\nSee #12.")]
    [found] = found_in(make_repository(*said))
    assert found.change.reason == "It fails for orders without a weight."
    [silent] = found_in(make_repository(*TRIED, name="silent"))
    assert silent.change.reason == ""


def test_a_revert_on_another_branch_is_not_reported(make_repository: MakeRepository, run_git: RunGit) -> None:
    folder = make_repository(*TRIED)
    indexed(folder)
    run_git(folder, "checkout", "-q", "-b", "other", "HEAD~1")
    assert told(folder) == []
    run_git(folder, "checkout", "-q", "main")
    assert [how for how, _, _ in told(folder)] == [RevertKind.REVERTED]


def test_lines_restored_only_in_the_work_tree_count_as_remaining(make_repository: MakeRepository) -> None:
    folder = make_repository(*TRIED)
    (folder / "a.py").write_text(BEFORE + SURCHARGE)
    assert told(folder) == []


def test_an_incremental_index_gives_the_same_result_as_a_new_one(
    make_repository: MakeRepository, run_git: RunGit
) -> None:
    folder = make_repository(*FIXED, *replaced(7)[1:], *steps(BEFORE, BEFORE + SURCHARGE, BEFORE))
    for commits in (8, 5, 3, 0):
        run_git(folder, "checkout", "-q", "--detach", f"main~{commits}" if commits < 7 else "main~6")
        indexed(folder, {"history.symbol_commits": 3})
    run_git(folder, "checkout", "-q", "main")
    grown = found_in(folder)
    assert grown
    with workspace_at(folder) as workspace:
        workspace.forget_store()
    assert found_in(folder) == grown


def test_a_brief_shows_failed_attempts_at_its_locations(make_repository: MakeRepository) -> None:
    folder = make_repository(*TRIED, Commit({"b.py": OTHER, "notes.md": "A surcharge is due."}, "feat: totals"))
    brief = recalled(folder, "surcharge")
    [tried] = [item for item in brief.items if item.kind == "tried"]
    assert tried.title == "feat: surcharge"
    assert "reverted by" in tried.text
    assert "because" not in tried.text


def test_an_attempt_elsewhere_in_a_class_that_a_brief_shows_is_not_shown(make_repository: MakeRepository) -> None:
    before = "class Shop:\n    currency = 'EUR'\n\n    def freight(self, order):\n        return order.weight * 3\n"
    tried = before.replace("'EUR'\n", "'EUR'\n    surcharge = 3\n    levy_rate = 5\n")
    folder = make_repository(
        Commit({"shop/parcels/a.py": before}, "begin"),
        Commit({"shop/parcels/a.py": tried}, "Charge a levy"),
        Commit({"shop/parcels/a.py": before}, 'Revert "Charge a levy"'),
        Commit({"b.py": OTHER}, "feat: totals"),
    )
    assert not [item for item in recalled(folder, "parcels of a Shop in one currency").items if item.kind == "tried"]


def test_a_revert_in_the_constructor_of_another_class_is_not_shown_without_a_word_of_the_task(
    make_repository: MakeRepository,
) -> None:
    before = (
        "class A:\n    def __init__(self, kept):\n        self.currency = kept.parcels\n\n"
        "class Till:\n    def __init__(self, cash):\n        self.cash = cash\n"
    )
    tried = before + "        self.levy_rate = 5\n        self.surcharge = 3\n        self.limit = 900\n"
    folder = make_repository(
        Commit({"shop/parcels/a.py": before}, "begin"),
        Commit({"shop/parcels/a.py": tried}, "Charge a levy"),
        Commit({"shop/parcels/a.py": before}, 'Revert "Charge a levy"'),
        Commit({"b.py": OTHER}, "feat: totals"),
    )
    told = [
        [item.kind for item in recalled(folder, task).items]
        for task in ("the currency of kept parcels", "a levy on the cash of a till")
    ]
    assert ["tried" in kinds for kinds in told] == [False, True]


def test_a_brief_warns_of_a_lost_fix(make_repository: MakeRepository) -> None:
    many = [Commit({f"n{at}.py": f"def unit_{at}():\n    pass\n"}, f"price of order unit {at}") for at in range(9)]
    later = Commit({"a.py": BEFORE.replace("amount", "total()"), "b.py": OTHER}, "feat: totals")
    folder = make_repository(*FIXED[:1], Commit({"a.py": GUARDED}, "fix: an order of nothing"), later, *many)
    brief = recalled(folder, "the price of an order unit")
    assert "fixed in" in brief.markdown
    assert '"feat: totals" removed this fix\'s lines in `price`' in brief.markdown


def test_a_lost_fix_with_one_word_of_the_task_is_not_shown(make_repository: MakeRepository) -> None:
    later = Commit({"a.py": BEFORE.replace("amount", "total()"), "b.py": OTHER}, "feat: totals")
    folder = make_repository(*FIXED[:1], Commit({"a.py": GUARDED}, "fix: nothing there"), later)
    assert "fixed in" not in recalled(folder, "price of a unit").markdown


def test_what_remains_of_a_fix_comes_before_the_commit_that_removed_its_lines() -> None:
    fix = Episode("f" * 40, (), "Ada", "2023-11-14", 0, "fix: none", "")
    later = replace(fix, commit="1" * 40, subject="feat: totals")
    change = RevertedChange(RevertKind.FIX_GONE, fix.commit, later.commit, "a.py", ("a.py:price",), 2)
    one = RelatedEpisode(fix, "episode", "3 of its 5 distinctive lines remain", 1.0)
    [shown] = with_failed_attempts([one], [FailedAttempt(change, fix, later)])
    assert shown.state.startswith("3 of its 5 distinctive lines remain; 11111111 ")


def test_a_lost_fix_elsewhere_in_a_file_is_not_shown(make_repository: MakeRepository) -> None:
    later = Commit({"a.py": BEFORE.replace("amount", "total()"), "b.py": OTHER}, "feat: totals")
    folder = make_repository(*FIXED, later)
    indexed(folder)

    def shown(symbol: str) -> list[RevertKind]:
        query = Query("fix the price of an order without a count")
        with opened(folder, os.environ) as workspace:
            now = snapshot(workspace)
            assert now is not None
            found = failed_attempts_for(change_history_of(now), query, [("a.py", symbol)], [])
        return [each.change.how for each in found]

    assert (shown("price"), shown("refund")) == ([RevertKind.FIX_GONE], [])


def test_a_revert_somewhere_in_a_module_is_not_at_that_module(make_repository: MakeRepository) -> None:
    tried = "  LEVELS = [1, 2, 3].freeze\n  NAMES = %w[low mid high].freeze\n  LIMIT = 900\n  EDGE = 12\n  STEP = 4\n"
    module = "module Ledger\n  POSTINGS = 3\nend\n"
    folder = make_repository(
        Commit({"lib/ledger.rb": module}, "begin"),
        Commit({"lib/ledger.rb": module.replace("end\n", f"{tried}end\n")}, "levels of alarms"),
        Commit({"lib/ledger.rb": module}, 'Revert "levels of alarms"'),
        Commit({"lib/parcel.rb": "class Parcel\n  def weigh\n    3\n  end\nend\n"}, "weigh parcels"),
    )
    brief = recalled(folder, "the ledger counts POSTINGS")
    assert "lib/ledger.rb:1-3` `module Ledger`" in brief.markdown
    assert "levels of alarms" not in brief.markdown
