"""Memories are ranked by words, meaning, code, dates and neighbours; what is clearly about a question stands out."""

from collections.abc import Mapping

import pytest

from repomem.core.text.words import words_of
from repomem.core.word_statistics import WordStatistics
from repomem.ranking.memories import MemoryMatch, matching_memories, ranked_memories, with_parts
from repomem.ranking.memory_signals import SHORTEST_THREAD, Likeness, RelevantCode, share_of_questions, threads_of
from repomem.ranking.memory_words import MemoryDocument
from repomem.ranking.query import Query

UNRELATED = tuple(0.02 * number for number in range(10))


def document(name: str, text: str, **more: object) -> MemoryDocument:
    return MemoryDocument(name, words_of(text), **more)  # type: ignore[arg-type]


RETRIES = document("01", "We retry an upload three times, then give up")
MONEY = document("02", "Amounts are integers of cents")
NIGHTLY = document("03", "The nightly report needs an index on the booking date")
EVERY = [RETRIES, MONEY, NIGHTLY]


def names(found: list[MemoryMatch]) -> list[str]:
    return [one.id for one in found]


def likeness(continuity: float = 0.0, **cosines: float) -> Likeness:
    return Likeness({name.removeprefix("m"): value for name, value in cosines.items()}, UNRELATED, continuity)


def test_the_memory_with_the_words_of_the_question_is_first_and_certain() -> None:
    first, *rest = ranked_memories(Query("how often do we retry an upload"), EVERY)
    assert (first.id, first.is_certain) == ("01", True)
    assert not any(one.is_certain for one in rest)


def test_a_memory_without_a_common_word_is_found_by_meaning() -> None:
    found = matching_memories(Query("when does a transfer fail for good"), EVERY, likeness=likeness(m01=0.7, m02=0.05))
    assert names(found) == ["01"]
    assert found[0].why == ("meaning",)


def test_common_words_alone_make_no_match() -> None:
    assert matching_memories(Query("set up Kubernetes and give it more time"), EVERY) == []


def test_without_a_certain_memory_at_most_two_possible_ones_are_given() -> None:
    near = likeness(m01=0.5, m02=0.49, m03=0.48)
    found = matching_memories(Query("zebra stripes"), EVERY, likeness=near)
    assert names(found) == ["01", "02"]
    assert not any(one.is_certain for one in found)


def test_the_path_of_a_memory_does_not_count_as_its_text() -> None:
    on = document("04", "Amounts are integers", paths=("src/warehouse/pallets.py",))
    assert matching_memories(Query("stack the pallets of a warehouse"), [on]) == []


def test_folders_and_extensions_in_a_question_make_no_match() -> None:
    clock = document("04", "closing in src/clock.js returns a text", paths=("src/clock.js",))
    rule = document("05", "Every module in src is written in plain js")
    query = Query("Export a function `pieces` from `src/stock.js` that counts the shelf")
    assert matching_memories(query, [*EVERY, clock, rule]) == []
    assert names(matching_memories(Query("fix `src/clock.js`"), [*EVERY, clock, rule]))[0] == "04"


def test_a_memory_on_the_file_that_the_question_names_is_certain_with_little_evidence() -> None:
    on = document("04", "Keep the header order of old clients", paths=("src/flask/wrappers.py",))
    query = Query("fix the header parsing in src/flask/wrappers.py")
    first = matching_memories(query, [*EVERY, on])[0]
    assert (first.id, first.is_certain) == ("04", True)


def test_a_question_with_an_identifier_matches_only_memories_that_have_it() -> None:
    settled = [document(f"{at:02}", f"Batch size of TileFetcher{at} is 50") for at in range(10, 20)]
    assert matching_memories(Query("batch size of `PayoutAuditor`"), settled) == []


def test_a_memory_need_not_have_an_identifier_that_most_files_have() -> None:
    near = likeness(m01=0.5, m02=0.05, m03=0.05)
    common = WordStatistics.counted({"vars": 30, "mux": 40}, documents=40, words=4_000)
    question = Query("panic: assignment to a nil map, mux.Vars(req)")
    assert matching_memories(question, EVERY, likeness=near) == []
    assert names(matching_memories(question, EVERY, RelevantCode(file_words=common), near)) == ["01"]


def test_a_name_that_many_files_define_names_the_code_of_none_unless_its_owner_is_named() -> None:
    on = document("04", "Keep the order of old clients", symbols=("src/single.py:SingleFactory.get",))
    defined = WordStatistics.counted({"get": 6, "=get": 6, "tiles": 2}, documents=60, words=6_000)
    code = RelevantCode(file_words=defined)

    def is_named(question: str) -> bool:
        [found] = [one for one in ranked_memories(Query(question), [*EVERY, on], code) if one.id == "04"]
        return "name" in found.why

    assert not is_named("the service is missing after a.get(key)")
    assert is_named("the service is missing after SingleFactory.get(key)")


def test_a_memory_need_not_have_a_name_that_does_not_exist_yet() -> None:
    near = likeness(m01=0.5, m02=0.05, m03=0.05)
    code = RelevantCode(file_words=WordStatistics.counted({"tiles": 2}, documents=40, words=4_000))
    assert names(matching_memories(Query("add count_pallets to tiles"), EVERY, code, near)) == ["01"]


def test_a_long_question_that_mentions_an_identifier_is_about_more_than_it() -> None:
    fetcher = document("05", "Batch size of the tile fetcher is 50, larger ones time out")
    long = "tiles load slowly since the fetcher asks for a larger batch size; `PayoutAuditor` prints its time outs"
    assert [one.id for one in matching_memories(Query(long), [fetcher])] == ["05"]


def test_a_memory_recorded_in_the_month_that_is_named_comes_first() -> None:
    june = document("05", "We chose the queue", at="2026-06-10T09:00:00Z")
    march = document("06", "We chose the queue", at="2026-03-10T09:00:00Z")
    assert names(ranked_memories(Query("which queue did we choose in March"), [june, march]))[0] == "06"


def conversation() -> tuple[list[MemoryDocument], Mapping[str, float]]:
    fine = ["The weather is fine"] * 20
    texts = [*fine, "Did the dentist call?", "Yes, the crown comes on Friday", *fine]
    turns = [document(f"{at:02}", text, at=f"2026-03-10T09:{at:02}:00Z") for at, text in enumerate(texts, start=10)]
    return turns, {one.id: 0.05 for one in turns}


def test_a_matching_turn_raises_the_answer_after_it() -> None:
    turns, cosines = conversation()
    alone, together = (Likeness(cosines, UNRELATED, continuity) for continuity in (0.0, 1.0))
    query = Query("what did the dentist say")
    place = names(ranked_memories(query, turns, likeness=together)).index("31")
    assert place <= 2 < names(ranked_memories(query, turns, likeness=alone)).index("31")


def test_in_a_conversation_a_turn_that_only_asks_comes_after_one_that_tells() -> None:
    turns, cosines = conversation()
    asking = {"13": share_of_questions("How was the crown?"), "14": share_of_questions("The crown fits. Did it hurt?")}
    alike = dict(cosines) | {"13": 0.5, "14": 0.5, "29": 0.5}
    near = Likeness(alike, UNRELATED, continuity=1e-9, is_conversation=True, questions=asking)
    assert names(ranked_memories(Query("zebra"), turns, likeness=near))[:3] == ["29", "14", "13"]


@pytest.mark.parametrize(
    ("text", "share"),
    [("Is it?", 1.0), ("It is.", 0.0), ("a.b?c=d", 0.0), ("好吗？好。", 0.6), ("Yes. Why?!", 0.0), ("", 0.0)],
)
def test_the_share_of_a_text_that_only_asks(text: str, share: float) -> None:
    assert share_of_questions(text) == pytest.approx(share)


def test_memories_of_different_days_are_not_neighbours() -> None:
    turns, cosines = conversation()
    apart = [document(one.id, one.words, at=f"2026-{1 + at % 12:02}-10T09:00:00Z") for at, one in enumerate(turns)]
    scores = {
        one.id: one.score
        for one in ranked_memories(Query("dentist"), apart, likeness=Likeness(cosines, UNRELATED, 1.0))
    }
    assert scores["31"] == pytest.approx(scores["32"])


def test_a_word_in_most_files_weighs_little() -> None:
    query = Query("the upload of the report fails")
    everyday = WordStatistics.counted({"upload": 100}, documents=100, words=10_000)
    assert names(ranked_memories(query, EVERY))[0] == "01"

    assert names(ranked_memories(query, EVERY, RelevantCode(file_words=everyday)))[0] == "03"


def test_a_name_in_most_memories_is_not_distinctive() -> None:
    every = [document(f"{at:02}", f"DepotSorter keeps lane {at} apart") for at in range(30)]
    few = [document(f"{at:02}", f"DepotSorter keeps lane {at} apart") for at in range(2)]
    question = Query("why does DepotSorter crash")

    assert not any("name" in one.why for one in ranked_memories(question, every))
    assert all("name" in one.why for one in ranked_memories(question, few))


def test_a_memory_with_the_flag_that_a_question_spells_comes_first() -> None:
    every = [document("00", "Sizes are sorted by name, as ls has it"), document("01", "no --sort: pipe into sort(1)")]

    found = ranked_memories(Query("would you take --sort=name|size like ls has it?"), every)

    assert names(found)[0] == "01"
    assert "name" in found[0].why


@pytest.mark.parametrize("is_conversation", [False, True])
def test_beside_a_certain_memory_only_what_may_be_about_the_question_is_given_unless_it_is_a_conversation(
    is_conversation: bool,
) -> None:
    weak = [document(f"1{at}", f"The tariff of class {at} is {at}", session="s") for at in range(10)]
    best = document("00", "The tariff surcharge of a bulky parcel is nine", session="s")

    def found(cosine: float) -> list[str]:
        cosines = {one.id: cosine for one in weak} | {"00": 0.9}
        near = Likeness(cosines, (0.0,) * 40, continuity=1e-9, is_conversation=is_conversation)
        return names(matching_memories(Query("tariff surcharge of a bulky parcel"), [best, *weak], likeness=near))

    assert (found(0.4)[0], len(found(0.4))) == ("00", 11)
    assert len(found(0.2)) == (11 if is_conversation else 1)


def test_every_memory_that_is_clearly_about_the_question_is_given_however_far_ahead_the_best_is() -> None:
    others = [document(f"1{at}", f"Lane {at} is closed on Mondays") for at in range(8)]
    best = document("00", "The tariff surcharge of a bulky parcel is nine")
    near = Likeness({one.id: 0.5 for one in others} | {"00": 0.9}, (0.0,) * 40)

    found = matching_memories(Query("tariff surcharge of a bulky parcel"), [best, *others], likeness=near)

    assert found[1].score < found[0].score / 2
    assert len(found) == 9


def test_a_memory_of_a_session_begins_no_thread_with_one_outside_of_it() -> None:
    inside, outside = ("s", "2026-03-10T09:00:00Z"), ("", "2026-03-10T09:01:00Z")
    long = SHORTEST_THREAD
    assert threads_of([inside] * long + [outside] * long).tolist() == [0] * long + [1] * long


def test_a_few_memories_in_a_row_are_no_thread() -> None:
    origins = [("s", "2026-03-10T09:00:00Z")] * (SHORTEST_THREAD - 1)
    assert len(set(threads_of(origins).tolist())) == SHORTEST_THREAD - 1
    assert max(threads_of(origins)) < 0


def test_the_memory_whose_words_are_closest_to_the_question_comes_first_among_equals() -> None:
    texts = [document("05", "The colour of a label is teal"), document("06", "The colour of a button is teal")]
    near = Likeness(closeness={"05": 0.2, "06": 0.6}, unrelated_closeness=(0.1, 0.2, 0.3))
    found = ranked_memories(Query("which colour"), texts, likeness=near)
    assert names(found) == ["06", "05"]
    assert "nearest words" in found[0].why


def test_the_only_memory_is_certain_if_its_words_are_close_to_the_question() -> None:
    [only], unrelated = [document("05", "Give up after six attempts")], (0.1,) * 20
    close, far = (
        Likeness({"05": 0.3}, (0.0,) * 20, closeness={"05": value}, unrelated_closeness=unrelated)
        for value in (0.8, 0.1)
    )
    query = Query("how often is a delivery tried")
    assert [one.is_certain for one in ranked_memories(query, [only], likeness=close)] == [True]
    assert [one.is_certain for one in ranked_memories(query, [only], likeness=far)] == [False]


def test_a_prompt_that_asks_for_several_things_finds_what_one_of_them_is_about() -> None:
    prompt = Query("build the docker image in the pipeline too. and check that the label printer prints every label")
    [image, printer] = [MemoryMatch(name, score, ()) for name, score in (("01", 2.0), ("02", 5.0))]
    by_part = {"build": [image], "and": [printer._replace(is_certain=True)]}

    found = with_parts(prompt, [image], lambda part: by_part[part.text.split()[0]])

    assert [(one.id, one.score) for one in found] == [("01", 2.0), ("02", 2.0)]  # no part comes before the whole
    unsure = [printer._replace(is_certain=False)]
    assert with_parts(prompt, [image], lambda _: unsure) == [image]
    assert with_parts(Query("print a label"), [image], lambda _: [printer]) == [image]
