"""Progress where nobody watches a terminal, and where there is nothing to watch."""

import pytest

from repomem.cli.terminal import progress
from repomem.cli.terminal.progress import Bars, Lines


def test_only_a_long_stage_prints_a_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with Lines().stage("Reading files", 3, "files") as stage:
        stage.advance(3)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(progress, "LONG_STAGE", -1.0)
    with Lines().stage("Reading files", 1234, "files") as stage:
        stage.advance(1233)
        stage.advance()
    assert capsys.readouterr() == ("", "Reading files: 1,234 files in 0 s\n")


def test_an_empty_stage_draws_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with Bars().stage("Reading history", 0, "commits") as stage:
        stage.advance()
    assert capsys.readouterr() == ("", "")
