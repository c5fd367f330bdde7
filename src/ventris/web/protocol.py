"""Lines that wait for a request: whoever begins one must go on with it, or is hung up on."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class PatientProtocol(H11Protocol):
    """HTTP with a clock: a head must come whole in some seconds, a body must keep coming.

    uvicorn itself limits only how long a line may rest between two requests; one that sends half a request,
    or none, would stay for ever.
    """

    head_seconds: ClassVar[float] = 10.0
    body_seconds: ClassVar[float] = 10.0
    whole_seconds: ClassVar[float] = 600.0  # for all of a body: a byte now and then is no upload
    _body_by: float | None = None
    _clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A line is open: a request is expected."""
        super().connection_made(transport)
        self._wind(self.head_seconds)

    def data_received(self, data: bytes) -> None:
        """Something came; a head must still be whole by the time it was given, a body has its time anew."""
        in_head = self.conn.their_state is h11.IDLE
        super().data_received(data)
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            self._body_by = self._body_by or self.loop.time() + self.whole_seconds
            self._wind(min(self.body_seconds, self._body_by - self.loop.time()))
            return
        self._body_by = None
        if state is not h11.IDLE or self._is_answering():
            self._stop()
        elif not in_head or self._clock is None:
            self._wind(self.head_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """The line is closed."""
        self._stop()
        super().connection_lost(exc)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wind(self, seconds: float) -> None:
        self._stop()
        self._clock = self.loop.call_later(seconds, self._hang_up)

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _hang_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.abort()
