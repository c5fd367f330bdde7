"""Take the pictures of docs/start/studio: every room, light and dark, each once it has something to show.

Run: python tools/studio_screenshots.py [room ...]
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

FOLDER = Path(__file__).parent.parent / "docs" / "start" / "studio"
SIZE = {"width": 1280, "height": 1180}
FLAGS = ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader"]
COLOURS = 200  # a palette: the pictures are flat, and stay small


def caesar(page: Page) -> None:
    page.click("text=Break it")
    page.wait_for_selector("text=Shift 23 costs least")


def two(page: Page) -> None:
    page.click("button.main")
    page.wait_for_selector("text=/Learning: (9,|1\\d,)/", timeout=60_000)
    page.click("button.main")
    page.wait_for_selector("button:text-is('Go on')")


def surface(page: Page) -> None:
    page.wait_for_selector("text=direction off by")
    page.wait_for_timeout(4000)  # WebGL without a graphics card


def read(page: Page) -> None:
    page.click("text=Learn to read")
    page.wait_for_selector("text=refine: read with the label model", timeout=120_000)
    page.wait_for_timeout(2500)
    page.click("button.main")
    page.wait_for_selector("button:text-is('Go on')")


def data(page: Page) -> None:
    page.click("text=Use the example files")
    page.wait_for_selector("text=5 labels: clean")
    page.wait_for_selector("text=12,000 points")
    page.click("text=Ask the doctor")
    page.wait_for_selector("text=verdict")
    page.click("button:text-is('Learn')")
    page.wait_for_selector("text=What was learnt", timeout=120_000)


ROOMS: dict[str, tuple[str, Callable[[Page], None]]] = {
    "caesar": ("caesar", caesar),
    "two": ("two?method=direct&primal=-1.7", two),
    "surface": ("surface", surface),
    "read": ("read", read),
    "data": ("data", data),
}


def save(picture: bytes, path: Path) -> None:
    """A PNG with few colours."""
    image = Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size // 1024} kB")


def shoot(browser: Browser, address: str, name: str) -> None:
    """One room in both themes."""
    path, prepare = ROOMS[name]
    page = browser.new_page(viewport=SIZE, color_scheme="light")
    page.set_default_timeout(60_000)
    page.goto(f"{address}#/{path}")
    page.wait_for_selector("h1")
    prepare(page)
    for theme in ("light", "dark"):
        page.mouse.move(0, 0)
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_timeout(1500)
        save(page.screenshot(), FOLDER / f"{name}-{theme}.png")
        page.click("#theme")
    page.close()


def main(names: list[str]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "ventris", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            address = server.stderr.readline().split(" at ")[1].strip()
            with sync_playwright() as driver:
                browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
                for name in names or ROOMS:
                    shoot(browser, address, name)
        finally:
            server.terminate()


if __name__ == "__main__":
    main(sys.argv[1:])
