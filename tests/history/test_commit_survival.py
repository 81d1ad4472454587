"""What a past commit is said to have become, against git's tree at the head and the code there."""

from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository
from support.samples import workspace_at

from repomem.index.run import index
from repomem.recall.log import log
from repomem.workspace.run import Run
from repomem.workspace.snapshot import snapshot

LOST = "its files were removed or renamed"
WHOLE = "still in the code"
WEIGH = "def weigh(parcel):\n    return parcel.net_weight + parcel.wrapping_weight\n"
STAMP = "def stamp(parcel):\n    parcel.stamped_at = clock.current_time()\n    return parcel.stamped_at\n"
OTHER = "def other(parcel):\n    return parcel.other_fields\n"
LOCK = '[[package]]\nname = "serde"\nversion = "1.0.219"\nchecksum = "5f0e2c6ed6606019"\n'


def states(folder: Path) -> dict[str, str]:
    """The state of each commit in the log, by subject."""
    with workspace_at(folder) as workspace:
        index(workspace, Run())
        now = snapshot(workspace)
        assert now is not None
        return {one.episode.subject: one.state for one in log(now, "", 20).commits}


@pytest.mark.parametrize(
    ("path", "text"),
    [("Cargo.lock", LOCK), ("pnpm-lock.yaml", LOCK), ("notes.txt", "a line of notes\n" * 40_000), ("a\nb.py", WEIGH)],
    ids=["lock file", "another lock file", "large file", "line break in its name"],
)
def test_a_file_that_the_index_leaves_out_is_not_lost(make_repository: MakeRepository, path: str, text: str) -> None:
    folder = make_repository(Commit({"a.py": OTHER}, "begin"), Commit({path: text}, "add it"))
    assert states(folder)["add it"] == WHOLE


def test_a_file_that_is_no_text_at_the_head_has_no_state(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.dat": "some plain text\n"}, "a text"), Commit({"a.dat": b"\0\1\2"}, "no text"))
    assert states(folder)["a text"] == ""


def test_what_a_partial_index_has_not_read_is_not_lost(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"lib/scale.py": WEIGH}, "weigh parcels"),
        Commit({"lib/scale.py": None, "src/scale.py": WEIGH}, "sources below src"),
        Commit({"old.py": STAMP}, "stamp parcels"),
        Commit({"old.py": None}, "stamp no parcels"),
    )
    with workspace_at(folder) as workspace:
        clock = lambda: float(bool(workspace.catalog.known_episodes()))  # noqa: E731  # late once commits are read
        index(workspace, Run(deadline=0.5, clock=clock))
        now = snapshot(workspace)
        assert now is not None
        assert (now.lacks_files, now.files) == (True, [])
        told = {one.episode.subject: one.state for one in log(now, "", 20).commits}
    assert told["weigh parcels"] == WHOLE
    assert told["stamp parcels"].startswith(LOST)


def test_a_deleted_file_that_was_not_committed_yet_is_still_in_the_code(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.py": WEIGH, "b.py": OTHER}, "weigh parcels"))
    (folder / "a.py").unlink()
    assert states(folder)["weigh parcels"] == WHOLE


def test_lines_that_moved_to_another_file_are_still_in_the_code(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"parcels.py": OTHER + WEIGH}, "weigh parcels"),
        Commit({"parcels.py": OTHER + WEIGH + STAMP}, "stamp parcels"),
        Commit({"parcels.py": OTHER + WEIGH, "clerk.py": STAMP}, "a clerk stamps"),
        Commit({"clerk.py": OTHER, "desk.py": STAMP}, "at a desk"),
    )
    assert states(folder)["stamp parcels"] == WHOLE


def test_lines_of_a_file_that_was_renamed_are_still_in_the_code(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"parcels.py": WEIGH + STAMP}, "weigh and stamp parcels"),
        Commit({"parcels.py": None, "freight.py": WEIGH + STAMP}, "call it freight"),
    )
    assert states(folder)["weigh and stamp parcels"] == WHOLE


def test_lines_of_a_removed_file_do_not_remain(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"parcels.py": OTHER}, "begin"),
        Commit({"parcels.py": OTHER + WEIGH, "clerk.py": STAMP * 4}, "weigh and stamp parcels"),
        Commit({"clerk.py": None}, "no clerk"),
    )
    assert states(folder)["weigh and stamp parcels"].startswith("2 of 14 added lines remain")


def test_a_line_that_is_longer_than_patches_are_read_is_found(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.py": f"TABLE = [{'1, ' * 400}]\n"}, "a table"))
    assert states(folder)["a table"] == WHOLE


def test_lines_that_no_recorded_commit_took_out_are_not_said_to_be_removed(make_repository: MakeRepository) -> None:
    guide = "Weigh every parcel before it is stamped.\nStamp every parcel before it is sent.\n"
    folder = make_repository(
        Commit({"README.md": "A depot.\n"}, "begin"),
        Commit({"README.md": f"A depot.\n{guide}", "tests/test_a.py": STAMP}, "docs: a guide"),
        Commit({"README.md": "A depot.\n", "docs/guide.md": guide, "tests/test_a.py": OTHER}, "docs: move it"),
    )
    assert states(folder)["docs: a guide"] == "no longer in its files"


def test_code_that_a_recorded_commit_took_out_is_removed(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"a.py": OTHER}, "begin"),
        Commit({"a.py": OTHER + STAMP}, "stamp parcels"),
        Commit({"a.py": OTHER}, "stamp no parcels"),
    )
    assert states(folder)["stamp parcels"].startswith("removed since")
