"""The data folder of a repository, made and bound; what other processes do to it meanwhile is an error with a hint."""

import shutil
from pathlib import Path

import pytest
from support.repositories import MakeRepository

from repomem.adapters.git.repository import Repository
from repomem.core.errors import StoreError
from repomem.workspace import data_folder


def test_a_folder_that_is_deleted_while_it_is_opened_is_an_error_with_a_hint(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository.open(make_repository())
    folder = data_folder.private_folder(repository, lambda _: None)

    def deleted(path: Path) -> bool:
        shutil.rmtree(path, ignore_errors=True)
        return False

    monkeypatch.setattr(data_folder, "is_bound", deleted)
    with pytest.raises(StoreError, match=f"cannot read the folder {folder}"):
        data_folder.private_folder(repository, lambda _: None)
