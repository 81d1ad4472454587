"""Regular expressions that are compiled when they are first used.

A recall imports modules with 270 patterns and uses 110 of them. Compiling the others took as long as importing the
modules.
"""

import re
from typing import Any, AnyStr, Final, cast

METHODS: Final = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


_made: list["_LazyPattern"] = []


class _LazyPattern:
    """Behaves like the `re.Pattern` that it compiles when one of its methods or attributes is first read."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._source = pattern, flags
        _made.append(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.compile(), name)

    def compile(self) -> Any:
        """The compiled pattern; its methods are set here, so that later reads do not call `__getattr__`."""
        compiled = re.compile(*self._source)
        self.__dict__.update({method: getattr(compiled, method) for method in METHODS})
        return compiled


def lazy_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Like `re.compile` for a constant of a module; an error in the pattern is raised when it is first used."""
    return cast("re.Pattern[AnyStr]", _LazyPattern(pattern, flags))


def compile_patterns() -> None:
    """Compile all patterns made so far, for a process whose forked children use them."""
    for pattern in _made:
        pattern.compile()
