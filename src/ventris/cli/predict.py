"""`ventris predict`: the label of each point alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ventris.cli.options import Config, Force, Json, Source


def predict(
    model: Path,
    data: Source,
    *,
    out: Annotated[Path | None, Parameter(alias="-o")] = None,
    proba: Annotated[bool, Parameter(negative="")] = False,
    json: Json = False,
    force: Force = False,
    config: Config = None,
) -> None:
    """Label each point alone: comma-separated values.

    Example: ventris predict reader.ventris example/test.npy -o predicted.csv

    Parameters
    ----------
    model
        A file that fit wrote.
    data
        Inputs of the kind the model was fitted on; - reads a table.
    out
        A .csv file to write instead.
    proba
        Add the probability of each class.
    """
    from ventris import load
    from ventris.cli.output import check_target, give_labels
    from ventris.readers import load_schema, read_data

    if out is not None:
        check_target(out, force)
    clf = load(model)
    read = read_data(data, schema=load_schema(model))
    labels = clf.predict(read.sequences)
    probabilities = clf.predict_proba(read.sequences) if proba else None
    give_labels(read, labels, probabilities, clf.classes_.tolist(), out=out, force=force, as_json=json)
