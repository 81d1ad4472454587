"""`repomem eval` end to end: tables, JSON, page, interruption and empty results."""

import json
import re
import signal
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from support.command_line import COLOUR, Place, new_place, on_terminal

MONEY = "src/ledgerly/money.py"
LEDGER = "src/ledgerly/ledger.py"
CHANGES = (
    (MONEY, "fix: let parse_money take a comma for a point"),
    (LEDGER, "feat: let Ledger.post refuse what was posted before"),
    (MONEY, "fix: tell in the error of parse_money which digit is wrong"),
    (LEDGER, "refactor: name what Ledger.post does by its <parts> & kinds"),
)
RANKINGS = ["brief", "words and history", "words", "history", "git log", "most edited"]


class Page(HTMLParser):
    """What a browser would make of a page: its tables, its plots, and everything that it refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.cells: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self.open.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "td" in self.open:
            self.cells[-1] += data


def with_history(folder: Path) -> Place:
    """The sample with four commits that say what they do."""
    place = new_place(folder, "ledgerly")
    for number, (path, message) in enumerate(CHANGES):
        file = place.folder / path
        file.write_text(file.read_text(encoding="utf-8") + f"\n# {number}\n", encoding="utf-8")
        place.git("commit", "-q", "-a", "-m", message)
    return place


@pytest.fixture(scope="module")
def replayed() -> Iterator[Place]:
    """The sample with its history, replayed once; tests leave it as it is."""
    with TemporaryDirectory() as folder:
        place = with_history(Path(folder).resolve())
        ended = place.run("eval", "--format", "json")
        assert ended.code == 0, ended.err
        yield place


def answer(place: Place, *arguments: str) -> dict[str, object]:
    ended = place.run("eval", "--format", "json", *arguments)
    assert (ended.code, ended.err) == (0, "")
    found: dict[str, object] = json.loads(ended.out)
    return found


def test_the_json_answer_has_a_schema(replayed: Place) -> None:
    found = answer(replayed)
    assert list(found) == [
        "schema", "repository", "budget", "commits", "notices",
        "rankings", "best_baseline", "brief", "lines", "blocks", "signals", "tasks",
    ]  # fmt: skip
    assert (found["schema"], found["budget"], found["notices"]) == ("repomem.eval/1", 1500, [])
    assert found["commits"] == {"asked": 30, "scanned": 5, "replayed": 4, "skipped": []}
    rankings, tasks = found["rankings"], found["tasks"]
    assert isinstance(rankings, dict)
    assert list(rankings) == RANKINGS
    assert all(len(each["recall"]) == 20 for each in rankings.values())
    assert rankings["brief"]["recall"][9] == 1.0
    assert isinstance(tasks, list)
    assert [(task["subject"], task["files"]) for task in tasks] == [(message, [path]) for path, message in CHANGES]
    assert all(0 < task["tokens"] <= 1500 for task in tasks)


def test_the_same_commits_give_the_same_figures(replayed: Place) -> None:
    kept, fresh = answer(replayed), answer(replayed, "--fresh")
    assert kept == fresh
    assert answer(replayed, "-n", "2")["tasks"] == fresh["tasks"][2:]  # type: ignore[index]  # a list


def test_a_pipe_gets_aligned_columns_with_an_explanation(replayed: Place) -> None:
    ended = replayed.run("eval")
    lines = ended.out.splitlines()
    assert (ended.code, ended.err) == (0, "")
    assert lines[0] == "Files found from the commit message: 4 commits of ledgerly, 2023-11-14 to 2023-11-14"
    assert [re.split(r"  +", line)[0] for line in lines[1:8]] == ["ranking", *RANKINGS]
    assert len({len(line) for line in lines[1:8]}) == 1
    assert "Commit messages are easier questions than real tasks, because their authors knew the answer." in ended.out


def test_a_terminal_gets_a_table(replayed: Place) -> None:
    shown = on_terminal(replayed, "eval")
    assert COLOUR.search(shown)
    assert re.search(r"^brief +\d\.\d{3} ", COLOUR.sub("", shown), re.MULTILINE)


def test_the_page_is_self_contained_and_has_every_figure(replayed: Place, tmp_path: Path) -> None:
    ended = replayed.run("eval", "--html", str(tmp_path / "page.html"))
    assert (ended.code, ended.err) == (0, f"written: {tmp_path / 'page.html'}\n")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    page = Page(text)
    assert not re.search(r"https?:|//|url\(|@import", text)
    assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
    assert not {"src", "href", "onload", "style"} & {name for name, _ in page.attributes}
    assert page.open == []
    assert (page.tags.count("svg"), page.tags.count("polyline")) == (
        2 + len(RANKINGS) + 2,
        len(RANKINGS),
    )  # legends too
    assert page.tags.count("rect") == 2 + 2  # a block of four commits, and the names of its two bars
    figures = re.findall(r"(?<=  )[\d,.]+(?=  |$)", ended.out, re.MULTILINE)
    assert len(figures) > 30
    assert set(figures) <= {cell.strip() for cell in page.cells}
    assert all(message in "".join(page.cells) for _, message in CHANGES)


def test_an_unwritable_page_is_reported_before_the_replay(replayed: Place) -> None:
    ended = replayed.run("eval", "--html", "nowhere/page.html")
    assert (ended.code, ended.out) == (1, "")
    assert re.fullmatch(r"error: the folder .*nowhere for the page does not exist\nhint: .*\n", ended.err)


@pytest.mark.slow
def test_an_interrupted_run_reports_progress_and_is_continued(replayed: Place) -> None:
    with replayed.start("eval", "--fresh", "--budget", "700") as process:
        kept = Path(replayed.environment["HOME"]) / ".cache" / "repomem" / "eval"
        before = set(kept.iterdir())
        for _ in range(600):
            if set(kept.iterdir()) - before:
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr
        told = process.stderr.read()
    assert re.fullmatch(r"stopping .*\n[1-4] of 4 commits are replayed and saved\ninterrupted; .* to continue\n", told)
    assert answer(replayed, "--budget", "700")["commits"] == {"asked": 30, "scanned": 5, "replayed": 4, "skipped": []}


def test_without_a_qualifying_commit_the_next_step_is_shown(ledgerly: Place) -> None:
    ended = ledgerly.run("eval")
    assert (ended.code, ended.out) == (0, "")
    assert ended.err.startswith("nothing to measure: none of the newest 1 commit qualifies. ")
    found = json.loads(ledgerly.run("eval", "--format", "json").out)
    assert (found["schema"], found["tasks"]) == ("repomem.eval/1", [])


def test_outside_a_repository_eval_is_an_error(replayed: Place) -> None:
    ended = replayed.run("eval", at="..")
    assert ended.code == 1
    assert ended.err.startswith("error: not inside a git repository")


def test_memory_figures_are_printed_as_text_and_as_json(indexed_copy: Place) -> None:
    indexed_copy.run("remember", "Amounts are integers", "--on", "src/ledgerly/money.py:parse_money")

    lines = indexed_copy.run("eval", "--memory").out.splitlines()
    told = json.loads(indexed_copy.run("eval", "--memory", "--format", "json").out)

    assert "drift: 0% of 1 memory on code: the code has changed or is gone" in lines
    assert not any(line.startswith("not useful") for line in lines)
    assert (told["schema"], told["anchored"], told["coverage"], told["tasks"]) == ("repomem.eval-memory/1", 1, None, [])
    assert indexed_copy.run("eval", "--memory", "--fresh").code == 2
