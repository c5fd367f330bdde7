"""J and L as landscapes around one classifier: computed first, drawn from six sides, or turned by hand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris import objective
from ventris.classifiers.loglinear import LogLinear
from ventris.data.sequences import check_lengths, first_points
from ventris.figures.canvas import DOT, canvas
from ventris.objective import floored_cost

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ventris.classifier import SequenceClassifier

Array = NDArray[np.floating]
ANGLES = (-135, -75, -15, 45, 105, 165)  # turning clockwise, as the paper shows its own
_POINTS = 20_000  # contiguous points that are enough to see a shape


@dataclass(frozen=True)
class Surface:
    """Heights over a grid, and the point in question.

    Attributes
    ----------
    x, y : arrays of shape (n,) and (m,)
    z : array of shape (m, n)
    dot : (x, y, z)
    names : three str
        Of the axes.
    """

    x: Array
    y: Array
    z: Array
    dot: tuple[float, float, float]
    names: tuple[str, str, str]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for a file."""
        arrays = {name: np.round(getattr(self, name), 6).tolist() for name in "xyz"}
        return arrays | {"dot": list(self.dot), "names": list(self.names)}

    @classmethod
    def of_dict(cls, plain: dict[str, Any]) -> Surface:
        """The surface that `to_dict` wrote."""
        x, y, z = (np.array(plain[name]) for name in "xyz")
        return cls(x, y, z, tuple(plain["dot"]), tuple(plain["names"]))


def surface(
    clf: SequenceClassifier,
    X: Array,
    *,
    kind: Literal["cost", "saddle"] = "cost",
    lengths: ArrayLike | None = None,
    n: int = 41,
    random_state: int = 0,
) -> Figure:
    """Draw J around a fitted classifier, or L around it and its dual, from six sides.

    Parameters
    ----------
    clf : SequenceClassifier
        Fitted, log-linear.
    X : array of shape (T, D)
        The first 20,000 points are used.
    kind : {"cost", "saddle"}
        "cost" is J along two directions of the weights; "saddle" is L along a random direction of the weights
        and one of the dual.
    lengths : array of shape (S,), optional
    n : int
        Points along each side.
    random_state : int
        Draws the directions.

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> import ventris as vt
    >>> chain = vt.datasets.make_paper_chain(2, n_samples=6000)
    >>> clf = vt.SequenceClassifier(chain.lm, random_state=0).fit(chain.train.X)
    >>> len(surface(clf, chain.train.X, n=5).axes)
    6
    """
    model = LogLinear(clf.coef_, clf.intercept_, clf.gamma)
    compute = cost_surface if kind == "cost" else saddle_surface
    return draw_surface(
        compute(model, X, clf.lm_.joint(min(2, clf.order_)), lengths=lengths, n=n, random_state=random_state)
    )


def cost_surface(
    model: LogLinear,
    X: Array,
    lm_prob: Array,
    *,
    lengths: ArrayLike | None = None,
    reach: float = 2.0,
    n: int = 41,
    random_state: int = 0,
) -> Surface:
    """J(θ) over two directions of the weights, each up to `reach` times their size (E1).

    Two classes with two features move w_a and w_b, the weights of the paper's form, in which class 0 sees the
    first feature and class 1 the second; other shapes move along two random directions. The intercept stays.
    """
    X, lengths = first_points(np.asarray(X, dtype=float), check_lengths(lengths, len(X)), _POINTS)
    base, directions, names = _directions(model, np.random.default_rng(random_state))
    size = reach * float(np.abs(base).max())
    x, y = base[0] + np.linspace(-size, size, n), base[1] + np.linspace(-size, size, n)

    def height(a: float, b: float) -> float:
        coef = model.coef + (a - base[0]) * directions[0] + (b - base[1]) * directions[1]
        return _cost(LogLinear(coef, model.intercept, model.gamma), X, lengths, lm_prob)

    z = np.array([[height(a, b) for a in x] for b in y])
    return Surface(x, y, z, (*base, height(*base)), (*names, "J"))


def _directions(model: LogLinear, rng: np.random.Generator) -> tuple[Array, Array, tuple[str, str]]:
    """Where the two coordinates stand, how each moves the weights (2, C, D), and their names."""
    if model.coef.shape == (2, 2):
        delta = model.coef[0] - model.coef[1]
        paper = np.array([[[0.5, 0.0], [-0.5, 0.0]], [[0.0, -0.5], [0.0, 0.5]]])
        return np.array([delta[0], -delta[1]]), paper, ("w_a", "w_b")
    drawn = rng.standard_normal((2, model.coef.size))
    orthogonal = np.linalg.qr(drawn.T)[0].T.reshape(2, *model.coef.shape)
    along = np.array([float(np.sum(model.coef * d)) for d in orthogonal])
    return along, orthogonal, ("direction 1", "direction 2")


def saddle_surface(
    model: LogLinear,
    X: Array,
    lm_prob: Array,
    *,
    lengths: ArrayLike | None = None,
    reach: float = 1.0,
    n: int = 41,
    random_state: int = 0,
) -> Surface:
    """L(θ⁰ + λ_p(θ¹ − θ⁰), V⁰ + λ_d(V¹ − V⁰)), θ¹ and V¹ random, V⁰ = −1/P̄(θ⁰) (E4, E5)."""
    X, lengths = first_points(np.asarray(X, dtype=float), check_lengths(lengths, len(X)), _POINTS)
    rng = np.random.default_rng(random_state)
    theta = np.column_stack([model.coef, model.intercept])  # (C, D + 1)
    other = float(np.sqrt(np.mean(theta**2))) * rng.standard_normal(theta.shape)
    steps = np.linspace(-reach, reach, n)

    def expected(step: float) -> Array:
        moved = theta + step * (other - theta)
        outputs = LogLinear(moved[:, :-1], moved[:, -1], model.gamma).posteriors(X)
        return objective.expected_ngrams(outputs, lm_prob.ndim, lengths)

    top = objective.optimal_dual(expected(0.0))  # (E5)
    down = rng.random(top.shape) - 1.0 - top  # towards V¹ in [−1, 0), where Algorithm 1 starts
    y = np.linspace(-0.95, 0.95, n)  # V stays negative: short of V¹ on one side, away from zero on the other
    tables = [expected(step) for step in steps]
    z = np.array([[objective.saddle(lm_prob, table, top + d * down) for table in tables] for d in y])
    height = objective.saddle(lm_prob, expected(0.0), top)
    return Surface(steps, y, z, (0.0, 0.0, height), ("λ_p", "λ_d", "L"))


def _cost(model: LogLinear, X: Array, lengths: NDArray | None, lm_prob: Array) -> float:
    return floored_cost(lm_prob, objective.expected_ngrams(model.posteriors(X), lm_prob.ndim, lengths))


# --------------------------------------------------------------------------------------------- drawing


def draw_surface(data: Surface, angles: tuple[int, ...] = ANGLES) -> Figure:
    """The same surface from each angle, its dot in red, over the far side as well."""
    with canvas(10, 6.4) as figure:
        x, y = np.meshgrid(data.x, data.y)
        for place, angle in enumerate(angles):
            axes: Any = figure.add_subplot(2, -(-len(angles) // 2), place + 1, projection="3d")
            axes.computed_zorder = False  # the dot is drawn last, wherever it lies
            axes.plot_surface(
                x, y, data.z, cmap="viridis", rcount=100, ccount=100, linewidth=0, alpha=0.9, rasterized=True
            )
            axes.scatter(*data.dot, color=DOT, s=42, edgecolors="white", linewidths=0.8, zorder=10)
            axes.xaxis.set_rotate_label(False)
            axes.yaxis.set_rotate_label(False)
            axes.view_init(elev=28, azim=angle)
            axes.set_xlabel(_set(data.names[0]), labelpad=-6)
            axes.set_ylabel(_set(data.names[1]), labelpad=-6)
            axes.set_title(f"({chr(97 + place)})  {data.names[2]}", pad=-4)
            axes.tick_params(labelsize=6, pad=-3)
            axes.locator_params(nbins=5)
    return figure


def _set(name: str) -> str:
    """A name with an index as matplotlib sets it."""
    return f"${name}$" if "_" in name else name


def surface_scene(data: Surface) -> dict[str, Any]:
    """The same for plotly in a browser: traces and layout as plain data."""
    hover = f"{data.names[0]} %{{x:.3g}}<br>{data.names[1]} %{{y:.3g}}<br>{data.names[2]} %{{z:.4f}}"
    sheet = {
        "type": "surface", "x": data.x.tolist(), "y": data.y.tolist(),
        "z": np.round(data.z, 5).tolist(), "colorscale": "Viridis", "showscale": False,
        "hovertemplate": hover + "<extra></extra>",
        "contours": {"z": {"show": True, "color": "rgba(255,255,255,0.35)", "width": 1}},
    }  # fmt: skip
    lifted = data.dot[2] + 0.02 * float(np.ptp(data.z))  # or half of it would be under the surface
    dot = {
        "type": "scatter3d", "mode": "markers", "x": [data.dot[0]], "y": [data.dot[1]], "z": [lifted],
        "marker": {"color": DOT, "size": 6, "line": {"color": "white", "width": 1}},
        "hoverinfo": "skip",
    }  # fmt: skip
    names = [re.sub(r"_(\w+)", r"<sub>\1</sub>", name) for name in data.names]
    axes = {f"{axis}axis": {"title": {"text": name}} for axis, name in zip("xyz", names, strict=True)}
    view = {"eye": {"x": 1.25, "y": -1.35, "z": 0.75}, "center": {"x": 0, "y": 0, "z": -0.15}}
    shape = {"aspectmode": "manual", "aspectratio": {"x": 1.15, "y": 1.15, "z": 0.75}}
    return {"data": [sheet, dot], "layout": {"scene": axes | shape | {"camera": view}}}
