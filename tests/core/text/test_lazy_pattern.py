import pickle
import pkgutil
import re
from importlib import import_module

import pytest

import repomem
from repomem.core.text.lazy_pattern import _LazyPattern, compile_patterns, lazy_pattern


def test_has_the_methods_and_attributes_of_the_pattern() -> None:
    lazy = lazy_pattern(r"(?P<word>\w+)!", re.IGNORECASE)

    assert [found["word"] for found in lazy.finditer("Go! on!")] == ["Go", "on"]
    assert lazy.sub("?", "Go! on!") == "? ?"
    assert (lazy.pattern, lazy.groups) == (r"(?P<word>\w+)!", 1)
    assert lazy.fullmatch("go") is None


def test_takes_bytes() -> None:
    assert lazy_pattern(rb"\d+").findall(b"1 and 22") == [b"1", b"22"]


def test_an_error_is_raised_at_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repomem.core.text.lazy_pattern._made", [])
    lazy = lazy_pattern("(")

    with pytest.raises(re.error, match="missing"):
        lazy.search("(")


def test_all_patterns_are_compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repomem.core.text.lazy_pattern._made", [])
    lazy = lazy_pattern("a+")

    compile_patterns()

    assert vars(lazy)["search"]("baa")[0] == "aa"


def test_can_be_pickled() -> None:
    lazy = lazy_pattern("a+")

    assert pickle.loads(pickle.dumps(lazy)).search("baa")[0] == "aa"


def test_every_lazy_pattern_of_the_package_compiles() -> None:
    names = [
        module.name for module in pkgutil.walk_packages(repomem.__path__, "repomem.") if "__main__" not in module.name
    ]

    patterns = [one for name in names for one in vars(import_module(name)).values() if isinstance(one, _LazyPattern)]

    assert len(patterns) > 500
    for one in patterns:
        assert re.compile(*one._source)
