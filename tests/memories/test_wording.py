"""Tests for what the wording of a memory shows."""

import pytest

from repomem.core.records import MemoryKind
from repomem.memories.wording import kind_of


@pytest.mark.parametrize(
    "text",
    [
        "Never use floats for money",
        "Event order is always seq, never timestamps",
        "Uploads over 100 MB must go through multipart, never put_object",
        "The build was slow. Always run it with the cache.",
        "I always forget this: every migration must have a way back, and must be reversible",
    ],
)
def test_a_demand_is_a_rule(text: str) -> None:
    assert kind_of(text) is MemoryKind.RULE


@pytest.mark.parametrize(
    "text",
    [
        "Since November the keys never left the building",
        "I'm always honest, it is the proxy that lies",
        "They have never sent the header",
        "It must have been the cache",
        "Must we keep the header? Nobody reads it",
    ],
)
def test_what_somebody_tells_of_or_asks_is_no_rule(text: str) -> None:
    assert kind_of(text) is MemoryKind.FACT
