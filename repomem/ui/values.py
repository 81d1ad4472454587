"""Frozen values as JSON, without invisible characters: browsers would draw, turn or hide text by them."""

import json
from collections.abc import Callable

from repomem.core.escape import visible, visible_values


def json_text(value: object, shown: Callable[[str], str] = visible) -> str:
    """A value of frozen dataclasses, lists and plain values as JSON; `shown` changes its texts."""
    return json.dumps(visible_values(value, shown), ensure_ascii=False, separators=(",", ":"))
