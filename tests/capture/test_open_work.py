"""Open work stays open until somebody takes it up, not until somebody says thanks."""

import pytest

from repomem.adapters.transcripts.steps import Step, StepKind
from repomem.capture.session_findings import captured_from
from repomem.core.records import MemoryKind

OPEN = "Still open: docs/config.rst does not mention the warning yet."


def threads(*told: str) -> list[str]:
    """The open threads of a session in which the agent edits and says OPEN, and then this is told: "~" is an edit."""
    steps = [Step("p", StepKind.ASKED, "log a warning for unknown keys"), Step("e", StepKind.EDITED, "config.py")]
    steps.append(Step("s", StepKind.SAID, f"Unknown keys are logged.\n\n{OPEN}"))
    for at, text in enumerate(told):
        kind = StepKind.EDITED if text == "~" else StepKind.SAID if at and told[at - 1] != "~" else StepKind.ASKED
        steps.append(Step(f"m{at}", StepKind.SAID if text.startswith("A: ") else kind, text.removeprefix("A: ")))
    return [one.text for one in captured_from(steps).stated if one.kind is MemoryKind.THREAD]


@pytest.mark.parametrize("told", [(), ("thanks!",), ("commit it please", "A: Committed as 4bae9261.")])
def test_an_offer_that_nobody_takes_up_stays_open(told: tuple[str, ...]) -> None:
    assert threads(*told) == [OPEN.rstrip(".")]


@pytest.mark.parametrize(
    "told",
    [
        ("then write that please", "~", "A: It has a paragraph now."),
        (
            "mention the warning in docs/config.rst, and while you are at it fix the typo in the second table of it",
            "A: Ok.",
        ),
    ],
)
def test_an_offer_that_is_taken_up_is_not_open(told: tuple[str, ...]) -> None:
    assert threads(*told) == []


@pytest.mark.parametrize(
    "text",
    [
        "Noch offen: ein Test mit der alten Datei",
        "Ungeklärt: ob der Export die alten Nummern behält",
        "Reste à faire : le fichier de référence",
        "À faire : les retours négatifs de mars",
        "还没做：历史数据没有回补",
        "遗留问题：旧的 token 还能用",
    ],
)
def test_open_work_is_named_in_other_languages(text: str) -> None:
    steps = [Step("p", StepKind.ASKED, "go"), Step("e", StepKind.EDITED, "a.py"), Step("s", StepKind.SAID, text)]

    assert [one.text for one in captured_from(steps).stated] == [text]


@pytest.mark.parametrize("text", ["Not verified: the current in stop mode", "Not looked at: sessions before 2023"])
def test_an_unverified_result_is_open_work(text: str) -> None:
    steps = [Step("p", StepKind.ASKED, "go"), Step("e", StepKind.EDITED, "a.py"), Step("s", StepKind.SAID, text)]

    assert [(one.kind, one.text) for one in captured_from(steps).stated] == [(MemoryKind.THREAD, text)]


def persons_threads(prompt: str, *after: Step) -> list[tuple[str, bool]]:
    """The open threads of a session with this second prompt, and whether they are the person's."""
    steps = [Step("p", StepKind.ASKED, "go"), Step("e", StepKind.EDITED, "a.py"), Step("s", StepKind.SAID, "Done.")]
    captured = captured_from([*steps, Step("q", StepKind.ASKED, prompt), *after])
    return [(one.text, one.is_persons) for one in captured.stated if one.kind is MemoryKind.THREAD]


@pytest.mark.parametrize(
    "text",
    [
        "TODO: the lease table has no cleanup, it grows forever",
        "noch offen: der Abgleich der alten Preise",
        "à faire : les stocks de mars",
        "queda pendiente borrar el secreto viejo en febrero",
    ],
)
def test_open_work_that_a_person_labels_is_kept(text: str) -> None:
    assert persons_threads(f"{text}. ship it") == [(text, True)]


def test_open_work_that_the_agent_does_in_the_same_turn_is_not_kept() -> None:
    assert persons_threads("TODO: the lease table has no cleanup", Step("f", StepKind.EDITED, "lease.py")) == []


def test_a_first_prompt_is_the_task_and_no_open_work() -> None:
    steps = [Step("p", StepKind.ASKED, "TODO: the lease table has no cleanup"), Step("r", StepKind.RAN, "make", code=0)]

    assert captured_from(steps).stated == ()


@pytest.mark.parametrize(
    ("heading", "item"),
    [
        ("Left to do:", "The limit of 13 months is in two files"),
        ("**Loose ends**", "expired keys are in the table forever"),
        ("What I didn't get to:", "links of folders use the old call"),
        ("## Not done", "the second parser has the same fault"),
        ("Noch offen:", "Die alten Nummern stehen in der Datenbank"),
        ("还没做的：", "图片在 GridFS 里"),
    ],
)
def test_the_items_below_a_heading_of_open_work_are_open(heading: str, item: str) -> None:
    text = f"All done.\n\n{heading}\n\n- {item}."
    steps = [Step("p", StepKind.ASKED, "do it"), Step("e", StepKind.EDITED, "a.py"), Step("s", StepKind.SAID, text)]

    assert [(one.kind, one.text.rstrip("。.")) for one in captured_from(steps).stated] == [(MemoryKind.THREAD, item)]
