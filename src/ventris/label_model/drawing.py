"""A label model drawn: a heat map of what follows what, or a graph with an arrow for each transition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ventris.drawing.style import INK, MUTED, SECOND, canvas
from ventris.errors import ParameterError
from ventris.label_model.showing import following, shown_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ventris.label_model.model import NgramModel

_NUMBERS_UP_TO = 12  # labels whose cells still have room for a number
_MATRIX, _GRAPH = 60, 24  # labels that can still be read


def draw_model(lm: NgramModel, kind: str = "matrix", *, top: int | None = None) -> Figure:
    """p(next label | label), as a heat map ("matrix") or as arrows ("graph"), of the `top` commonest labels.

    Examples
    --------
    >>> from ventris.label_model.model import NgramModel
    >>> lm = NgramModel.from_transition_matrix([[0.9, 0.1], [0.5, 0.5]], classes=["dry", "wet"])
    >>> draw_model(lm).axes[0].get_ylabel(), len(draw_model(lm, "graph").axes[0].texts)
    ('label', 4)
    """
    if kind not in ("matrix", "graph"):
        raise ParameterError("kind must be 'matrix' or 'graph'", f"it is {kind!r}", "Choose one")
    if lm.order < 2:
        raise ParameterError(
            "A picture of transitions needs a label model of order 2 or more",
            f"this one has order {lm.order}",
            "Draw lm.stationary() as bars instead",
        )
    most = top or (_MATRIX if kind == "matrix" else _GRAPH)
    shown = np.sort(shown_labels(lm, most))
    names = [str(lm.classes[k]).replace(" ", "␣") for k in shown]
    follows = following(lm)[np.ix_(shown, shown)]
    side = min(3.2 + 0.32 * len(names), 11.0)
    with canvas(side + 0.6, side) as figure:
        axes = figure.subplots()
        if kind == "matrix":
            draw_matrix(axes, follows, names)
        else:
            draw_graph(axes, follows, names, lm.stationary()[shown])
        left_out = f", the {len(names)} commonest labels" if len(names) < lm.n_classes else ""
        axes.set_title(f"p(next label | label){left_out}")
    return figure


def draw_matrix(axes: Axes, follows: NDArray, names: list[str]) -> None:
    """A heat map, labels down, what follows them across."""
    image = axes.imshow(follows, cmap="Blues", vmin=0, vmax=1)
    places = np.arange(len(names))
    size = 8 if len(names) <= _NUMBERS_UP_TO else 6
    axes.set_xticks(places, names, rotation=90 if max(map(len, names)) > 3 else 0, fontsize=size)
    axes.set_yticks(places, names, fontsize=size)
    if len(names) <= _NUMBERS_UP_TO:
        for i, j in np.ndindex(*follows.shape):
            colour = "white" if follows[i, j] > 0.6 else INK
            axes.text(j, i, f"{follows[i, j]:.2f}", ha="center", va="center", fontsize=7, color=colour)
    elif axes.figure is not None:
        axes.figure.colorbar(image, ax=axes, shrink=0.8)
    axes.set_xlabel("next label")
    axes.set_ylabel("label")


def draw_graph(axes: Axes, follows: NDArray, names: list[str], frequency: NDArray) -> None:
    """Labels on a circle, larger the commoner; arrows wider and darker the likelier, weak ones left out."""
    from matplotlib.patches import FancyArrowPatch

    n = len(names)
    angles = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    places = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    least = min(0.09, 1 / n)  # arrows as weak as chance would hide the others
    for i, j in zip(*np.nonzero(follows > least), strict=True):
        if i == j:
            continue
        strength = float(follows[i, j])
        axes.add_patch(
            FancyArrowPatch(
                tuple(places[i]), tuple(places[j]), connectionstyle="arc3,rad=0.14", arrowstyle="-|>",
                mutation_scale=9 + 6 * strength, linewidth=0.4 + 3 * strength, shrinkA=17, shrinkB=17,
                color=SECOND, alpha=0.25 + 0.75 * strength,
            )
        )  # fmt: skip
    sizes = 300 + 900 * frequency / frequency.max()
    axes.scatter(places[:, 0], places[:, 1], s=sizes, color="white", edgecolor=INK, linewidth=1.2, zorder=3)
    for k, (name, (x, y)) in enumerate(zip(names, places.tolist(), strict=True)):
        axes.text(x, y, name, fontsize=8, zorder=4, ha="center", va="center")
        if follows[k, k] > least:
            side: Any = "center" if abs(x) < 0.2 else "left" if x > 0 else "right"
            stays = f"stays {follows[k, k]:.2f}"
            axes.text(1.22 * x, 1.22 * y, stays, fontsize=7, color=MUTED, ha=side, va="center")
    axes.set(xlim=(-1.7, 1.7), ylim=(-1.45, 1.45), aspect="equal")
    axes.axis("off")
