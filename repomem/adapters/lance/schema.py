"""The LanceDB tables: their columns, and values to and from Arrow.

Chunks have no path: they belong to a file version, whose path is in the catalog. Symbols, files and trailers that are
lists travel as JSON in one column, since nothing searches inside them. Vectors of chunks have one table per model, so
that the old model's table still works while another is made. Every row ends in its checksums.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from repomem.adapters.lance.checksums import Sums, sum_fields, with_sums
from repomem.core.encoded_uses import unpacked
from repomem.core.types.commits import Episode, FileChange
from repomem.core.types.indexed import VECTORS, FileUses, IndexedChunk, IndexedEpisode, Symbol
from repomem.core.types.text import CleanText

CHUNKS: Final = "chunks"
EPISODES: Final = "episodes"

SHOWN_COLUMNS: Final = (
    "version", "ordinal", "start_line", "end_line", "symbol", "kind", "signature", "docstring", "sites", "text",
)  # fmt: skip
UsesRow = tuple[int, int, str, str]
USES_COLUMNS: Final = ("version", "ordinal", "sites", "uses")
EPISODE_COLUMNS: Final = ("id", "commit", "episode", "words")
_EPISODE_TEXTS: Final = ("author", "date", "subject", "body", "kind", "reverts")
VECTOR_COLUMNS: Final = ("version", "digest", "vector")
CHUNK_SUMS: Final[Sums] = {
    "shown_sum": SHOWN_COLUMNS,
    "words_sum": ("version", "ordinal", "words"),
    "uses_sum": USES_COLUMNS,
}
EPISODE_SUMS: Final[Sums] = {"episode_sum": ("id", "commit", "episode"), "words_sum": ("id", "words")}
VECTOR_SUMS: Final[Sums] = {"vector_sum": VECTOR_COLUMNS}


def id_column(name: str) -> str:
    """The column of a table that a view or a history names."""
    return "id" if name == EPISODES else "version"


def sums_of(name: str) -> Sums:
    """The checksums that the rows of a table have."""
    if name.startswith(VECTORS):
        return VECTOR_SUMS
    return EPISODE_SUMS if name == EPISODES else CHUNK_SUMS


def chunk_schema() -> "pa.Schema":
    texts = ("symbol", "kind", "signature", "docstring", "sites", "text", "words", "uses")
    return _schema(("version", "ordinal", "start_line", "end_line"), texts, CHUNK_SUMS)


def episode_schema() -> "pa.Schema":
    return _schema(("id",), ("commit", "episode", "words"), EPISODE_SUMS)


def _schema(integers: Sequence[str], texts: Sequence[str], sums: Sums) -> "pa.Schema":
    columns = [pa.field(name, pa.int32(), nullable=False) for name in integers]
    columns += [pa.field(name, pa.utf8(), nullable=False, metadata=_packing(name)) for name in texts]
    return pa.schema(columns + sum_fields(sums))


def vector_schema(dimensions: int) -> "pa.Schema":
    """Columns of a table of vectors, a row for each chunk; half precision searches as well in half the space."""
    return pa.schema(
        [
            pa.field("version", pa.int32(), nullable=False),
            pa.field("digest", pa.int64(), nullable=False),
            pa.field("vector", pa.list_(pa.float16(), dimensions), nullable=False),
            *sum_fields(VECTOR_SUMS),
        ]
    )


def _packing(column: str) -> dict[str, str] | None:
    """Long texts are compressed: a quarter of the table's bytes for no CPU that could be measured."""
    return {"lance-encoding:compression": "zstd"} if column in ("words", "text", "sites", "uses") else None


def chunk_table(chunks: Sequence[IndexedChunk]) -> "pa.Table":
    columns: dict[str, Any] = {
        name: [getattr(chunk, name) for chunk in chunks]
        for name in (*SHOWN_COLUMNS, "words", "uses")
        if name != "sites"
    }
    columns["sites"] = [_sites_to_json(chunk.sites) for chunk in chunks]
    return _rows(columns, chunk_schema(), CHUNK_SUMS)


def episode_table(episodes: Sequence[IndexedEpisode]) -> "pa.Table":
    columns: dict[str, Any] = {
        "id": [row.id for row in episodes],
        "commit": [row.episode.commit for row in episodes],
        "episode": [_episode_to_json(row.episode) for row in episodes],
        "words": [row.words for row in episodes],
    }
    return _rows(columns, episode_schema(), EPISODE_SUMS)


def vector_table(versions: Sequence[int], digests: Sequence[int], vectors: NDArray[np.float16]) -> "pa.Table":
    """Rows for the vectors of chunks, (chunks, dimensions): the version of each, and what names its text."""
    dimensions = vectors.shape[1]
    rows = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), dimensions)
    columns = {"version": versions, "digest": digests, "vector": rows}
    return _rows(columns, vector_schema(dimensions), VECTOR_SUMS)


def _rows(columns: Mapping[str, Any], whole: "pa.Schema", sums: Sums) -> "pa.Table":
    """Rows of a table with that schema, whose last columns are made here."""
    return with_sums(pa.table(columns, schema=pa.schema(list(whole)[: -len(sums)])), sums)


def rows_in(table: "pa.Table", columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The values of these columns of each row."""
    return zip(*(table.column(name).to_pylist() for name in columns), strict=True)


def chunks_from(table: "pa.Table") -> Iterator[IndexedChunk]:
    """The chunks of a table that has all of SHOWN_COLUMNS."""
    for version, ordinal, start, end, symbol, kind, signature, docstring, sites, text in rows_in(table, SHOWN_COLUMNS):
        head = (version, ordinal, start, end, symbol, kind, signature, docstring)
        yield IndexedChunk(*head, _sites_from_json(sites), CleanText(text))


def uses_from(rows: Iterable[UsesRow], names: Collection[str]) -> Iterator[FileUses]:
    """What each file version imports, defines and uses of these names."""
    for version, chunks in groupby(rows, key=itemgetter(0)):
        sites: list[Symbol] = []
        texts: list[str] = []
        for _, _, packed_sites, uses in chunks:
            texts.append(uses)
            if any(name in packed_sites for name in names):
                found = _sites_from_json(packed_sites)
                sites += [site for site in found if site.qualified.rpartition(".")[2] in names]
        yield FileUses(version, tuple(sites), *unpacked("".join(texts), names))


def episodes_from(table: "pa.Table") -> Iterator[IndexedEpisode]:
    """The episodes of a table that has all of EPISODE_COLUMNS."""
    for number, commit, payload, words in rows_in(table, EPISODE_COLUMNS):
        yield IndexedEpisode(number, _episode_from_json(commit, json.loads(payload)), words)


def _sites_to_json(sites: Sequence[Symbol]) -> str:
    if not sites:
        return ""
    return json.dumps([(s.qualified, s.kind, s.start_line, s.end_line, s.signature) for s in sites], ensure_ascii=False)


def _sites_from_json(text: str) -> tuple[Symbol, ...]:
    return tuple(Symbol(*site) for site in json.loads(text)) if text else ()


def _episode_to_json(episode: Episode) -> str:
    value = {each.name: getattr(episode, each.name) for each in fields(episode) if each.name != "commit"}
    value["files"] = [(file.status, file.path, file.old_path) for file in episode.files]
    kept = {name: item for name, item in value.items() if item}  # most are empty in most commits
    return json.dumps(kept, ensure_ascii=True)  # escapes lone surrogates, which Arrow refuses


def in_json(text: str) -> str:
    """A text as it is encoded in the JSON of an episode."""
    return json.dumps(text, ensure_ascii=True)[1:-1]


def _episode_from_json(commit: str, value: Mapping[str, Any]) -> Episode:
    return Episode(
        commit=commit,
        parents=tuple(value.get("parents", ())),
        time=value.get("time", 0),
        files=tuple(FileChange(*file) for file in value.get("files", ())),
        pull_request=value.get("pull_request"),
        trailers=tuple((key, text) for key, text in value.get("trailers", ())),
        is_bulk=value.get("is_bulk", False),
        symbols=tuple(value.get("symbols", ())),
        **{name: value.get(name, "") for name in _EPISODE_TEXTS},
    )
