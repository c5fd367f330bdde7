"""`ventris doctor`: will this work? A verdict and its reasons, before any training."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ventris.cli.options import Characters, Columns, Config, Json, Source

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from ventris.diagnostics.doctor import Diagnosis

_WORDS = {
    "go": "nothing speaks against learning from this data with this label model",
    "doubtful": "it may work; read the reasons first",
    "stop": "it will not work as it is",
}
_COLOURS = {"go": "green", "stop": "red", "good": "green", "doubtful": "yellow", "bad": "red"}


def doctor(
    data: Source,
    *,
    lm: Path,
    order: int | None = None,
    seed: int = 0,
    characters: Characters = False,
    columns: Columns = None,
    json: Json = False,
    config: Config = None,
) -> None:
    """Will this data be learnt with this label model? A verdict, before training.

    Example: ventris doctor example/points.npy --lm labels.arpa

    Parameters
    ----------
    data
        Inputs: .npy, .npz, .csv, .tsv, .parquet, a folder, or a text of symbols; - reads a table.
    lm
        The label model, an ARPA file.
    order
        Labels in an n-gram to be matched; 2 if not given.
    seed
        Of the random choices.
    """
    from ventris.cli.output import emit, show
    from ventris.diagnostics.doctor import diagnose
    from ventris.readers import read_data, read_label_model

    model = read_label_model(lm)
    read = read_data(data, columns=columns or (), characters=characters)
    diagnosis = diagnose(read.sequences, model, order=order, random_state=seed)
    if json:
        emit(diagnosis.to_dict())
    else:
        show(_facts(diagnosis), _lags(diagnosis), _reasons(diagnosis), _verdict(diagnosis))


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
