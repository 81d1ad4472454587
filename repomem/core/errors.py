"""The errors that repomem raises on purpose.

    RepomemError            a sentence that names the thing, and the next step
    ├── ConfigError         a key or value in a config file, the environment or a flag
    ├── GitError            git is missing, refuses, or this is no repository
    ├── StoreError          the index cannot be opened, read or written
    │   └── StoreDamaged    what is on disk contradicts the catalog; it is rebuilt, nothing is lost but time
    ├── EmbeddingError      an embedding model that cannot be loaded, or answers with nonsense; words still serve
    ├── ForeignError        a file of another program that is left as it is
    └── NotFound            an id, path or revision that names nothing here

A foreign library's error becomes one of these at the edge that calls the library, `from exc`.
"""


class RepomemError(Exception):
    """What went wrong in one sentence, and the step to take next.

    `message` names the thing; `hint` is the next step, or empty where there is none.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(RepomemError):
    """A config key or value that cannot be used."""


class GitError(RepomemError):
    """Git is missing, refuses to answer, or this is no repository."""


class StoreError(RepomemError):
    """The index cannot be opened, read or written."""


class StoreDamaged(StoreError):  # noqa: N818  # a state of the store more than an error: it is healed on sight
    """What is on disk contradicts the catalog; `table` names the one table that is bad, where that is known."""

    def __init__(self, message: str, hint: str = "", *, table: str = "") -> None:
        super().__init__(message, hint)
        self.table = table


class EmbeddingError(RepomemError):
    """An embedding model cannot be loaded or asked, or answers with what are no vectors of its own."""


class ForeignError(RepomemError):
    """A file of another program that is left as it is, since an entry of ours might do it harm."""


class NotFound(RepomemError):  # noqa: N818  # reads as what happened
    """An id, path or revision that names nothing here."""
