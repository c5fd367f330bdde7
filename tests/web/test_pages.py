"""What every room owes its visitors: no overflow on a phone, both themes, the keyboard, accessibility."""

from __future__ import annotations

ROOMS = ("caesar", "two", "surface", "read", "data")


def wait_for(page, until):
    """The room stands, and its plots have been drawn."""
    until(page, "document.querySelector('main h1') && !document.querySelector('main[aria-busy]')")
    until(
        page,
        "document.querySelector('main h1').textContent && [...document.querySelectorAll('.plot')]"
        ".every((plot) => plot.data)",
    )
    # In one go: a room that is drawn anew between looking and clicking takes its summaries with it.
    page.evaluate("for (const closed of document.querySelectorAll('details:not([open])')) closed.open = true")


def test_every_room_is_accessible_in_both_themes_and_fits_a_phone(room, until, faults):
    still = {"reduced_motion": "reduce"}  # what moves is tested elsewhere
    page = room("caesar", color_scheme="dark", viewport={"width": 390, "height": 844}, **still)
    for name in ROOMS:
        page.click(f"nav a[data-room='{name}']")
        wait_for(page, until)
        main = page.locator(".lead button.main").bounding_box()
        assert main["y"] + main["height"] <= 844, f"{name}: the main button is below the first screen"
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} overflows"
        assert faults(page) == [], name
        page.click("#theme")
        assert (
            page.evaluate("getComputedStyle(document.body.parentElement).backgroundColor")
            == "rgb(251, 250, 248)"
        )
        assert faults(page, runOnly=["color-contrast"]) == [], f"{name}, light"
        page.click("#theme")


def test_the_keyboard_reaches_everything_and_an_unknown_room_is_said(room, until, faults):
    page = room("caesar", viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    wait_for(page, until)
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
    assert {
        "Skip to the room",
        "theme",
        "message",
        "shift",
        "score",
        "Break it",
        "key",
        "copy-link",
    } <= reached
    assert faults(page) == []  # at this width too
    page.evaluate("location.hash = '#/attic'")
    page.wait_for_selector("text=There is no room named “attic”")
