"""Every option of repomem, declared once.

The declarations are the source of the environment's names, of `.repomem.example.toml`, of the table in the
documentation and of every check. Reading files and variables is the business of `core.config`.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import groupby
from reprlib import repr as shortened
from typing import Any, TypeAlias

from repomem.core.errors import ConfigError

REPOSITORY_FILE = ".repomem.toml"
VARIABLE_PREFIX = "REPOMEM_"
BUILT_IN = "builtin"  # the embedding model that the package carries
LARGEST_NUMBER = 1_000_000_000  # fits every counter downstream; more would mean "no limit" anyway

_TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
_FALSE_WORDS = frozenset({"0", "false", "no", "off"})

Value: TypeAlias = int | str | tuple[str, ...]
"""What an option may hold; a switch is a bool, which is an int."""


def _about(text: str, *, minimum: int = 0, guarded: bool = False, personal: bool = False) -> dict[str, Any]:
    """The metadata of an option: one line of help, the smallest number, whether a repository must be trusted to set it
    or may not set it at all.
    """
    return {"help": text, "minimum": minimum, "is_guarded": guarded, "is_personal": personal}


@dataclass(frozen=True, slots=True)
class IndexConfig:
    """Which files are indexed."""

    max_file_kb: int = field(default=1024, metadata=_about("larger files are left out, in KB", minimum=1))
    include: tuple[str, ...] = field(
        default=(), metadata=_about('only files that match one of these globs, such as "src/**"; empty: all')
    )
    exclude: tuple[str, ...] = field(
        default=(), metadata=_about('leave out files that match one of these globs, such as "data/**"')
    )
    generated: bool = field(default=False, metadata=_about("index generated files too"))
    vendored: bool = field(default=False, metadata=_about("index vendored files too"))


@dataclass(frozen=True, slots=True)
class HistoryConfig:
    """How much of the history is read."""

    max_commits: int = field(default=20_000, metadata=_about("how many of the newest commits are read; 0: all"))
    symbol_commits: int = field(
        default=2_000, metadata=_about("how many of the newest commits also name the symbols they changed")
    )


@dataclass(frozen=True, slots=True)
class RecallConfig:
    """The brief."""

    budget: int = field(default=1500, metadata=_about("the most tokens that a brief may take", minimum=1))


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """Code search."""

    limit: int = field(default=10, metadata=_about("how many hits a search shows", minimum=1))


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """The memories."""

    max_live: int = field(
        default=5000,
        metadata=_about("how many memories briefs choose from; more are archived, never deleted", minimum=1),
    )


@dataclass(frozen=True, slots=True)
class EmbeddingConfig:
    """The model that turns text into vectors."""

    model: str = field(
        default=BUILT_IN,
        metadata=_about(
            'the embedding model: "builtin", "model2vec:…", "sentence-transformers:…" (each a folder, or a name on the'
            ' hub with @revision) or "litellm:provider/model"; builtin needs no network',
            guarded=True,
        ),
    )
    device: str = field(
        default="", metadata=_about('where sentence-transformers runs, such as "cpu" or "cuda"; empty: it chooses')
    )
    query_prompt: str = field(
        default="", metadata=_about("what sentence-transformers puts before a question; empty: what the model says")
    )
    document_prompt: str = field(
        default="", metadata=_about("what it puts before a piece of code; empty: what the model says")
    )
    offline: bool = field(
        default=False, metadata=_about("never download a model; without it, only `repomem index` does, by hand")
    )
    api_base: str = field(
        default="",
        metadata=_about("address of the server behind litellm; empty: that of the model's provider", guarded=True),
    )
    ask_above_cents: int = field(
        default=100,
        metadata=_about(
            "a run that costs more, in US cents, is asked for on a terminal and refused elsewhere", guarded=True
        ),
    )


@dataclass(frozen=True, slots=True)
class LlmConfig:
    """The models that write prose, for who asks for one."""

    api_base: str = field(
        default="",
        metadata=_about("address of the server behind --llm; empty: that of the model's provider", guarded=True),
    )


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """Where the index lies."""

    uri: str = field(
        default="",
        metadata=_about(
            "folder of the index, empty: inside the git directory; or shared storage (s3://, gs://, az://, db://) from"
            " which indexing takes what others have read",
            guarded=True,
        ),
    )


@dataclass(frozen=True, slots=True)
class SyncConfig:
    """The ledger that a team shares through git."""

    trust: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            'writers who are believed as you are, by their ids as `repomem sync` lists them; "*": all who may push',
            guarded=True,
        ),
    )


@dataclass(frozen=True, slots=True)
class WorkersConfig:
    """The processes that parse."""

    processes: int = field(default=0, metadata=_about("parser processes; 0: one per core, at most 4"))


@dataclass(frozen=True, slots=True)
class WorkspacesConfig:
    """Repositories that answer together."""

    groups: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            "work trees that answer together: each text is a group, its folders separated as in PATH, such as"
            ' "~/src/shop:~/src/shop-client"; a recall in one of them asks the others too',
            personal=True,
        ),
    )


@dataclass(frozen=True, slots=True)
class Config:
    """The resolved options; a field is a section, a field of a section is a key."""

    index: IndexConfig = field(default_factory=IndexConfig)
    history: HistoryConfig = field(default_factory=HistoryConfig)
    recall: RecallConfig = field(default_factory=RecallConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    memory: MemoryConfig = field(default_factory=MemoryConfig)
    embedding: EmbeddingConfig = field(default_factory=EmbeddingConfig)
    llm: LlmConfig = field(default_factory=LlmConfig)
    store: StoreConfig = field(default_factory=StoreConfig)
    sync: SyncConfig = field(default_factory=SyncConfig)
    workers: WorkersConfig = field(default_factory=WorkersConfig)
    workspaces: WorkspacesConfig = field(default_factory=WorkspacesConfig)


@dataclass(frozen=True, slots=True)
class Option:
    """One option as it is declared above."""

    section: str
    key: str
    default: Value
    help: str
    minimum: int
    is_guarded: bool  # reaches the network, loads a model, says whom to believe: by a repository only where trusted
    is_personal: bool  # names folders of the user's: no repository's file sets it, trusted or not

    @property
    def name(self) -> str:
        """The name in messages and flags: `recall.budget`."""
        return f"{self.section}.{self.key}"

    @property
    def variable(self) -> str:
        """The name in the environment: `REPOMEM_RECALL_BUDGET`."""
        return f"{VARIABLE_PREFIX}{self.section}_{self.key}".upper()

    @property
    def default_toml(self) -> str:
        """The default as TOML writes it."""
        return json.dumps(self.default, ensure_ascii=False)  # for these types JSON and TOML agree

    @property
    def remark(self) -> str:
        """The help, and whether trust is needed, or of no use."""
        guard = f"; in {REPOSITORY_FILE} only after `repomem trust`" if self.is_guarded else ""
        return self.help + (f"; never in {REPOSITORY_FILE}" if self.is_personal else guard)

    @property
    def expected(self) -> str:
        """The form that a value must have, to follow "must be"."""
        match self.default:
            case bool():
                return "true or false"
            case int():
                return f"a whole number from {self.minimum} to {LARGEST_NUMBER}"
            case str():
                return "a text"
            case _:
                return "a list of texts"

    def meaning(self, text: str) -> object:
        """What the text of a variable means; the text itself where it means nothing, for `checked` to refuse."""
        word = text.strip()
        match self.default:
            case bool() if word.lower() in _TRUE_WORDS | _FALSE_WORDS:
                return word.lower() in _TRUE_WORDS
            case int() if word.isdecimal() and len(word) <= len(str(LARGEST_NUMBER)):
                return int(word)
            case tuple():
                return tuple(part.strip() for part in text.split(",") if part.strip())
            case _:
                return text

    def is_asked_for(self, raw: object) -> bool:
        """Whether a file's value is another than the default."""
        return raw != (list(self.default) if isinstance(self.default, tuple) else self.default)

    def checked(self, value: object, place: str) -> Value:
        """The value, where it has the right type and range; ConfigError where not. `place` says where it stands."""
        if isinstance(self.default, tuple):
            if isinstance(value, list | tuple) and all(isinstance(item, str) and item for item in value):
                return tuple(value)
        elif type(value) is not type(self.default):  # exact: True is no number
            pass
        elif isinstance(value, str) or (isinstance(value, int) and self.minimum <= value <= LARGEST_NUMBER):
            return value
        raise ConfigError(
            f"{self.name} {place} must be {self.expected}, not {shortened(value)}",
            f"its default, in [{self.section}], is: {self.key} = {self.default_toml}",
        )


def _declared_options() -> Iterator[Option]:
    for section in fields(Config):
        default = getattr(Config(), section.name)
        for key in fields(default):
            yield Option(section.name, key.name, getattr(default, key.name), **key.metadata)


OPTIONS = tuple(_declared_options())


def config_of(values: Mapping[str, Value]) -> Config:
    """The options from their values by "section.key", every one of them given."""
    sections = {}
    for section in fields(Config):
        default = getattr(Config(), section.name)
        keys = {key.name: values[f"{section.name}.{key.name}"] for key in fields(default)}
        sections[section.name] = replace(default, **keys)
    return Config(**sections)


def example_toml() -> str:
    """Every option at its default, with its help: the content of `.repomem.example.toml`."""
    lines = [
        f"# Every option of repomem at its default. Copy what you change to {REPOSITORY_FILE} in the work tree",
        "# or to config.toml in your user config folder (`repomem config` prints where that is).",
    ]
    for section, options in groupby(OPTIONS, key=lambda option: option.section):
        lines += ["", f"[{section}]"]
        for option in options:
            lines += [f"# {option.remark}", f"{option.key} = {option.default_toml}"]
    return "\n".join(lines) + "\n"


def options_table() -> str:
    """Every option as a Markdown table, for the documentation."""
    rows = ["| option | default | environment | meaning |", "|---|---|---|---|"]
    rows += [
        f"| `{option.name}` | `{option.default_toml}` | `{option.variable}` | {option.remark} |" for option in OPTIONS
    ]
    return "\n".join(rows) + "\n"
