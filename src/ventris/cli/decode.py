"""`ventris decode`: the label of each point in its sequence, under the label model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ventris.cli.options import Config, Force, Json, Source, TableOptions, only_one_reads_stdin


def decode(
    model: Source,
    data: Source,
    *,
    viterbi: Annotated[bool, Parameter(negative="")] = False,
    order: int | None = None,
    out: Annotated[Path | None, Parameter(alias="-o")] = None,
    proba: Annotated[bool, Parameter(negative="")] = False,
    format: Literal["csv", "parquet", "json"] | None = None,
    table: TableOptions = TableOptions(),  # noqa: B008 (it is frozen)
    json: Json = False,
    force: Force = False,
    config: Config = None,
) -> None:
    """Label each point in its sequence, under the label model.

    Example: ventris decode reader.ventris example/test.npy -o decoded.csv

    Parameters
    ----------
    model
        A file that fit wrote.
    data
        Inputs of the kind the model was fitted on; - reads standard input.
    viterbi
        The likeliest sequence as a whole, instead of the likeliest label of each point.
    order
        Of the label model; the one learnt with by default.
    out
        A file to write instead of standard output.
    proba
        Add the probability of each class given the whole sequence.
    format
        csv, parquet or json; by default as the ending of the file says, else csv.
    """
    from ventris import load
    from ventris.cli.output import give_labels, labels_format
    from ventris.readers import load_schema, model_path, read_data

    only_one_reads_stdin(model=model, data=data)
    form = labels_format(out, "json" if json and out is None and format is None else format, force)
    model = model_path(model)
    clf = load(model)
    read = read_data(data, schema=load_schema(model), layout=table.layout)
    labels = clf.decode(read.sequences, method="viterbi" if viterbi else "posterior", order=order)
    probabilities = clf.decode_proba(read.sequences, order=order) if proba else None
    give_labels(
        read, labels, probabilities, clf.classes_.tolist(), out=out, form=form, force=force, as_json=json
    )
