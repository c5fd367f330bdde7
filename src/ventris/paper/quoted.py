"""The numbers that the story quotes, read from the data of the run."""

from __future__ import annotations

from typing import Any

import numpy as np

from ventris.paper import basins, bigram, caesar, printed, unigram
from ventris.paper.blocks import Content
from ventris.paper.results import RESULTS, priors, reads, runs
from ventris.paper.settings import Settings
from ventris.paper.units import Plain

Numbers = dict[str, str]


def quoted_numbers(content: Content) -> Numbers:
    """Every number whose units are there, as it is shown."""
    plain = dict(content.environment["settings"])
    settings = Settings(**plain)
    numbers = _of_settings(settings)
    for name, collect in _COLLECTORS.items():
        if content.has(*(unit.name for unit in RESULTS[name].units(settings))):
            numbers |= collect(content.data)
    return numbers


def percent(share: float, digits: int = 1) -> str:
    """A share as a percentage.

    Examples
    --------
    >>> percent(0.0375), percent(0.25, 0)
    ('3.8\\xa0%', '25\\xa0%')
    """
    return f"{100 * share:.{digits}f}\N{NO-BREAK SPACE}%"


def signed(value: float, digits: int) -> str:
    """A number with its sign, the minus a real one.

    Examples
    --------
    >>> signed(-0.0123, 3), signed(0.5, 2)
    ('−0.012', '+0.50')
    """
    return f"{value:+.{digits}f}".replace("-", "−")


def listed(numbers: list[int]) -> str:
    """Numbers as a sentence lists them.

    Examples
    --------
    >>> listed([3]), listed([3, 4, 5])
    ('3', '3, 4 and 5')
    """
    words = [str(n) for n in numbers]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _million(n: int) -> str:
    return f"{n / 1e6:g} million"


# -------------------------------------------------------------------------------------- chapter by chapter


def _of_settings(settings: Settings) -> Numbers:
    full = Settings()
    short = (
        f"At these rates {_million(settings.updates)} updates are far too few; the full run makes "
        f"{_million(full.updates)}, and the column “SPDG, paper's settings” below means little before that."
    )
    return {
        **({"short_run": short} if settings.updates < full.updates else {}),
        "unigram_starts": str(settings.unigram_starts),
        "unigram_updates": _million(settings.unigram_updates),
        "updates": _million(settings.updates),
        "lanes": str(settings.lanes),
        "hmm_starts": "one start" if settings.hmm_starts == 1 else f"{settings.hmm_starts} starts",
    }


def _of_caesar(data: dict[str, Plain]) -> Numbers:
    found = data["caesar"]
    return {"letters": str(found["n_letters"]), "shift_margin": f"{caesar.margin(found['scores']):.2f}"}


def _of_plane(data: dict[str, Plain]) -> Numbers:
    return {"share_of_zeros": percent(data["plane"]["stationary"][0])}


def _of_landscapes(data: dict[str, Plain]) -> Numbers:
    found = data["landscapes"]
    return {
        "excess_at_dot": f"{found['excess_at_dot']:.6f}",
        "flat": f"{found['flat']['saddle_unigram']:.4f}",
        "steep": f"{found['steep']['saddle_unigram']:.2f}",
        "flat_pairs": f"{found['flat']['saddle_bigram']:.3f}",
        "printed_at_dot": f"{found['printed_model']['excess_at_dot']:.3f}",
        "printed_least": f"{found['printed_model']['least_excess']:.3f}",
    }


def _of_unigram(data: dict[str, Plain]) -> Numbers:
    rows = priors(data)
    broad = np.array([row["broad"]["errors"] for row in rows])
    return {
        "near_majority": percent(unigram.share_near_majority(rows), 0),
        "broad_least": percent(float(broad.min()), 0),
        "broad_most": percent(float(broad.max()), 0),
        "unigram_excess": f"{unigram.largest_excess(rows):.4f}",
    }


_COUNTS = (
    "within_half",
    "within_half_alone",
    "starts_wrong",
    "starts",
    "relabelled",
    "fits",
    "fits_right",
)


def _of_bigram(data: dict[str, Plain]) -> Numbers:
    found = bigram.summary(runs(data), reads(data))
    weak = data["chain-9"]
    error = "" if found["gap_error"] is None else f" ± {found['gap_error']:.3f}"
    numbers = {
        "mean_gap": signed(found["mean_gap"], 3) + error,
        "worst_gap": signed(found["worst_gap"], 2),
        "worst_paper_gap": f"{found['worst_paper_gap']:.2f}",
        "printed_gap_9": f"{printed.UNSUPERVISED_ERRORS[8] - printed.SUPERVISED_ERRORS[8]:.2f}",
        "information_9": f"{weak['mutual_information']:.4f}",
        "divergence_9": f"{weak['divergence']:.3f}",
        **{name: percent(found[name], 2) for name in ("supervised", "decoded", "smoother")},
    }
    counts = (
        "within_half",
        "within_half_alone",
        "starts_wrong",
        "starts",
        "relabelled",
        "fits",
        "fits_right",
    )
    numbers |= {name: str(found[name]) for name in counts}
    if found["hmm_fits"]:
        numbers |= {name: str(found[name]) for name in ("hmm_fits", "hmm_wrong", "hmm_poor")}
    return numbers


def _of_basins(data: dict[str, Plain]) -> Numbers:
    ends = data["basins"]["ends"]
    right, wrong = basins.count(data["basins"])
    numbers = {"basin_wrong": str(wrong), "basin_starts": str(len(ends))}
    if right and wrong:
        numbers["right_excess"] = f"{min(e['excess_cost'] for e in ends if e['error'] <= 0.5):.4f}"
        numbers["wrong_excess"] = f"{min(e['excess_cost'] for e in ends if e['error'] > 0.5):.4f}"
    return numbers


def _of_paths(data: dict[str, Plain]) -> Numbers:
    names = {"naive_error": "naive SGD", "spdg_error": "SPDG", "full_error": "full batch"}
    return {key: percent(data["paths"]["paths"][name][-1]["error"]) for key, name in names.items()}


def _of_audit(data: dict[str, Plain]) -> Numbers:
    rows = data["audit"]["limits"]
    behind = [_standard_errors(row, "through_origin") for row in rows]
    return {
        "below": str(sum(value > 0 for value in behind)),
        "sigmas": str(int(min(behind))),
        "impossible": listed([row["chain"] for row in rows if _standard_errors(row, "bayes") > 3]),
        "lost": listed([r["chain"] for r in rows if r["least_cost_printed"] > 2 * r["through_origin"]]),
        "least_gap": f"{100 * max(row['least_cost'] - row['bayes'] for row in rows):.2f}",
    }


def _standard_errors(row: dict[str, Any], limit: str) -> float:
    """How far the printed supervised error lies below a limit, in standard errors of 5,000 test points."""
    error = 100 * row[limit]
    deviation = float(np.sqrt(error * (100 - error) / 5000))
    return (error - printed.SUPERVISED_ERRORS[row["chain"] - 1]) / deviation


_COLLECTORS = {
    "caesar": _of_caesar,
    "plane": _of_plane,
    "landscapes": _of_landscapes,
    "unigram": _of_unigram,
    "bigram": _of_bigram,
    "basins": _of_basins,
    "paths": _of_paths,
    "audit": _of_audit,
}
