"""What must not be lost: a job that nobody watches, its files, everything else when a worker is killed."""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx
import psutil

from reliability.tally import Group
from reliability.web.attacks import MEANS, last_event, still_works
from reliability.web.server import Server

N_KILLS = 5
SLOW = {**MEANS, "n": 6000, "frames": 3000, "updates": 10_000}


def kept(server: Server) -> Group:
    """A job is found again by its id, from its first event, by whoever comes later."""
    group = Group("jobs and files found again")
    with server.client() as client:
        job = client.post("/api/two/train", json={**MEANS, "n": 600, "frames": 20, "updates": 10}).json()[
            "id"
        ]
        group.hold("a job runs to its end unwatched", lambda: _ended(client, job))
    with server.client() as other:
        group.hold("all its events are there for another tab", lambda: _whole(other, job))
        files = other.post("/api/uploads/example").json()
        group.hold("files are found by their ids", lambda: _found(other, files))
        asked = {"n": 1000, "order": 2}
        first = other.post("/api/own/example?shared=true", json=asked).json()["id"]
        again = other.post("/api/own/example?shared=true", json=asked).json()["id"]
        group.add("who asks the same follows the same job", "" if first == again else "another job was begun")
        group.hold("none of them can end it", lambda: _not_ended(other, first))
        group.hold("its three files can be fetched", lambda: _files(other, first))
    return group


def _ended(client: httpx.Client, job: str) -> None:
    assert last_event(client, job)[0] == "done"


def _whole(client: httpx.Client, job: str) -> None:
    told = client.get(f"/api/events?follow={job}:0").json()["jobs"][job]
    assert [number for number, _, _ in told] == list(range(1, len(told) + 1)) and told[-1][1] == "done"


def _found(client: httpx.Client, files: dict[str, dict[str, str]]) -> None:
    for file in files.values():
        assert client.get(f"/api/uploads/{file['id']}").json()["name"] == file["name"]


def _not_ended(client: httpx.Client, job: str) -> None:
    assert client.delete(f"/api/jobs/{job}").json()["state"] != "cancelled"


def _files(client: httpx.Client, job: str) -> None:
    assert last_event(client, job)[0] == "done"
    for name in ("labels.csv", "model.ventris", "report.html"):
        answer = client.get(f"/api/jobs/{job}/files/{name}")
        assert answer.status_code == 200 and answer.content


def killed(server: Server) -> Group:
    """A worker killed at work costs its job, which says so, and nothing else."""
    group = Group(f"{N_KILLS} workers killed at work")
    with server.client() as client:
        while client.get("/api/about").json()["jobs_running"]:
            time.sleep(0.5)
        for number in range(N_KILLS):
            group.hold(f"killed worker {number + 1}", lambda n=number: _kill_one(server, client, n))
        group.hold("an answering process killed", lambda: _kill_all(server, client))
        group.hold("afterwards", lambda: still_works(client))
    return group


def _kill_one(server: Server, client: httpx.Client, seed: int) -> None:
    job = client.post("/api/two/train", json=SLOW | {"seed": seed}).json()["id"]
    while client.get(f"/api/jobs/{job}").json()["state"] == "waiting":
        pass
    client.get(f"/api/events?follow={job}:0&wait=20")  # it is at work
    _busiest(server).kill()
    kind, data = last_event(client, job)
    assert kind == "failed" and "ended unexpectedly" in data["message"], f"{kind}: {data}"
    assert client.get("/api/about").status_code == 200


def _workers(server: Server) -> list[psutil.Process]:
    """Processes that learn or answer; Python's own keeper of semaphores is none."""
    return [
        child for child in server.process.children() if "resource_tracker" not in " ".join(child.cmdline())
    ]


def _busiest(server: Server) -> psutil.Process:
    workers = _workers(server)
    for worker in workers:
        worker.cpu_percent()
    psutil.cpu_percent(0.6)
    return max(workers, key=lambda worker: worker.cpu_percent())


def _kill_all(server: Server, client: httpx.Client) -> None:
    for worker in _workers(server):
        worker.kill()
    answer = client.post("/api/caesar", json={"text": "QEB NRFZH YOLTK CLU"})
    assert answer.status_code == 200 and answer.json()["best"] == 23, answer.text[:120]


GROUPS: tuple[Callable[[Server], Group], ...] = (kept, killed)
