"""`ventris serve`: Ventris Studio in the browser, from this machine alone."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from ventris.cli.options import Config


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    token: str | None = None,
    jobs: int = 3,
    upload_limit: int = 64,
    open_browser: Annotated[bool, Parameter(name="--open", negative="")] = False,
    check: Annotated[bool, Parameter(negative="")] = False,
    config: Config = None,
) -> None:
    """See the method work in a browser: ciphers, live training, your own data.

    Example: ventris serve --port 0 --check

    Parameters
    ----------
    host
        Address to listen on. Beyond this machine a token is asked for.
    port
        0 takes a free one.
    token
        What visitors must know; drawn and printed if the host is not this machine's own.
    jobs
        Jobs that run at the same time, each in a process of its own.
    upload_limit
        Largest file taken, in megabytes.
    open_browser
        Open the page in a browser.
    check
        Start, see that everything is there, and end.
    """
    from ventris.errors import MissingExtraError

    try:
        from ventris.web.server import run_server
    except ImportError as problem:
        raise MissingExtraError("ventris serve", problem.name or "fastapi", "web") from None
    run_server(
        host,
        port,
        token=token,
        n_jobs=jobs,
        upload_limit=upload_limit,
        open_browser=open_browser,
        rehearse=check,
    )
