"""Room 4 in a real browser: glyphs without labels become letters."""

from __future__ import annotations

LINE = "the quick brown fox"


def test_glyphs_become_letters_and_can_be_paused_stepped_and_stopped(room, until):
    page = room(f"read?text={LINE.replace(' ', '+')}&n=5000&noise=0.1")
    assert until(page, "document.querySelectorAll('.glyph').length") == len(LINE)
    errors = "document.querySelectorAll('.plot')[1]?.data?.[0].y"
    until(page, f"{errors}?.length > 0", seconds=90)
    page.click("button.main")  # it now says Pause
    page.wait_for_selector("button:text-is('Go on')")
    page.wait_for_timeout(300)
    held = page.evaluate(f"{errors}.length")
    page.click("text=One step")
    until(page, f"{errors}?.length === {held + 1}")
    page.click("nav a[data-room='caesar']")  # leaving the room loses nothing
    page.wait_for_selector("#message")
    page.click("nav a[data-room='read']")
    page.wait_for_selector("button:text-is('Go on')")
    until(page, f"{errors}?.length === {held + 1}")
    codes = page.evaluate("document.querySelectorAll('.plot')[0].data[0].z")
    assert len(codes) == 27 and all(0 <= share <= 1 for row in codes for share in row)
    read = page.inner_text("#decoded").replace("␣", " ")
    assert sum(a == b for a, b in zip(read, LINE, strict=False)) > len(LINE) / 2
    assert page.evaluate(errors)[-1] < 50
    page.click("button:text-is('Stop')")
    page.wait_for_selector("text=Stopped.")
    page.fill("#text", "123 !?")
    page.wait_for_selector("[role=alert] >> text=text must hold letters from a to z")
    page.fill("#text", "")
    page.wait_for_selector("text=Nothing to print yet")
