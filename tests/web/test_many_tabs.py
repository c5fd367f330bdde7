"""One line for all rooms and tabs: the seventh tab is not blank, and a job is seen in every one of them."""

from __future__ import annotations

CALLS = """performance.getEntriesByType('resource').filter((call) => call.name.includes('/api/events'))
    .map((call) => [performance.timeOrigin + call.startTime, performance.timeOrigin + call.responseEnd])"""
CLOCKS = 30  # milliseconds by which two tabs may differ


def test_eight_tabs_of_one_browser_follow_one_job(studio, watched_page, until):
    first = watched_page()
    first.set_default_timeout(90_000)
    first.goto(f"{studio}/#/two?n=1200&updates=1")
    first.wait_for_selector("text=/Learning: /")
    address = first.evaluate("location.href")
    assert "job=" in address
    others = [first.context.new_page() for _ in range(7)]
    for page in others:
        page.set_default_timeout(90_000)
        page.goto(address)
    for page in others:  # each shows the boundary that is being learnt
        until(page, "document.querySelectorAll('.plot')[2]?.data?.[0].x.length > 1", seconds=90)
    calls = sorted(call for page in [first, *others] for call in page.evaluate(CALLS))
    ends = [end for _, end in calls]
    assert all(after[0] > end - CLOCKS for after, end in zip(calls[1:], ends, strict=False))  # one at a time
    first.close()  # and another takes over when that one goes
    last = others[-1]
    last.goto("about:blank")
    last.goto(address)
    until(last, "document.querySelectorAll('.plot')[2]?.data?.[0].x.length > 1", seconds=90)
