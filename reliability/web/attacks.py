"""What a stranger may try: each gets nothing, and the page still answers afterwards."""

from __future__ import annotations

import io
import socket
import tempfile
import time
import zipfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from reliability.tally import Group
from reliability.web.server import Server

N_LINES = 1500  # half-open at the same time
MEANS = {"x0": -0.504, "y0": -0.264, "x1": 1.646, "y1": 0.181}


def refused(answer: httpx.Response, *statuses: int) -> None:
    """A refusal is one of these statuses, a sentence, and carries the policy."""
    assert answer.status_code in statuses, f"{answer.status_code}: {answer.text[:120]}"
    assert answer.json()["error"], "no sentence"
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def paths(server: Server) -> Group:
    """Addresses that would lead to files of the machine."""
    group = Group("paths that lead elsewhere")
    inside = ["..%2f..%2fpyproject.toml", "%2e%2e/app.py", "....//app.py", "/etc/passwd", "%00", "..\\app.py"]
    with server.client() as client:
        for name in inside:
            group.hold(f"/static/{name}", lambda n=name: refused(client.get(f"/static/{n}"), 400, 404))
            for form in (f"/api/jobs/{name}/files/labels.csv", f"/api/uploads/{name}"):
                group.hold(form, lambda f=form: refused(client.get(f), 400, 404, 405, 422))
        fonts = {"text": "abc", "fonts": ["/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"]}
        group.hold("a path for a font", lambda: refused(client.post("/api/read/preview", json=fonts), 422))
        files = {"data": "../../etc/passwd", "labels": "/etc/passwd"}
        group.hold("a path for an id", lambda: refused(client.post("/api/own/fit", json=files), 404, 422))
    return group


def strangers(server: Server) -> Group:
    """Requests of other sites, and under other names (DNS rebinding)."""
    group = Group("other sites and other names")
    with server.client() as client:
        for host in ("evil.example", "evil.example:80", "[::1", "", "127.0.0.1.evil.example"):
            group.hold(
                f"host {host!r}",
                lambda h=host: refused(client.get("/api/about", headers={"host": h}), 400, 403),
            )
        for origin in ("http://evil.example", "null", "http://[::1", "https://127.0.0.1"):
            for method, path in (
                ("POST", "/api/caesar"),
                ("PUT", "/api/uploads/a.csv"),
                ("DELETE", "/api/jobs/a"),
            ):
                group.hold(
                    f"{method} of {origin}",
                    lambda m=method, p=path, o=origin: refused(
                        client.request(m, p, content=b"{}", headers={"origin": o}), 403
                    ),
                )
    return group


def floods(server: Server) -> Group:
    """More than anyone needs: refused in time, and forgotten."""
    group = Group("floods of bodies, jobs and lines")
    with server.client() as client:
        large = b'{"text": "' + b"a" * 2**24 + b'"}'
        for path in ("/api/caesar", "/api/two/train", "/api/read/preview"):
            group.hold(f"16 MB to {path}", lambda p=path: refused(client.post(p, content=large), 413))
        group.hold(
            "a file of 9 MB", lambda: refused(client.put("/api/uploads/a.csv", content=bytes(9 * 2**20)), 413)
        )
        group.hold("forty jobs", lambda: forty_jobs(client))
        group.hold("sixty files", lambda: sixty_files(client))
    before = server.megabytes()
    group.hold(f"{N_LINES:,} lines half open", lambda: half_open(server))
    group.measured = f"server {before:.0f} MB before the lines, {server.megabytes():.0f} MB after"
    return group


def forty_jobs(client: httpx.Client) -> None:
    """Most are refused with a sentence, none with an error."""
    slow = {**MEANS, "n": 600, "frames": 3000, "updates": 1000}
    answers = [client.post("/api/two/train", json=slow | {"seed": seed}) for seed in range(40)]
    for answer in answers:
        if answer.status_code != 200:
            refused(answer, 429)
    for answer in answers:
        if answer.status_code == 200:
            client.delete(f"/api/jobs/{answer.json()['id']}")
    assert any(answer.status_code == 429 for answer in answers)


def sixty_files(client: httpx.Client) -> None:
    """The newest are kept, the oldest are gone."""
    keys = [client.put("/api/uploads/a.csv", content=b"1,2\n").json()["id"] for _ in range(60)]
    assert client.get(f"/api/uploads/{keys[-1]}").status_code == 200
    refused(client.get(f"/api/uploads/{keys[0]}"), 404)


def half_open(server: Server) -> None:
    """The page answers while the lines stand, and they are gone after a while."""
    begun = b"POST /api/caesar HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-le"
    with ExitStack() as lines:
        opened = []
        for _ in range(N_LINES):
            line = lines.enter_context(socket.create_connection(server.place, timeout=30))
            line.sendall(begun)
            opened.append(line)
        with server.client() as client:
            assert client.get("/api/about").status_code == 200
        time.sleep(14)  # longer than a head may take
        standing = sum(_stands(line) for line in opened)
    assert standing == 0, f"{standing} lines still stand"


def _stands(line: socket.socket) -> bool:
    line.settimeout(2)
    try:
        return bool(line.recv(1))
    except TimeoutError:
        return True
    except OSError:
        return False


def bombs(server: Server) -> Group:
    """Files that unpack to more than there is, or run what they hold: a sentence, and the next job runs."""
    group = Group("files that unpack to too much, or hold a program")
    with server.client() as client:
        for name, content in _bombs().items():
            group.hold(name, lambda n=name, c=content: _inspect(client, n, c))
        group.hold("afterwards", lambda: still_works(client))
    return group


def _bombs() -> dict[str, bytes]:
    made: dict[str, bytes] = {}
    zeros = io.BytesIO()
    np.savez_compressed(zeros, X=np.zeros((1, 1)))
    claimed = io.BytesIO()
    with zipfile.ZipFile(claimed, "w", zipfile.ZIP_DEFLATED) as archive:
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            header, {"descr": "<f8", "fortran_order": False, "shape": (10**10, 2)}
        )
        archive.writestr("X.npy", header.getvalue() + bytes(10_000_000))
    made["bomb.npz"] = claimed.getvalue()
    images = io.BytesIO()
    with zipfile.ZipFile(images, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(40):
            archive.writestr(f"{number}.png", bytes(20_000_000))
    made["bomb.zip"] = images.getvalue()
    with tempfile.TemporaryDirectory() as folder:
        evil = Path(folder) / "evil.npy"
        np.save(evil, np.array([print], dtype=object), allow_pickle=True)
        made["evil.npy"] = evil.read_bytes()
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError:
            return made
        table = pa.table({f"x{k}": pa.array(np.zeros(4_000_000, dtype=np.int8)) for k in range(200)})
        pq.write_table(table, Path(folder) / "bomb.parquet")
        made["bomb.parquet"] = (Path(folder) / "bomb.parquet").read_bytes()
    return made


def _inspect(client: httpx.Client, name: str, content: bytes) -> None:
    key = client.put(f"/api/uploads/{name}", content=content).json()["id"]
    job = client.post("/api/own/inspect", json={"data": key}).json()["id"]
    kind, data = last_event(client, job)
    assert kind == "failed" and data["message"], f"{kind}: {str(data)[:160]}"


def last_event(client: httpx.Client, job: str, seconds: float = 180.0) -> tuple[str, Any]:
    """How a job ended, and what it said."""
    after, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        found = client.get(f"/api/events?follow={job}:{after}&wait=10").json()
        for number, kind, data in found["jobs"].get(job, []):
            after = number
            if kind in ("done", "failed", "cancelled"):
                return kind, data
    raise AssertionError("the job did not end")


def still_works(client: httpx.Client) -> None:
    """The page answers, and a job runs to its end."""
    assert client.get("/").status_code == 200
    job = client.post("/api/two/train", json={**MEANS, "n": 600, "frames": 2, "updates": 10}).json()
    assert last_event(client, job["id"])[0] == "done"


GROUPS: tuple[Callable[[Server], Group], ...] = (paths, strangers, floods, bombs)
