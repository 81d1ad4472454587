"""Each command once or twice: its answer, its streams, its exit code."""

import json
import re
import subprocess
from dataclasses import replace
from subprocess import PIPE
from typing import Any

import pytest
from mcp.types import CallToolResult
from support.command_line import Ended, MakePlace, Place, on_terminal

from repomem.cli.recall.search import nothing_found
from repomem.core.processes.locks import try_lock


def answered(place: Place, *arguments: str, stdin: str = "") -> Any:
    ended = place.run(*arguments, stdin=stdin)
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


def test_a_first_index_prints_counts_and_a_second_prints_no_changes(ledgerly: Place) -> None:
    first = ledgerly.run("index")
    assert (first.code, first.err) == (0, "")
    assert first.out.startswith("index: up to date\nhead: ")
    assert "\nfiles: 11\n" in first.out
    assert "\nlanguages: python (6), " in first.out
    assert "\nfiles left out: " not in first.out
    assert ledgerly.run("index").out.startswith("index: up to date, no changes\n")


def test_a_repository_without_a_commit_says_so(ledgerly: Place) -> None:
    ledgerly.git("checkout", "-q", "--orphan", "fresh")
    assert "head: no commit yet (fresh)\n" in ledgerly.run("index").out


def test_files_left_out_are_counted_by_reason(ledgerly: Place) -> None:
    for at in (1, 2):
        (ledgerly.folder / f"link{at}").symlink_to("README.md")
    (ledgerly.folder / "rates.csv").write_text("1.5,2.5\n" * 9_000)
    ledgerly.git("add", "--all")
    told = "files left out: symbolic link (2), large data file (1)\n"
    assert told in ledgerly.run("index").out
    assert told in ledgerly.run("status").out


def test_index_rebuild_prints_json(ledgerly: Place) -> None:
    answer = answered(ledgerly, "index", "--rebuild", "--format", "json")
    assert (answer["schema"], answer["state"], answer["files"]) == ("repomem.index/1", "indexed", 11)


def test_a_quiet_index_prints_nothing(ledgerly: Place) -> None:
    ended = ledgerly.run("index", "--quiet")
    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_index_reports_another_run_in_progress(ledgerly: Place) -> None:
    import filelock

    ledgerly.run("index")
    (ledgerly.folder / "new.py").write_text("x = 1\n")
    with filelock.FileLock(ledgerly.folder / ".git" / "repomem" / "index.lock"):
        assert ledgerly.run("index").out.startswith("index: another run is in progress; ")


def test_a_query_builds_a_missing_index(ledgerly: Place) -> None:
    assert "src/ledgerly/money.py" in ledgerly.run("recall", "parse", "money").out


def test_maintenance_changes_no_search_result(ledgerly: Place) -> None:
    before = ledgerly.run("search", "parse money").out
    assert ledgerly.run("maintain").code == 0
    assert ledgerly.run("search", "parse money").out == before


def test_a_piped_brief_is_the_markdown_of_its_json(indexed: Place) -> None:
    brief = indexed.run("recall", "never", "round", "money")
    assert brief.out.startswith('<repomem-brief repository="ledgerly" ')
    assert brief.out.endswith("</repomem-brief>\n")
    answer = answered(indexed, "recall", "never round money", "--format", "json")
    assert (answer["schema"], answer["query"]) == ("repomem.brief/1", "never round money")
    parts = [part for item in answer["items"] if item.get("id") for part in item["id"].rsplit(":", 1)]
    assert [part for part in parts if part not in brief.out] == []  # lines may stand below the path that they are of
    assert {item["kind"] for item in answer["items"]} >= {"code", "episode", "profile"}


def test_every_form_of_recall_without_a_query_prints_the_same_map(indexed: Place) -> None:
    kept = indexed.run("recall").out
    assert kept == indexed.run("recall", "--format", "markdown").out == indexed.run("recall", "").out
    assert kept == indexed.run("-C", str(indexed.folder), "recall", at="..").out


def test_control_characters_of_a_repository_are_never_printed(ledgerly: Place) -> None:
    name = "src/tricky\x1b[31m.py"
    (ledgerly.folder / name).write_text("def tricky():\n    return '\x1b]0;title\x07\u202e\u200b'\n", encoding="utf-8")
    ledgerly.git("add", "--all")
    ledgerly.git("commit", "-q", "-m", "fix: a \x1b[2Jtricky \u202ename")
    as_json = ["--format", "json"]
    for command in (["search", "tricky"], ["search", "tricky", *as_json], ["log"], ["log", *as_json], ["show", name]):
        ended = ledgerly.run(*command)
        assert "tricky" in ended.out
        assert re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e]", ended.out + ended.err) is None
        assert "\\u001b" not in ended.out


def test_a_brief_stays_within_its_budget_and_reports_it(indexed: Place) -> None:
    answer = answered(indexed, "recall", "parse money", "--budget", "300", "--format", "json")
    assert answer["budget"] == 300
    assert answer["tokens"] <= 300


def test_a_query_can_come_from_stdin(indexed: Place) -> None:
    assert answered(indexed, "recall", "-", "--format", "json", stdin="parse\nmoney\n")["query"] == "parse\nmoney"
    assert indexed.run("search", "-", "-k", "1", stdin="parse_money").out.startswith("src/ledgerly/money.py:")


def test_a_query_may_start_with_a_dash(indexed: Place) -> None:
    assert answered(indexed, "recall", "--format", "json", "--", "--money")["query"] == "--money"


def test_format_mcp_prints_a_valid_tool_result(indexed: Place) -> None:
    answer = answered(indexed, "recall", "parse money", "--format", "mcp")
    result = CallToolResult.model_validate(answer)
    markdown = indexed.run("recall", "parse money").out
    assert [block.model_dump()["text"] + "\n" for block in result.content] in ([markdown], [markdown + "\n"])
    assert answer["structuredContent"]["schema"] == "repomem.brief/1"
    assert result.is_error is False


def test_a_hit_prints_its_path_and_its_lines(indexed: Place) -> None:
    ended = indexed.run("search", "parse_money", "-k", "1")
    heading, fence, *lines = ended.out.splitlines()
    assert heading.startswith("src/ledgerly/money.py:")
    assert fence == "```python"
    assert lines[-1] == "```"
    assert any("def parse_money" in line for line in lines)


def test_hits_as_json_have_the_documented_fields(indexed: Place) -> None:
    answer = answered(indexed, "search", "parse_money", "--format", "json", "--limit", "2")
    assert answer["schema"] == "repomem.search/1"
    assert len(answer["hits"]) == 2
    first = answer["hits"][0]
    names = ["path", "start_line", "end_line", "symbol", "kind", "language", "score", "text", "why"]
    assert list(first) == names
    assert (first["path"], first["language"]) == ("src/ledgerly/money.py", "python")
    lines = (indexed.folder / first["path"]).read_text(encoding="utf-8").splitlines()
    assert first["text"].splitlines() == lines[first["start_line"] - 1 : first["end_line"]]


def test_a_search_stays_within_a_path_and_a_language(indexed: Place) -> None:
    in_tests = answered(indexed, "search", "parse", "--path", "tests", "--format", "json")
    assert {hit["path"] for hit in in_tests["hits"]} == {"tests/test_parser.py"}
    in_yaml = answered(indexed, "search", "python", "--language", "yaml", "--format", "json")
    assert {hit["language"] for hit in in_yaml["hits"]} == {"yaml"}


def test_an_empty_result_exits_with_0(indexed: Place) -> None:
    ended = indexed.run("search", "支付宝")
    assert (ended.code, ended.out, ended.err) == (0, "", "nothing found\n")


def test_an_empty_result_of_an_incomplete_index_says_so() -> None:
    assert nothing_found(["1 file is not indexed yet"]) == "nothing found in the part indexed so far"


def test_show_of_lines_lists_the_symbols_that_they_define(indexed: Place) -> None:
    ended = indexed.run("show", "src/ledgerly/money.py:12-20")
    assert ended.out.startswith("src/ledgerly/money.py:12-20 ")
    assert "\ndefines: Money, " in ended.out
    assert "\n```python\n" in ended.out
    answer = answered(indexed, "show", "src/ledgerly/money.py", "--format", "json")
    assert (answer["schema"], answer["kind"], answer["start_line"]) == ("repomem.show/1", "code", 1)


def test_a_symbol_is_shown_with_its_callers(indexed: Place) -> None:
    ended = indexed.run("show", "parse_money")
    assert (ended.code, ended.err) == (0, "")
    first, *code, title, caller = ended.out.splitlines()[: ended.out.splitlines().index("  called from:") + 2]
    assert re.fullmatch(r"src/ledgerly/money\.py:\d+-\d+ parse_money \(function\)", first)
    assert (code[0], code[-1], title) == ("```python", "```", "  called from:")
    assert code[1].startswith("def parse_money(")
    assert re.fullmatch(r"    src/ledgerly/parser\.py:\d+ parse_journal", caller)
    answer = answered(indexed, "show", "parse_money", "--format", "json")
    [definition] = answer["definitions"]
    assert (answer["schema"], answer["kind"], definition["symbol"]) == ("repomem.show/1", "symbol", "parse_money")
    assert definition["callers"][0].items() >= {"path": "src/ledgerly/parser.py", "by": "import"}.items()


def test_a_caller_found_by_name_is_marked_name_match(indexed: Place) -> None:
    assert re.search(
        r"^  perhaps called from \(name match.*:\n    \S+:\d+ ", indexed.run("show", "Ledger.balance").out, re.MULTILINE
    )


def test_log_show_and_json_agree_about_a_commit(indexed: Place) -> None:
    [episode] = answered(indexed, "log", "--format", "json")["episodes"]
    today, _, told = indexed.run("log", "src/ledgerly/money.py").out.partition("\n")
    assert today == "now: src/ledgerly/money.py"
    assert told.startswith(f'{episode["commit"][:8]} 2023-11-14 "feat: start ledgerly with its first files": ')
    shown = indexed.run("show", episode["commit"][:8]).out
    assert shown.startswith(f'{episode["commit"]} 2023-11-14 "feat: start ledgerly')
    assert "A src/ledgerly/money.py" in shown


def test_a_log_whose_dates_are_out_of_order_says_so(make_place: MakePlace) -> None:
    place = make_place("tidepool")
    assert place.run("index").code == 0
    assert "git log" not in place.run("log").err
    place.git("commit", "-q", "--allow-empty", "-m", "landed late", "--date=2020-01-01T00:00:00Z")
    ended = place.run("log")
    assert "2020-01-01" in ended.out.partition("\n")[0]
    assert "sorted like git log" in ended.err


def test_a_log_in_a_shallow_clone_says_that_older_commits_are_missing(make_place: MakePlace) -> None:
    place = make_place("tidepool")
    assert "shallow" not in place.run("log").err
    (place.folder / ".git/shallow").write_text((place.folder / ".git/refs/heads/main").read_text())
    assert "this clone is shallow: older commits are missing\n" in place.run("log").err


def test_status_reports_missing_current_and_outdated_indexes(make_place: MakePlace) -> None:
    place = make_place("tidepool")
    assert "index: not built yet: repomem index" in place.run("status").out
    place.run("index")
    assert "index: up to date\n" in place.run("status").out
    (place.folder / "new.go").write_text("package new\n", encoding="utf-8")
    answer = answered(place, "status", "--format", "json")
    assert (answer["schema"], answer["state"], answer["repository"]) == ("repomem.status/1", "behind", "tidepool")


def test_config_prints_the_source_of_each_value(indexed: Place) -> None:
    ended = indexed.run("config", env={"REPOMEM_RECALL_BUDGET": "900"})
    assert "recall.budget = 900  # environment\n" in ended.out
    assert "search.limit = 10  # default\n" in ended.out
    assert "config.toml (does not exist)\n" in ended.err
    files = json.loads(indexed.run("config", "--format", "json").out)["files"]
    assert files["repository"] == str(indexed.folder / ".repomem.toml")


def test_a_config_file_applies_only_while_it_is_trusted(make_place: MakePlace) -> None:
    place = make_place("courier")
    (place.folder / ".repomem.toml").write_text('[store]\nuri = "/nowhere"\n', encoding="utf-8")
    ignored = "`.repomem.toml` sets store.uri; it is ignored until you run: repomem trust"
    assert f"note: {ignored}\n" in place.run("config").err
    given = on_terminal(place, "trust", "--yes")
    assert '  store.uri = "/nowhere"  (' in given
    assert 'store.uri = "/nowhere"  # repository file\n' in place.run("config").out
    assert place.run("trust", "--revoke").code == 0
    assert f"note: {ignored}\n" in place.run("config").err


def test_no_agent_trusts_a_file_with_or_without_a_terminal(ledgerly: Place) -> None:
    (ledgerly.folder / ".repomem.toml").write_text('[sync]\ntrust = ["*"]\n', encoding="utf-8")
    refusal = "error: only a person may trust a file: stdin and stderr must be a terminal that no agent opened"
    for arguments in (("trust",), ("trust", "--yes")):
        ended = ledgerly.run(*arguments)
        assert (ended.code, ended.err.splitlines()[-2]) == (1, refusal)
        shown = on_terminal(ledgerly, *arguments, env={"CLAUDECODE": "1"}, typed="y\n", code=1)
        assert refusal in shown.replace("\r\n", "\n")
    assert "it is ignored until you run: repomem trust" in ledgerly.run("config").err


def test_an_error_about_a_storage_address_names_its_setting(ledgerly: Place) -> None:
    given = ledgerly.run("store", "init", "ftp://host/x")
    assert given.err.splitlines()[0] == "error: ftp://… is not a supported address of shared storage"
    assert "a folder" not in given.err
    error = "error: store.uri (REPOMEM_STORE_URI): ftp://… is not a supported address of shared storage"
    assert ledgerly.run("recall", env={"REPOMEM_STORE_URI": "ftp://host/x"}).err.splitlines()[0] == error
    unset = ledgerly.run("store", "status")
    assert unset.err.splitlines()[1].endswith("to set it up: repomem store init s3://BUCKET/FOLDER")


def test_an_error_about_an_unknown_model_names_its_variable_or_file(ledgerly: Place) -> None:
    told = ledgerly.run("index", env={"REPOMEM_EMBEDDING_MODEL": "nope"}).err
    assert told.startswith("error: embedding.model (REPOMEM_EMBEDDING_MODEL): 'nope' is not a model\n")


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("nope", "embedding.model (REPOMEM_EMBEDDING_MODEL): 'nope' is not a model; until then static:builtin@"),
        ("litellm:a/b", "litellm:a/b, no vectors yet: run repomem index; until then static:builtin@"),
    ],
)
def test_status_reports_an_unknown_model_and_one_without_vectors(indexed: Place, model: str, said: str) -> None:
    assert f"model: {said}" in indexed.run("status", env={"REPOMEM_EMBEDDING_MODEL": model}).out


def test_an_invalid_config_file_is_an_error_that_shows_a_valid_one(ledgerly: Place) -> None:
    (ledgerly.folder / ".repomem.toml").write_text("[recall\n", encoding="utf-8")
    error, hint = ledgerly.run("status").err.splitlines()
    assert error.startswith("error: .repomem.toml is not valid TOML: ")
    assert hint == "hint: correct that line; a valid file: [recall], and on the next line budget = 1500"


def test_a_second_index_run_fails_unless_it_waits(ledgerly: Place) -> None:
    memory = ledgerly.folder / ".git" / "repomem"
    ledgerly.run("status")  # makes the folder
    with try_lock(memory / "index.lock") as is_held:
        assert is_held
        first = ledgerly.run("index")
        assert (first.code, first.out) == (1, "")
        assert first.err.startswith("error: another index run is in progress; it indexes this worktree too\n")
        assert ledgerly.run("index", "--quiet") == Ended(0, "", "")
        command = [*ledgerly.command(), "index", "--wait"]
        waiting = subprocess.Popen(
            command, cwd=ledgerly.folder, env=ledgerly.environment, stdout=PIPE, stderr=PIPE, text=True
        )
        assert waiting.stderr
        assert waiting.stderr.readline().startswith("another index run is in progress: waiting for it to end")
        assert waiting.poll() is None
    out, _ = waiting.communicate(timeout=120)
    assert (waiting.returncode, "up to date" in out) == (0, True)
    (ledgerly.folder / "late.py").write_text("LATE = 1\n")
    with try_lock(memory / "index.lock"):
        later = ledgerly.run("index", "--format", "json", "--no-wait")
    assert (later.code, json.loads(later.out)["state"]) == (1, "waiting")


@pytest.mark.parametrize("command", ["show", "log", "why"])
def test_a_path_that_begins_with_a_dot_is_relative_to_the_current_folder(indexed: Place, command: str) -> None:
    lines = ":1-2" if command == "show" else ":1" if command == "why" else ""
    from_folder = replace(indexed, folder=indexed.folder / "src" / "ledgerly")
    expected = indexed.run(command, f"src/ledgerly/money.py{lines}")
    assert expected.code == 0
    for path in ("./money.py", "../ledgerly/money.py"):
        assert from_folder.run(command, f"{path}{lines}").out == expected.out


@pytest.mark.parametrize("command", ["recall", "search"])
def test_the_path_option_is_relative_to_the_current_folder_if_it_begins_with_a_dot(
    indexed: Place, command: str
) -> None:
    from_folder = replace(indexed, folder=indexed.folder / "src" / "ledgerly")
    for here, whole in ((".", "src/ledgerly"), ("./money.py", "src/ledgerly/money.py"), ("../", "src")):
        expected = from_folder.run(command, "parse an amount", "--path", whole)
        assert (expected.code, "money.py" in expected.out) == (0, True)
        assert from_folder.run(command, "parse an amount", "--path", here).out == expected.out
