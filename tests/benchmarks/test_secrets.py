"""The formats that secrets are generated from, and what the rules find. The full run is `benchmarks secrets`."""

import re
from collections import Counter

from benchmarks.secrets import FORMATS, JUDGED, formats, marks_in, recall, samples
from repomem.core.secrets.redact import redact
from repomem.core.secrets.rules import CUE_RULES, NAMED, SETTINGS
from repomem.core.secrets.token_formats import TOKEN_RULES

WANTED = {"marked": 0.97, "framed": 0.97, "named": 0.97}


def test_nineteen_of_twenty_secrets_of_each_group_are_taken_out() -> None:
    found, _ = recall(2)
    assert {group for group, row in found.items() if row["recall"] < WANTED[group]} == set()


def test_there_are_four_hundred_kinds_and_most_show_their_issuer() -> None:
    kinds = Counter(group for group, _, _ in formats())
    assert kinds["marked"] >= 300
    assert len({(group, kind) for group, kind, _ in formats()}) == sum(kinds.values()) >= 400


def test_every_rule_has_a_format() -> None:
    found = _kinds("".join(redact(sample.text) for sample in samples(2)))
    rules = (*(rule.kind for rule in (*TOKEN_RULES, *SETTINGS, *NAMED)), *(rule.kind for rule in CUE_RULES))
    assert set(rules) - found == set()


def test_every_form_of_a_token_has_a_format() -> None:
    every = "\n".join(sample.text for sample in samples(2))
    forms = {rule: f"(?:{'|'.join(map(re.escape, rule.prefixes))})(?:{rule.rest})" for rule in TOKEN_RULES}
    assert [rule for rule, form in forms.items() if not re.search(form, every)] == []


def test_the_lists_themselves_hold_no_token() -> None:
    tokens = {rule.kind for rule in TOKEN_RULES}
    for file in (FORMATS, JUDGED):
        assert not tokens & _kinds(redact(file.read_text(encoding="utf-8")))


def test_a_sample_that_is_left_counts_as_missed_though_a_part_of_it_went() -> None:
    sample = next(samples(1))
    [secret] = sample.parts
    assert sample.is_left_in(sample.text)
    assert sample.is_left_in(f"x {secret[:9]}…")
    assert not sample.is_left_in("[REDACTED:aws-access-key:0000]")


def test_a_mark_is_told_with_its_line() -> None:
    token = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    [mark] = marks_in("a+b", "x.py", f"first\ntoken = '{token}'\n")
    assert (mark.line, mark.kind, mark.is_judged) == (2, "github-token", False)


def _kinds(marked: str) -> set[str]:
    return set(re.findall(r"\[REDACTED:([\w-]+):", marked))
