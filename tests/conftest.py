"""What tests share: one thread, what workers may share, and a real browser for the pages."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits


def share_compiled_code(folder: Path) -> None:
    """Let workers take compiled code from one folder, one at a time.

    numba numbers a file in the index before it writes it, so two processes that compile one function for
    different types at the same time can each write the other's file. Processes that tests start keep to the
    usual folder.
    """
    import fcntl

    from numba import config
    from numba.core.caching import IndexDataCacheFile

    def alone(method):
        def locked(*arguments):
            with (folder / "lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                return method(*arguments)

        return locked

    folder.mkdir(parents=True, exist_ok=True)
    config.CACHE_DIR = str(folder)
    IndexDataCacheFile.load, IndexDataCacheFile.save = map(
        alone, (IndexDataCacheFile.load, IndexDataCacheFile.save)
    )


def pytest_configure(config):
    if "PYTEST_XDIST_WORKER" in os.environ and sys.platform != "win32":  # which has other locks
        share_compiled_code(config.rootpath / ".pytest_cache" / "numba")


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist, which may be missing
def pytest_xdist_make_scheduler(config, log):
    """A file's tests run in one worker, one after another; so do all that share a session or a server."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            path = Path(nodeid.split("::")[0])
            shares = path.parent.name in ("cli", "web") and path.stem != "test_reproduce"
            return str(path.parent if shares else path)

    return ByFile(config, log)


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
