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
        "Always pass the locale",
        "Tests may not touch the network",
        "No wildcard imports in this repo",
        "New handlers go under api/v2, v1 is frozen",
        "Use uv run pytest, not pytest",
        "Every migration must have a down script",
        "Nobody may push to release without review",
        "Public functions need a docstring",
        "Every pull request needs a changelog entry",
        "Commits should be signed",
        "Secrets are not allowed in fixtures",
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
        "The queue always delivers twice",
        "parse() never returns None",
        "The vendor is slow, always sends UTC",
        "Every request goes through the gateway",
        "All tenants share one database",
        "Sessions never survive a restart",
        "Every week a dentist, your teeth must be awful",
        "At seventy-two hours it should be about a third of that",
        "The server may not respond in time",
        "We need a new logo",
        "No tests are left on that branch",
        "FYI the rates are updated at 16:00, so don't cache them",
        "Must we keep the header? Nobody reads it",
    ],
)
def test_a_report_or_question_is_not_a_rule(text: str) -> None:
    assert kind_of(text) is MemoryKind.FACT


@pytest.mark.parametrize(
    "start", ["Ana (2026-03-01 09:40): ", "[2026-03-01 09:40] Ana: ", "1:56 pm on 8 May, 2023, Ana: "]
)
def test_a_turn_of_a_conversation_is_not_a_rule(start: str) -> None:
    assert kind_of(f"{start}You must come. Never before ten, though.") is MemoryKind.FACT


def test_a_demand_behind_a_heading_is_a_rule() -> None:
    assert kind_of("Release 4.2: never tag by hand") is MemoryKind.RULE


@pytest.mark.parametrize(
    "text",
    [
        "perhaps we should drop Go 1.21",
        "Maybe we must use fasthttp",
        "should we drop Go 1.21",
        "Is the mux safe for concurrent use?",
        "I wonder whether the salt is required",
    ],
)
def test_what_is_asked_or_considered_is_open(text: str) -> None:
    assert kind_of(text) is MemoryKind.THREAD


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("only copies the keys that exist", MemoryKind.FACT),
        ("only migrations touch the schema", MemoryKind.RULE),
        ("The pool may be shared. Is it safe?", MemoryKind.FACT),
        ("Ana: is the pool safe?", MemoryKind.FACT),  # of a conversation
    ],
)
def test_a_description_or_question_in_passing_keeps_the_kind(text: str, kind: MemoryKind) -> None:
    assert kind_of(text) is kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The size limit of the main bundle is 11 kB from now on", MemoryKind.DECISION),
        ("Retries are capped at 5 from now on.", MemoryKind.DECISION),
        ("From now on the bundle must stay below 11 kB", MemoryKind.RULE),
        ("Everything is reviewed by a second person from now on", MemoryKind.RULE),
        ("Recordings for the README are pink from now on", MemoryKind.DECISION),
        ("Stemming was wrong for part numbers, trigrams from here on", MemoryKind.DECISION),
        ("Run the tests with 4 workers from now on", MemoryKind.RULE),
        ("Write buffers may grow to 256 KiB", MemoryKind.FACT),
        ("Sign in is by email", MemoryKind.FACT),
        ("Put requests are idempotent", MemoryKind.FACT),
        ("Write tests that are fast", MemoryKind.RULE),
        ("Keep what is public stable", MemoryKind.RULE),
        ("Use tabs, which are cheaper", MemoryKind.RULE),
    ],
)
def test_a_new_value_is_no_demand(text: str, kind: MemoryKind) -> None:
    assert kind_of(text) is kind
