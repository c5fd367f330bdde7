"""Ventris Studio among strangers: what is asked of it, thrown at it, and killed in it."""

from __future__ import annotations

from reliability.tally import Tally
from reliability.web import attacks, interface, lasting
from reliability.web.server import serving

ABOUT = (
    "A server of its own, as `ventris serve` starts it. Every call the interface describes is asked by "
    "schemathesis; then come requests of other sites and under other names, paths that lead elsewhere, "
    "floods and half-open lines, files that unpack to more than there is, and workers killed at work. Lost "
    "is a call that ends in a server error or an undocumented status, an attack that gets anything, a page "
    "that does not answer, a job or a file that is gone before its time."
)


def run(seconds: float) -> Tally:
    """All of it; `seconds` of schemathesis."""
    with serving() as server:
        groups = [interface.losses(server.address, seconds)]
        groups += [group(server) for group in (*attacks.GROUPS, *lasting.GROUPS)]
    return Tally("web", ABOUT, groups)
