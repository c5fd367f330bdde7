"""Networks learnt without labels: a learner for any PyTorch module, and the paper's loss for one's own loop.

>>> import ventris.torch
>>> sorted(ventris.torch.__all__)  # nothing of torch is imported before one of these is asked for
['Consistency', 'NgramMatchingLoss', 'Reconstruction', 'TorchLearner']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ventris.torch.input_loss import Consistency as Consistency
    from ventris.torch.input_loss import Reconstruction as Reconstruction
    from ventris.torch.learner import TorchLearner as TorchLearner
    from ventris.torch.loss import NgramMatchingLoss as NgramMatchingLoss

_HOME = {
    "Consistency": "ventris.torch.input_loss",
    "NgramMatchingLoss": "ventris.torch.loss",
    "Reconstruction": "ventris.torch.input_loss",
    "TorchLearner": "ventris.torch.learner",
}
__all__ = ["Consistency", "NgramMatchingLoss", "Reconstruction", "TorchLearner"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ventris.torch' has no attribute {name!r}")
    from ventris.torch.installed import asked_for

    with asked_for(f"ventris.torch.{name}"):
        return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
