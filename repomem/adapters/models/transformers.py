"""Any model that sentence-transformers reads, from a folder or the hub, on the processor or a GPU.

Importing it takes seconds, so it is imported when a text is to be embedded, never before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repomem.adapters.models.model_folder import HubModel, fingerprint_of, missing_library, quiet
from repomem.core.errors import EmbeddingError, first_line
from repomem.core.types.text import CleanText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 32  # texts of like length that go through a model together


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prefixes of texts; empty: the model's own, if any."""

    query: str = ""
    document: str = ""


class TransformersEmbedder(HubModel):
    """A sentence-transformers model."""

    author = "sentence-transformers"

    def __init__(
        self, name: str, prompts: Prompts | None = None, device: str = "", *, is_offline: bool = False
    ) -> None:
        super().__init__(name, is_offline=is_offline)
        self._prompts = prompts or Prompts()
        self._device = device

    @cached_property
    def model_id(self) -> str:
        """The name, the content of the files, and the prompt of documents where the user gave one."""
        prompt = f"#{self._prompts.document}" if self._prompts.document else ""
        return f"sentence-transformers:{Path(self.name).name}@{fingerprint_of(self.folder)}{prompt}"

    @cached_property
    def dimensions(self) -> int:
        """The length of a vector; loads the model."""
        return int(self._encoded(["one"])[0].shape[0])

    def embed(self, passages: Sequence[CleanText]) -> "NDArray[np.float16]":
        import numpy as np

        if not passages:
            return np.zeros((0, self.dimensions), np.float16)
        return self._encoded(list(passages)).astype(np.float16)

    def embed_query(self, query: CleanText) -> "NDArray[np.float32]":
        vector: NDArray[np.float32] = self._sound(self._model.encode_query([query], **_how(self._prompts.query)))[0]
        return vector

    def _encoded(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        return self._sound(self._model.encode_document(list(texts), **_how(self._prompts.document)))

    def _sound(self, found: Any) -> "NDArray[np.float32]":  # what encode gives: an array
        import numpy as np

        vectors = np.asarray(found, np.float32)
        if not np.isfinite(vectors).all():
            raise EmbeddingError(
                f"{self.name} gave vectors with NaN or infinite values", "choose another model or device"
            )
        return vectors

    @cached_property
    def _model(self) -> Any:  # sentence-transformers is loaded only here
        folder = self.folder
        quiet()
        try:
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging
        except ImportError as error:
            raise missing_library("sentence-transformers") from error
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        try:
            return SentenceTransformer(
                str(folder),
                device=self._device or None,
                trust_remote_code=False,
                local_files_only=True,
                model_kwargs={"use_safetensors": True},
            )
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, AttributeError, ImportError) as error:
            raise EmbeddingError(
                f"{folder} cannot be loaded: {first_line(error)}", "check the model's files and embedding.device"
            ) from error


def _how(prompt: str) -> dict[str, Any]:
    options = {"batch_size": BATCH, "show_progress_bar": False, "normalize_embeddings": True}
    return options | {"prompt": prompt} if prompt else options
