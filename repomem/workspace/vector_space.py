"""A vector space: the vectors of one model, of one length, in a table of their own. Spaces never mix."""

import json
from dataclasses import asdict, dataclass

from repomem.core.digests import short_digest
from repomem.core.types.indexed import VECTORS


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """The space of one model."""

    spec: str  # the configured model name
    model: str  # everything that changes its vectors, see `core.ports.Embedder.model_id`
    dimensions: int

    @property
    def table(self) -> str:
        """The name of the table that holds its vectors."""
        return VECTORS + short_digest(f"{self.model}\0{self.dimensions}", 6)

    @property
    def text(self) -> str:
        """The space as stored in the catalog."""
        return json.dumps(asdict(self))


def space_from(text: str) -> VectorSpace | None:
    """The space stored in the catalog; None if there is none, or it is unreadable."""
    try:
        return VectorSpace(**json.loads(text)) if text else None
    except (ValueError, TypeError):
        return None
