"""How strong a penalty weights need (L2 regularisation, chosen by cross-validation)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.copies import distinct_inputs
from ventris.classifiers.fitting import distil
from ventris.classifiers.loglinear import Coordinates, LogLinear, cross_entropy, one_hot
from ventris.classifiers.settings import DEFAULT, LearnerSettings

Array = NDArray[np.floating]


def choose_l2(
    X: Array,
    labels: NDArray,
    units: Coordinates,
    settings: LearnerSettings = DEFAULT,
) -> float:
    """The penalty whose fits best predict distinct inputs left out (L2 regularisation, cross-validation).

    Each fifth of the distinct inputs is left out in turn.

    Equal rows stay together: where the same input comes again and again, a held-out copy of it would prove
    nothing. Labels are hard for a like reason: soft ones show how the classifier that made them answers
    between its inputs, so the weakest penalty would copy it best, overfitting and all.

    Parameters
    ----------
    X : array of shape (n, D)
    labels : int array of shape (n,)
    units : Coordinates
    settings : LearnerSettings
        Its `penalties`, strong first: each fit starts from the one before.
    """
    n_classes, n_features = units.mask.shape
    X, targets, content = distinct_inputs(X, one_hot(labels, n_classes, X.dtype.type))
    folds = [content % settings.folds == fold for fold in range(settings.folds)]
    folds = [left_out for left_out in folds if left_out.any() and not left_out.all()]
    models = [LogLinear.zeros(n_classes, n_features, units.gamma)] * len(folds)
    best, least = settings.penalties[0], np.inf
    for l2 in settings.penalties:
        models = [
            distil(X[~left_out], targets[~left_out], model, units, l2=l2, max_iter=settings.fold_iter)
            for left_out, model in zip(folds, models, strict=True)
        ]
        losses = (
            cross_entropy(model, X[left_out], targets[left_out])[0]
            for left_out, model in zip(folds, models, strict=True)
        )
        loss = sum(losses)
        if loss >= least:  # weaker ones, which take longest to fit, will not do better
            break
        best, least = l2, loss
    return best
