"""The uses of a definition: each use of its name is resolved by scope or import, matches only by name, or is another's.

There is no type inference: a method called on a variable matches by name alone.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from repomem.core.text.symbol_names import may_be_same
from repomem.core.types.code import FUNCTIONS, TYPES, Use
from repomem.core.types.indexed import Symbol
from repomem.ranking.import_resolution import C_HEADERS, ImportResolver
from repomem.ranking.modules import C_FAMILY, ECMASCRIPT, ReferencingFile, denotes, is_same_package

MEMBERS = frozenset({"method", "constructor", "property", "field"})
VALUES = frozenset({"variable", "constant"})
CALLS = ("call", "class")
_STRICT = frozenset({"python", "go", "rust", *ECMASCRIPT})  # a bare name is defined or imported in its file
_IMPLICIT_SELF = frozenset({"java", "kotlin", "scala", "c_sharp", "cpp", "ruby", "swift", "dart"})
_GLOBAL_NAMES = frozenset({"cpp", "ruby", "perl"})  # a full name means the same in every file
_OUTERMOST_ONLY = frozenset({"python", "go", *ECMASCRIPT})  # only top-level names can be imported
_SUPER = frozenset({"super", "parent", "base"})
_FAMILIES = (ECMASCRIPT | {"svelte"}, C_FAMILY, {"java", "kotlin", "scala"})  # languages that call each other
# In these, only a call on a receiver can mean a method, and only a call on a module a function.
_RECEIVER_TELLS = frozenset({"python", "go"})
UNKNOWN = "?"  # a receiver that is more than names


class Resolution(StrEnum):
    """How a use was matched with a definition."""

    SCOPE = "scope"  # same file, class or package
    IMPORT = "import"
    NAME = "name"  # the same name, and no evidence against it


class Caller(NamedTuple):
    """A place that uses a definition, or may."""

    path: str
    line: int
    within: str  # the enclosing definition, qualified; empty at module level
    how: Resolution

    @property
    def is_resolved(self) -> bool:
        """Whether scope or an import proves the use."""
        return self.how is not Resolution.NAME


@dataclass(frozen=True)
class CallTarget:
    """A definition whose uses are wanted; a constructor is used by the name of its class."""

    file: ReferencingFile
    site: Symbol

    @cached_property
    def qualified(self) -> str:
        """The qualified name by which it is used."""
        return used_as(self.site)

    @property
    def name(self) -> str:
        """The name by which it is used."""
        return self.qualified.rpartition(".")[2]

    @property
    def container(self) -> str:
        """The enclosing definition, qualified; empty at module level."""
        return container_of(self.qualified)

    @property
    def is_member(self) -> bool:
        """Whether it is called on an instance or a type."""
        return self.site.kind in MEMBERS and self.site.kind != "constructor"

    @cached_property
    def exported(self) -> Collection[str]:
        """The names by which its module is asked for it, or for its container."""
        parts = self.qualified.split(".")
        if self.file.file.language in _OUTERMOST_ONLY:
            return parts[:1]
        return parts[:-1] if self.is_member else parts

    @property
    def kinds(self) -> Collection[str]:
        """The kinds of uses that can mean it; a variable may hold a function."""
        return kinds_of_uses(self.site) or (CALLS if self.site.kind in VALUES else ())


def used_as(site: Symbol) -> str:
    """The qualified name by which a definition is used; of a constructor, that of its class."""
    return container_of(site.qualified) if site.kind == "constructor" else site.qualified


def kinds_of_uses(site: Symbol) -> Collection[str]:
    """The kinds of uses that can mean a definition; none of what is not called, such as a field."""
    if site.kind in FUNCTIONS:
        return CALLS
    return ("call", "class", "type") if site.kind in TYPES else ()


def container_of(qualified: str) -> str:
    """The qualified name without its last part."""
    return qualified.rpartition(".")[0]


def may_be_taken_for(target: CallTarget, other: CallTarget) -> bool:
    """Whether a use that has only the name of `target` may mean another definition of that name."""
    one, two = target.file.file.language, other.file.file.language
    return _calls(one, two) and (one not in _RECEIVER_TELLS or target.is_member == other.is_member)


def _calls(one: str, other: str) -> bool:
    """Whether code in one language calls code in the other by its name."""
    return one == other or any(one in family and other in family for family in _FAMILIES)


def callers_of(target: CallTarget, files: Sequence[ReferencingFile], paths: Collection[str]) -> list[Caller]:
    """The uses of the definition in these files, by file and line.

    `files` must include the file with the definition, and should include package indexes that may re-export it.
    """
    imports = ImportResolver(target.file, target.qualified, target.exported, files, paths)
    itself = [name for name in target.exported if name == target.name]  # else only the container is
    matcher = _UseMatcher(target, paths, imports, ImportResolver(target.file, target.qualified, itself, files, paths))
    return [caller for file in files for caller in matcher.callers_in(file)]


@dataclass(frozen=True)
class _UseMatcher:
    target: CallTarget
    paths: Collection[str]
    imports: ImportResolver  # of the definition or its container
    own_imports: ImportResolver  # of the definition itself

    def callers_in(self, file: ReferencingFile) -> Iterator[Caller]:
        if _calls(self.target.file.file.language, file.file.language):
            for use in file.references.uses:
                how = self._match(use, file) if use.kind in self.target.kinds else None
                if how:
                    yield Caller(file.path, use.line, use.within, how)

    def _match(self, use: Use, file: ReferencingFile) -> Resolution | None:
        if not use.receiver:
            return self._bare(use, file)
        if use.name != self.target.name:
            return None  # an alias is never qualified
        if use.receiver == "self":
            return self._on_self(use, file)
        if use.receiver in _SUPER and use.owner == self.target.container:
            return None  # an override calls another method
        if use.receiver == UNKNOWN or use.receiver in _SUPER:
            return self._on_unknown(file)
        return self._on_name(use, file)

    def _on_unknown(self, file: ReferencingFile) -> Resolution | None:
        """A call on an expression."""
        language = file.file.language
        is_strict = language in _STRICT and not (language in ECMASCRIPT and self.target.container)
        return None if is_strict and not self.target.is_member else Resolution.NAME

    def _bare(self, use: Use, file: ReferencingFile) -> Resolution | None:
        """A name without a receiver."""
        here = _definition_in_scope(use, file)
        if use.is_local and "." not in here:
            return Resolution.NAME if use.name == self.target.name and not self.target.is_member else None
        if here and here == self.target.qualified and file.path == self.target.file.path:
            return Resolution.SCOPE
        is_header = file.file.language in C_FAMILY and file.path.endswith(C_HEADERS)
        if here and not (is_header and may_be_same(self.target.qualified, here)):  # else it may be its declaration
            return None
        return self._bare_member(use, file) if self.target.is_member else self._bare_outer(use, file)

    def _bare_member(self, use: Use, file: ReferencingFile) -> Resolution | None:
        """A method in a language with implicit `this`: by static import, or inherited."""
        if file.file.language not in _IMPLICIT_SELF:
            return None
        owner = self.target.container.rpartition(".")[2]
        for each in file.references.imports:
            name = use.name if each.name in {"", "*"} else each.name
            if (each.local == use.name or each.name == "*") and name == self.target.name:
                is_of_type = each.module.rpartition(".")[2] == owner
                if is_of_type and denotes(each.module, file, self.target.file, self.paths):
                    return Resolution.IMPORT
        return Resolution.NAME if use.name == self.target.name else None

    def _bare_outer(self, use: Use, file: ReferencingFile) -> Resolution | None:
        """A definition outside any type."""
        if self.own_imports.is_imported(use.name, file):
            return Resolution.IMPORT if self._is_within_reach(use, file) else Resolution.NAME
        if use.name != self.target.name or any(each.local == use.name for each in file.references.imports):
            return None  # imported from another module
        if not self.target.container and is_same_package(file, self.target.file):
            return Resolution.SCOPE
        is_loose = file.file.language not in _STRICT or self.target.site.kind == "macro"
        return Resolution.NAME if is_loose else None

    def _is_within_reach(self, use: Use, file: ReferencingFile) -> bool:
        """Whether imported names need no qualifier here: a C include leaves names in their namespaces."""
        container = self.target.container
        return file.file.language not in C_FAMILY or not container or f"{use.within}.".startswith(f"{container}.")

    def _on_self(self, use: Use, file: ReferencingFile) -> Resolution | None:
        target = self.target
        if not target.is_member:
            return Resolution.NAME if file.file.language in ECMASCRIPT else None
        if use.owner == target.container and self._shares_types(file):
            return Resolution.SCOPE
        own = f"{use.owner}.{use.name}"
        return None if any(site.qualified == own for site in file.references.sites) else Resolution.NAME

    def _shares_types(self, file: ReferencingFile) -> bool:
        """Whether a type of the same name is the same type."""
        return file.path == self.target.file.path or (
            file.file.language == "go" and is_same_package(file, self.target.file)
        )

    def _on_name(self, use: Use, file: ReferencingFile) -> Resolution | None:
        if file.file.language == "elixir":
            return self._on_module(use, file)
        *above, last = use.receiver.split(".")
        owner = self.target.container.rpartition(".")[2]
        if owner and last == owner:
            return self._on_owner(above, owner, file)
        if self.target.is_member:
            if use.owner == self.target.container and last[:1].isupper():
                return None  # an override calls the method of another class: `Base.send(self)`
            is_module = any(each.local == use.receiver and not each.name for each in file.references.imports)
            return None if is_module else Resolution.NAME
        if self.imports.is_module(use.receiver, self.target.name, file):
            return Resolution.IMPORT
        head = use.receiver.partition(".")[0]
        is_imported = any(each.local in {head, use.receiver} and each.local for each in file.references.imports)
        return None if is_imported else self._on_unknown(file)

    def _on_module(self, use: Use, file: ReferencingFile) -> Resolution | None:
        """A call on one of Elixir's modules, whose names are the same everywhere, or on a variable."""
        if not use.receiver[:1].isupper():
            return Resolution.NAME
        head, dot, rest = use.receiver.partition(".")
        aliases = [each.module + dot + rest for each in file.references.imports if each.local == head]
        if aliases:
            return Resolution.IMPORT if self.target.container in aliases else None
        within = accumulate(use.within.split("."), "{}.{}".format)
        if self.target.container in {use.receiver, *(f"{outer}.{use.receiver}" for outer in within)}:
            return Resolution.SCOPE
        is_alike = may_be_same(self.target.container, use.receiver)  # `use` may bring in an alias
        return Resolution.NAME if is_alike else None

    def _on_owner(self, above: Sequence[str], owner: str, file: ReferencingFile) -> Resolution | None:
        """A call on the enclosing type or namespace: `Session.send`."""
        if above:
            if ".".join([*above, owner]) == self.target.container and file.file.language in _GLOBAL_NAMES:
                return Resolution.SCOPE
            is_module = self.imports.is_module(".".join(above), owner, file)
            return Resolution.IMPORT if is_module else Resolution.NAME
        is_known = any(each.local == owner for each in file.references.imports)
        if file.path == self.target.file.path and not is_known:
            return Resolution.SCOPE
        if self.imports.is_imported(owner, file):
            return Resolution.IMPORT
        if is_known:
            return None
        return Resolution.SCOPE if is_same_package(file, self.target.file) else Resolution.NAME


def _definition_in_scope(use: Use, file: ReferencingFile) -> str:
    """The definition in the file that a bare name means, qualified: the nearest enclosing scope wins."""
    sees_members = file.file.language in _IMPLICIT_SELF
    visible = {site.qualified for site in file.references.sites if sees_members or site.kind not in MEMBERS}
    scopes = [*accumulate(use.within.split("."), "{}.{}".format)] if use.within else []
    names = [*(f"{scope}.{use.name}" for scope in reversed(scopes)), use.name]
    return next((name for name in names if name in visible), "")
