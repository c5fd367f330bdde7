"""`python -m bench.compare old.json new.json`: is a family worse, or slower than it may be, than it was?

Both files are those of `python -m bench.acceptance`; runs are compared by task and seed. A family is worse if
its mean error, alone or decoded, rises by more than a twentieth and by more than two standard errors of the
runs' differences; it is slow if its CPU time is more than 2.0 times (the chains) or 1.5 times (all others)
what it was.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.family import Row

CHAINS = ("chains", "moved chains")
SLOWER_CHAINS, SLOWER, WORSE = 2.0, 1.5, 1.05
ERRORS = ("unsupervised", "decoded")


def compared(name: str, old: Sequence[Row], new: Sequence[Row]) -> Row:
    """One family: mean errors and CPU of the runs that both have, and what is worse."""
    before = {(row["task"], row["seed"]): row for row in old}
    pairs = [(before[key], row) for row in new if (key := (row["task"], row["seed"])) in before]
    out: Row = {"family": name, "runs": len(pairs), "worse": []}
    for error in ERRORS:
        was, now = (np.array([pair[k][error] for pair in pairs]) for k in (0, 1))
        noise = (now - was).std(ddof=1) / np.sqrt(len(pairs)) if len(pairs) > 1 else 0.0
        out[error] = (float(was.mean()), float(now.mean()))
        if now.mean() > WORSE * was.mean() and now.mean() - was.mean() > 2 * noise:
            out["worse"].append(error)
    cpu = sum(row["cpu"] for _, row in pairs) / sum(row["cpu"] for row, _ in pairs)
    out["cpu"] = float(cpu)
    if cpu > (SLOWER_CHAINS if name in CHAINS else SLOWER):
        out["worse"].append("cpu")
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """A line for each family of label-free learning that both files hold; 1 if one is worse."""
    old, new = (json.loads(Path(path).read_text(encoding="utf-8")) for path in argv or sys.argv[1:3])
    shared = [name for name in new if name in old and "unsupervised" in new[name]["runs"][0]]
    rows = [compared(name, old[name]["runs"], new[name]["runs"]) for name in shared]
    for row in rows:
        means = "  ".join(f"{e} {100 * row[e][0]:.3f} → {100 * row[e][1]:.3f} %" for e in ERRORS)
        verdict = f"WORSE: {', '.join(row['worse'])}" if row["worse"] else "not worse"
        print(f"{row['family']:<20} {row['runs']:>3} runs  {means}  CPU {row['cpu']:.2f}x  {verdict}")
    return int(any(row["worse"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
