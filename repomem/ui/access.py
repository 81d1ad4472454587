"""Who may talk to the page: the browser that was opened with its address, and no other site, program or user.

    address with a token -> a cookie for one random path -> every request: Host, cookie, and for changes Origin and JSON

Other sites may send requests to a loopback address (CSRF), or point a name of theirs at it (DNS rebinding); other users
of the machine may connect to the port. All of them get 403, and nothing is read or changed. Not defended against: other
programs of this user, which can read the repository anyway.
"""

import hmac
import secrets
import time
from dataclasses import dataclass, field

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "repomem"
MOST_BYTES = 64 << 10  # of a request's body: a memory has at most 4,000 characters
METHODS = frozenset(["GET", "HEAD", "POST"])
OWN_SITES = frozenset(["", "none", "same-origin"])  # of Sec-Fetch-Site: no browser header, typed, or this page
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",  # no copy of private data on disk
}
NO_ENTRY = "403: open the address that repomem ui printed, or run it again\n"


def _secret() -> str:
    return secrets.token_urlsafe(32)  # 256 bits


@dataclass(slots=True)
class Access:
    """The secrets of one run of the page. The token in the browser's arguments works once: other users can see it."""

    port: int
    token: str = field(default_factory=_secret)  # of the printed address, while the page runs
    token_of_browser: str = field(default_factory=_secret)  # of the address that a browser is started with
    cookie: str = field(default_factory=_secret)
    place: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    """The path of the page and of its cookie: browsers send cookies to every port of a host."""
    last_used: float = field(default_factory=time.monotonic)  # seconds: of the last request that came in

    @property
    def hosts(self) -> frozenset[str]:
        """The accepted values of the header Host."""
        return frozenset(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))

    def address(self, token: str) -> str:
        """The address to open."""
        return f"http://127.0.0.1:{self.port}/?token={token}"

    def admits(self, token: str) -> bool:
        """Whether a token opens the page."""
        if self.token_of_browser and _is_same(token, self.token_of_browser):
            self.token_of_browser = ""
            return True
        return _is_same(token, self.token)


@dataclass(frozen=True, slots=True)
class Guard:
    """An ASGI application that hands on only what may come in, and adds security headers to every answer."""

    app: ASGIApp
    access: Access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request itself, or hand it on."""
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        request = Request(scope)
        app: ASGIApp = self.app
        if request.scope["path"] == "/" and "token" in request.query_params:
            app = self._door(request)
        elif not _may_come_in(request, self.access):
            app = PlainTextResponse(NO_ENTRY, 403)
        else:
            self.access.last_used = time.monotonic()
        await app(scope, receive, send_guarded)

    def _door(self, request: Request) -> Response:
        """The exchange of a token for the cookie."""
        token = request.query_params.get("token", "")
        host = request.headers.get("host", "")
        if request.method != "GET" or host not in self.access.hosts or not self.access.admits(token):
            return PlainTextResponse(NO_ENTRY, 403)
        answer = RedirectResponse(f"/{self.access.place}/", 303)
        path = f"/{self.access.place}"
        answer.set_cookie(COOKIE, self.access.cookie, path=path, httponly=True, samesite="strict")
        return answer


def _may_come_in(request: Request, access: Access) -> bool:
    host = request.headers.get("host", "")
    return (
        request.method in METHODS
        and host in access.hosts
        and _is_same(request.cookies.get(COOKIE, ""), access.cookie)
        and request.headers.get("sec-fetch-site", "") in OWN_SITES
        and (request.method != "POST" or _is_from_page(request, host))
    )


def _is_from_page(request: Request, host: str) -> bool:
    """Whether a request that changes something was sent by a script of the page: no form sends JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    size = request.headers.get("content-length", "")
    is_small = size.isascii() and size.isdecimal() and int(size) <= MOST_BYTES
    return request.headers.get("origin", "") == f"http://{host}" and kind == "application/json" and is_small


def _is_same(given: str, expected: str) -> bool:
    """A comparison whose time does not depend on where the two differ."""
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), expected.encode())
