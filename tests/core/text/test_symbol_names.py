"""Names of symbols, and which of them may mean the same definition."""

import pytest

from repomem.core.text.symbol_names import dotted, is_named, may_be_same


@pytest.mark.parametrize("name", ["a.B.c", "a::B::c", "a.B#c", "a\\B.c", "a.B->c", "a.B.c()"])
def test_names_of_all_languages_are_dotted(name: str) -> None:
    assert dotted(name) == "a.B.c"


def test_enclosing_definitions_may_be_left_out_but_not_be_others() -> None:
    assert [is_named("db.Cache.get", name) for name in ("get", "Cache.get", "db.Cache.get")] == [True] * 3
    assert not any(is_named("db.Cache.get", name) for name in ("Disk.get", "et", "x.db.Cache.get"))
    assert may_be_same("get", "Cache.get")
    assert may_be_same("Cache.get", "get")
    assert not may_be_same("Disk.get", "Cache.get")
