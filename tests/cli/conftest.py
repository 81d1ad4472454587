"""Repositories for the command line to run in."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from support.command_line import MakePlace, Place, copied_place, new_place


@pytest.fixture
def make_place(tmp_path: Path) -> MakePlace:
    """A fresh, unindexed repository with the files of a sample, in one commit."""
    return lambda sample: new_place(tmp_path, sample)


@pytest.fixture
def ledgerly(make_place: MakePlace) -> Place:
    """A fresh, unindexed repository of a small Python program."""
    return make_place("ledgerly")


@pytest.fixture(scope="session")
def indexed() -> Iterator[Place]:
    """The small Python program, indexed. Tests that share it leave it as it is."""
    with TemporaryDirectory() as folder:
        place = new_place(Path(folder).resolve(), "ledgerly")
        ended = place.run("index")
        assert ended.code == 0, ended.err
        yield place
        left = place.run("ledger", "export").out
        assert not left, f"a test wrote into what all share: {left}"
        assert not (place.folder / ".git" / "repomem" / "deliveries").exists(), "a test's session is in what all share"


@pytest.fixture
def indexed_copy(indexed: Place, tmp_path: Path) -> Place:
    """A copy of `indexed`, to be changed."""
    return copied_place(indexed, tmp_path)
