"""Where the files of a model are: a folder of the user's, or a downloaded snapshot of a hub.

No code in them runs: weights are safetensors only, and a model that contains code is refused.
"""

import hashlib
import json
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repomem.core.errors import EmbeddingError, first_line
from repomem.core.packages import install_hint
from repomem.core.ports import Embedder

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PICKLED = (".bin", ".pt", ".pth", ".pkl", ".ckpt")  # run code when they are read
WANTED = ["*.safetensors", "*.json", "*.txt", "*.model"]  # all that is ever downloaded
SAMPLES = 16  # parts of a large file that its fingerprint reads
SAMPLE_BYTES = 1 << 16


class HubModel(Embedder):
    """A model in a folder of the user's, or downloaded from a hub."""

    author = ""  # the default author on the hub

    def __init__(self, name: str, *, is_offline: bool = False) -> None:
        self.name = name  # of a folder or, on the hub, author/model@revision
        self.is_offline = is_offline

    @cached_property
    def folder(self) -> Path:
        """Where its files are. Raises EmbeddingError if the model is not on this machine."""
        folder = Path(self.name).expanduser()
        if folder.is_dir():
            return _checked(folder.resolve())
        if self._is_path:
            raise EmbeddingError(f"there is no model in {self.name}", "check embedding.model")
        return _checked(self._snapshot(is_local=True))

    def fetch(self) -> None:
        """Download a model of the hub unless it is on this machine. Raises EmbeddingError on failure."""
        if Path(self.name).expanduser().is_dir() or self._is_path:
            return
        try:
            self._snapshot(is_local=True)
        except EmbeddingError as error:
            if self.is_offline:
                raise EmbeddingError(error.message, "to allow the download, set embedding.offline = false") from error
            self._snapshot(is_local=False)

    @property
    def _is_path(self) -> bool:
        return self.name.startswith((".", "/", "~"))

    def _snapshot(self, *, is_local: bool) -> Path:
        try:
            from huggingface_hub import snapshot_download
            from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
        except ImportError as error:
            raise missing_library("huggingface_hub") from error
        model, _, revision = self.name.partition("@")
        repository = model if "/" in model else f"{self.author}/{model}"
        try:
            return Path(
                snapshot_download(
                    repository, revision=revision or None, local_files_only=is_local, allow_patterns=WANTED, token=False
                )
            )
        except LocalEntryNotFoundError as error:
            if is_local:
                hint = "run repomem index by hand to download it"
                raise EmbeddingError(f"the model {repository} is not on this machine", hint) from error
            fault = f"cannot download the model {repository}: its server cannot be reached"
            raise EmbeddingError(fault, "check the network, or the proxy") from error
        except (HfHubHTTPError, HFValidationError, OSError) as error:
            raise EmbeddingError(f"{repository} cannot be downloaded: {first_line(error)}", "check its name") from error


def fingerprint_of(folder: Path) -> str:
    """A digest of the model's files; for a snapshot of the hub, the commit in its name."""
    if folder.parent.name == "snapshots":
        return folder.name
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in (".safetensors", ".json", ".txt", ".model"):
            digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
            _sample(path, digest)
    return digest.hexdigest()


def _sample(path: Path, digest: Any) -> None:  # a hash of hashlib, for which it has no public type
    """Hash evenly spaced parts of a file: models may have gigabytes, and different trainings differ everywhere."""
    size = path.stat().st_size
    with path.open("rb") as file:
        for part in range(SAMPLES):
            file.seek(max(0, (size - SAMPLE_BYTES) * part // (SAMPLES - 1)))
            digest.update(file.read(SAMPLE_BYTES))
            if size <= SAMPLE_BYTES:
                return


def _checked(folder: Path) -> Path:
    """The folder, if all of its files can be read without running code. Raises EmbeddingError otherwise."""
    if not any(folder.rglob("*.safetensors")):
        raise EmbeddingError(
            f"the model in {folder} has no .safetensors",
            "choose a model with .safetensors files, the only format that repomem reads",
        )
    for path in folder.rglob("*"):
        if path.suffix in PICKLED and not any(path.parent.glob("*.safetensors")):
            raise EmbeddingError(
                f"{path} could run code when it is loaded", "choose a model with .safetensors for all of its parts"
            )
    for module in _modules(folder):
        if not str(module.get("type", "")).startswith("sentence_transformers."):
            raise EmbeddingError(f"the model in {folder} contains code", "choose a model without code")
    return folder


def _modules(folder: Path) -> list[dict[str, Any]]:
    path = folder / "modules.json"
    try:
        listed = json.loads(path.read_bytes()) if path.exists() else []
    except (OSError, ValueError) as error:
        raise EmbeddingError(f"{path} cannot be read: {error}", "download or save the model again") from error
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def read_tokenizer(folder: Path) -> "Tokenizer":
    """The tokenizer of a model, without padding."""
    quiet()
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    return tokenizer


def readable(text: str) -> str:
    """The text without lone surrogates, which tokenizers reject."""
    return text.encode("utf-8", "replace").decode()


def missing_library(library: str) -> EmbeddingError:
    """The error for a library of the extra `transformers` that is not installed."""
    return EmbeddingError(f"{library} is not installed", install_hint("transformers"))


def unreadable(folder: Path, error: Exception) -> EmbeddingError:
    """The error for a model whose files are damaged."""
    return EmbeddingError(f"cannot read the model {folder}: {first_line(error)}", "check its files")


def quiet() -> None:
    """Keep the libraries of models from talking to the hub or the terminal by themselves."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # else it warns of every process that is started
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
