"""What is started behind the user's back."""

import os

from support.repositories import Commit, MakeRepository

from repomem.index.maintenance import index_in_background
from repomem.workspace.workspace import opened


def test_an_answer_does_not_fail_over_a_process_that_cannot_start(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.py": "a = 1\n"}))
    with opened(folder, os.environ) as workspace:
        folder.rename(folder.with_name("elsewhere"))
        index_in_background(workspace)
