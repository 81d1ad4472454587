"""Maps the module of an import statement to a file by each language's rules, from paths and package names alone.

No search path, build file or installed package is read; a module that these would resolve maps to no file.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from posixpath import dirname, join, normpath

from repomem.core.types.indexed import FileUses, IndexedFile

ECMASCRIPT_ENDS = (".d.ts", ".js", ".ts", ".jsx", ".tsx", ".mjs", ".cjs", ".mts", ".cts")
ECMASCRIPT = frozenset({"javascript", "typescript", "tsx"})
C_FAMILY = frozenset({"c", "cpp", "objc"})
_PACKAGE_INDEXES = ("__init__.py", "index.js", "index.ts", "mod.rs", "lib.rs")


@dataclass(frozen=True)
class ReferencingFile:
    """A live file with its imports, and its definitions and uses of the wanted names."""

    file: IndexedFile
    references: FileUses

    @property
    def path(self) -> str:
        return self.file.path

    @property
    def folder(self) -> str:
        """The folder of the file; empty at the root."""
        return dirname(self.path)

    @cached_property
    def package(self) -> str:
        """The package or namespace that the file declares; empty if none."""
        return next((each.module for each in self.references.imports if not each.local and not each.name), "")


def denotes(module: str, importer: ReferencingFile, target: ReferencingFile, paths: Collection[str]) -> bool:
    """Whether `module`, in an import of `importer`, is the target's module; `paths` are all live paths."""
    rule = _RULES.get(importer.file.language)
    return bool(rule and module and rule(module, importer, target, paths))


def within_module(module: str, name: str, language: str) -> str:
    """The module `name` in a module: `.` and `utils` give `.utils`."""
    joint = _JOINTS.get(language, ".")
    return module + name if module.endswith(joint) else f"{module}{joint}{name}" if module else name


def is_same_package(importer: ReferencingFile, target: ReferencingFile) -> bool:
    """Whether the importer sees the target's top-level definitions without an import."""
    language = importer.file.language
    if language == "go":
        return (importer.folder, importer.package) == (target.folder, target.package)
    if language == "c_sharp":
        return f"{importer.package}.".startswith(f"{target.package}.") and bool(target.package)
    if language in {"java", "kotlin", "scala", "php"}:
        is_near = bool(target.package) or importer.folder == target.folder
        return importer.package == target.package and is_near
    return False


def indexes_above(path: str) -> list[str]:
    """The paths at which packages around a file may re-export its definitions; they need not exist."""
    found = (str(folder / name) for folder in PurePosixPath(path).parents for name in _PACKAGE_INDEXES)
    return [each for each in found if each != path]


def re_exporting(files: Iterable[ReferencingFile], names: Collection[str], paths: Collection[str]) -> set[str]:
    """The live paths of the modules from which these files import one of the names, or everything.

    Such a module may re-export a definition without naming it. Only ECMAScript's relative imports and C's includes are
    followed: other imports name packages, whose indexes `indexes_above` gives.
    """
    files = list(files)
    modules = {
        normpath(join(file.folder, each.module))
        for file in files
        if file.file.language in ECMASCRIPT
        for each in file.references.imports
        if each.module.startswith(".") and (each.local in names or each.name in names or each.name == "*")
    }
    ends = [*ECMASCRIPT_ENDS, *(f"/index{end}" for end in ECMASCRIPT_ENDS)]
    found = {path for module in modules for end in ends if (path := _bare(module) + end) in paths}
    return found | _included(files, paths)


def _included(files: Iterable[ReferencingFile], paths: Collection[str]) -> set[str]:
    """The live files that C files include: a header declares all that its own includes declare."""
    wanted = {
        normpath(each.module).lstrip("./")
        for file in files
        if file.file.language in C_FAMILY
        for each in file.references.imports
        if each.name == "*"
    }
    names = tuple({each.rpartition("/")[2] for each in wanted})
    near = [path for path in paths if path.endswith(names)] if names else ()
    return {path for path in near if any(f"/{path}".endswith(f"/{each}") for each in wanted)}


def _python(module: str, importer: ReferencingFile, target: ReferencingFile, paths: Collection[str]) -> bool:
    stem = target.path.rpartition(".")[0].removesuffix("/__init__")
    parts = module.lstrip(".").replace(".", "/")
    dots = len(module) - len(module.lstrip("."))
    if dots:
        folder = importer.folder
        for _ in range(dots - 1):
            folder = dirname(folder)
        return stem == join(folder, parts).rstrip("/")
    # an absolute name starts in a folder that is not a package
    root = stem.removesuffix(parts)
    return stem == parts or (stem.endswith(f"/{parts}") and f"{root}__init__.py" not in paths)


def _ecmascript(module: str, importer: ReferencingFile, target: ReferencingFile, _paths: Collection[str]) -> bool:
    if not module.startswith("."):
        return False
    stem, wanted = _bare(target.path), _bare(normpath(join(importer.folder, module)))
    return stem in {wanted, join(wanted, "index")}


def _bare(path: str) -> str:
    return next((path.removesuffix(end) for end in ECMASCRIPT_ENDS if path.endswith(end)), path)


def _go(module: str, _importer: ReferencingFile, target: ReferencingFile, _paths: Collection[str]) -> bool:
    host, _, path = module.partition("/")
    if "." not in host:
        return False  # standard library
    if target.folder:
        return f"/{path}".endswith(f"/{target.folder}")
    parts = [part for part in path.split("/") if not (part[:1] == "v" and part[1:].isdigit())]
    return bool(parts) and parts[-1].removesuffix(".go").removeprefix("go-") == target.package


def _rust(module: str, importer: ReferencingFile, target: ReferencingFile, _paths: Collection[str]) -> bool:
    crate, at = _rust_module(target.path)
    own_crate, own = _rust_module(importer.path)
    head, *rest = module.split("::")
    if head in {"crate", "self", "super"}:
        if crate != own_crate:
            return False
        starts: list[list[str]] = [[]] if head == "crate" else [own]
        if head == "super":
            starts.append(own[:-1])  # or the parent of an inline module
        while rest and rest[0] == "super":
            rest, starts = rest[1:], [start[:-1] for start in starts]
        return any(at == start + rest for start in starts)
    name = crate.rstrip("/").rpartition("/")[2].replace("-", "_")
    return (head == name and at == rest) or (crate == own_crate and at == [*own, head, *rest])


def _rust_module(path: str) -> tuple[str, list[str]]:
    """The folder of the crate and the module in it: `axum/src/a/mod.rs` gives `axum/` and `a`."""
    crate, source, inner = f"/{path}".rpartition("/src/")
    if not source:
        return path, []  # a test or example is its own crate
    parts = inner.removesuffix(".rs").split("/")
    return f"{crate.lstrip('/')}/", parts[:-1] if parts[-1] in {"lib", "main", "mod"} else parts


def _dotted(module: str, _importer: ReferencingFile, target: ReferencingFile, _paths: Collection[str]) -> bool:
    if not target.package:
        return False
    stem = target.path.rpartition("/")[2].partition(".")[0]
    return module == target.package or f"{module}.".startswith(f"{target.package}.{stem}.")


def _namespace(module: str, _importer: ReferencingFile, target: ReferencingFile, _paths: Collection[str]) -> bool:
    return bool(target.package) and module == target.package


def _include(module: str, _importer: ReferencingFile, target: ReferencingFile, _paths: Collection[str]) -> bool:
    wanted = normpath(module).lstrip("./")
    if f"/{target.path}".endswith(f"/{wanted}"):
        return True
    # a header's declarations are mostly defined in the file of the same name
    return target.path.rpartition("/")[2].partition(".")[0] == wanted.rpartition("/")[2].partition(".")[0]


def ruby_name(path: str) -> str:
    """The last part of a path or of a module without Ruby's suffix: a module's is that of its file."""
    return path.rpartition("/")[2].removesuffix(".rb")


def _ruby(module: str, importer: ReferencingFile, target: ReferencingFile, _paths: Collection[str]) -> bool:
    stem = target.path.removesuffix(".rb")
    if module.startswith("."):
        return stem == normpath(join(importer.folder, module)).removesuffix(".rb")
    return f"/{stem}".endswith(f"/{module.removesuffix('.rb')}")


def _elixir(module: str, _importer: ReferencingFile, target: ReferencingFile, _paths: Collection[str]) -> bool:
    return any(site.qualified.rpartition(".")[0] == module for site in target.references.sites)


_JOINTS = {"rust": "::", "php": "\\", "javascript": "/", "typescript": "/", "tsx": "/", "go": "/"}
_RULES: dict[str, Callable[[str, ReferencingFile, ReferencingFile, Collection[str]], bool]] = {
    "python": _python,
    **dict.fromkeys(ECMASCRIPT, _ecmascript),
    "go": _go,
    "rust": _rust,
    **dict.fromkeys(("java", "kotlin", "scala"), _dotted),
    **dict.fromkeys(("c_sharp", "php"), _namespace),
    **dict.fromkeys(C_FAMILY, _include),
    "ruby": _ruby,
    "elixir": _elixir,
}
