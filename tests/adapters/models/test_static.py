"""Static models, read by model2vec: folders that the test makes."""

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from support.models import static_model

from repomem.adapters.models.static import BUILT_IN_FOLDER, FEW, PROSE_FOLDER, StaticEmbedder
from repomem.core.errors import EmbeddingError
from repomem.core.types.text import CleanText

TEXTS = ["def refresh_token_ttl(): return 3600", "class HTTPServer2 {", "// größe 借贷", "", "x" * 5_000, "a\ud800b"]


def passage(text: str) -> CleanText:
    return CleanText(text)


@pytest.fixture
def model(tmp_path: Path) -> StaticEmbedder:
    return StaticEmbedder(str(static_model(tmp_path / "small")))


def test_similar_texts_have_close_vectors(model: StaticEmbedder) -> None:
    found = model.embed([passage("session token"), passage("money amount"), passage("retry queue")])
    asked = model.embed_query(passage("refresh expire"))
    assert (found.shape, found.dtype.name, asked.shape, model.dimensions) == ((3, 8), "float16", (8,), 8)
    assert np.argmax(found.astype(np.float32) @ asked) == 0
    assert np.allclose(np.linalg.norm(found.astype(np.float32), axis=1), 1, atol=1e-2)


def test_texts_without_known_words_have_zero_vectors(model: StaticEmbedder) -> None:
    assert not model.embed([passage("zebra"), passage("")]).any()
    assert model.embed([]).shape == (0, 8)


def test_a_model_is_named_by_its_content(tmp_path: Path) -> None:
    names = [
        StaticEmbedder(str(static_model(tmp_path / place / "m", turned=turned))).model_id
        for place, turned in (("a", 0.0), ("b", 0.0), ("c", 1.0))
    ]
    assert names[0] == names[1] != names[2]


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
def test_an_unreadable_file_is_an_error(tmp_path: Path, file: str) -> None:
    (static_model(tmp_path / "m") / file).write_bytes(b"{not what it was")
    with pytest.raises(EmbeddingError, match="cannot read the model"):
        StaticEmbedder(str(tmp_path / "m")).embed([passage("session")])


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match="no model in"):
        _ = StaticEmbedder(str(tmp_path / "none")).model_id


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
def test_an_incomplete_model_is_an_error(tmp_path: Path, file: str) -> None:
    (static_model(tmp_path / "m") / file).unlink()
    with pytest.raises(EmbeddingError):
        StaticEmbedder(str(tmp_path / "m")).embed([passage("session")])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("folder", [BUILT_IN_FOLDER, PROSE_FOLDER], ids=lambda folder: folder.name)
def test_the_libraries_of_the_format_read_a_shipped_model_alike(folder: Path) -> None:
    from model2vec import StaticModel
    from sentence_transformers import SentenceTransformer

    texts = [text for text in TEXTS if "\ud800" not in text]
    ours = StaticEmbedder(str(folder)).embed(list(map(passage, texts))).astype(np.float32)
    for theirs in (
        StaticModel.from_pretrained(str(folder), force_download=False).encode(texts, max_length=None),
        SentenceTransformer(str(folder), device="cpu").encode(texts),
    ):
        for one, other in zip(ours, theirs, strict=True):
            length = np.linalg.norm(other)
            assert (one @ other) / length > 0.999 if length else not one.any()


@pytest.mark.parametrize("folder", [BUILT_IN_FOLDER, PROSE_FOLDER], ids=lambda folder: folder.name)
def test_a_text_split_at_its_signs_has_the_vector_of_the_whole_text(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()  # a model in another folder than a shipped one reads whole texts
    for file in filter(Path.is_file, folder.iterdir()):
        (tmp_path / "copy" / file.name).symlink_to(file)
    texts = [*TEXTS, "aktualizácia_stránkyV2: 'úloha'", "re\u0301sume\u0301\u00a0naïve\u3000借贷x1", "İstanbul, ΟΔΟΣ.Σ"]
    ours, whole = (StaticEmbedder(str(each)).embed(list(map(passage, texts))) for each in (folder, tmp_path / "copy"))
    assert ours.tobytes() == whole.tobytes()


@pytest.mark.parametrize("folder", [BUILT_IN_FOLDER, PROSE_FOLDER], ids=lambda folder: folder.name)
def test_a_vector_does_not_depend_on_the_batch(folder: Path) -> None:
    model = StaticEmbedder(str(folder))
    together = model.embed(list(map(passage, TEXTS)))
    assert [row.tobytes() for row in together] == [model.embed([passage(text)])[0].tobytes() for text in TEXTS]


def test_the_built_in_model_finds_related_code() -> None:
    model = StaticEmbedder(str(BUILT_IN_FOLDER))
    texts = ["def refresh_token_ttl(self):\n    return self.ttl", "def rounded(amount):\n    return amount // 100"]
    found = model.embed(list(map(passage, texts))).astype(np.float32)
    assert np.argmax(found @ model.embed_query(passage("how are sessions kept alive"))) == 0


def test_the_prose_model_finds_a_memory_asked_for_in_other_words() -> None:
    model = StaticEmbedder(str(PROSE_FOLDER))
    found = model.embed(
        list(
            map(
                passage,
                ["Anna moved to Lisbon in March.", "Deploys happen on Tuesdays.", "My brother must not eat nuts."],
            )
        )
    ).astype(np.float32)
    asked = [
        "In which city does my friend live now?",
        "When do we ship to production?",
        "Which food is a sibling allergic to?",
    ]
    assert [int(np.argmax(found @ model.embed_query(passage(text)))) for text in asked] == [0, 1, 2]


def test_the_files_of_the_prose_model_are_those_of_its_card() -> None:
    card = (Path(__file__).parents[3] / "training" / "README.md").read_text(encoding="utf-8")
    named = [
        file.name for file in PROSE_FOLDER.iterdir() if f"{sha256(file.read_bytes()).hexdigest()}  {file.name}" in card
    ]
    assert sorted(named) == ["config.json", "model.safetensors", "modules.json", "tokenizer.json"]


def test_a_vector_that_is_no_number_is_an_error(tmp_path: Path) -> None:
    folder = static_model(tmp_path / "m")
    tensors = load_file(folder / "model.safetensors")
    tensors["embeddings"][:] = np.nan
    save_file(tensors, folder / "model.safetensors")
    model = StaticEmbedder(str(folder))
    with pytest.raises(EmbeddingError, match="NaN"):
        model.embed_query(passage("session"))
    with pytest.raises(EmbeddingError, match="NaN"):
        model.embed([passage("session")])


def test_a_question_has_the_vector_of_an_equal_text() -> None:
    model = StaticEmbedder(str(BUILT_IN_FOLDER))
    for text in (TEXTS[0], TEXTS[2], ""):
        one, other = model.embed_query(passage(text)), model.embed([passage(text)])[0]
        assert np.allclose(one, other.astype(np.float32), atol=1e-3)


def test_a_passage_with_the_words_of_the_question_is_closest_whatever_else_it_has(model: StaticEmbedder) -> None:
    texts = [passage("session token"), passage("retry queue money session token amount"), passage("retry"), passage("")]
    same, longer, other, none = model.closeness(passage("session token"), texts).tolist()
    assert same == longer == pytest.approx(1.0)
    assert none == 0.0 <= other < same


def test_nothing_is_close_to_a_question_without_known_words(model: StaticEmbedder) -> None:
    assert model.closeness(passage("zebra"), [passage("session")]).tolist() == [0.0]


def test_a_few_texts_have_the_vectors_that_they_have_among_many() -> None:
    model = StaticEmbedder(str(PROSE_FOLDER))
    texts = [passage(f"the cache of page {number} expires") for number in range(FEW)]
    many = model.embed([*texts, passage("")])
    assert (many[:FEW] == model.embed(texts)).all()
