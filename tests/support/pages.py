"""The local page in this process: a client that was let in, and what the repository says behind it."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from repomem.ui.access import Access
from repomem.ui.actions import Actions
from repomem.ui.application import Page, application_of
from repomem.ui.repository import Questions
from repomem.workspace.ledger import Speaker
from support.memory_scenes import PERSON

PORT = 43210
CORPUS = Path(__file__).parents[2] / "fixtures" / "injection" / "markup.json"
MARKUP: list[str] = json.loads(CORPUS.read_text(encoding="ascii"))


@dataclass(frozen=True)
class Visitor:
    """A client of the page."""

    client: TestClient
    access: Access

    @property
    def origin(self) -> str:
        """What a browser sends with requests of the page."""
        return f"http://127.0.0.1:{PORT}"

    def read(self, name: str, **asked: object) -> Any:
        """An answer, which must be one."""
        found = self.client.get(
            f"/{self.access.place}/api/{name}", params={key: str(each) for key, each in asked.items()}
        )
        assert found.status_code == 200, found.text
        return found.json()

    def act(self, action: str, *, status: int = 200, **given: str) -> Any:
        """An action, with its expected status."""
        address = f"/{self.access.place}/api/act/{action}"
        done = self.client.post(address, json=given, headers={"origin": self.origin})
        assert done.status_code == status, done.text
        return done.json()


@contextmanager
def visited(folder: Path, speaker: Speaker = PERSON, *, is_in: bool = True) -> Iterator[Visitor]:
    """The page of a repository, opened with its address unless told otherwise."""
    access, questions = Access(PORT), Questions(folder, os.environ)
    app = application_of(Page(questions, Actions(speaker), access))
    client = TestClient(app, base_url=f"http://127.0.0.1:{PORT}", follow_redirects=False)
    try:
        if is_in:
            assert client.get("/", params={"token": access.token}).status_code == 303
        yield Visitor(client, access)
    finally:
        questions.close()
