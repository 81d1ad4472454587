"""A commit that decided something and says why comes first where a question asks for it."""

from pathlib import Path

import pytest
from support.repositories import START, Commit, MakeRepository
from support.samples import recalled

YEAR = 31_557_600  # seconds
WHY = "Row locks on the seat map brought the site down at the last big sale."
HOLDS = "HELD = {}\n\ndef hold(seat):\n    HELD[seat] = now()\n"
TYPED = "HELD: dict[str, float] = {}\n\ndef hold(seat: str) -> None:\n    HELD[seat] = now()\n"


@pytest.fixture
def box_office(make_repository: MakeRepository) -> Path:
    """A repository in which one commit gives a reason, and later ones rewrote its lines."""
    return make_repository(
        Commit({"office/money.py": "def cents(euros):\n    return round(euros * 100)\n"}, "Round prices to cents"),
        Commit({"office/holds.py": HOLDS}, f"Hold seats in memory\n\nA restart forgets them. {WHY}"),
        Commit({"office/holds.py": TYPED}, "Type the table of held seats"),
        Commit({"web/map.ts": "export const held = (seat: string) => false\n"}, "Draw held seats on the map"),
        Commit({"web/consent.ts": ""}, "Remove the analytics script\n\nOne visitor in eight left at its banner."),
    )


def test_the_commit_that_says_why_is_first_however_small_the_budget(box_office: Path) -> None:
    brief = recalled(box_office, "where do held seats live and why not in the database", budget=300)
    first = next(item for item in brief.items if item.commit)
    assert first.title == "Hold seats in memory"
    assert WHY in brief.markdown


def test_the_answering_commit_is_shown_even_without_relevant_code(box_office: Path) -> None:
    brief = recalled(box_office, "can we put analytics back in")
    assert [item.title for item in brief.items if item.commit] == ["Remove the analytics script"]
    assert (brief.gate.state, brief.gate.why) == ("limited", "a commit message is relevant, though no code is")
    assert "Only a commit message matches this task." in brief.markdown
    assert "relevant found" not in brief.markdown


def test_an_unrelated_question_gets_no_commit(box_office: Path) -> None:
    brief = recalled(box_office, "rotate the kubernetes ingress certificates")
    assert not [item for item in brief.items if item.commit]
    assert brief.gate.state == "none"


@pytest.mark.parametrize(
    "task",
    ["Let held seats of late groups expire before the doors open", "why are held seats not in the database"],
)
def test_an_old_commit_explains_no_change_and_still_answers_a_question(
    make_repository: MakeRepository, task: str
) -> None:
    folder = make_repository(
        Commit(
            {"office/holds.py": HOLDS}, f"Hold seats in memory\n\nHeld seats may expire. {WHY}", time=START - 8 * YEAR
        ),
        *(Commit({f"b{at}.py": f"LIMIT = {at}\n"}, f"Limit {at}\n\nIt was never bounded.") for at in range(9)),
    )
    assert (WHY in recalled(folder, task).markdown) is task.startswith("why")


def test_a_commit_that_shares_one_word_of_its_body_is_no_answer(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"a.py": "def izip():\n    return 1\n"}, "Describe izip\n\nIt was a copy-paste error since May."),
        *(Commit({f"b{at}.py": f"LIMIT = {at}\n"}, f"Limit {at}\n\nIt was never bounded.") for at in range(9)),
    )
    brief = recalled(folder, "Derive Copy for either or both")
    assert "copy-paste" not in brief.markdown


def test_a_commit_that_shares_little_where_another_shares_most_is_no_answer(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"rules.xml": "<spotbugs/>\n"}, "Ignore spotbugs warnings\n\nThe buffer is not safe by design."),
        Commit({"reader.py": "def mark():\n    return lock\n"}, "Fix unsafe synchronization of proxies in mark"),
        *(Commit({f"b{at}.py": f"LIMIT = {at}\n"}, f"Limit {at}\n\nIt was never bounded.") for at in range(9)),
    )
    brief = recalled(folder, "Fix spotbugs about unsafe synchronization of readers in mark")
    shown = [item.title for item in brief.items if item.commit]
    assert shown[0] == "Fix unsafe synchronization of proxies in mark"
    assert "Ignore spotbugs warnings" not in shown


@pytest.mark.parametrize("is_reverted", [False, True])
def test_the_commit_that_did_the_same_before_is_shown_with_its_files_unless_it_was_reverted(
    make_repository: MakeRepository, is_reverted: bool
) -> None:
    years = {name: f"Copyright {{}} Ada\n{name}\n" for name in ("LICENSE", "docs/manual.md", "src/reader.h")}
    subject = "Update copyright year to 2024"
    before, after = ({name: text.format(year) for name, text in years.items()} for year in (2023, 2024))
    folder = make_repository(
        Commit(before, "Start"),
        Commit(after, subject),
        *[Commit(before, f'Revert "{subject}"')][: int(is_reverted)],
        *(Commit({"src/reader.c": f"int year{at};\n"}, "Copyright year") for at in range(8)),  # match better
    )
    text = recalled(folder, "Update copyright year to 2025").markdown
    shown = f'"{subject}": a similar subject; it changed `LICENSE`, `manual.md`, `reader.h`'
    assert (shown in text) is not is_reverted
    assert ("a similar subject" in text) is not is_reverted
