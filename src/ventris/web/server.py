"""Binding, the token, and the address to open."""

from __future__ import annotations

import secrets
import socket
import sys
import webbrowser

import uvicorn

from ventris.errors import ParameterError
from ventris.web.app import MEGABYTE, Settings, create_app, plotly_script
from ventris.web.security import LOOPBACK, is_loopback

_SWITCH = 0.001  # seconds a busy thread keeps Python's lock from one that only has to pass an answer on


def run_server(
    host: str,
    port: int,
    *,
    token: str | None = None,
    n_jobs: int = 3,
    upload_limit: int = 64,
    open_browser: bool = False,
    rehearse: bool = False,
) -> None:
    """Serve the Studio until Ctrl-C, or only see that it could; what `ventris serve` does."""
    if n_jobs < 1 or upload_limit < 1:
        raise ParameterError("--jobs and --upload-limit must be at least 1", "one is not", "Choose more")
    if not is_loopback(host):
        token = token or secrets.token_urlsafe(16)
    settings = Settings(
        token=token,
        hosts=LOOPBACK if is_loopback(host) else (),
        n_jobs=n_jobs,
        upload_limit=upload_limit * MEGABYTE,
        survey=not rehearse,
    )
    sys.setswitchinterval(_SWITCH)
    with bound_socket(host, port) as listener:
        address = page_address(host, listener.getsockname()[1], token)
        print(f"Ventris Studio is at {address}\nCtrl-C ends it.", file=sys.stderr, flush=True)
        if open_browser:
            webbrowser.open(address)
        config = uvicorn.Config(
            create_app(settings), log_level="warning", timeout_graceful_shutdown=1, server_header=False
        )
        server = _Rehearsal(config) if rehearse else uvicorn.Server(config)
        server.run(sockets=[listener])


class _Rehearsal(uvicorn.Server):
    """Starts with everything it needs, and ends at once."""

    async def main_loop(self) -> None:
        plotly_script()


def bound_socket(host: str, port: int) -> socket.socket:
    """A listening socket; a port that is taken is refused with a sentence, before anything starts."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named because asyncio sends small answers at once (no 40 ms of Nagle's) only if it is.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(512)  # before the address is printed: whoever opens it at once waits, and is served
    except (OSError, OverflowError) as problem:
        listener.close()
        raise ParameterError(
            f"{host} port {port} must be free to listen on", f"it is not ({problem})", "Choose another --port"
        ) from None
    return listener


def page_address(host: str, port: int, token: str | None) -> str:
    """What to open in a browser; with a token, a door that remembers it.

    Examples
    --------
    >>> page_address("127.0.0.1", 8765, None), page_address("0.0.0.0", 80, "abc")
    ('http://127.0.0.1:8765/', 'http://127.0.0.1:80/?token=abc')
    """
    named = "127.0.0.1" if host in ("0.0.0.0", "::", "") else f"[{host}]" if ":" in host else host
    return f"http://{named}:{port}/" + (f"?token={token}" if token else "")
