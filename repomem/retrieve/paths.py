"""How well a path answers a question: the words of its name, then of its folders."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from repomem.core.statistics import inverse_frequency
from repomem.core.types import IndexedFile
from repomem.core.words import STEM, stem, words_of
from repomem.retrieve.query import Query

SHORTEST_PROBE = 3  # letters
FOLDERS = 3  # the last ones; those above name the whole repository
FOLDER_WEIGHT = 0.4  # of a word in the file's own name
NAMED_WHOLE = 1.0  # the question spells the path, or its end from a folder on
NAMED_FILE = 0.8  # or the file's name alone


@lru_cache(maxsize=200_000)
def _stems_of(part: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words_of(part).split() if not word.startswith(STEM))


def _split(path: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of a file's name, and of its last folders."""
    *folders, name = path.split("/")
    around: frozenset[str] = frozenset()
    for folder in folders[-FOLDERS:]:
        around |= _stems_of(folder)
    return _stems_of(name.partition(".")[0] or name), around


def path_scores(query: Query, files: Sequence[IndexedFile]) -> dict[int, float]:
    """Version to score: what share of the question's weight its path answers, less for a name with other words."""
    wanted: dict[str, float] = {}
    for word, weight in query.words.items():
        wanted[stem(word)] = max(wanted.get(stem(word), 0.0), weight)
    probes = tuple(short[: max(SHORTEST_PROBE, len(short) - 1)] for short in wanted)  # a stem may end otherwise
    answering: dict[int, tuple[frozenset[str], frozenset[str]]] = {}
    frequency: dict[str, int] = {}
    for file in files:
        path = file.path.lower()
        if not any(probe in path for probe in probes):  # most paths; splitting them all would take longer than ranking
            continue
        name, folders = _split(file.path)
        here = (name | folders) & wanted.keys()
        if here:
            answering[file.version] = (name, folders)
            for short in here:
                frequency[short] = frequency.get(short, 0) + 1
    weights = {
        short: weight * inverse_frequency(len(files), frequency.get(short, 0)) for short, weight in wanted.items()
    }
    return {version: _score(weights, *parts) for version, parts in answering.items()}


def _score(weights: Mapping[str, float], name: frozenset[str], folders: frozenset[str]) -> float:
    in_name = sum(sorted(weights[short] for short in name & weights.keys()))
    in_folders = sum(sorted(weights[short] for short in (folders - name) & weights.keys()))
    covered = len(name & weights.keys()) / max(len(name), 1)
    return in_name * (0.5 + 0.5 * covered) + FOLDER_WEIGHT * in_folders


def named_paths(query: Query, files: Iterable[IndexedFile]) -> dict[int, float]:
    """Version to NAMED_WHOLE or NAMED_FILE, of the files whose path or name the question spells."""
    if not query.paths:
        return {}
    whole = {path.lower() for path in query.paths if "/" in path}
    names = {path.lower() for path in query.paths if "/" not in path}
    found = {}
    for file in files:
        path = file.path.lower()
        if any(path == named or path.endswith("/" + named) for named in whole):
            found[file.version] = NAMED_WHOLE
        elif path.rpartition("/")[2] in names:
            found[file.version] = NAMED_FILE
    return found
