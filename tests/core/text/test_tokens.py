"""`count_tokens` against the true counts of two real tokenizers: a frozen table, and themselves where installed."""

import json
import random
import sys
import unicodedata
from pathlib import Path
from statistics import mean
from typing import TypedDict

import pytest
from hypothesis import given, strategies as st

from repomem.core.text.tokens import count_tokens

ROOT = Path(__file__).parents[3]


class Golden(TypedDict):
    kind: str
    text: str
    cl100k: int
    anthropic: int


def golden(name: str) -> list[Golden]:
    rows: list[Golden] = json.loads((ROOT / "fixtures" / "tokens" / name).read_text("ascii"))
    return rows


def larger(row: Golden) -> int:
    return max(row["cl100k"], row["anthropic"])


@pytest.mark.parametrize("row", golden("texts.json"), ids=lambda row: row["kind"])
def test_no_whole_text_has_more_tokens_than_counted(row: Golden) -> None:
    assert count_tokens(row["text"]) >= larger(row)


def test_a_single_line_is_short_by_one_token_at_most_and_hardly_ever() -> None:
    missing = [max(0, larger(row) - count_tokens(row["text"])) for row in golden("lines.json")]
    assert max(missing) <= 1
    assert sum(missing) <= len(missing) / 100


def test_ordinary_briefs_are_at_most_a_tenth_above_the_truth_in_the_mean() -> None:
    ordinary = [row for row in golden("texts.json") if row["kind"] == "ordinary"]
    assert len(ordinary) >= 30
    assert mean(count_tokens(row["text"]) / larger(row) for row in ordinary) <= 1.10


def test_even_hostile_texts_are_at_most_twice_the_truth() -> None:
    assert max(count_tokens(row["text"]) / larger(row) for row in golden("texts.json")) <= 2


@given(st.text(), st.text())
def test_two_texts_on_lines_of_their_own_cost_at_most_their_sum_and_one(first: str, second: str) -> None:
    joined = count_tokens(f"{first}\n{second}")
    assert joined <= count_tokens(first) + count_tokens(second) + 1
    assert joined >= count_tokens(first) + count_tokens(second) - 1


@given(st.text())
def test_no_line_costs_more_than_its_bytes_in_the_wider_form(text: str) -> None:
    line = text.replace("\n", " ")
    forms = (line, unicodedata.normalize("NFKC", line))
    assert count_tokens(line) <= max(len(form.encode()) for form in forms)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("\n", 1),
        ("the", 1),
        ("return the value", 3),
        ("it's", 2),
        ("2026", 2),
        ("5317", 2),
        ("531", 2),
        (" " * 16, 1),
        ("\u00e9\u4e2d", 2),
        ("\U0001f600", 4),
        ("\ufdfa", count_tokens(unicodedata.normalize("NFKC", "\ufdfa"))),
    ],
)
def test_pieces_have_their_price(text: str, expected: int) -> None:
    assert count_tokens(text) == expected


def test_lone_surrogates_are_counted_as_the_bytes_that_replace_them() -> None:
    assert count_tokens("\udcff\udc80") == 6


def test_a_line_of_megabytes_is_counted_whole() -> None:
    line = "x=1;" * 250_000
    assert count_tokens(line) == pytest.approx(count_tokens("x=1;" * 250) * 1000, rel=0.01)


@pytest.mark.slow
def test_the_installed_tokenizers_agree_with_the_table_and_stay_below_on_new_texts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in ("tiktoken", "tokenizers"):
        pytest.importorskip(module)
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks" / "tokens"), *sys.path])
    adversary = pytest.importorskip("adversary")
    real = pytest.importorskip("real_tokenizers")
    try:
        tokenizers = real.load()
    except ModuleNotFoundError:
        pytest.skip("litellm is not installed")
    for row in golden("lines.json"):
        assert (row["cl100k"], row["anthropic"]) == (
            tokenizers.cl100k(row["text"]),
            tokenizers.anthropic(row["text"]),
        )
    for kind, lines in adversary.adversarial_lines(random.Random(7)).items():
        text = "\n".join(lines)
        assert count_tokens(text) >= tokenizers.larger(text), kind
