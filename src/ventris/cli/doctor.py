"""`ventris doctor`: will this work? A verdict and its reasons, before any training."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ventris.cli.options import (
    Characters,
    Config,
    Json,
    Source,
    TableOptions,
    only_one_reads_stdin,
    say_how_read,
)

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from ventris.diagnostics.doctor import Diagnosis
    from ventris.label_model.symmetries import Symmetries

_WORDS = {
    "go": "nothing speaks against learning from this data with this label model",
    "doubtful": "it may work; read the reasons first",
    "stop": "it will not work as it is",
}
_COLOURS = {"go": "green", "stop": "red", "good": "green", "doubtful": "yellow", "bad": "red"}


def doctor(
    data: Source | None = None,
    *,
    lm: Source | None = None,
    graph: Source | None = None,
    stay: float = 0.0,
    partial_labels: Source | None = None,
    order: int | None = None,
    seed: int = 0,
    characters: Characters = False,
    table: TableOptions = TableOptions(),  # noqa: B008 (it is frozen)
    json: Json = False,
    config: Config = None,
) -> None:
    """Will this data be learnt with this label model? A verdict, before training.

    Of a label model alone it says which labels no data can tell apart, and which to label.

    Example: ventris doctor example/points.npy --lm labels.arpa
    Example: ventris doctor --graph plan.graphml

    Parameters
    ----------
    data
        Inputs: .npy, .npz, .csv, .tsv, .parquet, a folder, or a text of symbols; - reads standard input.
    lm
        The label model: an ARPA file, or whatever `ventris lm build` takes but a text.
    graph
        The label model as a walk on a graph: .graphml, .gexf, .gml, .net, .edgelist.
    stay
        Of a graph: probability of the same label again.
    partial_labels
        Labels that are known, as `ventris fit` takes them: do they settle what the data leave open?
    order
        Labels in an n-gram to be matched; 2 if not given.
    seed
        Of the random choices.
    """
    from ventris.cli.output import emit, show
    from ventris.diagnostics.doctor import diagnose
    from ventris.errors import ParameterError
    from ventris.label_model.symmetries import symmetries
    from ventris.readers import match_labels, read_data, read_label_column, read_label_model
    from ventris.readers.label_models import Told

    if (lm is None) == (graph is None):
        raise ParameterError(
            "The doctor needs a label model, as --lm or as --graph",
            "neither was given" if lm is None else "both were given",
            "Give one: ventris doctor --graph plan.graphml",
        )
    given = lm if lm is not None else graph
    assert given is not None
    sources = {"data": data, "lm": given, "partial_labels": partial_labels}
    only_one_reads_stdin(**{name: source for name, source in sources.items() if source is not None})
    model = read_label_model(given, Told(stay=stay))
    if data is None:
        found_alone = symmetries(model)
        emit(found_alone.to_dict()) if json else show(_symmetries(found_alone), _to_label(found_alone))
        return
    read = read_data(data, layout=table.layout, characters=characters)
    say_how_read(read, data)
    named: set[int] = set()
    if partial_labels is not None:
        found = match_labels(
            read_label_column(partial_labels, table.layout), model.classes, read.sequences.n_points
        )
        named = set(found.tolist()) - {-1}
    diagnosis = diagnose(read.sequences, model, order=order, named=named, random_state=seed)
    if json:
        emit(diagnosis.to_dict())
    else:
        tables = (_facts, _lags, _hard_to_tell, _reasons, _verdict)
        show(*(table(diagnosis) for table in tables))


def _symmetries(found: Symmetries) -> Table:
    from rich.table import Table

    table = Table(title="Labels that no data can tell apart", title_justify="left", show_header=False)
    for orbit in found.orbits:
        table.add_row(", ".join(str(found.classes[label]) for label in orbit))
    if not found.orbits:
        table.add_row("none: every label has a place of its own")
    return table


def _to_label(found: Symmetries) -> Text:
    from rich.text import Text

    if not found.orbits:
        return Text("Nothing need be labelled.")
    unsure = "" if found.exact else " The search was given up: there may be fewer."
    return Text(
        f"{found.n_labellings:,} labellings look the same; a blind choice names "
        f"{100 * found.expected_error:.0f} % of the points wrongly on average. Label one point each of: "
        f"{', '.join(map(str, found.labels_to_ask))}.{unsure}"
    )


def _facts(found: Diagnosis) -> Table:
    from rich.table import Table

    kind = f"{found.n_features} features" if found.n_features else "symbols"
    table = Table(title="Data and label model", title_justify="left", show_header=False)
    table.add_row("data", f"{found.n_points:,} points of {kind} in {found.n_sequences:,} sequence(s)")
    table.add_row("labels", f"{found.n_classes}, matched at order {found.order}")
    table.add_row("codes", f"{found.n_codes}, on {found.n_examined:,} points")
    return table


def _lags(found: Diagnosis) -> Table:
    from rich.table import Table

    table = Table(title="What neighbours tell about each other (nats)", title_justify="left")
    for heading in ("apart", "inputs", "chance", "labels"):
        table.add_column(heading, justify="right")
    for each in found.lags:
        table.add_row(str(each.lag), f"{each.codes:.4f}", f"± {each.spread:.4f}", f"{each.labels:.4f}")
    return table


def _hard_to_tell(found: Diagnosis) -> Table:
    from rich.table import Table

    table = Table(title="Hardest to tell apart, and the points that decide it", title_justify="left")
    table.add_column("labels")
    for heading in ("nats", "at stake", "points", "as seen"):
        table.add_column(heading, justify="right")
    table.add_column("decided")
    for each in found.hard_to_tell:
        points, seen = (
            "–" if n is None else f"{float(f'{n:.2g}'):,.0f}" for n in (each.points, each.points_as_seen)
        )
        at_stake = f"{100 * each.share:.1f} %"
        table.add_row(each.labels, f"{each.nats:.2g}", at_stake, points, seen, each.decided)
    return table


def _reasons(found: Diagnosis) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(title="Reasons", title_justify="left", show_header=False)
    for reason in found.reasons:
        table.add_row(Text(reason.severity, _COLOURS[reason.severity]), reason.sentence)
    return table


def _verdict(found: Diagnosis) -> Text:
    from rich.text import Text

    return Text.assemble((found.verdict, f"bold {_COLOURS[found.verdict]}"), f": {_WORDS[found.verdict]}")
