"""Who may ask, and what the browser may do with the answer.

The server is for one person on one machine. It answers only under its own name (a page elsewhere cannot
reach it by renaming itself to 127.0.0.1), takes changes only from its own pages, and, when it listens beyond
this machine, asks for a token. The page may load nothing from anywhere else, and no inline script.
"""

from __future__ import annotations

import secrets
import sys
import traceback
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ventris.web.errors import ForbiddenError, MalformedError, RefusedError

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
    """The name in a Host header, without its port; nothing if the header is none.

    Examples
    --------
    >>> host_name("localhost:8000"), host_name("[::1]:8000"), host_name("[::1")
    ('localhost', '::1', '')
    """
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def is_own(origin: str, host: str) -> bool:
    """Whether an Origin header names the page of this host.

    Examples
    --------
    >>> is_own("http://localhost:80", "localhost:80"), is_own("http://[::1", "localhost"), is_own("null", "a")
    (True, False, False)
    """
    try:
        return urlsplit(origin).netloc == host
    except ValueError:
        return False


class Guard:
    """Asks every request for its papers, and signs every answer with headers.

    It stands outside everything else: whatever goes wrong inside is answered by a sentence, signed too.

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
        signed = _Signed(send)
        if (key := self._key_in_address(scope)) is not None:
            await door(key)(scope, receive, signed)
            return
        problem = self._problem(scope)
        if problem is not None:
            await _refusal(str(problem), problem.status)(scope, receive, signed)
            return
        try:
            await self.app(scope, receive, signed)
        except Exception:
            traceback.print_exc(file=sys.stderr)
            if signed.has_begun:
                raise  # half an answer is out: only closing the line can say that it is none
            sentence = "The server failed inside; its terminal says how. Nothing else is affected."
            await _refusal(sentence, 500)(scope, receive, signed)

    def _problem(self, scope: Scope) -> RefusedError | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not host_name(host):
            return MalformedError(
                "A request must name its host", f"it says {host[:80]!r}", "Open the printed address"
            )
        if self.hosts and host_name(host) not in self.hosts:
            return ForbiddenError(
                "This server answers under its own name only",
                f"the request asked for {host[:80]!r}",
                "Open the address that ventris serve printed",
            )
        origin = headers.get("origin")
        if scope["method"] not in ("GET", "HEAD") and origin and not is_own(origin, host):
            return ForbiddenError(
                "Changes must come from the Studio's own pages",
                f"this came from {origin[:80]}",
                "Use its page",
            )
        if self.token is not None and not self._is_token(_offered(headers)):
            return ForbiddenError(
                "This server asks for its token",
                "none came, or another",
                "Open the address that ventris serve printed, or send 'Authorization: Bearer TOKEN'",
            )
        return None

    def _is_token(self, offered: str) -> bool:
        return secrets.compare_digest(offered.encode("utf-8", "replace"), str(self.token).encode())

    def _key_in_address(self, scope: Scope) -> str | None:
        """The token in the printed address, which becomes a cookie so that it leaves the address bar."""
        if self.token is None or scope["path"] != "/" or scope["method"] != "GET":
            return None
        query = scope.get("query_string", b"").decode("utf-8", "replace")
        offered = parse_qs(query, max_num_fields=20).get("token", [""])[0]
        return offered if self._is_token(offered) else None


def _offered(headers: Headers) -> str:
    bearer = headers.get("authorization", "").removeprefix("Bearer ")
    try:
        cookies: SimpleCookie = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return bearer
    return bearer or (cookies[COOKIE].value if COOKIE in cookies else "")


def door(key: str) -> HTMLResponse:
    """A page that takes the key and leads in.

    A strict cookie is not sent where another site's link leads, not even after a redirection; it is sent
    where this page leads.
    """
    answer = HTMLResponse(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Ventris Studio</title>'
        '<script src="/static/door.js"></script><p><a href="/">Enter Ventris Studio</a></p></html>'
    )
    answer.set_cookie(COOKIE, key, httponly=True, samesite="strict")
    return answer


def _refusal(sentence: str, status: int) -> JSONResponse:
    return JSONResponse({"error": sentence}, status_code=status)


class _Signed:
    """Sends an answer on with the headers it lacks, and remembers that it has begun."""

    def __init__(self, send: Send) -> None:
        self.send, self.has_begun = send, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await self.send(message)
