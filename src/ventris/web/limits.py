"""How much a request may bring: the body of a question is short, that of an upload is its own affair."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ventris.web.errors import TooLargeError

QUESTION = 2**20  # bytes of JSON


class BodyLimit:
    """Refuses a body that says it is too long, and stops reading one that turns out to be.

    Parameters
    ----------
    app : ASGI application
    upload_limit : int
        Bytes of the largest file; everything that is no upload may have a megabyte.
    """

    def __init__(self, app: ASGIApp, *, upload_limit: int) -> None:
        self.app, self.upload_limit = app, upload_limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = self.upload_limit if scope["method"] == "PUT" else QUESTION
        said = Headers(scope=scope).get("content-length", "")
        if said.isdecimal() and int(said) > limit:
            await _too_large(limit)(scope, receive, send)
            return
        await self.app(scope, _Counted(receive, limit), send)


class _Counted:
    """Receives a body part by part, and no more of it than may be."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self.receive, self.limit, self.taken = receive, limit, 0

    async def __call__(self) -> Message:
        message = await self.receive()
        self.taken += len(message.get("body", b""))
        if self.taken > self.limit:
            raise _error(self.limit)
        return message


def _error(limit: int) -> TooLargeError:
    what = "request" if limit == QUESTION else "file"
    return TooLargeError(
        f"A {what} may have {limit / 2**20:g} megabytes",
        "this one has more",
        "Send less; for a file, start ventris serve with a higher --upload-limit, or use ventris fit",
    )


def _too_large(limit: int) -> JSONResponse:
    problem = _error(limit)
    return JSONResponse({"error": str(problem)}, status_code=problem.status, headers={"connection": "close"})
