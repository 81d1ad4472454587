"""What a commit message says that it takes back."""

import os

import pytest
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import indexed

from repomem.recall.log import log
from repomem.workspace.snapshot import snapshot
from repomem.workspace.workspace import opened


@pytest.mark.parametrize("digits", [7, 8, 12, 40])
def test_a_revert_may_name_its_commit_by_a_hash_of_any_length(
    make_repository: MakeRepository, run_git: RunGit, digits: int
) -> None:
    folder = make_repository(Commit({"a.py": "kept = 1\n"}), Commit({"a.py": "kept = 1\nzebra = 2\n"}, "feat: zebra"))
    named = run_git(folder, "rev-parse", "HEAD")[:digits]
    (folder / "a.py").write_text("kept = 1\n")
    run_git(folder, "commit", "-q", "-am", f"back it out\n\nThis reverts commit {named}.")
    indexed(folder)
    with opened(folder, os.environ) as workspace:
        found = snapshot(workspace)
        assert found is not None
        story = {told.episode.subject: (told.kind, told.state) for told in log(found, "a.py", 10).commits}
    assert story["feat: zebra"][0] == "tried"
    assert story["feat: zebra"][1].startswith("reverted by ")
