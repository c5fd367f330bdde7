"""What tests share: one thread, what workers may share, and a real browser for the pages."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

# Two processes that compile one function for different types at the same time can mix up the files of numba's
# cache, so each worker keeps its own, from run to run. This must be said before numba is imported.
if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    caches = os.environ.get("NUMBA_CACHE_DIR") or Path(__file__).parents[1] / ".pytest_cache" / "numba"
    os.environ["NUMBA_CACHE_DIR"] = str(Path(caches) / worker)
COSTLY = ("session", "studio")  # fixtures of more than one file that take seconds to make


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items):
    """A file's tests run in one worker, one after another, as do all that share a costly fixture."""
    for item in items:
        shared = next((name for name in COSTLY if name in getattr(item, "fixturenames", ())), None)
        item.add_marker(pytest.mark.xdist_group(shared or str(item.path)))


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    """On little data the threads of matrix products wait for one another longer than they work."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")  # Playwright's event loop forbids any other in its thread as long as it runs
def chromium():
    """Headless Chromium; without it a user's tests are skipped, and CI's fail."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        if os.environ.get("VENTRIS_BROWSER_TESTS") == "required":
            pytest.fail("Chromium is not installed, and VENTRIS_BROWSER_TESTS=required asks for it")
        pytest.skip("Chromium is not installed (on Debian: apt install chromium)")
    playwright = pytest.importorskip("playwright.sync_api")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    flags += ["--disable-sync", "--no-first-run", "--disable-quic", "--enable-unsafe-swiftshader"]
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()


@dataclass
class Watch:
    """What a page did that it should not: script errors, and requests that would leave the machine."""

    errors: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)

    def on(self, page) -> None:
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: said.type == "error" and self._hear(said.text))
        page.on("request", lambda request: self._look_at(request.url))

    def _hear(self, said: str) -> None:
        # A refusal is an ordinary answer whose sentence the page shows; Chromium logs its status as an error.
        if "status of 4" not in said:
            self.errors.append(said)

    def _look_at(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:", "http://127.0.0.1", "http://localhost")):
            self.strangers.append(url)


@pytest.fixture
def watched_page(chromium):
    """A function that opens a page with given context options; it and its Watch, which must end empty."""
    contexts, watches = [], []

    def open_page(**options):
        context = chromium.new_context(**options)
        page = context.new_page()
        watch = Watch()
        watch.on(page)
        contexts.append(context)
        watches.append(watch)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [watch.errors for watch in watches if watch.errors] == []
    assert [watch.strangers for watch in watches if watch.strangers] == []
