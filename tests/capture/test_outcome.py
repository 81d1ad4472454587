"""The goal of a session is its first request, its outcome what its work came to, not what was said last."""

import pytest

from repomem.adapters.transcripts.steps import Step, StepKind
from repomem.capture.session_findings import captured_from

WORK = "Unknown keys are logged as warnings now and the loader goes on; the tests cover a typo and an empty section."


def outcome(*last: str) -> str:
    """The outcome of a session that edits a file and says WORK, and then ends with these messages of the agent."""
    steps = [Step("p", StepKind.ASKED, "log a warning"), Step("e", StepKind.EDITED, "config.py")]
    steps.append(Step("s", StepKind.SAID, WORK))
    for at, text in enumerate(last):
        steps += [Step(f"p{at}", StepKind.ASKED, "commit it please"), Step(f"s{at}", StepKind.SAID, text)]
    return captured_from(steps).outcome


@pytest.mark.parametrize("last", [(), ("Committed as `4bae9261`.",), ("Noted.", "Pushed to `config/warn`.")])
def test_a_closing_remark_is_no_outcome(last: tuple[str, ...]) -> None:
    assert outcome(*last) == WORK


def test_a_later_message_with_as_much_detail_is_the_outcome() -> None:
    later = (
        "The branch also drops the old flag, and the changelog tells users how to turn the warnings off again for good."
    )

    assert outcome("Committed.", later) == later


def test_a_short_message_about_a_later_edit_precedes_the_longer_outcome() -> None:
    steps = [Step("p", StepKind.ASKED, "clamp it"), Step("e", StepKind.EDITED, "a.js"), Step("s", StepKind.SAID, WORK)]
    steps += [Step("p1", StepKind.ASKED, "8 instead"), Step("e1", StepKind.EDITED, "a.js")]
    steps.append(Step("s1", StepKind.SAID, "Changed the clamp to 8."))

    assert captured_from(steps).outcome == f"Changed the clamp to 8. Before that: {WORK}"


def test_without_edits_the_last_message_is_the_outcome() -> None:
    steps = [Step("p", StepKind.ASKED, "is it hard?"), Step("s", StepKind.SAID, WORK)]
    steps += [Step("p1", StepKind.ASKED, "rather not then"), Step("s1", StepKind.SAID, "Nothing was changed.")]

    assert captured_from(steps).outcome == "Nothing was changed."


def goal(*asked: str) -> str:
    return captured_from([Step(f"p{at}", StepKind.ASKED, text) for at, text in enumerate(asked)]).goal


@pytest.mark.parametrize("request_", ["Fix login", "Explain back()", "Upgrade node.", "Hi! Fix login"])
def test_a_two_word_request_is_the_goal_only_if_there_is_no_longer_one(request_: str) -> None:
    assert goal("hi", request_, "yes please", "Run tests") == request_.removeprefix("Hi! ")
    assert goal(request_, "retry uploads in the client") == "retry uploads in the client"


@pytest.mark.parametrize(
    "reply",
    ["hi", "hi there", "continue", "yes please", "please continue", "do it", "Try again.", "Perfect. Next.", "why?"],
)
def test_a_greeting_or_a_reply_is_no_goal(reply: str) -> None:
    assert goal(reply) == ""


def test_an_acknowledgement_is_no_outcome() -> None:
    said = "Understood: I will never log the names of uploaded files here, because they hold the patients' names."
    assert outcome("Yes, both are the same file.", said) == WORK
