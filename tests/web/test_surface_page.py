"""Room 3 in a real browser: two surfaces, a path on them, and what the intercept changes."""

from __future__ import annotations

HEIGHTS = "document.querySelectorAll('.plot')[0].data[0].z.flat()"
EYE = "document.querySelectorAll('.plot')[0].layout.scene.camera.eye.x"
PATH = "document.querySelectorAll('.plot')[0].data[1].x.length"


def test_surfaces_turn_follow_the_path_and_the_settings_and_refuse_others(room, until):
    small = {"width": 480, "height": 600}  # WebGL without a graphics card takes long for many pixels
    page = room("surface?chain=12", viewport=small, reduced_motion="no-preference")
    page.wait_for_selector("[role=alert] >> text=chain: Input should be less than or equal to 10")
    page.select_option("#chain", "2")
    until(page, "document.querySelectorAll('.plot')[1].data?.length === 3")
    before, eye = page.evaluate(HEIGHTS), page.evaluate(EYE)
    page.click("text=Turn left")
    until(page, f"{EYE} !== {eye}")
    assert "turn=" in page.url
    page.focus("#at")
    page.keyboard.press("Home")
    until(page, f"{PATH} === 1")
    page.click("text=Walk the path")
    until(page, f"{PATH} > 2")
    page.click("button.main:text-is('Stop')")
    assert "at=" in page.url
    page.select_option("#order", "1")
    until(page, f"JSON.stringify({HEIGHTS}) !== {str(before).replace(' ', '')!r}")
    page.uncheck("#intercept")
    page.wait_for_selector("text=Boundaries through the origin lie on the dashed line")
    assert "order=1" in page.url and "intercept=false" in page.url
