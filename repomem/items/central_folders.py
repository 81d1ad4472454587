"""The map's folders: those that describe themselves, and those that all hold the same files."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from repomem.brief import order
from repomem.brief.items import CandidateItem, Rendering
from repomem.core.text.escape import code, quoted, visible_path
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import BriefItem
from repomem.core.types.code import Role
from repomem.core.types.indexed import IndexedFile
from repomem.profile.facts import text_at
from repomem.profile.file_summaries import LONGEST, describes, first_sentence, summary_of
from repomem.profile.manifests.manifest import Manifest
from repomem.profile.readme_and_owners import first_items, opening
from repomem.workspace.snapshot import Snapshot

PACKAGES = 5  # folders
DEEPEST = 3  # folders above a package's own description, below the folder of most sources
SHARE_OF_ROOT = 0.8  # of the sources in the folder of most sources
FEWEST_FILES = 2  # of a package: a folder with one file is that file
PACKAGE_FILE = lazy_pattern(
    r"(?i)(?P<folder>.+?)(?:/src)?"
    r"/(?:readme\.(?:md|rst|txt|adoc)|__init__\.py|mod\.rs|lib\.rs|doc\.go|package-info\.java)"
)
FEWEST_ALIKE = 12  # folders below one
SHARE_OF_ALIKE = 0.7  # of them that hold a file of the same name
FILES_OF_ALIKE = 4  # named
LINES_OF_ALIKE = 2
SOURCE_FOLDERS = frozenset(["src", "lib", "source"])  # of packages, each with an entry file of the same name
NAME = "NAME"  # the folder's own name, in the names of its files


@dataclass(frozen=True, slots=True)
class AlikeFolders:
    """The folders below a parent that mostly hold files of the same names."""

    parent: str
    folders: int
    complete: int  # how many of them hold all of these files
    names: frozenset[str]  # the folder's own name is written NAME


def package_items(snapshot: Snapshot, sources: Sequence[IndexedFile]) -> Iterator[CandidateItem]:
    """The folders with most source files that describe themselves, in a README or the docstring of the package."""
    sizes = _sizes(sources)
    found: dict[str, tuple[str, str]] = {}
    for file in snapshot.files:
        place = PACKAGE_FILE.fullmatch(file.path)
        if place and sizes.get(place["folder"], 0) >= FEWEST_FILES and (text := _package_summary(snapshot, file)):
            found.setdefault(place["folder"], (file.path, text))
    nested = {folder: sum(folder.startswith(f"{other}/") for other in found) for folder in found}
    shown = sorted(found, key=lambda folder: (nested[folder], -sizes[folder], folder))[:PACKAGES]
    for at, folder in enumerate(shown):
        source, text = found[folder]
        path = visible_path(source)
        item = BriefItem(kind="map", id=path, path=path, text=text, source="file")
        line = f"- {code(visible_path(folder) + '/')}: {quoted(text)}"
        yield CandidateItem(*order.MAP_PACKAGE.nth(at), (Rendering(line, item),))


def _sizes(sources: Sequence[IndexedFile]) -> Mapping[str, int]:
    """The number of source files in each folder near the top or near the folder of most sources."""
    sizes = Counter[str]()
    for inner, count in Counter(file.path.rpartition("/")[0] for file in sources).items():
        folders = inner.split("/") if inner else []
        for depth in range(1, len(folders) + 1):
            sizes["/".join(folders[:depth])] += count
    root = max((each for each in sizes if sizes[each] >= SHARE_OF_ROOT * len(sources)), key=len, default="")
    deepest = DEEPEST + root.count("/")
    return {folder: size for folder, size in sizes.items() if folder.count("/") < max(DEEPEST, deepest)}


def _package_summary(snapshot: Snapshot, file: IndexedFile) -> str:
    text = text_at(snapshot, file.path)
    if text is None:
        return ""
    if file.language == "markdown" or file.role is Role.DOCS:
        manifest = Manifest(file.path, text.replace("\r\n", "\n"))
        fact = opening(manifest)
        return first_sentence(fact.text) if fact else first_items(manifest, LONGEST)
    summary = summary_of(file.language, text)
    return summary if describes(summary, file.path.split("/")[-2]) else ""


def alike_folders(paths: Iterable[str], sources: Sequence[IndexedFile]) -> list[AlikeFolders]:
    """The parents whose folders mostly hold files of the same names, one of them a source file; largest first."""
    inside: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path in paths:
        parent, own, name = _without_own_name(path)
        if own:
            inside[parent][own].add(name)
    names = {_without_own_name(file.path)[2] for file in sources if not PACKAGE_FILE.fullmatch(file.path)}
    many = {parent: folders for parent, folders in inside.items() if len(folders) >= FEWEST_ALIKE}
    found = [
        AlikeFolders(parent, len(folders), sum(common <= files for files in folders.values()), frozenset(common))
        for parent, folders in many.items()
        if not names.isdisjoint(common := _common(folders))
    ]
    return sorted(found, key=lambda one: (-one.folders, one.parent))


def alike_items(found: Sequence[AlikeFolders]) -> Iterator[CandidateItem]:
    """One line on each of the largest."""
    for at, one in enumerate(found[:LINES_OF_ALIKE]):
        place = f"{one.parent}/{NAME}/" if one.parent else f"{NAME}/"
        names = ", ".join(map(code, sorted(one.names)[:FILES_OF_ALIKE]))
        text = f"{one.complete} of {one.folders} folders contain {names}"
        item = BriefItem(kind="map", id=place, path=place, text=text, source="file")
        yield CandidateItem(*order.MAP_ALIKE.nth(at), (Rendering(f"- {code(place)}: {text}", item),))


def without_alike(sources: Sequence[IndexedFile], found: Sequence[AlikeFolders]) -> Sequence[IndexedFile]:
    """The sources, without files that such folders (or many folders anywhere) share; all of them if none is left."""
    names = {one.parent: one.names for one in found}
    tails = Counter(_tail(file) for file in sources)

    def is_alike(file: IndexedFile) -> bool:
        parent, _, name = _without_own_name(file.path)
        is_common = tails[_tail(file)] >= FEWEST_ALIKE and _tail(file)[0] not in SOURCE_FOLDERS
        return name in names.get(parent, ()) or is_common

    return [file for file in sources if not is_alike(file)] or sources


def _tail(file: IndexedFile) -> tuple[str, ...]:
    return tuple(file.path.split("/")[-2:])


def _without_own_name(path: str) -> tuple[str, str, str]:
    """The folders of a path, its last folder, and its file name, with the last folder's name as NAME."""
    folder, _, name = visible_path(path).rpartition("/")
    parent, _, own = folder.rpartition("/")
    return parent, own, name.replace(own, NAME, 1) if own and name.startswith(f"{own}.") else name


def _common(folders: Mapping[str, set[str]]) -> set[str]:
    """The names of files that most of the folders hold."""
    counts = Counter(name for files in folders.values() for name in files)
    return {name for name, count in counts.items() if count >= SHARE_OF_ALIKE * len(folders)}
