"""The vector of a question: made by the model whose vectors serve, or none, and then words alone answer."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from repomem.core.errors import ConfigError, EmbeddingError
from repomem.core.options import BUILT_IN
from repomem.core.ports import Passage
from repomem.core.secrets.redact import redact
from repomem.workspace.cache import CacheKey
from repomem.workspace.vector_space import VectorSpace
from repomem.workspace.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from repomem.core.ports import Embedder


@dataclass(frozen=True, slots=True)
class QuestionVector:
    """What a model makes of a question, and the table of those that it may be compared with."""

    table: str
    numbers: "NDArray[np.float32]"


QUESTION_VECTOR = CacheKey[QuestionVector | None]("question vector")


def question_vector(workspace: Workspace, text: str) -> QuestionVector | None:
    """The vector of a question. None where no model serves, where it cannot answer, or where nobody has the time."""
    space = workspace.space
    if space is None:
        return None
    return workspace.cache.get(QUESTION_VECTOR, (space, text), lambda: _made(workspace, space, text))


def knows_likeness(workspace: Workspace) -> bool:
    """Whether the gate knows what likeness means: it was measured with the built-in model."""
    space = workspace.space
    return space is not None and space.spec == BUILT_IN


def _made(workspace: Workspace, space: VectorSpace, text: str) -> QuestionVector | None:
    try:
        model = workspace.embedder_of(space.spec)
        if workspace.is_hurried and not model.is_cheap:
            return None
        vector = _asked(model, space, text)
    except (EmbeddingError, ConfigError) as error:
        _tell(workspace, error.message)
        return None
    return QuestionVector(space.table, vector) if vector.any() else None


def _asked(model: "Embedder", space: VectorSpace, text: str) -> "NDArray[np.float32]":
    if model.model_id != space.model:
        raise EmbeddingError(f"{space.spec} is another model than the one that was indexed with")
    vector = model.embed_query(Passage(redact(text)))
    if len(vector) != space.dimensions:
        raise EmbeddingError(f"{space.spec} gives {len(vector)} numbers, and gave {space.dimensions} for the index")
    return vector


def _tell(workspace: Workspace, why: str) -> None:
    notice = f"words alone were searched: {why}; run repomem index"
    if notice not in workspace.notices:
        workspace.notices.append(notice)
