"""What inputs alone ask of a network: the same answer to an altered input, or features to draw it again from.

The paper's last section asks to combine its cost with losses that use the structure of the inputs.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from ventris.errors import DataTypeError, ParameterError
from ventris.torch.batches import silent_padding
from ventris.torch.net import logits_of

Augment = Callable[[Tensor], Tensor]


def blurred(x: Tensor) -> Tensor:
    """Inputs with noise of a fifth of their spread, images moreover moved by up to a pixel."""
    if x.ndim == 4:
        down, right = (int(each) for each in torch.randint(-1, 2, (2,)))
        x = torch.roll(x, (down, right), dims=(2, 3))
    return x + 0.2 * torch.randn_like(x)


class Consistency(nn.Module):
    """An altered input should get the answer of the input itself (consistency regularisation).

    ``Σ_c p_c(x) ln (p_c(x) / p_c(x′))``, the mean over points; the answer to x itself is taken as given.

    Parameters
    ----------
    augment : callable, optional
        A batch → a batch like it; by default a little noise, and a pixel's move of images.

    Examples
    --------
    >>> module, x = nn.Linear(2, 3), torch.ones(4, 2)
    >>> Consistency(augment=lambda batch: batch)(module, x).item()  # not altered at all
    0.0
    >>> bool(Consistency()(module, x) > 0)
    True
    """

    def __init__(self, augment: Augment = blurred) -> None:
        super().__init__()
        self.augment = augment

    def forward(self, module: nn.Module, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """The mean divergence over a batch `x` of points, or of stretches where the `mask` has some.

        `module` is the network that is taught.
        """
        altered, told = self.augment(x), {}
        if mask is not None:
            altered, told = silent_padding(altered, mask), {"mask": mask}
        with torch.no_grad():
            given = torch.log_softmax(logits_of(module, {"x": x, **told}), dim=-1)
        answer = torch.log_softmax(logits_of(module, {"x": altered, **told}), dim=-1)
        apart = (given.exp() * (given - answer)).sum(dim=-1)
        return apart.mean() if mask is None else apart[mask].mean()


class Reconstruction(nn.Module):
    """Features should hold what it takes to draw the input again (denoising autoencoder).

    The module must have a `body`, which makes features of inputs; a decoder of one layer is put beside it and
    forgotten after the lesson.

    Parameters
    ----------
    drop : float, default 0.25
        Share of an input's numbers that the body does not get to see.

    Examples
    --------
    >>> from ventris.torch.presets import MLP
    >>> module, x, loss = MLP(5, 2), torch.ones(4, 5), Reconstruction()
    >>> loss.prepare(module, x)
    >>> bool(loss(module, x) > 0)  # the mean squared error of what is drawn
    True
    """

    def __init__(self, drop: float = 0.25) -> None:
        super().__init__()
        self.drop = nn.Dropout(drop)
        self.decoder: nn.Module | None = None

    def prepare(self, module: nn.Module, x: Tensor) -> None:
        """Make a decoder for the features that the `module` makes of inputs like `x`."""
        if not isinstance(getattr(module, "body", None), nn.Module):
            raise ParameterError(
                "Reconstruction needs a module whose features are made by its attribute `body`",
                f"{type(module).__name__} has none",
                "Name that part of it `body`, or use input_loss='consistency'",
            )
        with torch.no_grad():
            n_features = module.body(x).flatten(1).shape[1]  # type: ignore[operator]
        self.decoder = nn.Linear(n_features, x[0].numel()).to(x.device)

    def forward(self, module: nn.Module, x: Tensor) -> Tensor:
        """The mean squared error of inputs `x` drawn again from what the `module` makes of a part of them."""
        assert self.decoder is not None
        drawn = self.decoder(module.body(self.drop(x)).flatten(1))  # type: ignore[operator]
        return nn.functional.mse_loss(drawn, x.flatten(1))


_BY_NAME: dict[str, Callable[[], nn.Module]] = {"consistency": Consistency, "reconstruction": Reconstruction}


def input_loss_of(given: Any) -> Any:
    """The loss meant by a name, a copy of the one given, or the user's own callable; None for none."""
    if given is None:
        return None
    if isinstance(given, str) and given in _BY_NAME:
        return _BY_NAME[given]()
    if not callable(given):
        raise DataTypeError(
            "input_loss must be " + ", ".join(map(repr, _BY_NAME)) + " or a function of a module and a batch",
            f"it is {given!r}",
            "Give a callable that returns a number to be lowered",
        )
    return copy.deepcopy(given) if isinstance(given, nn.Module) else given
