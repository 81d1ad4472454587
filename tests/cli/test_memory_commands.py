"""What people and agents write down, from the command line: streams, exit codes, who speaks, and what is asked."""

import json
import re

import pytest
from support.command_line import COLOUR, MakePlace, Place, on_terminal
from support.memory_scenes import git

LIGHT = """
import sys
from repomem.__main__ import main
import os
end = os._exit
def exit_told(code):
    print(sorted(set(sys.modules) & {"lancedb", "pyarrow", "mcp", "tree_sitter"}), file=sys.stderr, flush=True)
    end(code)
os._exit = exit_told
main()
"""


def remembered(place: Place, *arguments: str) -> str:
    """The id of a memory that an agent wrote."""
    ended = place.run("remember", *arguments, "--format", "json")
    assert ended.code == 0, ended.err
    return str(json.loads(ended.out)["id"])


def test_remember_prints_the_id_the_kind_and_the_code(ledgerly: Place) -> None:
    ended = ledgerly.run(
        "remember", "Amounts", "must", "never", "be", "floats", "--on", "src/ledgerly/money.py:parse_money"
    )

    assert ended.code == 0
    assert ended.err.startswith("not typed at a terminal, so it counts as an agent's; to confirm it: repomem confirm ")
    first, second = ended.out.splitlines()
    assert re.fullmatch(
        r"remembered [0-9A-Z]{6,}: provisional rule, importance 4, applies on branches with commit [0-9a-f]{8}", first
    )
    assert second == "  on src/ledgerly/money.py:parse_money"


def test_a_path_with_a_line_break_is_printed_on_one_line(ledgerly: Place) -> None:
    (ledgerly.folder / "new\nline.py").write_text("x = 1\n")
    assert "  on new\\nline.py\n" in ledgerly.run("remember", "X is one", "--on", "new\nline.py").out


@pytest.mark.parametrize("text", ["--json prints one object per line", "-X splits long lists", "- it is a list"])
def test_a_text_may_start_with_a_dash(ledgerly: Place, text: str) -> None:
    name = remembered(ledgerly, text, "--why", "--plain is for people")
    (row,) = json.loads(ledgerly.run("memories", "--format", "json").out)["memories"]
    assert (row["id"], row["text"], row["why"]) == (name, text, "--plain is for people")


def test_remember_prints_where_the_memory_applies(ledgerly: Place) -> None:
    rule = ("remember", "--on", "src/ledgerly/money.py:parse_money")
    assert "applies on branches with commit " in on_terminal(ledgerly, *rule, "Amounts are integers")
    assert ": fact, importance 5, applies on every branch" in on_terminal(
        ledgerly, "remember", "Releases are on Mondays"
    )
    assert "applies in every repository\n" in ledgerly.run("remember", "--mine", "I prefer short answers").out
    (ledgerly.folder / "notes.txt").write_text("later\n")
    dirty = on_terminal(ledgerly, *rule, "Negative amounts have a leading minus")
    assert (
        "applies on branch main now, then on every branch with your next commit; until then unconfirmed on others"
        in dirty
    )


def test_json_has_the_commit_of_a_memory_recorded_on_a_detached_head(ledgerly: Place) -> None:
    head = git(ledgerly.folder, "rev-parse", "HEAD")[:8]
    git(ledgerly.folder, "checkout", "-q", "--detach")
    rule = ("remember", "Amounts are integers", "--format", "json")

    made, again = (json.loads(ledgerly.run(*rule).out) for _ in range(2))

    assert [(each["outcome"], each["visible_on"]) for each in (made, again)] == [("added", head), ("duplicate", head)]


def test_a_memory_that_an_agent_records_with_mine_waits_for_review(ledgerly: Place) -> None:
    (ledgerly.folder / "notes.txt").write_text("later\n")
    ledgerly.run("remember", "--mine", "The user prefers short answers")
    (ledgerly.folder / "notes.txt").unlink()
    assert "(an agent recorded it, and no person has confirmed it)" in ledgerly.run("review").out
    [name] = [each["id"] for each in json.loads(ledgerly.run("review", "--format", "json").out)["waiting"]]
    assert "visible: in every repository" in ledgerly.run("show", name).out
    assert "no branch" not in ledgerly.run("recall").out


def test_remember_as_json_has_the_documented_fields(ledgerly: Place) -> None:
    first = json.loads(ledgerly.run("remember", "Amounts are integers", "--format", "json").out)
    again = json.loads(ledgerly.run("remember", "amounts are integers", "--format", "json").out)

    assert {"schema", "outcome", "id", "supersedes", "proposed", "near"} <= first.keys()
    assert (first["schema"], first["outcome"]) == ("repomem.remember/1", "added")
    assert (again["outcome"], again["id"]) == ("duplicate", first["id"])
    assert first["id"].startswith(first["short_id"])
    assert "Amounts are integers" in ledgerly.run("show", first["short_id"]).out


def test_every_json_answer_has_the_whole_and_the_short_id(ledgerly: Place) -> None:
    made = json.loads(ledgerly.run("remember", "Amounts of money are integers", "--format", "json").out)
    brief = json.loads(ledgerly.run("recall", "are amounts of money integers?", "--format", "json").out)
    [listed] = json.loads(ledgerly.run("memories", "--format", "json").out)["memories"]
    [waiting] = json.loads(ledgerly.run("review", "--format", "json").out)["waiting"]
    shown = json.loads(ledgerly.run("show", made["short_id"], "--format", "json").out)
    [recalled] = [each for each in brief["items"] if each.get("title", "").startswith("Amounts of money")]

    for each in (listed, waiting, shown, recalled):
        assert (each["id"], each["short_id"]) == (made["id"], made["short_id"])


def test_remember_reports_a_removed_secret(ledgerly: Place) -> None:
    told = f"deploy with {'ghp_' + 'abcdefghijklmnopqrstuvwxyz0123456789'}"
    ended = ledgerly.run("remember", told)
    again = json.loads(ledgerly.run("remember", told, "--format", "json").out)

    assert "  removed a secret (github-token): `repomem show " in ended.out
    assert again["redacted"] == ["github-token"]
    assert again["is_redacted"] is True
    assert "ghp_" not in ended.out + str(again)


def test_an_anchor_that_matches_nothing_is_an_error_with_a_hint(ledgerly: Place) -> None:
    ended = ledgerly.run("remember", "a", "--on", "src/ledgerly/money.py:nothing")

    assert (ended.code, ended.out) == (1, "")
    assert ended.err.splitlines()[0] == "error: src/ledgerly/money.py defines no nothing"
    assert ended.err.splitlines()[1].startswith("hint: one of ")


def test_an_anchor_on_a_file_moved_since_the_last_index_run_is_an_error(indexed_copy: Place) -> None:
    indexed_copy.git("mv", "src/ledgerly/money.py", "src/ledgerly/cash.py")
    assert indexed_copy.run("remember", "a", "--on", "money.py").err == (
        "error: cannot read src/ledgerly/money.py in the worktree\n"
        "hint: if it was moved: repomem index, then give its new path\n"
    )


@pytest.mark.parametrize("arguments", [["remember"], ["remember", "a", "--importance", "9"], ["forget"]])
def test_wrong_usage_is_exit_code_two(indexed: Place, arguments: list[str]) -> None:
    assert indexed.run(*arguments).code == 2


def test_remember_reads_the_text_from_stdin(ledgerly: Place) -> None:
    assert "a line from a pipe" in ledgerly.run("show", remembered_from(ledgerly, "a line from a pipe\n")).out


def remembered_from(place: Place, text: str) -> str:
    return str(json.loads(place.run("remember", "-", "--format", "json", stdin=text).out)["id"])


def test_a_person_is_at_a_terminal_and_an_agent_at_a_pipe_or_known_by_its_variables(make_place: MakePlace) -> None:
    place = make_place("ledgerly")
    on_terminal(place, "remember", "Amounts are integers")
    place.run("remember", "Dates are strings")
    on_terminal(place, "remember", "Names are long", env={"CLAUDECODE": "1"})

    lines = place.run("ledger", "export").out.splitlines()

    told = {each["said"]["text"]: (each["source"], each.get("tool", "")) for each in map(json.loads, lines)}
    assert told == {
        "Amounts are integers": ("person", ""),
        "Dates are strings": ("agent", ""),
        "Names are long": ("agent", "claude-code"),
    }


def test_a_terminal_asks_whether_a_memory_is_superseded_and_a_pipe_only_proposes_it(ledgerly: Place) -> None:
    old = remembered(ledgerly, "The rounding of an amount is half even")
    piped = json.loads(ledgerly.run("remember", "The rounding of an amount is half up", "--format", "json").out)
    assert [one["id"] for one in piped["proposed"]] == [old]
    assert "status: provisional" in ledgerly.run("show", old).out
    ledgerly.run("forget", piped["id"], "--yes")

    shown = on_terminal(ledgerly, "remember", "The rounding of an amount is half down", typed="y\n")

    assert f"this may supersede {old[:8]}" in shown
    assert ", which stays: " in shown
    assert f"Does it supersede {old[:8]}" in shown
    assert "? [y, n, or Enter to decide later] " in shown
    assert "status: superseded" in ledgerly.run("show", old).out


def test_a_refused_replacement_is_not_proposed_again(ledgerly: Place) -> None:
    old, new = "We publish wheels from the release branch only", "Wheels are published from main after the tag"
    on_terminal(ledgerly, "remember", old)
    shown = on_terminal(ledgerly, "remember", new, typed="n\n")

    assert " still holds" in shown
    assert ledgerly.run("review").out == "nothing to review\n"
    assert "perhaps changed" not in ledgerly.run("recall", "where are wheels published from").out


def test_the_same_words_with_a_new_number_replace_the_old_without_a_question(ledgerly: Place) -> None:
    old = remembered(ledgerly, "We retry an upload three times")
    shown = on_terminal(ledgerly, "remember", "We retry an upload four times")

    assert f"replaces {old[:8]}" in shown
    assert " while both apply: We retry an upload three times (the same words with another value)" in shown
    assert "status: superseded" in ledgerly.run("show", old).out
    unsure = ledgerly.run("remember", "We retry an upload five times").out
    assert ", which stays: We retry an upload four times (the same words with another value)" in unsure


def test_forget_asks_at_a_terminal_and_needs_yes_in_a_pipe(ledgerly: Place) -> None:
    name = remembered(ledgerly, "Amounts are integers")

    refused = ledgerly.run("forget", name)
    assert (refused.code, "add --yes" in refused.err) == (1, True)
    assert "kept: " in on_terminal(ledgerly, "forget", name, typed="n\n")
    assert ledgerly.run("forget", name[:10], "--yes").out.endswith(' "Amounts are integers"\n')
    ledgerly.run("restore", name)
    noise = on_terminal(ledgerly, "forget", "--noise", name, typed="y\n")
    assert "similar texts are no longer captured" in noise
    assert ledgerly.run("show", name).code == 1


def test_forgetting_twice_is_an_error_and_only_a_person_may_purge(ledgerly: Place) -> None:
    name = remembered(ledgerly, "Amounts are integers")
    ledgerly.run("forget", name, "--yes")

    again = ledgerly.run("forget", name, "--yes")
    assert (again.code, "was forgotten\nhint: repomem restore " in again.err) == (1, True)
    assert "only a person may erase" in ledgerly.run("forget", "--purge", name, "--yes").err
    assert "purged " in on_terminal(ledgerly, "forget", "--purge", name, typed="y\n")
    assert "Amounts are integers" not in ledgerly.run("ledger", "export").out


def test_confirming_a_proposed_replacement_prints_what_it_supersedes(ledgerly: Place) -> None:
    old = re.findall(r"remembered (\w+)", on_terminal(ledgerly, "remember", "Amounts are integers of cents"))[0]
    new = remembered(ledgerly, "Amounts are decimals", "--supersedes", old)

    assert f"superseded: {old}" in on_terminal(ledgerly, "confirm", new)


def test_only_a_person_confirms(ledgerly: Place) -> None:
    name = remembered(ledgerly, "Amounts are integers")

    assert ledgerly.run("confirm", name).code == 1
    assert on_terminal(ledgerly, "confirm", name).startswith("confirmed: ")
    assert "status: current" in ledgerly.run("show", name).out


def test_a_denial_without_a_reason_is_an_error(ledgerly: Place) -> None:
    name = remembered(ledgerly, "Amounts are integers")
    for reason in ("", " "):
        ended = ledgerly.run("confirm", "--deny", reason, name)
        assert (ended.code, ended.err.splitlines()[0]) == (1, "error: --deny needs a reason")


def test_a_note_to_a_closed_thread_is_reported_as_not_saved(ledgerly: Place) -> None:
    name = remembered(ledgerly, "Round the tax", "--kind", "thread")
    assert ledgerly.run("done", name, "--note", "rounded").err == ""
    again = ledgerly.run("done", name, "--note", "by half")
    assert (again.code, again.out) == (0, f"already done: {name[:9]} Round the tax\n")
    assert again.err == f"note: the note was not saved; repomem restore {name[:9]} reopens the thread\n"


def test_a_review_takes_one_key_for_each_memory(ledgerly: Place) -> None:
    first, second = remembered(ledgerly, "Amounts are integers"), remembered(ledgerly, "Dates are strings")
    assert len(ledgerly.run("review").out.splitlines()) == 2

    shown = COLOUR.sub("", on_terminal(ledgerly, "review", keys={"Amounts": "c", "Dates": "f", "any other key": "q"}))

    assert "confirmed" in shown
    assert "forgotten" in shown
    assert "as it is now" not in shown
    assert "status: current" in ledgerly.run("show", first).out
    assert ledgerly.run("show", second).code == 1
    assert ledgerly.run("review").out == "nothing to review\n"


@pytest.mark.parametrize(("key", "holds"), [("c", True), ("t", False)])
def test_a_review_asks_whether_a_later_memory_changes_an_earlier_one(ledgerly: Place, key: str, *, holds: bool) -> None:
    old, new = (
        "Uploads above 20 megabytes go through the queue",
        "Big uploads stream to the bucket, the queue is for small ones",
    )
    for text in (old, new):
        on_terminal(ledgerly, "remember", text, typed="\n")
    [waiting] = json.loads(ledgerly.run("review", "--format", "json").out)["waiting"]
    assert (waiting["text"], waiting["waits"]) == (old, "changed")
    short = waiting["proposed"][:9]
    assert f" perhaps changed by {short} " in ledgerly.run("review").out
    question = "uploads above 20 megabytes"
    assert f" perhaps changed by {short} " in ledgerly.run("memories", question).out
    listed = json.loads(ledgerly.run("memories", question, "--format", "json").out)["memories"]
    assert {one["id"]: one.get("perhaps_changed_by") for one in listed}[waiting["id"]] == waiting["proposed"]
    assert f" perhaps changed by {short} " in ledgerly.run("memories").out
    assert f"perhaps changed by {short}: {new}\n" in ledgerly.run("show", waiting["id"]).out
    assert (
        json.loads(ledgerly.run("show", waiting["id"], "--format", "json").out)["perhaps_changed_by"]
        == waiting["proposed"]
    )

    shown = on_terminal(ledgerly, "review", keys={"Uploads above": key, "any other key": "q"})

    assert "[t]ake the proposed replacement" in shown
    assert ledgerly.run("review").out == "nothing to review\n"
    brief = ledgerly.run("recall", question).out
    assert (old in brief, "perhaps changed" in brief) == (holds, False)
    assert new in brief


def test_a_review_shows_the_change_of_the_code_and_undoes_the_last_decision(ledgerly: Place) -> None:
    name = remembered(ledgerly, "parse_money must never round", "--on", "src/ledgerly/money.py:parse_money")
    money = ledgerly.folder / "src/ledgerly/money.py"
    money.write_text(money.read_text().replace("def parse_money(", "def parse_money(exactly, "))

    shown = on_terminal(ledgerly, "review", keys={"drifted": "f", "any other key": "u", "undone": "q"})

    lines = [line.strip("│ ") for line in COLOUR.sub("", shown).splitlines()]
    assert any(line.startswith("+def parse_money(exactly, ") for line in lines)
    assert any(line.startswith("-def parse_money(") for line in lines)
    assert "1 memory left undecided" in lines
    assert "status: drifted" in ledgerly.run("show", name).out
    assert " is back in the review" in shown
    assert "[c]onfirm on the code as it is now" in shown
    assert "[t]ake" not in shown
    assert "1 memory left undecided (1 skipped)" in on_terminal(ledgerly, "review", keys={"drifted": "s"})


def test_a_drifted_memory_that_is_confirmed_in_a_review_is_current_again(ledgerly: Place) -> None:
    name = remembered(ledgerly, "parse_money must never round", "--on", "src/ledgerly/money.py:parse_money")
    money = ledgerly.folder / "src/ledgerly/money.py"
    money.write_text(money.read_text().replace("def parse_money(", "def parse_money(exactly, "))

    shown = on_terminal(ledgerly, "review", keys={"drifted": "c", "any other key": "q"})

    assert "confirmed on src/ledgerly/money.py:parse_money" in shown
    assert "status: current" in ledgerly.run("show", name).out


def test_code_that_the_commit_after_a_memory_deletes_is_gone_by_that_commit(ledgerly: Place) -> None:
    money = ledgerly.folder / "src/ledgerly/money.py"
    money.write_text(money.read_text().replace("def parse_money(", "def parse_money(exactly, "))
    remembered(ledgerly, "open: round less", "--kind", "thread", "--on", "src/ledgerly/money.py:parse_money")
    money.write_text("def other(amount):\n    return amount + 1\n")
    git(ledgerly.folder, "commit", "-q", "--all", "-m", "Remove parse_money")

    head = git(ledgerly.folder, "rev-parse", "HEAD")[:8]
    assert f"gone ({head} deleted its code)" in ledgerly.run("review").out


def test_a_forgotten_memory_is_listed_and_restored_by_the_line_that_forget_prints(ledgerly: Place) -> None:
    name = remembered(ledgerly, "Amounts are integers")
    ended = ledgerly.run("forget", "--yes", name)
    command = ended.err.strip().removeprefix("to undo: repomem ").split()
    assert ledgerly.run("restore").out.split(maxsplit=1)[1] == 'fact "Amounts are integers"\n'
    assert json.loads(ledgerly.run("restore", "--format", "json").out)["forgotten"][0]["id"].startswith(command[1])
    assert ledgerly.run(*command).out.endswith(' "Amounts are integers"\n')
    assert ledgerly.run("restore").err.startswith("nothing is forgotten; ")
    assert "Amounts are integers" in ledgerly.run("memories").out


def test_an_exported_ledger_can_be_imported(ledgerly: Place) -> None:
    remembered(ledgerly, "Amounts are integers")
    out = ledgerly.run("ledger", "export").out

    again = ledgerly.run("ledger", "import", stdin=out)
    bad = ledgerly.run("ledger", "import", stdin="nonsense\n")
    verified = ledgerly.run("ledger", "verify")

    assert again.out == "0 records added, 1 already known\n"
    assert (bad.code, "no line of the file is a ledger record" in bad.err) == (1, True)
    assert (verified.code, verified.out.splitlines()[-1]) == (0, "every copy holds every record")


def test_a_memory_is_printed_by_show_log_and_why(ledgerly: Place) -> None:
    name = remembered(ledgerly, "parse_money must never round", "--on", "src/ledgerly/money.py:parse_money")
    line = next(
        at
        for at, text in enumerate((ledgerly.folder / "src/ledgerly/money.py").read_text().splitlines(), start=1)
        if "def parse_money" in text
    )

    assert "on: src/ledgerly/money.py:parse_money" in ledgerly.run("show", name.lower()).out
    assert "parse_money must never round" in ledgerly.run("log", "--memories").out
    assert "parse_money must never round" in ledgerly.run("log", "--memories", "src/ledgerly/money.py").out
    assert ledgerly.run("log", "--memories", "src/ledgerly/money.py:Money").out == ""
    assert "parse_money must never round" in ledgerly.run("log", "src/ledgerly/money.py:parse_money").out
    assert "memory: provisional rule" in ledgerly.run("why", f"src/ledgerly/money.py:{line}").out
    assert ledgerly.run("why", "src/ledgerly/money.py").code == 1
    assert ledgerly.run("why", "src/ledgerly/money.py:99999").code == 1
    assert "no text file src/gone.py in the worktree" in ledgerly.run("why", "src/gone.py:1").err


def test_recall_filters_by_kind_and_date(indexed_copy: Place) -> None:
    remembered(indexed_copy, "parse_money must never round")

    only = json.loads(indexed_copy.run("recall", "--kind", "rule", "--format", "json", "parse_money").out)
    assert {item["kind"] for item in only["items"]} == {"rule"}
    assert indexed_copy.run("recall", "--format", "json").code == 0  # which keeps the whole map
    of_map = json.loads(indexed_copy.run("recall", "--kind", "rule", "--format", "json").out)
    assert {item["kind"] for item in of_map["items"]} == {"rule"}
    assert len(json.loads(indexed_copy.run("recall", "--format", "json").out)["items"]) > len(of_map["items"])
    of_code = ("recall", "--kind", "place", "--kind", "commit", "--format", "json", "parse_money")
    assert {item["kind"] for item in json.loads(indexed_copy.run(*of_code).out)["items"]} == {"code", "episode"}
    early = json.loads(indexed_copy.run("recall", "--until", "2020-01-01", "--format", "json", "parse_money").out)
    assert not {"rule", "episode"} & {item["kind"] for item in early["items"]}
    assert indexed_copy.run("recall", "--since", "yesterday", "x").code == 1


def test_the_profile_is_corrected_by_people(indexed_copy: Place) -> None:
    assert indexed_copy.run("profile", "test", "make check").code == 1

    assert "make check" in COLOUR.sub("", on_terminal(indexed_copy, "profile", "test", "make check"))

    assert "test: make check (corrected by Ada Example, 20" in indexed_copy.run("profile").out
    assert "make check" in indexed_copy.run("recall").out
    of_task = indexed_copy.run("recall", "parse_money").out
    assert "- test: make check (corrected by Ada Example, 20" in of_task
    assert "make test" not in of_task
    on_terminal(indexed_copy, "profile", "test", "--clear")
    assert "test: " not in indexed_copy.run("profile").out
    assert "- test: " not in indexed_copy.run("recall", "parse_money").out


def test_remembering_a_text_without_code_loads_no_store_and_no_parser(indexed_copy: Place) -> None:
    ended = indexed_copy.fresh("remember", "we deploy on fridays", script=LIGHT)

    assert ended.err.splitlines()[-1] == "[]"


def test_memories_prints_one_line_for_each(ledgerly: Place) -> None:
    name = remembered(ledgerly, "Amounts are integers", "--on", "src/ledgerly/money.py:parse_money", "--kind", "rule")
    remembered(ledgerly, "Journals are UTF-8", "--kind", "fact")

    ended = ledgerly.run("memories", "--kind", "rule")

    [line] = ended.out.splitlines()
    assert re.fullmatch(
        r'[0-9A-Z]{6,} 20\d\d-\d\d-\d\d rule provisional "Amounts are integers"'
        r" · on src/ledgerly/money.py:parse_money · agent",
        line,
    )
    assert name.startswith(line.split()[0])
    assert (ended.code, ended.err) == (0, "")


def test_memories_as_json_counts_what_the_limit_leaves_out(ledgerly: Place) -> None:
    for text in ("Amounts are integers", "Journals are UTF-8"):
        remembered(ledgerly, text)

    ended = ledgerly.run("memories", "-n", "1", "--format", "json")

    told = json.loads(ended.out)
    assert (told["schema"], told["total"]) == ("repomem.memories/1", 2)
    assert [one["text"] for one in told["memories"]] == ["Journals are UTF-8"]
    assert "1 more are not shown" in ledgerly.run("memories", "-n", "1").err


def test_memories_prints_a_table_on_a_terminal(ledgerly: Place) -> None:
    remembered(ledgerly, "Amounts are integers")

    shown = COLOUR.sub("", on_terminal(ledgerly, "memories", env={"COLUMNS": "160"})).splitlines()

    assert shown[0].split() == ["id", "date", "kind", "status", "text", "where", "by"]
    assert "Amounts are integers" in shown[1]


def test_an_empty_list_is_reported_without_loading_the_index(ledgerly: Place) -> None:
    ended = ledgerly.fresh("memories", script=LIGHT)

    assert (ended.code, ended.out) == (0, "")
    assert ended.err.splitlines() == ['nothing is recorded yet: repomem remember "TEXT"', "[]"]


def test_a_word_instead_of_a_date_is_an_error(ledgerly: Place) -> None:
    ended = ledgerly.run("memories", "--since", "yesterday")

    assert (ended.code, ended.err.splitlines()[0]) == (1, "error: --since 'yesterday' is not a date")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--since", "2026-13-45"), "--since '2026-13-45' is not a valid date"),
        (("--until", "2026-02-31"), "--until '2026-02-31' is not a valid date"),
        (("--since", "2026-06-01", "--until", "2026-01-01"), "--since 2026-06-01 is after --until 2026-01-01"),
    ],
)
def test_an_impossible_date_or_range_is_an_error(ledgerly: Place, options: tuple[str, ...], error: str) -> None:
    for command in (("memories",), ("recall", "parse amounts")):
        ended = ledgerly.run(*command, *options)
        assert (ended.code, ended.out, ended.err.splitlines()[0]) == (1, "", f"error: {error}")


def test_a_memory_is_pinned_and_unpinned_by_command(ledgerly: Place) -> None:
    name = remembered(ledgerly, "Amounts are integers", "--pin")
    assert "- pinned provisional fact `" in ledgerly.run("recall", "--budget", "300").out
    assert " pinned fact provisional " in ledgerly.run("memories").out

    assert name.startswith(ledgerly.run("pin", "--off", name).out.removeprefix("unpinned: ").strip())
    assert "pinned" not in ledgerly.run("recall", "--budget", "300").out
    assert ledgerly.run("pin", "--off", name).out.startswith("not pinned: ")
    assert name.startswith(ledgerly.run("pin", name).out.removeprefix("pinned: ").strip())
    assert ledgerly.run("pin", name).out.startswith("already pinned: ")


def test_status_memory_prints_figures_as_text_and_as_json(ledgerly: Place) -> None:
    remembered(ledgerly, "Amounts are integers", "--kind", "rule")

    lines = ledgerly.run("status", "--memory").out.splitlines()
    told = json.loads(ledgerly.run("status", "--memory", "--format", "json").out)

    assert "kinds: rule 1" in lines
    assert "memories: 1, 20 bytes of text; kept until forgotten; archived when superseded or long unused" in lines
    assert "near-duplicates: 0 of 1 memory (0%)" in lines
    assert (told["schema"], told["kinds"], told["use"]["never_shown"]) == ("repomem.status-memory/1", {"rule": 1}, 1)


def test_remember_prints_what_it_replaced_and_what_it_only_proposes(ledgerly: Place) -> None:
    old = re.findall(r"remembered (\w+)", on_terminal(ledgerly, "remember", "Amounts are integers"))[0]
    refused = ledgerly.run("confirm", old, "--deny", "they are decimals")
    assert (refused.code, refused.out) == (1, "")
    assert f"an agent cannot deny {old}: a person recorded it" in refused.err

    made = ledgerly.run("remember", "--supersedes", old, "Money is decimal")

    assert f"  proposes to replace {old}: a person decides in repomem review\n" in made.out
    shown = ledgerly.run("show", old).out
    assert "status: contested\n" in shown
    assert "replaced by" not in shown
    assert json.loads(ledgerly.run("show", old, "--format", "json").out)["status"] == "contested"
    assert ' contested "Amounts are integers"' in ledgerly.run("memories").out
    assert ' contested "Amounts are integers"' in ledgerly.run("memories", "--status", "contested").out
    assert "Amounts are integers" not in ledgerly.run("memories", "--status", "current").out
    assert re.search(r"^proposed replacement \w+: Money is decimal$", shown, re.MULTILINE)


def test_each_scope_is_printed_and_one_that_matches_no_file_is_marked(ledgerly: Place) -> None:
    made = ledgerly.run(
        "remember", "--scope", "src/**", "--scope", "nosuch/**", "--kind", "rule", "Amounts are integers"
    )
    assert "  applies to src/**\n  applies to nosuch/** (matches no file now)\n" in made.out
    assert " · applies to src/**, nosuch/** · " in ledgerly.run("memories").out


def test_remember_reports_that_a_new_memory_is_pinned(ledgerly: Place) -> None:
    assert "\n  pinned: shown first in every brief\n" in ledgerly.run("remember", "--pin", "Amounts are integers").out


def test_an_empty_list_reports_hidden_memories(ledgerly: Place) -> None:
    thread = remembered(ledgerly, "--kind", "thread", "Round amounts")
    ledgerly.run("done", thread)
    assert ledgerly.run("memories").err == "1 memory is hidden here: repomem memories --all\n"
    assert ledgerly.run("memories", "--kind", "rule").err == "no memory matches\n"
    assert ledgerly.run("memories", "--on", "src/gone.py").err == "no memory about src/gone.py matches\n"


def test_an_anchor_on_a_name_needs_an_index(ledgerly: Place) -> None:
    ended = ledgerly.run("remember", "--on", "Money", "Amounts are integers")
    assert "nothing is indexed yet" in ended.err
    assert "hint: run repomem index\n" in ended.err


def test_a_purge_without_a_terminal_warns_that_it_cannot_be_undone(ledgerly: Place) -> None:
    name = remembered(ledgerly, "Amounts are integers")
    assert "add --yes to erase it without asking; this cannot be undone" in ledgerly.run("forget", "--purge", name).err


def test_show_reports_that_a_memory_was_forgotten(ledgerly: Place) -> None:
    name = remembered(ledgerly, "Amounts are integers")
    ledgerly.run("forget", "--yes", name)
    ended = ledgerly.run("show", name)
    short = ledgerly.run("restore").out.split()[0]
    hint = f"repomem restore {short} shows it again, repomem forget --purge {short} erases it"
    assert (ended.code, ended.err) == (1, f"error: {short} was forgotten\nhint: {hint}\n")


def test_show_reports_that_a_memory_of_another_branch_is_hidden(ledgerly: Place) -> None:
    ledgerly.git("switch", "-q", "-c", "uploads")
    (ledgerly.folder / "upload.py").write_text("A = 1\n")
    ledgerly.git("add", "-A")
    ledgerly.git("commit", "-q", "-m", "feat: upload")
    name = remembered(ledgerly, "Uploads are chunked", "--on", "upload.py")
    ledgerly.git("switch", "-q", "-")
    shown = ledgerly.run("show", name).out
    assert re.search(r"^hidden: recorded on branch uploads at [0-9a-f]{8}, not merged here$", shown, re.MULTILINE)
    assert "visible:" not in shown


def test_review_reports_the_drift_and_the_replacement_of_a_contested_memory_apart(ledgerly: Place) -> None:
    place = "src/ledgerly/money.py:parse_money"
    said = on_terminal(ledgerly, "remember", "parse_money must never round", "--on", place)
    old = re.findall(r"remembered (\w+)", said)[0]
    money = ledgerly.folder / "src/ledgerly/money.py"
    money.write_text(money.read_text().replace("def parse_money(", "def parse_money(exactly, "))
    ledgerly.git("commit", "-q", "-a", "-m", "feat: parse exactly")
    ledgerly.run("remember", "--supersedes", old, "parse_money rounds", "--on", place)
    [line] = [line for line in ledgerly.run("review").out.splitlines() if line.startswith(old)]
    assert re.search(r" · drifted by [0-9a-f]{8}, contested \(proposed replacement: ", line)


def test_confirm_and_done_act_on_memories_of_a_deleted_branch_without_moving_them(
    ledgerly: Place,
) -> None:
    ledgerly.git("switch", "-q", "-c", "topic")
    ledgerly.git("commit", "-q", "--allow-empty", "-m", "feat: try")
    decision = remembered(ledgerly, "Amounts are whole cents", "--kind", "decision")
    thread = remembered(ledgerly, "Round the tax", "--kind", "thread")
    ledgerly.git("switch", "-q", "main")
    ledgerly.git("branch", "-q", "-D", "topic")
    assert "; still recorded on branch topic at " in on_terminal(ledgerly, "confirm", decision)
    assert ledgerly.run("done", thread).code == 0
    listed = ledgerly.run("memories", "--all").out
    assert "decision abandoned" in listed
    assert "thread done" in listed
    figures = ledgerly.run("status", "--memory").out.splitlines()
    assert {"hidden here: done 1", "shown as abandoned: 1"} <= set(figures)
    brief = ledgerly.run("recall", "whole cents of amounts").out
    assert re.search(r"abandoned \w+ .*\(recorded on branch `topic` at [0-9a-f]{8}, which is not merged here\)", brief)
