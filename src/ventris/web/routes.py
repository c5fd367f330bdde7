"""Routes made of what a room lists; and those of uploads and jobs, which all rooms share."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import Depends, FastAPI, Header, Query, Request
from fastapi.responses import FileResponse, Response, StreamingResponse
from pydantic import BaseModel

from ventris.demos.example_files import write_example_files
from ventris.storage.files import atomic_path
from ventris.web.errors import UnknownError
from ventris.web.jobs import Job, Jobs
from ventris.web.room import Answer, Room, Task, place_of

FILES = Literal["labels.csv", "model.ventris", "report.html"]
_EXAMPLE = {"data": "points.npy", "labels": "labels.txt"}
_LONGEST_WAIT = 20.0  # seconds that a call for news may hang
_MOST_FOLLOWED = 64  # jobs in one such call


class Refusal(BaseModel):
    """What every refusal holds."""

    error: str


_STATUS = {
    400: "The request makes no sense.",
    403: "Without the token, under another name, or from another page.",
    404: "There is nothing of that name.",
    405: "Not in this way.",
    409: "A newer one was asked for.",
    413: "More than the server takes.",
    422: "A sentence says what was expected.",
    429: "Too much is under way already.",
}


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Refusals of a call as the description of the interface lists them."""
    return {
        status: {"model": Refusal, "description": _STATUS[status]} for status in {400, 403, 405, *statuses}
    }


def visitor_of(request: Request) -> str:
    """Who asks, as far as limits are concerned: an address."""
    return request.client.host if request.client else ""


# ------------------------------------------------------------------------------------------------ a room


def add_room(app: FastAPI, room: Room) -> None:
    """Routes of everything that a room lists."""
    for answer in room.answers:
        _add_answer(app, room, answer)
    for task in room.tasks:
        _add_task(app, room, task)


def _add_answer(app: FastAPI, room: Room, asked: Answer) -> None:
    more: dict[str, Any] = {"tags": [room.title], "description": asked.about, "name": asked.path}
    if asked.question is None:

        async def look_up(request: Request) -> Response:
            return _json(await request.app.state.answers.ask(asked, ""))

        app.get(f"/api{asked.path}", responses=documented(), **more)(look_up)
        return

    async def answer(
        question: BaseModel, request: Request, x_tab: Annotated[str, Header(max_length=40)] = ""
    ) -> Response:
        text = question.model_dump_json()
        return _json(await request.app.state.answers.ask(asked, text, x_tab))

    answer.__annotations__["question"] = asked.question
    app.post(f"/api{asked.path}", responses=documented(409, 413, 422, 429), **more)(answer)


def _add_task(app: FastAPI, room: Room, task: Task) -> None:
    async def start(question: BaseModel, request: Request, shared: bool = False) -> dict[str, Any]:
        request_ = _with_paths(question, task, request)
        place, visitor = place_of(task.run), visitor_of(request)
        can_share = shared and not task.files
        return _jobs(request).start(task.name, place, request_, visitor=visitor, shared=can_share).summary()

    start.__annotations__["question"] = task.question
    app.post(
        f"/api{task.path}",
        tags=[room.title],
        name=task.path,
        description=f"{task.about} With shared=true all who ask the same follow one job.",
        responses=documented(404, 413, 422, 429),
    )(start)


def _with_paths(question: BaseModel, task: Task, request: Request) -> dict[str, Any]:
    """The question as plain data, with paths in place of ids of uploads."""
    given = question.model_dump()
    chosen = {role: given[role] for role in task.files if given.get(role)}
    return given | {role: str(request.app.state.uploads.path(key)) for role, key in chosen.items()}


def _json(text: str) -> Response:
    return Response(text, media_type="application/json")


# --------------------------------------------------------------------------------------------- uploads


def add_uploads(app: FastAPI) -> None:
    """Files in, and what is known of them."""

    @app.put("/api/uploads/{name}", tags=["Your data"], responses=documented(404, 413, 422, 429))
    async def upload(name: str, request: Request) -> dict[str, Any]:
        """Send a file as the body of the request; its id is used in other calls."""
        uploads = request.app.state.uploads
        key, path = await uploads.take(name, request.stream(), visitor_of(request))
        return {"id": key, "name": path.name, "bytes": path.stat().st_size}

    @app.get("/api/uploads/{name}", tags=["Your data"], responses=documented(404, 422))
    async def uploaded(name: str, request: Request) -> dict[str, Any]:
        """Name and size of the file of this id, if it is still there."""
        path = request.app.state.uploads.path(name)
        return {"id": name, "name": path.name, "bytes": path.stat().st_size}

    @app.post("/api/uploads/example", tags=["Your data"], responses=documented(404, 422))
    def example(request: Request) -> dict[str, Any]:
        """Files to try: points of a machine's sensors, and its log book of other days."""
        uploads, visitor = request.app.state.uploads, visitor_of(request)
        places = {role: uploads.place(name, visitor) for role, name in _EXAMPLE.items()}
        with tempfile.TemporaryDirectory() as folder:
            write_example_files(Path(folder))
            for role, (_, path) in places.items():
                with atomic_path(path) as temporary:
                    shutil.copyfile(Path(folder) / _EXAMPLE[role], temporary)
        return {role: {"id": key, "name": path.name} for role, (key, path) in places.items()}


# ------------------------------------------------------------------------------------------------- jobs


def _jobs(request: Request) -> Jobs:
    return request.app.state.jobs


async def _job(job_id: str, request: Request) -> Job:
    return _jobs(request).get(job_id)


TheJob = Annotated[Job, Depends(_job)]
Followed = Annotated[
    list[Annotated[str, Query(pattern=r"^[0-9a-f]{16}:[0-9]{1,9}$")]],
    Query(max_length=_MOST_FOLLOWED, description="id:number, the number of the last event known"),
]


def add_jobs(app: FastAPI) -> None:
    """What a job tells, how to end it, and what it wrote."""

    @app.get("/api/events", tags=["Jobs"], responses=documented(404, 422))
    async def news(request: Request, follow: Followed, wait: float = 0.0) -> Response:
        """What several jobs have told since, as soon as there is something: one line serves all pages."""
        after = {key: int(number) for key, number in (each.split(":") for each in follow)}
        found = await _jobs(request).news(after, min(max(0.0, wait), _LONGEST_WAIT))
        told = ",".join(
            f'"{key}":[{",".join(f"[{e.number},{chr(34)}{e.kind}{chr(34)},{e.data}]" for e in events)}]'
            for key, events in found["jobs"].items()
        )
        gone = ",".join(f'"{key}"' for key in found["gone"])
        return _json(f'{{"jobs":{{{told}}},"gone":[{gone}]}}')

    @app.get("/api/jobs/{job_id}", tags=["Jobs"], responses=documented(404, 422))
    async def state(job: TheJob) -> dict[str, Any]:
        """Whether a job waits, runs or has ended."""
        return job.summary()

    @app.get(
        "/api/jobs/{job_id}/events",
        tags=["Jobs"],
        responses=documented(404, 422) | {200: {"content": {"text/event-stream": {}}}},
        response_class=StreamingResponse,
    )
    async def events(
        job: TheJob, last_event_id: Annotated[int, Header(ge=0, le=10**9)] = 0
    ) -> StreamingResponse:
        """Everything a job tells, as server-sent events; the last is done, failed or cancelled."""
        return StreamingResponse(
            _as_stream(job, last_event_id),
            media_type="text/event-stream",
            headers={"cache-control": "no-store"},
        )

    @app.delete("/api/jobs/{job_id}", tags=["Jobs"], responses=documented(404, 422))
    async def cancel(job: TheJob, request: Request) -> dict[str, Any]:
        """End a job at once, unless others may follow it too."""
        if not job.shared:
            _jobs(request).cancel(job)
        return job.summary()

    @app.get(
        "/api/jobs/{job_id}/files/{name}",
        tags=["Jobs"],
        responses=documented(404, 422) | {200: {"content": {"*/*": {}}}},
        response_class=FileResponse,
    )
    async def file(job: TheJob, name: FILES) -> FileResponse:
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
