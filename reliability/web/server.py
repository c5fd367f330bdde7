"""A server to be attacked: the command itself, on a free port, with little patience and little memory."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx
import psutil


@dataclass
class Server:
    """Where it listens, and its process."""

    address: str
    process: psutil.Process

    @property
    def place(self) -> tuple[str, int]:
        """Host and port."""
        parts = urlsplit(self.address)
        return str(parts.hostname), int(parts.port or 80)

    def client(self, **options: object) -> httpx.Client:
        """Someone who asks it."""
        return httpx.Client(base_url=self.address, timeout=60, **options)  # type: ignore[arg-type]

    def megabytes(self) -> float:
        """Of the server itself, without its workers."""
        return self.process.memory_info().rss / 2**20


@contextmanager
def serving(*options: str) -> Iterator[Server]:
    """A running `ventris serve`."""
    command = [sys.executable, "-m", "ventris", "serve", "--port", "0", "--upload-limit", "8", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=dict(os.environ)) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split(" at ")[1].strip().rstrip("/")
        threading.Thread(target=process.stderr.read, daemon=True).start()
        try:
            yield Server(address, psutil.Process(process.pid))
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
