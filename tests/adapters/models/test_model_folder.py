"""Where models lie, and which are refused."""

import json
import socket
from pathlib import Path

import pytest
from support.models import static_model

from repomem.adapters.models.model_folder import fingerprint_of
from repomem.adapters.models.static import StaticEmbedder
from repomem.core.errors import EmbeddingError

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[object]:
    """A hub cache of the test's own, and every attempt to reach another machine."""
    tried: list[object] = []

    def refused(_: socket.socket, address: object) -> None:
        tried.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return tried


def snapshot(hub: Path, commit: str = COMMIT) -> Path:
    """A model as the hub's own library keeps it."""
    top = hub / "models--minishlab--small"
    (top / "refs").mkdir(parents=True, exist_ok=True)
    (top / "refs" / "main").write_text(commit)
    return static_model(top / "snapshots" / commit)


def test_a_downloaded_model_of_the_hub_is_found(tmp_path: Path, no_network: list[object]) -> None:
    folder = snapshot(tmp_path / "hub")
    for name in ("minishlab/small", "small", f"small@{COMMIT}"):
        assert StaticEmbedder(name).folder == folder
    StaticEmbedder("small", is_offline=True).fetch()
    assert (fingerprint_of(folder), no_network) == (COMMIT, [])


def test_another_revision_is_another_model(tmp_path: Path) -> None:
    snapshot(tmp_path / "hub")
    with pytest.raises(EmbeddingError, match="not on this machine"):
        _ = StaticEmbedder("small@" + COMMIT[::-1]).folder


def test_a_model_is_downloaded_only_if_allowed(no_network: list[object]) -> None:
    with pytest.raises(EmbeddingError, match="not on this machine") as caught:
        _ = StaticEmbedder("minishlab/other").folder
    assert "repomem index" in caught.value.hint
    with pytest.raises(EmbeddingError, match="not on this machine") as caught:
        StaticEmbedder("minishlab/other", is_offline=True).fetch()
    assert "embedding.offline" in caught.value.hint
    assert no_network == []


def test_a_download_without_a_network_says_that_the_server_cannot_be_reached() -> None:
    with pytest.raises(EmbeddingError, match="cannot download the model minishlab/other: its server cannot be"):
        StaticEmbedder("minishlab/other", is_offline=False).fetch()


def test_models_that_could_run_code_are_refused(tmp_path: Path) -> None:
    folder = static_model(tmp_path / "m")
    (folder / "1_Dense").mkdir()
    (folder / "1_Dense" / "pytorch_model.bin").write_bytes(b"\x80\x04")
    with pytest.raises(EmbeddingError, match="could run code"):
        _ = StaticEmbedder(str(folder)).folder


def test_a_model_with_code_of_its_own_is_refused(tmp_path: Path) -> None:
    folder = static_model(tmp_path / "m")
    (folder / "modules.json").write_text(json.dumps([{"idx": 0, "name": "0", "path": "", "type": "evil.Module"}]))
    with pytest.raises(EmbeddingError, match="contains code"):
        _ = StaticEmbedder(str(folder)).folder


def test_weights_that_are_no_safetensors_are_refused(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "pytorch_model.bin").write_bytes(b"\x80\x04")
    with pytest.raises(EmbeddingError, match=r"no \.safetensors"):
        _ = StaticEmbedder(str(tmp_path / "m")).folder
