"""Room 1 in a real browser."""

from __future__ import annotations

PAPER = "THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG"
TEXT = "We hold these truths to be self evident that all men are created equal and so endowed. " * 2


def bars(page, number):
    """Heights of the bars of one histogram, as Plotly has them."""
    return page.evaluate(f"[...document.querySelector('.plot').data[{number}].y]")


def test_the_shift_slides_the_histogram_and_break_it_plays_to_the_key(room, until):
    page = room("caesar?score=J")
    until(page, "document.querySelector('.plot').data?.length === 2")
    before = bars(page, 1)
    page.focus("#shift")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#reading").startswith("PDA MQEYG")
    until(page, f"document.querySelector('.plot').data[1].y[0] === {before[1]}")
    assert bars(page, 1) == before[1:] + before[:1]
    assert "shift=1" in page.url
    page.click("text=Break it")
    page.wait_for_selector("text=Step 1 of 3")
    page.wait_for_selector("text=Step 3 of 3")
    page.wait_for_selector("text=Shift 23 costs least")
    assert page.inner_text("#reading") == PAPER
    page.fill("#message", "")
    page.wait_for_selector("text=Nothing to read yet")
    page.fill("#message", "123 456")
    page.wait_for_selector("[role=alert] >> text=the text must hold letters")


def test_a_link_restores_the_room_and_a_substitution_is_made_and_broken(room, until):
    page = room("caesar?text=Khoor+zruog&shift=3&score=sequence")
    until(page, "document.querySelector('#reading').textContent === 'Hello world'")
    assert page.input_value("#score") == "sequence"
    page.fill("#message", TEXT)
    page.click("text=Make a cipher")
    page.select_option("#kind", "substitution")
    page.click("text=Encipher the message")
    until(page, f"document.querySelector('#message').value !== {TEXT!r}")
    page.click("text=Break any cipher")
    page.click("text=Find the key")
    page.wait_for_selector("#plaintext", timeout=60_000)
    assert "hold these truths to be self" in page.inner_text("#plaintext")
    assert len(page.query_selector_all("#key-found span")) == 26


GRID = "\n".join(
    " ".join(
        f"{ord(letter) - 96:02d}"
        for letter in (TEXT.replace(" ", "").lower().replace(".", "") * 2)[at : at + 17]
    )
    for at in range(0, 17 * 14, 17)
)


def test_a_grid_is_read_line_by_line_and_the_room_moves_when_it_opens(room, until):
    page = room("caesar")
    page.wait_for_selector("text=Step 1 of 3")  # it moves at once
    page.click("button.main:text-is('Stop')")  # one click stops it
    assert page.inner_text("#step") == ""
    page.fill("#message", GRID)
    page.click("text=Break any cipher")
    page.select_option("#units", "grid")
    page.click("text=Find the key")
    page.wait_for_selector("#plaintext", timeout=90_000)
    assert "job=" in page.url
    read = page.inner_text("#plaintext .reading").replace("\n", "").replace(" ", "").lower()
    assert "holdthesetruths" in read
