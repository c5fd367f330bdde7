"""What a learner of networks is asked for, refused before a lesson where no lesson could be made of it."""

from __future__ import annotations

from typing import Any

import torch

from ventris.errors import ParameterError

_LEAST = {
    "context": 0, "epochs": 1, "weight_decay": 0, "batch_size": 1, "input_weight": 0, "pretrain_epochs": 0,
}  # fmt: skip


def check_parameters(learner: Any) -> None:
    """Refuse numbers out of their domain, and pre-training without anything to lower.

    Raises
    ------
    ParameterError
    """
    for name, bound in _LEAST.items():
        value = getattr(learner, name)
        if value is not None and not value >= bound:
            raise ParameterError(
                f"{name} must be at least {bound}", f"it is {value}", "Leave it out for the default"
            )
    if learner.lr is not None and not learner.lr > 0:
        raise ParameterError("lr must be positive", f"it is {learner.lr}", "Leave it out for the default")
    if learner.pretrain_epochs and learner.input_loss is None:
        raise ParameterError(
            "Pre-training lowers a loss of the inputs alone",
            f"pretrain_epochs={learner.pretrain_epochs} was given without one",
            "Give input_loss='reconstruction' or another one as well",
        )


def device_of(asked: str) -> str:
    """The device asked for, or for "auto" a GPU if there is one.

    Raises
    ------
    ParameterError
        For one that torch does not know, or does not have here.

    Examples
    --------
    >>> device_of("cpu")
    'cpu'
    """
    if asked == "auto":
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        torch.empty(0, device=asked)
    except (RuntimeError, AssertionError) as problem:
        raise ParameterError(
            "device must be 'auto' or one that torch has here, such as 'cpu' or 'cuda:0'",
            f"it is {asked!r}: {str(problem).splitlines()[0]}",
            "Leave it 'auto'",
        ) from None
    return asked
