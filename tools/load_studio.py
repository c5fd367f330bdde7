"""Fifty visitors at once: how quick Ventris Studio answers while one job learns.

Run: python tools/load_studio.py [--visitors 50] [--seconds 30]

It starts a server of its own, measures one visitor on an idle server, then starts a training job that it
follows, and sends the visitors to rooms 1 and 3. Each types a message of their own or chooses a landscape,
looks at it for about a second, and goes on. The wish: no error, and 95 of 100 answers within five times the
idle median.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

TEXT = "the method learns from what follows what and nobody tells it the answer it only counts and waits"
THINK = (0.5, 1.5)  # seconds between an answer and the next question
WISH = 5.0
TRAINING = {"x0": -0.504, "y0": -0.264, "x1": 1.646, "y1": 0.181, "frames": 3000, "updates": 1000}


@dataclass
class Record:
    """Seconds of each call by room, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {"caesar": [], "surface": []})
    problems: list[str] = field(default_factory=list)

    def all(self) -> list[float]:
        return sorted(second for part in self.seconds.values() for second in part)


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


async def call(line: Line, rng: random.Random, record: Record) -> None:
    """One question of a visitor."""
    room = rng.choice(["caesar", "surface"])
    if room == "caesar":
        body: dict[str, object] = {"text": " ".join(rng.choices(TEXT.split(), k=25))}
    else:
        body = {"chain": rng.randint(1, 10), "order": rng.choice([1, 2]), "intercept": rng.random() < 0.5}
    began = time.perf_counter()
    status, answer = await line.ask("POST", f"/api/{room}", body)
    record.seconds[room].append(time.perf_counter() - began)
    if status != 200:
        record.problems.append(f"{room}: {status} {answer[:80]!r}")


async def visitor(address: str, seed: int, until: float, record: Record) -> None:
    rng = random.Random(seed)
    await asyncio.sleep(rng.uniform(0, THINK[1]))  # nobody comes at the same instant
    try:
        line = await Line.open(address)
        while time.perf_counter() < until:
            await call(line, rng, record)
            await asyncio.sleep(rng.uniform(*THINK))
        line.writer.close()
    except (OSError, EOFError, ValueError, IndexError) as problem:
        record.problems.append(repr(problem))


async def follow_training(address: str) -> int:
    """Start a job and count the frames it tells, until cancelled."""
    line, frames = await Line.open(address), 0
    job = json.loads((await line.ask("POST", "/api/two/train", TRAINING))[1])
    line.writer.write(f"GET /api/jobs/{job['id']}/events HTTP/1.1\r\nhost: {line.host}\r\n\r\n".encode())
    try:
        while told := await line.reader.readline():
            frames += told == b"event: frame\n"
    except asyncio.CancelledError:
        line.writer.close()
    return frames


async def measure(address: str, visitors: int, seconds: float) -> tuple[Record, Record, int]:
    idle, loaded, rng, line = Record(), Record(), random.Random(0), await Line.open(address)
    while json.loads((await line.ask("GET", "/api/about"))[1])["jobs_running"]:
        await asyncio.sleep(0.5)  # the server still draws the landscapes it expects to be asked for
    for _ in range(80):
        await call(line, rng, idle)
        await asyncio.sleep(rng.uniform(0.1, 0.3))  # one visitor, who looks too: a busy loop would be warmer
    training = asyncio.create_task(follow_training(address))
    await asyncio.sleep(2)
    until = time.perf_counter() + seconds
    await asyncio.gather(*(visitor(address, seed, until, loaded) for seed in range(1, visitors + 1)))
    if training.done():
        loaded.problems.append("the training job ended early")
    training.cancel()
    return idle, loaded, await training


def show(name: str, record: Record) -> None:
    for room, part in [*record.seconds.items(), ("both", record.all())]:
        ms = [1000 * share_below(sorted(part), share) for share in (0.5, 0.95, 1.0)]
        print(
            f"{name:8} {room:8} {len(part):6} calls, ms: median {ms[0]:.1f}, p95 {ms[1]:.1f}, max {ms[2]:.1f}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visitors", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30.0)
    chosen = parser.parse_args()
    command = [sys.executable, "-m", "ventris", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        address = server.stderr.readline().split(" at ")[1].strip()
        try:
            idle, loaded, frames = asyncio.run(measure(address, chosen.visitors, chosen.seconds))
        finally:
            server.terminate()
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f} (all that runs on this machine)")
    show("idle", idle)
    show("loaded", loaded)
    ratio = share_below(loaded.all(), 0.95) / share_below(idle.all(), 0.5)
    print(f"training told {frames} frames meanwhile")
    print(f"{len(loaded.problems)} errors", *loaded.problems[:5], sep="\n")
    print(f"p95 under load is {ratio:.1f} times the idle median (wish: at most {WISH:g})")
    return 0 if ratio <= WISH and not loaded.problems and not idle.problems else 1


if __name__ == "__main__":
    sys.exit(main())
