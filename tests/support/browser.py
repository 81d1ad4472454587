"""Chromium driven through chromedriver, by the WebDriver protocol: JSON over HTTP, so that no package is needed."""

import base64
import http.client
import json
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
PATIENCE = 30.0  # seconds until a browser or a page must be there
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # how the protocol marks the id of an element
KEYS = {"Escape": "\ue00c", "Enter": "\ue007", "Tab": "\ue004", "Control": "\ue009"}


def missing_program() -> str:
    """What these tests need and this machine lacks; empty if nothing."""
    return next((name for name in ("chromium", "chromedriver") if shutil.which(name) is None), "")


@dataclass(frozen=True)
class Browser:
    """One window of a browser."""

    port: int
    session: str = ""

    def command(self, method: str, path: str, given: dict[str, Any] | None = None) -> Any:
        """One command of the protocol: its value."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        body = None if method == "GET" else json.dumps(given or {})
        connection.request(method, path, body, {"Content-Type": "application/json"})
        value = json.loads(connection.getresponse().read())["value"]
        connection.close()
        if isinstance(value, dict) and "error" in value:
            raise AssertionError(f"{value['error']}: {value['message'].splitlines()[0]}")
        return value

    def ask(self, method: str, name: str, given: dict[str, Any] | None = None) -> Any:
        """A command of this window."""
        return self.command(method, f"/session/{self.session}/{name}", given)

    def open(self, address: str) -> None:
        """Go to an address."""
        self.ask("POST", "url", {"url": address})

    def run(self, script: str, *arguments: object) -> Any:
        """The value that a script returns."""
        return self.ask("POST", "execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script: str, *arguments: object) -> Any:
        """The value that a script gives to its last argument."""
        return self.ask("POST", "execute/async", {"script": script, "args": list(arguments)})

    def size(self, width: int, height: int) -> None:
        """The size of the view in pixels; the window itself cannot be as narrow as a telephone."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.devtools("Emulation.setDeviceMetricsOverride", metrics)

    def colours(self, scheme: str) -> None:
        """Light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.devtools("Emulation.setEmulatedMedia", {"features": features})

    def devtools(self, name: str, given: dict[str, Any]) -> Any:
        """A command of Chromium's own protocol."""
        return self.ask("POST", "goog/cdp/execute", {"cmd": name, "params": given})

    def text(self, selector: str = "body") -> str:
        """The text that is shown in the first element."""
        return str(self.run("const e = document.querySelector(arguments[0]); return e ? e.innerText : ''", selector))

    def count(self, selector: str) -> int:
        """How many elements there are."""
        return int(self.run("return document.querySelectorAll(arguments[0]).length", selector))

    def click(self, selector: str) -> None:
        """Click the first element, which must appear."""
        self.wait(lambda: self.count(selector) > 0, selector)
        self.ask("POST", f"element/{self._element(selector)}/click")

    def write(self, selector: str, text: str) -> None:
        """Type into the first element."""
        self.wait(lambda: self.count(selector) > 0, selector)
        self.ask("POST", f"element/{self._element(selector)}/value", {"text": text})

    def press(self, *keys: str) -> None:
        """Press keys together where the focus is."""
        values = [KEYS.get(key, key) for key in keys]
        steps = [{"type": "keyDown", "value": value} for value in values]
        steps += [{"type": "keyUp", "value": value} for value in reversed(values)]
        self.ask("POST", "actions", {"actions": [{"type": "key", "id": "keyboard", "actions": steps}]})

    def wait(self, holds: Callable[[], object], what: object = "the condition") -> None:
        """Wait until something holds; an error if it never does."""
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, f"never: {what}\n{self.text()[:2_000]}"
            time.sleep(0.05)

    def wait_for(self, text: str, selector: str = "body") -> None:
        """Wait until a text is shown."""
        self.wait(lambda: text in self.text(selector), text)

    def screenshot(self, path: Path) -> None:
        """A picture of the view as PNG."""
        path.write_bytes(base64.b64decode(self.ask("GET", "screenshot")))

    def _element(self, selector: str) -> str:
        found = self.ask("POST", "element", {"using": "css selector", "value": selector})
        return str(found[ELEMENT])


@contextmanager
def browser_in(folder: Path, more: Sequence[str] = ()) -> Iterator[Browser]:
    """A browser with an empty profile in a new folder."""
    port = _free_port()
    driver = subprocess.Popen(
        ["chromedriver", f"--port={port}", "--silent"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    begun = Browser(port)
    try:
        _wait_until_ready(begun)
        options = {"binary": shutil.which("chromium"), "args": [*FLAGS, f"--user-data-dir={folder}", *more]}
        logging = {"browser": "ALL"}
        wanted = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": logging}}
        session = begun.command("POST", "/session", {"capabilities": wanted})["sessionId"]
        browser = Browser(port, session)
        try:
            yield browser
        finally:
            with suppress(OSError, AssertionError):
                begun.command("DELETE", f"/session/{session}")
    finally:
        driver.terminate()
        driver.wait(PATIENCE)


def _wait_until_ready(browser: Browser) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        with suppress(OSError):
            if browser.command("GET", "/status")["ready"]:
                return
        assert time.monotonic() < end, "chromedriver does not start"
        time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
