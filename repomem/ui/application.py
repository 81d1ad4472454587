"""The addresses of the page: its files, what it reads, and what it changes."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from repomem.core.errors import NotFound, RepomemError
from repomem.core.secrets.redact import redact
from repomem.core.text.escape import visible
from repomem.memories.memory_report import memory_report
from repomem.setup.doctor import health_checks
from repomem.ui.access import Access, Guard
from repomem.ui.actions import Actions, Done
from repomem.ui.assets import INDEX, NAMES, asset, type_of
from repomem.ui.pages.about import about
from repomem.ui.pages.brief import brief_page, delivered_sessions
from repomem.ui.pages.evaluation import evaluation_page
from repomem.ui.pages.health import health_page
from repomem.ui.pages.inbox import inbox
from repomem.ui.pages.memories import filter_of, forgotten_list, memory_list
from repomem.ui.pages.memory import memory_page
from repomem.ui.pages.repository import repository_page
from repomem.ui.pages.tree import tree_page
from repomem.ui.repository import Question, Questions
from repomem.workspace.workspace import Workspace

MOST_ROWS = 200  # of one answer
LEAST_BUDGET, MOST_BUDGET = 100, 20_000  # tokens of a brief
LONGEST_TASK = 10_000  # characters: it is part of an address

Answer = Callable[[Request], Awaitable[Response]]
Asked = Mapping[str, str]
Asking = Callable[[Asked], Question]  # the question of an address, from its arguments
SLOW_QUESTIONS: Mapping[str, Asking] = {
    "checks": lambda _: lambda workspace: list(health_checks(workspace)),  # seconds for a large index; repairs nothing
    "figures": lambda _: memory_report,  # a second for ten thousand memories
}


@dataclass(frozen=True, slots=True)
class Page:
    """The page of one repository."""

    questions: Questions
    actions: Actions
    access: Access

    @property
    def is_person(self) -> bool:
        """Whether clicks count as a person's."""
        return self.actions.speaker.is_person


def application_of(page: Page) -> Guard:
    """The guarded ASGI application."""
    reads = {name: _answered(page.questions.ask, asking) for name, asking in _questions(page).items()}
    reads |= {name: _answered(page.questions.ask_apart, asking) for name, asking in SLOW_QUESTIONS.items()}
    routes = [
        Route("/", _index, methods=["GET"]),
        Route("/static/{name:path}", _asset, methods=["GET"]),
        *(Route(f"/api/{name}", answer, methods=["GET"]) for name, answer in reads.items()),
        Route("/api/act/{action}", _handled(lambda request: _act(page, request)), methods=["POST"]),
    ]
    return Guard(Starlette(routes=[Mount(f"/{page.access.place}", routes=routes)]), page.access)


def _questions(page: Page) -> dict[str, Asking]:
    """What the page reads, by the last part of its address."""
    return {
        "about": lambda _: lambda workspace: about(workspace, is_person=page.is_person),
        "inbox": lambda asked: lambda workspace: inbox(workspace, *_span(asked)),
        "memories": _memories,
        "forgotten": lambda _: forgotten_list,
        "memory": lambda asked: lambda workspace: memory_page(workspace, asked.get("id", "")),
        "brief": _brief,
        "deliveries": lambda _: delivered_sessions,
        "repository": lambda _: repository_page,
        "evaluation": lambda _: evaluation_page,
        "tree": lambda asked: lambda workspace: tree_page(workspace, asked.get("path", "")),
        "health": lambda _: lambda workspace: health_page(workspace, page.questions.notices),
    }


def _memories(asked: Asked) -> Question:
    wanted = filter_of(asked)
    question = redact(visible(asked.get("q", "")[:LONGEST_TASK]).strip())
    return lambda workspace: memory_list(workspace, question, wanted, *_span(asked))


def _brief(asked: Asked) -> Question:
    task = visible(asked.get("task", "")[:LONGEST_TASK]).strip()

    def question(workspace: Workspace) -> object:
        budget = _number(asked, "budget", workspace.loaded.config.recall.budget)
        return brief_page(workspace, task, min(max(budget, LEAST_BUDGET), MOST_BUDGET))

    return question


async def _act(page: Page, request: Request) -> bytes:
    """Change something; the body is a JSON object of texts."""
    given = _texts(await request.body())
    actions, action, wanted = page.actions, request.path_params["action"], given.get("id", "")

    def act(workspace: Workspace) -> Done:
        match action:
            case "edit":
                return actions.edit(workspace, wanted, given)
            case "undo":
                return actions.undo(workspace, given.get("key", ""))
            case "restore":
                return actions.restore(workspace, wanted)
            case _:
                return actions.decide(workspace, action, wanted, given)

    return await page.questions.act(act)


def _answered(ask: Callable[[Question], Awaitable[bytes]], asking: Asking) -> Answer:
    return _handled(lambda request: ask(asking(request.query_params)))


def _handled(answer: Callable[[Request], Awaitable[bytes]]) -> Answer:
    """An answer as JSON; errors become a message and a hint."""

    async def handle(request: Request) -> Response:
        try:
            return Response(await answer(request), media_type="application/json")
        except RepomemError as error:
            told = {"error": redact(visible(error.message)), "hint": redact(visible(error.hint))}
            return JSONResponse(told, 404 if isinstance(error, NotFound) else 409)

    return handle


async def _index(_request: Request) -> Response:
    return Response(asset(INDEX), media_type=type_of(INDEX))


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    return Response(asset(name), media_type=type_of(name)) if name in NAMES else Response(status_code=404)


def _texts(body: bytes) -> Asked:
    """The texts of a JSON object. Raises RepomemError for anything else."""
    try:
        found: Any = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RepomemError("the request is not JSON") from error
    if not isinstance(found, dict):
        raise RepomemError("the request is not a JSON object")
    return {str(name): value for name, value in found.items() if isinstance(value, str)}


def _span(asked: Asked) -> tuple[int, int]:
    """Offset and limit of a list."""
    return max(_number(asked, "offset", 0), 0), min(max(_number(asked, "limit", 50), 1), MOST_ROWS)


def _number(asked: Asked, name: str, default: int) -> int:
    text = asked.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else default  # a larger one is a mistake
