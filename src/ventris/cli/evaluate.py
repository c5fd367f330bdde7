"""`ventris evaluate`: a model held against true labels, which no training ever sees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ventris.cli.options import Config, Force, Json, Source, TableOptions, only_one_reads_stdin

if TYPE_CHECKING:
    from rich.table import Table

    from ventris.classifier import SequenceClassifier
    from ventris.evaluation import Evaluation

_ALONE, _IN_SEQUENCE = "each point alone", "in its sequence"
_SHOWN = 12  # classes up to which the whole confusion matrix fits on a screen


def evaluate(
    model: Source,
    data: Source,
    *,
    labels: Source | None = None,
    plot: Path | None = None,
    table: TableOptions = TableOptions(),  # noqa: B008 (it is frozen)
    json: Json = False,
    force: Force = False,
    config: Config = None,
) -> None:
    """Hold a model against true labels: error, confusion, classes, calibration.

    Example: ventris evaluate reader.ventris example/test.npy --labels example/truth.csv --plot errors.png

    Parameters
    ----------
    model
        A file that fit wrote.
    data
        Inputs of the kind the model was fitted on; - reads standard input.
    labels
        The true labels in the order of the data: a label column, or one a line; empty, ? or -1 if unknown.
        By default the label column of the data themselves.
    plot
        A figure to write.
    """
    from ventris import load
    from ventris.cli.output import check_target, emit, show
    from ventris.evaluation import evaluate as measure
    from ventris.figures.canvas import figure_format
    from ventris.readers import load_schema, match_labels, model_path, read_data, read_label_column

    if plot is not None:
        figure_format(plot)  # a bad ending must not cost the work
        check_target(plot, force)
    only_one_reads_stdin(model=model, data=data, labels=data if labels is None else labels)
    model = model_path(model)
    clf = load(model)
    read = read_data(data, schema=load_schema(model), layout=table.layout)
    classes = clf.classes_.tolist()
    true = match_labels(read_label_column(labels or data, table.layout), classes, read.sequences.n_points)
    found = [
        measure(_ALONE, true, clf.predict_proba(read.sequences), classes),
        measure(_IN_SEQUENCE, true, clf.decode_proba(read.sequences), classes),
    ]
    if plot is not None:
        _draw(found, plot, force)
    if json:
        told = {"estimated_error": clf.report_.estimated_error, "error_interval": clf.report_.error_interval}
        adapted = {"adapted": clf.lm_ is not clf.lm}
        emit({"alone": found[0].to_dict(), "in_sequence": found[1].to_dict()} | told | adapted, beside=plot)
    else:
        confusion = [_confusion(found[0])] if len(classes) <= _SHOWN else []
        drawn = [f"The figure is in {plot}."] if plot else []
        show(_summary(found), *_of_the_fit(clf), _classes(found), *confusion, *drawn, beside=plot)


def _of_the_fit(clf: SequenceClassifier) -> list[str]:
    """What the fit said of itself when it had no labels, and with which label model it reads sequences."""
    words = clf.report_.in_words()
    told = [f"The fit, without labels, said of points alone: {words}."] if words else []
    return told + (["Sequences are read with the label model adapted to the data."] * (clf.lm_ is not clf.lm))


def _draw(found: list[Evaluation], path: Path, force: bool) -> None:
    from ventris.figures.canvas import save_figure
    from ventris.figures.evaluations import draw_evaluations

    save_figure(draw_evaluations(found), path, force=force)


def _summary(found: list[Evaluation]) -> Table:
    from rich.table import Table

    table = Table(title=f"{found[0].n_points:,} labelled points", title_justify="left")
    for heading in ("reading", "error", "probabilities off by"):
        table.add_column(heading, justify="left" if heading == "reading" else "right")
    for each in found:
        off = f"{100 * each.calibration.error:.2f} points"
        table.add_row(each.reading, f"{100 * each.error_rate:.2f} %", off)
    return table


def _classes(found: list[Evaluation]) -> Table:
    from rich.table import Table

    table = Table(title="By class", title_justify="left")
    for heading in ("label", "points", "error alone", "in sequence", "precision alone", "mistaken for"):
        table.add_column(heading, justify="left" if heading in ("label", "mistaken for") else "right")
    for alone, decoded in zip(found[0].by_class, found[1].by_class, strict=True):
        shares = (_percent(alone.error_rate), _percent(decoded.error_rate), _percent(alone.precision))
        mistaken = "" if alone.mistaken_for is None else str(alone.mistaken_for)
        table.add_row(str(alone.label), f"{alone.n_true:,}", *shares, mistaken)
    return table


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _confusion(found: Evaluation) -> Table:
    from rich.table import Table

    table = Table(title=f"Confusion, {found.reading}: true down, predicted across", title_justify="left")
    table.add_column("")
    for label in found.classes:
        table.add_column(str(label), justify="right")
    for label, row in zip(found.classes, found.confusion, strict=True):
        table.add_row(str(label), *(f"{count:,}" if count else "·" for count in row))
    return table
