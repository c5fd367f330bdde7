"""Signs that tell a right answer from a wrong one without a label: what the calibration table takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.diagnostics.evidence import Findings, total_correlation
from ventris.diagnostics.goodness import Mismatch
from ventris.inference.score import infer_labels
from ventris.label_model.model import NgramModel

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Fresh:
    """Outputs of points that the classifier, or halves of it, did not learn from.

    Attributes
    ----------
    outputs : array of shape (n, C)
    lengths : array of shape (S,)
    own : array of shape (n,), optional
        Labels that the classifier itself gives these points.
    """

    outputs: Array
    lengths: NDArray[np.int64]
    own: NDArray[np.int64] | None = None


def expected_errors(fresh: Fresh, lm: NgramModel, order: int) -> dict[str, float]:
    """Share of wrong labels that outputs expect of themselves, alone and in their sequences.

    Examples
    --------
    >>> lm = NgramModel.from_transition_matrix([[0.5, 0.5], [0.5, 0.5]])
    >>> found = expected_errors(Fresh(np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([2])), lm, 2)
    >>> round(found["alone"], 3)
    0.15
    """
    labels, score = infer_labels(fresh.outputs, fresh.lengths, lm, order, n_jobs=1)
    chosen = fresh.outputs.argmax(axis=1)
    return {
        "alone": float(1 - fresh.outputs.max(axis=1).mean(dtype=float)),
        "in_sequence": float(1 - labels[np.arange(len(labels)), chosen].mean(dtype=float)),
        "decoded": float(1 - labels.max(axis=1).mean(dtype=float)),
        "fresh_score": score,
    }


def signs_of(
    found: Findings,
    fresh: Fresh,
    mismatch: Mismatch | None,
    lm: NgramModel,
    order: int,
    history: Sequence[Mapping[str, Any]],
) -> dict[str, float]:
    """All signs by name; one that a fit does not have is left out."""
    steps: dict[str, Mapping[str, Any]] = {}
    for row in history:
        steps.setdefault(row["step"], row)  # of two steps that adapt, the one that looked at names
    again, adapt = steps.get("again", {}), steps.get("adapt", {})
    if adapt.get("misleads"):
        adapt = {}  # inputs hang together beyond their labels: what free transitions gain says nothing
    signs: dict[str, Any] = expected_errors(fresh, lm, order)
    to_match, told = total_correlation(found.lm_prob), max(found.identifiability.mutual_information, 1e-6)
    signs |= {
        "halves_apart": None if fresh.own is None else np.mean(fresh.own != fresh.outputs.argmax(axis=1)),
        "unmatched": found.excess_cost / max(to_match, 1e-6),
        "dependence": to_match,
        "usage_distance": found.use.distance,
        "divergence": min(found.identifiability.divergence, 10.0),
        "chance": 1 - float(np.sum(np.square(found.use.expected))),
        "explained": signs["fresh_score"] / told,
        "ordered": (found.null.score - float(np.mean(found.null.null_scores))) / told,
        "points_a_label": found.n_windows / len(found.classes),
        "labels": float(len(found.classes)),
        "disagreement": again.get("disagreement"),
        "renamed_disagreement": again.get("renamed_disagreement"),
        "another_gain": again.get("gain"),
        "free_gain": adapt.get("gain"),
        "misfit": adapt.get("misfit"),
        "rival_misfit": adapt.get("rival_misfit"),
        "departure": adapt.get("departure"),
        "renamed_departure": adapt.get("renamed_departure"),
        "residual": adapt.get("residual"),
        "free_deviations": adapt["gain"] / max(adapt["deviation"], 1e-6) if "deviation" in adapt else None,
        "shaped": float(bool(adapt.get("by_shape"))),
        "moved": float(any(row["step"] == "adapt" and row["kept"] for row in history)),
    }
    if mismatch is not None:
        signs |= {"mismatch": mismatch.z, "mismatch_excess": mismatch.excess}
        signs["shortfall"] = mismatch.shortfall
    if found.search is not None:
        signs |= _of_the_search(found)
    return {name: float(value) for name, value in signs.items() if value is not None and np.isfinite(value)}


def _of_the_search(found: Findings) -> dict[str, Any]:
    search = found.search
    assert search is not None
    margin, nearest = search.margin, search.rivals[:1]
    moved = [label for names, _, _ in nearest for label, name in enumerate(names) if label != name]
    return {
        "rival_share": sum(found.use.usage[label] for label in moved),
        "rival_deviations": nearest[0][1] / max(nearest[0][2], 1e-6) if nearest else None,
        "purity": float(search.table.max(axis=1).mean()),
        "recurrence": search.recurrence / max(1, search.n_starts),
        "runner_up": None if margin is None else margin * found.n_windows,
        "fresh_runner_up": None if search.fresh_margin is None else search.fresh_margin * search.n_fresh,
        "rival_names": nearest[0][1] if nearest else None,
    }
