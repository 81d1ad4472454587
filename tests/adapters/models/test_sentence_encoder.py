"""The sentence encoder that ships, with texts in other languages than English."""

import numpy as np
import pytest

from repomem.adapters.models.sentence_encoder import ENCODER_FOLDER, LANGUAGES, SentenceEncoder, read_encoder
from repomem.core.types.text import CleanText
from training.languages import TEXTS, means

UNRELATED = {
    "de": ("Wie viele Freigaben braucht eine Änderung?", "Metadaten der Route werden nicht an ihre Kinder vererbt"),
    "fr": (
        "Combien de relecteurs faut-il pour une modification ?",
        "Les métadonnées ne sont pas transmises à la route",
    ),
    "es": ("¿Cuántas personas aprueban el cambio que se hace?", "Los metadatos de la ruta no se heredan en sus hijos"),
    "pt": ("Quantas pessoas têm de aprovar uma mudança?", "Os metadados da rota não são herdados pelos seus filhos"),
}
RELATED = {
    "de": ("Warum sieht der Subrouter die Metadaten der Route nicht?", UNRELATED["de"][1]),
    "en": (
        "Why does a subrouter not see the metadata of its route?",
        "Metadata of a route is not passed to subrouters",
    ),
}


def cosine(texts: tuple[str, str]) -> float:
    one, other = SentenceEncoder().embed([CleanText(text) for text in texts]).astype(np.float32)
    return float(one @ other)


@pytest.mark.parametrize("language", UNRELATED)
def test_texts_are_not_alike_by_their_language(language: str) -> None:
    assert cosine(UNRELATED[language]) < 0.25  # without the means 0.35 to 0.58


@pytest.mark.parametrize("language", RELATED)
def test_texts_on_one_subject_are_alike(language: str) -> None:
    assert cosine(RELATED[language]) > 0.4


def test_a_question_has_the_vector_of_a_passage() -> None:
    encoder, text = SentenceEncoder(), CleanText(UNRELATED["de"][0])
    assert np.allclose(encoder.embed_query(text), encoder.embed([text])[0], atol=2e-3)


def test_the_means_that_ship_are_those_of_the_texts() -> None:
    model = read_encoder(ENCODER_FOLDER)
    made = means(model, TEXTS)
    assert (ENCODER_FOLDER / LANGUAGES).exists()
    assert made.keys() == model.languages.keys()
    assert all(np.allclose(made[language], model.languages[language], atol=2e-3) for language in made)
