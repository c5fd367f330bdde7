"""A crowd at once: how quick Ventris Studio answers while one job learns, and what it needs for it.

Run: python tools/load_studio.py [--visitors 50] [--seconds 30]

It starts a server of its own and measures one visitor on it; then a training job, and so many visitors;
then twice as many; then 1,500 lines that send half a request. A visitor is a browser's worth of calls in all
rooms: the page and its scripts, presets, messages of their own, chains, landscapes, previews as they type,
the runs a room opens with and what these tell. The wishes: no error; of all calls but previews 95 in 100
within five times the idle median; of previews within two seconds; the server's memory in the end within
100 MB of its start.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

TEXT = "the method learns from what follows what and nobody tells it the answer it only counts and waits"
THINK = (0.5, 1.5)  # seconds between an answer and the next question
WISH, PREVIEW_WISH, MEMORY_WISH = 5.0, 2.0, 100.0
N_LINES = 1500
PAPER = {"x0": -0.504, "y0": -0.264, "x1": 1.646, "y1": 0.181, "variance": 0.4}
TRAINING = {**PAPER, "frames": 3000, "updates": 1000}
CHAINS = [(0.4, 0.9), (0.5, 0.8), (0.3, 0.6), (0.7, 0.2)]
SCRIPTS = ["", "static/app.js", "static/style.css", "static/rooms/two.js", "static/rooms/read.js"]
FONTS = ["DejaVuSans", "DejaVuSerif", "DejaVuSansMono"]
PREVIEW = "preview"
Call = tuple[str, str, str, object]  # kind, method, path, body


@dataclass
class Record:
    """Seconds of each call by kind, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def add(self, kind: str, seconds: float) -> None:
        self.seconds.setdefault(kind, []).append(seconds)

    def others(self) -> list[float]:
        """All calls but previews, in order."""
        return sorted(s for kind, part in self.seconds.items() if kind != PREVIEW for s in part)

    def previews(self) -> list[float]:
        return sorted(self.seconds.get(PREVIEW, []))


def share_below(sorted_seconds: list[float], share: float) -> float:
    """The value that this share of the calls stayed below."""
    return sorted_seconds[min(len(sorted_seconds) - 1, int(share * len(sorted_seconds)))]


@dataclass
class Line:
    """A kept connection, as a browser holds it; a fuller client would spend more time than the server."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    host: str

    @classmethod
    async def open(cls, address: str) -> Line:
        place = urlsplit(address)
        return cls(*await asyncio.open_connection(place.hostname, place.port), place.netloc)

    async def ask(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        data = json.dumps(body).encode() if body is not None else b""
        head = f"{method} {path} HTTP/1.1\r\nhost: {self.host}\r\ncontent-type: application/json\r\n"
        self.writer.write(f"{head}content-length: {len(data)}\r\n\r\n".encode() + data)
        status = int((await self.reader.readline()).split()[1])
        length = 0
        while (line := await self.reader.readline()) != b"\r\n":
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return status, await self.reader.readexactly(length)


# ------------------------------------------------------------------------------------------ a visitor


def rounds(rng: random.Random) -> Iterator[Call]:
    """What one browser asks as its owner goes from room to room; runs are followed by `visit`."""
    while True:
        for script in SCRIPTS:
            yield "page", "GET", f"/{script}", None
        yield "about", "GET", "/api/about", None
        yield "presets", "GET", "/api/caesar/presets", None
        for _ in range(3):
            yield "caesar", "POST", "/api/caesar", {"text": " ".join(rng.choices(TEXT.split(), k=25))}
        p01, p10 = rng.choice(CHAINS)
        yield "presets", "GET", "/api/two/presets", None
        yield "two", "POST", "/api/two", {**PAPER, "p01": p01, "p10": p10}
        yield "run", "POST", "/api/two/train?shared=true", {**PAPER, "p01": p01, "p10": p10, "frames": 60}
        view = {"chain": rng.randint(1, 10), "order": rng.choice([1, 2]), "intercept": rng.random() < 0.5}
        yield "surface", "POST", "/api/surface", view
        yield "presets", "GET", "/api/read/presets", None
        words = rng.choices(TEXT.split(), k=8)
        for n in range(4, 9, 2):  # the line grows under the fingers
            asked = {"text": " ".join(words[:n]), "fonts": [rng.choice(FONTS)], "noise": 0.15}
            yield PREVIEW, "POST", "/api/read/preview", asked
        yield "run", "POST", "/api/own/example?shared=true", {"n": 1000, "order": 2, "seed": 0}


async def ask(line: Line, call: Call, record: Record) -> bytes:
    kind, method, path, body = call
    began = time.perf_counter()
    status, answer = await line.ask(method, path, body)
    record.add(kind, time.perf_counter() - began)
    if status != 200:
        record.problems.append(f"{path}: {status} {answer[:80]!r}")
    return answer


async def visit(line: Line, call: Call, record: Record) -> None:
    """One call; of a run that is begun or joined, also what it has told so far."""
    answer = await ask(line, call, record)
    if call[0] == "run":
        job = json.loads(answer).get("id", "")
        await ask(line, ("events", "GET", f"/api/events?follow={job}:0", None), record)


async def visitor(address: str, seed: int, until: float, record: Record) -> None:
    rng = random.Random(seed)
    await asyncio.sleep(rng.uniform(0, THINK[1]))  # nobody comes at the same instant
    try:
        line, calls = await Line.open(address), rounds(rng)
        for _ in range(rng.randrange(15)):
            next(calls)  # and not all begin in the same room
        while time.perf_counter() < until:
            await visit(line, next(calls), record)
            await asyncio.sleep(rng.uniform(*THINK))
        line.writer.close()
    except (OSError, EOFError, ValueError, IndexError) as problem:
        record.problems.append(repr(problem))


# ------------------------------------------------------------------------------------------ the battery


async def alone(address: str) -> Record:
    """One visitor on an idle server, after a first round in which everything is begun."""
    record, rng, line = Record(), random.Random(0), await Line.open(address)
    while json.loads((await line.ask("GET", "/api/about"))[1])["jobs_running"]:
        await asyncio.sleep(0.5)  # the server still draws the landscapes it expects to be asked for
    calls = rounds(rng)
    for number in range(100):
        await visit(line, next(calls), record if number >= 25 else Record())
        await asyncio.sleep(rng.uniform(0.1, 0.3))  # who looks too: a busy loop would be warmer
    return record


async def train(address: str) -> int:
    """Start a job and count the frames it tells, until cancelled."""
    line, frames = await Line.open(address), 0
    job = json.loads((await line.ask("POST", "/api/two/train", TRAINING))[1])["id"]
    line.writer.write(f"GET /api/jobs/{job}/events HTTP/1.1\r\nhost: {line.host}\r\n\r\n".encode())
    try:
        while told := await line.reader.readline():
            frames += told == b"event: frame\n"
    except asyncio.CancelledError:
        line.writer.close()
    return frames


async def crowd(address: str, visitors: int, seconds: float) -> tuple[Record, int]:
    """So many visitors beside a training job."""
    record, training = Record(), asyncio.create_task(train(address))
    await asyncio.sleep(2)
    until = time.perf_counter() + seconds
    await asyncio.gather(*(visitor(address, seed, until, record) for seed in range(1, visitors + 1)))
    training.cancel()
    return record, await training


async def half_open(address: str, record: Record) -> None:
    """Lines that send half a request; someone else is answered meanwhile."""
    lines = [await Line.open(address) for _ in range(N_LINES)]
    for line in lines:
        line.writer.write(b"POST /api/caesar HTTP/1.1\r\nhost: ")
    asking = await Line.open(address)
    await visit(asking, ("page", "GET", "/", None), record)
    await visit(asking, ("caesar", "POST", "/api/caesar", {"text": TEXT}), record)
    for line in lines:
        line.writer.close()


def show(name: str, record: Record) -> None:
    for kind, part in [*record.seconds.items(), ("all but previews", record.others())]:
        ms = [1000 * share_below(sorted(part), share) for share in (0.5, 0.95, 1.0)]
        told = f"median {ms[0]:.1f}, p95 {ms[1]:.1f}, max {ms[2]:.1f}"
        print(f"{name:12} {kind:17} {len(part):6} calls, ms: {told}")


def megabytes(pid: int) -> float:
    """Memory of the server itself; its workers come and go."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def judge(idle: Record, loaded: Record, twice: Record, lines: Record, grown: float) -> bool:
    """Say each wish and whether it came true."""
    ratio = share_below(loaded.others(), 0.95) / share_below(idle.others(), 0.5)
    preview = share_below(loaded.previews(), 0.95)
    problems = [*idle.problems, *loaded.problems, *twice.problems, *lines.problems]
    wishes = {
        f"{len(problems)} errors": not problems,
        f"p95 of all calls but previews is {ratio:.1f} times the idle median (at most {WISH:g})": ratio
        <= WISH,
        f"p95 of previews is {preview:.2f} s (at most {PREVIEW_WISH:g})": preview <= PREVIEW_WISH,
        f"the server grew by {grown:.0f} MB (at most {MEMORY_WISH:g})": grown <= MEMORY_WISH,
    }
    for words, came_true in wishes.items():
        print("yes" if came_true else "NO ", words)
    print(*problems[:8], sep="\n")
    return all(wishes.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visitors", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30.0)
    chosen = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # for the lines of this side
    command = [sys.executable, "-m", "ventris", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        address = server.stderr.readline().split(" at ")[1].strip()
        threading.Thread(target=server.stderr.read, daemon=True).start()
        try:
            idle = asyncio.run(alone(address))
            began = megabytes(server.pid)
            before = os.getloadavg()[0]
            loaded, frames = asyncio.run(crowd(address, chosen.visitors, chosen.seconds))
            twice, _ = asyncio.run(crowd(address, 2 * chosen.visitors, chosen.seconds / 2))
            lines = Record()
            asyncio.run(half_open(address, lines))
            grown = megabytes(server.pid) - began
        finally:
            server.terminate()
    print(
        f"{os.cpu_count()} cores; load average {before:.1f} before the crowd (all that runs on this machine)"
    )
    show("idle", idle)
    show(f"{chosen.visitors} visitors", loaded)
    show(f"{2 * chosen.visitors} visitors", twice)
    print(f"training told {frames} frames meanwhile; {N_LINES:,} lines half open: the page answered")
    return 0 if judge(idle, loaded, twice, lines, grown) else 1


if __name__ == "__main__":
    sys.exit(main())
