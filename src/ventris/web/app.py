"""The server: routes are thin, the rooms do the work."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from anyio import to_thread
from fastapi import Depends, FastAPI, Header, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel
from threadpoolctl import threadpool_limits

import ventris
from ventris.demos.example_files import write_example_files
from ventris.errors import MissingExtraError, VentrisError
from ventris.web.errors import RefusedError, UnknownError
from ventris.web.jobs import Job, Jobs
from ventris.web.remembered import Remembered
from ventris.web.rooms import caesar, own_data, reading, surface, two_classes
from ventris.web.security import LOOPBACK, Guard
from ventris.web.uploads import Uploads

STATIC = Path(__file__).parent / "static"
MEGABYTE = 2**20
_THREADS = 4


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
    survey : bool
        Whether to compute the landscapes of room 3 before anybody asks.
    """

    token: str | None = None
    hosts: tuple[str, ...] = LOOPBACK
    n_jobs: int = 3
    upload_limit: int = 64 * MEGABYTE
    survey: bool = False


def create_app(settings: Settings | None = None) -> FastAPI:
    """The Studio as an ASGI application."""
    chosen = settings or Settings()

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        # A few threads share Python's lock well; forty would only take it from one another.
        to_thread.current_default_thread_limiter().total_tokens = _THREADS
        with threadpool_limits(1), tempfile.TemporaryDirectory(prefix="ventris-") as folder:
            app.state.jobs = Jobs(Path(folder), chosen.n_jobs)
            app.state.uploads = Uploads(Path(folder) / "uploads", chosen.upload_limit)
            app.state.jobs.open()
            survey = asyncio.create_task(_survey(app.state.jobs)) if chosen.survey else None
            yield
            if survey:
                survey.cancel()
            await app.state.jobs.close()

    app = FastAPI(
        title="Ventris Studio",
        version=ventris.__version__,
        description="The pages' own JSON interface, open to scripts on this machine.",
        docs_url=None,  # its pages would load scripts from elsewhere; /openapi.json is served
        redoc_url=None,
        lifespan=life,
    )
    app.add_middleware(Guard, token=chosen.token, hosts=chosen.hosts)
    _answer_errors(app)
    for add_routes in (
        _page_routes,
        _caesar_routes,
        _two_routes,
        _surface_routes,
        _reading_routes,
        _own_routes,
        _job_routes,
    ):
        add_routes(app)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return app


async def _survey(jobs: Jobs) -> None:
    async for event in jobs.start("survey", {}).follow():
        if event is not None and event.kind == "landscape":
            found = json.loads(event.data)
            surface.landscapes.keep(found["view"], found["answer"])


# --------------------------------------------------------------------------------------------- refusals


def _answer_errors(app: FastAPI) -> None:
    """Every refusal is JSON with one sentence under "error"."""

    @app.exception_handler(VentrisError)
    async def refuse(request: Request, problem: VentrisError) -> JSONResponse:
        status = problem.status if isinstance(problem, RefusedError) else 422
        return JSONResponse({"error": str(problem)}, status_code=status)

    @app.exception_handler(RequestValidationError)
    async def explain(request: Request, problem: RequestValidationError) -> JSONResponse:
        first = problem.errors()[0]
        where = " → ".join(str(part) for part in first["loc"][1:]) or "the request"
        return JSONResponse({"error": f"{where}: {first['msg']}."}, status_code=422)

    @app.exception_handler(404)
    async def unknown(request: Request, problem: Exception) -> JSONResponse:
        return JSONResponse({"error": f"There is nothing at {request.url.path}."}, status_code=404)


# ------------------------------------------------------------------------------------------------ pages


def plotly_script() -> Path:
    """plotly.min.js inside the installed package: nothing is fetched, nothing is copied."""
    try:
        import plotly
    except ImportError:
        raise MissingExtraError("Ventris Studio", "plotly", "web") from None
    return Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


def _page_routes(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html")

    @app.get("/plotly.min.js", include_in_schema=False)
    def plotly() -> FileResponse:
        return FileResponse(plotly_script(), headers={"cache-control": "max-age=86400"})

    @app.get("/api/about")
    async def about(request: Request) -> dict[str, Any]:
        """Version, languages whose letter statistics are shipped, kinds of cipher, and how many jobs run."""
        running = _jobs(request).n_running
        return {
            "version": ventris.__version__,
            "languages": caesar.languages(),
            "ciphers": caesar.kinds(),
            "jobs_running": running,
        }


# -------------------------------------------------------------------------------------------- the rooms


async def remembered_json(ask: Remembered, request: BaseModel) -> Response:
    """An answer that is JSON already: at once if it is at hand, else from a thread."""
    question = request.model_dump_json()
    answer = ask.at_hand(question)
    if answer is None:
        answer = await to_thread.run_sync(ask, question)
    return Response(answer, media_type="application/json")


def _caesar_routes(app: FastAPI) -> None:
    @app.post("/api/caesar", tags=["Caesar"])
    async def analyse(message: caesar.Message) -> Response:
        """Letter frequencies, and the cost and reading of every shift."""
        return await remembered_json(caesar.analyse, message)

    @app.post("/api/encipher", tags=["Caesar"])
    def encipher(asked: caesar.Enciphering) -> dict[str, Any]:
        """Encipher a text; without a key one is drawn."""
        return caesar.write_cipher(asked)

    @app.post("/api/decipher", tags=["Caesar"])
    async def decipher(asked: caesar.Deciphering, request: Request) -> dict[str, Any]:
        """Start a job that reads a ciphertext without its key."""
        return _jobs(request).start("decipher", asked.model_dump()).summary()


def _two_routes(app: FastAPI) -> None:
    @app.get("/api/two/presets", tags=["Two classes"])
    def presets() -> dict[str, Any]:
        """The paper's ten chains, as p(1 follows 0) and p(0 follows 1), its means and its variance."""
        return two_classes.presets()

    @app.post("/api/two", tags=["Two classes"])
    async def describe(chain: two_classes.Chain) -> Response:
        """Points to draw, and the errors of the supervised, the Bayes and the constant classifier."""
        return await remembered_json(two_classes.describe, chain)

    @app.post("/api/two/train", tags=["Two classes"])
    async def train(asked: two_classes.Training, request: Request) -> dict[str, Any]:
        """Start a job that learns without labels; each event "frame" holds J, L, error, line and dual."""
        return _jobs(request).start("train", asked.model_dump()).summary()


def _surface_routes(app: FastAPI) -> None:
    @app.post("/api/surface", tags=["Surface"])
    async def landscapes(view: surface.View) -> Response:
        """J over all straight boundaries, L as a saddle, and an optimiser's path on both."""
        return await remembered_json(surface.landscapes, view)


def _reading_routes(app: FastAPI) -> None:
    @app.get("/api/read/fonts", tags=["Read"])
    def fonts() -> list[str]:
        """Fonts a text can be printed in."""
        return list(reading.available_fonts())

    @app.post("/api/read/preview", tags=["Read"])
    def preview(page: reading.Page) -> dict[str, Any]:
        """The text as it would be printed: a strip of letter images."""
        return reading.preview(page)

    @app.post("/api/read", tags=["Read"])
    async def read(page: reading.Page, request: Request) -> dict[str, Any]:
        """Start a job that learns to read the images without a label, round by round."""
        return _jobs(request).start("read", page.model_dump()).summary()


_LONG = 900.0  # seconds that a fit goes on though its page was closed


def _own_routes(app: FastAPI) -> None:
    @app.put("/api/uploads/{name}", tags=["Your data"])
    async def upload(name: str, request: Request) -> dict[str, Any]:
        """Send a file as the body of the request; its id is used in the calls below."""
        key, path = await _uploads(request).take(name, request.stream())
        return {"id": key, "name": path.name, "bytes": path.stat().st_size}

    @app.post("/api/uploads/example", tags=["Your data"])
    def example(request: Request) -> dict[str, Any]:
        """Files to try: points of a machine's sensors, and its log book of other days."""
        uploads = _uploads(request)
        places = {role: uploads.place(name) for role, name in _EXAMPLE.items()}
        with tempfile.TemporaryDirectory() as folder:
            write_example_files(Path(folder))
            for role, (_, path) in places.items():
                shutil.move(Path(folder) / _EXAMPLE[role], path)
        return {role: {"id": key, "name": path.name} for role, (key, path) in places.items()}

    @app.post("/api/own/inspect", tags=["Your data"])
    async def inspect(asked: own_data.Inspection, request: Request) -> dict[str, Any]:
        """Start a job that says what a file holds, or why it cannot be used."""
        return _jobs(request).start("inspect", _with_paths(asked, request)).summary()

    @app.post("/api/own/doctor", tags=["Your data"])
    async def doctor(asked: own_data.Files, request: Request) -> dict[str, Any]:
        """Start a job that says whether this data can be learnt with this label model."""
        return _jobs(request).start("doctor", _with_paths(asked, request)).summary()

    @app.post("/api/own/fit", tags=["Your data"])
    async def fit(asked: own_data.Fitting, request: Request) -> dict[str, Any]:
        """Start a job that learns; its files are labels.csv and model.ventris."""
        return _jobs(request).start("fit", _with_paths(asked, request), patience=_LONG).summary()


_EXAMPLE = {"data": "points.npy", "labels": "labels.txt"}


def _uploads(request: Request) -> Uploads:
    return request.app.state.uploads


def _with_paths(asked: own_data.Inspection | own_data.Files, request: Request) -> dict[str, Any]:
    """The request with paths in place of ids."""
    plain = asked.model_dump()
    chosen = {role: plain[role] for role in ("data", "labels") if plain[role]}
    return plain | {role: str(_uploads(request).path(key)) for role, key in chosen.items()}


# ------------------------------------------------------------------------------------------------- jobs

Command = Literal["pause", "resume", "step", "stop"]


def _jobs(request: Request) -> Jobs:
    return request.app.state.jobs


async def _job(job_id: str, request: Request) -> Job:
    return _jobs(request).get(job_id)


TheJob = Annotated[Job, Depends(_job)]


def _job_routes(app: FastAPI) -> None:
    @app.get("/api/jobs/{job_id}", tags=["Jobs"])
    async def state(job: TheJob) -> dict[str, Any]:
        """Whether a job waits, runs or has ended."""
        return job.summary()

    @app.get("/api/jobs/{job_id}/events", tags=["Jobs"])
    async def events(job: TheJob, last_event_id: Annotated[int, Header()] = 0) -> StreamingResponse:
        """Everything a job tells, as server-sent events; the last is done, failed or cancelled."""
        return StreamingResponse(
            _as_stream(job, last_event_id),
            media_type="text/event-stream",
            headers={"cache-control": "no-store"},
        )

    @app.post("/api/jobs/{job_id}/{command}", tags=["Jobs"])
    async def command(job: TheJob, command: Command, request: Request) -> dict[str, Any]:
        """Pause, resume, do one step, or end with what there is."""
        _jobs(request).command(job, command)
        return job.summary()

    @app.delete("/api/jobs/{job_id}", tags=["Jobs"])
    async def cancel(job: TheJob, request: Request) -> dict[str, Any]:
        """End a job at once."""
        _jobs(request).cancel(job)
        return job.summary()

    @app.get("/api/jobs/{job_id}/files/{name}", tags=["Jobs"])
    async def file(job: TheJob, name: Literal["labels.csv", "model.ventris"]) -> FileResponse:
        """A file that a job has written."""
        path = job.folder / name
        if not path.is_file():
            raise UnknownError(f"{name} must have been written", "this job has not written it", "Fit first")
        return FileResponse(path, filename=name)


async def _as_stream(job: Job, after: int) -> AsyncIterator[str]:
    async for event in job.follow(after):
        if event is None:
            yield ": still here\n\n"
        else:
            yield f"id: {event.number}\nevent: {event.kind}\ndata: {event.data}\n\n"
