"""What an index run does with an index of another content format."""

from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository
from support.samples import indexed, workspace_at

from repomem.core.errors import StoreError
from repomem.workspace.freshness import CONTENT_FORMAT


def test_content_of_the_next_format_is_refused_and_kept(make_repository: MakeRepository) -> None:
    folder: Path = make_repository(Commit({"a.py": "a = 1\n"}))
    indexed(folder)
    later = f"{CONTENT_FORMAT + 1} rules"
    with workspace_at(folder) as workspace:
        workspace.catalog.set_meta("content", later)
    with pytest.raises(StoreError, match="made by a newer repomem"):
        indexed(folder)
    with workspace_at(folder) as workspace:
        assert workspace.catalog.meta("content") == later
