"""The map's central files, each with its own summary and its main definitions."""

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from repomem.adapters.languages.conditional_lines import lines_of_one_system
from repomem.adapters.languages.file_roles import is_settings, originals_of
from repomem.brief import order
from repomem.brief.items import CandidateItem, Rendering
from repomem.core.grouping import grouped_by
from repomem.core.text.escape import code, quoted, visible_path
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.symbol_names import enclosing, last_part
from repomem.core.text.words import DEFINES, whole
from repomem.core.types.brief import BriefItem
from repomem.core.types.code import TYPES, Role
from repomem.core.types.indexed import IndexedChunk, IndexedFile, Symbol
from repomem.items.central_folders import PACKAGE_FILE
from repomem.profile.facts import text_at
from repomem.profile.file_summaries import describes, first_sentence, summary_of
from repomem.workspace.snapshot import Snapshot

CENTRAL = 7  # files
LARGE = 3  # chunks of a file that is named although it has no summary
NAMES = 4  # definitions of each
PLAIN_LANGUAGES = frozenset(["", "markdown", "json", "yaml", "toml", "html", "css", "make"])  # define no names
DEFINING_KINDS = frozenset(["class", "interface", "struct", "enum", "trait", "type", "function"])
ENTRY_STEMS = frozenset(["index", "init", "mod", "main", "lib"])
COMMON_STEMS = frozenset(["index", "main", "init", "mod", "lib", "utils", "util", "common", "base", "core"])
COMMON_STEMS |= {"test", "tests", "types", "setup", "src", "source", "sources", "app", "cmd", "pkg", "internal"}
TEST_NAME = lazy_pattern(r"(?i)(?:.*\.)?tests?(?:\..*)?|(?:.*\.)?test_.*")  # tests within a source file
NO_NAME = lazy_pattern(r"[\s/:]")  # the title of a test, or a module that another file declares
MOST_DEFINERS = 4  # files that define a function of one name
FEWEST_USES = 3  # mentioning files per definer, if there are more: it is one thing's name after all
SHORTEST_NAME = 3  # a shorter one is mostly a variable's elsewhere; a type's may have two letters
MOST_SHARING = 3  # central files with a definition of one name: such a name distinguishes none
ASIDE = lazy_pattern(  # top folders that build, measure or show the product
    r"(?i)(?:\..*|scripts?|tools?|builds?|packaging|ci|dev|hack|contrib|fuzz\w*|perf(?:ormance)?\b.*|bench.*"
    r"|websites?|site|www|docs?(?:[-_].*)?|tests?[-_].*|.*[-_]tests?)/.*"
)
EXPORTING = frozenset(["javascript", "typescript", "tsx"])  # a constant that is exported may hold a function
PUBLIC = {  # marks of definitions that other files may use, where a language needs them
    "rust": lazy_pattern(r"\bpub\b"),
    **dict.fromkeys(EXPORTING, lazy_pattern(r"\bexport\b")),
}
PRIVATE = lazy_pattern(r"(?:^|\s)(?:private|fileprivate|defp)\s")
FILE_LOCAL = lazy_pattern(r"(?:^|\s)static\s")  # in C and C++; elsewhere a static function belongs to a type
PLAIN_WORD = lazy_pattern(r"[a-z]+")
PLAIN_FACTOR = 0.7  # such a word is found in comments and other names too
TYPE_BONUS = 1.0  # its methods are used through it


def code_files(snapshot: Snapshot) -> list[IndexedFile]:
    """The source files whose language defines names, without settings and files compiled from one next to them."""
    sources = [file for file in snapshot.files if file.role is Role.SOURCE and file.language not in PLAIN_LANGUAGES]
    paths = {file.path for file in snapshot.files}
    return [file for file in sources if not is_settings(file.path) and paths.isdisjoint(originals_of(file.path))]


def main_paths(sources: Sequence[IndexedFile]) -> frozenset[str]:
    """The paths of the product's own sources; of all if there are none."""
    paths = frozenset(file.path for file in sources)
    return frozenset(path for path in paths if not ASIDE.fullmatch(path)) or paths


def central_items(
    snapshot: Snapshot, sources: Sequence[IndexedFile], changes: Mapping[str, int]
) -> Iterator[CandidateItem]:
    """Source files that others mention by name and that change; `changes` counts the commits of each path."""
    stems = {file.version: whole(_stem(file)) for file in sources}
    mentions = snapshot.view.file_words.frequencies(sorted(set(stems.values())))

    def weight(file: IndexedFile) -> float:
        stem = stems[file.version]
        named = 0 if stem in COMMON_STEMS else math.log1p(mentions[stem]) * _trust(_stem(file))
        return named + 2 * math.log1p(changes.get(file.path, 0)) + math.log1p(file.chunks)

    main = main_paths(sources)
    own = [file for file in sources if file.path in main]
    best = heapq.nsmallest(3 * CENTRAL, own, key=lambda file: (-weight(file), file.path))
    chunks = grouped_by(snapshot.workspace.store.chunks([file.version for file in best]), lambda chunk: chunk.version)
    sites = {file: [site for chunk in chunks.get(file.version, []) for site in chunk.sites] for file in best}
    sites = {file: _of_all_systems(snapshot, file, each) for file, each in sites.items()}
    used = _uses(snapshot, (last_part(site.qualified) for each in sites.values() for site in each))
    summaries = {file: _summary(snapshot, file, chunks.get(file.version, [])) for file in best}
    names = {
        file: _main(file, own, used) or ([] if summaries[file] else _methods(file, own, used))
        for file, own in sites.items()
    }
    shared = Counter(chain.from_iterable(names.values()))  # by the methods of one interface
    telling = [file for file in best if summaries[file] or names[file]]
    large = [file for file in best if file not in telling and file.chunks >= LARGE]
    for at, file in enumerate((telling + large or best)[:CENTRAL]):
        forms = _renderings(file, summaries[file], [name for name in names[file] if shared[name] < MOST_SHARING])
        yield CandidateItem(*order.MAP_FILE.nth(at), forms)


def _of_all_systems(snapshot: Snapshot, file: IndexedFile, sites: list[Symbol]) -> list[Symbol]:
    """The definitions of a C file that are compiled on every system; the others often replace a library function."""
    text = text_at(snapshot, file.path) if file.language in ("c", "cpp", "objc") else None
    lines = lines_of_one_system(text or "")
    return [site for site in sites if site.start_line not in lines] if lines else sites


def _renderings(file: IndexedFile, summary: str, main: Iterable[str]) -> tuple[Rendering, ...]:
    """A file's line: with its summary and definitions, and with its definitions alone."""
    path = visible_path(file.path)
    names = ", ".join(map(code, main))
    text = "; ".join(filter(None, [quoted(summary) if summary else "", names]))
    return tuple(
        Rendering(
            f"- {code(path)}" + (f": {shown}" if shown else ""),
            BriefItem(kind="map", id=path, path=path, text=shown, source="file"),
        )
        for shown in dict.fromkeys([text, names or text])
    )


def _summary(snapshot: Snapshot, file: IndexedFile, chunks: Sequence[IndexedChunk]) -> str:
    """The file's description of itself; empty for a package's own file, which describes the folder."""
    text = "" if PACKAGE_FILE.fullmatch(file.path) else text_at(snapshot, file.path) or ""
    found = (summary_of(file.language, text), _docstring(file, chunks))
    return next((each for each in found if each and describes(each, _stem(file))), "")


def _docstring(file: IndexedFile, chunks: Sequence[IndexedChunk]) -> str:
    """The first sentence of the docstring of the type that the file is named after, or of its only definition."""
    stem = _folded(_stem(file))
    is_alone = sum(len(chunk.sites) for chunk in chunks) == 1
    kinds = DEFINING_KINDS if is_alone else TYPES
    about_file = (chunk for chunk in chunks if chunk.kind in kinds)
    named = (each.docstring for each in about_file if each.docstring and last_part(each.symbol).casefold() == stem)
    return first_sentence(next(named, ""))


def _stem(file: IndexedFile) -> str:
    """The name by which others mention the file: its own, or its folder's if it is the folder's entry."""
    *folders, name = file.path.split("/")
    stem = name.partition(".")[0]
    return folders[-1] if folders and stem.strip("_") in ENTRY_STEMS else stem


def _main(file: IndexedFile, sites: Sequence[Symbol], used: Mapping[str, float]) -> list[str]:
    """The public definitions that most files use, without nested ones and tests, and without the file's own name."""
    named = [site for site in sites if not NO_NAME.search(site.qualified) and not TEST_NAME.fullmatch(site.qualified)]
    defining = [site for site in named if _is_defining(file.language, site)]
    stem = _folded(_stem(file))
    own = min((site.qualified for site in defining if _folded(last_part(site.qualified)) == stem), key=len, default="")
    defining = [site for site in defining if not own.startswith(f"{site.qualified}.")]  # reopened as a namespace
    within = {site.qualified for site in defining}
    outer = [site for site in defining if within.isdisjoint(enclosing(site.qualified)[:-1])]
    names = _most_used(file.language, outer, used)
    says_nothing = len(names) <= 2 and all(_folded(name).startswith(stem) for name in names)
    return [] if says_nothing else names


def _methods(file: IndexedFile, sites: Sequence[Symbol], used: Mapping[str, float]) -> list[str]:
    """The public methods that most files use, of the type that the file is named after."""
    stem = _folded(_stem(file))
    methods = [site for site in sites if site.kind == "method"]
    own = [site for site in methods if _folded(last_part(site.qualified.rpartition(".")[0])) == stem]
    return _most_used(file.language, own, used)


def _is_defining(language: str, site: Symbol) -> bool:
    """Whether it is a type, a function, or an exported constant that may hold a function: no CONSTANT_OF_A_VALUE."""
    is_constant = language in EXPORTING and site.kind in ("constant", "variable")
    return site.kind in DEFINING_KINDS or (
        is_constant and "export" in site.signature and not last_part(site.qualified).isupper()
    )


def _most_used(language: str, sites: Sequence[Symbol], used: Mapping[str, float]) -> list[str]:
    """The names of the public definitions, those that most files use and the longest first."""
    public = [site for site in sites if _is_public(language, site)] or sites
    weights: dict[str, float] = {}
    for site in public:
        name = last_part(site.qualified)
        if len(name) >= SHORTEST_NAME - (site.kind in TYPES) and name in used and not name.startswith("__"):
            length = 0.5 * math.log1p(site.end_line - site.start_line)
            weight = used[name] + length + TYPE_BONUS * (site.kind in TYPES)
            weights[name] = max(weight, weights.get(name, 0))
    return heapq.nsmallest(NAMES, weights, key=lambda name: (-weights[name], name))


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


def _uses(snapshot: Snapshot, names: Iterable[str]) -> Mapping[str, float]:
    """How widely each name is used: the logarithm of the number of mentioning files per defining file.

    Names that many files define are left out: they are methods of an interface.
    """
    words = {name: whole(name) for name in names}
    wanted = sorted({mark + word for word in words.values() for mark in ("", DEFINES)})
    counts = snapshot.view.file_words.frequencies(wanted)
    definers = {name: max(counts[DEFINES + word], 1) for name, word in words.items()}
    return {
        name: math.log1p(max(counts[word] / definers[name] - 1, 0)) * _trust(name)
        for name, word in words.items()
        if definers[name] <= MOST_DEFINERS or name[:1].isupper() or counts[word] >= FEWEST_USES * definers[name]
    }


def _trust(name: str) -> float:
    """How likely a word in another file is this name."""
    return PLAIN_FACTOR if PLAIN_WORD.fullmatch(name) else 1.0


def _is_public(language: str, site: Symbol) -> bool:
    """Whether other files may use a definition, as far as its name and signature show."""
    name = last_part(site.qualified)
    if language == "go":
        return name[:1].isupper()
    if language in ("c", "cpp", "objc") and FILE_LOCAL.search(site.signature):
        return False
    mark = PUBLIC.get(language)
    is_marked = mark is None or bool(mark.search(site.signature))
    return is_marked and not name.startswith("_") and not PRIVATE.search(site.signature)
