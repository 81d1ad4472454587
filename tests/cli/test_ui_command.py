"""`repomem ui`: the address, the end by Ctrl-C, and the export."""

import os
import signal
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from support.command_line import Place


def test_ui_prints_a_loopback_address_and_ends_with_ctrl_c(indexed: Place) -> None:
    process = indexed.start("ui", "--no-browser", is_fresh=True)
    assert process.stdout is not None
    address = urlsplit(process.stdout.readline().strip())
    connection = HTTPConnection(address.netloc, timeout=30)
    connection.request("GET", f"{address.path}?{address.query}")
    status = connection.getresponse().status
    connection.close()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (address.hostname, status, process.returncode) == ("127.0.0.1", 303, 0)
    assert err.splitlines()[-1] == "stopped"


def test_the_command_exports_without_a_server(indexed_copy: Place) -> None:
    ended = indexed_copy.run("ui", "--export", "report.html")
    assert (ended.code, ended.out) == (0, "report.html\n")
    assert (indexed_copy.folder / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_export_and_no_browser_cannot_be_combined(indexed: Place) -> None:
    ended = indexed.run("ui", "--export", "report.html", "--no-browser")
    assert (ended.code, "cannot be combined" in ended.err) == (2, True)


def test_the_command_fails_outside_of_a_repository(indexed_copy: Place, tmp_path: Path) -> None:
    ended = indexed_copy.run("-C", os.fspath(tmp_path), "ui", "--no-browser")
    assert (ended.code, ended.out) == (1, "")
