"""Option names and checks, derived from `core.config_sections`.

`core.config` reads files and variables.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from reprlib import repr as shortened
from typing import TypeAlias

from repomem.core.config_sections import Config
from repomem.core.errors import ConfigError

REPOSITORY_FILE = ".repomem.toml"
VARIABLE_PREFIX = "REPOMEM_"
LARGEST_NUMBER = 1_000_000_000  # fits every counter that uses it

_TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
_FALSE_WORDS = frozenset({"0", "false", "no", "off"})

Value: TypeAlias = int | str | tuple[str, ...]
"""The type of an option; bool is a subclass of int."""


@dataclass(frozen=True, slots=True)
class Option:
    section: str
    key: str
    default: Value
    help: str
    minimum: int
    is_guarded: bool  # loads a model, uses the network or trusts a writer; only a trusted repository file may set it
    is_personal: bool  # names the user's folders; a repository file may not set it

    @property
    def name(self) -> str:
        """The name in messages: `recall.budget`."""
        return f"{self.section}.{self.key}"

    @property
    def variable(self) -> str:
        """The environment variable: `REPOMEM_RECALL_BUDGET`."""
        return f"{VARIABLE_PREFIX}{self.section}_{self.key}".upper()

    @property
    def default_toml(self) -> str:
        return json.dumps(self.default, ensure_ascii=False)  # for these types JSON and TOML agree

    @property
    def expected(self) -> str:
        """The valid values, to follow "must be"."""
        match self.default:
            case bool():
                return "true or false"
            case int():
                return f"a whole number from {self.minimum} to {LARGEST_NUMBER}"
            case str():
                return "a string"
            case _:
                return "a list of strings"

    def meaning(self, text: str) -> object:
        """The value of a variable's text, or the text itself for `checked` to reject."""
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
        """Whether a file's value differs from the default."""
        return raw != (list(self.default) if isinstance(self.default, tuple) else self.default)

    def checked(self, value: object, place: str) -> Value:
        """The value, if its type and range are right. Raises ConfigError, which names `place` as its source."""
        if isinstance(self.default, tuple):
            if isinstance(value, list | tuple) and all(isinstance(item, str) and item for item in value):
                return tuple(value)
        elif type(value) is not type(self.default):  # exact: True is an int too
            pass
        elif isinstance(value, str) or (isinstance(value, int) and self.minimum <= value <= LARGEST_NUMBER):
            return value
        raise ConfigError(
            f"{self.name} {place} must be {self.expected}, not {shortened(value)}",
            f"its default is {self.default_toml}",
        )


def _declared_options() -> Iterator[Option]:
    for section in fields(Config):
        default = getattr(Config(), section.name)
        for key in fields(default):
            yield Option(section.name, key.name, getattr(default, key.name), **key.metadata)


OPTIONS = tuple(_declared_options())


def config_of(values: Mapping[str, Value]) -> Config:
    """The options from all values by "section.key"."""
    sections = {}
    for section in fields(Config):
        default = getattr(Config(), section.name)
        keys = {key.name: values[f"{section.name}.{key.name}"] for key in fields(default)}
        sections[section.name] = replace(default, **keys)
    return Config(**sections)
