"""Frozen values as JSON, without invisible characters: browsers would draw, turn or hide text by them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass

from repomem.core.escape import visible


def json_text(value: object, shown: Callable[[str], str] = visible) -> str:
    """A value of frozen dataclasses, lists and plain values as JSON; `shown` changes its texts."""
    return json.dumps(_plain(value, shown), ensure_ascii=False, separators=(",", ":"))


def _plain(value: object, shown: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return shown(value)
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name), shown) for each in fields(value)}
    if isinstance(value, Mapping):
        return {shown(str(key)): _plain(each, shown) for key, each in value.items()}
    return [_plain(each, shown) for each in value] if isinstance(value, list | tuple) else value
