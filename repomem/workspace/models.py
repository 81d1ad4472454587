"""The embedder for a configured model name. Loads nothing heavy by itself."""

from functools import cache
from typing import TYPE_CHECKING

from repomem.core.config_sections import BUILT_IN, EmbeddingConfig
from repomem.core.errors import ConfigError

if TYPE_CHECKING:
    from repomem.adapters.models.sentence_encoder import SentenceEncoder
    from repomem.adapters.models.static import StaticEmbedder
    from repomem.core.ports import Embedder

KINDS = '"builtin", "model2vec:…", "sentence-transformers:…" or "litellm:provider/model"'


def embedder_for(spec: str, config: EmbeddingConfig, source: str = "") -> "Embedder":
    """The embedder that `spec` names. Raises ConfigError for an unknown name, with the `source` of the option."""
    kind, _, name = spec.partition(":")
    if spec == BUILT_IN:
        from repomem.adapters.models.static import BUILT_IN_FOLDER, StaticEmbedder

        return StaticEmbedder(str(BUILT_IN_FOLDER))
    if kind == "model2vec" and name:
        from repomem.adapters.models.static import StaticEmbedder

        return StaticEmbedder(name, is_offline=config.offline)
    if kind == "sentence-transformers" and name:
        from repomem.adapters.models.transformers import Prompts, TransformersEmbedder

        prompts = Prompts(config.query_prompt, config.document_prompt)
        return TransformersEmbedder(name, prompts, config.device, is_offline=config.offline)
    if kind == "litellm" and "/" in name:
        from repomem.adapters.models.litellm_vectors import ProviderEmbedder

        return ProviderEmbedder(name, config.api_base)
    where = f" {source}:" if source else ""
    raise ConfigError(f"embedding.model{where} {spec!r} is not a model", f"write {KINDS}")


@cache
def prose_embedder() -> "StaticEmbedder":
    """The static model that ships for English sentences; its files are read at first use."""
    from repomem.adapters.models.static import PROSE_FOLDER, StaticEmbedder

    return StaticEmbedder(str(PROSE_FOLDER))


@cache
def sentence_encoder() -> "SentenceEncoder":
    """The encoder that ships for memories and questions: better than the static model, and slower."""
    from repomem.adapters.models.sentence_encoder import SentenceEncoder

    return SentenceEncoder()
