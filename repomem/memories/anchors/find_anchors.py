"""Find anchors for the code that a memory's text names unambiguously.

A path must match one live file, a name one definition. Doubtful matches are dropped: an anchor on the wrong code would
mark a true memory as drifted.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from repomem.core.errors import NotFound
from repomem.core.records import Anchor
from repomem.core.text.escape import ends_path
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.symbol_names import last_part, paths_and_symbols
from repomem.core.text.words import DEFINES, whole
from repomem.core.types.code import CONTAINERS, Role
from repomem.core.types.indexed import IndexedFile
from repomem.memories.anchors.locate import anchor_at
from repomem.memories.anchors.mentions import Mention, mentions
from repomem.memories.anchors.unindexed_code import UnindexedCode
from repomem.workspace.snapshot import Snapshot

MOST_ANCHORS = 3
MOST_CHUNKS = 2_000  # with one name; a more frequent name identifies nothing
MOST_FILES = 60  # whose definitions are read for one name
NO_SYMBOLS = frozenset({"key", "section", "selector"})  # in data and text files, which name no code
MINOR_KINDS = frozenset({"constant", "variable", "field", "property", "type"})  # often named like ordinary words
DECLARING = (".d.ts", ".d.mts", ".d.cts", ".pyi", ".h", ".hpp", ".hh")  # declarations whose definitions are elsewhere
# Built-ins and option names: seldom meant as a method of the same name.
_EVERYDAY = """all any assert bool bytes call close copy delete dict eval exec exit false file filter float format
    get hash id import input int items iter join key keys len list log map max min name new next nil none null
    object open panic path pop print put range read reduce repr require round self set sleep sort sorted split str
    string sum super test this throw true type undefined update value values write zip"""
EVERYDAY = frozenset(_EVERYDAY.split())
MOST_NAMED = 8  # places in an error
_SEPARATOR = lazy_pattern(r"\.|::|#|->")
TRANSPARENT = frozenset({"src", "lib", "index", "mod", "__init__"})  # path parts that imports omit


@dataclass(frozen=True, slots=True)
class Defined:
    """One definition of a symbol."""

    path: str
    role: Role
    qualified: str
    kind: str

    @property
    def place(self) -> tuple[str, str]:
        """Path and qualified name: overloads share them."""
        return self.path, self.qualified


def found_anchors(snapshot: Snapshot, text: str) -> tuple[Anchor, ...]:
    """At most MOST_ANCHORS anchors for the code that the text is about, in text order."""
    named = mentions(text)
    lookup = _SymbolLookup(snapshot, frozenset(re.findall(r"\w+", text)))
    lookup.files |= {path for mention in named for path in [lookup.file(mention)] if path}
    places = [place for mention in named for place in [lookup.place(mention)] if place]
    return tuple(islice(_anchors(snapshot, _smallest(dict.fromkeys(places))), MOST_ANCHORS))


def place_named(snapshot: Snapshot | None, name: str) -> tuple[str, str]:
    """Path and symbol of code named by its symbol, or by the end of its path: `Session.send`, `net.py:send`.

    Raises NotFound if nothing indexed matches, or several things do.
    """
    if snapshot is None:
        raise NotFound(f"no file is called {name}, and nothing is indexed yet to search for it", "run repomem index")
    found = places_named(snapshot, name)
    if not found:
        raise NotFound(
            f"no file or indexed symbol matches {name}",
            "give a path relative to the top of the repository, alone or with a symbol: --on src/net.py:Client.send",
        )
    if len(found) > 1:
        listed = ", ".join(f"{path}{one and ':'}{one}" for path, one in found[:MOST_NAMED])
        raise NotFound(f"{name} matches {len(found)} places", f"give one of {listed}")
    return found[0]


def places_named(snapshot: Snapshot, name: str) -> list[tuple[str, str]]:
    """Paths and symbols of the code that is named so; symbols in source files alone if they are also in others."""
    for end, symbol in paths_and_symbols(name):
        if files := [file.path for file in snapshot.files if ends_path(file.path, end)]:
            return [(path, symbol) for path in files]
    parts = _SEPARATOR.split(name.removesuffix("()"))
    lookup = _SymbolLookup(snapshot, frozenset())
    found = _called(lookup.defined(parts[-1], *parts[-2:-1]), parts)
    return _without_constructors(one.place for one in _likely(found))


def _anchors(snapshot: Snapshot, places: Iterable[tuple[str, str]]) -> Iterator[Anchor]:
    for path, symbol in places:
        with suppress(NotFound):
            yield anchor_at(snapshot.workspace, path, symbol)


def _smallest(places: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
    """The places without a file that has a named symbol, and without a class that has a named method."""
    return [place for place in places if not any(_holds(place, other) for other in places)]


def _holds(outer: tuple[str, str], inner: tuple[str, str]) -> bool:
    if outer[0] != inner[0] or outer == inner:
        return False
    return not outer[1] or inner[1].startswith(f"{outer[1]}.")


@dataclass
class _SymbolLookup:
    """Looks up the names of a text in the live files; `words` are all of its words, `files` the paths that it names."""

    snapshot: Snapshot
    words: frozenset[str]
    files: set[str] = field(default_factory=set)

    @cached_property
    def _live(self) -> dict[int, IndexedFile]:
        return {file.version: file for file in self.snapshot.files if file.path not in self._unindexed.roles}

    @cached_property
    def _unindexed(self) -> UnindexedCode:
        return UnindexedCode(self.snapshot)

    @cached_property
    def _roles(self) -> Mapping[str, Role]:
        """The role of each live file by its path."""
        return {file.path: file.role for file in self.snapshot.files} | dict(self._unindexed.roles)

    def place(self, mention: Mention) -> tuple[str, str] | None:
        """Path and symbol of a mention; None if it matches nothing, or several things."""
        path = self.file(mention)
        if path and not mention.is_place:
            return path, ""
        if mention.is_place:
            return self._inside(path, mention.parts) if path else None
        return self._symbol(mention) or self._module(mention.parts)

    def file(self, mention: Mention) -> str:
        """The one live file with this path or path ending; empty if none or several match."""
        wanted = mention.path
        if not wanted:
            return ""
        having = [path for path in self._roles if path == wanted or path.endswith(f"/{wanted}")]
        if len(having) == 1:
            return having[0]
        if "/" in wanted or wanted.partition(".")[0].isupper():  # README.md means the one at the top
            having = [path for path in having if path == wanted]
        else:
            having = [path for path in having if self._roles[path] is Role.SOURCE]
        return having[0] if len(having) == 1 else ""

    def _inside(self, path: str, parts: Sequence[str]) -> tuple[str, str]:
        """The symbol of a file, else the file."""
        here = [
            one for one in self.defined(parts[-1]) if one.path == path and _ends_in(one.qualified.split("."), parts)
        ]
        return (path, here[0].qualified) if len({one.qualified for one in here}) == 1 else (path, "")

    def _symbol(self, mention: Mention) -> tuple[str, str] | None:
        parts = mention.parts
        if len(parts) < 2:
            return self._one([one for one in self.defined(parts[0]) if self._is_meant(one, mention)]) if parts else None
        found = _called(self.defined(parts[-1], parts[-2]), parts)
        return self._one(found or [one for one in self.defined(parts[-2]) if _may_hold(one, parts)])

    def _is_meant(self, one: Defined, mention: Mention) -> bool:
        """Whether an unqualified name may mean a definition: not one in tests, and not an ordinary word."""
        if one.path in self.files:
            return True
        name = mention.parts[0]
        if mention.is_plain and one.kind in MINOR_KINDS:
            return False
        if mention.is_plain and name in EVERYDAY and not self._has_named_class(one):
            return False
        return one.role is Role.SOURCE or "test" in name.lower()

    def _module(self, parts: Sequence[str]) -> tuple[str, str] | None:
        """The one source file that an import path names."""
        if len(parts) < 2:
            return None
        named = [path for path in self._roles if _path_parts(path)[-len(parts) :] == list(parts)]
        return (named[0], "") if len(named) == 1 else None

    def _one(self, found: Sequence[Defined]) -> tuple[str, str] | None:
        """The definition meant, where only one is possible."""
        likely = _likely(found)
        named = [one for one in found if one.path in self.files]
        for narrowed in (found, named, likely, [one for one in likely if self._has_named_class(one)]):
            places = _without_constructors({one.place for one in narrowed})
            if len(places) == 1:
                return places[0]
        return None

    def _has_named_class(self, one: Defined) -> bool:
        return last_part(one.qualified.rpartition(".")[0]) in self.words

    def defined(self, name: str, within: str = "") -> list[Defined]:
        """The definitions of exactly this name; `within` is their class or module."""
        versions = self._defining(name)
        if within and len(versions) > MOST_FILES:
            near = set(self._defining(within))
            versions = [v for v in versions if v in near or within in _path_parts(self._live[v].path)]
        if len(versions) > MOST_FILES:
            return []
        names = {name, name.rstrip("?!")}
        indexed = [
            Defined(self._live[chunk.version].path, self._live[chunk.version].role, site.qualified, site.kind)
            for chunk in self.snapshot.code(self.snapshot.tree.corpus).chunks(versions)
            for site in chunk.sites
            if last_part(site.qualified) in names
        ]
        unindexed = [
            Defined(path, self._roles[path], one.qualified, one.kind) for path, one in self._unindexed.defining(names)
        ]
        return [one for one in indexed + unindexed if one.kind not in NO_SYMBOLS]

    def _defining(self, name: str) -> list[int]:
        """The live files that define a name, in any case style."""
        words = [DEFINES + whole(name.rstrip("?!"))]
        found = self.snapshot.code(self.snapshot.tree.corpus).candidates_by_words(words, MOST_CHUNKS)
        return sorted({version for version in found if version in self._live})


def _called(found: Sequence[Defined], parts: Sequence[str]) -> list[Defined]:
    """The definitions that a qualified name means: exactly those of that class, else those of its class or module."""
    exact = [one for one in found if _ends_in(one.qualified.split("."), parts)]
    return exact or [one for one in found if _is_called(one, parts)]


def _is_called(one: Defined, parts: Sequence[str]) -> bool:
    """Whether a definition matches a qualified name, by its class or its module."""
    wanted, qualified = [*map(_bare, parts)], [*map(_bare, one.qualified.split("."))]
    if _ends_in(qualified, wanted):
        return True
    size = len(qualified)
    modules = _path_parts(one.path)
    return size < len(wanted) and qualified == wanted[-size:] and {*wanted[:-size]} <= {*map(_bare, modules)}


def _may_hold(one: Defined, parts: Sequence[str]) -> bool:
    """Whether a definition is a class that may have the last part as a field: not all fields are indexed."""
    return parts[-2][:1].isupper() and one.kind in CONTAINERS and _ends_in(one.qualified.split("."), parts[:-1])


def _ends_in(names: Sequence[str], end: Sequence[str]) -> bool:
    return list(names[-len(end) :]) == list(end)


def _bare(name: str) -> str:
    return whole(name.rstrip("?!"))


def _path_parts(path: str) -> list[str]:
    """The folders and the name of a file as in an import."""
    *folders, name = path.split("/")
    return [part for part in (*folders, name.partition(".")[0]) if part not in TRANSPARENT]


def _likely(found: Sequence[Defined]) -> Sequence[Defined]:
    """The definitions without the less likely ones, as long as one is left."""
    found = [one for one in found if one.role is Role.SOURCE] or found
    found = [one for one in found if not one.path.endswith(DECLARING)] or found
    return [one for one in found if one.kind not in MINOR_KINDS] or found


def _without_constructors(places: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The places without constructors named like their class."""
    every = set(places)
    return sorted((path, name) for path, name in every if (path, name.rpartition(".")[0]) not in every)
