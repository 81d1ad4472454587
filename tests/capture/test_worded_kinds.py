"""The kind of a statement that the classifier found."""

import pytest

from repomem.capture.statements.classifier.worded_kinds import kind_of
from repomem.core.records import MemoryKind


@pytest.mark.parametrize(
    ("text", "guess", "expected"),
    [
        ("Vorsicht mit dem Cache, er hält alte Preise", MemoryKind.DECISION, MemoryKind.GOTCHA),
        ("ojo que el cache guarda precios viejos", MemoryKind.DECISION, MemoryKind.GOTCHA),
        ("Attention, le cache garde les anciens prix", MemoryKind.DECISION, MemoryKind.GOTCHA),
        ("also careful, the cache holds old prices", MemoryKind.FACT, MemoryKind.GOTCHA),
        ("Nunca escribimos en la réplica", MemoryKind.RULE, MemoryKind.RULE),
        ("N'écris jamais dans la réplique", MemoryKind.GOTCHA, MemoryKind.RULE),
        ("Preise kommen ab jetzt aus der neuen Tabelle", MemoryKind.FACT, MemoryKind.DECISION),
        ("prices come from the new table from now on", MemoryKind.FACT, MemoryKind.DECISION),
        ("prices come from the new table", MemoryKind.FACT, MemoryKind.FACT),
        ("every price needs a currency", MemoryKind.RULE, MemoryKind.DECISION),
        ("the mail needs our attention, careful reading helps", MemoryKind.FACT, MemoryKind.FACT),
    ],
)
def test_words_name_the_kind_where_the_classifier_is_unsure(text: str, guess: MemoryKind, expected: MemoryKind) -> None:
    assert kind_of(text, {guess: 0.5, MemoryKind.THREAD: 0.2}) is expected


def test_a_sure_kind_stays() -> None:
    assert kind_of("careful, every price needs a currency", {MemoryKind.RULE: 0.9}) is MemoryKind.RULE
    assert kind_of("ojo, los precios vienen en centavos", {MemoryKind.FACT: 0.9}) is MemoryKind.FACT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What's left: the export can't read old prices", MemoryKind.THREAD),
        ("遗留问题：旧价格还没有迁移", MemoryKind.THREAD),
        ("Offen ist noch der Export für die Schweiz", MemoryKind.THREAD),
        ("Il reste à corriger les anciens prix", MemoryKind.THREAD),
        ("queda pendiente borrar los precios viejos", MemoryKind.THREAD),
        ("einen zweiten Cache hatten wir probiert, er lief voll", MemoryKind.GOTCHA),
        ("on avait essayé un second cache, il débordait", MemoryKind.GOTCHA),
        ("ya lo probamos con otro cache, se llenaba", MemoryKind.GOTCHA),
    ],
)
def test_words_of_open_work_and_of_attempts_name_the_kind(text: str, expected: MemoryKind) -> None:
    assert kind_of(text, {MemoryKind.RULE: 0.9}) is expected
