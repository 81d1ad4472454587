"""Who uses a definition: each use of its name is resolved to it by scope or by import, goes by the name alone, or is
of something else.

Nothing here knows a type. A method that is called on something whose class is not written there goes by its name,
however sure a reader may be.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from repomem.core.types import Import, Site, Use
from repomem.ranking.definitions import FUNCTIONS
from repomem.ranking.modules import UsingFile, denotes, is_same_package, within_module

TYPES = frozenset({"class", "interface", "struct", "enum", "trait", "type"})
MEMBERS = frozenset({"method", "constructor", "property", "field"})
_ECMASCRIPT = frozenset({"javascript", "typescript", "tsx"})
_STRICT = frozenset({"python", "go", "rust", *_ECMASCRIPT})  # a bare name is defined or imported in its file
_IMPLICIT_SELF = frozenset({"java", "kotlin", "scala", "c_sharp", "cpp", "ruby", "swift", "dart"})
_OUTERMOST_ONLY = frozenset({"python", "go", *_ECMASCRIPT})  # what is in something else is reached through that alone
_SUPER = frozenset({"super", "parent", "base"})
_C_FAMILY = frozenset({"c", "cpp", "objc"})
_HEADERS = (".h", ".hh", ".hpp", ".hxx")
MOST_HOPS = 3  # of files that give on what they import
UNKNOWN = "?"  # a receiver that is more than names


class How(StrEnum):
    """By what a use is known to mean a definition."""

    SCOPE = "scope"  # it is what the name means there: same file, same class, same package
    IMPORT = "import"
    NAME = "name"  # it has the same name, and nothing speaks against it


class Caller(NamedTuple):
    """A place that uses a definition, or may."""

    path: str
    line: int
    within: str  # the definition that it stands in, qualified; empty at the top of a file
    how: How

    @property
    def is_resolved(self) -> bool:
        """Whether it is known to mean the definition."""
        return self.how is not How.NAME


@dataclass(frozen=True)
class Target:
    """A definition whose uses are looked for; a constructor is used by the name of its class."""

    file: UsingFile
    site: Site

    @cached_property
    def qualified(self) -> str:
        """Its name, or that of the class."""
        return self.container_of(self.site.qualified) if self.site.kind == "constructor" else self.site.qualified

    @property
    def name(self) -> str:
        """The name by which it is used."""
        return self.name_of(self.site)

    @classmethod
    def name_of(cls, site: Site) -> str:
        """The name by which what is defined there is used."""
        qualified = cls.container_of(site.qualified) if site.kind == "constructor" else site.qualified
        return qualified.rpartition(".")[2]

    @property
    def container(self) -> str:
        """What it is defined in, qualified; empty at the top of a file."""
        return self.container_of(self.qualified)

    @property
    def is_member(self) -> bool:
        """Whether it is called on an instance or a type."""
        return self.site.kind in MEMBERS and self.site.kind != "constructor"

    @cached_property
    def exported(self) -> Collection[str]:
        """The names by which its module is asked for it, or for what it stands in."""
        parts = self.qualified.split(".")
        if self.file.file.language in _OUTERMOST_ONLY:
            return parts[:1]
        return parts[:-1] if self.is_member else parts

    @property
    def kinds(self) -> Collection[str]:
        """The kinds of uses that can mean it."""
        if self.site.kind == "constructor" or self.site.kind in FUNCTIONS:
            return ("call", "class")
        return ("call", "class", "type") if self.site.kind in TYPES else ()

    @staticmethod
    def container_of(qualified: str) -> str:
        """The qualified name without its last part."""
        return qualified.rpartition(".")[0]


def callers_of(target: Target, files: Sequence[UsingFile], paths: Collection[str]) -> list[Caller]:
    """The uses of the definition in these files, by file and line; the file that defines it must be one of them.

    Beside those that use it there should be those that may give it on: the indexes of packages.
    """
    resolution = _Resolution(target, files, paths)
    return [caller for file in files for caller in resolution.callers_in(file)]


@dataclass
class _Resolution:
    """One definition, and what was found out of its file's modules on the way."""

    target: Target
    files: Sequence[UsingFile]
    paths: Collection[str]
    _reached: dict[tuple[str, str, str, int], bool] = field(default_factory=dict)

    def callers_in(self, file: UsingFile) -> Iterator[Caller]:
        if not self._may_speak(file):
            return
        for use in file.found.uses:
            if use.kind in self.target.kinds:
                how = self._how(use, file)
                if how:
                    yield Caller(file.path, use.line, use.within, how)

    def _may_speak(self, file: UsingFile) -> bool:
        """Whether the languages can call each other."""
        own, other = self.target.file.file.language, file.file.language
        families = (_ECMASCRIPT | {"svelte"}, _C_FAMILY, {"java", "kotlin", "scala"})
        return own == other or any(own in family and other in family for family in families)

    def _how(self, use: Use, file: UsingFile) -> How | None:
        if not use.receiver:
            return self._bare(use, file)
        if use.name != self.target.name:
            return None  # another name for it stands alone
        if use.receiver == "self":
            return self._on_self(use, file)
        if use.receiver in _SUPER and use.owner == self.target.container:
            return None  # what overrides it calls another
        if use.receiver == UNKNOWN or use.receiver in _SUPER:
            return self._unknown(file)
        return self._on_name(use, file)

    def _unknown(self, file: UsingFile) -> How | None:
        """A call on something that nothing is known of."""
        language = file.file.language
        is_strict = language in _STRICT and not (language in _ECMASCRIPT and self.target.container)
        return None if is_strict and not self.target.is_member else How.NAME

    def _bare(self, use: Use, file: UsingFile) -> How | None:
        """A name that stands alone."""
        here = self._meant_here(use, file)
        if use.is_local and "." not in here:
            return How.NAME if use.name == self.target.name and not self.target.is_member else None
        if here and here == self.target.qualified and file.path == self.target.file.path:
            return How.SCOPE
        is_declared = file.file.language in _C_FAMILY and file.path.endswith(_HEADERS)
        if here and not is_declared:
            return None
        return self._bare_member(use, file) if self.target.is_member else self._bare_outer(use, file)

    def _bare_member(self, use: Use, file: UsingFile) -> How | None:
        """Of a method, where the language leaves out what it is called on: a static import, or a class inherits it."""
        if file.file.language not in _IMPLICIT_SELF:
            return None
        owner = self.target.container.rpartition(".")[2]
        for each in file.found.imports:
            if each.local == use.name or each.name == "*":
                is_of_type = each.module.rpartition(".")[2] == owner
                if is_of_type and denotes(each.module, file, self.target.file, self.paths):
                    return How.IMPORT
        return How.NAME if use.name == self.target.name else None

    def _bare_outer(self, use: Use, file: UsingFile) -> How | None:
        """Of what is in no type."""
        known = self._imported(use.name, file)
        if known or use.name != self.target.name:
            return known
        if any(each.local == use.name for each in file.found.imports):
            return None  # it comes from elsewhere
        if not self.target.container and is_same_package(file, self.target.file):
            return How.SCOPE
        is_loose = file.file.language not in _STRICT or self.target.site.kind == "macro"
        return How.NAME if is_loose else None

    def _meant_here(self, use: Use, file: UsingFile) -> str:
        """The definition of the file that a bare name means, qualified; the nearest one counts."""
        sees_members = file.file.language in _IMPLICIT_SELF
        visible = {site.qualified for site in file.found.sites if sees_members or site.kind not in MEMBERS}
        around = use.within
        while True:
            qualified = f"{around}.{use.name}" if around else use.name
            if qualified in visible:
                return qualified
            if not around:
                return ""
            around = Target.container_of(around)

    def _on_self(self, use: Use, file: UsingFile) -> How | None:
        target = self.target
        if not target.is_member:
            return How.NAME if file.file.language in _ECMASCRIPT else None
        if use.owner == target.container and self._shares_types(file):
            return How.SCOPE
        own = f"{use.owner}.{use.name}"
        return None if any(site.qualified == own for site in file.found.sites) else How.NAME

    def _shares_types(self, file: UsingFile) -> bool:
        """Whether a type of the same name is the same type."""
        return file.path == self.target.file.path or (
            file.file.language == "go" and is_same_package(file, self.target.file)
        )

    def _on_name(self, use: Use, file: UsingFile) -> How | None:
        *above, last = use.receiver.split(".")
        owner = self.target.container.rpartition(".")[2]
        if owner and last == owner:
            return self._on_owner(above, owner, file)
        if self.target.is_member:
            is_module = any(each.local == use.receiver and not each.name for each in file.found.imports)
            return None if is_module else How.NAME
        return self._on_module(use, file)

    def _on_owner(self, above: Sequence[str], owner: str, file: UsingFile) -> How | None:
        """A call on the type, or in the namespace, that the definition stands in: `Session.send`."""
        if above:
            return How.IMPORT if self._is_module(".".join(above), owner, file) else How.NAME
        is_known = any(each.local == owner for each in file.found.imports)
        if file.path == self.target.file.path and not is_known:
            return How.SCOPE
        known = self._imported(owner, file)
        if known or is_known:
            return known
        return How.SCOPE if is_same_package(file, self.target.file) else How.NAME

    def _on_module(self, use: Use, file: UsingFile) -> How | None:
        """A call of something that is in no type, on names: `module.name`."""
        if self._is_module(use.receiver, self.target.name, file):
            return How.IMPORT
        head = use.receiver.partition(".")[0]
        is_imported = any(each.local in {head, use.receiver} and each.local for each in file.found.imports)
        return None if is_imported else self._unknown(file)

    def _is_module(self, receiver: str, name: str, file: UsingFile) -> bool:
        """Whether the file calls a module so that has the target under that name."""
        language = file.file.language
        for each in file.found.imports:
            if each.local and f"{receiver}.".startswith(f"{each.local}."):
                is_whole = not each.name or each.name in {"*", "default"}
                module = each.module if is_whole else within_module(each.module, each.name, language)
                rest = receiver[len(each.local) + 1 :]
                for part in rest.split(".") if rest else ():
                    module = within_module(module, part, language)
                if self._reaches(module, name, file):
                    return True
        return language == "rust" and self._reaches(receiver.replace(".", "::"), name, file)

    def _imported(self, local: str, file: UsingFile) -> How | None:
        """Whether the file imports under that name the target, or the outermost thing that it stands in."""
        named = [each for each in file.found.imports if each.local == local]
        everything = [each for each in file.found.imports if each.name == "*" and not each.local]
        for each in named or everything:
            if self._reaches(each.module, self._taken(each, local), file):
                return How.IMPORT
        return None

    @staticmethod
    def _taken(each: Import, local: str) -> str:
        """The name under which the module has it; one without a name goes by the one that it is given."""
        return local if each.name in {"", "*", "default"} else each.name

    def _reaches(self, module: str, name: str, file: UsingFile, hops: int = MOST_HOPS) -> bool:
        """Whether that module has the target, or what it stands in, under that name, perhaps from another module."""
        key = module, name, file.path, hops
        if key not in self._reached:
            self._reached[key] = False  # while it is being asked: modules may import each other
            self._reached[key] = self._found_in(module, name, file, hops)
        return self._reached[key]

    def _found_in(self, module: str, name: str, file: UsingFile, hops: int) -> bool:
        if name in self.target.exported and denotes(module, file, self.target.file, self.paths):
            return True
        if not hops:
            return False
        for other in self.files:
            if self._declares(other) and denotes(module, file, other, self.paths):
                return True
            given_on = [each for each in other.found.imports if each.local == name or each.name == "*"]
            if given_on and other is not file and denotes(module, file, other, self.paths):
                taken = ((each.module, name if each.name == "*" else self._taken(each, name)) for each in given_on)
                if any(self._reaches(each, under, other, hops - 1) for each, under in taken):
                    return True
        return False

    def _declares(self, other: UsingFile) -> bool:
        """Whether a header of C declares the target, and nothing else has a body for it."""
        if other.file.language not in _C_FAMILY or not other.path.endswith(_HEADERS):
            return False
        defining = {file.path for file in self.files if any(self._is_named(site) for site in file.found.sites)}
        bodies = {path for path in defining if not path.endswith(_HEADERS)}
        return other.path in defining and bodies <= {self.target.file.path}

    def _is_named(self, site: Site) -> bool:
        return site.qualified == self.target.qualified
