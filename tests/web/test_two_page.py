"""Room 2 in a real browser: live curves, pause, one step, restart, divergence."""

from __future__ import annotations

PICTURES = "document.querySelectorAll('.plot')[2]?.data?.[0].x.length"
START = "button.main"


def test_learning_moves_pauses_steps_restarts_and_diverges(room, until):
    page = room("two?n=1200&updates=1")
    page.wait_for_selector("button:text-is('Pause')")  # it moves at once
    until(page, f"{PICTURES} > 3")
    page.click(START)  # it now says Pause
    page.wait_for_selector("button:text-is('Go on')")
    page.wait_for_timeout(300)
    held = page.evaluate(PICTURES)
    assert f"at={held - 1}" in page.url
    page.wait_for_timeout(400)
    assert page.evaluate(PICTURES) == held
    page.click("text=One step")
    until(page, f"{PICTURES} === {held + 1}")
    page.wait_for_timeout(300)
    assert page.evaluate(PICTURES) == held + 1
    page.reload()  # and is found again as it was left
    page.wait_for_selector("button:text-is('Go on')")
    until(page, f"{PICTURES} === {held + 1}")
    weights = page.evaluate("document.querySelectorAll('.plot')[0].data[4].x")
    page.click("text=Restart from here")
    until(page, f"{PICTURES} >= 1")
    assert page.evaluate("document.querySelectorAll('.plot')[2].data[0].x[0]") == 0
    assert weights != [0, 0]
    page.click("button:text-is('Stop')")
    page.fill("#start_seed", "1")
    page.evaluate(
        "p => { p.value = 3; p.dispatchEvent(new Event('change')); }", page.query_selector("#primal")
    )
    page.click(START)
    page.wait_for_selector("text=It diverged after")


def test_no_error_stands_below_a_bayes_that_it_cannot_be_below(room, until):
    page = room("two?n=1200", reduced_motion="reduce")
    until(page, "document.querySelectorAll('.plot')[1].data?.length === 5")
    assert "these test points are a sample" in page.inner_text("main")
    bayes = page.evaluate("document.querySelectorAll('.plot')[1].data[3].y[0]")
    assert abs(bayes - 3.74) < 0.01  # that of the paper's chain 2, on all points there could be


def test_every_method_lowers_j_and_impossible_data_is_refused(room, until):
    page = room("two?n=3000&method=auto&variance=-1", reduced_motion="reduce")
    page.wait_for_selector("[role=alert] >> text=variance")
    page.click("text=Data and classifier")
    page.focus("#variance")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=Ready. Nothing has been learnt yet.")
    for method in ("full-batch", "auto"):
        page.select_option("#method", method)
        page.click(START)
        page.wait_for_selector("text=/any more after|come to its end/")
        until(page, f"{PICTURES} > 3")
        costs = page.evaluate("document.querySelectorAll('.plot')[2].data[0].y")
        entropy = page.evaluate("document.querySelectorAll('.plot')[2].data[2].y[0]")
        assert costs[-1] - entropy < 0.02, method
    learnt, supervised = page.evaluate(
        "[0, 2].map((k) => document.querySelectorAll('.plot')[1].data[k].y.at(-1))"
    )
    assert abs(learnt - supervised) < 1.5
