"""LanceDB imported without the modules that a local store never uses: remote tables, namespaces, embedding functions.

Each such module is represented by a stand-in that runs the module when one of its names is used; the import statements
of LanceDB's own modules, listed below, are given placeholders. A release that is not listed is imported as it is.

Upstream: this module becomes unnecessary if `lancedb/__init__.py` loads RemoteDBConnection, the namespace connections
and the function types on first access (PEP 562, as it does for BlobType), and if `lancedb.db` and `lancedb.table`
import `lance_namespace` and `lancedb.embeddings` in the functions that use them. The package
`lance_namespace_urllib3_client` should likewise load its API classes on first access.
"""

import importlib
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import PackageNotFoundError, version
from types import FrameType, ModuleType
from typing import Any, Final

os.environ.setdefault("LANCEDB_LOG", "error")  # LanceDB's warnings on stderr are noise to an agent

Deferred = Mapping[str, tuple[str, ...]]

# Release -> module that is deferred -> LanceDB's modules and functions whose import statements get placeholders.
RELEASES: Final[Mapping[str, Deferred]] = {
    "0.40.0": {
        "lance_namespace": ("lancedb.db",),
        "lance_namespace_urllib3_client": (),
        "lancedb.embeddings": ("lancedb.table",),
        "lancedb.embeddings.registry": ("lancedb.db",),
        "lancedb.functions": ("lancedb", "lancedb.db", "lancedb.table"),
        "lancedb.namespace": ("lancedb",),
        "lancedb.remote.db": ("lancedb", "lancedb.catalog"),
        "lancedb.remote.table": ("lancedb.table.Table._get_fts_index_path",),  # each word search, for an isinstance
        "overrides": ("lancedb.db", "lancedb.namespace", "lancedb.remote.db"),  # before Python 3.12 only
        "pyarrow.compute": (),  # wraps 300 functions when it is imported
        "pyarrow.dataset": ("lancedb.scannable",),  # registers functions for its classes
    }
}
FIRST: Final = {"lancedb.remote.table": "lancedb.remote.db"}  # they import each other, and only this order works
KEPT: Final = "lancedb._lancedb"  # an extension module may be initialised only once in a process
PROBED: Final = ("__all__", "__version__")  # the only dunder names that run a module


class EnforceOverrides:
    """What LanceDB uses on Python 3.12 and later: the package of that name checks every method at import."""


def override(method: Any) -> Any:
    """`typing.override`, which Python 3.11 lacks."""
    return method


class _LaterClass(type):
    """Makes placeholders for the classes of a deferred module: `functools.singledispatch` accepts only classes."""

    module: str

    def __instancecheck__(cls, value: object) -> bool:
        return issubclass(type(value), cls)

    def __subclasscheck__(cls, kind: type) -> bool:
        return _is_loaded(cls.module) and issubclass(kind, getattr(sys.modules[cls.module], cls.__name__))


def _later_classes(module: str, *names: str) -> dict[str, type]:
    return {name: _LaterClass(name, (), {"module": module}) for name in names}


SUBSTITUTES: Final[Mapping[str, Mapping[str, Any]]] = {
    "overrides": {"EnforceOverrides": EnforceOverrides, "override": override},
    "pyarrow.dataset": _later_classes("pyarrow.dataset", "Dataset", "Scanner"),
}


class Placeholder:
    """A name of a deferred module; any use of it loads the module."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    def resolved(self) -> Any:
        """The object that the name refers to."""
        return getattr(_loaded(self._module), self._name)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.resolved()(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # `typing` looks for some in every annotation
            raise AttributeError(name)
        return getattr(self.resolved(), name)

    def __instancecheck__(self, value: object) -> bool:  # a class that is not loaded has no instances
        return _is_loaded(self._module) and isinstance(value, self.resolved())

    def __subclasscheck__(self, kind: type) -> bool:
        return _is_loaded(self._module) and issubclass(kind, self.resolved())

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[Any, ...]:
        return (self.resolved(),)


class _Holder(ModuleType):
    """A module with placeholders among its names: reading one from outside gives the object it refers to."""

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if type(value) is Placeholder:
            value = value.resolved()
            setattr(self, name, value)
        return value


class _StandIn(ModuleType):
    """A module that was found and not run. A package's modules can be imported from it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in PROBED:
            raise AttributeError(name)
        importer, function = _importer(sys._getframe(1))  # the importer determines the result
        loader = self.__spec__.loader if self.__spec__ else None
        if not isinstance(loader, _Deferring) or f"{importer}{function}" not in loader.importers:
            module = _loaded(self.__name__)
            if name == "__all__":  # `import *` reads the names here if there is no such list
                vars(self).update({key: value for key, value in vars(module).items() if key not in vars(self)})
            return getattr(module, name)
        if name in (substitutes := SUBSTITUTES.get(self.__name__, {})):
            return substitutes[name]
        if not function and type(holder := sys.modules.get(importer)) is ModuleType:
            holder.__class__ = _Holder
        return Placeholder(self.__name__, name)

    def __dir__(self) -> list[str]:
        return dir(_loaded(self.__name__))


class _Deferring(Loader):
    """Makes a stand-in and does not run it."""

    def __init__(self, importers: tuple[str, ...]) -> None:
        self.importers = importers

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing, until a name is used."""


class _Finder(MetaPathFinder):
    """Finds stand-ins for the listed modules, until they are loaded."""

    def __init__(self, deferred: Deferred) -> None:
        self.deferred = dict(deferred)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a listed module, with a loader that does not run it."""
        importers = self.deferred.get(fullname)
        spec = PathFinder.find_spec(fullname, path, target) if importers is not None else None
        if spec is not None and importers is not None:
            spec.loader = _Deferring(importers)
        return spec


_lock = threading.Lock()  # never held during an import: import has locks of its own


def _is_loaded(name: str) -> bool:
    return name in sys.modules and not isinstance(sys.modules[name], _StandIn)


def _loaded(name: str) -> ModuleType:
    """The module itself, loaded in place of its stand-in."""
    stand_in = None
    if name in FIRST and isinstance(sys.modules.get(FIRST[name]), _StandIn):
        _loaded(FIRST[name])
    with _lock:
        for finder in sys.meta_path:
            if isinstance(finder, _Finder):
                finder.deferred.pop(name, None)
        if isinstance(sys.modules.get(name), _StandIn):
            stand_in = sys.modules.pop(name)
    module = importlib.import_module(name)
    for key, value in vars(stand_in).items() if stand_in else ():
        if isinstance(value, ModuleType):  # a module of the package, imported before it
            vars(module).setdefault(key, value)
    return module


def _importer(frame: FrameType | None) -> tuple[str, str]:
    """The module whose import statement asks, and its function after a dot, if the statement is in one."""
    while frame is not None and frame.f_globals.get("__name__") == "importlib._bootstrap":
        frame = frame.f_back
    if frame is None:
        return "", ""
    name = frame.f_code.co_qualname
    return frame.f_globals.get("__name__", ""), "" if name == "<module>" else f".{name}"


def import_lancedb() -> None:
    """Import LanceDB without its deferred modules; with them if it is there already, unlisted or behaves otherwise."""
    try:
        deferred = RELEASES.get(version("lancedb"))
    except PackageNotFoundError:
        return
    if deferred is None or "lancedb" in sys.modules:
        importlib.import_module("lancedb")  # waits for a thread that is importing it
        return
    before = set(sys.modules)
    finder = _Finder(deferred)
    sys.meta_path.insert(0, finder)
    try:
        for name in ("lancedb", *deferred):  # all now, so that no thread sees one half made
            if name not in SUBSTITUTES:
                importlib.import_module(name)
    except Exception:  # noqa: BLE001 - on any failure the plain import follows, and works or reports the error
        sys.meta_path.remove(finder)
        packages = {name.partition(".")[0] for name in (*deferred, "lancedb")} - {"pyarrow"}  # extension modules
        for name in set(sys.modules) - before - {KEPT}:
            if name.partition(".")[0] in packages or isinstance(sys.modules[name], _StandIn):
                del sys.modules[name]
