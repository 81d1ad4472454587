"""What a decision turns down, as code would have it."""

import pytest

from repomem.check.prohibitions import prohibitions_of
from repomem.core.records import MemoryContent, MemoryKind
from repomem.core.types.text import CleanText


def caught(line: str, text: str = "We settle it so", *rejected: str, kind: MemoryKind = MemoryKind.DECISION) -> bool:
    said = MemoryContent(kind, CleanText(text), rejected=tuple(map(CleanText, rejected)))
    return any(ban.is_in(line) and ban.key in line.lower() for ban in prohibitions_of(said))


@pytest.mark.parametrize(
    ("line", "rejected"),
    [
        ("import redis", "redis"),
        ("from redis.asyncio import Redis", "Redis"),
        ("client = redis.Redis()", "redis"),
        ("redis>=5", "redis"),
        ('const redis = require("redis")', "a redis"),
        ('    "redis": "^4.6.0",', "redis"),
        ('\t"github.com/redis/go-redis/v9"', "redis"),
        ("use tokio::sync::Mutex", "tokio::sync::Mutex"),
        ("delay = exponential_backoff(attempt)", "exponential backoff"),
        ("class ExponentialBackoff:", "exponential backoff in the client"),
        ("self.value = pickle.loads(data)", "`pickle.loads`"),
    ],
)
def test_an_alternative_is_found_as_code_spells_it(line: str, rejected: str) -> None:
    assert caught(line, "We settle it so", rejected)


@pytest.mark.parametrize(
    ("line", "rejected"),
    [
        ('"""There is no redis here, and no exponential backoff either."""', "redis"),
        ('"""There is no exponential backoff here."""', "exponential backoff"),
        ("predis.connect()", "redis"),
        ("credentials = rediscover()", "redis"),
        ("threads.start()", "threads"),
        ('if scheme in {"redis", "http"}:', "redis"),
        ("studioloop.begin()", "io loop"),
        ('"""SQLAlchemy would be more than we need"""', "SQLAlchemy"),
        ("from x import list", "a list"),
        ("do(it)", "a retry in the client whenever the queue delivers twice and nobody waits"),
    ],
)
def test_an_ambiguous_word_prohibits_nothing(line: str, rejected: str) -> None:
    assert not caught(line, "We settle it so", rejected)


@pytest.mark.parametrize(
    "text",
    [
        "Never use `time.sleep`: callers own their waiting",
        "Handlers must not call time.sleep() in a loop",
        "Don't ever use time.sleep here",
    ],
)
def test_names_that_a_rule_forbids_are_found(text: str) -> None:
    assert caught("    time.sleep(1)", text, kind=MemoryKind.RULE)
    assert not caught("    asyncio.time.sleep(1)", text, kind=MemoryKind.RULE)
    assert not caught("    time.sleep_ms(1)", text, kind=MemoryKind.RULE)


def test_a_function_may_be_named_as_it_is_called() -> None:
    rule = "Amounts never go through `float()` (it rounds)"
    assert caught("    minor = int(float(number) * 100)", rule, kind=MemoryKind.RULE)
    assert not caught("    minor = afloat(number)", rule, kind=MemoryKind.RULE)


def test_a_method_of_the_name_is_not_the_function() -> None:
    rule = "Never use `print` in the library"
    assert caught("    print(total)", rule, kind=MemoryKind.RULE)
    assert not caught("    console.print(total)", rule, kind=MemoryKind.RULE)


@pytest.mark.parametrize(
    "text",
    [
        "Never call `time.sleep` without a timeout",
        "Never call `time.sleep` before the lock is held",
        "Do not wait, use `time.sleep` instead",
        "MemoryUse `time.sleep` when the queue is full",
    ],
)
def test_a_rule_with_a_condition_forbids_nothing(text: str) -> None:
    assert not caught("    time.sleep(1)", text, kind=MemoryKind.RULE)
