"""Reverted changes that landed again: found by the message or the lines of a later commit."""

from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import ready_at, recalled

from repomem.recall.log import log

PLAIN = "def deliver(parcel):\n    return courier.deliver(parcel, timeout=30)\n"
TRACKED = """def deliver(parcel):
    label = tracking.label_for(parcel)
    tracking.announce(label, parcel.recipient)
    return courier.deliver(parcel, timeout=30)
"""
OTHER = """def deliver(parcel):
    with tracker(parcel) as following:
        return courier.deliver(following, timeout=30)
"""
WISH = "Announce tracking labels to each recipient before delivery"
REVERT = f'Revert "{WISH}"'
ELSEWHERE = Commit({"b.py": "def count():\n    return 1\n"}, "Count parcels")


def state_of(folder: Path, subject: str) -> str:
    with ready_at(folder) as it:
        return next(one.state for one in log(it.snapshot, "", 20).commits if one.episode.subject == subject)


def made(make_repository: MakeRepository, *later: Commit) -> Path:
    begun = Commit({"a.py": PLAIN}, "Deliver parcels")
    return make_repository(begun, Commit({"a.py": TRACKED}, WISH), Commit({"a.py": PLAIN}, REVERT), *later)


def test_a_reverted_change_that_did_not_land_again_is_only_reverted(make_repository: MakeRepository) -> None:
    assert "again" not in state_of(made(make_repository, ELSEWHERE), WISH)


@pytest.mark.parametrize(
    "again",
    [
        Commit({"a.py": TRACKED}, "Labels"),
        Commit({"a.py": OTHER}, WISH),
        Commit({"a.py": OTHER}, f'Reapply "{WISH}"'),
        Commit({"a.py": OTHER}, f'Revert "Revert \\"{WISH}\\""'.replace("\\", "")),
        Commit({"a.py": OTHER}, "Another take\n\nThis announces tracking labels to each recipient before a delivery."),
    ],
    ids=["lines", "subject", "reapply", "revert of the revert", "body"],
)
def test_a_reverted_change_names_the_commit_that_brought_it_back(
    make_repository: MakeRepository, run_git: RunGit, again: Commit
) -> None:
    folder = made(make_repository, ELSEWHERE, again)
    name = run_git(folder, "rev-parse", "--short=8", "HEAD").strip()
    revert = run_git(folder, "rev-parse", "--short=8", "HEAD~2").strip()
    with ready_at(folder) as it:
        states = [one.state for one in log(it.snapshot, "", 20).commits]
    assert states[3].startswith(f"reverted by {revert} 2023-11-14, again in {name}")


def test_a_later_message_about_other_files_brings_nothing_back(make_repository: MakeRepository) -> None:
    message = "Another take\n\nThis announces tracking labels to each recipient before a delivery."
    assert "again" not in state_of(made(make_repository, Commit(ELSEWHERE.files, message)), WISH)


def test_a_brief_shows_no_failed_attempt_that_landed_again(make_repository: MakeRepository) -> None:
    folder = made(make_repository, ELSEWHERE, Commit({"a.py": OTHER}, f'Reapply "{WISH}"'))
    assert not [item for item in recalled(folder, "tracking of a delivery").items if item.kind == "tried"]


@pytest.mark.parametrize("is_back", [True, False])
def test_a_revert_that_wrote_the_lines_shown_names_the_commit_that_took_it_back(
    make_repository: MakeRepository, run_git: RunGit, *, is_back: bool
) -> None:
    kept = "def deliver(parcel):\n    return courier.deliver_before(parcel, timeout=30)\n"
    new = "def deliver(parcel):\n    return tracked_courier(parcel).deliver_now()\n"
    folder = make_repository(
        Commit({"a.py": kept, "c.py": "KINDS = kinds_of(labels)\n"}, "Deliver parcels"),
        Commit({"a.py": new, "c.py": "KINDS = tracked(labels)\nTRACKS = tracks_of(labels)\n"}, WISH),
        Commit({"a.py": kept, "c.py": "KINDS = kinds_of(labels)\n"}, REVERT),
        Commit({"c.py": "KINDS = tracked(labels)\nTRACKS = tracks_of(labels)\n"}, WISH) if is_back else ELSEWHERE,
    )
    name = run_git(folder, "rev-parse", "--short=8", "HEAD").strip()
    markdown = recalled(folder, "tracking: deliver a parcel by the courier before the timeout").markdown
    assert "restored `a.py:" in markdown
    assert (f"; the reverted change landed again in {name}" in markdown) is is_back
