"""Which symbol of a chunk a brief shows."""

from support.ranking_scenes import chunk

from repomem.core.types.indexed import IndexedChunk, Symbol
from repomem.ranking.definitions import best_site, named_for
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


def test_a_hit_is_named_by_the_definition_beside_its_largest_that_shares_most_words() -> None:
    pair = LEDGER._replace(symbol="Ledger.post", kind="method", sites=SITES[1:])
    named = named_for(Query("how is the balance made"), pair)
    assert (named.symbol, named.kind, named.other_definitions) == ("Ledger.balance", "method", 1)
    assert named_for(Query("post to a balance"), pair) == pair
    assert named_for(Query("webhook"), pair) == pair
    assert named_for(Query("balance"), LEDGER) == LEDGER
