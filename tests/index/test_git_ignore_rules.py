"""What `.gitattributes` says counts, wherever it stands."""

from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository
from support.samples import indexed

FILES = {"src/a.py": "def zebra():\n    return 1\n", ".repomem.toml": '[index]\ninclude = ["src/**"]\n'}


@pytest.fixture
def narrow(make_repository: MakeRepository) -> Path:
    """An indexed repository whose options leave out what stands at its top."""
    folder = make_repository(Commit(FILES))
    assert indexed(folder).files == 1
    return folder


def test_attributes_count_where_the_options_leave_their_file_out(narrow: Path) -> None:
    rules = narrow / ".gitattributes"
    rules.write_text("src/a.py linguist-generated\n")
    assert indexed(narrow).files == 0
    rules.write_text("src/a.py -linguist-generated\n")
    assert indexed(narrow).files == 1
    rules.unlink()
    assert indexed(narrow).files == 1


def test_attributes_count_as_they_are_in_the_work_tree_before_they_are_committed(
    make_repository: MakeRepository,
) -> None:
    folder = make_repository(Commit({**FILES, ".gitattributes": "*.md text\n"}))
    assert indexed(folder).files == 1
    (folder / ".gitattributes").write_text("src/a.py linguist-generated\n")
    assert indexed(folder).files == 0
