"""Whether an import means one definition: directly, or through modules that re-export it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from repomem.core.grouping import grouped_by
from repomem.core.types.code import TYPES, Import
from repomem.core.types.indexed import Symbol
from repomem.ranking.modules import C_FAMILY, ReferencingFile, denotes, ruby_name, within_module

C_HEADERS = (".h", ".hh", ".hpp", ".hxx")
MOST_HOPS = 3  # re-exports that are followed


@dataclass(frozen=True)
class ImportResolver:
    """Resolves imports to one definition in one of the files."""

    definition: ReferencingFile
    qualified: str  # of the definition
    exported: Collection[str]  # the names by which its module is asked for it, or for its container
    files: Sequence[ReferencingFile]
    paths: Collection[str]  # of all live files
    _reached: dict[tuple[str, str, str, int], bool] = field(default_factory=dict)

    def is_imported(self, local: str, file: ReferencingFile) -> bool:
        """Whether the file imports the definition, or its outermost container, as `local`."""
        imports = file.references.imports
        named = [each for each in imports if each.local == local]
        everything = [each for each in imports if each.name == "*" and not each.local]
        return any(self._reaches(each.module, _imported_name(each, local), file) for each in named or everything)

    def is_module(self, receiver: str, name: str, file: ReferencingFile) -> bool:
        """Whether `receiver` is, in this file, a module that has the definition as `name`."""
        language = file.file.language
        for each in file.references.imports:
            if each.local and f"{receiver}.".startswith(f"{each.local}."):
                is_whole = not each.name or each.name in {"*", "default"}
                module = each.module if is_whole else within_module(each.module, each.name, language)
                rest = receiver[len(each.local) + 1 :]
                for part in rest.split(".") if rest else ():
                    module = within_module(module, part, language)
                if self._reaches(module, name, file):
                    return True
        return language == "rust" and self._reaches(receiver.replace(".", "::"), name, file)

    def _reaches(self, module: str, name: str, file: ReferencingFile, hops: int = MOST_HOPS) -> bool:
        """Whether the module has the definition, or its container, as `name`, perhaps by re-export."""
        key = module, name, file.path, hops
        if key not in self._reached:
            self._reached[key] = False  # until it is known: modules may import each other
            self._reached[key] = self._has(module, name, file, hops)
        return self._reached[key]

    def _has(self, module: str, name: str, file: ReferencingFile, hops: int) -> bool:
        if name in self.exported and denotes(module, file, self.definition, self.paths):
            return True
        if not hops:
            return False
        for other in self._candidates(module, file):
            if name in self.exported and self._declares(other) and denotes(module, file, other, self.paths):
                return True
            re_exports = [each for each in other.references.imports if each.local == name or each.name == "*"]
            if re_exports and other is not file and denotes(module, file, other, self.paths):
                names = ((each.module, name if each.name == "*" else _imported_name(each, name)) for each in re_exports)
                if any(self._reaches(each, under, other, hops - 1) for each, under in names):
                    return True
        return False

    def _candidates(self, module: str, file: ReferencingFile) -> Sequence[ReferencingFile]:
        """The files that a module may mean: a name in Ruby ends in that of its file."""
        return self._ruby_files.get(ruby_name(module), ()) if file.file.language == "ruby" else self.files

    @cached_property
    def _ruby_files(self) -> dict[str, list[ReferencingFile]]:
        return grouped_by(self.files, lambda each: ruby_name(each.path))

    def _declares(self, other: ReferencingFile) -> bool:
        """Whether a C header declares the definition, and no other file has a body for it."""
        if other.file.language not in C_FAMILY or not other.path.endswith(C_HEADERS):
            return False
        own = [site for site in other.references.sites if site.qualified == self.qualified]
        if not own or any(map(is_whole_type, own)):
            return False
        bodies = {
            file.path
            for file in self.files
            if not file.path.endswith(C_HEADERS)
            and any(site.qualified == self.qualified for site in file.references.sites)
        }
        return bodies <= {self.definition.path}


def is_whole_type(site: Symbol) -> bool:
    """Whether it is a type with its body: a header of C that has one declares no type of another file."""
    return site.kind in TYPES and not site.signature.endswith(";")


def _imported_name(each: Import, local: str) -> str:
    """The name in the module; a whole-module or default import goes by its local name."""
    return local if each.name in {"", "*", "default"} else each.name
