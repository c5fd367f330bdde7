"""Networks for people without one: a multilayer perceptron, a small convolutional net, a temporal one.

Each is a dozen lines to copy from. `body` makes features, `head` makes logits of them: that is all an input
loss with a decoder needs to know.
"""

from __future__ import annotations

from math import isqrt
from typing import Any

from torch import Tensor, nn

from ventris.errors import DataError


class MLP(nn.Module):
    """Two hidden layers of `width` units (multilayer perceptron): (B, D) → (B, C)."""

    def __init__(self, n_features: int, n_classes: int, width: int = 64) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(n_features, width), nn.ReLU(),
            nn.Linear(width, width), nn.ReLU(),
        )  # fmt: skip
        self.head = nn.Linear(width, n_classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x))


class CNN(nn.Module):
    """Two layers of filters, each halving the image, then one of units: (B, K, H, W) → (B, C)."""

    def __init__(self, shape: tuple[int, int, int], n_classes: int, width: int = 16) -> None:
        super().__init__()
        channels, height, breadth = shape
        n_features = 2 * width * -(-height // 4) * -(-breadth // 4)
        self.body = nn.Sequential(
            nn.Conv2d(channels, width, 5, stride=2, padding=2), nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten(),
            nn.Linear(n_features, 8 * width), nn.ReLU(),
        )  # fmt: skip
        self.head = nn.Linear(8 * width, n_classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x))


class TCN(nn.Module):
    """Filters over time that see 1, 2, 4 and 8 points apart (temporal convolutions): (B, T, D) → (B, T, C).

    What stands outside a sequence is silence: `mask` of shape (B, T) keeps it so in every layer.
    """

    context = 15  # points on either side that its four layers see

    def __init__(self, n_features: int, n_classes: int, width: int = 32) -> None:
        super().__init__()
        self.first = nn.Conv1d(n_features, width, 1)
        self.layers = nn.ModuleList(nn.Conv1d(width, width, 3, padding=d, dilation=d) for d in (1, 2, 4, 8))
        self.head = nn.Conv1d(width, n_classes, 1)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        inside = 1.0 if mask is None else mask[:, None, :].to(x.dtype)  # (B, 1, T)
        h = self.first(x.transpose(1, 2)).relu() * inside  # (B, H, T)
        for layer in self.layers:
            h = (h + layer(h).relu()) * inside  # (B, H, T)
        return self.head(h).transpose(1, 2)


# ------------------------------------------------------------------------------------------- by their names


def square(n_features: int) -> tuple[int, int, int]:
    """The shape of a square grey image of so many pixels.

    Raises
    ------
    DataError
        Where no square has so many.
    """
    side = isqrt(n_features)
    if side * side != n_features or side < 4:
        raise DataError(
            'classifier="cnn" reads square grey images of at least 4 × 4 pixels, a row each',
            f"X has {n_features} columns",
            "Give TorchLearner('cnn', input_shape=(channels, height, width))",
        )
    return 1, side, side


def build(
    name: str, n_features: int, shape: tuple[int, ...] | None, n_classes: int, **given: Any
) -> nn.Module:
    """A preset for inputs of so many features and so many labels."""
    if name == "cnn":
        channels, height, breadth = shape or square(n_features)
        return CNN((channels, height, breadth), n_classes, **given)
    return {"mlp": MLP, "tcn": TCN}[name](n_features, n_classes, **given)
