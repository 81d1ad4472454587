"""Earlier commits vote for the files that they changed."""

import math
from dataclasses import replace

import pytest
from support.ranking_scenes import Past, episode, scene

from repomem.core.types.commits import FileChange
from repomem.core.types.indexed import IndexedEpisode
from repomem.core.word_statistics import Tally, WordStatistics
from repomem.ranking.history_votes import (
    HALF_AFTER,
    MOST_TOUCHED,
    Scored,
    definition_recency,
    definition_votes,
    file_recency,
    history_votes,
    scored_episodes,
)
from repomem.ranking.query import Query, forms_of

FILES = scene({path: ["text"] for path in ("a.py", "b.py", "c.py")})


def statistics_of(past: Past) -> WordStatistics:
    tally = Tally()
    for row in past.rows:
        tally.add_file([row.words])
    return tally.of_files()


def scored(past: Past, question: str) -> list[Scored]:
    query = Query(question)
    wanted = {form for word in query.words for form in forms_of(word)}
    matching = [row for row in past.rows if wanted & set(row.words.split())]
    return scored_episodes(query, matching, statistics_of(past))


def by_path(episodes: list[Scored]) -> dict[str, float]:
    paths = {file.version: file.path for file in FILES.files}
    return {
        paths[version]: weight
        for version, weight in history_votes(episodes, {path: version for version, path in paths.items()}).items()
    }


def test_episodes_come_best_first_then_newest() -> None:
    past = Past(
        (
            episode(1, "parse the journal", "a.py"),
            episode(2, "print the balance", "b.py"),
            episode(3, "parse the journal", "b.py"),
            episode(4, "parse numbers", "c.py"),
        )
    )
    assert [row.id for row, _ in scored(past, "parse journal")] == [3, 1, 4]


def test_an_episode_without_a_matching_word_does_not_vote() -> None:
    past = Past((episode(1, "parse the journal", "a.py"), episode(2, "print the balance", "b.py")))
    assert by_path(scored(past, "journal")).keys() == {"a.py"}


def test_a_vote_is_divided_by_the_root_of_the_number_of_files() -> None:
    rows = [(episode(1, "one", "a.py"), 2.0), (episode(2, "two", "a.py", "b.py", "c.py", "gone.py"), 1.0)]
    expected = {"a.py": 1 + 0.125 / math.sqrt(4), "b.py": 0.125 / 2, "c.py": 0.125 / 2}
    assert by_path(rows) == pytest.approx(expected)


def test_a_file_that_one_commit_names_twice_gets_one_vote() -> None:
    twice = episode(1, "one", FileChange("R", "a.py", "old.py"), FileChange("M", "old.py"))
    assert by_path([(twice, 1.0)]) == pytest.approx({"a.py": 1 / math.sqrt(2)})


def test_a_vote_for_an_old_name_goes_to_the_new_one() -> None:
    rows = [
        (episode(1, "one", "first.py"), 1.0),
        (episode(2, "two", FileChange("R", "second.py", "first.py")), 1.0),
        (episode(3, "three", FileChange("R", "c.py", "second.py")), 1.0),
    ]
    assert by_path(rows).keys() == {"c.py"}
    assert by_path(rows)["c.py"] == pytest.approx(3.0)


def test_a_file_that_is_live_under_its_old_name_keeps_its_votes() -> None:
    rows = [(episode(1, "one", "a.py"), 1.0), (episode(2, "two", FileChange("R", "b.py", "a.py")), 1.0)]
    assert by_path(rows) == {"a.py": 1.0, "b.py": 1.0}


def test_circular_renames_terminate() -> None:
    rows = [
        (episode(1, "one", FileChange("R", "x.py", "y.py")), 1.0),
        (episode(2, "two", FileChange("R", "y.py", "x.py")), 1.0),
    ]
    assert by_path(rows) == {}


def test_bulk_commits_and_commits_without_files_do_not_vote() -> None:
    rows = [(episode(1, "one", "a.py", is_bulk=True), 1.0), (episode(2, "two"), 1.0)]
    assert by_path(rows) == {}


def test_without_scores_there_are_no_votes() -> None:
    assert by_path([]) == {}
    assert by_path([(episode(1, "one", "a.py"), 0.0)]) == {}


def test_recency_decreases_with_the_number_of_later_commits() -> None:
    live = {file.path: file.version for file in FILES.files}
    others = [episode(2 + at, "other", "gone.py").episode for at in range(HALF_AFTER - 1)]
    newest = [episode(99, "last", "a.py").episode, *others, episode(1, "first", "a.py", "b.py").episode]
    assert file_recency(newest, live) == {live["a.py"]: 1.0, live["b.py"]: 0.5}


def test_merges_and_large_commits_do_not_count_as_recent_changes() -> None:
    live = {file.path: file.version for file in FILES.files}
    merge = replace(episode(3, "merge").episode, parents=("1" * 40, "2" * 40))
    sweep = episode(2, "sweep", "b.py", *(f"{at}.py" for at in range(MOST_TOUCHED))).episode
    episodes = [merge, sweep, episode(1, "one", "a.py").episode]
    assert file_recency(episodes, live) == {live["a.py"]: 1 / (1 + 1 / HALF_AFTER)}


def with_symbols(number: int, *symbols: str) -> IndexedEpisode:
    row = episode(number, "one")
    return replace(row, episode=replace(row.episode, symbols=symbols))


def test_definitions_are_voted_for_like_files() -> None:
    rows = [(with_symbols(1, "a.py:f"), 2.0), (with_symbols(2, "a.py:f", "a.py:g", "b.py:h", "c.py:i"), 1.0)]
    told = definition_votes(rows)
    assert told["a.py:f"] == 1.0
    assert told["a.py:g"] == pytest.approx((0.125 / 2) / (1 + 0.125 / 2))
    assert definition_votes([]) == definition_votes([(with_symbols(1, "a.py:f"), 0.0)]) == {}


def test_recency_of_definitions_decreases_like_that_of_files() -> None:
    newest = [with_symbols(3).episode, with_symbols(2, "a.py:f").episode, with_symbols(1, "a.py:f", "a.py:g").episode]
    assert definition_recency(newest) == {"a.py:f": 1 / (1 + 1 / HALF_AFTER), "a.py:g": 1 / (1 + 2 / HALF_AFTER)}
