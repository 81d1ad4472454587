"""Every option of repomem with its default and meaning: a section is a dataclass, an option is one of its fields."""

from dataclasses import dataclass, field
from typing import TypeVar

BUILT_IN = "builtin"  # the embedding model that the package contains
T = TypeVar("T")


def _option(default: T, text: str, *, minimum: int = 0, guarded: bool = False, personal: bool = False) -> T:
    """A field with the metadata of an option, as `options.Option` describes it."""
    about = {"help": text, "minimum": minimum, "is_guarded": guarded, "is_personal": personal}
    return field(default=default, metadata=about)


@dataclass(frozen=True, slots=True)
class IndexConfig:
    """Which files are indexed."""

    max_file_kb: int = _option(1024, "maximum size of an indexed file, in KB", minimum=1)
    include: tuple[str, ...] = _option(
        (), 'index only files that match one of these globs, such as "src/**"; empty: all'
    )
    exclude: tuple[str, ...] = _option((), 'skip files that match one of these globs, such as "data/**"')
    generated: bool = _option(False, "also index generated files")
    vendored: bool = _option(False, "also index vendored files")


@dataclass(frozen=True, slots=True)
class HistoryConfig:
    """How much history is indexed."""

    max_commits: int = _option(20_000, "number of newest commits to index; 0: all")
    symbol_commits: int = _option(2_000, "number of newest commits for which changed symbols are recorded")


@dataclass(frozen=True, slots=True)
class RecallConfig:
    """The brief."""

    budget: int = _option(1500, "maximum tokens in a brief", minimum=1)


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """Code search."""

    limit: int = _option(10, "number of search results", minimum=1)


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """The memories."""

    max_live: int = _option(5000, "maximum number of active memories; the rest are archived, never deleted", minimum=1)


@dataclass(frozen=True, slots=True)
class EmbeddingConfig:
    """The model that turns text into vectors."""

    model: str = _option(
        BUILT_IN,
        'the embedding model: "builtin", "model2vec:…", "sentence-transformers:…" (a folder, or a name on the'
        ' Hugging Face Hub with @revision) or "litellm:provider/model"; builtin needs no network',
        guarded=True,
    )
    device: str = _option("", 'device for sentence-transformers, such as "cpu" or "cuda"; empty: automatic')
    query_prompt: str = _option("", "prefix that sentence-transformers adds to a query; empty: as the model defines")
    document_prompt: str = _option("", "prefix that sentence-transformers adds to code; empty: as the model defines")
    offline: bool = _option(False, "never download a model; if false, only a manual `repomem index` downloads one")
    api_base: str = _option("", "address of the server for litellm; empty: the model provider's", guarded=True)
    ask_above_cents: int = _option(
        100, "ask before a run that costs more than this, in US cents; without a terminal, refuse", guarded=True
    )


@dataclass(frozen=True, slots=True)
class CaptureConfig:
    """Options for capturing agent sessions."""

    llm: str = _option(
        "",
        'a litellm model, such as "ollama/qwen3", that proposes memories from turns in which the rules found nothing;'
        " those turns are sent to it, without secrets; empty: no model",
        guarded=True,
    )
    llm_tokens_per_day: int = _option(50_000, "tokens that this model may read and write in a day", guarded=True)


@dataclass(frozen=True, slots=True)
class LlmConfig:
    """The text models used with --llm and for capture.llm."""

    api_base: str = _option(
        "", "address of the server for --llm and capture.llm; empty: the model provider's", guarded=True
    )


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """Where the index is stored."""

    uri: str = _option(
        "",
        "a folder for the index; empty: inside the git directory. With an address of shared storage (s3://, gs://,"
        " az://), the index stays in the git directory, and `repomem index` downloads parsed files from the storage",
        guarded=True,
    )
    trust: bool = _option(
        False,
        "use a data folder in .git that another user, machine or container made, such as a restored CI cache",
        personal=True,
    )


@dataclass(frozen=True, slots=True)
class SyncConfig:
    """The ledger that a team shares through git."""

    trust: tuple[str, ...] = _option(
        (),
        'ids of writers to trust like yourself, as `repomem sync` lists them; "*": everybody who can push',
        guarded=True,
    )


@dataclass(frozen=True, slots=True)
class WorkersConfig:
    """Parser processes and the preloaded process."""

    processes: int = _option(0, "number of parser processes; 0: one per core, at most 4")
    preload: bool = _option(
        True,
        "while `repomem mcp` or `repomem watch` runs, keep the libraries loaded in a sleeping process of 70 MB from"
        " which short commands start faster",
    )


@dataclass(frozen=True, slots=True)
class WorkspacesConfig:
    """Repositories that are recalled together."""

    groups: tuple[str, ...] = _option(
        (),
        "groups of worktrees; each entry lists folders, separated as in PATH, such as"
        ' "~/src/shop:~/src/shop-client"; a recall in one of them also searches the others',
        personal=True,
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
    capture: CaptureConfig = field(default_factory=CaptureConfig)
    llm: LlmConfig = field(default_factory=LlmConfig)
    store: StoreConfig = field(default_factory=StoreConfig)
    sync: SyncConfig = field(default_factory=SyncConfig)
    workers: WorkersConfig = field(default_factory=WorkersConfig)
    workspaces: WorkspacesConfig = field(default_factory=WorkspacesConfig)
