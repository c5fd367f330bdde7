"""`ventris export`: a model for other programs to run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ventris.cli.options import Config, Force, Json, Source


def export(
    model: Source,
    *,
    out: Annotated[Path, Parameter(alias="-o")],
    dtype: Literal["float32", "float64"] = "float32",
    json: Json = False,
    force: Force = False,
    config: Config = None,
) -> None:
    """Write a model as an ONNX file: labels of points alone, in any program that runs ONNX.

    Example: ventris export reader.ventris -o reader.onnx

    Parameters
    ----------
    model
        A file that fit wrote.
    out
        The .onnx file to write.
    dtype
        Of the features.
    """
    from ventris import load
    from ventris.cli.output import check_target, emit, show
    from ventris.readers import model_path

    check_target(out, force)
    clf = load(model_path(model))
    clf.to_onnx(out, dtype=dtype, force=force)
    outputs = {"inputs": ["X"], "outputs": ["label", "probabilities"]}
    if json:
        emit({"written": str(out)} | outputs, beside=out)
    else:
        show(f"The model is in {out}: X in, label and probabilities out.", beside=out)
