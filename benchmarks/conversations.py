"""python -m benchmarks conversations: is the evidence for a question about a long conversation in the brief?"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from benchmarks import results
from benchmarks.memory.conversation_scores import (
    BUDGETS,
    SPEAKERS,
    Answer,
    answers_of,
    baseline_answers,
    remembered,
)
from benchmarks.memory.conversations import Conversation, conversations
from repomem.workspace.process import prepare_process

TYPE_BUDGET = 1_000  # tokens, for the table by type


def main(arguments: list[str]) -> None:
    """conversations [--split dev|held] [--out FILE]"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks conversations")
    parser.add_argument("--split", choices=("dev", "held"), help="only these conversations")
    parser.add_argument("--out", type=Path, help="save every answer as JSON")
    given = parser.parse_args(arguments)
    prepare_process()
    where, start = results.machine(), time.perf_counter()
    chosen = [one for one in conversations() if given.split in {None, one.split}]
    with TemporaryDirectory(prefix="repomem-conversations-", ignore_cleanup_errors=True) as name:
        answers = [answer for one in chosen for answer in measured(one, Path(name))]
    for split in ("dev", "held"):
        names = {one.name for one in chosen if one.split == split}
        report(split, [answer for answer in answers if answer.conversation in names])
    print(f"\n{time.perf_counter() - start:.0f} s in all")
    if given.out:
        figures = {"machine": where, "answers": [asdict(answer) for answer in answers]}
        given.out.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def measured(conversation: Conversation, folder: Path) -> Iterator[Answer]:
    """One conversation, remembered by each kind of speaker, and the baselines."""
    yield from baseline_answers(conversation)
    for at, (method, speaker) in enumerate(SPEAKERS.items()):
        with remembered(conversation, folder / f"{conversation.name}-{at}", speaker) as ledger:
            writes = len(conversation.turns)
            print(f"{conversation.name}, {method}: {writes} memories in {ledger.seconds:.1f} s")
            start = time.perf_counter()
            yield from answers_of(conversation, ledger, method)
            asked = len(conversation.questions) * len(BUDGETS)
            print(f"{conversation.name}, {method}: {asked} recalls in {time.perf_counter() - start:.1f} s")


def report(split: str, answers: Sequence[Answer]) -> None:
    """Print the tables of one split."""
    if not answers:
        return
    methods = list(dict.fromkeys(answer.method for answer in answers))
    types = list(dict.fromkeys(answer.type for answer in answers if answer.type != "none"))
    budgets = [f"{budget:,}" for budget in BUDGETS]
    print(f"\n{split}: evidence recall by budget in tokens\n")
    head = ("memories", "recall@10", *budgets, *(f"tokens at {each}" for each in budgets))
    print(results.table(head, [_by_budget(each, answers) for each in methods]))
    print(f"\n{split}: evidence recall by type at {TYPE_BUDGET:,} tokens; turns shown where nothing answers\n")
    print(results.table(("memories", *types, "none: turns"), [_by_type(each, types, answers) for each in methods]))


def _by_budget(method: str, answers: Sequence[Answer]) -> list[object]:
    of_method = [each for each in answers if each.method == method and each.type != "none"]
    at = {budget: [each for each in of_method if each.budget == budget] for budget in (0, *BUDGETS)}
    shares = [mean(each.found for each in several) for several in at.values()]
    tokens = [round(mean(each.tokens for each in at[budget])) for budget in BUDGETS]
    return [method, *shares, *tokens]


def _by_type(method: str, types: Sequence[str], answers: Sequence[Answer]) -> list[object]:
    at = [each for each in answers if each.method == method and each.budget == TYPE_BUDGET]
    shares = [mean(each.found for each in at if each.type == kind) for kind in types]
    return [method, *shares, mean(each.shown for each in at if each.type == "none")]
