"""Definitions of symbols and their callers: candidates by words, resolved by scope and import."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.symbol_names import dotted, is_named, last_part
from repomem.core.text.words import DEFINES, whole
from repomem.core.types.code import TYPES, Role
from repomem.core.types.indexed import IndexedFile, Symbol
from repomem.ranking.callers import Caller, CallTarget, callers_of, kinds_of_uses, may_be_taken_for, used_as
from repomem.ranking.definitions import is_in_tests
from repomem.ranking.import_resolution import C_HEADERS, MOST_HOPS, is_whole_type
from repomem.ranking.modules import C_FAMILY, ReferencingFile, indexes_above, re_exporting
from repomem.workspace.snapshot import Snapshot

PRIVATE_TO_FILE = frozenset(["java", "kotlin", "swift", "typescript", "tsx"])  # only its file calls a private member
_PRIVATE = lazy_pattern(r"^[^({=]*\b(?:file)?private\b")
MOST_FILES = 60  # with a name whose callers a brief shows
MOST_CHUNKS = 3_000  # containing a name; if there are more, the name is too common
IN_PLACE_OF_BODY = lazy_pattern(r"=\s*(?:default|delete)\s*;?$")  # in C++: a definition that ends like a declaration


@dataclass(frozen=True, slots=True)
class CalledDefinition:
    """A definition, its callers (resolved ones first), and how many other definitions a call by its name may mean.

    `overloads` counts the definitions with its qualified name in its file (in Kotlin, its package), itself included:
    they share their callers.
    """

    file: IndexedFile
    site: Symbol
    callers: tuple[Caller, ...]
    namesakes: int
    overloads: int

    @property
    def is_called(self) -> bool:
        """Whether all uses are looked for, which depends on its kind: in C++, a declared variable is constructed."""
        is_declared = self.site.kind == "constructor" and self.file.language in C_FAMILY
        return bool(kinds_of_uses(self.site)) and not is_declared

    @property
    def is_in_header(self) -> bool:
        """Whether it is in a header of C or C++, which mostly declares what another file defines."""
        return self.file.path.endswith(C_HEADERS)

    @property
    def resolved(self) -> tuple[Caller, ...]:
        """The resolved callers."""
        return tuple(caller for caller in self.callers if caller.is_resolved)


def definitions_named(snapshot: Snapshot, symbol: str, path: str) -> list[CalledDefinition]:
    """Every definition of a symbol, by plain or qualified name, with its callers; in one file or in all."""
    qualified = dotted(symbol)
    name = last_part(qualified)
    if not index_word(name):
        return []
    files = files_with(snapshot, {name})
    classes = {target.name for target in _targets(files, qualified)} - {name}
    if classes:  # a constructor is called by the name of its class
        files = files_with(snapshot, {name, *classes})
    found = [target for target in _targets(files, qualified) if path in {"", target.file.path}]
    found.sort(key=lambda one: (_is_aside(one.file.file), one.file.path, one.site.start_line))
    return [
        replace(shared, site=site) for one in found for shared in [called(snapshot, one, files)] for site in _same(one)
    ]


def _targets(files: Mapping[str, ReferencingFile], qualified: str) -> list[CallTarget]:
    """The definitions of a name in these files; of overloads, one of those that are called."""
    return [
        CallTarget(file, site)
        for file in files.values()
        for site in _once(file.references.sites)
        if is_named(site.qualified, qualified) or _extends(site, qualified)
    ]


def _extends(site: Symbol, qualified: str) -> bool:
    """Whether it is a function of Kotlin that extends the type it is named with, as `fun Buffer.indexOf()`."""
    owner, _, name = qualified.rpartition(".")
    if not owner or last_part(site.qualified) != name:
        return False
    receiver = re.escape(last_part(owner))
    return re.search(rf"\bfun\b[^(]*\b{receiver}(?:<[^<>]*>)?\??\.{re.escape(name)}\b", site.signature) is not None


def callers_at(snapshot: Snapshot, sites: Sequence[tuple[str, Symbol]]) -> list[CalledDefinition | None]:
    """Each of a few definitions (path, site) with its callers, resolved ones first, without recursive calls.

    Callers known by name alone are included if the name has no other definition. For a name in many files, no callers
    are looked for: that would take longer than a brief has.
    """
    names = [last_part(used_as(site)) for _, site in sites]
    counts = snapshot.view.file_words.frequencies([index_word(name) for name in names])
    rare = {name for name in names if 0 < counts[index_word(name)] <= MOST_FILES}
    return [
        _callers_at(snapshot, path, site) if name in rare else None
        for (path, site), name in zip(sites, names, strict=True)
    ]


def _callers_at(snapshot: Snapshot, path: str, site: Symbol) -> CalledDefinition | None:
    """One definition with its callers, without recursive calls and, for a type, uses in its own methods."""
    files = files_with(snapshot, {last_part(used_as(site))}, {path})
    if path not in files:
        return None
    found = called(snapshot, CallTarget(files[path], site), files)
    callers = found.resolved if found.namesakes else found.callers
    return replace(found, callers=tuple(one for one in callers if not _is_own(one, path, site)))


def _is_own(one: Caller, path: str, site: Symbol) -> bool:
    """Whether a use is in the definition itself; in Go, a type's methods may be in other files of its package."""
    is_method = site.kind in TYPES and one.within.startswith(f"{site.qualified}.")
    if is_method and path.endswith(".go"):
        return one.path.rpartition("/")[0] == path.rpartition("/")[0]
    return one.path == path and (is_method or one.within == site.qualified)


def called(snapshot: Snapshot, target: CallTarget, files: Mapping[str, ReferencingFile]) -> CalledDefinition:
    """The callers of a definition in files with its name."""
    callers = callers_of(target, list(files.values()), snapshot.tree.paths)
    asides = {path: _is_aside(one.file) for path, one in files.items()}
    callers.sort(key=lambda one: (not one.is_resolved, asides[one.path] or is_in_tests(one.within), one.path, one.line))
    others = [one for one in _targets(files, last_part(target.site.qualified)) if not _is_same(one, target)]
    namesakes = [one for one in others if may_be_taken_for(target, one)]
    if _is_private(target):
        callers = [one for one in callers if one.is_resolved or one.path == target.file.path]
    callers = _without_others(snapshot, callers, others, files)
    overloads = _overloads(target) + sum(_overloads(one) for one in others if _is_overload_elsewhere(one, target))
    return CalledDefinition(target.file.file, target.site, tuple(dict.fromkeys(callers)), len(namesakes), overloads)


def _is_private(target: CallTarget) -> bool:
    """Whether only its own file may call a definition."""
    return target.file.file.language in PRIVATE_TO_FILE and _PRIVATE.search(target.site.signature) is not None


def _without_others(
    snapshot: Snapshot, callers: Sequence[Caller], others: Sequence[CallTarget], files: Mapping[str, ReferencingFile]
) -> list[Caller]:
    """The callers, without those matched by name alone that resolve to another definition."""
    if all(one.is_resolved for one in callers):
        return list(callers)
    theirs = {
        (each.path, each.line)
        for one in others
        for each in callers_of(one, list(files.values()), snapshot.tree.paths)
        if each.is_resolved
    }
    return [one for one in callers if one.is_resolved or (one.path, one.line) not in theirs]


def index_word(name: str) -> str:
    """The index word of a name."""
    return whole(re.sub(r"\W", "", name))


def files_with(
    snapshot: Snapshot, names: Collection[str], defined_in: Collection[str] = ()
) -> dict[str, ReferencingFile]:
    """The live files with one of these names, by path, with their references.

    Indexes of packages that may re-export a definition are included: those above the files of `defined_in`, or above
    every file if that is empty.
    """
    corpus, paths = snapshot.tree.corpus, snapshot.tree.paths
    words = [mark + index_word(name) for name in sorted(names) for mark in (DEFINES, "")]
    holding = snapshot.code(corpus).candidates_by_words(words, MOST_CHUNKS)
    found = {corpus.by_version[version].path for version in holding if version in corpus.by_version}
    around = {index for path in defined_in or found for index in indexes_above(path) if index in paths}
    known: dict[str, ReferencingFile] = {}
    wanted = {*found, *around, *defined_in}
    for _ in range(MOST_HOPS):
        known |= _referencing(snapshot, wanted - known.keys(), names)
        wanted = re_exporting(known.values(), names, paths)
        if wanted <= known.keys():
            break
    return dict(sorted(known.items()))


def _referencing(snapshot: Snapshot, wanted: Iterable[str], names: Collection[str]) -> dict[str, ReferencingFile]:
    """The files at these paths, with their imports, and their definitions and uses of the names."""
    versions = [snapshot.tree.paths[path] for path in sorted(wanted)]
    rows = snapshot.workspace.store.uses(versions, frozenset(names))
    files = [ReferencingFile(snapshot.tree.corpus.by_version[row.version], row) for row in rows]
    return {file.path: file for file in files}


def _once(sites: Sequence[Symbol]) -> list[Symbol]:
    """One site per qualified name, the first that can be called: without overloads, clauses and platform variants."""
    first: dict[str, Symbol] = {}
    for site in sorted(sites, key=lambda one: not kinds_of_uses(one)):
        first.setdefault(site.qualified, site)
    return sorted(first.values(), key=lambda one: one.start_line)


def _same(target: CallTarget) -> list[Symbol]:
    """The definitions of a file with one qualified name, in order."""
    return [site for site in target.file.references.sites if site.qualified == target.site.qualified]


def _overloads(target: CallTarget) -> int:
    """The number of definitions that a call of this qualified name may mean, not counting declarations of others."""
    every = [site for site in _same(target) if kinds_of_uses(site)]
    whole = [one for one in every if not one.signature.endswith(";") or IN_PLACE_OF_BODY.search(one.signature)]
    return len(whole or every)


def _is_same(one: CallTarget, other: CallTarget) -> bool:
    """Whether they are one definition, or in C one and its declaration in a header."""
    if one.site.qualified != other.site.qualified:
        return False
    files = (one.file, other.file)
    if files[0].path != files[1].path and is_whole_type(one.site) and is_whole_type(other.site):
        return False
    is_c = all(file.file.language in C_FAMILY for file in files)
    return files[0].path == files[1].path or (is_c and len({file.path.endswith(C_HEADERS) for file in files}) > 1)


def _is_overload_elsewhere(one: CallTarget, other: CallTarget) -> bool:
    """Whether two functions of a Kotlin package differ only in parameters or receiver, so that an import means both."""
    is_top_level = one.site.qualified == other.site.qualified == last_part(other.site.qualified)
    is_kotlin = all(each.file.file.language == "kotlin" for each in (one, other))
    folders = {each.file.path.rpartition("/")[0] for each in (one, other)}
    return is_top_level and is_kotlin and len(folders) == 1


def _is_aside(file: IndexedFile) -> bool:
    """Whether a file is only an example or a test."""
    return file.role is not Role.SOURCE
