"""Candidate items that need no ranking: facts read from files, and warnings about the index."""

import json
from collections.abc import Iterator, Sequence

from repomem.brief.items import Form, Offer, Section
from repomem.brief.lines import fact_form
from repomem.core.types import BriefItem, Fact
from repomem.workspace.snapshot import Snapshot

QUOTATIONS = 3  # of the policy files; the map has them all
RANK = {"warning": 0, "fact": 10, "quoted": 24.8, "quoted further": 33}


def facts_of(snapshot: Snapshot) -> list[Fact]:
    """The facts of the repository that were read when it was indexed."""
    return [Fact(**fact) for fact in json.loads(snapshot.worktree.facts)]


def warning_offers(texts: Sequence[str]) -> Iterator[Offer]:
    """What the index lacks, at the head of a brief."""
    for at, text in enumerate(texts):
        item = BriefItem(kind="warning", text=text)
        yield Offer(Section.HEAD, RANK["warning"] + at / 100, (Form(f"Warning: {text}", item),))


def fact_offers(facts: Sequence[Fact], slots: Sequence[str]) -> Iterator[Offer]:
    quotations = [fact for fact in facts if fact.slot == "quoted"]
    for at, fact in enumerate(facts):
        if fact.slot in slots and fact not in quotations[QUOTATIONS:]:
            sort = "fact" if fact.slot != "quoted" else "quoted" if fact is quotations[0] else "quoted further"
            place = RANK["fact"] + at / 100
            yield Offer(Section.HOLDS, RANK[sort] + at / 100, (fact_form(fact),), place=place)


def of_kinds(offers: list[Offer], kinds: frozenset[str]) -> list[Offer]:
    """Those of the kinds that are asked for, and the warnings; without kinds all."""
    return [offer for offer in offers if offer.kind in {*kinds, "warning"}] if kinds else offers
