"""Table 3: the ten chains, read by everyone; and what the label model said beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ventris.figures.canvas import ACCENT, INK, MUTED, SECOND, canvas
from ventris.paper import printed
from ventris.paper.readings import NO_HMMLEARN
from ventris.paper.tables import Column, Table
from ventris.paper.units import Plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_READERS = ("supervised", "unsupervised", "decoded", "smoother", "hmmlearn")
WRONG = 0.5  # an error above one half is that of exchanged labels, or worse than chance


def chosen_end(run: Plain) -> Plain:
    """Of the sixteen ends of SPDG on one chain, the one with the least J."""
    return run["ends"][run["chosen"]]


def errors(read: Plain, reader: str) -> np.ndarray:
    """Errors of one reader over the seeds, in per cent; empty where it was not there."""
    return 100 * np.array([row[reader] for row in read["seeds"] if row[reader] is not None])


def gaps(read: Plain, reader: str = "unsupervised") -> np.ndarray:
    """Errors above the supervised ones of the same data, in points."""
    return errors(read, reader) - errors(read, "supervised")


def paper_gap(run: Plain, read: Plain) -> float:
    """How far SPDG at the paper's settings stays behind supervised on the same data (seed 0), in points."""
    return 100 * (chosen_end(run)["error"] - read["seeds"][0]["supervised"])


def gap_of_starts(run: Plain, read: Plain) -> float:
    """The same, had nobody relabelled anything: the least J among the starts' own ends."""
    best = min(_starts(run), key=lambda end: end["excess_cost"])
    return 100 * (best["error"] - read["seeds"][0]["supervised"])


def table(runs: list[Plain], reads: list[Plain]) -> Table:
    """Table 3, ours beside theirs: test errors."""
    columns = (
        Column("chain"),
        Column("paper: supervised", "%", 2),
        Column("paper: unsupervised", "%", 2),
        Column("supervised", "%", 2),
        Column("SPDG, paper's settings", "%", 2),
        Column("its gap", "points", 2),
        Column("default", "%", 2),
        Column("its gap, mean", "points", 3),
        Column("gap, worst", "points", 2),
        Column("gap, s.e.", "points", 3),
        Column("decoded", "%", 2),
        Column("Bayes, one point", "%", 2),
        Column("Bayes smoother", "%", 2),
        Column("hmmlearn", "%", 2),
        Column("hmmlearn, worst", "%", 2),
    )
    rows = [_row(run, read) for run, read in zip(runs, reads, strict=True)]
    rows.append(_mean_row(rows))
    seeds = len(reads[0]["seeds"])
    draws = "One draw" if seeds == 1 else f"Means over {seeds} draws"
    note = f"{draws} of each data set; SPDG at the paper's settings on the first. Gaps are to supervised."
    if not len(errors(reads[0], "hmmlearn")):
        note += f" No column for hmmlearn: {NO_HMMLEARN}."
    return Table("table3", "Bigram label models: test error", columns, rows, note)


def _row(run: Plain, read: Plain) -> list[Any]:
    number, means = read["chain"], {reader: _mean(errors(read, reader)) for reader in _READERS}
    gap, hmm = gaps(read), errors(read, "hmmlearn")
    return [
        number,
        printed.SUPERVISED_ERRORS[number - 1],
        printed.UNSUPERVISED_ERRORS[number - 1],
        means["supervised"],
        100 * chosen_end(run)["error"],
        paper_gap(run, read),
        means["unsupervised"],
        float(gap.mean()),
        float(gap.max()),
        float(gap.std(ddof=1) / np.sqrt(len(gap))) if len(gap) > 1 else None,
        means["decoded"],
        100 * read["bayes"],
        means["smoother"],
        means["hmmlearn"],
        float(hmm.max()) if len(hmm) else None,
    ]


def _mean(values: np.ndarray) -> float | None:
    return float(values.mean()) if len(values) else None


def _mean_row(rows: list[list[Any]]) -> list[Any]:
    """Means over the chains; the worst gap and hmmlearn's worst stay the worst."""
    last: list[Any] = ["mean"]
    for k in range(1, len(rows[0])):
        values = [row[k] for row in rows if row[k] is not None]
        worst = k in (8, 14)
        last.append((max(values) if worst else float(np.mean(values))) if values else None)
    last[9] = None  # standard errors of the chains do not average
    return last


def summary(runs: list[Plain], reads: list[Plain]) -> Plain:
    """The numbers the text quotes."""
    paper_gaps = [paper_gap(run, read) for run, read in zip(runs, reads, strict=True)]
    ours = np.concatenate([gaps(read) for read in reads])
    hmm = np.concatenate([errors(read, "hmmlearn") for read in reads])
    by_seed = np.mean([gaps(read) for read in reads], axis=0)
    return {
        "within_half": sum(gap <= 0.5 for gap in paper_gaps),
        "worst_paper_gap": max(paper_gaps),
        "within_half_alone": sum(gap_of_starts(*pair) <= 0.5 for pair in zip(runs, reads, strict=True)),
        "relabelled": sum(run["was_relabelled"] for run in runs),
        "starts_wrong": sum(end["error"] > WRONG for run in runs for end in _starts(run)),
        "starts": sum(len(_starts(run)) for run in runs),
        "fits": len(ours),
        "fits_right": int(np.sum(ours < 100 * WRONG)),
        "mean_gap": float(ours.mean()),
        "gap_error": float(by_seed.std(ddof=1) / np.sqrt(len(by_seed))) if len(by_seed) > 1 else None,
        "worst_gap": float(ours.max()),
        **{name: _overall(reads, name) for name in ("supervised", "decoded", "smoother")},
        "hmm_fits": len(hmm),
        "hmm_wrong": int(np.sum(hmm > 100 * WRONG)),
        "hmm_poor": int(np.sum(hmm > 10)),
    }


def _overall(reads: list[Plain], reader: str) -> float:
    return float(np.mean([errors(read, reader) for read in reads])) / 100


def _starts(run: Plain) -> list[Plain]:
    return run["ends"][: len(run["ends"]) // 2]


# --------------------------------------------------------------------------------------------- drawing


def draw_identifiability(runs: list[Plain], reads: list[Plain]) -> Figure:
    """Gap to supervised against what the label model alone said about telling its labels apart."""
    with canvas(9.4, 4.2) as figure:
        left, right = figure.subplots(1, 2, sharey=True)
        for axes, key, name in (
            (left, "mutual_information", "what a label tells about the next, I(Y; Y′)"),
            (right, "divergence", "what exchanging the labels changes, KL"),
        ):
            _draw_gaps(axes, [read[key] for read in reads], runs, reads)
            axes.set_xlabel(f"{name} (nats)")
        left.set_ylabel("error above supervised (points)")
        left.legend(fontsize=8, loc="upper right")
        left.set_title("Known before any data: information …")
        right.set_title("… and distinctness")
    return figure


def _draw_gaps(axes: Axes, x: list[float], runs: list[Plain], reads: list[Plain]) -> None:
    theirs = np.subtract(printed.UNSUPERVISED_ERRORS, printed.SUPERVISED_ERRORS)
    faithful = [paper_gap(run, read) for run, read in zip(runs, reads, strict=True)]
    default = [float(gaps(read).mean()) for read in reads]
    axes.axhline(0, color=MUTED, linewidth=0.8)
    axes.scatter(x, theirs, marker="x", s=34, color=INK, linewidths=1.4, label="printed in the paper")
    axes.scatter(x, faithful, marker="^", s=30, color=ACCENT, label="SPDG, paper's settings")
    axes.scatter(x, default, marker="o", s=26, color=SECOND, label="our default")
    for read, place, height in zip(reads, x, theirs, strict=True):
        if height > 0.4:
            axes.annotate(f"#{read['chain']}", (place, height), xytext=(6, 2), textcoords="offset points",
                          fontsize=8)  # fmt: skip
    axes.set_xscale("log")
    if max(faithful) > 10:  # a short run: one wrong basin must not press all others to the ground
        axes.set_yscale("symlog", linthresh=1)
