"""What the classifier sees of a sentence, which sentences it takes together, and how they are worded."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from repomem.adapters.models.sentence_encoder import ENCODER_FOLDER
from repomem.adapters.transcripts.steps import Step, StepKind
from repomem.capture.session_findings import Captured, captured_from
from repomem.capture.statements.classifier import scores
from repomem.capture.statements.classifier.context_model import (
    AGENT,
    AGENT_AT_WORK,
    HEARD,
    KINDS,
    PERSON,
    SCORES,
    SentenceInContext,
    in_context,
    log_odds,
    read_model,
)
from repomem.capture.statements.classifier.features import features_of, tokens_of
from repomem.capture.statements.classifier.messages import Message, messages_of
from repomem.capture.statements.classifier.weights import (
    DIMENSIONS,
    FOLDER,
    LinearModel,
    Weights,
    places_of,
    weights,
)
from repomem.capture.turns import turns_of
from repomem.core.errors import EmbeddingError
from repomem.core.records import MemoryKind

UNSURE = -1.5  # log-odds of a sentence without a known word


def asked(text: str, at: int = 0) -> Step:
    return Step(f"a{at}", StepKind.ASKED, text)


def said(text: str, at: int = 0) -> Step:
    return Step(f"s{at}", StepKind.SAID, text)


def model(features: Mapping[str, int], bias: float = UNSURE) -> LinearModel:
    """Each known feature adds its weight, times 100 and divided by the root of the number of all features."""
    row = bytearray(DIMENSIONS)
    for feature, weight in features.items():
        [place] = places_of([feature])
        row[place] = weight % 256
    return LinearModel(memoryview(bytes(row)).cast("b"), 1.0, bias)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """A classifier by words that is sure of "blobs", and finds that "because" may belong to it."""
    kinds = {MemoryKind.GOTCHA: model({"blobs": 50}), MemoryKind.FACT: model({})}
    fitted = Weights(model({"blobs": 60, "because": 14}), kinds)
    monkeypatch.setattr(scores, "weights", lambda: fitted)


def neutral(read: Sequence[SentenceInContext]) -> list[list[float]]:
    """The second model without an opinion."""
    return [[0.0] * SCORES for _ in read]


def told(*steps: Step) -> list[tuple[str, str]]:
    return [(one.kind.value, one.text) for one in captured_from(steps).stated]


def told_by_words(*steps: Step) -> list[tuple[str, str]]:
    return [(one.kind.value, one.text) for one in captured_from(steps, log_odds=neutral).stated]


def messages(*steps: Step) -> list[Message]:
    return list(messages_of(turns_of(steps)))


def test_names_and_numbers_are_masked_and_chinese_is_split_into_characters() -> None:
    assert tokens_of("Keep `a`, max_size and src/a.py at 12") == ("keep", "§", ",", "§", "and", "§", "at", "0")
    assert tokens_of("先固定 50") == ("先", "固", "定", "0")


def test_code_of_several_words_is_another_word_than_a_name() -> None:
    assert tokens_of("`make` runs `make  test`") == ("§", "runs", "§§")


@pytest.mark.parametrize(
    ("text", "passed", "failed"),
    [
        ("It runs with `make db-up`.", True, False),
        ("Run make db-up && pytest -q first.", True, False),
        ("Plain `npm test` cannot work.", False, True),
        ("Then `make later` is needed.", False, False),
        ("They run with make.", False, False),
    ],
)
def test_a_sentence_is_seen_with_the_commands_before_it_that_it_names(text: str, passed: bool, failed: bool) -> None:
    ran = [("npm test", 0), ("npm test", 1), ("make db-up  && pytest -q", 0), ("unknown one", None)]
    steps = [Step(f"r{at}", StepKind.RAN, command, code=code) for at, (command, code) in enumerate(ran)]
    later = Step("r9", StepKind.RAN, "make later", code=0)
    [_, message] = messages(asked("go"), *steps, said(text), later)

    assert {f"a:names passed={passed}", f"a:names failed={failed}"} <= features_of(message, 0)


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("`make blob` builds it because of the import", ["`make blob` builds it because of the import"]),
        ("`make all` builds it because of the import", []),  # did not run
        ("`make blob` builds it", []),  # too unlikely
    ],
)
def test_a_command_that_passed_is_kept_on_less_evidence(text: str, kept: list[str]) -> None:
    ran = Step("r", StepKind.RAN, "make blob", code=0)

    assert [each for _, each in told_by_words(asked("go"), ran, said(f"{text}."))] == kept
    assert told_by_words(asked("go"), ran, asked(f"{text}.", 1)) == []


def test_a_sentence_is_seen_with_the_share_of_its_words_that_the_other_one_used() -> None:
    [_, message] = messages(asked("clip the exports at 13 months"), said("Exports are clipped at 13 months. Found it."))

    assert [sorted(features_of(message, at) & {f"a:repeats={n}" for n in range(5)}) for at in (0, 1)] == [
        ["a:repeats=2"],
        ["a:repeats=0"],
    ]


def test_each_word_is_a_feature_with_and_without_its_speaker() -> None:
    [person, agent] = messages(asked("keep it"), said("keep it"))

    assert {"keep", "p:keep"} <= features_of(person, 0)
    assert {"keep", "a:keep"} <= features_of(agent, 0)
    assert "a:keep" not in features_of(person, 0)


def test_a_sentence_is_seen_with_its_neighbours_and_with_the_question_that_it_answers() -> None:
    [_, answer] = messages(said("Which one?"), asked("The second. It is smaller. Go on."))

    middle = features_of(answer, 1)

    assert {"p:place=middle", "p:answers=True", "p:before=the", "p:after=go", "p:word before=second"} <= middle
    assert {"p:capital=True", "p:end=.", "p:step before=said", "p:step after=none"} <= middle


def test_a_message_has_the_steps_before_and_after_it_in_its_turn() -> None:
    failed = Step("r", StepKind.RAN, "pytest", code=1)
    edit = Step("e", StepKind.EDITED, "a.py")
    first, second, last = messages(asked("fix it"), failed, said("It is the cache."), edit, asked("thanks", 1))

    assert (first.has_failed, first.before, first.after) == (False, "said", (StepKind.RAN, StepKind.SAID))
    assert (second.has_failed, second.before, second.after) == (True, "failed", (StepKind.EDITED,))
    assert [(one.edits, one.runs) for one in (first, second, last)] == [(True, True), (True, False), (False, False)]
    assert (second.is_final, last.before, last.after) == (False, "edited", ())


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("after", "kept"),
    [
        ("200.", ". 200"),
        ("use 30 s", ". use 30 s"),
        ("2 tests fail.", ""),
        ("200 is what the docs say.", ""),
        ("ok.", ""),
    ],
)
def test_a_statement_is_kept_with_the_value_behind_it(after: str, kept: str) -> None:
    assert told_by_words(asked(f"Please look. 1000 blobs are too many. {after}")) == [
        ("gotcha", f"1000 blobs are too many{kept}")
    ]


@pytest.mark.usefixtures("known")
def test_a_sentence_is_kept_with_the_neighbour_that_belongs_to_it() -> None:
    assert told_by_words(asked("Please look. The blobs are shared. That is because of the import. Thanks a lot.")) == [
        ("gotcha", "The blobs are shared. That is because of the import")
    ]


@pytest.mark.usefixtures("known")
def test_a_neighbour_alone_is_no_statement() -> None:
    assert told_by_words(asked("That is because of the import.")) == []


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    "text", ["Are the blobs shared?", "Ann: the blobs are mine Tom: no, the blobs are mine", "blobs " * 80]
)
def test_a_question_a_pasted_chat_and_a_very_long_sentence_are_never_kept(text: str) -> None:
    assert told_by_words(asked(text)) == []


@pytest.mark.usefixtures("known")
def test_a_short_answer_is_kept_with_its_question() -> None:
    steps = asked("go"), said("I looked at it. Where do they live?"), asked("in blobs", 1)

    assert told_by_words(*steps) == [("gotcha", "in blobs (asked: Where do they live?)")]


@pytest.mark.usefixtures("known")
def test_a_sentence_that_refers_back_is_kept_with_the_one_before_it() -> None:
    assert told_by_words(asked("The import is slow. That's why the blobs are shared.")) == [
        ("gotcha", "The import is slow. That's why the blobs are shared")
    ]


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("oh and also the blobs are shared by all.", "the blobs are shared by all"),
        ("Right, the blobs are shared by all.", "the blobs are shared by all"),
        ("One more thing: the blobs are shared by all.", "the blobs are shared by all"),
        ("und ja, blobs sind immer geteilt.", "blobs sind immer geteilt"),
        ("So that the blobs are shared by all.", "So that the blobs are shared by all"),
        ("Right blobs are shared by all.", "Right blobs are shared by all"),
        ("And shared blobs.", "And shared blobs"),
    ],
)
def test_a_statement_is_kept_without_first_words_that_say_nothing(text: str, kept: str) -> None:
    assert told_by_words(asked("go"), said("I looked."), asked(text, 1)) == [("gotcha", kept)]


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("heard", "kept"),
    [
        ("I looked. The import has a limit of 20.", " (answering: The import has a limit of 20)"),
        ("I looked. Is a limit of 20 enough?", " (asked: Is a limit of 20 enough?)"),
        ("All done.", ""),
    ],
)
@pytest.mark.parametrize(
    "text", ["make it 50 blobs for each of the seven old imports", "they hold all blobs of the import, by contract"]
)
def test_a_prompt_that_points_back_is_kept_with_what_it_answers(heard: str, kept: str, text: str) -> None:
    assert told_by_words(asked("go"), said(heard), asked(f"{text}.", 1)) == [("gotcha", f"{text}{kept}")]


@pytest.mark.usefixtures("known")
def test_a_statement_that_answers_the_agents_is_kept_beside_it() -> None:
    own = "they come from the importer"
    steps = asked("go"), said("Old blobs survive every nightly import run."), asked(f"{own} of blobs by contract.", 1)

    assert [text.partition(" (")[0] for _, text in told_by_words(*steps)] == [
        "Old blobs survive every nightly import run",
        f"{own} of blobs by contract",
    ]


@pytest.mark.usefixtures("known")
def test_an_agents_message_in_the_middle_of_its_work_counts_like_its_last() -> None:
    work = Step("e", StepKind.EDITED, "a.py")
    middle, end = (asked("go"), said("The blobs are shared."), work), (asked("go"), work, said("The blobs are shared."))

    assert told_by_words(*middle) == told_by_words(*end) == [("gotcha", "The blobs are shared")]


@pytest.mark.usefixtures("known")
def test_a_statement_that_the_patterns_also_find_is_kept_once() -> None:
    [(kind, text)] = told_by_words(asked("from now on the blobs must be written by the importer"))

    assert kind == "rule"
    assert "blobs" in text


@pytest.mark.usefixtures("known")
def test_a_statement_has_the_same_key_at_each_reading() -> None:
    steps = [asked("The blobs are shared."), said("Noted.")]
    longer = [*steps, asked("and now the tests", 1), said("Done.", 1)]

    assert (
        keys(captured_from(longer, log_odds=neutral)) == keys(captured_from(steps, log_odds=neutral)) == ["a0#0:found"]
    )


def keys(captured: Captured) -> list[str]:
    return [one.key for one in captured.stated]


@pytest.mark.parametrize("content", [None, b"{}"], ids=["missing", "damaged"])
def test_an_unreadable_model_is_an_error_that_names_it(tmp_path: Path, content: bytes | None) -> None:
    if content:
        (tmp_path / "context.safetensors").write_bytes(content)
    with pytest.raises(EmbeddingError, match=r"cannot read the model .*context\.safetensors"):
        read_model(ENCODER_FOLDER, tmp_path / "context.safetensors")


@pytest.mark.usefixtures("known")
def test_the_second_model_can_add_a_statement_take_one_away_and_change_its_kind() -> None:
    def sure(read: Sequence[SentenceInContext]) -> list[list[float]]:
        return [[9.0 if "because" in each.text else -9.0, *(4.0 * (kind == "fact") for kind in KINDS)] for each in read]

    steps = [asked("The blobs are shared. Then nothing. That is because of the import.")]
    added = [(one.kind.value, one.text) for one in captured_from(steps, log_odds=sure).stated]

    assert told_by_words(*steps) == [("gotcha", "The blobs are shared")]
    assert added == [("fact", "Then nothing. That is because of the import")]


@pytest.mark.usefixtures("known")
def test_the_second_model_does_not_read_sentences_that_the_first_rules_out() -> None:
    read: list[SentenceInContext] = []

    def noted(some: Sequence[SentenceInContext]) -> list[list[float]]:
        read.extend(some)
        return neutral(some)

    captured_from([asked("Please look at it. The blobs are shared. Are the blobs shared?")], log_odds=noted)

    assert [each.text for each in read] == ["The blobs are shared."]


def test_the_second_model_sees_the_speaker_and_what_is_around_a_sentence() -> None:
    work = Step("e", StepKind.EDITED, "a.py")
    long = f"{'a' * HEARD} Which one?"
    first, plan, second, last = messages(asked("Go on."), said("I look."), work, said(long, 1), asked("It. Why?", 1))

    assert in_context(first, 0) == (PERSON, "Go on.", "", "")
    assert in_context(plan, 0) == (AGENT_AT_WORK, "I look.", "Go on.", "")
    assert in_context(second, 0) == (AGENT, long, "Go on.", "")
    assert in_context(last, 0) == (PERSON, "It.", long[-HEARD:], "Why?")
    assert in_context(last, 1) == (PERSON, "Why?", "It.", "")


def test_the_shipped_model_distinguishes_rules_from_tasks_and_accepts_any_text() -> None:
    rule = SentenceInContext(PERSON, "From now on always run the linter before you commit.", "", "")
    task = SentenceInContext(PERSON, "Please fix the typo in the second line.", "", "")
    odd = SentenceInContext(AGENT, "\ud800 \0 " + "word " * 500, "", "\ud800")
    found = np.array(log_odds([rule, task, odd, rule]))

    assert found.shape == (4, SCORES)
    assert found[0, 0] > found[1, 0] + 1
    assert KINDS[found[0, 1:].argmax()] == "rule"
    assert found[3] == pytest.approx(found[0], abs=1e-4)  # in a batch with a long one or without


def test_the_shipped_weights_are_complete() -> None:
    shipped = weights()

    assert set(shipped.kinds) == set(MemoryKind)
    assert (FOLDER / "weights.bin").stat().st_size == (len(MemoryKind) + 1) * DIMENSIONS
    assert all(any(each.row) for each in (shipped.statement, *shipped.kinds.values()))


def test_a_rule_that_refers_back_is_kept_with_what_it_is_about() -> None:
    [(kind, text)] = told(asked("Every new level needs a recording in rec/. That's the deal from now on."))

    assert (kind, text) == ("rule", "Every new level needs a recording in rec/. That's the deal from now on")


def always(read: Sequence[SentenceInContext]) -> list[list[float]]:
    return [[9.0] * SCORES for _ in read]


@pytest.mark.usefixtures("known")
def test_sure_sentences_that_do_not_fit_in_one_text_are_kept_apart() -> None:
    first, second = f"The blobs are shared by {'a' * 180}", f"Old imports drop their blobs for {'b' * 180}"
    captured = captured_from([asked(f"{first}. {second}.")], log_odds=always)

    assert [one.text for one in captured.stated] == [first, second]


@pytest.mark.usefixtures("known")
def test_a_statement_after_the_reason_of_a_choice_is_kept() -> None:
    steps = (
        asked("go"),
        said("A moving window or IIR?"),
        asked("iir. ram for blobs is at 94%. the blobs are shared.", 1),
    )
    captured = captured_from(steps, log_odds=always)

    assert [(one.text, one.why) for one in captured.stated] == [
        ("iir (asked: A moving window or IIR?)", "ram for blobs is at 94%."),
        ("the blobs are shared", ""),
    ]


@pytest.mark.usefixtures("known")
def test_a_statement_about_the_past_beside_a_failed_attempt_is_kept() -> None:
    steps = asked("go"), said("I tried the blobs with zlib, and it failed. The blobs are cached by the proxy.")

    assert [one.text for one in captured_from(steps, log_odds=always).stated] == ["The blobs are cached by the proxy"]
