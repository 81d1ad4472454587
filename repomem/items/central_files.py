"""The map's central files and packages, each with its own summary and its main definitions."""

import heapq
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from repomem.brief import order
from repomem.brief.items import CandidateItem, Rendering
from repomem.brief.lines import code
from repomem.core.escape import quoted, visible_path
from repomem.core.types.brief import BriefItem
from repomem.core.types.code import Role
from repomem.core.types.indexed import IndexedChunk, IndexedFile, Symbol
from repomem.core.words import whole
from repomem.profile.facts import text_at
from repomem.profile.file_summaries import LONGEST, first_sentence, summary_of
from repomem.profile.manifest import Manifest
from repomem.profile.readme_and_owners import first_items, opening
from repomem.workspace.snapshot import Snapshot

CENTRAL = 7  # files
NAMES = 5  # definitions of each
PACKAGES = 5  # folders
DEEPEST = 3  # folders above a package's own description
FEWEST_FILES = 2  # of a package: a folder with one file is that file
PLAIN_LANGUAGES = frozenset(["", "markdown", "json", "yaml", "toml", "html", "css", "make"])  # define no names
SETTINGS = re.compile(  # configures a build or states a version: changed often, but contains no feature
    r"(?i).*\.config\.[cm]?[jt]s|\.?eslintrc\.[cm]?js|(?:gulp|grunt)file\.[jt]s|.*\.gradle(?:\.kts)?|mix\.exs|build\.sbt"
    r"|setup\.py|conf\.py|noxfile\.py|tasks\.py|_{0,2}version_{0,2}\.\w+|rakefile|gemfile|.*\.gemspec|package\.swift"
    r"|build\.(?:rs|zig)|configure|.*\.rockspec"
)
DEFINING_KINDS = frozenset(["class", "interface", "struct", "enum", "trait", "type", "function"])
COMMON_STEMS = frozenset(["index", "main", "init", "mod", "lib", "utils", "util", "common", "base", "core"])
COMMON_STEMS |= {"test", "tests", "types", "setup"}
TEST_NAME = re.compile(r"(?i)(?:.*\.)?tests?(?:\..*)?|(?:.*\.)?test_.*")  # tests within a source file
NO_NAME = re.compile(r"[\s/:]")  # the title of a test, or a module that another file declares
PACKAGE_FILE = re.compile(
    r"(?i)(?P<folder>.+?)(?:/src)?/(?:readme\.(?:md|rst|txt|adoc)|__init__\.py|mod\.rs|lib\.rs|doc\.go)"
)


def code_files(snapshot: Snapshot) -> list[IndexedFile]:
    """The source files whose language defines names, without those that only configure the build."""
    sources = [file for file in snapshot.files if file.role is Role.SOURCE and file.language not in PLAIN_LANGUAGES]
    return [file for file in sources if not SETTINGS.fullmatch(file.path.rpartition("/")[2])]


def package_items(snapshot: Snapshot, sources: Sequence[IndexedFile]) -> Iterator[CandidateItem]:
    """The folders with most source files that describe themselves, in a README or the docstring of the package."""
    sizes = Counter[str]()
    for inner, count in Counter(file.path.rpartition("/")[0] for file in sources).items():
        folders = inner.split("/") if inner else []
        for depth in range(1, min(len(folders), DEEPEST) + 1):
            sizes["/".join(folders[:depth])] += count
    found: dict[str, tuple[str, str]] = {}
    for file in snapshot.files:
        place = PACKAGE_FILE.fullmatch(file.path)
        if place and sizes.get(place["folder"], 0) >= FEWEST_FILES and (text := _package_summary(snapshot, file)):
            found.setdefault(place["folder"], (file.path, text))
    for at, folder in enumerate(sorted(found, key=lambda folder: (-sizes[folder], folder))[:PACKAGES]):
        source, text = found[folder]
        path = visible_path(source)
        item = BriefItem(kind="map", id=path, path=path, text=text, source="file")
        line = f"- {code(visible_path(folder) + '/')}: {quoted(text)}"
        yield CandidateItem(*order.MAP_PACKAGE.nth(at), (Rendering(line, item),))


def _package_summary(snapshot: Snapshot, file: IndexedFile) -> str:
    text = text_at(snapshot, file.path)
    if text is None:
        return ""
    if file.language == "markdown" or file.role is Role.DOCS:
        manifest = Manifest(file.path, text.replace("\r\n", "\n"))
        fact = opening(manifest)
        return first_sentence(fact.text) if fact else first_items(manifest, LONGEST)
    return summary_of(file.language, text)


def central_items(
    snapshot: Snapshot, sources: Sequence[IndexedFile], changes: Mapping[str, int]
) -> Iterator[CandidateItem]:
    """Source files that others mention by name and that change; `changes` counts the commits of each path."""
    stems = {file.version: whole(_stem(file)) for file in sources}
    mentions = snapshot.view.file_words.frequencies(sorted(set(stems.values())))

    def weight(file: IndexedFile) -> float:
        named = 0 if stems[file.version] in COMMON_STEMS else mentions[stems[file.version]]
        return math.log1p(named) + 2 * math.log1p(changes.get(file.path, 0)) + math.log1p(file.chunks)

    best = heapq.nsmallest(2 * CENTRAL, sources, key=lambda file: (-weight(file), file.path))
    chunks: dict[int, list[IndexedChunk]] = {}
    for chunk in snapshot.workspace.store.chunks([file.version for file in best]):
        chunks.setdefault(chunk.version, []).append(chunk)
    described = [_renderings(snapshot, file, chunks.get(file.version, [])) for file in best]
    telling = [forms for forms in described if forms[0].item.text] or described
    for at, forms in enumerate(telling[:CENTRAL]):
        yield CandidateItem(*order.MAP_FILE.nth(at), forms)


def _renderings(snapshot: Snapshot, file: IndexedFile, chunks: Sequence[IndexedChunk]) -> tuple[Rendering, ...]:
    """A file's line: with its summary and definitions, and with its definitions alone."""
    path = visible_path(file.path)
    names = ", ".join(map(code, _short(_main(file.language, [site for chunk in chunks for site in chunk.sites]))))
    is_package = PACKAGE_FILE.fullmatch(file.path)  # its folder is shown with this summary
    text = "" if is_package else text_at(snapshot, file.path) or ""
    summary = summary_of(file.language, text) or _docstring(file, chunks)
    texts = dict.fromkeys(["; ".join(filter(None, [quoted(summary) if summary else "", names])), names])
    return tuple(
        Rendering(
            f"- {code(path)}" + (f": {shown}" if shown else ""),
            BriefItem(kind="map", id=path, path=path, text=shown, source="file"),
        )
        for shown in texts
    )


def _docstring(file: IndexedFile, chunks: Iterable[IndexedChunk]) -> str:
    """The first sentence of the docstring of the definition that the file is named after."""
    stem = _stem(file).replace("_", "").replace("-", "").casefold()
    kinds = (chunk for chunk in chunks if chunk.kind in DEFINING_KINDS and chunk.docstring)
    named = (chunk.docstring for chunk in kinds if chunk.symbol.rpartition(".")[2].casefold() == stem)
    return first_sentence(next(named, ""))


def _stem(file: IndexedFile) -> str:
    return file.path.rpartition("/")[2].partition(".")[0]


def _main(language: str, sites: Iterable[Symbol]) -> list[str]:
    """The longest definitions, by name, without tests and nested ones (except in a frame), the public ones first."""
    defining = (site for site in sites if site.kind in DEFINING_KINDS and not NO_NAME.search(site.qualified))
    lengths = {site.qualified: site.end_line - site.start_line for site in defining}
    outer = [name for name in lengths if not _is_within(name, lengths) and not TEST_NAME.fullmatch(name)]
    public = [name for name in outer if _is_public(language, name.rpartition(".")[2])]
    return sorted(sorted(public or outer, key=lambda name: (-lengths[name], name))[:NAMES])


def _short(names: Sequence[str]) -> list[str]:
    """The names without the module or namespace that all of several share."""
    owners = {name.rpartition(".")[0] for name in names}
    return [name.rpartition(".")[2] for name in names] if len(names) > 1 and len(owners) == 1 else list(names)


def _is_within(name: str, others: Mapping[str, int]) -> bool:
    parts = name.split(".")
    return any(".".join(parts[:at]) in others for at in range(1, len(parts)))


def _is_public(language: str, name: str) -> bool:
    return name[:1].isupper() if language == "go" else not name.startswith("_")
