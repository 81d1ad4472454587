"""Who may talk to the page: nobody but the browser that has its address."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.library import Library
from support.memory_scenes import AGENT, said
from support.pages import PORT, Visitor, visited

from repomem.ui.access import COOKIE, HEADERS, MOST_BYTES
from repomem.ui.assets import MODULES, NAMES

OWN = f"http://127.0.0.1:{PORT}"
FOREIGN: dict[str, dict[str, Any]] = {
    "another host": {"headers": {"host": "evil.example"}},
    "a name that is bound to loopback": {"headers": {"host": f"evil.example:{PORT}"}},
    "another port": {"headers": {"host": "127.0.0.1:1"}},
    "no port": {"headers": {"host": "127.0.0.1"}},
    "a host with more": {"headers": {"host": f"127.0.0.1:{PORT}.evil.example"}},
    "another site's script": {"headers": {"sec-fetch-site": "cross-site"}},
    "another port's script": {"headers": {"sec-fetch-site": "same-site"}},
    "no cookie": {"headers": {"cookie": ""}},
    "a wrong cookie": {"headers": {"cookie": f"{COOKIE}=wrong"}},
    "a cookie that is no ASCII": {"headers": {"cookie": f"{COOKIE}=\u00ff".encode()}},
}
FOREIGN_CHANGES: dict[str, dict[str, Any]] = {
    **FOREIGN,
    "another origin": {"headers": {"origin": "http://evil.example"}},
    "another port's origin": {"headers": {"origin": "http://127.0.0.1:1"}},
    "the origin of a file": {"headers": {"origin": "null"}},
    "no origin": {"headers": {"origin": ""}},
    "https": {"headers": {"origin": OWN.replace("http", "https")}},
    "another name of the host": {"headers": {"origin": f"http://localhost:{PORT}"}},
    "a form": {"headers": {"content-type": "application/x-www-form-urlencoded"}},
    "a form of several parts": {"headers": {"content-type": "multipart/form-data; boundary=x"}},
    "plain text": {"headers": {"content-type": "text/plain"}},
    "no type": {"headers": {"content-type": ""}},
    "a long body": {"content": b'{"id":"' + b"x" * MOST_BYTES + b'"}'},
    "a body of no known length": {"content": iter([b"{}"])},
}
METHODS = ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND")
TRAVERSALS = (
    "static/../access.py",
    "static/%2e%2e/access.py",
    "static/..%2faccess.py",
    "static/%2e%2e%2f%2e%2e%2faccess.py",
    "static//etc/passwd",
    "static/%2fetc%2fpasswd",
    "static/vendor/..%2f..%2faccess.py",
    "static/index.html%00.css",
    "static/vendor",
    "static/",
    "static/vendor/README.md",
    "..%2f..%2f..%2fetc%2fpasswd",
    "api/%2e%2e/%2e%2e/etc/passwd",
    "api/tree%2f..%2f..%2fetc",
    ".git/config",
)


@pytest.fixture
def visitor(copied: Library) -> Iterator[Visitor]:
    """A client that was let in, and a memory of an agent."""
    folder = copied("ledgerly")
    said(folder, "Amounts are parsed without floats", AGENT)
    with visited(folder) as found:
        yield found


def waiting(visitor: Visitor) -> list[dict[str, Any]]:
    """What waits, as the page sees it: it changes with each action."""
    return list(visitor.read("inbox")["items"])


def test_the_token_is_exchanged_for_a_cookie_that_scripts_cannot_read(visitor: Visitor) -> None:
    answer = visitor.client.get("/", params={"token": visitor.access.token})
    cookie = answer.headers["set-cookie"]
    assert (answer.status_code, answer.headers["location"]) == (303, f"/{visitor.access.place}/")
    assert visitor.access.token not in str(answer.headers)
    assert [each in cookie for each in ("HttpOnly", "SameSite=strict", f"Path=/{visitor.access.place}")] == [True] * 3


def test_the_page_and_its_files_come_with_strict_headers(visitor: Visitor) -> None:
    place = f"/{visitor.access.place}/"
    for path in ("", *(f"static/{name}" for name in NAMES)):
        answer = visitor.client.get(place + path)
        assert answer.status_code == 200, path
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert "unsafe" not in HEADERS["content-security-policy"]


def test_the_page_has_nothing_inline_and_nothing_from_elsewhere(visitor: Visitor) -> None:
    page = visitor.client.get(f"/{visitor.access.place}/").text
    assert "//" not in page.replace("<!doctype", "")
    assert page.count("<script") == page.count("<script src=") == 2
    assert "style=" not in page
    assert [name for name in MODULES if f'"static/{name}"' not in page] == []


def test_a_wrong_token_opens_nothing(library: Library) -> None:
    with visited(library("ledgerly"), is_in=False) as visitor:
        for token in ("", "wrong", "\u00e9", "a" * 43):
            answer = visitor.client.get("/", params={"token": token})
            assert (answer.status_code, answer.headers.get("set-cookie")) == (403, None)
        assert visitor.client.get(f"/{visitor.access.place}/").status_code == 403


def test_the_token_that_a_browser_is_started_with_works_once(library: Library) -> None:
    with visited(library("ledgerly"), is_in=False) as visitor:
        asked = {"token": visitor.access.token_of_browser}
        assert [visitor.client.get("/", params=asked).status_code for _ in range(2)] == [303, 403]
        assert visitor.client.get("/", params={"token": ""}).status_code == 403


def test_a_token_is_taken_from_no_other_host_and_method(library: Library) -> None:
    with visited(library("ledgerly"), is_in=False) as visitor:
        asked = {"token": visitor.access.token}
        foreign = visitor.client.get("/", params=asked, headers={"host": f"evil.example:{PORT}"})
        assert (foreign.status_code, visitor.client.post("/", params=asked).status_code) == (403, 403)


def test_foreign_requests_read_nothing(visitor: Visitor) -> None:
    let_in = []
    for name, changed in FOREIGN.items():
        for path in ("", "static/main.js", "api/memories", "api/inbox"):
            answer = visitor.client.get(f"/{visitor.access.place}/{path}", **changed)
            let_in += [name] if answer.status_code != 403 or "Amounts" in answer.text else []
    assert let_in == []


def test_foreign_requests_change_nothing(visitor: Visitor) -> None:
    before = waiting(visitor)
    body = f'{{"id":"{before[0]["memory"]["id"]}"}}'.encode()
    statuses = {}
    for name, changed in FOREIGN_CHANGES.items():
        headers = {"origin": OWN, "content-type": "application/json", **changed.get("headers", {})}
        address = f"/{visitor.access.place}/api/act/forget"
        answer = visitor.client.post(address, content=changed.get("content", body), headers=headers)
        statuses[name] = answer.status_code
    assert statuses == dict.fromkeys(FOREIGN_CHANGES, 403)
    assert waiting(visitor) == before != []


def test_the_same_request_of_the_page_is_accepted(visitor: Visitor) -> None:
    [item] = waiting(visitor)
    address = f"/{visitor.access.place}/api/act/forget"
    headers = {"origin": OWN, "content-type": "application/json; charset=utf-8", "sec-fetch-site": "same-origin"}
    answer = visitor.client.post(address, content=f'{{"id":"{item["memory"]["id"]}"}}', headers=headers)
    assert (answer.status_code, waiting(visitor)) == (200, [])


def test_other_methods_are_refused(visitor: Visitor) -> None:
    before = waiting(visitor)
    for method in METHODS:
        for path in ("", "api/act/forget", "api/inbox"):
            answer = visitor.client.request(method, f"/{visitor.access.place}/{path}", headers={"origin": OWN})
            assert answer.status_code == 403, method
    assert waiting(visitor) == before


def test_a_change_is_not_made_by_reading(visitor: Visitor) -> None:
    [item] = before = waiting(visitor)
    address = f"/{visitor.access.place}/api/act/forget?id={item['memory']['id']}"
    assert visitor.client.get(address).status_code == 405
    assert waiting(visitor) == before


def test_no_address_names_a_file(visitor: Visitor) -> None:
    for path in TRAVERSALS:
        answer = visitor.client.get(f"/{visitor.access.place}/{path}")
        assert answer.status_code in {403, 404}, path
        assert answer.text in {"", "Not Found"} or answer.text.startswith("403"), path


def test_a_folder_of_the_map_is_only_looked_up(visitor: Visitor) -> None:
    for path in ("../../../etc/passwd", "/etc/passwd", "~", ".git", "src\x00", "src/../.."):
        assert visitor.read("tree", path=path)["folder"]["entries"] == [], path


def test_a_body_that_is_not_a_json_object_is_an_error(visitor: Visitor) -> None:
    headers = {"origin": OWN, "content-type": "application/json"}
    for body in (b"[]", b"1", b"{", b"\xff", b"[" * 20_000):
        answer = visitor.client.post(f"/{visitor.access.place}/api/act/forget", content=body, headers=headers)
        assert (answer.status_code, "error" in answer.json()) == (409, True), body


def test_the_static_files_are_those_of_the_folder() -> None:
    folder = Path(__file__).parents[2] / "repomem" / "ui" / "static"
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*.[jc]s*")}
    assert files == NAMES
