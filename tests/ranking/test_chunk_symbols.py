"""Which symbol of a chunk a brief shows."""

from support.ranking_scenes import chunk

from repomem.core.types.indexed import IndexedChunk, Symbol
from repomem.ranking.definitions import best_site
from repomem.ranking.query import Query

SITES = (
    Symbol("Ledger", "class", 1, 40, "class Ledger:"),
    Symbol("Ledger.post", "method", 5, 9, "def post(self, transaction)"),
    Symbol("Ledger.balance", "method", 11, 15, "def balance(self, account, currency)"),
)
LEDGER = chunk(1, 0, "text")._replace(symbol="Ledger", sites=SITES)


def site_of(question: str, of: IndexedChunk = LEDGER) -> str:
    found = best_site(Query(question), of)
    return found.qualified if found else ""


def test_the_spelled_definition_is_selected() -> None:
    assert site_of("`post` of an account to the balance") == "Ledger.post"


def test_a_definition_that_shares_a_word_is_selected() -> None:
    assert site_of("what is the balance") == "Ledger.balance"
    assert site_of("balancing accounts") == "Ledger.balance"


def test_a_word_in_the_signature_is_enough() -> None:
    assert site_of("currency") == "Ledger.balance"


def test_without_a_match_the_definition_of_the_chunk_is_selected() -> None:
    assert site_of("webhook") == "Ledger"
    assert site_of("webhook", LEDGER._replace(symbol="Other")) == ""
    assert site_of("webhook", LEDGER._replace(sites=())) == ""
