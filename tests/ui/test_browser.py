"""The page in a real browser: pages, decisions by keys, a report from a file, and texts that are scripts."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.browser import Browser, browser_in, missing_program
from support.library import Library
from support.marked_repository import marked_repository
from support.memory_scenes import AGENT, committed, said
from support.repositories import MakeRepository
from support.samples import workspace_at

from repomem.evaluate.replay import ReplayOptions
from repomem.evaluate.run import evaluate
from repomem.ui.export import export
from repomem.workspace.run import Run
from repomem.workspace.workspace import configured

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing_program()), reason=f"needs {missing_program()}, which is not installed"),
]

AXE = Path(__file__).parent / "axe" / "axe.min.js"
MONEY = "src/ledgerly/money.py"
PAGES = ("inbox", "memories", "brief", "repository", "evaluation", "health")
SERVE = """
import sys
from pathlib import Path
from repomem.ui.server import Visit, serve
from repomem.workspace.ledger import Speaker
serve(Visit(Path(sys.argv[1]), Speaker(is_person=True), has_browser=False), lambda address: print(address, flush=True))
"""
RUN_AXE = (
    "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then(done, (e) => done(String(e)))"
)
SET = """
const [selector, value, event] = arguments;
const field = document.querySelector(selector);
field.value = value;
field.dispatchEvent(new Event(event, {bubbles: true}));
"""
CLICK = "[...document.querySelectorAll('.actions button')].find((b) => b.innerText.startsWith(arguments[0])).click()"
HEAD = "return getComputedStyle(document.querySelector('.figures td.number'), '::before').content"
PLACE = "return document.querySelector(arguments[0]).getBoundingClientRect().bottom"
IN_VIEW = """
const {top, bottom} = document.querySelector(arguments[0]).getBoundingClientRect();
return top >= 0 && bottom <= innerHeight;
"""
FILLED = """
const area = ({width, height}) => width * height;
const boxes = [...document.querySelectorAll('.treemap > .box')].map((box) => box.getBoundingClientRect());
return boxes.map((box) => (box.width + 1) * (box.height + 1)).reduce((one, other) => one + other)
  / area(document.querySelector('.treemap').getBoundingClientRect());
"""
STRANGE = "main :is(img, iframe, object, embed, script, style, link, meta, base, svg, math, video, audio, marquee, x)"


@dataclass(frozen=True)
class Window:
    """A browser on the page of a repository."""

    browser: Browser
    base: str

    def go(self, page: str, asked: str = "") -> None:
        """Open a page, and wait until it has read everything."""
        self.browser.open(f"{self.base}#/{page}{asked}")
        title = page.capitalize()
        self.browser.wait(lambda: self.browser.text("h1") == title and not self._is_reading(), f"the page {title}")

    def _is_reading(self) -> bool:
        return any(word in self.browser.text("main") for word in ("Loading …", "Checking …"))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser_in(tmp_path_factory.mktemp("profile")) as found:
        yield found


@contextmanager
def shown(browser: Browser, folder: Path) -> Iterator[Window]:
    """The page of a repository, served by a process of its own."""
    command = [sys.executable, "-P", "-c", SERVE, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            browser.open(server.stdout.readline().strip())
            browser.wait(lambda: browser.count("main h1"))
            yield Window(browser, browser.run("return location.href.split('#')[0]"))
        finally:
            browser.open("about:blank")  # a page without its server complains when its window is in front again
            server.terminate()


def complaints(browser: Browser) -> list[str]:
    """What the browser logged: errors of scripts, and everything that the policy stopped."""
    return [entry["message"] for entry in browser.ask("POST", "se/log", {"type": "browser"})]


def waiting(browser: Browser) -> list[str]:
    return list(browser.run("return [...document.querySelectorAll('.list .row-text')].map((each) => each.innerText)"))


@pytest.fixture
def folder(copied: Library) -> Path:
    """A repository with a drifted memory, and two of an agent."""
    found = copied("ledgerly")
    said(found, "Amounts of two currencies are never added", on=(f"{MONEY}:Money.__add__",))
    (found / MONEY).write_text((found / MONEY).read_text().replace("raise CurrencyMismatch(", "raise ValueError("))
    committed(found, "fix: raise what callers expect")
    said(found, "Totals are exact to the cent", AGENT, why="floats lost cents")
    said(found, "Reports are sorted by day", AGENT)
    return found


def test_memories_are_reviewed_by_single_keys(browser: Browser, folder: Path) -> None:
    first, second, third = (
        "Amounts of two currencies are never added",
        "Totals are exact to the cent",
        "Reports are sorted by day",
    )
    with shown(browser, folder) as window:
        window.go("inbox")
        assert waiting(browser) == [first, second, third]
        browser.wait_for("raise CurrencyMismatch", ".pair.changed .then")
        assert "raise ValueError" in browser.text(".pair.changed .now")
        browser.press("c")
        browser.wait(lambda: waiting(browser) == [second, third], "attached")
        browser.wait_for("confirmed on", ".undo")
        browser.press("c")
        browser.wait(lambda: waiting(browser) == [third], "confirmed")
        browser.press("f")
        browser.wait(lambda: waiting(browser) == [], "forgotten")
        browser.wait_for("forgotten. Press u to undo.", "#announcer")
        browser.press("u")
        browser.wait(lambda: waiting(browser) == [third], "undone")
        browser.wait_for(f"undone: forgotten: {third}", ".undo")
        browser.press("u")
        browser.wait(lambda: waiting(browser) == [second, third], "the decision before is undone")
        browser.click(".undo button")
        browser.wait(lambda: waiting(browser) == [first, second, third], "the first decision is undone")
        browser.press("u")
        browser.wait_for("nothing to undo", ".failure")
        assert complaints(browser) == []


def test_keys_move_and_edit_and_the_mouse_forgets(browser: Browser, folder: Path) -> None:
    with shown(browser, folder) as window:
        window.go("inbox")
        browser.press("j")
        browser.press("j")
        browser.press("k")
        browser.wait_for("Totals are exact to the cent", ".detail h2")
        browser.wait(
            lambda: browser.run("return document.activeElement.innerText").endswith("to the cent"), "the focus"
        )
        browser.press("e")
        browser.wait(lambda: browser.run("return document.activeElement.tagName") == "TEXTAREA", "the editor")
        browser.press("f")  # a letter of the text: no action while somebody types
        browser.press("Escape")
        browser.wait(lambda: browser.run("return document.activeElement.className") == "row", "the focus is back")
        browser.press("s")
        browser.wait(lambda: browser.count(".dialog .row"), "the others")
        assert browser.run(IN_VIEW, ".dialog li:last-child")
        browser.press("Escape")
        browser.size(420, 800)
        browser.press("e")
        browser.wait(lambda: browser.run("return document.activeElement.tagName") == "TEXTAREA", "the editor")
        browser.press("Control", "Enter")
        browser.wait_for("nothing was changed", ".failure")
        assert browser.run(IN_VIEW, ".failure")
        assert ["409 (Conflict)" in each for each in complaints(browser)] == [True]
        browser.press("Escape")
        browser.size(1280, 800)
        browser.press("e")
        browser.write("form textarea", ", always")
        assert browser.run(IN_VIEW, "form .primary")
        browser.press("Control", "Enter")
        browser.wait(lambda: len(waiting(browser)) == 2, "saved")
        browser.wait_for("edited; the new memory is", ".undo")
        browser.wait_for("to the cent, always", ".undo")
        browser.click(".undo button")
        browser.wait(lambda: len(waiting(browser)) == 3, "undone")
        browser.run(CLICK, "Forget")
        browser.wait(lambda: len(waiting(browser)) == 2, "forgotten")
        assert complaints(browser) == []


def test_the_actions_stay_where_they_are(browser: Browser, folder: Path) -> None:
    with shown(browser, folder) as window:
        browser.size(1280, 800)
        window.go("inbox")
        browser.wait(lambda: browser.count(".pair"), "the code")
        before = browser.run(PLACE, ".detail > .actions")
        browser.run(CLICK, "Forget")
        browser.wait_for("forgotten", ".undo")
        assert browser.run(PLACE, ".detail > .actions") == before
        assert browser.run("return document.documentElement.scrollHeight <= innerHeight")
        browser.size(420, 800)
        assert browser.run(IN_VIEW, ".detail > .actions")
        assert browser.run(IN_VIEW, ".undo")
        browser.size(1280, 900)


def test_the_inbox_is_read_again_when_its_window_is_in_front_again(browser: Browser, folder: Path) -> None:
    with shown(browser, folder) as window:
        window.go("inbox")
        browser.press("j")
        said(folder, "Ledgers are append-only", AGENT)
        browser.run("window.dispatchEvent(new Event('focus'))")
        browser.wait(lambda: len(waiting(browser)) == 4, "the new memory")
        browser.wait_for("4", "nav .count")
        assert browser.text(".list [aria-current] .row-text") == "Totals are exact to the cent"


def test_a_brief_follows_the_task_and_the_slider(browser: Browser, folder: Path) -> None:
    with shown(browser, folder) as window:
        window.go("brief")
        browser.write("textarea[name=task]", "amounts of two currencies")
        browser.wait_for("## Task: amounts of two currencies", ".lines")
        browser.wait_for("Amounts of two currencies are never added", ".lines .explained")
        assert "score" in browser.text(".why")
        browser.run(SET, "input[type=range]", "300", "input")
        browser.wait_for("of 300 tokens", ".budget")
        assert complaints(browser) == []


def test_memories_are_filtered_and_opened(browser: Browser, folder: Path) -> None:
    with shown(browser, folder) as window:
        window.go("memories")
        assert browser.count(".list-side .row") == 3
        browser.run(SET, "select[name=status]", "drifted", "change")
        browser.wait(lambda: browser.count(".list-side .row") == 1, "filtered")
        browser.click(".list-side .row")
        browser.wait_for("fix: raise what callers expect", ".timeline")
        browser.run(CLICK, "Edit")
        browser.write(".detail textarea", ", in any order")
        browser.click(".detail .primary")
        browser.wait_for("edited; the new memory is", ".undo")
        browser.click(".undo button")
        browser.wait(lambda: browser.count(".undo") == 0, "undone")
        browser.run(CLICK, "Supersede by another")
        browser.click(".dialog .row")
        browser.wait_for("superseded by", ".undo")
        browser.click(".undo button")
        browser.wait(lambda: browser.count(".undo") == 0, "undone")
        browser.click(".back button")
        browser.wait(lambda: browser.count(".detail") == 0, "closed")
        assert browser.count(".list-side .row") == 1
        assert complaints(browser) == []


def test_the_last_evaluation_is_a_page_and_a_part_of_the_report(browser: Browser, folder: Path, tmp_path: Path) -> None:
    evaluate(*configured(folder, os.environ), ReplayOptions(30, 800), Run())
    with workspace_at(folder) as workspace:
        export(workspace, tmp_path / "report.html")
    with shown(browser, folder) as window:
        window.go("evaluation")
        browser.wait_for("fix: raise what callers expect", "[aria-label=Commits]")
        browser.size(420, 900)
        assert browser.run(HEAD) == '"recall@1 "'
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
        browser.run(AXE.read_text(encoding="utf-8"))
        assert _violations(browser) == []
        browser.size(1280, 900)
    window = Window(browser, (tmp_path / "report.html").as_uri())
    browser.open(window.base)
    browser.wait(lambda: browser.count("main h1"))
    assert browser.text("nav").split() == ["Memories", "Repository", "Evaluation", "Health"]
    window.go("evaluation")
    browser.wait_for("fix: raise what callers expect", "[aria-label=Commits]")
    assert complaints(browser) == []


def test_a_report_is_read_from_a_file(browser: Browser, folder: Path, tmp_path: Path) -> None:
    with workspace_at(folder) as workspace:
        export(workspace, tmp_path / "report.html")
    window = Window(browser, (tmp_path / "report.html").as_uri())
    browser.open(window.base)
    browser.wait(lambda: browser.count("main h1"))
    assert browser.text("nav").split() == ["Memories", "Repository", "Health"]
    browser.write("input[type=search]", "currencies")
    browser.click("form .primary")
    browser.wait(lambda: browser.count(".list-side .row") == 1, "filtered")
    browser.click(".list-side .row")
    browser.wait_for("drifted", ".timeline")
    assert browser.count(".detail .actions") == 0
    for page in ("repository", "health"):
        window.go(page)
    assert complaints(browser) == []


def test_the_map_fills_its_area_and_opens_folders(browser: Browser, library: Library) -> None:
    with shown(browser, library("ledgerly")) as window:
        browser.size(1280, 900)
        window.go("repository")
        browser.wait(lambda: browser.count(".treemap > .box"), "the map")
        assert abs(browser.run(FILLED) - 1) < 0.02
        browser.click(".treemap .folder button")
        browser.wait(lambda: browser.count(".crumbs button") > 1, "a folder")
        browser.click(".crumbs button")
        browser.wait(lambda: browser.count(".crumbs button") == 1, "the top")
        assert complaints(browser) == []


@pytest.mark.timeout(900)
def test_no_text_of_a_repository_runs_or_becomes_an_element(
    browser: Browser, make_repository: MakeRepository, tmp_path: Path
) -> None:
    folder = marked_repository(make_repository)
    with workspace_at(folder) as workspace:
        export(workspace, tmp_path / "report.html")
    browser.size(1280, 900)
    with shown(browser, folder) as window:
        seen = ["\n".join([_read(window, page), _read(window, "memories", "?offset=100&all=1")]) for page in PAGES]
        assert "<img src=x onerror=hit()>" in "".join(seen)
        window.go("brief", "?budget=4000&task=<img src=x onerror=hit()>")
        assert browser.count(STRANGE) == 0
    report = Window(browser, (tmp_path / "report.html").as_uri())
    assert [browser.count(STRANGE) for page in ("memories", "repository", "health") if _read(report, page)] == [0, 0, 0]
    assert complaints(browser) == []


def _read(window: Window, page: str, asked: str = "") -> str:
    """The text of a page; no element but those of the page itself may be in it."""
    window.go(page, asked)
    assert window.browser.count(STRANGE) == 0
    return window.browser.text("main")


@pytest.mark.parametrize(
    ("width", "height", "scheme"),
    [(420, 900, "light"), (420, 900, "dark"), (2560, 1400, "light"), (2560, 1400, "dark")],
)
def test_every_page_is_accessible(browser: Browser, folder: Path, width: int, height: int, scheme: str) -> None:
    found: dict[str, Any] = {}
    with shown(browser, folder) as window:
        browser.size(width, height)
        browser.colours(scheme)
        browser.run(AXE.read_text(encoding="utf-8"))
        for page in PAGES:
            window.go(page)
            found[page] = _violations(browser)
            found[f"{page} sideways"] = browser.run("return document.documentElement.scrollWidth > innerWidth || []")
        window.go("memories")
        browser.click(".list-side .row")
        browser.wait(lambda: browser.count(".timeline li"), "the timeline")
        found["memory"] = _violations(browser)
        window.go("inbox")
        for key in ("e", "Escape", "j", "s"):
            browser.press(key)
            found[f"key {key}"] = _violations(browser)
    assert {page: each for page, each in found.items() if each} == {}


def _violations(browser: Browser) -> list[tuple[str, str]]:
    result = browser.run_async(RUN_AXE)
    assert isinstance(result, dict), result
    return [(each["id"], each["nodes"][0]["html"][:200]) for each in result["violations"]]


def test_the_keyboard_reaches_the_content_first(browser: Browser, folder: Path) -> None:
    with shown(browser, folder) as window:
        window.go("memories")
        browser.run("window.isOld = true; location.reload()")
        browser.wait(lambda: browser.run("return !window.isOld") and browser.count(".list-side .row"), "the list")
        browser.press("Tab")
        assert browser.run("return document.activeElement.innerText") == "Skip to the content"
        browser.press("Enter")
        assert browser.run("return document.activeElement.id") == "main"
        browser.press("Tab")
        assert browser.run("return document.activeElement.name") == "q"
