"""Matches pasted messages with files and chunks.

A stack trace is often from an installed copy or another version: a file is found by the end of its path, and the
function's name counts more than the line. A quotation is found where the code contains it word for word; it may match
in parts, because values were filled in.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from repomem.adapters.languages.file_roles import originals_of
from repomem.core.grouping import grouped_by, shared_start
from repomem.core.types.indexed import IndexedFile
from repomem.core.word_statistics import WordStatistics, inverse_frequency
from repomem.ranking.pasted_messages import Frame, Quotation

WHOLE_RUN = 3  # words in a row that count in full; a pair counts PAIR_SHARE
PAIR_SHARE = 0.5
ABSENT_SHARE = 0.25  # of the weight of a word that the index lacks: it was probably filled in
LEAST_SHARE = 0.5  # of a quotation, by weight, that a chunk must contain
_INSTALLED = frozenset(["site-packages", "dist-packages", "node_modules", "vendor", "gems", "registry", "lib", "lib64"])


@dataclass(frozen=True, slots=True)
class TracedFiles:
    """The live files that stack traces lead to."""

    nearness: Mapping[int, float] = field(default_factory=dict)  # by version: 1 nearest to the error, then less
    frames: Mapping[int, Sequence[Frame]] = field(default_factory=dict)  # by version, the nearest first


def traced_files(frames: Sequence[Frame], files: Iterable[IndexedFile]) -> TracedFiles:
    """The files that frames lead to, or their sources; where several paths end alike, all of them."""
    if not frames:
        return TracedFiles()
    ways = [[frame, *(replace(frame, path=path, line=0) for path in originals_of(frame.path))] for frame in frames]
    wanted = {_parts(way.path)[0] for each in ways for way in each}
    named = (file for file in files if _parts(file.path)[0] in wanted)
    by_name = grouped_by(named, lambda file: _parts(file.path)[0])
    nearness: dict[int, float] = {}
    found: dict[int, list[Frame]] = {}
    place = 0
    for each in ways:
        leads = ((way, _files_of(way, by_name.get(_parts(way.path)[0], ()))) for way in each)
        frame, here = next((lead for lead in leads if lead[1]), (each[0], []))
        place += bool(here)
        for file in here:
            nearness.setdefault(file.version, 1 / place)
            found.setdefault(file.version, []).append(frame)
    return TracedFiles(nearness, found)


def _parts(path: str) -> list[str]:
    """The parts of a path, its name first."""
    return path.lower().split("/")[::-1]


def _files_of(frame: Frame, files: Sequence[IndexedFile]) -> list[IndexedFile]:
    """Of the files with the frame's file name, those that share most of its folders; none if that proves little."""
    parts = _parts(frame.path)
    shared = {file.version: shared_start(parts, _parts(file.path)) for file in files}
    most = max(shared.values(), default=0)
    best = [file for file in files if shared[file.version] == most]
    if most > 1 or len(parts) == 1:
        return best
    is_installed = not _INSTALLED.isdisjoint(parts)  # in a package, the file name alone proves nothing
    return [] if is_installed else [file for file in best if "/" not in file.path]


def quoted_share(quotation: Quotation, words: str, weights: Mapping[str, float]) -> float:
    """The share of a quotation, by weight, that a text contains in the same order and without gaps."""
    text = f" {words} "
    total = sum(weights[word] for word in quotation) or 1.0
    found, start = 0.0, 0
    while start < len(quotation) - 1:
        end = start + 1
        while end < len(quotation) and f" {' '.join(quotation[start : end + 1])} " in text:
            end += 1
        if end - start > 1:
            share = 1.0 if end - start >= WHOLE_RUN else PAIR_SHARE
            found += share * sum(weights[word] for word in quotation[start:end])
        start = max(end, start + 1)
    return found / total


def quotation_weights(quotations: Sequence[Quotation], chunk_words: WordStatistics) -> dict[str, float]:
    """The weight of each word of the quotations: rare words weigh most, absent ones little."""
    words = {each for quotation in quotations for each in quotation}
    frequencies = chunk_words.frequencies(word for each in words for word in each.split())
    return {each: max(_weight(chunk_words.documents, frequencies[word]) for word in each.split()) for each in words}


def _weight(documents: int, frequency: int) -> float:
    return inverse_frequency(documents, frequency) * (1.0 if frequency else ABSENT_SHARE)
