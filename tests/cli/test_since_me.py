"""`repomem recall --since-me`, and the line in the first brief of a session."""

import json

import pytest
from support.command_line import Place


@pytest.fixture
def place(indexed_copy: Place) -> Place:
    """An indexed repository in which another person changed what a session had worked on."""
    indexed_copy.run("remember", "Money is never rounded", "--on", "src/ledgerly/money.py:parse_money")
    assert indexed_copy.run("recall", "--since-me").out.startswith("no earlier session is recorded here")
    indexed_copy.run("session", "start", "Read money")
    indexed_copy.run("session", "end", "done")
    money = indexed_copy.folder / "src/ledgerly/money.py"
    money.write_text(money.read_text() + "\n# by Ben\n")
    indexed_copy.git("commit", "-q", "-am", "money: say who", "--author", "Ben <ben@example.org>")
    return indexed_copy


def test_since_me_prints_a_brief_or_json_and_refuses_a_task(place: Place) -> None:
    shown = place.run("recall", "--since-me")
    assert (shown.code, shown.err) == (0, "")
    assert "- money: 1 commit by Ben: " in shown.out
    assert json.loads(place.run("recall", "--since-me", "--format", "json").out)["items"][0]["title"] == "money"
    for option in ("a task", "--why", "--alone", "--index"):
        refused = place.run("recall", "--since-me", option)
        assert (refused.code, "--since-me takes no task" in refused.err) == (1, True)


def test_only_the_first_brief_of_a_session_mentions_changes_by_others(place: Place) -> None:
    place.run("index")
    said = {"session_id": "one", "source": "startup", "cwd": str(place.folder)}

    def context(source: str) -> str:
        ended = place.run("hook", "session-start", "--host", "plain", stdin=json.dumps(said | {"source": source}))
        return ended.out

    first = context("startup")
    assert "1 commit by others in your code; `repomem recall --since-me` shows them." in first
    assert "--since-me" not in context("compact")
