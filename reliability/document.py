"""docs/proof/reliability.md, written from the results alone."""

from __future__ import annotations

from reliability.bad_input import GROUPS
from reliability.tally import Tally

_HEAD = """# Reliability

Written by `python -m reliability` (`make reliability`); the quick part of it also runs in `make test`. A
case is *lost* if it ends otherwise than its documentation says: another error, a traceback from inside a
library, a file half written, a warning of NumPy, a number that is none. The run fails on any loss. One suite
alone: `python -m reliability --only faults`.
"""
_LIMITS = """
## Known limits

* A `.npy` file is read through a memory map. If another program cuts it short during a fit, the system ends
  the process (SIGBUS): no library can turn that into a sentence. Removing or replacing the file does no harm.
* Errors of the system itself (a full disk, a folder without the right to write) reach users of the library as
  Python's `OSError`; the commands turn them into one sentence.
* Bits are the same for the same seed, machine, versions and number of threads; other machines may round
  otherwise.
* An `.npz` archive is unpacked into memory. It is refused before that if its arrays are larger than what the
  system says is available; a smaller limit set on the process or its container is not looked up.
"""


def render(tallies: dict[str, Tally]) -> str:
    """The whole page."""
    parts = [_HEAD, _summary(tallies), *(_section(tally) for tally in tallies.values()), _cases(), _LIMITS]
    return "\n".join(part.strip("\n") + "\n" for part in parts)


def _summary(tallies: dict[str, Tally]) -> str:
    rows = ["| suite | tried | survived | lost | CPU-s |", "|---|---:|---:|---:|---:|"]
    for tally in tallies.values():
        tried, survived = (sum(getattr(g, name) for g in tally.groups) for name in ("tried", "survived"))
        numbers = (f"{n:,.0f}" for n in (tried, survived, tally.lost, tally.cpu_seconds))
        rows.append(f"| [{tally.suite}](#{tally.suite}) | {' | '.join(numbers)} |")
    return "\n".join(rows)


def _section(tally: Tally) -> str:
    rows = [f"## {tally.suite}", "", tally.about, "", "| cases | tried | survived | lost | measured |"]
    rows.append("|---|---:|---:|---:|---|")
    rows += [
        f"| {g.name} | {g.tried:,} | {g.survived:,} | {len(g.losses):,} | {g.measured or '–'} |"
        for g in tally.groups
    ]
    losses = [f"* **{name}** ({g.name}): {loss}" for g in tally.groups for name, loss in g.losses.items()]
    return "\n".join([*rows, "", *(["Lost:", "", *losses] if losses else ["Nothing was lost."])])


def _cases() -> str:
    """Every case of bad input and how it ends."""
    rows = ["## Every case of bad input", ""]
    for name, cases in GROUPS.items():
        by_ending: dict[str, list[str]] = {}
        for case in cases:
            by_ending.setdefault(case.ending, []).append(case.name.replace("|", "\\|"))
        rows += [f"**{name}**", "", "| ends in | cases |", "|---|---|"]
        rows += [f"| {ending} | {' · '.join(names)} |" for ending, names in by_ending.items()]
        rows.append("")
    return "\n".join(rows)
