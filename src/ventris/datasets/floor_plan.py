"""Walks through a building, seen only as the strength of radio access points: labels on a graph.

Rooms are the labels, doors say which room can follow which, and a frame is what a phone hears of each access
point. How strong that is falls with the logarithm of the distance; walls and furniture shift it by an amount
of their own for each room and access point (log-normal shadowing), and it flickers from frame to frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.datasets.gaussian import RandomState, SequenceData
from ventris.errors import ParameterError
from ventris.label_model.model import NgramModel

if TYPE_CHECKING:
    import networkx as nx

Kind = Literal["walled", "grid", "corridor", "random"]
_METRES = 4.0  # from the middle of a room to that of the next
_AT_ONE_METRE, _PER_DECADE = -40.0, 30.0  # dBm, and dB lost each time the distance grows tenfold (indoors)
_INAUDIBLE = -100.0  # dBm: what a receiver says of an access point it does not hear
_CANDIDATES = 10  # places drawn for each room of a random plan, of which the farthest from the others is kept


@dataclass(frozen=True)
class FloorPlan:
    """Rooms, doors, and frames of radio readings taken on a walk through them.

    Attributes
    ----------
    train, test : SequenceData
        Readings in dBm, a column an access point, and the room each frame was taken in, for measuring only.
        The test walk goes on where the other ends.
    lm : NgramModel
        The walk on the graph of doors.
    doors : bool array of shape (R, R)
        Whether a door joins two rooms.
    positions : array of shape (R, 2)
        Where rooms lie, in metres.
    access_points : array of shape (A, 2)
        Where access points hang; nothing that learns is told.

    Examples
    --------
    >>> from ventris.datasets import make_floor_plan
    >>> plan = make_floor_plan("grid", 9, frames=200, n_test=50, random_state=0)
    >>> plan.train.X.shape, len(plan.rooms), int(plan.doors.sum()) // 2
    ((200, 10), 9, 12)
    """

    train: SequenceData
    test: SequenceData
    lm: NgramModel
    doors: NDArray[np.bool_]
    positions: NDArray[np.float64]
    access_points: NDArray[np.float64]

    @property
    def rooms(self) -> tuple[Any, ...]:
        """Names of the rooms, in the order of `doors` and `positions`."""
        return self.lm.classes

    def graph(self) -> nx.Graph:
        """The plan as a networkx graph, with the place of each room.

        Examples
        --------
        >>> make_floor_plan("corridor", 6, frames=100).graph().number_of_edges()
        5
        """
        import networkx as nx

        graph = nx.Graph()
        for room, (x, y) in zip(self.rooms, self.positions.tolist(), strict=True):
            graph.add_node(room, x=x, y=y)
        graph.add_edges_from((self.rooms[i], self.rooms[j]) for i, j in np.argwhere(np.triu(self.doors)))
        return graph


def make_floor_plan(
    kind: Kind = "walled",
    rooms: int = 30,
    *,
    access_points: int = 10,
    noise: float = 5.0,
    shadowing: float = 3.0,
    frames: int = 30_000,
    n_test: int = 10_000,
    stay: float = 0.8,
    popularity: float | ArrayLike | None = None,
    doors: float = 0.5,
    random_state: RandomState = 0,
) -> FloorPlan:
    """A building, a walk through it and the radio readings taken on the way.

    Parameters
    ----------
    kind : {"walled", "grid", "corridor", "random"}
        Rooms in rows with some of the doors walled up, rooms in rows with a door to every neighbour, rooms on
        both sides of a corridor, or rooms anywhere.
    rooms : int, default 30
    access_points : int, default 10
    noise : float, default 5
        Spread of a reading from frame to frame, in dB.
    shadowing : float, default 3
        Spread of what walls do to an access point as heard in a room, in dB.
    frames : int, default 30,000
        To learn from.
    n_test : int, default 10,000
        Frames that go on where those end.
    stay : float, default 0.8
        Probability that the next frame is of the same room.
    popularity : float or array of shape (R,), optional
        Share of the time spent in each room, or the parameter of a Dirichlet distribution it is drawn from: 1
        makes some rooms hardly ever visited. The walk then stays with probability `stay` or more. Without,
        each door of a room is as likely to be taken as the others.
    doors : float, default 0.5
        Of walled and random plans: share of the doors not needed to reach every room that are there.
    random_state : int, Generator or None

    Examples
    --------
    >>> plan = make_floor_plan("grid", 6, frames=500, random_state=0)
    >>> plan.train.X.shape, plan.rooms[:3], plan.doors.sum() // 2
    ((500, 10), ('room 1', 'room 2', 'room 3'), np.int64(7))
    """
    _check(kind, rooms, access_points, frames)
    rng = np.random.default_rng(random_state)
    positions, joined = _places_and_doors(kind, rooms, doors, rng)
    names = [f"room {number}" for number in range(1, rooms + 1)]
    visits = _visits(popularity, rooms, rng)
    lm = NgramModel.from_graph(joined.astype(float), stay=stay, visits=visits, classes=names)
    low, high = positions.min(axis=0) - _METRES / 2, positions.max(axis=0) + _METRES / 2
    hung = rng.uniform(low, high, size=(access_points, 2))
    means = strengths(positions, hung) + shadowing * rng.standard_normal((rooms, access_points))
    walk = lm.sample(frames + n_test, rng)
    readings = means[walk] + noise * rng.standard_normal((len(walk), access_points))
    data = SequenceData(np.maximum(readings, _INAUDIBLE), np.array(names)[walk])
    return FloorPlan(data.part(0, frames), data.part(frames, frames + n_test), lm, joined, positions, hung)


def strengths(positions: NDArray, access_points: NDArray) -> NDArray[np.float64]:
    """What is heard of each access point at each place, in dBm: shape (R, A) (log-distance path loss).

    References
    ----------
    .. [1] T. S. Rappaport, "Wireless Communications: Principles and Practice", Prentice Hall, 1996, ch. 3.

    Examples
    --------
    >>> strengths(np.array([[0.0, 0.0]]), np.array([[1.0, 0.0], [10.0, 0.0]]))
    array([[-40., -70.]])
    """
    distance = np.linalg.norm(positions[:, None] - access_points[None], axis=2)
    return _AT_ONE_METRE - _PER_DECADE * np.log10(np.maximum(distance, 1.0))


def _check(kind: str, rooms: int, access_points: int, frames: int) -> None:
    if kind not in get_args(Kind):
        raise ParameterError(f"kind must be one of {get_args(Kind)}", f"it is {kind!r}", "Choose one")
    for name, value, least in (
        ("rooms", rooms, 2),
        ("access_points", access_points, 1),
        ("frames", frames, 1),
    ):
        if value < least:
            raise ParameterError(f"{name} must be at least {least}", f"it is {value}", "Give more")


def _visits(popularity: float | ArrayLike | None, rooms: int, rng: np.random.Generator) -> NDArray | None:
    if popularity is None:
        return None
    given = np.asarray(popularity, dtype=float)
    return rng.dirichlet(np.full(rooms, float(given))) if given.ndim == 0 else given


# -------------------------------------------------------------------------------------------- the plans


def _places_and_doors(
    kind: str, rooms: int, share: float, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    if kind == "corridor":
        return _corridor(rooms)
    if kind == "random":
        positions = _anywhere(rooms, rng)
        return positions, _some_doors(_without_room_between(positions), share, rng)
    columns = next(n for n in range(int(np.ceil(np.sqrt(rooms))), rooms + 1) if rooms % n == 0)
    positions = _METRES * np.array([divmod(room, columns) for room in range(rooms)], dtype=float)[:, ::-1]
    beside = _within(positions, 1.1 * _METRES)
    return positions, beside if kind == "grid" else _some_doors(beside, share, rng)


def _corridor(rooms: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Pieces of a corridor in a row, each with a room to the left and one to the right."""
    n_pieces = -(-rooms // 3)
    along = [(piece, 0) for piece in range(n_pieces)]
    beside = [(piece, side) for piece in range(n_pieces) for side in (1, -1)]
    places = np.array([*along, *beside][:rooms], dtype=float)
    positions = _METRES * places
    near = _within(positions, 1.1 * _METRES)
    is_room = places[:, 1] != 0
    return positions, near & ~(is_room[:, None] & is_room[None, :])


def _anywhere(rooms: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Rooms that keep their distance (best-candidate sampling)."""
    side = _METRES * np.sqrt(rooms)
    places = rng.uniform(0, side, size=(1, 2))
    while len(places) < rooms:
        drawn = rng.uniform(0, side, size=(_CANDIDATES, 2))
        gaps = np.linalg.norm(drawn[:, None] - places[None], axis=2).min(axis=1)
        places = np.vstack([places, drawn[gaps.argmax()]])
    return places


def _within(positions: NDArray, metres: float) -> NDArray[np.bool_]:
    distance = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    return (distance <= metres) & ~np.eye(len(positions), dtype=bool)


def _without_room_between(positions: NDArray) -> NDArray[np.bool_]:
    """Rooms with no third one in the circle between them share a wall (Gabriel graph)."""
    squared = np.sum((positions[:, None] - positions[None]) ** 2, axis=2)
    blocked = np.zeros_like(squared, dtype=bool)
    for third in squared:  # a third room lies in the circle if its angle to the two is not acute
        blocked |= third[:, None] + third[None, :] < squared
    return ~blocked & ~np.eye(len(positions), dtype=bool)


def _some_doors(walls: NDArray[np.bool_], share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Doors through some of the walls: a random tree reaches every room, and a share of the others."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    chance = np.triu(rng.uniform(0.5, 1.5, size=walls.shape) * walls)
    tree = minimum_spanning_tree(chance).toarray() > 0
    opened = (tree | ((chance > 0) & np.triu(rng.random(walls.shape) < share))) & np.triu(walls)
    return opened | opened.T
