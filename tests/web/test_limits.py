"""Limits: of bodies, events, half-open lines, jobs, uploads, memory; what is forgotten leaves no folder."""

from __future__ import annotations

import asyncio
import io
import socket
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("fastapi")
from ventris.errors import FileFormatError, VentrisError
from ventris.readers import read_data
from ventris.web import jobs
from ventris.web.app import Settings, create_app
from ventris.web.jobs import Job, Jobs
from ventris.web.protocol import PatientProtocol
from ventris.web.rooms import own_data
from ventris.web.uploads import Uploads
from ventris.web.worker import Channel

SLEEP = "tests.web.test_limits:wait_for_stop"


@pytest.fixture(scope="module")
def app():
    return create_app(Settings())


@pytest.fixture(scope="module")
def client(visit, app):
    with visit(app) as client:
        yield client


# ----------------------------------------------------------------------------------------------- bodies


def test_a_question_may_have_a_megabyte(client):
    answer = client.post("/api/caesar", content=b'{"text": "' + bytes(2**21) + b'"}')
    assert answer.status_code == 413 and "megabytes" in answer.json()["error"]

    def parts():
        for _ in range(40):
            yield b" " * 2**16

    answer = client.post("/api/caesar", content=parts(), headers={"content-type": "application/json"})
    assert answer.status_code == 413  # though nothing said how long it would be


def test_an_event_may_have_a_megabyte_and_all_of_a_job_a_few():
    class Line:
        def send(self, message):
            raise AssertionError("sent")

    with pytest.raises(VentrisError, match="may have 1,048 thousand characters"):
        Channel(Line()).tell("done", label="x" * 2_000_000)
    job = Job("task", "", {}, Path())
    for _ in range(60):
        job.add("frame", "x" * 2**20)
    assert sum(len(event.data) for event in job.events) <= 12 * 2**20
    job.add("done", "{}")
    assert job.after(job.summary()["last_event"] - 1)[0].kind == "done"


def test_a_label_as_long_as_a_book_is_told_in_short(tmp_path):
    told = []

    class Ear:
        def tell(self, kind, /, **data):
            told.append(data)

    (tmp_path / "labels.txt").write_text("a b " + "c" * 300_000 + " a b\n")
    found = own_data.run_inspection({"labels": str(tmp_path / "labels.txt"), "order": 2}, Ear())
    assert len(str(found)) < 5000 and found["labels"]["n_classes"] == 3


# ------------------------------------------------------------------------------------ lines left half open


@pytest.mark.parametrize(
    "begun", [b"", b"GET / HTTP/1.1\r\nhost: 127.0", b"PUT /api/uploads/a.csv HTTP/1.1\r\nhost: {}\r\n"]
)
def test_a_request_that_does_not_come_whole_is_hung_up_on(visit, monkeypatch, begun):
    monkeypatch.setattr(PatientProtocol, "head_seconds", 0.5)
    monkeypatch.setattr(PatientProtocol, "body_seconds", 0.5)
    with visit(create_app(), http=PatientProtocol) as client:
        place = client.base_url
        if begun.startswith(b"PUT"):
            begun = begun.replace(b"{}", f"{place.host}:{place.port}".encode())
            begun += b"content-length: 100\r\n\r\nhalf"
        with socket.create_connection((place.host, place.port), timeout=20) as line:
            line.sendall(begun)
            try:
                while line.recv(4096):
                    pass
            except ConnectionResetError:
                pass
        assert client.get("/api/about").status_code == 200
        time.sleep(0.7)
        assert client.get("/api/about").status_code == 200  # a line that rests between requests is kept


# ------------------------------------------------------------------------------------- jobs and their folders


def test_each_visitor_has_so_many_jobs_and_a_shared_one_is_there_for_all(tmp_path):
    async def try_it():
        kept = Jobs(tmp_path, limit=0)
        first = [kept.start("t", "p", {"n": n}, visitor="a") for n in range(jobs._OF_ONE)]
        with pytest.raises(VentrisError, match="jobs of one visitor"):
            kept.start("t", "p", {}, visitor="a")
        other = kept.start("t", "p", {"n": 1}, visitor="b", shared=True)
        assert kept.start("t", "p", {"n": 1}, visitor="a", shared=True) is other
        assert kept.start("t", "p", {"n": 2}, visitor="b", shared=True) is not other
        for job in first:
            kept.cancel(job)
        assert kept.start("t", "p", {}, visitor="a").state == "waiting"

    asyncio.run(try_it())


def test_a_job_lives_a_quarter_of_an_hour_and_its_folder_no_longer(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "_SWEEP", 0.05)

    async def try_it():
        kept = Jobs(tmp_path, limit=0)
        sweeper = asyncio.create_task(kept._sweep())
        old, young = kept.start("t", "p", {}), kept.start("t", "p", {})
        old.folder.mkdir()
        old.add("done", "{}")
        assert old.patience == young.patience == 900
        old.seen -= 901
        young.seen -= 890
        await asyncio.sleep(0.5)
        assert old.id not in kept.all and young.id in kept.all and not young.has_ended
        young.seen -= 20
        await asyncio.sleep(0.3)
        assert young.state == "cancelled"
        sweeper.cancel()

    asyncio.run(try_it())
    deadline = time.monotonic() + 10
    while list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(tmp_path.iterdir()) == []


def test_the_largest_worker_goes_when_all_together_use_too_much(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "resident", lambda pid: pid)

    class Pretended:
        def __init__(self, size):
            self.process = type("P", (), {"pid": size})
            self.job, self.killed = Job("t", "p", {}, tmp_path), False

        def kill(self):
            self.killed = True

    async def try_it():
        kept = Jobs(tmp_path, memory=100)
        kept._workers = [Pretended(30), Pretended(60)]
        kept._keep_to_memory()
        assert not any(worker.killed for worker in kept._workers)
        kept._workers[0].process.pid = 50
        kept._keep_to_memory()
        assert [worker.killed for worker in kept._workers] == [False, True]
        assert "of memory" in kept._workers[1].job.events[-1].data

    asyncio.run(try_it())


# ------------------------------------------------------------------------------------------ uploads, bombs


def test_each_visitor_keeps_so_many_files_and_those_of_others_stay(tmp_path):
    kept = Uploads(tmp_path, 1000)

    def bring(visitor):
        key, path = kept.place("a.csv", visitor)
        path.write_text("1")
        return key

    theirs = bring("b")
    mine = [bring("a") for _ in range(20)]
    assert kept.path(theirs).exists() and kept.path(mine[-1]).exists()
    with pytest.raises(VentrisError, match="id must be known"):
        kept.path(mine[0])
    assert len(list(tmp_path.iterdir())) == 13


def test_what_would_unpack_to_more_than_there_is_is_refused_before(tmp_path, monkeypatch):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq
    from PIL import Image

    for module in ("tables", "archives", "images", "arrays"):
        monkeypatch.setattr(f"ventris.readers.{module}.free_memory", lambda: 1e6)
    table = pa.table({"x": pa.array(np.zeros(400_000)), "y": pa.array(np.zeros(400_000))})
    pq.write_table(table, tmp_path / "bomb.parquet")
    assert (tmp_path / "bomb.parquet").stat().st_size < 50_000
    image = io.BytesIO()
    Image.new("L", (600, 600)).save(image, "PNG")
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.png", image.getvalue())
        archive.writestr("1.bmp", bytes(3_000_000))
    np.savez_compressed(tmp_path / "bomb.npz", X=np.zeros((400_000, 2)))
    for name in ("bomb.parquet", "bomb.zip", "bomb.npz"):
        with pytest.raises(FileFormatError, match="must fit into memory"):
            read_data(tmp_path / name)
