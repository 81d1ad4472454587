"""The data folder of a repository, made and bound; what other processes do to it meanwhile is an error with a hint."""

import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from support.repositories import MakeRepository

from repomem.adapters.git.repository import Repository
from repomem.core.errors import StoreError
from repomem.workspace import data_folder
from repomem.workspace.user.binding import bind_identity, bound_identity


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


def test_what_another_user_stored_in_a_folder_set_aside_stays_there(
    make_repository: MakeRepository, sealed_environment: Path
) -> None:
    repository = Repository.open(make_repository())
    secret = sealed_environment / ".local/share/repomem/secret"
    aside = repository.common_dir / "repomem.foreign-both"
    aside.mkdir()
    bind_identity(aside, "fedcba9876543210")
    theirs = secret.read_text()
    secret.unlink()
    bind_identity(aside, "0123456789abcdef")
    foreign = repository.common_dir / "repomem"
    foreign.mkdir()
    (foreign / "catalog.sqlite").write_text("")
    folder = data_folder.private_folder(repository, lambda _: None)
    assert (bound_identity(folder), bound_identity(aside)) == ("0123456789abcdef", "")
    secret.write_text(theirs)
    assert bound_identity(aside) == "fedcba9876543210"


def test_a_missing_secret_is_named_as_the_reason(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository.open(make_repository())
    folder = data_folder.private_folder(repository, lambda _: None)
    monkeypatch.setattr(data_folder, "is_bound", lambda _: False)
    monkeypatch.setattr(data_folder, "has_secret", lambda: False)
    (folder / "catalog.sqlite").write_text("")
    with pytest.raises(StoreError, match="the secret in your data folder cannot be read or created"):
        data_folder.private_folder(repository, lambda _: None)


@pytest.mark.parametrize("is_seen", [False, True])
def test_a_process_that_comes_while_the_folder_is_replaced_waits_for_the_new_one(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch, is_seen: bool
) -> None:
    """`is_seen`: it saw the old folder, which is gone when it is checked."""
    repository = Repository.open(make_repository())
    folder = data_folder.private_folder(repository, print)
    away = folder.with_name(f"{data_folder.ASIDE}away")
    replaces, is_gone = data_folder._alone(), Event()  # the lock of a process that replaces it

    def replace_folder() -> None:
        with replaces:
            folder.rename(away)
            is_gone.set()
            time.sleep(0.2)
            away.rename(folder)

    lexists = os.path.lexists
    monkeypatch.setattr(os.path, "lexists", lambda path: is_seen or lexists(path))
    with ThreadPoolExecutor(1) as other:
        done = other.submit(replace_folder)
        assert is_gone.wait(10)
        assert data_folder.private_folder(repository, print) == folder
        done.result()
    assert folder.is_dir()
    assert data_folder.foreign_folders(folder) == []
