"""Scores paths for a question: by the words of the file name, then of the folders."""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from repomem.core.text.words import stem, stems_of, whole
from repomem.core.types.indexed import IndexedFile
from repomem.core.word_statistics import inverse_frequency
from repomem.ranking.query import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHORTEST_PROBE = 3  # letters
FOLDERS = 3  # the innermost; those above are common to the repository
FOLDER_WEIGHT = 0.4  # of a word in the file's own name
KEPT_BYTES = 16 << 20  # of cached stem matches: questions about a repository share words
NAMED_WHOLE = 1.0  # the question contains the path, or its end with a folder, perhaps as a module's name
NAMED_FILE = 0.8  # or the file name alone
PACKAGE_FILES = frozenset({"__init__", "index", "mod"})  # an import names the folder instead


_stems_of = lru_cache(maxsize=200_000)(stems_of)


@lru_cache(maxsize=50_000)
def _around(folders: str) -> frozenset[str]:
    return frozenset().union(*map(_stems_of, folders.split("/")[-FOLDERS:]))


class _LineSearch:
    """Many short texts joined into one, to search all at once."""

    def __init__(self, texts: Iterable[str]) -> None:
        lines = [text.replace("\n", " ") for text in texts]  # a path may hold a line break
        self._text = "\n".join([*lines, ""])
        self._starts = list(accumulate((len(line) + 1 for line in lines), initial=0))

    def holding(self, part: str) -> set[int]:
        """The numbers of the texts that contain a part."""
        found: set[int] = set()
        at = self._text.find(part)
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            found.add(number)
            at = self._text.find(part, self._starts[number + 1])
        return found


class StemMatches(NamedTuple):
    """The files that match a stem, as boolean arrays by file number."""

    is_near: "NDArray[np.bool_]"  # the path contains the stem, or its last letter may differ
    in_name: "NDArray[np.bool_]"
    in_folders: "NDArray[np.bool_]"  # the innermost


class PathIndex:
    """An index of file paths by folder and file name."""

    def __init__(self, files: Sequence[IndexedFile]) -> None:
        import numpy as np

        split = [file.path.rpartition("/") for file in files]
        folders = list(dict.fromkeys(folder for folder, _, _ in split))
        numbers = {folder: number for number, folder in enumerate(folders)}
        self.versions = np.array([file.version for file in files], np.int64)
        self._folder_of = np.array([numbers[folder] for folder, _, _ in split], np.int64)
        self._arounds = [_around(folder) for folder in folders]
        self._names = [name.partition(".")[0] or name for _, _, name in split]  # up to the first dot
        self._foreign = {at for at, name in enumerate(self._names) if not name.isascii()}  # their stems may differ
        self._folder_lines = _LineSearch(map(str.lower, folders))
        self._name_lines = _LineSearch(name.lower() for _, _, name in split)
        self._word_lines = _LineSearch(name.lower().replace("_", "") for name in self._names)  # words are contiguous
        self._matches: OrderedDict[str, StemMatches] = OrderedDict()

    def matches(self, short: str) -> StemMatches:
        """The files that match a stem; the latest stems are cached."""
        if short in self._matches:
            self._matches.move_to_end(short)
        else:
            self._matches[short] = self._find(short)
        if len(self._matches) > max(1, KEPT_BYTES // (3 * len(self.versions) + 1)):
            self._matches.popitem(last=False)
        return self._matches[short]

    def lengths(self, numbers: "NDArray[np.int64]") -> "NDArray[np.float64]":
        """The number of stems in each file's name, at least one."""
        import numpy as np

        return np.array([max(len(_stems_of(self._names[number])), 1) for number in numbers.tolist()], np.float64)

    def _find(self, short: str) -> StemMatches:
        probe = short[: max(SHORTEST_PROBE, len(short) - 1)]  # the last letter of a stem may differ
        is_near = self._of_folders(self._folder_lines.holding(probe)) | self._of_files(self._name_lines.holding(probe))
        may_contain_symbol = self._word_lines.holding(probe) | self._foreign
        in_name = self._of_files(number for number in may_contain_symbol if short in _stems_of(self._names[number]))
        in_folders = self._of_folders(number for number, around in enumerate(self._arounds) if short in around)
        return StemMatches(is_near, in_name, in_folders)

    def _of_files(self, numbers: Iterable[int]) -> "NDArray[np.bool_]":
        return _flags(numbers, len(self.versions))

    def _of_folders(self, numbers: Iterable[int]) -> "NDArray[np.bool_]":
        return _flags(numbers, len(self._arounds))[self._folder_of]


def _flags(numbers: Iterable[int], count: int) -> "NDArray[np.bool_]":
    import numpy as np

    found = np.zeros(count, np.bool_)
    found[list(numbers)] = True
    return found


def path_scores(query: Query, paths: PathIndex) -> dict[int, float]:
    """Scores by version: query coverage of the path, lower for names with other words."""
    import numpy as np

    wanted: dict[str, float] = {}
    for word, weight in query.words.items():
        wanted[stem(word)] = max(wanted.get(stem(word), 0.0), weight)
    matches = {short: paths.matches(short) for short in wanted} if len(paths.versions) else {}
    if not matches:
        return {}
    is_near = np.logical_or.reduce([each.is_near for each in matches.values()])
    in_path = {short: is_near & (each.in_name | each.in_folders) for short, each in matches.items()}
    weights = {
        short: weight * inverse_frequency(len(paths.versions), int(np.count_nonzero(in_path[short])))
        for short, weight in wanted.items()
    }
    numbers = np.flatnonzero(np.logical_or.reduce(list(in_path.values())))
    in_name, in_folders, covered = np.zeros((3, len(numbers)))
    for short in sorted(weights, key=weights.__getitem__):  # smallest first: floating-point sums depend on order
        here = matches[short].in_name[numbers]
        in_name += weights[short] * here
        in_folders += weights[short] * (matches[short].in_folders[numbers] & ~here)
        covered += here
    named = np.flatnonzero(covered)
    covered[named] /= paths.lengths(numbers[named])
    scores = in_name * (0.5 + 0.5 * covered) + FOLDER_WEIGHT * in_folders
    return dict(zip(paths.versions[numbers].tolist(), scores.tolist(), strict=True))


def named_paths(query: Query, files: Iterable[IndexedFile]) -> dict[int, float]:
    """NAMED_WHOLE or NAMED_FILE by version, for the files whose path, module or name is in the question."""
    if not (query.paths or query.modules):
        return {}
    ends = {path.lower() for path in query.paths if "/" in path}
    names = {path.lower() for path in query.paths if "/" not in path}
    found = {}
    for file in files:
        path = file.path.lower()
        if any(path == end or path.endswith("/" + end) for end in ends) or _is_module(path, query.modules):
            found[file.version] = NAMED_WHOLE
        elif path.rpartition("/")[2] in names:
            found[file.version] = NAMED_FILE
    return found


def _is_module(path: str, modules: Collection[tuple[str, str]]) -> bool:
    """Whether a folder and a file in it are the last parts of a file's path without its extension."""
    folders, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    if stem in PACKAGE_FILES:
        folders, _, stem = folders.rpartition("/")
    return any(whole(stem) == file and whole(folders.rpartition("/")[2]) == folder for folder, file in modules)
