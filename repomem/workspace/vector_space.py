"""Whose vectors stand in a table: those of one model, of one length. Vectors of two spaces never mix."""

import hashlib
import json
from dataclasses import asdict, dataclass

from repomem.core.types.indexed import VECTORS


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """What a model makes of text."""

    spec: str  # the model as the configuration names it
    model: str  # everything that changes its vectors, see `core.ports.Embedder.model_id`
    dimensions: int

    @property
    def table(self) -> str:
        """The name of the table that holds its vectors."""
        name = hashlib.blake2b(f"{self.model}\0{self.dimensions}".encode(), digest_size=6).hexdigest()
        return f"{VECTORS}{name}"

    @property
    def text(self) -> str:
        """The space as the catalog keeps it."""
        return json.dumps(asdict(self))


def space_from(text: str) -> VectorSpace | None:
    """The space that the catalog keeps; None where it keeps none, or one that cannot be read."""
    try:
        return VectorSpace(**json.loads(text)) if text else None
    except (ValueError, TypeError):
        return None
