"""The one place that reads options: flag > environment > user file > `.repomem.toml` in the worktree > default.

The file in a cloned repository is untrusted: its guarded options apply only after the user trusts exactly its content.
"""

import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from reprlib import repr as shortened  # an untrusted file may have a key of 60 KB
from types import MappingProxyType
from typing import Any, Never

from repomem.core.config_sections import Config
from repomem.core.errors import ConfigError
from repomem.core.options import OPTIONS, REPOSITORY_FILE, VARIABLE_PREFIX, Option, Value, config_of

REPOSITORY_FILE_LIMIT = 64 * 1024  # bytes, a hundred times a hand-written file

_BY_NAME = {option.name: option for option in OPTIONS}
_BY_VARIABLE = {option.variable: option for option in OPTIONS}
_MISSPELT = 0.9  # similarity of names from which one is taken for the other: a letter or two differ
_SECTION_NAMES = frozenset(option.section for option in OPTIONS)


class OptionSource(StrEnum):
    """Where the value of an option comes from."""

    DEFAULT = "default"
    REPOSITORY = "repository file"
    USER = "user file"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True)
class LoadedConfig:
    """The options, the source of each (by "section.key"), and notices for the user."""

    config: Config
    origins: Mapping[str, OptionSource]
    notices: tuple[str, ...]

    def source_of(self, name: str) -> str:
        """What set an option, to follow its name in an error; empty for a default."""
        match self.origins[name]:
            case OptionSource.REPOSITORY:
                return f"in {REPOSITORY_FILE}"
            case OptionSource.USER:
                return f"in {user_file()}"
            case OptionSource.ENVIRONMENT:
                return f"({_BY_NAME[name].variable})"
            case OptionSource.DEFAULT:
                return ""


def load_config(
    top: Path | None,
    *,
    environ: Mapping[str, str],
    trusted: Callable[[Path, bytes], bool],
) -> LoadedConfig:
    """The checked options for the worktree `top` (None: outside of one).

    `trusted` returns whether the user trusts a path with this content. Raises ConfigError.
    """
    repository, notices = _repository_layer(top / REPOSITORY_FILE, trusted) if top else ({}, ())
    values: dict[str, Value] = {option.name: option.default for option in OPTIONS}
    origins = dict.fromkeys(values, OptionSource.DEFAULT)
    for origin, layer in (
        (OptionSource.REPOSITORY, repository),
        (OptionSource.USER, _user_layer(user_file())),
        (OptionSource.ENVIRONMENT, _environment_layer(environ)),
    ):
        values |= layer
        origins |= dict.fromkeys(layer, origin)
    return LoadedConfig(config_of(values), MappingProxyType(origins), notices)


def user_file() -> Path:
    """The user's own config file, whether it exists or not."""
    from platformdirs import user_config_path

    return user_config_path("repomem", appauthor=False) / "config.toml"


def _repository_layer(path: Path, trusted: Callable[[Path, bytes], bool]) -> tuple[dict[str, Value], tuple[str, ...]]:
    """The options that the file in the worktree sets, and notices about ignored ones."""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return {}, ()
    except OSError as exc:
        raise _unreadable(REPOSITORY_FILE, exc) from exc
    if not stat.S_ISREG(status.st_mode):
        return {}, (f"`{REPOSITORY_FILE}` is not a regular file, so it is ignored",)
    if status.st_size > REPOSITORY_FILE_LIMIT:
        return {}, (f"`{REPOSITORY_FILE}` is larger than {REPOSITORY_FILE_LIMIT // 1024} KB, so it is ignored",)
    data = _content(path, REPOSITORY_FILE)
    place = f"in {REPOSITORY_FILE}"
    notices: list[str] = []

    def ignore(message: str, name: str) -> None:
        """Only note it, as it may be of a newer version: a file that came with a clone must not break every command."""
        notices.append(f"{message} is ignored; {_hint(name)}")

    entries = list(_entries(_table(data, REPOSITORY_FILE), place, ignore))
    # an option set to its default needs no trust, so a copy of the example file works
    asked = [option for option, raw in entries if option.is_asked_for(raw)]
    if guarded := [option.name for option in asked if option.is_guarded and not trusted(path, data)]:
        entries = [(option, raw) for option, raw in entries if not option.is_guarded]
        verb = "it is" if len(guarded) == 1 else "they are"
        notices.append(_ignored(guarded, f"{verb} ignored until you run: repomem trust"))
    layer = _layer(entries, place)
    if personal := [option.name for option in asked if option.is_personal]:
        notices.append(_ignored(personal, "only your own configuration may"))
    return {name: value for name, value in layer.items() if not _BY_NAME[name].is_personal}, tuple(notices)


def _ignored(names: list[str], why: str) -> str:
    return f"`{REPOSITORY_FILE}` sets {' and '.join(names)}; {why}"


def _user_layer(path: Path) -> dict[str, Value]:
    place = f"in {path}"
    data = _content(path, str(path))
    return _layer(_entries(_table(data, str(path)), place, _refuse), place)


def _environment_layer(environ: Mapping[str, str]) -> dict[str, Value]:
    """The options that environment variables set; empty variables count as unset."""
    layer: dict[str, Value] = {}
    for variable in sorted(environ):
        option = _BY_VARIABLE.get(variable)
        if option and environ[variable]:
            layer[option.name] = option.checked(option.meaning(environ[variable]), f"({variable})")
        elif option is None and variable.startswith(VARIABLE_PREFIX) and _is_meant(variable):
            name = variable.removeprefix(VARIABLE_PREFIX).lower().replace("_", ".", 1)
            raise ConfigError(f"unknown variable {variable} in the environment", _hint(name, is_variable=True))
    return layer


def _is_meant(variable: str) -> bool:
    """Whether a variable with our prefix must be an option: it names a section, or is nearly an option's name.

    Others are switches, or belong to another version.
    """
    from difflib import get_close_matches

    section, _, key = variable.removeprefix(VARIABLE_PREFIX).partition("_")
    is_of_section = bool(key) and section.lower() in _SECTION_NAMES
    return is_of_section or bool(get_close_matches(variable, _BY_VARIABLE, n=1, cutoff=_MISSPELT))


def _content(path: Path, label: str) -> bytes:
    """The bytes of a config file; empty if it does not exist."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as exc:
        raise _unreadable(label, exc) from exc


def _table(data: bytes, label: str) -> dict[str, Any]:
    """The TOML of a config file."""
    if not data:
        return {}
    import tomllib  # most worktrees have no config file, and hooks must start fast

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as exc:
        line = data.count(b"\n", 0, exc.start) + 1
        raise ConfigError(f"{label} is not valid UTF-8 (at line {line})", "save the file as UTF-8") from exc
    except (ValueError, RecursionError) as exc:  # a number of 5,000 digits, a list 5,000 deep
        raise ConfigError(
            f"{label} is not valid TOML: {exc}",
            "correct that line; a valid file: [recall], and on the next line budget = 1500",
        ) from exc


def _entries(
    table: Mapping[str, Any], place: str, on_unknown: Callable[[str, str], None]
) -> Iterator[tuple[Option, object]]:
    """The options that a file sets, with their unchecked values; `on_unknown` takes a message and an unknown name."""
    for section, content in table.items():
        if section not in _SECTION_NAMES:
            on_unknown(f"unknown section or key {shortened(section)} {place}", section)
            continue
        if not isinstance(content, dict):
            raise ConfigError(f"{section!r} {place} must be a section", f"write [{section}] on a line of its own")
        for key, value in content.items():
            name = f"{section}.{key}"
            if option := _BY_NAME.get(name):
                yield option, value
            else:
                on_unknown(f"unknown key {shortened(name)} {place}", name)


def _layer(entries: Iterable[tuple[Option, object]], place: str) -> dict[str, Value]:
    return {option.name: option.checked(value, place) for option, value in entries}


def _refuse(message: str, name: str) -> Never:
    """Raise ConfigError for an unknown key."""
    raise ConfigError(message, _hint(name))


def _hint(name: str, *, is_variable: bool = False) -> str:
    """The nearest known key or, for an option, its variable; or where to see them all."""
    from difflib import get_close_matches

    key = name.rpartition(".")[2]
    near = [option.name for option in OPTIONS if option.key == key]  # the right key in the wrong section
    near = near or get_close_matches(name, [*_BY_NAME, *_SECTION_NAMES], n=1)
    if not near:
        return "`repomem config` shows every key"
    variable = _BY_NAME[near[0]].variable if is_variable and near[0] in _BY_NAME else ""
    return f"did you mean {variable or repr(near[0])}?"


def _unreadable(label: str, exc: OSError) -> ConfigError:
    return ConfigError(f"cannot read {label}: {exc.strerror}", "check the permissions of the file")
