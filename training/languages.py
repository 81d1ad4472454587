"""python -m training.languages: the mean vector of each language but English that the stop words know.

The sentence encoder learnt English: two German texts about different things have a cosine of 0.32 to it. Without the
mean of some German texts on many subjects, it is 0.07.
"""

from collections import defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from repomem.adapters.models.sentence_encoder import ENCODER_FOLDER, LANGUAGES, EncoderModel, read_encoder

TEXTS = Path(__file__).with_name("languages.tsv")


def means(model: EncoderModel, texts: Path = TEXTS) -> dict[str, NDArray[np.float16]]:
    """The mean vector of the texts of each language, (width,)."""
    by_language = defaultdict[str, list[str]](list)
    for line in texts.read_text(encoding="utf-8").splitlines():
        language, text = line.split("\t")
        by_language[language].append(text)
    return {
        language: model.raw_vectors([each.ids for each in model.tokenizer.encode_batch(every)])
        .mean(axis=0)
        .astype(np.float16)
        for language, every in by_language.items()
    }


if __name__ == "__main__":
    save_file(means(read_encoder(ENCODER_FOLDER)), ENCODER_FOLDER / LANGUAGES)
