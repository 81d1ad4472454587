"""What a fresh process loads: hooks and shells count milliseconds."""

import json

from support.command_line import Place

HEAVY = {"lancedb", "litellm", "mcp", "pyarrow", "rich", "sentence_transformers", "torch"}
RANKING = "repomem.ranking.signals"  # with the file of its weights


def loaded(place: Place, *arguments: str, stdin: str = "") -> set[str]:
    """The modules that a run of repomem imports, and the top-level packages among them."""
    script = "import sys; from repomem.__main__ import main; import os; os._exit = sys.exit\ntry: main()\n"
    script += "finally: sys.stderr.write('\\n'.join(['LOADED', *sys.modules]))"
    ended = place.fresh(*arguments, stdin=stdin, script=script)
    assert ended.code == 0, ended.err
    names = ended.err.partition("LOADED\n")[2].split()
    return {*names, *(name.partition(".")[0] for name in names)}


def test_help_loads_no_heavy_library_and_no_ranking(indexed: Place) -> None:
    modules = loaded(indexed, "--help")
    assert modules & {*HEAVY, RANKING, "git", "sqlite3", "numpy"} == set()
    assert "typer" in modules


def test_a_cached_brief_loads_neither_store_nor_command_line(indexed: Place) -> None:
    assert loaded(indexed, "recall") & {*HEAVY, RANKING, "numpy", "typer", "pydantic"} == set()


def test_a_hook_with_a_cached_brief_opens_no_store(indexed: Place) -> None:
    assert loaded(indexed, "hook", "session-start", "--host", "claude-code") & {*HEAVY, RANKING, "numpy"} == set()


def test_a_session_start_after_a_remember_opens_no_store(indexed_copy: Place) -> None:
    assert indexed_copy.run("remember", "Ledgers must always be sorted by day").code == 0
    assert loaded(indexed_copy, "hook", "session-start", "--host", "claude-code") & HEAVY == set()
    assert loaded(indexed_copy, "recall") & HEAVY == set()


def test_a_tool_hook_loads_neither_command_line_nor_catalog(indexed: Place) -> None:
    given = {"file_path": "src/ledgerly/money.py", "prompt": "Find the callers"}
    call = {"cwd": str(indexed.folder), "tool_name": "Edit", "tool_input": given}
    for event in ("file", "command", "delegate"):
        modules = loaded(indexed, "hook", event, "--host", "claude-code", stdin=json.dumps(call))
        assert modules & {*HEAVY, RANKING, "numpy", "typer", "git", "sqlite3", "subprocess", "tree_sitter"} == set()


def test_a_tool_hook_that_reads_the_ledger_opens_no_store(indexed_copy: Place) -> None:
    assert indexed_copy.run("remember", "amounts are integers", "--on", "src/ledgerly/money.py").code == 0
    call = {"cwd": str(indexed_copy.folder), "tool_name": "Edit", "tool_input": {"file_path": "src/ledgerly/money.py"}}
    assert loaded(indexed_copy, "hook", "file", "--host", "claude-code", stdin=json.dumps(call)) & HEAVY == set()


def test_an_index_run_without_changes_opens_no_store(indexed: Place) -> None:
    assert loaded(indexed, "index") & HEAVY == set()


def test_status_opens_no_store(indexed: Place) -> None:
    assert loaded(indexed, "status") & {*HEAVY, RANKING} == set()


def test_a_profile_opens_no_store_and_loads_no_parser(indexed: Place) -> None:
    assert loaded(indexed, "profile") & {*HEAVY, "numpy", "tree_sitter"} == set()


def test_a_search_in_a_pipe_does_not_load_rich(indexed: Place) -> None:
    modules = loaded(indexed, "search", "parse")
    assert "rich" not in modules
    assert "lancedb" in modules
