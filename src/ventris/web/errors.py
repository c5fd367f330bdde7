"""What the server refuses, as sentences in the library's own form; each knows its HTTP status."""

from __future__ import annotations

from ventris.errors import VentrisError


class RefusedError(VentrisError):
    """A request the server does not carry out."""

    status = 422


class UnknownError(RefusedError):
    """There is nothing of that name."""

    status = 404


class BusyError(RefusedError):
    """Too much is under way already."""

    status = 429


class TooLargeError(RefusedError):
    """More than the server takes."""

    status = 413


class ForbiddenError(RefusedError):
    """A request without the token, or from another page."""

    status = 403


class OvertakenError(RefusedError):
    """Nobody waits for this any more."""

    status = 409


class MalformedError(RefusedError):
    """A request that cannot be made sense of."""

    status = 400
