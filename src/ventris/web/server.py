"""Binding, the token, and the address to open."""

from __future__ import annotations

import secrets
import socket
import sys
import webbrowser
from contextlib import suppress

import uvicorn

from ventris.errors import ParameterError
from ventris.web.app import MEGABYTE, Settings, create_app, plotly_script
from ventris.web.protocol import PatientProtocol
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
        _take_many_lines()
        if open_browser:
            webbrowser.open(address)
        config = uvicorn.Config(
            create_app(settings),
            http=PatientProtocol,
            log_level="warning",
            timeout_graceful_shutdown=1,
            server_header=False,
        )
        server = _Rehearsal(config) if rehearse else uvicorn.Server(config)
        server.run(sockets=[listener])


def _take_many_lines() -> None:
    """As many open connections as the system grants: idle ones must not keep others out."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


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
    >>> page_address("127.0.0.1", 8765, None), page_address("192.168.0.7", 80, "abc")
    ('http://127.0.0.1:8765/', 'http://192.168.0.7:80/?token=abc')
    """
    own = own_address() if host in ("0.0.0.0", "::", "") else host
    named = f"[{own}]" if ":" in own else own
    return f"http://{named}:{port}/" + (f"?token={token}" if token else "")


def own_address() -> str:
    """The address under which others in the network reach this machine; nothing is sent to find it."""
    for family, elsewhere in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((elsewhere, 9))  # addresses kept for examples: only the way there is looked up
            return str(probe.getsockname()[0])
    return socket.gethostname()
