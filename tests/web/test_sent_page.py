"""A page to send: it opens from a disk, asks nobody for anything, and a link restores what one saw."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi")
from ventris.cli import run
from ventris.errors import ParameterError
from ventris.web.bundle import bundle
from ventris.web.export import Recorder, export_studio, key_of

WIDTHS = {"phone": {"width": 390, "height": 844}, "desk": {"width": 1440, "height": 900}}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The page with one run a room."""
    said = []
    made = export_studio(tmp_path_factory.mktemp("site"), few=True, say=said.append)
    assert {words.split(":")[0] for words in said} == {
        "Caesar",
        "Two classes",
        "Surface",
        "Read",
        "Your data",
        "Spelling",
    }
    return made


@pytest.mark.parametrize(("width", "theme"), [("phone", "dark"), ("desk", "light")])
def test_every_room_opens_from_a_disk_and_moves(site, watched_page, faults, width, theme):
    page = watched_page(viewport=WIDTHS[width], color_scheme=theme)
    page.set_default_timeout(60_000)
    page.goto(f"file://{site}/index.html")
    page.wait_for_selector("text=/Step \\d of 3/")
    said = page.locator(".purpose").bounding_box()
    assert said["y"] + said["height"] < WIDTHS[width]["height"]  # the purpose is above the fold
    assert "Run it yourself: two commands" in page.inner_text(".purpose")
    for room, sign in {
        "two": "text=/Learning: |steps asked for are done/",
        "surface": "text=direction off by",
        "read": "text=errors in this line",
        "data": "#sketch, #result figure",
    }.items():
        page.click(f"nav a[data-room='{room}']")
        page.wait_for_selector(sign)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{room} overflows"
    # Without preload: axe would fetch the style sheet, which a page on a disk may not.
    assert faults(page, preload=False) == []


def test_a_link_restores_the_picture_that_was_seen(site, watched_page, until):
    pictures = "document.querySelectorAll('.plot')[2]?.data?.[0].x.length"
    page = watched_page()
    page.set_default_timeout(60_000)
    page.goto(f"file://{site}/index.html#/two")
    until(page, f"{pictures} > 3")
    page.click("button.main")
    page.wait_for_selector("button:text-is('Go on')")
    page.wait_for_timeout(200)
    seen, address = page.evaluate(pictures), page.url
    assert f"at={seen - 1}" in address
    other = watched_page()
    other.set_default_timeout(60_000)
    other.goto(address)
    until(other, f"{pictures} === {seen}")
    other.wait_for_selector("button:text-is('Go on')")


def test_the_page_is_small_and_nothing_that_is_there_is_overwritten(site, tmp_path):
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) < 15e6
    with pytest.raises(ParameterError, match="must be empty"):
        export_studio(site)
    (tmp_path / "old").write_text("kept")
    assert run(["export", "studio", "-o", str(tmp_path)]) == 2  # as every parameter that cannot be taken
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_long_films_are_thinned_and_keep_their_ends():
    recorder = Recorder()
    for number in range(1000):
        recorder.tell("frame", step=number)
    recorder.tell("done")
    steps = [data["step"] for kind, data in recorder.film() if kind == "frame"]
    assert len(steps) == 120 and steps[0] == 0 and steps[-1] == 999


def test_keys_are_those_of_the_page(site):
    assert key_of("/a", {"b": 1.0, "a": [0.1 + 0.2]}) == '/a [["a",[0.3]],["b",1]]'


@pytest.mark.parametrize(
    "line", ["export default 1;", 'import x from "./a.js";', 'const a = await import("./a.js");']
)
def test_a_bundle_refuses_what_it_does_not_understand(tmp_path, line):
    (tmp_path / "rooms").mkdir()
    (tmp_path / "app.js").write_text(f"{line}\n")
    (tmp_path / "a.js").write_text("export const x = 1;\n")
    with pytest.raises(ValueError, match="does not understand"):
        bundle(tmp_path, "app.js")
