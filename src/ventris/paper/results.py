"""Every result of the page by name: the units it needs, the tables, figures and scenes it makes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ventris.errors import ParameterError
from ventris.figures.surfaces import Surface, surface_scene
from ventris.paper import (
    audit,
    basins,
    bigram,
    caesar,
    computation,
    landscapes,
    lines,
    paths,
    plane,
    printed,
    snippets,
    unigram,
)
from ventris.paper.faithful import learn_chain
from ventris.paper.readings import read_chain
from ventris.paper.settings import CHAINS, SHOWN, Settings
from ventris.paper.tables import Column, Table
from ventris.paper.units import Plain, Unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Data = Mapping[str, Plain]  # unit → what it computed
Draw = Callable[[Data], "Figure"]


@dataclass(frozen=True)
class Result:
    """One thing `--only` can name.

    Attributes
    ----------
    name, title : str
    units : callable
        What must be computed, given the settings.
    tables : callable
        Tables, given the units' data.
    figures : mapping of names to callables
        Each draws one figure from the units' data.
    scenes : mapping of names to callables
        Each gives a plotly scene as plain data.
    """

    name: str
    title: str
    units: Callable[[Settings], list[Unit]]
    tables: Callable[[Data], list[Table]] = lambda data: []
    figures: Mapping[str, Draw] = field(default_factory=dict)
    scenes: Mapping[str, Callable[[Data], dict[str, Any]]] = field(default_factory=dict)


# ---------------------------------------------------------------------------------------------- units


def _one(name: str, compute: Callable[..., Plain], weight: float = 1.0) -> Callable[[Settings], list[Unit]]:
    return lambda settings: [Unit(name, compute, weight=weight)]


def _unigram_units(s: Settings) -> list[Unit]:
    rest = {"updates": s.unigram_updates, "starts": s.unigram_starts}
    weight = 3 + s.unigram_updates / 5e5
    return [
        Unit(f"unigram-{k}", unigram.learn_prior, {"experiment": k} | rest, weight=weight)
        for k in range(1, len(printed.PRIORS) + 1)
    ]


def _faithful_unit(number: int, s: Settings) -> Unit:
    arguments = {"number": number, "updates": s.updates, "lanes": s.lanes, "seed": 0, "rates": "paper"}
    return Unit(f"faithful-{number}", learn_chain, arguments, is_long=True, weight=1 + 1.4e-6 * s.updates)


def _chain_unit(number: int, s: Settings) -> Unit:
    arguments = {"number": number, "seeds": s.seeds, "hmm_starts": s.hmm_starts}
    return Unit(f"chain-{number}", read_chain, arguments, weight=s.seeds * (1 + 0.7 * s.hmm_starts))


def _bigram_units(s: Settings) -> list[Unit]:
    return [_faithful_unit(k, s) for k in CHAINS] + [_chain_unit(k, s) for k in CHAINS]


def _rates_units(s: Settings) -> list[Unit]:
    """The way is drawn over the first fifth of the updates; the faithful run has the rest."""
    arguments = {"updates": s.updates // 5, "lanes": s.lanes}
    return [_faithful_unit(SHOWN, s), Unit("rates", paths.compute_rates, arguments, weight=6)]


def _map_unit(s: Settings) -> Unit:
    return Unit("map", lines.compute, {"grid": s.grid}, weight=3)


# ---------------------------------------------------------------------------------------------- tables


def _hyper_parameters(data: Data) -> list[Table]:
    columns = (Column("hyper-parameter"), Column("symbol"), Column("value"))
    rows = [list(row) for row in printed.HYPER_PARAMETERS]
    note = "Ours are the same in the column “SPDG, paper's settings”; γ = 10, as the text says."
    return [Table("table1", "Hyper-parameters of the paper", columns, rows, note)]


def runs(data: Data) -> list[Plain]:
    """SPDG on the ten chains."""
    return [data[f"faithful-{k}"] for k in CHAINS]


def reads(data: Data) -> list[Plain]:
    """Everyone else on the ten chains."""
    return [data[f"chain-{k}"] for k in CHAINS]


def priors(data: Data) -> list[Plain]:
    """The five unigram experiments."""
    return [data[f"unigram-{k}"] for k in range(1, len(printed.PRIORS) + 1)]


def _draw_rates(data: Data) -> Figure:
    found = data["rates"]
    last = found["paper"][-1]["update"]
    rest = [row for row in data[f"faithful-{SHOWN}"]["curve"] if row["update"] > last]
    curves = {"paper's rates, 1e-6 and 1e-4": [*found["paper"], *rest], "1e-3 and 1e-2": found["faster"]}
    return paths.draw_rates(curves, found["supervised"])


def _surface(name: str) -> Draw:
    return lambda data: landscapes.draw(data["landscapes"][name])


def _scene(name: str) -> Callable[[Data], dict[str, Any]]:
    return lambda data: surface_scene(Surface.of_dict(data["landscapes"][name]))


_SURFACES = dict(zip(("figure3", "figure4", "figure7"), landscapes.SURFACES, strict=True))
RESULTS: Mapping[str, Result] = {
    result.name: result
    for result in (
        Result(
            "caesar",
            "Figures 1 and 2: the cipher and its match",
            _one("caesar", caesar.compute),
            figures={
                "figure1": lambda data: caesar.draw_shift(data["caesar"]),
                "figure2": lambda data: caesar.draw_match(data["caesar"]),
            },
        ),
        Result("snippets", "The code of the story", _one("snippets", snippets.compute, 12)),
        Result(
            "plane",
            "Figures 5 and 6: points and transitions",
            _one("plane", plane.compute),
            figures={
                "figure5": lambda data: plane.draw_points(data["plane"]),
                "figure6": lambda data: plane.draw_graph(data["plane"]),
            },
        ),
        Result(
            "landscapes",
            "Figures 3, 4 and 7: J and L as surfaces",
            lambda s: [Unit("landscapes", landscapes.compute, {"grid": s.grid}, weight=5)],
            figures={name: _surface(part) for name, part in _SURFACES.items()},
            scenes={name: _scene(part) for name, part in _SURFACES.items()},
        ),
        Result("hyper-parameters", "Table 1", lambda s: [], tables=_hyper_parameters),
        Result(
            "unigram",
            "Table 2: unigram label models",
            _unigram_units,
            tables=lambda data: [unigram.table(priors(data))],
            figures={"unigram": lambda data: unigram.draw(priors(data))},
        ),
        Result(
            "bigram",
            "Table 3: the ten chains",
            _bigram_units,
            tables=lambda data: [bigram.table(runs(data), reads(data))],
            figures={"identifiability": lambda data: bigram.draw_identifiability(runs(data), reads(data))},
        ),
        Result(
            "computation",
            "Table 4: the computation",
            _one("computation", computation.compute),
            tables=lambda data: [computation.table(data["computation"])],
        ),
        Result(
            "basins",
            "The two basins of J",
            lambda s: [_map_unit(s), Unit("basins", basins.compute, {"starts": s.basin_starts}, weight=5)],
            figures={"basins": lambda data: basins.draw(data["map"], data["basins"])},
        ),
        Result(
            "paths",
            "Three descents from one start",
            lambda s: [_map_unit(s), Unit("paths", paths.compute, {"updates": s.path_updates}, weight=3)],
            figures={"paths": lambda data: paths.draw(data["map"], data["paths"])},
        ),
        Result("rates", "What the rates cost", _rates_units, figures={"rates": _draw_rates}),
        Result(
            "audit",
            "Misprints, and what the printed model can reach",
            _one("audit", audit.compute, 3),
            tables=lambda data: [
                audit.misprint_table(data["audit"]),
                audit.limit_table(data["audit"]),
            ],
        ),
    )
}


def chosen_results(only: Sequence[str] | None) -> list[Result]:
    """The results of these names, or all of them."""
    for name in only or ():
        if name not in RESULTS:
            raise ParameterError(
                f"--only takes {', '.join(RESULTS)}", f"it got {name!r}", "Choose among these names"
            )
    return [result for name, result in RESULTS.items() if not only or name in only]


def units_of(results: Sequence[Result], settings: Settings) -> list[Unit]:
    """All units of some results, each once, the longest first so that no process waits for it at the end."""
    units = {unit.name: unit for result in results for unit in result.units(settings)}
    return sorted(units.values(), key=lambda unit: -unit.weight)
