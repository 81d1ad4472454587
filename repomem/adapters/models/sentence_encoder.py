"""The sentence encoder that ships: a BERT of three layers (Devlin et al. 2019) with 8-bit weights, run by numpy.

It reads a sentence as a whole, which a static model cannot, in some milliseconds and without torch. `training.encoder`
makes its files from all-MiniLM-L6-v2.

It learnt English. To it, texts of another language resemble each other by their language alone, so the mean of that
language is subtracted from their vectors (`training.languages`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from repomem.adapters.models.bert import Layer, Norm, padded, through
from repomem.adapters.models.model_folder import fingerprint_of, read_tokenizer, readable, unreadable
from repomem.core.grouping import batches
from repomem.core.ports import Embedder
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.stop_words import language_of_words
from repomem.core.types.text import CleanText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from threadpoolctl import ThreadpoolController
    from tokenizers import Tokenizer

    Floats = NDArray[np.float32]

ENCODER_FOLDER = Path(__file__).resolve().with_name("encoder")
LONGEST = 128  # tokens of a text; what follows is not read
BATCH = 32  # texts
SHORTEST = 1e-6  # length of a vector: that of a text may be the mean of its language
LANGUAGES = "languages.safetensors"
_WORD = lazy_pattern(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class EncoderModel:
    """The files of an encoder."""

    tokenizer: "Tokenizer"
    words: "NDArray[np.int8]"  # (tokens, width)
    scales: "Floats"  # (tokens,)
    places: "Floats"  # (LONGEST, width)
    first: Norm
    layers: Sequence[Layer]
    languages: "Mapping[str, Floats]"  # the mean vector of each but English, (width,)
    threads: "ThreadpoolController"

    def vectors(self, texts: Sequence[str]) -> "Floats":
        """The unit vectors of texts without the mean of their language, (texts, width)."""
        import numpy as np

        rows = self.raw_vectors([each.ids for each in self.tokenizer.encode_batch(texts)])
        for at, text in enumerate(texts):
            if (mean := self.languages.get(language_of_text(text))) is not None:
                rows[at] -= mean
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), SHORTEST), np.float32)

    def raw_vectors(self, ids: Sequence[Sequence[int]]) -> "Floats":
        """The mean of the last layer over the tokens of each text, as unit vectors, (texts, width)."""
        import numpy as np

        table, seen = padded(ids)
        # on a busy machine, the second thread of products as small as these spins for ten times as long as they take
        with self.threads.limit(limits=1, user_api="blas"):
            rows = through(self.layers, self.first(self.words_of(table) + self.places[: table.shape[1]]), seen)
            means = (rows * seen[..., None]).sum(axis=1)
            return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True), np.float32)

    def words_of(self, ids: "NDArray[np.int64]") -> "Floats":
        """The vectors of tokens, (texts, tokens, width)."""
        import numpy as np

        return np.asarray(self.words[ids].astype(np.float32) * self.scales[ids][..., None], np.float32)


class SentenceEncoder(Embedder):
    """The encoder that ships."""

    is_quick = True

    def __init__(self, folder: Path = ENCODER_FOLDER) -> None:
        self._folder = folder

    @cached_property
    def model_id(self) -> str:
        return f"encoder@{fingerprint_of(self._folder)}"

    @property
    def dimensions(self) -> int:
        return int(self._model.words.shape[1])

    def embed(self, passages: Sequence[CleanText]) -> "NDArray[np.float16]":
        import numpy as np

        texts = [readable(passage) for passage in passages]
        found = np.zeros((len(texts), self.dimensions), np.float16)
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))  # texts of one length need little padding
        for places in batches(order, BATCH):
            found[places] = self._model.vectors([texts[at] for at in places])
        return found

    def embed_query(self, query: CleanText) -> "NDArray[np.float32]":
        vector: Floats = self._model.vectors([readable(query)])[0]
        return vector

    @property
    def _model(self) -> EncoderModel:
        return read_encoder(self._folder)


def language_of_text(text: str) -> str:
    """The code of a text's language, if it is clearly one of those that `stop_words` knows besides English."""
    return language_of_words(frozenset(_WORD.findall(text.lower())))


@cache
def read_encoder(folder: Path) -> EncoderModel:
    """The encoder's files. Raises RepomemError if they cannot be read."""
    try:
        return _parsed(folder)
    except Exception as error:  # tokenizers raises no other for a file that it cannot read
        raise unreadable(folder, error) from error


def _parsed(folder: Path) -> EncoderModel:
    import numpy as np
    from safetensors.numpy import load_file
    from threadpoolctl import ThreadpoolController

    tokenizer = read_tokenizer(folder)
    tokenizer.enable_truncation(LONGEST)
    tensors = load_file(folder / "model.safetensors")
    languages = load_file(folder / LANGUAGES) if (folder / LANGUAGES).exists() else {}
    count = sum(name.endswith(".attend") for name in tensors)
    return EncoderModel(
        tokenizer,
        tensors["words"],
        tensors["words.scales"],
        tensors["places"].astype(np.float32),
        Norm.of(tensors, "first"),
        [Layer.of(tensors, str(at)) for at in range(count)],
        {name: mean.astype(np.float32) for name, mean in languages.items()},
        ThreadpoolController(),
    )
