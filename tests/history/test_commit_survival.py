"""What a past commit is said to have become, against git's tree at the head and the code there."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import ready_at, workspace_at

from repomem.adapters.git.hunks import HUNKS_KEPT, LINES_KEPT
from repomem.history.change_history import change_history_of
from repomem.history.log_parsing import BULK_FILES
from repomem.history.relevant_reverts import reverted_in
from repomem.index.run import index
from repomem.recall.log import log
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Snapshot, snapshot

LOST = "its files were removed or renamed"
WHOLE = "still in the code"
ABSENT = "none of its lines is left in the files that it changed"
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
    [("data.svg", f"<svg>{' ' * 40_000}</svg>\n"), ("notes.txt", "a line of notes\n" * 40_000), ("a\nb.py", WEIGH)],
    ids=["data", "large file", "line break in its name"],
)
def test_a_file_that_the_index_leaves_out_is_not_lost(make_repository: MakeRepository, path: str, text: str) -> None:
    folder = make_repository(Commit({"a.py": OTHER}, "begin"), Commit({path: text}, "add it"))
    is_cut = text.count("\n") > LINES_KEPT
    assert states(folder)["add it"] == (
        f"all {LINES_KEPT} distinctive lines read of this large commit remain" if is_cut else WHOLE
    )


def test_a_file_that_was_only_renamed_is_not_lost(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"a/scale.py": WEIGH, "build.toml": "[target]\n"}, "begin"),
        Commit({"a/scale.py": None, "b/scale.py": WEIGH, "build.toml": "[target]\nname = scale\n"}, "rename"),
        Commit({"build.toml": None}, "build otherwise"),
    )
    assert LOST not in states(folder)["rename"]


def test_lock_files_and_version_numbers_have_no_state(make_repository: MakeRepository) -> None:
    manifest = '{\n  "name": "depot",\n  "version": "1.0.0"\n}\n'
    folder = make_repository(
        Commit({"package.json": manifest, "a.py": WEIGH}, "begin"),
        Commit({"package.json": manifest.replace("1.0.0", "1.0.219"), "Cargo.lock": LOCK}, "1.0.219"),
        Commit({"package.json": manifest, "Cargo.lock": LOCK.replace("0.219", "0.220")}, "1.0.0 again"),
    )
    assert states(folder) == {"begin": WHOLE, "1.0.219": "", "1.0.0 again": ""}


def test_a_file_that_is_no_text_at_the_head_has_no_state(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.dat": "some plain text\n"}, "a text"), Commit({"a.dat": b"\0\1\2"}, "no text"))
    assert states(folder)["a text"] == ""


def test_tests_and_change_logs_that_outlive_their_code_do_not_count(make_repository: MakeRepository) -> None:
    beside = {"tests/test_scale.py": STAMP, "CHANGES.md": "- weigh parcels with their wrapping\n"}
    folder = make_repository(
        Commit({"scale.py": WEIGH, **beside}, "weigh"),
        Commit({"scale.py": OTHER}, "rewrite"),
        Commit({"tests/test_other.py": STAMP.replace("stamp", "mark")}, "test"),
    )
    assert states(folder) == {"weigh": "its source lines were removed since", "rewrite": WHOLE, "test": WHOLE}


def test_tests_count_beside_the_settings_of_a_build(make_repository: MakeRepository) -> None:
    build = 'name := "depot"\ntestFrameworks += new TestFramework("plain")\n'
    folder = make_repository(
        Commit({"build.sbt": build, "tests/test_scale.py": STAMP}, "test"),
        Commit({"build.sbt": build.replace("plain", "quick")}, "run the tests with another framework"),
    )
    assert states(folder)["test"] == "4 of its 5 distinctive lines remain"


def test_lines_are_counted_as_source_lines_if_tests_are_left_out(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"scale.py": WEIGH + STAMP, "tests/test_scale.py": STAMP}, "weigh and stamp"),
        Commit({"scale.py": STAMP}, "weigh no more"),
    )
    assert states(folder)["weigh and stamp"].startswith("3 of its 5 distinctive source lines remain")


def test_a_change_log_counts_only_if_the_commit_added_nothing_else(make_repository: MakeRepository) -> None:
    log = "- depend on parcels of the second version\n"
    folder = make_repository(
        Commit({"package.json": '{"dependencies": {"parcels": "^2 || ^3"}}\n', "History.md": log}, "depend"),
        Commit({"package.json": '{"dependencies": {"courier": "~7"}}\n'}, "depend on another"),
        Commit({"History.md": f"{log}- deliver parcels by courier at last\n"}, "tell"),
    )
    assert "distinctive lines remain" not in states(folder)["depend"]
    assert states(folder)["tell"] == WHOLE


def test_tests_at_the_end_of_a_source_file_do_not_count(make_repository: MakeRepository) -> None:
    code = "pub fn weigh(parcel: u32) -> u32 {\n    parcel + WRAPPING\n}\n"
    tests = (
        "\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn is_wrapped() {\n        assert_eq!(weigh(1), 3);\n    }\n}\n"
    )
    folder = make_repository(Commit({"a.rs": code + tests}, "weigh"), Commit({"a.rs": code}, "drop the tests"))
    assert states(folder)["weigh"].startswith(WHOLE)


@contextmanager
def unread(folder: Path) -> Iterator[Snapshot]:
    """The state after an index run that had time for the commits and for no file."""
    with workspace_at(folder) as workspace:
        clock = lambda: float(bool(workspace.catalog.known_episodes()))  # noqa: E731  # late once commits are read
        index(workspace, Run(deadline=0.5, clock=clock))
        now = snapshot(workspace)
        assert now is not None
        assert (now.lacks_files, now.files) == (True, [])
        yield now


def test_what_a_partial_index_has_not_read_is_not_lost(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"lib/scale.py": WEIGH}, "weigh parcels"),
        Commit({"lib/scale.py": None, "src/scale.py": WEIGH}, "sources below src"),
        Commit({"old.py": STAMP}, "stamp parcels"),
        Commit({"old.py": None}, "stamp no parcels"),
    )
    with unread(folder) as now:
        told = {one.episode.subject: one.state for one in log(now, "", 20).commits}
    assert told["weigh parcels"] == WHOLE
    assert told["stamp parcels"].startswith(LOST)


def test_a_log_does_not_say_that_an_unread_file_does_not_exist(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.py": WEIGH}, "weigh"), Commit({"b.py": STAMP}), Commit({"b.py": None}))
    with unread(folder) as now:
        assert log(now, "a.py", 20).today == "a.py is not indexed"
    with ready_at(folder) as it:
        assert log(it.snapshot, "b.py", 20).today == "b.py does not exist"


def test_no_code_is_said_to_be_given_up_that_may_be_in_an_unread_file(make_repository: MakeRepository) -> None:
    body = "".join(f"    parcel.step_{at}_is_done = courier.take_step_{at}(parcel)\n" for at in range(6))
    attempt = f"def attempt(parcel):\n{body}    return parcel\n"
    elsewhere = attempt.replace("parcel", "letter")  # not its lines, but its name
    steps = (
        Commit({"a.py": OTHER}, "begin"),
        Commit({"a.py": OTHER + attempt}, "attempt a delivery"),
        Commit({"a.py": OTHER, "c.py": attempt.replace("parcel", "truck").replace("attempt", "load")}, "load trucks"),
    )
    moved = Commit({"b.py": elsewhere}, "attempt it elsewhere")
    with unread(make_repository(*steps, moved, name="moved")) as now:
        assert reverted_in(change_history_of(now), ["a.py"]) == []
    for last, found in ((), 1), ((moved,), 0):
        with ready_at(make_repository(*steps, *last, name=f"read{found}")) as it:
            assert len(reverted_in(change_history_of(it.snapshot), ["a.py"])) == found


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


def test_lines_that_moved_on_from_file_to_file_three_times_are_still_in_the_code(
    make_repository: MakeRepository,
) -> None:
    folder = make_repository(
        Commit({"parcels.py": OTHER}, "begin"),
        Commit({"parcels.py": OTHER + STAMP}, "stamp parcels"),
        Commit({"parcels.py": OTHER, "clerk.py": STAMP}, "a clerk stamps"),
        Commit({"clerk.py": WEIGH, "desk.py": STAMP}, "at a desk"),
        Commit({"desk.py": WEIGH * 2, "depot.py": STAMP}, "in a depot"),
    )
    assert states(folder)["stamp parcels"] == WHOLE


LONG = "".join(f"charge_{at} = parcel.charges[{at}]\n" for at in range(LINES_KEPT + 9))


def test_lines_that_a_commit_too_long_to_read_moved_are_still_in_the_code(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"parcels.py": LONG}, "charges"),
        Commit({"parcels.py": f"{WEIGH}{LONG}{STAMP}"}, "weigh and stamp parcels"),
        Commit({"parcels.py": OTHER, "charges.py": LONG, "weights.py": WEIGH, "stamps.py": STAMP}, "split the file"),
    )
    assert states(folder)["weigh and stamp parcels"] == WHOLE


def test_lines_that_such_a_commit_left_in_their_file_are_counted_once(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"parcels.py": LONG}, "charges"),
        Commit({"parcels.py": f"{WEIGH}{LONG}{STAMP}"}, "weigh and stamp parcels"),
        Commit({"parcels.py": f"heaviest_parcel = 31.5\n\n{WEIGH}", "charges.py": LONG}, "split the file"),
    )
    assert states(folder)["weigh and stamp parcels"].startswith("2 of its 5 distinctive lines remain")


def test_lines_of_a_removed_file_are_gone_though_a_commit_too_long_to_read_changed_it_and_files_like_it(
    make_repository: MakeRepository,
) -> None:
    audited = "    audit(parcel.stamped_at)\n"
    folder = make_repository(
        Commit({"stamps.py": STAMP, "depot.py": WEIGH + audited, "charges.py": LONG}, "begin"),
        Commit({"stamps.py": STAMP + audited, "charges.py": LONG}, "audit stamps"),
        Commit({"stamps.py": "import audits\n" + audited, "depot.py": STAMP + audited, "charges.py": OTHER}, "a depot"),
        Commit({"stamps.py": None}, "no stamps"),
    )
    assert states(folder)["audit stamps"] == LOST


def test_lines_that_moved_and_lost_their_semicolons_are_still_in_the_code(make_repository: MakeRepository) -> None:
    weigh = "function weigh (parcel) {\n  return scale.weight('net', parcel.net_weight);\n}\n"
    folder = make_repository(
        Commit({"parcels.js": "let parcels;\n"}, "begin"),
        Commit({"parcels.js": f"let parcels;\n{weigh}"}, "weigh parcels"),
        Commit({"parcels.js": "let parcels;\n", "scale.js": weigh.replace(";", "").replace("'", '"')}, "a scale"),
    )
    assert states(folder)["weigh parcels"] == WHOLE


@pytest.mark.parametrize("others", [0, BULK_FILES])
def test_lines_of_which_few_are_known_to_be_removed_are_not_said_to_be(
    make_repository: MakeRepository, others: int
) -> None:
    short = STAMP.replace("    return parcel.stamped_at\n", "")
    folder = make_repository(
        Commit({"a.py": OTHER}, "begin"),
        Commit({"a.py": OTHER + STAMP + WEIGH}, "stamp and weigh"),
        Commit({"a.py": OTHER + short + WEIGH}, "shorten it"),
        Commit({"a.py": OTHER, **{f"b{at}.txt": "a note\n" for at in range(others)}}, "take it out"),
    )
    state = states(folder)["stamp and weigh"].partition(",")[0]
    assert state == (ABSENT if others else "its lines were removed since")


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
    assert states(folder)["weigh and stamp parcels"].startswith("2 of its 14 distinctive lines remain")


def test_of_a_commit_of_many_hunks_only_the_lines_read_are_counted(make_repository: MakeRepository) -> None:
    locked = [f"entry {at}\n" for at in range(2 * HUNKS_KEPT)]
    bumped = [line if at % 2 else line.replace("entry", "bumped") for at, line in enumerate(locked)]
    begin = {"a.py": OTHER, "z.py": OTHER, "go.sum": "".join(locked)}
    folder = make_repository(
        Commit(begin, "begin"), Commit({"a.py": WEIGH, "go.sum": "".join(bumped), "z.py": STAMP}, "bump")
    )
    assert states(folder)["bump"] == "all 2 distinctive lines read of this large commit remain"


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
    assert states(folder)["docs: a guide"] == ABSENT


def test_code_that_a_recorded_commit_took_out_is_removed(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"a.py": OTHER}, "begin"),
        Commit({"a.py": OTHER + STAMP}, "stamp parcels"),
        Commit({"a.py": OTHER}, "stamp no parcels"),
    )
    assert states(folder)["stamp parcels"].startswith("its lines were removed since")


GUIDE = "".join(f"Step {at}: weigh the parcel and stamp it.\n" for at in range(9))


def test_lines_of_a_text_that_was_renamed_remain(make_repository: MakeRepository) -> None:
    later = GUIDE.replace("Step 0: weigh the parcel and stamp it.\n", "")
    folder = make_repository(
        Commit({"guide.md": GUIDE}, "guide"), Commit({"guide.md": None, "b/manual.md": later}, "move")
    )
    assert states(folder)["guide"] == "8 of its 9 distinctive lines remain"


def test_a_byte_order_mark_takes_no_line_away(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"guide.md": "\ufeff" + GUIDE}, "guide"))
    assert states(folder)["guide"] == WHOLE


TWICE = WEIGH.replace("weigh", "weigh_twice")


def test_a_line_that_another_function_has_too_does_not_remain(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"a.py": STAMP + WEIGH}, "weigh"),
        Commit({"a.py": STAMP + WEIGH + TWICE}, "twice"),
        Commit({"a.py": STAMP + WEIGH}, "once"),
    )
    found = states(folder)
    assert (found["weigh"], found["twice"].partition(",")[0]) == (WHOLE, "its lines were removed since")


def test_a_reverted_commit_whose_lines_are_back_says_so(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"a.py": OTHER}, "begin"),
        Commit({"a.py": OTHER + WEIGH}, "weigh"),
        Commit({"a.py": OTHER}, 'Revert "weigh"'),
        Commit({"a.py": OTHER + WEIGH}, "weigh after all"),
    )
    state = states(folder)["weigh"]
    assert state.startswith("reverted by ")
    assert ", again in " in state
    assert state.endswith(", still in the code")


def test_a_reverted_commit_whose_lines_are_back_from_an_unrecorded_commit_says_so(
    make_repository: MakeRepository, run_git: RunGit
) -> None:
    settings = {".repomem.toml": "[history]\nsymbol_commits = 1\n"}
    folder = make_repository(Commit({"a.py": OTHER, **settings}, "begin"), Commit({"a.py": OTHER + WEIGH}, "weigh"))
    run_git(folder, "revert", "--no-edit", "HEAD")
    (folder / "a.py").write_text(OTHER + WEIGH)
    run_git(folder, "commit", "-q", "-a", "-m", "weigh after all")
    state = states(folder)["weigh"]
    assert state.startswith("reverted by ")
    assert state.endswith(", yet still in the code")


def test_lines_like_those_of_a_reverted_commit_are_not_said_to_be_left_of_it(
    make_repository: MakeRepository, run_git: RunGit
) -> None:
    wishes = "".join(f"    wish_{at}(parcel)\n" for at in range(20))
    folder = make_repository(
        Commit({"a.py": OTHER}, "begin"), Commit({"a.py": f"{OTHER}def wish(parcel):\n{wishes}"}, "wish")
    )
    run_git(folder, "revert", "--no-edit", "HEAD")
    (folder / "a.py").write_text(f"{OTHER}    wish_3(\n        parcel\n    )\n")
    run_git(folder, "commit", "-q", "-a", "-m", "one wish")
    revert = run_git(folder, "rev-parse", "--short=8", "HEAD~")
    assert states(folder)["wish"] == f"reverted by {revert} 2023-11-14"
