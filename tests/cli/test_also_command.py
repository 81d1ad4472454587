"""Repositories that answer together, as the command line and a host's server show them."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from mcp import Client
from mcp.types import CallToolResult
from support.command_line import Place, new_place
from support.mcp_client import with_client

TASK = "retry the delivery of a webhook"  # of the other alone


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[Place, Path]]:
    """Two indexed repositories beside each other: the one to run in, and the folder of the other."""
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        place = new_place(folder, "ledgerly")
        other = Place(folder / "courier", place.environment)
        shutil.copytree(Path(__file__).parents[2] / "fixtures" / "repositories" / "courier", other.folder)
        other.git("init", "-q", "-b", "main")
        other.git("add", "--all")
        other.git("commit", "-q", "-m", "feat: deliver webhooks")
        for each in (place, other):
            assert each.run("index", "-q").code == 0
        yield place, other.folder


def grouped(pair: tuple[Place, Path]) -> dict[str, str]:
    """The environment of a user who keeps the two together."""
    return {"REPOMEM_WORKSPACES_GROUPS": os.pathsep.join(map(str, (pair[0].folder, pair[1])))}


def test_also_adds_results_of_another_repository(pair: tuple[Place, Path]) -> None:
    place, _ = pair
    ended = place.run("recall", "--also", "../courier", TASK)

    assert (ended.code, ended.err) == (0, "")
    assert "## In courier: `repomem -C ../courier show ID`\n- courier: " in ended.out
    told = json.loads(place.run("recall", "--also", "../courier", "--format", "json", TASK).out)
    theirs = next(item["id"] for item in told["items"] if item.get("repository") == "courier")
    assert place.run("-C", told["also"][0]["path"], "show", theirs).code == 0


def test_a_group_is_searched_together_unless_alone_is_given(pair: tuple[Place, Path]) -> None:
    place, _ = pair
    named = place.run("recall", "--also", "../courier", TASK).out

    assert place.run("recall", TASK, env=grouped(pair)).out == named
    assert place.run("recall", "--also", "../courier", TASK, env=grouped(pair)).out == named
    assert place.run("recall", "--alone", TASK, env=grouped(pair)).out == place.run("recall", TASK).out


def test_the_mcp_server_uses_groups_but_accepts_no_folder_from_an_agent(pair: tuple[Place, Path]) -> None:
    place, _ = pair
    together = Place(place.folder, {**place.environment, **grouped(pair)})

    async def asked(client: Client) -> list[CallToolResult]:
        tools = await client.list_tools()
        recall = next(tool for tool in tools.tools if tool.name == "recall")
        assert sorted(recall.input_schema["properties"]) == ["budget", "error", "paths", "task"]
        return [await client.call_tool("recall", {"task": TASK}) for _ in range(2)]

    results = with_client(together, asked)
    texts = {result.content[0].text for result in results if result.content[0].type == "text"}
    assert texts == {together.run("recall", TASK).out}
    assert "- courier: " in texts.pop()


@pytest.mark.parametrize(
    ("rest", "error"),
    [
        ((), 'error: --also needs a task\nhint: give the task: repomem recall --also DIR "TASK"\n'),
        (
            ("--at", "HEAD", "parse money"),
            "error: --also cannot be combined with --at\nhint: leave out one of them\n",
        ),
    ],
)
def test_also_needs_a_task_and_excludes_at(pair: tuple[Place, Path], rest: tuple[str, ...], error: str) -> None:
    ended = pair[0].run("recall", "--also", "../courier", *rest)

    assert (ended.code, ended.out, ended.err) == (1, "", error)


def test_a_missing_other_repository_adds_only_a_warning(pair: tuple[Place, Path]) -> None:
    ended = pair[0].run("recall", "--also", "../nowhere", "parse money")

    assert ended.code == 0
    assert "Warning: ../nowhere was skipped: " in ended.out
    assert "src/ledgerly/money.py" in ended.out


def test_a_skipped_folder_is_reported_as_it_was_given(pair: tuple[Place, Path]) -> None:
    ended = pair[0].run("recall", "--also", "/nowhere", "parse money")
    line = "Warning: /nowhere was skipped: cannot enter /nowhere: No such file or directory; check the path"
    assert line in ended.out.splitlines()
