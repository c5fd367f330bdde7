"""A label model in numbers and words, for people."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ventris.label_model.identifiability import identifiability
from ventris.label_model.model import NgramModel


@dataclass(frozen=True)
class LabelFacts:
    """What a label model knows; every field is plain data.

    Attributes
    ----------
    classes : list
    order : int
    entropy : float
        Of the n-grams of the model's own order, in nats.
    entropy_rate : float
        Nats of uncertainty left in a label once those before it are given.
    stationary : list of float
        Long-run frequency of each label.
    ngrams : list of dict
        The commonest: their `labels` and their `prob`.
    identifiability : dict
        Whether the labels can be told apart, with a sentence.
    """

    classes: list[Any]
    order: int
    entropy: float
    entropy_rate: float
    stationary: list[float]
    ngrams: list[dict[str, Any]]
    identifiability: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return asdict(self)


def describe(lm: NgramModel, top: int = 10) -> LabelFacts:
    """The facts of a label model, with its `top` commonest n-grams.

    Examples
    --------
    >>> facts = describe(NgramModel.from_transition_matrix([[0.0, 1.0], [1.0, 0.0]], classes="ab"), top=1)
    >>> facts.entropy_rate, facts.ngrams, facts.identifiability["verdict"]
    (0.0, [{'labels': ['a', 'b'], 'prob': 0.5}], 'unidentifiable')
    """
    table = lm.table(top=top)
    shorter = lm.entropy(lm.order - 1) if lm.order > 1 else 0.0
    return LabelFacts(
        classes=list(lm.classes),
        order=lm.order,
        entropy=lm.entropy(),
        entropy_rate=lm.entropy() - shorter,
        stationary=lm.stationary().tolist(),
        ngrams=[
            {"labels": [lm.classes[k] for k in gram], "prob": float(p)}
            for gram, p in zip(table.grams, table.prob, strict=True)
        ],
        identifiability=identifiability(lm, min(2, lm.order)).to_dict(),
    )
