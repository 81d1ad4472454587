"""Which paths a glob and a scope have."""

import pytest

from repomem.core.scopes import fits, matches


@pytest.mark.parametrize(
    ("glob", "path", "is_match"),
    [
        ("src/**/*.rs", "src/filter/size.rs", True),
        ("src/**/*.rs", "src/main.rs", True),
        ("src/**/*.rs", "tests/main.rs", False),
        ("**/test_*.py", "test_api.py", True),
        ("**/test_*.py", "pkg/tests/test_api.py", True),
        ("**/test_*.py", "pkg/my_test_api.py", False),
        ("a/**/b/**/c.py", "a/b/c.py", True),
        ("a/**/b/**/c.py", "a/b/x/c.py", True),
        ("a/**/b/**/c.py", "a/x/b/c.py", True),
        ("a/**/b/**/c.py", "a/x/c.py", False),
        ("src/x**/y.py", "src/xy.py", False),
        ("src/api/**", "src/api/users.py", True),
        ("src/api", "src/api/users.py", True),
        ("src/api", "src/apis.py", False),
    ],
)
def test_any_folders_of_a_glob_may_be_none(glob: str, path: str, *, is_match: bool) -> None:
    assert matches(glob, path) is is_match


def test_a_glob_with_many_any_folders_is_compared_as_it_is() -> None:
    assert not matches("**/" * 60 + "x.py", "x.py")


def test_a_glob_alone_has_no_files_of_a_folder() -> None:
    assert not fits("src/api", "src/api/users.py")
    assert fits("src/**/*.py", "src/main.py")
