"""The list of trusted config files."""

import stat
from pathlib import Path

import pytest

from repomem.workspace.trust import distrust, is_trusted, trust

DATA = b'[embedding]\nmodel = "other"\n'


@pytest.fixture(autouse=True)
def trust_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "repomem" / "trust.json"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "clone" / ".repomem.toml"


def test_nothing_is_trusted_at_first(file: Path, trust_list: Path) -> None:
    assert not is_trusted(file, DATA)
    assert not trust_list.exists()


def test_fault_32_trust_holds_for_that_content_at_that_place_only(file: Path) -> None:
    trust(file, DATA)

    assert is_trusted(file, DATA)
    assert not is_trusted(file, DATA + b"#")
    assert not is_trusted(file.parent / "other" / file.name, DATA)


def test_fault_32_new_content_replaces_the_old(file: Path) -> None:
    trust(file, DATA)
    trust(file, b"new")

    assert is_trusted(file, b"new")
    assert not is_trusted(file, DATA)


def test_distrust_removes_one_file_and_keeps_the_others(file: Path) -> None:
    other = file.with_name("other.toml")
    trust(file, DATA)
    trust(other, DATA)
    distrust(file)

    assert not is_trusted(file, DATA)
    assert is_trusted(other, DATA)


def test_distrusting_an_untrusted_writer_writes_nothing(file: Path, trust_list: Path) -> None:
    distrust(file)

    assert not trust_list.exists()


def test_a_relative_path_means_the_same_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.parent.mkdir()
    trust(file, DATA)
    monkeypatch.chdir(file.parent)

    assert is_trusted(Path(file.name), DATA)


def test_a_path_that_is_no_utf8_can_be_trusted(tmp_path: Path) -> None:
    file = tmp_path / "caf\udce9" / ".repomem.toml"
    trust(file, DATA)

    assert is_trusted(file, DATA)


def test_only_the_user_can_read_the_list_and_no_draft_is_left(file: Path, trust_list: Path) -> None:
    trust(file, DATA)

    assert stat.S_IMODE(trust_list.stat().st_mode) == 0o600
    assert stat.S_IMODE(trust_list.parent.stat().st_mode) == 0o700
    assert list(trust_list.parent.iterdir()) == [trust_list]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"null", b"[" * 100_000, b'{"a": 1}'])
def test_a_broken_list_trusts_nobody_and_is_replaced_by_the_next_trust(
    content: bytes, file: Path, trust_list: Path
) -> None:
    trust_list.parent.mkdir(parents=True)
    trust_list.write_bytes(content)

    assert not is_trusted(file, DATA)
    trust(file, DATA)
    assert is_trusted(file, DATA)
