"""The errors that repomem raises itself.

    RepomemError            one sentence that names the problem, and the next step
    ├── ConfigError         a key or value in a config file, the environment or a flag
    ├── GitError            git is missing or fails, or the folder is not in a repository
    │   └── GitTimeout      git did not answer in time
    ├── StoreError          the index cannot be opened, read or written
    │   └── StoreDamaged    the files contradict the catalog; they are rebuilt automatically
    ├── EmbeddingError      an embedding model cannot be loaded or returns invalid vectors; word search still works
    ├── ForeignError        a file of another program cannot be edited safely
    └── NotFound            an id, path or revision does not exist

The module that calls a library converts the library's errors to these, `from exc`.
"""

from collections.abc import Sequence

MOST_NAMED = 5  # ids in a hint
MOST_SHOWN = 200  # characters of a foreign message


class RepomemError(Exception):
    """`message` is one sentence that names the problem; `hint` is the next step, or empty."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(RepomemError):
    """A config key or value that cannot be used."""


class GitError(RepomemError):
    """Git is missing or fails, or the folder is not in a repository."""


class GitTimeout(GitError):  # noqa: N818  # describes a state
    """Git did not answer in time."""


class StoreError(RepomemError):
    """The index cannot be opened, read or written."""


class StoreDamaged(StoreError):  # noqa: N818  # a state of the store, which is repaired automatically
    """The files contradict the catalog; `table` is the damaged table, if known."""

    def __init__(self, message: str, hint: str = "", *, table: str = "") -> None:
        super().__init__(message, hint)
        self.table = table


class EmbeddingError(RepomemError):
    """An embedding model cannot be loaded or called, or returns invalid vectors."""


class ForeignError(RepomemError):
    """A file of another program that cannot be edited safely, and is left unchanged."""


class NotFound(RepomemError):  # noqa: N818  # describes a state
    """An id, path or revision that does not exist."""


def first_line(error: Exception) -> str:
    """The first line of a foreign error's message, cut to a sentence's length; without a message, its type's name."""
    return (str(error) or type(error).__name__).splitlines()[0][:MOST_SHOWN]


def ambiguous(message: str, names: Sequence[str]) -> NotFound:
    """The error for a prefix of several ids. It lists them, since naming one would suggest that it is meant."""
    listed = ", ".join(names[:MOST_NAMED])
    return NotFound(message, f"give more characters: {listed}{', …' if len(names) > MOST_NAMED else ''}")
