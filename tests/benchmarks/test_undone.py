"""The list of lost fixes that a person judges."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository

from benchmarks.inputs import Pinned, section
from benchmarks.undone import hits_in

BEFORE = "def price(order):\n    return order.amount * order.rate\n"
GUARDED = BEFORE.replace("    return", "    if order.count is None:\n        return order.default_price\n    return")
TOTALS = BEFORE.replace("amount", "total()")


@pytest.mark.parametrize(("last", "how"), [(TOTALS, ["fix gone"]), ("def cost():\n    return none_of_it()\n", [])])
def test_a_lost_fix_is_listed_if_its_function_is_still_defined(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch, last: str, how: list[str]
) -> None:
    folder = make_repository(
        Commit({"a.py": BEFORE}, "begin"),
        Commit({"a.py": GUARDED}, "fix: an order without a count"),
        Commit({"a.py": TOTALS, "b.py": "def other():\n    return 1\n"}, "feat: totals"),
        Commit({"a.py": last, "b.py": "def other():\n    return 2\n"}, "feat: costs"),
    )
    monkeypatch.setattr(Pinned, "checked_out", lambda *_: folder)
    pinned = replace(Pinned(**section("undone")[0]), repository="ada/prices")
    hits = list(hits_in(pinned, Path()))
    assert [(hit["repository"], hit["how"]) for hit in hits] == [("ada/prices", each) for each in how]
