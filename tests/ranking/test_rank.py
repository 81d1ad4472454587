"""Ranking from evidence to hits: each signal works, can be switched off, and scores do not depend on storage."""

from dataclasses import replace

import pytest
from support.ranking_scenes import Scene, scene, with_dead

from repomem.core.types.code import Role
from repomem.core.types.indexed import IndexedFile
from repomem.ranking.gather import LEAST_SIMILARITY, Evidence, gather
from repomem.ranking.query import Query
from repomem.ranking.rank import hits, ranked_files
from repomem.ranking.signals import RECALL, SEARCH, SIGNALS, Weights, fused

PARSER = "src/ledgerly/parser.py"
LEDGER = "src/ledgerly/ledger.py"
TEST = "tests/test_parser.py"
SCENE = scene(
    {
        PARSER: [("parse_journal", "reads the lines of a journal"), ("Posting", "an account and its amount")],
        LEDGER: ["import of things", ("post", "adds a transaction of the journal or raises unbalanced")],
        TEST: ["a journal is read and its lines are read"],
        "docs/guide.md": ["what a journal is"],
        "src/other.py": ["nothing of the kind", "webhook delivery"],
    },
    {TEST: Role.TEST, "docs/guide.md": Role.DOCS},
)
QUESTION = (
    'parse_journal in ledgerly/parser.py: "the lines of a journal"\n'
    '  File "/home/joe/ledgerly/parser.py", line 3, in parse_journal'
)


def order(question: str, weights: Weights = SEARCH, on: Scene = SCENE, lead: str = "") -> list[str]:
    return [one.file.path for one in ranked_files(Query(question), on.evidence(question, lead=lead), weights)]


def evidence_for_all_signals() -> Evidence:
    near = replace(SCENE, near=((SCENE.of(PARSER), 0.9),))
    return replace(near.evidence(QUESTION, votes={SCENE.of(PARSER): 1.0}, lead="src"), recency={SCENE.of(PARSER): 1.0})


def test_every_signal_scores_the_right_file() -> None:
    parts = fused(Query(QUESTION), evidence_for_all_signals(), RECALL)[SCENE.of(PARSER)]
    assert parts.keys() == SIGNALS.keys()
    assert all(part > 0 for part in parts.values())


@pytest.mark.parametrize("weights", [SEARCH, RECALL])
def test_every_signal_has_a_weight(weights: Weights) -> None:
    assert weights.signals.keys() == SIGNALS.keys()


@pytest.mark.parametrize("name", SIGNALS)
def test_a_signal_can_be_switched_off(name: str) -> None:
    evidence = evidence_for_all_signals()
    whole = fused(Query(QUESTION), evidence, RECALL)
    without = fused(Query(QUESTION), evidence, RECALL.without(name))
    expected = {version: {n: part for n, part in parts.items() if n != name} for version, parts in whole.items()}
    assert without == expected


@pytest.mark.parametrize("name", SIGNALS)
def test_a_signal_does_not_change_the_evidence(name: str) -> None:
    evidence = evidence_for_all_signals()
    first = dict(SIGNALS[name](Query(QUESTION), evidence))
    assert dict(SIGNALS[name](Query(QUESTION), evidence)) == first
    assert evidence == evidence_for_all_signals()


def test_a_stack_trace_leads_before_words() -> None:
    trace = 'a journal is read\n  File "site-packages/ledgerly/ledger.py", line 14, in post\nKeyError: journal lines'
    assert order("a journal is read\nKeyError: journal lines", RECALL)[0] != LEDGER
    assert order(trace, RECALL)[0] == order(trace, SEARCH)[0] == LEDGER


def test_the_penalty_of_a_role_can_be_switched_off() -> None:
    question = "journal lines read"
    of_test = SCENE.of(TEST)
    with_penalty = sum(fused(Query(question), SCENE.evidence(question), SEARCH)[of_test].values())
    without = sum(fused(Query(question), SCENE.evidence(question), SEARCH.without("test"))[of_test].values())
    assert with_penalty == pytest.approx(without * SEARCH.roles[Role.TEST])


def test_a_question_about_tests_does_not_penalize_tests() -> None:
    assert order("journal lines read", SEARCH.without("path"))[0] == PARSER
    assert order("journal lines read tests", SEARCH.without("path"))[0] == TEST


def test_the_best_score_is_at_most_one_and_its_signals_are_ordered() -> None:
    best = ranked_files(Query(QUESTION), evidence_for_all_signals(), SEARCH)[0]
    assert best.file.path == PARSER
    assert 0 < best.score <= 1
    parts = fused(Query(QUESTION), evidence_for_all_signals(), SEARCH)[best.file.version]
    assert [parts[name] for name in best.why] == sorted(parts.values(), reverse=True)


def test_ties_break_by_path_whatever_the_order_of_indexing() -> None:
    texts = ["parse the journal"]
    paths = ["b.py", "c.py", "a.py", "d/e.py"]
    for each in (paths, paths[::-1]):
        assert order("journal", on=scene(dict.fromkeys(each, texts))) == sorted(paths)


def test_chunks_that_score_alike_come_in_the_order_of_the_file() -> None:
    tied = scene({"a.py": [("one", "journal"), ("two", "journal")], "b.py": [("one", "journal"), ("two", "journal")]})
    found = hits(Query("journal"), tied.evidence("journal"), SEARCH, tied, 10)
    assert [(hit.file.path, hit.chunk.ordinal) for hit in found] == [("a.py", 0), ("b.py", 0), ("a.py", 1), ("b.py", 1)]


def test_one_chunk_of_each_file_comes_before_a_second_of_any() -> None:
    found = hits(Query("journal"), SCENE.evidence("journal"), SEARCH, SCENE, 10)
    first = {hit.file.path for hit in found[: len({hit.file.path for hit in found})]}
    assert {PARSER, LEDGER} <= first


def test_no_more_hits_than_asked_for() -> None:
    assert len(hits(Query("journal"), SCENE.evidence("journal"), SEARCH, SCENE, 2)) == 2
    assert hits(Query("journal"), SCENE.evidence("journal"), SEARCH, SCENE, 0) == []


def test_definitions_come_before_lines_outside_them() -> None:
    two = scene({"a.py": ["journal", ("read", "journal")]})
    [best, *_] = hits(Query("journal"), two.evidence("journal"), SEARCH, two, 10)
    assert best.chunk.symbol == "read"


def test_the_defining_chunk_comes_first() -> None:
    two = scene({"a.py": [("caller", "post post post post"), ("post", "adds it")], "b.py": ["other"]})
    assert hits(Query("`post`"), two.evidence("`post`"), SEARCH, two, 1)[0].chunk.symbol == "post"


def test_a_name_in_two_words_finds_its_definition() -> None:
    question = "journal parse"
    assert SCENE.evidence("parse journal").defined.keys() == {SCENE.of(PARSER)}
    assert SCENE.evidence(question).defined == {}


def test_rows_that_are_not_in_the_view_change_no_score() -> None:
    littered = with_dead(SCENE, *["journal lines read parse"] * 300)
    for question in ("journal lines", QUESTION):
        assert order(question, on=littered) == order(question)
        plain = hits(Query(question), SCENE.evidence(question), SEARCH, SCENE, 10)
        assert hits(Query(question), littered.evidence(question), SEARCH, littered, 10) == plain


def test_a_file_out_of_scope_is_no_evidence_and_leaves_the_scores_of_words_alone() -> None:
    def in_docs(file: IndexedFile) -> bool:
        return file.path.startswith("docs/")

    query = Query("journal")
    inside = gather(query, SCENE.corpus(holds=in_docs), SCENE, SCENE.candidates(query), {SCENE.of(PARSER): 1.0})
    guide = SCENE.of("docs/guide.md")
    assert inside.files.keys() == {guide}
    assert inside.votes == {}
    assert inside.file_scores[guide] == SCENE.evidence("journal").file_scores[guide]


def test_similarity_below_the_threshold_is_no_evidence() -> None:
    other = SCENE.of("src/other.py")
    alike = replace(SCENE, near=((other, LEAST_SIMILARITY + 0.1), (SCENE.of(LEDGER), LEAST_SIMILARITY - 0.1)))
    assert alike.evidence("zebra").similarity == pytest.approx({other: 0.1})
    assert order("zebra", on=alike) == ["src/other.py"]
    assert alike.evidence("unbalanced transaction").similarity.keys() == {other}


def test_the_number_of_scored_chunks_is_limited_and_a_file_found_twice_counts_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = scene({"a.py": ["journal", "journal"], "b.py": ["journal"], "c.py": ["journal"]})
    monkeypatch.setattr("repomem.ranking.gather.MOST_CHUNKS", 3)
    assert found.evidence("journal").files.keys() == {found.of("a.py"), found.of("b.py")}


def test_a_history_vote_alone_makes_a_file_a_candidate() -> None:
    other = SCENE.of("src/other.py")
    assert ranked_files(Query("zebra"), SCENE.evidence("zebra", {other: 0.5}), SEARCH)[0].file.version == other


def test_a_file_without_a_signal_is_not_ranked() -> None:
    assert order("zebra") == []


def test_files_below_the_current_folder_win_ties() -> None:
    twins = scene({path: ["reads a journal"] for path in ("a/read.py", "b/read.py", "bb/read.py")})
    assert order("journal", on=twins) == ["a/read.py", "b/read.py", "bb/read.py"]
    assert order("journal", on=twins, lead="b") == ["b/read.py", "a/read.py", "bb/read.py"]
    assert order("journal", SEARCH.without("here"), on=twins, lead="b") == order("journal", on=twins)


def test_the_current_folder_alone_makes_no_file_a_candidate() -> None:
    assert "src/other.py" not in order("journal", lead="src")


def test_without_a_current_folder_its_signal_changes_no_score() -> None:
    evidence = SCENE.evidence("journal")
    assert ranked_files(Query("journal"), evidence, SEARCH) == ranked_files(
        Query("journal"), evidence, SEARCH.without("here")
    )


def test_a_bare_symbol_leads_to_the_definition_in_exactly_its_letters() -> None:
    on = scene(
        {
            "lib/axios.js": [("axios", "Axios axios Axios create Axios instance"), "Axios Axios"],
            "lib/core/client.js": ["uses of the client", "Axios Axios Axios", ("Axios", "class that dispatches")],
        }
    )
    found = hits(Query("Axios"), on.evidence("Axios"), SEARCH, on, 10)
    assert (found[0].file.path, found[0].chunk.symbol) == ("lib/core/client.js", "Axios")
    lower = hits(Query("axios"), on.evidence("axios"), SEARCH, on, 10)
    assert (lower[0].file.path, lower[0].chunk.symbol) == ("lib/axios.js", "axios")
