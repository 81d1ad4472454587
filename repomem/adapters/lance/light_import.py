"""LanceDB without the REST client that it imports and repomem never calls: half of the CPU time of `import lancedb`.

LanceDB needs only the models of that client, but importing them runs the whole package, which builds validators for
hundreds of calls. This module registers the package without running it; it runs when one of its own names is used.
"""

import sys
from importlib.util import find_spec
from types import ModuleType
from typing import Any

CLIENT = "lance_namespace_urllib3_client"


class _Unrun(ModuleType):
    """A package that finds its modules, and runs when it is asked for a name."""

    def __getattr__(self, name: str) -> Any:
        """The name, from the package that has run now."""
        if name.startswith("__") or self.__spec__ is None or self.__spec__.loader is None:
            raise AttributeError(name)
        self.__class__ = ModuleType  # type: ignore[assignment]  # from now on it is like any other
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)


def spare_client() -> None:
    """Put the client's package in place unrun; nothing where it is there already, or there is none."""
    spec = find_spec(CLIENT) if CLIENT not in sys.modules else None
    if spec is None or spec.submodule_search_locations is None:
        return
    package = _Unrun(CLIENT)
    package.__spec__, package.__loader__, package.__file__ = spec, spec.loader, spec.origin
    package.__path__ = list(spec.submodule_search_locations)
    sys.modules[CLIENT] = package
