"""The page as one file: it shows what it should, runs nothing else, and names no place of this machine."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from support.library import Library
from support.marked_repository import marked_repository, shown
from support.memory_scenes import AGENT, said
from support.pages import MARKUP
from support.repositories import MakeRepository
from support.samples import workspace_at

from repomem.core.errors import RepomemError
from repomem.core.text.escape import visible
from repomem.ui.assets import MODULES, asset
from repomem.ui.export import export, one_script, page_with

TAGS = ["html", "head", "meta", "meta", "meta", "meta", "meta", "title", "link", "style", "body", "div", "noscript"]
DECLARED = re.compile(r"^(?:async )?(?:function|const|let|class) (\w+|\{[^}]*\})", re.MULTILINE)
FROM = re.compile(r'^import [^;]*? from "\./([\w.]+)";$', re.MULTILINE)


class Elements(HTMLParser):
    """The elements of a page, and the texts of its scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.raw: list[str] = []
        self._is_raw = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._is_raw = tag in {"script", "style"}
        if self._is_raw:
            self.raw.append("")

    def handle_endtag(self, tag: str) -> None:
        self._is_raw = False

    def handle_data(self, data: str) -> None:
        if self._is_raw:
            self.raw[-1] += data


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the one report of the marked repository is written by the first test that asks."""
    return tmp_path_factory.mktemp("marked") / "report.html"


@pytest.fixture
def report(marked: Path, make_repository: MakeRepository) -> Elements:
    """The report of a repository in which every text is markup."""
    if not marked.exists():
        with workspace_at(marked_repository(make_repository)) as workspace:
            export(workspace, marked)
    return Elements(marked.read_text(encoding="utf-8"))


def data_of(report: Elements) -> dict[str, Any]:
    found = json.loads(report.raw[1])
    assert isinstance(found, dict)
    return found


def test_no_text_becomes_an_element(report: Elements) -> None:
    assert report.tags == [*TAGS, "script", "script", "script"]
    assert {name for name, _ in report.attributes if name.startswith("on") or name == "style"} == set()


def test_only_scripts_and_styles_whose_hash_is_named_may_run(report: Elements) -> None:
    [policy] = [value for name, value in report.attributes if name == "content" and value and "default-src" in value]
    style, _, library, script = report.raw

    def named(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert policy.split("; ")[:3] == [
        "default-src 'none'",
        f"script-src {named(library)} {named(script)}",
        f"style-src {named(style)}",
    ]
    assert "unsafe" not in policy


def test_every_text_of_the_corpus_is_there_unchanged(report: Elements) -> None:
    data = data_of(report)
    texts = {page["text"] for page in data["pages"].values()}
    assert texts == {visible(shown(text)) for text in MARKUP}
    assert len(data["memories"]["rows"]) == data["memories"]["total"] == len(MARKUP) >= 150


def test_nothing_is_loaded_from_elsewhere(report: Elements) -> None:
    addresses = {name: value for name, value in report.attributes if name in {"src", "href", "action", "data"}}
    assert addresses == {"href": "data:,"}


def test_a_report_names_no_place_of_this_machine_and_no_secret(copied: Library, tmp_path: Path) -> None:
    folder = copied("ledgerly")
    token = "ghp_" + "a1B2c3D4" * 5  # of no account
    said(folder, f"The notes are in {folder}/notes.md and the token is {token}", AGENT)
    with workspace_at(folder) as workspace:
        size = export(workspace, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert (size, str(folder) in text, str(Path.home()) in text, token in text) == (
        len(text.encode()),
        False,
        False,
        False,
    )
    assert "The notes are in ./notes.md" in text


def test_a_report_that_cannot_be_written_is_an_error(library: Library, tmp_path: Path) -> None:
    with workspace_at(library("ledgerly")) as workspace, pytest.raises(RepomemError, match="cannot write") as caught:
        export(workspace, tmp_path / "none" / "report.html")
    assert caught.value.hint == f"the folder {tmp_path / 'none'} does not exist"


@pytest.mark.parametrize("end", ["</script>", "</ScRiPt >", "<!--", "<script>", "]]>", "&lt;/script&gt;"])
def test_no_data_ends_its_block(end: str) -> None:
    page = page_with(json.dumps({"text": end}))
    block = page.partition('id="report">')[2].partition("</script>")[0]
    assert set("<>&").isdisjoint(block)
    found = Elements(page)
    assert json.loads(found.raw[1]) == {"text": end}
    assert found.tags.count("script") == 3


def test_the_modules_become_one_script() -> None:
    names = [name for text in _modules() for found in DECLARED.findall(text) for name in re.findall(r"\w+", found)]
    assert len(names) == len(set(names)), sorted({name for name in names if names.count(name) > 1})
    assert re.search(r"^\s*(?:import|export)\b", one_script(), re.MULTILINE) is None
    assert re.search(r"</?script|<!--", one_script() + asset("vendor/htm-preact.js").decode()) is None


def test_each_module_uses_only_those_before_it() -> None:
    late = [(name, used) for name in MODULES for used in FROM.findall(asset(name).decode())
            if MODULES.index(used) >= MODULES.index(name)]  # fmt: skip
    assert late == []


def _modules() -> Iterator[str]:
    return (re.sub(r"^export ", "", asset(name).decode(), flags=re.MULTILINE) for name in MODULES)


@pytest.mark.parametrize("path", ["repomem/ui/static/vendor/htm-preact.js", "tests/ui/axe/axe.min.js"])
def test_a_vendored_file_is_the_one_that_is_documented(path: str) -> None:
    file = Path(__file__).parents[2] / path
    assert f"`{hashlib.sha256(file.read_bytes()).hexdigest()}`" in (file.parent / "README.md").read_text("utf-8")
