"""Names of symbols, alone or behind a path, and whether two of them may name the same definition."""

from collections.abc import Callable, Iterator

from repomem.core.text.lazy_pattern import lazy_pattern

_SEPARATOR = lazy_pattern(r"::|#|->|\\")


def dotted(name: str) -> str:
    """A name as a person writes it, `Session::send()` or `Session#send`, with the separator of the index."""
    return _SEPARATOR.sub(".", name.removesuffix("()")).strip(".")


def last_part(qualified: str) -> str:
    """The unqualified name."""
    return qualified.rpartition(".")[2]


def enclosing(qualified: str) -> list[str]:
    """The names of all that encloses a symbol, outermost first, and its own."""
    parts = qualified.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts) + 1)]


def is_named(qualified: str, wanted: str) -> bool:
    """Whether a definition has the wanted name, which may leave out enclosing definitions; both are dotted."""
    return f".{qualified}".endswith(f".{wanted}")


def may_be_same(one: str, other: str) -> bool:
    """Whether two names of symbols may mean one definition: one of them may leave out enclosing definitions."""
    return is_named(one, other) or is_named(other, one)


def path_and_symbol(target: str, is_path: Callable[[str], bool]) -> tuple[str, str]:
    """The two parts of `PATH` or `PATH:SYMBOL`; if no such path is known, the first colon ends it."""
    *_, shortest = readings = list(paths_and_symbols(target))
    return next((each for each in readings if is_path(each[0])), shortest)


def paths_and_symbols(target: str) -> Iterator[tuple[str, str]]:
    """All that `PATH` or `PATH:SYMBOL` may mean, the longest path first: both may have colons."""
    colons = [at for at, letter in enumerate(target) if letter == ":"]
    for end in (len(target), *reversed(colons)):
        yield target[:end], target[end + 1 :]
