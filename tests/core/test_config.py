"""Options: layers, checks, trust."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.option_texts import example_toml, options_table

from repomem.core.config import LoadedConfig, OptionSource, load_config, user_file
from repomem.core.config_sections import Config
from repomem.core.errors import ConfigError
from repomem.core.options import OPTIONS

ROOT = Path(__file__).parents[2]

Load = Callable[..., LoadedConfig]
Write = Callable[[str | bytes], Path]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def top(tmp_path: Path) -> Path:
    folder = tmp_path / "top"
    folder.mkdir()
    return folder


@pytest.fixture
def load(top: Path) -> Load:
    def load_with(environ: Mapping[str, str] | None = None, **options: Any) -> LoadedConfig:
        return load_config(top, environ=environ or {}, **{"trusted": lambda path, data: False, **options})

    return load_with


@pytest.fixture
def repository_file(top: Path) -> Write:
    return lambda content: _written(top / ".repomem.toml", content)


@pytest.fixture
def own_file() -> Write:
    return lambda content: _written(user_file(), content)


def _written(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def _error_of(act: Callable[[], object]) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        act()
    return caught.value


def test_without_any_file_every_option_is_its_default(load: Load) -> None:
    loaded = load()

    assert loaded.config == Config()
    assert loaded.origins == {option.name: OptionSource.DEFAULT for option in OPTIONS}
    assert loaded.notices == ()


def test_outside_a_work_tree_only_the_users_layers_count(own_file: Write) -> None:
    own_file("[search]\nlimit = 3\n")
    loaded = load_config(None, environ={}, trusted=lambda path, data: True)

    assert loaded.config.search.limit == 3


def test_each_layer_overrides_the_one_below(load: Load, repository_file: Write, own_file: Write) -> None:
    def budget_and_origin(*args: Any, **options: Any) -> tuple[int, str]:
        loaded = load(*args, **options)
        return loaded.config.recall.budget, str(loaded.origins["recall.budget"])

    repository_file("[recall]\nbudget = 101\n")
    assert budget_and_origin() == (101, "repository file")
    own_file("[recall]\nbudget = 102\n")
    assert budget_and_origin() == (102, "user file")
    environ = {"REPOMEM_RECALL_BUDGET": "103"}
    assert budget_and_origin(environ) == (103, "environment")


def test_a_layer_that_sets_one_key_leaves_the_others_of_its_section(load: Load, repository_file: Write) -> None:
    repository_file('[index]\nexclude = ["data/**"]\n')
    loaded = load({"REPOMEM_INDEX_VENDORED": "yes"})

    assert loaded.config.index.exclude == ("data/**",)
    assert loaded.config.index.vendored is True
    assert loaded.origins["index.include"] == OptionSource.DEFAULT


@pytest.mark.parametrize(
    ("variable", "text", "expected"),
    [
        ("REPOMEM_INDEX_MAX_FILE_KB", " 64 ", 64),
        ("REPOMEM_INDEX_INCLUDE", "src/**, lib/**,", ("src/**", "lib/**")),
        ("REPOMEM_INDEX_EXCLUDE", "*.csv", ("*.csv",)),
        ("REPOMEM_INDEX_GENERATED", "True", True),
        ("REPOMEM_INDEX_VENDORED", "1", True),
        ("REPOMEM_HISTORY_MAX_COMMITS", "0", 0),
        ("REPOMEM_HISTORY_SYMBOL_COMMITS", "10", 10),
        ("REPOMEM_RECALL_BUDGET", "800", 800),
        ("REPOMEM_SEARCH_LIMIT", "5", 5),
        ("REPOMEM_EMBEDDING_MODEL", "minilm", "minilm"),
        ("REPOMEM_STORE_URI", "s3://bucket/a b", "s3://bucket/a b"),
        ("REPOMEM_WORKERS_PROCESSES", "2", 2),
    ],
)
def test_every_option_can_be_set_by_its_variable(load: Load, variable: str, text: str, expected: object) -> None:
    option = next(option for option in OPTIONS if option.variable == variable)
    loaded = load({variable: text})

    assert getattr(getattr(loaded.config, option.section), option.key) == expected
    assert loaded.origins[option.name] == OptionSource.ENVIRONMENT


def test_an_empty_variable_counts_as_not_set(load: Load) -> None:
    assert load({"REPOMEM_RECALL_BUDGET": ""}).config == Config()


def test_a_variable_of_another_kind_is_left_alone(load: Load) -> None:
    assert load({"REPOMEM": "0", "REPOMEM_HOME": "/x", "PATH": "/bin"}).config == Config()


def test_a_misspelt_variable_is_refused_with_the_nearest_key(load: Load) -> None:
    error = _error_of(lambda: load({"REPOMEM_RECALL_BUGDET": "5"}))

    assert error.message == "unknown variable REPOMEM_RECALL_BUGDET in the environment"
    assert error.hint == "did you mean REPOMEM_RECALL_BUDGET?"


@pytest.mark.parametrize(
    ("content", "message", "hint"),
    [
        ("[recall]\nbugdet = 5", "unknown key 'recall.bugdet' in .repomem.toml", "did you mean 'recall.budget'?"),
        ("[index]\nbudget = 5", "unknown key 'index.budget' in .repomem.toml", "did you mean 'recall.budget'?"),
        ("budget = 5", "unknown section or key 'budget' in .repomem.toml", "did you mean 'recall.budget'?"),
        ("[recal]", "unknown section or key 'recal' in .repomem.toml", "did you mean 'recall'?"),
        ("[zzz]", "unknown section or key 'zzz' in .repomem.toml", "`repomem config` shows every key"),
    ],
)
def test_an_unknown_key_of_the_repository_is_ignored_with_a_notice_that_names_the_nearest_one(
    load: Load, repository_file: Write, content: str, message: str, hint: str
) -> None:
    repository_file(f"{content}\n[search]\nlimit = 7")
    loaded = load()

    assert loaded.config.search.limit == 7
    assert loaded.notices == (f"{message} is ignored; {hint}",)


def test_a_key_where_a_section_belongs_is_refused(load: Load, repository_file: Write) -> None:
    repository_file("recall = 5")
    error = _error_of(load)

    assert error.message == "'recall' in .repomem.toml must be a section"
    assert error.hint == "write [recall] on a line of its own"


def test_an_error_in_the_users_file_names_that_file(load: Load, own_file: Write) -> None:
    path = own_file("[recall]\nbugdet = 5")

    assert _error_of(load).message == f"unknown key 'recall.bugdet' in {path}"


@pytest.mark.parametrize(
    ("content", "form"),
    [
        ('recall.budget = "many"', "a whole number from 1 to 1000000000, not 'many'"),
        ("recall.budget = 0", "a whole number from 1 to 1000000000, not 0"),
        ("recall.budget = true", "a whole number from 1 to 1000000000, not True"),
        ("recall.budget = 1.5", "a whole number from 1 to 1000000000, not 1.5"),
        ("workers.processes = -1", "a whole number from 0 to 1000000000, not -1"),
        ("index.vendored = 1", "true or false, not 1"),
        ('index.include = "src"', "a list of strings, not 'src'"),
        ("index.include = [1]", "a list of strings, not [1]"),
        ('index.include = [""]', "a list of strings, not ['']"),
        ("store.uri = 5", "a string, not 5"),
    ],
)
def test_a_wrong_type_or_range_is_refused_with_the_expected_form(
    load: Load, repository_file: Write, content: str, form: str
) -> None:
    repository_file(content)
    name = content.partition(" ")[0]

    assert _error_of(lambda: load(trusted=lambda path, data: True)).message == f"{name} in .repomem.toml must be {form}"


@pytest.mark.parametrize(
    ("variable", "text"),
    [("REPOMEM_SEARCH_LIMIT", "-3"), ("REPOMEM_SEARCH_LIMIT", "9" * 5000), ("REPOMEM_INDEX_VENDORED", "perhaps")],
)
def test_an_invalid_variable_is_refused_by_its_name(load: Load, variable: str, text: str) -> None:
    message = _error_of(lambda: load({variable: text})).message

    assert f"({variable}) must be " in message
    assert len(message) < 150


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\n[recall\n", "valid TOML: Expected ']' at the end of a table declaration (at line 2, column 8)"),
        (b"[recall]\nbudget = 5 # \xe9\n", "valid UTF-8 (at line 2)"),
    ],
)
def test_a_file_that_cannot_be_parsed_is_an_error_with_its_line(
    load: Load, repository_file: Write, content: bytes, message: str
) -> None:
    repository_file(content)

    assert _error_of(load).message == f".repomem.toml is not {message}"


@pytest.mark.parametrize("content", [b"a = " + b"[" * 20_000, b"a = " + b"9" * 20_000])
def test_a_hostile_file_is_a_short_error(load: Load, repository_file: Write, content: bytes) -> None:
    repository_file(content)

    assert len(_error_of(load).message) < 300


def test_a_hostile_key_is_a_short_notice(load: Load, repository_file: Write) -> None:
    repository_file("a" * 60_000 + " = 1")

    assert len(load().notices[0]) < 300


def test_a_byte_order_mark_is_accepted(load: Load, repository_file: Write) -> None:
    repository_file(b"\xef\xbb\xbf[search]\nlimit = 4\n")

    assert load().config.search.limit == 4


def test_a_symbolic_link_in_the_work_tree_is_not_followed(load: Load, top: Path, tmp_path: Path) -> None:
    target = _written(tmp_path / "target.toml", "[search]\nlimit = 4\n")
    (top / ".repomem.toml").symlink_to(target)
    loaded = load()

    assert loaded.config == Config()
    assert loaded.notices == ("`.repomem.toml` is not a regular file, so it is ignored",)


def test_a_huge_repository_file_is_not_read(load: Load, repository_file: Write) -> None:
    repository_file("#" * (64 * 1024 + 1))

    assert load().notices == ("`.repomem.toml` is larger than 64 KB, so it is ignored",)


def test_a_users_file_that_is_a_folder_is_a_config_error(load: Load) -> None:
    user_file().mkdir(parents=True)

    assert _error_of(load).message.startswith(f"cannot read {user_file()}: ")


def test_fault_32_untrusted_guarded_keys_are_ignored_with_one_notice(load: Load, repository_file: Write) -> None:
    repository_file('[embedding]\nmodel = "evil"\n[store]\nuri = "s3://evil"\n[search]\nlimit = 4\n')
    loaded = load()

    assert loaded.config.embedding.model == "builtin"
    assert loaded.config.store.uri == ""
    assert loaded.config.search.limit == 4
    assert loaded.origins["embedding.model"] == OptionSource.DEFAULT
    assert loaded.notices == (
        "`.repomem.toml` sets embedding.model and store.uri; they are ignored until you run: repomem trust",
    )


def test_the_notice_about_one_key_names_it(load: Load, repository_file: Write) -> None:
    repository_file('[embedding]\nmodel = "evil"\n')

    assert load().notices == ("`.repomem.toml` sets embedding.model; it is ignored until you run: repomem trust",)


def test_fault_32_guarded_keys_apply_once_exactly_that_content_is_trusted(load: Load, repository_file: Write) -> None:
    content = b'[embedding]\nmodel = "mine"\n'
    path = repository_file(content)
    loaded = load(trusted=lambda file, data: (file, data) == (path, content))

    assert loaded.config.embedding.model == "mine"
    assert loaded.origins["embedding.model"] == OptionSource.REPOSITORY
    assert loaded.notices == ()


def test_a_repository_file_cannot_set_groups_of_folders(load: Load, repository_file: Write) -> None:
    repository_file('[workspaces]\ngroups = ["/home/you:/tmp"]\n')

    for answer in (True, False):
        loaded = load(trusted=lambda path, data, answer=answer: answer)
        assert loaded.config.workspaces.groups == ()
        assert loaded.origins["workspaces.groups"] == OptionSource.DEFAULT
        assert loaded.notices == ("`.repomem.toml` sets workspaces.groups; only your own configuration may",)


def test_the_user_sets_groups_of_folders(load: Load, own_file: Write) -> None:
    own_file('[workspaces]\ngroups = ["~/shop:~/paylib"]\n')

    assert load().config.workspaces.groups == ("~/shop:~/paylib",)
    assert load({"REPOMEM_WORKSPACES_GROUPS": "/a:/b,/c:/d"}).config.workspaces.groups == ("/a:/b", "/c:/d")


def test_the_user_may_set_guarded_keys_without_trust(load: Load, own_file: Write) -> None:
    own_file('[embedding]\nmodel = "mine"\n')

    assert load({"REPOMEM_STORE_URI": "/data"}).config.store.uri == "/data"
    assert load().config.embedding.model == "mine"


def test_the_example_file_matches_the_declarations() -> None:
    assert (ROOT / ".repomem.example.toml").read_text(encoding="utf-8") == example_toml()


def test_the_documented_table_matches_the_declarations() -> None:
    assert options_table() in (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")


def test_a_copy_of_the_example_file_changes_nothing_and_needs_no_trust(load: Load, repository_file: Write) -> None:
    repository_file(example_toml())
    loaded = load()

    assert loaded.config == Config()
    assert loaded.notices == ()


def test_the_example_file_holds_every_option() -> None:
    sections = tomllib.loads(example_toml())

    assert [f"{section}.{key}" for section, keys in sections.items() for key in keys] == [o.name for o in OPTIONS]


def test_only_options_of_network_models_and_trust_are_guarded() -> None:
    assert {option.name for option in OPTIONS if option.is_guarded} == {
        "capture.llm",
        "capture.llm_tokens_per_day",
        "embedding.api_base",
        "embedding.ask_above_cents",
        "embedding.model",
        "llm.api_base",
        "store.uri",
        "sync.trust",
    }
