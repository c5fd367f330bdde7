"""`ventris decode`: the label of each point in its sequence, under the label model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ventris.cli.options import Config, Force, Json, Source


def decode(
    model: Path,
    data: Source,
    *,
    viterbi: Annotated[bool, Parameter(negative="")] = False,
    order: int | None = None,
    out: Annotated[Path | None, Parameter(alias="-o")] = None,
    proba: Annotated[bool, Parameter(negative="")] = False,
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
        Inputs of the kind the model was fitted on; - reads a table.
    viterbi
        The likeliest sequence as a whole, instead of the likeliest label of each point.
    order
        Of the label model; the one learnt with by default.
    out
        A .csv file to write instead of standard output.
    proba
        Add the probability of each class given the whole sequence.
    """
    from ventris import load
    from ventris.cli.output import check_target, give_labels
    from ventris.readers import load_schema, read_data

    if out is not None:
        check_target(out, force)
    clf = load(model)
    read = read_data(data, schema=load_schema(model))
    labels = clf.decode(read.sequences, method="viterbi" if viterbi else "posterior", order=order)
    probabilities = clf.decode_proba(read.sequences, order=order) if proba else None
    give_labels(read, labels, probabilities, clf.classes_.tolist(), out=out, force=force, as_json=json)
