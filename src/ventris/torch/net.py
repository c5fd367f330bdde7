"""The loop itself is skorch's; here are the loss it lowers and who watches it.

A lesson is a number of passes over soft targets. What is kept of it is the running mean of its weights
(Polyak averaging), so that no rate has to fall along a schedule: every pass ends in weights that may be the
last.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import torch
from skorch import NeuralNet
from skorch.callbacks import Callback
from torch import Tensor, nn

from ventris.errors import DataError, ParameterError
from ventris.torch.batches import Points, Stretches, silent_padding

# After each pass: the module as it would be kept, and passes so far. A true answer ends the lesson.
OnEpoch = Callable[[nn.Module, int], bool | None]
InputLoss = Callable[..., Tensor]  # of a module and a batch, and if it asks for one a mask


class EndOfLessonError(Exception):
    """A lesson has come to its end before its last pass."""


class LessonLoss(nn.Module):
    """−Σ_c q_c ln p_c, the mean over points that have a target (cross-entropy), and the inputs' own term.

    An input loss with weights of its own, such as a decoder's, is part of it: skorch then learns them too.
    """

    def __init__(self, input_loss: InputLoss | None, input_weight: float, inputs_only: bool) -> None:
        super().__init__()
        self.input_loss, self.input_weight, self.inputs_only = input_loss, input_weight, inputs_only

    def forward(
        self, logits: Tensor, targets: Tensor, module: nn.Module, inputs: dict[str, Tensor]
    ) -> Tensor:
        if self.input_loss is not None and self.inputs_only:
            return self._of_inputs(module, inputs)
        there = (targets.sum(dim=-1) > 0).sum().clamp(min=1)
        loss = -(targets * torch.log_softmax(logits, dim=-1)).sum() / there
        return loss if self.input_loss is None else loss + self._of_inputs(module, inputs)

    def _of_inputs(self, module: nn.Module, inputs: dict[str, Tensor]) -> Tensor:
        assert self.input_loss is not None
        function = getattr(self.input_loss, "forward", self.input_loss)
        return self.input_weight * self.input_loss(module, inputs["x"], **mask_for(function, inputs))


class Network(NeuralNet):
    """skorch's net for batches that are made already."""

    def __init__(
        self, module: Any, *args: Any, augment: Callable[[Tensor], Tensor] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(module, *args, **kwargs)
        self.augment = augment

    @property
    def _default_callbacks(self) -> list[Any]:
        return []  # neither a clock nor a table is asked for at every batch

    def get_split_datasets(self, X: Any, y: Any = None, **_: Any) -> tuple[Any, None]:
        """All of it is learnt from; who judges, judges from outside."""
        return X, None

    def get_iterator(self, dataset: Any, training: bool = False) -> Any:
        """The batches themselves."""
        return dataset

    def infer(self, x: Any, **_: Any) -> Tensor:
        """Logits of a batch of augmented inputs."""
        inputs = {name: each.to(self.device) for name, each in x.items()}
        if self.augment is not None:
            inputs["x"] = self.augment(inputs["x"])
            if "mask" in inputs:
                inputs["x"] = silent_padding(inputs["x"], inputs["mask"])
        try:
            return logits_of(self.module_, inputs)
        except ValueError as problem:
            if len(inputs["x"]) > 1 or "more than 1 value" not in str(problem):
                raise
            raise DataError(
                "A module that asks how a batch varies (batch normalisation) needs at least two points",
                "there is a single point",
                "Give more points, or a module without such a layer",
            ) from None

    def get_loss(self, y_pred: Tensor, y_true: Tensor, X: Any = None, *args: Any, **kwargs: Any) -> Tensor:
        """Cross-entropy with the soft targets, and what the inputs alone ask for."""
        check_shape(y_pred, y_true)
        inputs = {name: each.to(y_pred.device) for name, each in X.items()}
        return self.criterion_(y_pred, y_true.to(y_pred.device), self.module_, inputs)

    def train_step(self, batch: Any, **fit_params: Any) -> dict[str, Tensor]:
        """One update, refused where the loss is no number any more."""
        step = super().train_step(batch, **fit_params)
        value = step["loss"].item()
        if not math.isfinite(value):
            raise ParameterError(
                "The loss of a network must stay finite",
                f"it became {value} after {len(self.history)} passes",
                "Lower lr, scale the features, or look for a division or a logarithm in the module",
            )
        return step


def logits_of(module: nn.Module, inputs: dict[str, Tensor]) -> Tensor:
    """What the module makes of a batch; the mask goes to those that ask for one.

    Raises
    ------
    DataError
        Where it cannot read the batch.
    """
    try:
        return module(inputs["x"], **mask_for(module.forward, inputs))
    except RuntimeError as problem:
        length = ", stretches of any length down to a single point" if "mask" in inputs else ""
        raise DataError(
            f"The module must read a batch of shape {tuple(inputs['x'].shape)}{length}",
            f"it failed: {str(problem).splitlines()[0]}",
            "Change its first layer or its padding, or give input_shape=",
        ) from problem


def mask_for(function: Callable[..., Any], inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """The mask of a batch of stretches, for a function that has an argument `mask`."""
    from inspect import signature

    asked = "mask" in inputs and "mask" in signature(function).parameters
    return {"mask": inputs["mask"]} if asked else {}


def check_shape(logits: Any, targets: Tensor) -> None:
    """Refuse logits that are not one for each label of each point."""
    if not isinstance(logits, Tensor) or logits.shape != targets.shape:
        came = tuple(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__
        raise DataError(
            f"The module must put out logits of shape {tuple(targets.shape)}: one for each of the "
            f"{targets.shape[-1]} labels of the label model",
            f"it put out {came}",
            "Give its last layer as many outputs as there are labels, and no axis more",
        )


class Averaging(Callback):
    """Keeps the running mean of the weights, and tells of it after each pass."""

    def __init__(self, share: float, on_epoch: OnEpoch | None = None) -> None:
        self.share, self.on_epoch = share, on_epoch
        self.mean: nn.Module | None = None
        self.n_batches = self.n_epochs = 0

    def on_train_begin(self, net: Any, **_: Any) -> None:
        self.mean = copy.deepcopy(net.module_)
        self._kept = [each.data for each in self.mean.parameters()]
        self._moving = [each.data for each in net.module_.parameters()]

    def on_batch_end(self, net: Any, **_: Any) -> None:
        self.n_batches += 1
        # The first batches leave the start behind quickly; a mean that began slowly would remember it.
        share = min(self.share, self.n_batches / (10 + self.n_batches))
        torch._foreach_lerp_(self._kept, self._moving, 1.0 - share)

    def on_epoch_end(self, net: Any, **_: Any) -> None:
        assert self.mean is not None
        for kept, moving in zip(self.mean.buffers(), net.module_.buffers(), strict=True):
            kept.copy_(moving)  # such as a batch normalisation's means
        self.n_epochs += 1
        if self.on_epoch and self.on_epoch(self.mean.eval(), self.n_epochs):
            raise EndOfLessonError


def teach(
    module: nn.Module,
    batches: Points | Stretches,
    epochs: int,
    *,
    lr: float,
    weight_decay: float,
    averaging: float,
    device: str,
    on_epoch: OnEpoch | None = None,
    callbacks: Sequence[Any] = (),
    input_loss: InputLoss | None = None,
    input_weight: float = 1.0,
    inputs_only: bool = False,
    augment: Callable[[Tensor], Tensor] | None = None,
) -> nn.Module:
    """The module after so many passes over the batches: the running mean of its weights.

    Parameters
    ----------
    module : nn.Module
        Where the lesson begins; it is changed.
    batches : Points or Stretches
    epochs : int
    lr, weight_decay : float
        Of AdamW.
    averaging : float
        Share of the running mean that each batch leaves as it is.
    device : str
    on_epoch : callable, optional
        Given what would be kept after each pass; a true answer ends the lesson.
    callbacks : sequence of skorch callbacks
    input_loss, input_weight, inputs_only
        Of `LessonLoss`.
    augment : callable, optional
        A batch → a batch like it.
    """
    own = Averaging(averaging, on_epoch)
    module.to(device)
    prepare = getattr(input_loss, "prepare", None)
    if prepare is not None:
        prepare(module, next(iter(batches))[0]["x"].to(device))
    net = Network(
        module,
        LessonLoss(input_loss, input_weight, inputs_only),
        optimizer=torch.optim.AdamW,
        lr=lr,
        optimizer__weight_decay=weight_decay,
        # One kernel for all weights: an epoch of the perceptron took 1.34 times a plain loop's CPU without.
        optimizer__fused=device.startswith(("cpu", "cuda")),
        callbacks=[("averaging", own), *callbacks],
        augment=None if augment is None else partial(augment),  # which may be a module: skorch would adopt it
        train_split=None,
        device=device,
        verbose=0,
    )
    net.initialize()
    net.notify("on_train_begin", X=batches, y=None)
    with suppress(EndOfLessonError):
        net.fit_loop(batches, epochs=epochs)  # not `partial_fit`, which hides a Ctrl-C
    net.notify("on_train_end", X=batches, y=None)
    assert own.mean is not None
    return own.mean.eval()
