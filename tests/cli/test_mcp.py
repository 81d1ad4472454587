"""The server as a host meets it: a process on pipes, spoken to by the SDK's own client or by lines of our own."""

import json
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult, ListToolsResult
from support.command_line import Place
from support.mcp_client import INITIALIZE, OPTIONS, talk_to, with_client

from repomem.core.text.tokens import count_tokens

RECALLS: tuple[dict[str, Any], ...] = (
    {},
    {"task": "never round money"},
    {"task": "parse money", "budget": 300},
    {"task": "terraform a moon"},
    {"task": "parse money", "budget": 40},
)
SEARCHES: tuple[dict[str, Any], ...] = (
    {"query": "parse_money"},
    {"query": "parse", "path": "tests", "limit": 2},
    {"query": "python", "language": "yaml"},
    {"query": "支付宝"},
)
UNFIT: tuple[tuple[str, dict[str, Any]], ...] = (
    ("recall", {"taks": "never round money"}),
    ("recall", {"subject": "never round money"}),
    ("recall", {"task": "never round money", "budget": "many"}),
    ("recall", {"paths": "src/ledgerly/money.py"}),
    ("search", {}),
    ("remember", {"text": ""}),
    ("remember", {"text": "Names are short", "kind": "rules"}),
)
NOISY = """
import os
import repomem.recall.answer as answer
search_now = answer.search_now
def noisy(*arguments):
    print("printed noise")
    os.write(1, b"written noise\\n")
    return search_now(*arguments)
answer.search_now = noisy
"""
WITHOUT_END = """
import sys, time
from importlib.util import spec_from_loader
class Endless:
    def find_spec(self, name, path, target=None):
        return spec_from_loader(name, self) if name == "lancedb" else None
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        print("LanceDB is asked for", file=sys.stderr, flush=True)
        time.sleep(3600)
sys.meta_path.insert(0, Endless())
"""


def key_of(name: str, arguments: dict[str, Any]) -> str:
    return json.dumps([name, arguments])


@pytest.fixture(scope="module")
def tools(indexed: Place) -> ListToolsResult:
    return with_client(indexed, lambda client: client.list_tools())


@pytest.fixture(scope="module")
def results(indexed: Place) -> dict[str, CallToolResult]:
    """The results of many calls, one after the other, of one server."""
    calls = [("recall", arguments) for arguments in RECALLS] + [("search", arguments) for arguments in SEARCHES]
    calls += [("show", {"id": "src/ledgerly/money.py:12-20"}), ("show", {"id": "nothing/here.py:1-2"})]
    calls += [("log", {"target": "src/ledgerly/money.py"}), ("search", {"query": "parse", "limit": 0})]
    calls += [("search", {"query": "parse", "language": "cobol"})]
    calls += [("recall", {"query": "never round money"}), *UNFIT]

    async def call_all(client: Client) -> dict[str, CallToolResult]:
        return {key_of(name, arguments): await client.call_tool(name, arguments) for name, arguments in calls}

    return with_client(indexed, call_all)


def text_of(result: CallToolResult) -> str:
    [block] = result.content
    return str(block.model_dump()["text"])


def said_by_command(place: Place, name: str, arguments: dict[str, Any], *form: str) -> str:
    """What the command of the same name prints."""
    options = [word for key, value in arguments.items() if key not in OPTIONS for word in (f"--{key}", str(value))]
    return place.run(name, *options, *form, *(str(arguments[key]) for key in OPTIONS if key in arguments)).out


def test_six_tools_are_listed_with_their_annotations(tools: ListToolsResult) -> None:
    hints = {
        t.name: (t.annotations.read_only_hint, t.annotations.destructive_hint) for t in tools.tools if t.annotations
    }
    reading = dict.fromkeys(("recall", "search", "show", "log"), (True, None))
    assert hints == reading | {"remember": (False, False), "forget": (False, True)}
    assert all(tool.description and len(tool.description) < 150 for tool in tools.tools)


def test_the_schemas_of_all_tools_cost_few_tokens(tools: ListToolsResult) -> None:
    listed = tools.model_dump_json(by_alias=True, exclude_none=True)
    assert '"inputSchema"' in listed
    assert count_tokens(listed) < 2_000


@pytest.mark.parametrize("arguments", RECALLS, ids=str)
def test_recall_gives_the_result_of_the_command(
    indexed: Place, results: dict[str, CallToolResult], arguments: dict[str, Any]
) -> None:
    result = results[key_of("recall", arguments)]
    said = json.loads(said_by_command(indexed, "recall", arguments, "--format", "mcp"))
    assert result.model_dump(by_alias=True, include={"content", "structured_content", "is_error"}) == (
        CallToolResult.model_validate(said).model_dump(
            by_alias=True, include={"content", "structured_content", "is_error"}
        )
    )
    assert result.structured_content == json.loads(said_by_command(indexed, "recall", arguments, "--format", "json"))


@pytest.mark.parametrize("arguments", SEARCHES, ids=str)
def test_search_gives_the_answer_of_the_command(
    indexed: Place, results: dict[str, CallToolResult], arguments: dict[str, Any]
) -> None:
    result = results[key_of("search", arguments)]
    assert result.structured_content == json.loads(said_by_command(indexed, "search", arguments, "--format", "json"))
    assert text_of(result) == (said_by_command(indexed, "search", arguments) or "nothing found")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("show", {"id": "src/ledgerly/money.py:12-20"}), ("log", {"target": "src/ledgerly/money.py"})],
)
def test_show_and_log_give_the_text_of_the_command(
    indexed: Place, results: dict[str, CallToolResult], name: str, arguments: dict[str, Any]
) -> None:
    result = results[key_of(name, arguments)]
    assert text_of(result) == said_by_command(indexed, name, arguments)
    assert result.structured_content is None


def test_an_error_is_a_tool_result_with_its_hint(indexed: Place, results: dict[str, CallToolResult]) -> None:
    result = results[key_of("show", {"id": "nothing/here.py:1-2"})]
    assert result.is_error is True
    assert text_of(result) + "\n" == indexed.run("show", "nothing/here.py:1-2").err


def test_a_language_without_files_is_an_error(results: dict[str, CallToolResult]) -> None:
    result = results[key_of("search", {"query": "parse", "language": "cobol"})]
    assert result.is_error is True
    assert text_of(result).startswith("error: no indexed file is of language cobol\nhint: the languages here: ")


def test_an_argument_out_of_its_bounds_is_an_error(results: dict[str, CallToolResult]) -> None:
    result = results[key_of("search", {"query": "parse", "limit": 0})]
    assert result.is_error is True
    assert "limit" in text_of(result)


def test_recall_accepts_query_as_another_name_for_task(results: dict[str, CallToolResult]) -> None:
    by_other_name = text_of(results[key_of("recall", {"query": "never round money"})])
    assert by_other_name == text_of(results[key_of("recall", {"task": "never round money"})])


def test_an_argument_that_does_not_fit_is_an_error_of_one_sentence(results: dict[str, CallToolResult]) -> None:
    assert all(results[key_of(*call)].is_error for call in UNFIT)
    assert [text_of(results[key_of(*call)]) for call in UNFIT] == [
        "recall has no argument 'taks': did you mean 'task'?",
        "recall has no argument 'subject': it takes task, budget, paths, error",
        "the argument 'budget' of recall must be a valid integer, not 'many'",
        "the argument 'paths' of recall must be a list, not 'src/ledgerly/money.py'",
        "search needs the argument 'query'",
        "the argument 'text' of remember must have at least 1 character, not ''",
        "the argument 'kind' of remember must be 'decision', 'rule', 'fact', 'gotcha' or 'thread', not 'rules'",
    ]


def test_outside_of_a_repository_the_server_answers_with_an_error(indexed: Place) -> None:
    result = with_client(indexed, lambda client: client.call_tool("recall", {}), at="..")
    assert result.is_error is True
    assert "\nhint: run git init, or cd into a repository" in text_of(result)


def test_a_commit_between_two_calls_is_found(indexed_copy: Place) -> None:
    async def search(client: Client) -> str:
        return text_of(await client.call_tool("search", {"query": "quokka_census", "limit": 1}))

    async def commit_between(client: Client) -> tuple[str, str]:
        before = await search(client)
        (indexed_copy.folder / "src" / "census.py").write_text("def quokka_census():\n    return 7\n", encoding="utf-8")
        indexed_copy.git("add", "--all")
        indexed_copy.git("commit", "-q", "-m", "feat: count quokkas")
        return before, await search(client)

    before, after = with_client(indexed_copy, commit_between)
    assert "src/census.py" not in before
    assert after.startswith("src/census.py:1-2 function quokka_census ")


def test_fault_40_a_line_of_garbage_is_survived_and_the_end_of_stdin_ends_it(indexed: Place) -> None:
    with talk_to(indexed) as talk:
        talk.ask(INITIALIZE)
        talk.say("this is no JSON")
        talk.say('{"jsonrpc": "2.0", "id": [], "method": 7}')
        listed = talk.ask({"id": 1, "method": "tools/list"})
        assert len(listed["result"]["tools"]) == 6
        assert talk.end()[0] == 0


def test_fault_40_nothing_but_the_protocol_is_on_stdout(indexed: Place) -> None:
    with talk_to(indexed, NOISY) as talk:
        talk.ask(INITIALIZE)
        call = {"name": "search", "arguments": {"query": "parse_money", "limit": 1}}
        answer = talk.ask({"id": 1, "method": "tools/call", "params": call})
        assert answer["result"]["structuredContent"]["hits"][0]["path"] == "src/ledgerly/money.py"
        code, errors = talk.end()
    assert code == 0
    assert {json.loads(line)["jsonrpc"] for line in talk.lines} == {"2.0"}
    assert "written noise\n" in errors
    assert "printed noise\n" in errors


def test_the_handshake_does_not_wait_for_lancedb(indexed: Place) -> None:
    with talk_to(indexed, WITHOUT_END, is_fresh=True) as talk:
        assert talk.ask(INITIALIZE)["result"]["serverInfo"]["name"] == "repomem"
        assert len(talk.ask({"id": 1, "method": "tools/list"})["result"]["tools"]) == 6
        assert talk.process.stderr
        assert talk.process.stderr.readline() == "LanceDB is asked for\n"
        assert talk.end()[0] == 0


def test_recall_answers_for_files_and_for_an_error_without_a_task(indexed_copy: Place) -> None:
    money = "src/ledgerly/money.py"
    for text, on in (("minor units never overflow", f"{money}:Money.__add__"), ("amounts are ints", money)):
        assert indexed_copy.run("remember", text, "--on", on).code == 0
    assert indexed_copy.run("remember", "`has more than 2 digits` comes from a locale with commas").code == 0
    asked: list[dict[str, Any]] = [
        {"paths": [money]},
        {"paths": [f"{money}:Money.__neg__"]},
        {"paths": [f"{money}:20-21"]},
        {"paths": ["README.md"]},
        {"error": "ValueError: 1.234 has more than 2 digits after the point"},
        {"task": "parse money", "paths": [money]},
        {"paths": ["README.md", "src/nowhere.py:12"]},
    ]

    async def call_all(client: Client) -> list[str]:
        results = [await client.call_tool("recall", each) for each in asked]
        return [result.content[0].text for result in results]  # type: ignore[union-attr]

    whole, other, lines, nothing, error, task, missing = with_client(indexed_copy, call_all)
    assert ("never overflow" in whole, "are ints" in whole) == (True, True)
    assert ("never overflow" in other, "are ints" in other) == (False, True)
    assert "never overflow" in lines
    assert nothing == "nothing is recorded about this"
    assert missing == "nothing is recorded about this; not in the worktree: src/nowhere.py:12"
    assert "locale with commas" in error
    assert task.startswith("<repomem-brief")
    assert "never overflow" in task.partition("</repomem-brief>")[2]


def test_what_an_agent_remembers_over_mcp_is_recalled_proposed_and_forgotten(ledgerly: Place) -> None:
    async def call_all(client: Client) -> list[CallToolResult]:
        first = await client.call_tool("remember", {"text": "Amounts are never rounded up", "kind": "decision"})
        again = await client.call_tool("remember", {"text": "Amounts are never rounded up", "kind": "decision"})
        amended = await client.call_tool("remember", {"text": "Amounts are always rounded up", "kind": "decision"})
        recalled = await client.call_tool("recall", {"task": "are amounts rounded"})
        known = (first.structured_content or {})["id"]
        forgotten = await client.call_tool("forget", {"id": known})
        shown = await client.call_tool("show", {"id": known})
        return [first, again, amended, recalled, forgotten, shown]

    first, again, amended, recalled, forgotten, shown = with_client(ledgerly, call_all)

    told = [result.structured_content or {} for result in (first, again, amended)]
    assert [each["outcome"] for each in told] == ["added", "duplicate", "related"]
    assert [one["id"] for one in told[2]["proposed"]] == [told[0]["id"]]
    items = [item for item in (recalled.structured_content or {})["items"] if item["kind"] == "decision"]
    assert {(item["status"], item["source"]) for item in items} == {("provisional", "agent")}
    assert (forgotten.is_error, shown.is_error) == (False, True)


@pytest.mark.parametrize(("client", "author"), [("claude-code", "claude-code"), ("codex-mcp-client", "codex")])
def test_a_client_that_would_show_only_structured_content_gets_only_text(
    indexed_copy: Place, client: str, author: str
) -> None:
    parameters = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": client, "version": "1"}}
    recall = {"name": "recall", "arguments": {"task": "parse money"}}
    remember = {"name": "remember", "arguments": {"text": "Money is parsed twice"}}
    messages: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": parameters},
        {"method": "notifications/initialized"},
        {"id": 1, "method": "tools/call", "params": recall},
        {"id": 2, "method": "tools/call", "params": remember},
    ]
    server = indexed_copy.start("mcp")
    try:
        answers = {}
        for message in messages:
            assert server.stdin
            assert server.stdout
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()
            if "id" in message:
                answers[message["id"]] = json.loads(server.stdout.readline())["result"]
    finally:
        server.communicate(timeout=60)
    assert "structuredContent" not in answers[1]
    assert answers[1]["content"][0]["text"].startswith("<repomem-brief ")
    [record] = [json.loads(line) for line in indexed_copy.run("ledger", "export").out.splitlines()]
    assert (record["author"], record["tool"]) == (author, author)
