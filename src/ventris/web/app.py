"""The server: it makes routes of what the rooms list, and keeps jobs, answers and uploads."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from threadpoolctl import threadpool_limits

import ventris
from ventris.errors import MissingExtraError, VentrisError
from ventris.web.answers import Answers
from ventris.web.errors import RefusedError
from ventris.web.jobs import Jobs
from ventris.web.limits import BodyLimit
from ventris.web.memory import fair_share
from ventris.web.room import place_of
from ventris.web.rooms import ROOMS
from ventris.web.rooms.surface import LANDSCAPES, run_survey
from ventris.web.routes import add_jobs, add_room, add_uploads, documented
from ventris.web.security import LOOPBACK, Guard
from ventris.web.uploads import Uploads

STATIC = Path(__file__).parent / "static"
MEGABYTE = 2**20
_POOLS = {"answers": 2, "previews": 1}  # processes that answer at once


@dataclass(frozen=True)
class Settings:
    """How a server is run.

    Attributes
    ----------
    token : str, optional
        Asked for on every request, if given.
    hosts : tuple of str
        Names the server answers to; empty for any.
    n_jobs : int
        Jobs that run at the same time.
    upload_limit : int
        Bytes of the largest file taken.
    memory : int
        Bytes that all workers together may use.
    survey : bool
        Whether to warm up, and to compute the landscapes of room 3, before anybody asks.
    """

    token: str | None = None
    hosts: tuple[str, ...] = LOOPBACK
    n_jobs: int = 3
    upload_limit: int = 64 * MEGABYTE
    memory: int = field(default_factory=fair_share)
    survey: bool = False


def create_app(settings: Settings | None = None) -> FastAPI:
    """The Studio as an ASGI application."""
    chosen = settings or Settings()

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        with (
            threadpool_limits(1),
            tempfile.TemporaryDirectory(prefix="ventris-", ignore_cleanup_errors=True) as folder,
        ):
            app.state.jobs = Jobs(Path(folder), chosen.n_jobs, chosen.memory)
            app.state.answers = Answers(_POOLS, chosen.memory)
            app.state.uploads = Uploads(Path(folder) / "uploads", chosen.upload_limit)
            app.state.jobs.open()
            survey = asyncio.create_task(_survey(app)) if chosen.survey else None
            yield
            if survey:
                survey.cancel()
            app.state.answers.close()
            await app.state.jobs.close()

    app = FastAPI(
        title="Ventris Studio",
        version=ventris.__version__,
        description="The pages' own JSON interface, open to scripts on this machine.",
        docs_url=None,  # its pages would load scripts from elsewhere; /openapi.json is served
        redoc_url=None,
        lifespan=life,
    )
    app.add_middleware(BodyLimit, upload_limit=chosen.upload_limit)
    app.add_middleware(Guard, token=chosen.token, hosts=chosen.hosts)
    _answer_errors(app)
    _add_pages(app)
    for room in ROOMS:
        add_room(app, room)
    add_uploads(app)
    add_jobs(app)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return app


async def _survey(app: FastAPI) -> None:
    """Landscapes that people look at first, computed before they ask."""
    app.state.answers.warm()
    job = app.state.jobs.start("survey", place_of(run_survey), {})
    async for event in job.follow():
        if event is not None and event.kind == "landscape":
            found = json.loads(event.data)
            app.state.answers.keep(LANDSCAPES, found["view"], found["answer"])


# --------------------------------------------------------------------------------------------- refusals


def _answer_errors(app: FastAPI) -> None:
    """Every refusal is JSON with one sentence under "error"."""

    def refusal(sentence: str, status: int) -> JSONResponse:
        return JSONResponse({"error": sentence}, status_code=status)

    @app.exception_handler(VentrisError)
    async def refuse(request: Request, problem: VentrisError) -> JSONResponse:
        return refusal(str(problem), problem.status if isinstance(problem, RefusedError) else 422)

    @app.exception_handler(RequestValidationError)
    async def explain(request: Request, problem: RequestValidationError) -> JSONResponse:
        first = problem.errors()[0]
        where = " → ".join(str(part) for part in first["loc"][1:])[:200] or "the request"
        return refusal(f"{where}: {first['msg']}.", 422)

    @app.exception_handler(HTTPException)
    async def say(request: Request, problem: HTTPException) -> JSONResponse:
        if isinstance(problem.__cause__, RefusedError):  # raised while a body was read
            return refusal(str(problem.__cause__), problem.__cause__.status)
        if problem.status_code == 404:
            return refusal(f"There is nothing at {request.url.path[:200]}.", 404)
        answer = refusal(f"{problem.detail}.", problem.status_code)
        answer.headers.update(problem.headers or {})
        return answer


# ------------------------------------------------------------------------------------------------ pages


def plotly_script() -> Path:
    """plotly.min.js inside the installed package: nothing is fetched, nothing is copied."""
    try:
        import plotly
    except ImportError:
        raise MissingExtraError("Ventris Studio", "plotly", "web") from None
    return Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


def _add_pages(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})

    @app.get("/plotly.min.js", include_in_schema=False)
    def plotly() -> FileResponse:
        return FileResponse(plotly_script(), headers={"cache-control": "max-age=86400"})

    @app.get("/api/about", responses=documented())
    async def about(request: Request) -> dict[str, Any]:
        """Version, rooms and what they lack, and how many jobs run."""
        return {
            "version": ventris.__version__,
            "rooms": [room.listed for room in ROOMS],
            "jobs_running": request.app.state.jobs.n_running,
        }
