"""The vectors of memories: computed once by the configured model, and cached in the catalog by memory and model."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from repomem.core.config_sections import BUILT_IN
from repomem.core.digests import short_digest
from repomem.core.errors import StoreError
from repomem.core.grouping import batches
from repomem.core.packed_file import read_packed
from repomem.core.records import MemoryContent
from repomem.core.secrets.redact import redact
from repomem.core.types.text import CleanText
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.snapshots.stored_snapshot import FOLDER, are_many, store_packed
from repomem.ranking.memory_signals import Likeness
from repomem.workspace.ledger import stamp_here
from repomem.workspace.models import sentence_encoder
from repomem.workspace.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from repomem.core.ports import Embedder

NEXT_BEST = 0.35  # cosine: among thirty memories another one is about this near; assumed if there are fewer
LATER_ONES = 3  # the nearest later memories that are tried: each is compared with all before it
FULL_CONTINUITY = 0.05  # mean cosine of neighbours above that of any two: from here on, one conversation
# Short texts on many subjects: what cosine a model gives to things that have nothing in common.
_SUBJECTS = """\
The train to the coast leaves at half past nine
She planted tomatoes and beans behind the house
The choir rehearses on Thursday evenings
Bake the bread for forty minutes until the crust is brown
The museum closes early in winter
Our neighbour's dog is afraid of thunder
He lost his umbrella at the dentist
Icons in the sidebar are drawn as vector graphics
The parser keeps comments next to the node they precede
Log files are rotated every night
The build server compiles with warnings as errors
Passwords are checked against a list of leaked ones
Dates are printed in the reader's time zone
The queue drops messages that are older than a day
Invoices are numbered without gaps
Tests create their own database schema
The mobile app asks for permission to use the camera
Prices are rounded to two digits
The compiler inlines small functions
Every team keeps a page about who is on duty"""
UNRELATED = {f"unrelated {number}": CleanText(text) for number, text in enumerate(_SUBJECTS.splitlines())}
BATCH = 256  # texts handed to a model together, and cached together
CLEAR = 3.0  # standard errors
FEWEST = 30  # memories; of fewer, continuity is chance


class MemoryPair(NamedTuple):
    """A memory and one that was written after it, by their vectors."""

    earlier: str
    later: str
    cosine: float
    lead_with_earlier: float  # of the cosine over the earlier one's with any other memory before the later one
    lead_with_later: float  # of the cosine over the later one's with any other memory before it


@dataclass(frozen=True)
class MemoryVectors:
    """The vectors of memories, (memories, dimensions), of unit length, in the order of their ids."""

    names: Sequence[str]
    matrix: "NDArray[np.float32]"
    unrelated: "NDArray[np.float32]"  # the vectors of `UNRELATED`

    def likeness(self, question: "NDArray[np.float32]") -> Likeness:
        """How similar the memories are to a question."""
        cosines = dict(zip(self.names, (self.matrix @ question).tolist(), strict=True))
        unrelated = tuple((self.unrelated @ question).tolist())
        return Likeness(cosines, unrelated, self.continuity, is_conversation=self.is_conversation)

    def pairs_with_later(self, names: Collection[str], left_out: Collection[str] = ()) -> "Iterator[MemoryPair]":
        """Each of these memories with the LATER_ONES nearest that were written after it.

        Those `left_out` are not compared. Ids sort by time; what is written after a pair changes nothing about it.
        """
        import numpy as np

        counted = np.array([name not in left_out for name in self.names], bool)
        places = {name: at for at, name in enumerate(self.names) if counted[at]}
        asked = [places[name] for name in names if name in places]
        for at, row in zip(asked, self.matrix[asked] @ self.matrix.T, strict=True):
            row[at], row[~counted] = -1.0, -1.0
            after = at + 1 + np.argsort(-row[at + 1 :])[:LATER_ONES]
            for later in after[row[after] > -1.0].tolist():
                other = float(row[:later].max(initial=NEXT_BEST))
                before = np.where(counted[:later], self.matrix[:later] @ self.matrix[later], -1.0)
                before[at] = -1.0
                cosine, next_best = float(row[later]), float(before.max(initial=NEXT_BEST))
                yield MemoryPair(self.names[at], self.names[later], cosine, cosine - other, cosine - next_best)

    def pairs_with_new(self, name: str, vector: "NDArray[np.float32]") -> "Iterator[MemoryPair]":
        """Pairs of a new memory with those nearest to it; its name sorts after theirs."""
        import numpy as np

        every = replace(self, names=[*self.names, name], matrix=np.vstack([self.matrix, vector]))
        nearest = np.argsort(-(self.matrix @ vector))[:LATER_ONES]
        pairs = every.pairs_with_later([self.names[at] for at in nearest])
        return (pair for pair in pairs if pair.later == name)

    @cached_property
    def continuity(self) -> float:
        """0 to 1: how much more consecutive memories resemble each other than any two do.

        0 if that may be chance: memories recorded one after the other need not be on one subject.
        """
        return min(self.resemblance[0] / FULL_CONTINUITY, 1.0) if self.is_conversation else 0.0

    @property
    def is_conversation(self) -> bool:
        """Whether that is clearly not chance: a few consecutive memories on one subject are not a conversation."""
        more, error = self.resemblance
        return more > CLEAR * error

    @cached_property
    def resemblance(self) -> tuple[float, float]:
        """Neighbours' mean cosine above that of any two memories, and its standard error."""
        import numpy as np

        count = len(self.names)
        if count < FEWEST:
            return 0.0, 0.0
        total = self.matrix.sum(axis=0)
        any_two = (float(total @ total) - count) / (count * (count - 1))
        # the next but one too: two people who talk in turn differ from each other more than from themselves
        near = np.concatenate([(self.matrix[lag:] * self.matrix[:-lag]).sum(axis=1) for lag in (1, 2)])
        return float(near.mean()) - any_two, float(near.std()) / float(len(near)) ** 0.5


def memory_embedder(workspace: Workspace) -> "Embedder":
    """The configured model; in place of the built-in one for code, the encoder that ships for sentences."""
    return sentence_encoder() if workspace.loaded.config.embedding.model == BUILT_IN else workspace.embedder


def vectors_of(workspace: Workspace, model: "Embedder", known: MemorySnapshot, shown: Collection[str]) -> MemoryVectors:
    """The vectors of these memories; those that are missing are made and cached. Raises EmbeddingError."""
    import numpy as np

    names = sorted(shown)
    stored = read_vectors(workspace.folder, model.model_id) if are_many(len(names)) else None
    if stored and list(stored.names) == names:
        return stored
    stored_at = {name: at for at, name in enumerate(stored.names)} if stored else {}
    rest = [name for name in names if name not in stored_at]
    made = _cached_or_made(workspace, model, known, [*([] if stored else UNRELATED), *rest])
    added = np.frombuffer(b"".join(made.values()), np.float16).reshape(len(made), model.dimensions).astype(np.float32)
    if stored is None:
        found = MemoryVectors(names, added[len(UNRELATED) :], added[: len(UNRELATED)])
    else:
        every = np.concatenate([stored.matrix, added]) if rest else stored.matrix
        place = stored_at | {name: at for at, name in enumerate(rest, start=len(stored_at))}
        found = MemoryVectors(names, every[[place[name] for name in names]], stored.unrelated)
    if are_many(len(rest)) and not known.history.is_past:
        store_vectors(workspace.folder, model.model_id, found, lambda: known.stamp == stamp_here(workspace))
    return found


def _cached_or_made(
    workspace: Workspace, model: "Embedder", known: MemorySnapshot, names: Sequence[str]
) -> dict[str, bytes]:
    """The vectors of memories, or of texts about nothing in particular, from the catalog or made now."""
    cached = workspace.catalog.memory_cache.vectors(model.model_id, names)
    fresh = [name for name in names if name not in cached]
    for some in batches(fresh, BATCH):
        texts = {name: UNRELATED.get(name) or text_to_embed(known.said(name)) for name in some}
        matrix = model.embed(list(texts.values()))
        made = {name: row.astype("float16").tobytes() for name, row in zip(texts, matrix, strict=True)}
        _cache(workspace, model.model_id, made, known.stamp)
        cached |= made
    return {name: cached[name] for name in names}


def cache_vector(workspace: Workspace, model: str, name: str, vector: "NDArray[np.float32]") -> None:
    """Cache the vector of a memory that was just written, so that the next command need not load the model."""
    _cache(workspace, model, {name: vector.astype("float16").tobytes()}, stamp_here(workspace))


def _cache(workspace: Workspace, model: str, made: Mapping[str, bytes], stamp: str) -> None:
    """Cache vectors of memories, unless the ledger is no longer that of the `stamp`."""
    if workspace.is_writable:
        with suppress(StoreError):  # a full disk or a lock: they are computed again next time
            workspace.catalog.memory_cache.store_vectors(model, made, lambda: stamp == stamp_here(workspace))


def text_to_embed(said: MemoryContent) -> CleanText:
    """The text that a memory's vector represents: its text and reason, without secrets."""
    return redact(" ".join(filter(None, (said.text, said.why))))


def read_vectors(folder: Path, model: str) -> MemoryVectors | None:
    """The stored vectors of memories by a model; None if there are none, or they are damaged."""
    import numpy as np

    with suppress(ValueError, KeyError, TypeError):
        sections = read_packed(_file_for(folder, model))
        if sections:
            known, names, more, error = json.loads(bytes(sections["about"]))
            count = len(UNRELATED)
            every = np.frombuffer(sections["vectors"], np.float16).reshape(count + len(names), -1).astype(np.float32)
            found = MemoryVectors(names, every[count:], every[:count])
            found.__dict__["resemblance"] = more, error
            return found if known == model else None
    return None


def store_vectors(folder: Path, model: str, vectors: MemoryVectors, is_current: Callable[[], bool]) -> None:
    """Store the vectors of memories by a model, where that is possible, unless the ledger has changed meanwhile."""
    import numpy as np

    every = np.concatenate([vectors.unrelated, vectors.matrix]).astype(np.float16)
    about = [model, list(vectors.names), *vectors.resemblance]
    sections = {"about": json.dumps(about).encode(), "vectors": every.tobytes()}
    store_packed(_file_for(folder, model), sections, is_current)


def _file_for(folder: Path, model: str) -> Path:
    return folder / FOLDER / f"vectors-{short_digest(model)}"
