"""Which symbol and lines of a chunk a brief shows."""

from support.ranking_scenes import chunk

from repomem.core.types.indexed import IndexedChunk, Symbol
from repomem.core.types.text import CleanText
from repomem.ranking.definitions import WantedWords
from repomem.ranking.query import Query
from repomem.ranking.snippets import MARGIN, MOST_LINES, best_site, snippet

SITES = (
    Symbol("Ledger", "class", 1, 40, "class Ledger:"),
    Symbol("Ledger.post", "method", 5, 9, "def post(self, transaction)"),
    Symbol("Ledger.balance", "method", 11, 15, "def balance(self, account, currency)"),
)
LEDGER = chunk(1, 0, "text")._replace(symbol="Ledger", sites=SITES)


def long(*answering: int, lines: int = 60) -> IndexedChunk:
    """A chunk from line 101 on whose lines with these places answer."""
    text = "\n".join("journal" if at in answering else f"line {at}" for at in range(lines))
    return chunk(1, 0, "")._replace(start_line=101, end_line=100 + lines, text=CleanText(text))


def words(**weights: float) -> WantedWords:
    """A question that looks for these words."""
    return WantedWords(weights, frozenset(), sum(weights.values()))


JOURNAL = words(journal=1.0)


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


def test_a_short_chunk_is_shown_whole() -> None:
    assert snippet(JOURNAL, long(3, lines=MOST_LINES)) == (101, long(3, lines=MOST_LINES).text.split("\n"))


def test_a_long_chunk_is_shown_at_its_matching_lines_with_a_margin() -> None:
    first, lines = snippet(JOURNAL, long(40, 42))
    assert first == 101 + 40 - MARGIN
    assert lines[MARGIN] == lines[MARGIN + 2] == "journal"
    assert len(lines) <= MOST_LINES


def test_the_window_with_the_best_match_is_shown() -> None:
    first, lines = snippet(JOURNAL, long(2, 30, 33, 36))
    assert lines.count("journal") == 3
    assert long(2, 30, 33, 36).text.split("\n")[first - 101 : first - 101 + len(lines)] == lines


def test_a_long_chunk_without_a_match_is_shown_from_its_start() -> None:
    assert snippet(words(webhook=1.0), long()) == (101, long().text.split("\n")[:MOST_LINES])


def function(*body: str) -> tuple[IndexedChunk, Symbol]:
    """A chunk that is one long function with a docstring that has the words of the question."""
    head = [
        "def post(self,",
        "         journal):",
        '    """Post to the journal.',
        "",
        "    The journal is kept.",
        '    """',
    ]
    lines = [*head, *body, *(f"    line {at}" for at in range(30))]
    site = Symbol("Ledger.post", "method", 101, 100 + len(lines), "def post(self, journal)")
    return chunk(1, 0, "")._replace(start_line=101, end_line=site.end_line, text=CleanText("\n".join(lines))), site


def test_signature_and_docstring_are_not_shown_again() -> None:
    first, lines = snippet(words(webhook=1.0), *function("    balance = 0"))
    assert (first, lines[0]) == (107, "    balance = 0")
    first, lines = snippet(JOURNAL, *function("    balance = 0", "    journal.add(balance)"))
    assert (first, lines[:2]) == (107, ["    balance = 0", "    journal.add(balance)"])


def test_a_docstring_without_code_is_shown() -> None:
    text = "\n".join(["def post(self):", '    """Post.', *(f"    Line {at}." for at in range(30)), '    """'])
    whole = chunk(1, 0, "")._replace(start_line=1, end_line=33, text=CleanText(text))
    assert snippet(JOURNAL, whole, Symbol("post", "function", 1, 33, "def post(self)"))[1][0] == "def post(self):"


def test_a_rare_word_outweighs_common_ones() -> None:
    texts = ["line"] * 60
    texts[5:8] = ["common"] * 3
    texts[40] = "rare"
    found = chunk(1, 0, "")._replace(start_line=1, end_line=60, text=CleanText("\n".join(texts)))
    assert "rare" in snippet(words(common=1.0, rare=5.0), found)[1]
