"""A real server for the pages: the command itself, on a free port, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest


@pytest.fixture(scope="session")
def studio():
    """The address of a running Studio, without its last slash."""
    command = [sys.executable, "-m", "ventris", "serve", "--port", "0", "--upload-limit", "2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        first = server.stderr.readline()
        assert "http://127.0.0.1:" in first, first + server.stderr.read()
        threading.Thread(target=server.stderr.read, daemon=True).start()  # a full pipe would stop it
        try:
            yield first.split(" at ")[1].strip().rstrip("/")
        finally:
            server.terminate()


@pytest.fixture(scope="session")
def visit():
    """A context: an application served from a thread of this process, and an httpx client to talk to it."""
    httpx, uvicorn = pytest.importorskip("httpx"), pytest.importorskip("uvicorn")

    @contextmanager
    def visiting(app, **options):
        from ventris.web.server import bound_socket

        with bound_socket("127.0.0.1", 0) as listener:
            config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1, **options)
            server = uvicorn.Server(config)
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
            thread.start()
            while not server.started:
                time.sleep(0.02)
            address = f"http://127.0.0.1:{listener.getsockname()[1]}"
            with httpx.Client(base_url=address, timeout=60) as client:
                yield client
            server.should_exit = True
            thread.join(timeout=20)

    return visiting


@pytest.fixture
def room(studio, watched_page):
    """A function that opens a room of the Studio in a browser."""

    def enter(path, **options):
        page = watched_page(**options)
        page.set_default_timeout(60_000)  # milliseconds: a busy machine is no failure
        page.goto(f"{studio}/#/{path}")
        page.wait_for_selector("h1")
        return page

    return enter


@pytest.fixture(scope="session")
def until():
    """Wait for an expression to become true; Playwright's own wait needs what the page's policy forbids."""

    def wait(page, expression, seconds=60.0):
        deadline = time.monotonic() + seconds
        while not (value := page.evaluate(expression)):
            assert time.monotonic() < deadline, f"never true: {expression}"
            page.wait_for_timeout(50)
        return value

    return wait


@pytest.fixture(scope="session")
def faults():
    """A function that gives serious findings of axe-core on a page, in a line each."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")

    def found_on(page, **options):
        found = axe.Axe().run(page, options=options).response
        assert found["passes"], "axe looked at nothing"
        serious = [each for each in found["violations"] if each["impact"] in ("serious", "critical")]
        return [f"{each['id']}: {each['nodes'][0]['html'][:120]}" for each in serious]

    return found_on
