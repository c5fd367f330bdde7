"""Who may ask, and what the browser may do with the answer.

The server is for one person on one machine. It answers only under its own name (a page elsewhere cannot
reach it by renaming itself to 127.0.0.1), takes changes only from its own pages, and, when it listens beyond
this machine, asks for a token. The page may load nothing from anywhere else, and no inline script.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ventris.web.errors import ForbiddenError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
COOKIE = "ventris_token"
# Plotly writes styles into the page, hence the one 'unsafe-inline'; scripts come from files only.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


def is_loopback(host: str) -> bool:
    """Whether a server bound to this host can be reached from this machine only.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
    (True, False)
    """
    return host in LOOPBACK


def host_name(header: str) -> str:
    """The name in a Host header, without its port.

    Examples
    --------
    >>> host_name("localhost:8000"), host_name("[::1]:8000")
    ('localhost', '::1')
    """
    return urlsplit(f"//{header}").hostname or ""


class Guard:
    """Checks every request before the application sees it, and signs every answer with headers.

    Parameters
    ----------
    app : ASGI application
    token : str, optional
        Asked for on every request if given.
    hosts : iterable of str, optional
        Names the server answers to; any, if none is given.
    """

    def __init__(self, app: ASGIApp, *, token: str | None = None, hosts: Iterable[str] = ()) -> None:
        self.app, self.token, self.hosts = app, token, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if (key := self._key_in_address(scope)) is not None:
            await self._remember(key)(scope, receive, _signed(send))
            return
        problem = self._problem(scope)
        if problem is None:
            await self.app(scope, receive, _signed(send))
        else:
            refusal = JSONResponse({"error": str(problem)}, status_code=problem.status)
            await refusal(scope, receive, _signed(send))

    def _problem(self, scope: Scope) -> ForbiddenError | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.hosts and host_name(host) not in self.hosts:
            return ForbiddenError(
                "This server answers under its own name only",
                f"the request asked for {host!r}",
                "Open the address that ventris serve printed",
            )
        origin = headers.get("origin")
        if scope["method"] not in ("GET", "HEAD") and origin and urlsplit(origin).netloc != host:
            return ForbiddenError(
                "Changes must come from the Studio's own pages", f"this came from {origin}", "Use its page"
            )
        if self.token is not None and not self._is_token(self._offered(headers)):
            return ForbiddenError(
                "This server asks for its token",
                "none came, or another",
                "Open the address that ventris serve printed, or send 'Authorization: Bearer TOKEN'",
            )
        return None

    def _is_token(self, offered: str) -> bool:
        return secrets.compare_digest(offered.encode(), str(self.token).encode())

    @staticmethod
    def _offered(headers: Headers) -> str:
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        cookies: SimpleCookie = SimpleCookie(headers.get("cookie", ""))
        return bearer or (cookies[COOKIE].value if COOKIE in cookies else "")

    def _key_in_address(self, scope: Scope) -> str | None:
        """The token in the printed address, which becomes a cookie so that it leaves the address bar."""
        if self.token is None or scope["path"] != "/" or scope["method"] != "GET":
            return None
        offered = parse_qs(scope.get("query_string", b"").decode()).get("token", [""])[0]
        return offered if self._is_token(offered) else None

    @staticmethod
    def _remember(key: str) -> RedirectResponse:
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(COOKIE, key, httponly=True, samesite="strict")
        return answer


def _signed(send: Send) -> Any:
    async def send_signed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_signed
