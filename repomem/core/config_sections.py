"""Every option of repomem with its default and meaning: a section is a dataclass, an option is one of its fields."""

from dataclasses import dataclass, field
from typing import Any

BUILT_IN = "builtin"  # the embedding model that the package contains


def _about(text: str, *, minimum: int = 0, guarded: bool = False, personal: bool = False) -> dict[str, Any]:
    """The metadata of an option, as `options.Option` describes it."""
    return {"help": text, "minimum": minimum, "is_guarded": guarded, "is_personal": personal}


@dataclass(frozen=True, slots=True)
class IndexConfig:
    """Which files are indexed."""

    max_file_kb: int = field(default=1024, metadata=_about("maximum size of an indexed file, in KB", minimum=1))
    include: tuple[str, ...] = field(
        default=(),
        metadata=_about('index only files that match one of these globs, such as "src/**"; empty: all'),
    )
    exclude: tuple[str, ...] = field(
        default=(), metadata=_about('skip files that match one of these globs, such as "data/**"')
    )
    generated: bool = field(default=False, metadata=_about("also index generated files"))
    vendored: bool = field(default=False, metadata=_about("also index vendored files"))


@dataclass(frozen=True, slots=True)
class HistoryConfig:
    """How much history is indexed."""

    max_commits: int = field(default=20_000, metadata=_about("number of newest commits to index; 0: all"))
    symbol_commits: int = field(
        default=2_000, metadata=_about("number of newest commits for which changed symbols are recorded")
    )


@dataclass(frozen=True, slots=True)
class RecallConfig:
    """The brief."""

    budget: int = field(default=1500, metadata=_about("maximum tokens in a brief", minimum=1))


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """Code search."""

    limit: int = field(default=10, metadata=_about("number of search results", minimum=1))


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """The memories."""

    max_live: int = field(
        default=5000,
        metadata=_about("maximum number of active memories; the rest are archived, never deleted", minimum=1),
    )


@dataclass(frozen=True, slots=True)
class EmbeddingConfig:
    """The model that turns text into vectors."""

    model: str = field(
        default=BUILT_IN,
        metadata=_about(
            'the embedding model: "builtin", "model2vec:…", "sentence-transformers:…" (a folder, or a name on the'
            ' Hugging Face Hub with @revision) or "litellm:provider/model"; builtin needs no network',
            guarded=True,
        ),
    )
    device: str = field(
        default="",
        metadata=_about('device for sentence-transformers, such as "cpu" or "cuda"; empty: automatic'),
    )
    query_prompt: str = field(
        default="", metadata=_about("prefix that sentence-transformers adds to a query; empty: as the model defines")
    )
    document_prompt: str = field(
        default="",
        metadata=_about("prefix that sentence-transformers adds to code; empty: as the model defines"),
    )
    offline: bool = field(
        default=False, metadata=_about("never download a model; if false, only a manual `repomem index` downloads one")
    )
    api_base: str = field(
        default="",
        metadata=_about("address of the server for litellm; empty: the model provider's", guarded=True),
    )
    ask_above_cents: int = field(
        default=100,
        metadata=_about(
            "ask before a run that costs more than this, in US cents; without a terminal, refuse", guarded=True
        ),
    )


@dataclass(frozen=True, slots=True)
class CaptureConfig:
    """Options for capturing agent sessions."""

    llm: str = field(
        default="",
        metadata=_about(
            'a litellm model, such as "ollama/qwen3", that proposes memories from turns in which the rules found none;'
            " empty: none. Those turns are sent to it, with secrets removed",
            guarded=True,
        ),
    )
    llm_tokens_per_day: int = field(
        default=50_000, metadata=_about("tokens that this model may read and write in a day", guarded=True)
    )


@dataclass(frozen=True, slots=True)
class LlmConfig:
    """The text models used with --llm and for capture.llm."""

    api_base: str = field(
        default="",
        metadata=_about("address of the server for --llm and capture.llm; empty: the model provider's", guarded=True),
    )


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """Where the index is stored."""

    uri: str = field(
        default="",
        metadata=_about(
            "a folder for the index; empty: inside the git directory. With the address of shared storage (s3://, gs://,"
            " az://) the index stays there, and repomem index downloads parsed files from the storage",
            guarded=True,
        ),
    )
    trust: bool = field(
        default=False,
        metadata=_about(
            "use a data folder in .git that another user, machine or container made, such as a restored CI cache",
            personal=True,
        ),
    )


@dataclass(frozen=True, slots=True)
class SyncConfig:
    """The ledger that a team shares through git."""

    trust: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            'ids of writers to trust like yourself, as `repomem sync` lists them; "*": everybody who can push',
            guarded=True,
        ),
    )


@dataclass(frozen=True, slots=True)
class WorkersConfig:
    """Processes besides that of a command."""

    processes: int = field(default=0, metadata=_about("number of parser processes; 0: one per core, at most 4"))
    preload: bool = field(
        default=True,
        metadata=_about(
            "while `repomem mcp` or `repomem watch` runs, keep the libraries loaded in a sleeping process of 70 MB from"
            " which short commands start faster"
        ),
    )


@dataclass(frozen=True, slots=True)
class WorkspacesConfig:
    """Repositories that are recalled together."""

    groups: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            "groups of worktrees; each entry lists folders, separated as in PATH, such as"
            ' "~/src/shop:~/src/shop-client"; a recall in one of them also searches the others',
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
    capture: CaptureConfig = field(default_factory=CaptureConfig)
    llm: LlmConfig = field(default_factory=LlmConfig)
    store: StoreConfig = field(default_factory=StoreConfig)
    sync: SyncConfig = field(default_factory=SyncConfig)
    workers: WorkersConfig = field(default_factory=WorkersConfig)
    workspaces: WorkspacesConfig = field(default_factory=WorkspacesConfig)
