"""A data folder is this user's only with a binding under this user's secret."""

import os
from pathlib import Path

import pytest

from repomem.core.errors import StoreError
from repomem.workspace.user.binding import bind, bind_identity, bound_identity, drop_identity, is_bound


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "repomem"
    made.mkdir()
    return made


def secret(home: Path) -> Path:
    return home / ".local/share/repomem/secret"


def test_a_folder_is_bound_by_this_user_only(folder: Path, sealed_environment: Path) -> None:
    assert not is_bound(folder)
    bind(folder)
    assert is_bound(folder)
    secret(sealed_environment).write_text("0a" * 32 + "\n")
    assert not is_bound(folder)


def test_two_users_of_a_folder_each_have_a_binding(folder: Path, sealed_environment: Path) -> None:
    bind(folder)
    mine = secret(sealed_environment).read_text()
    secret(sealed_environment).unlink()
    bind(folder)
    theirs = secret(sealed_environment).read_text()
    assert theirs != mine
    for each in (mine, theirs):
        secret(sealed_environment).write_text(each)
        assert is_bound(folder)


@pytest.mark.parametrize("line", ["", " ", "token", "token \n", f"{'0' * 32} {'0' * 64}", "ü é", "a b c\n" * 99])
def test_no_other_line_is_a_binding(folder: Path, line: str) -> None:
    (folder / "binding").write_text(line)
    assert not is_bound(folder)


def test_a_pipe_a_link_or_a_huge_file_is_no_binding(folder: Path, tmp_path: Path) -> None:
    bind(folder)
    genuine = (folder / "binding").read_text()
    path = folder / "binding"
    path.unlink()
    os.mkfifo(path)
    assert not is_bound(folder)
    path.unlink()
    (tmp_path / "elsewhere").write_text(genuine)
    path.symlink_to(tmp_path / "elsewhere")
    assert not is_bound(folder)
    path.unlink()
    path.write_text(genuine + "x" * (1 << 15))
    assert not is_bound(folder)


def test_a_secret_that_cannot_be_stored_is_an_error(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    for name in ("XDG_DATA_HOME", "TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, str(tmp_path / "file"))
    monkeypatch.setattr("repomem.workspace.user.binding.temporary_folder", lambda _: None)
    with pytest.raises(StoreError, match="cannot write the key of this user"):
        bind(folder)


def test_the_secret_is_readable_by_its_user_alone(folder: Path, sealed_environment: Path) -> None:
    secret(sealed_environment).unlink()
    bind(folder)
    assert secret(sealed_environment).stat().st_mode & 0o777 == 0o600


def test_an_identity_is_read_by_the_user_who_stored_it_only(folder: Path, sealed_environment: Path) -> None:
    assert bound_identity(folder) == ""
    bind_identity(folder, "0123456789abcdef")
    assert bound_identity(folder) == "0123456789abcdef"
    path = folder / "identity"
    path.write_text(path.read_text().replace("0123", "9999"))
    assert bound_identity(folder) == ""
    bind(folder)
    path.write_text((folder / "binding").read_text())
    assert bound_identity(folder) == "", "a binding is not an identity"
    bind_identity(folder, "0123456789abcdef")
    secret(sealed_environment).write_text("0a" * 32 + "\n")
    assert bound_identity(folder) == ""


def test_only_the_identity_of_the_user_who_drops_it_is_deleted(folder: Path, sealed_environment: Path) -> None:
    bind_identity(folder, "0123456789abcdef")
    mine = secret(sealed_environment).read_text()
    secret(sealed_environment).unlink()
    bind_identity(folder, "fedcba9876543210")
    drop_identity(folder)
    assert bound_identity(folder) == ""
    secret(sealed_environment).write_text(mine)
    assert bound_identity(folder) == "0123456789abcdef"
    drop_identity(folder)
    assert not (folder / "identity").exists()
