"""`ventris export`: a model for other programs to run, or the Studio as a page to send."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ventris.cli.options import Config, Force, Json, Source

_STUDIO = "studio"


def export(
    model: Source,
    *,
    out: Annotated[Path, Parameter(alias="-o")],
    dtype: Literal["float32", "float64"] = "float32",
    json: Json = False,
    force: Force = False,
    config: Config = None,
) -> None:
    """Write a model as an ONNX file, or the Studio with recorded runs as a page to send.

    An ONNX file gives labels of points alone, in any program that runs ONNX. The page is a folder that any
    host of files serves, and that opens from a disk; nothing is fetched. It takes a few minutes.

    Example: ventris export reader.ventris -o reader.onnx

    Example: ventris export studio -o site

    Parameters
    ----------
    model
        A file that fit wrote, or the word studio.
    out
        The .onnx file to write, or the folder of the page.
    dtype
        Of the features.
    """
    if str(model) == _STUDIO and not model.exists():
        _export_studio(out, force=force, json=json)
        return
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


def _export_studio(out: Path, *, force: bool, json: bool) -> None:
    from ventris.cli.output import emit, say, show
    from ventris.errors import MissingExtraError

    try:
        from ventris.web.export import export_studio
    except ImportError as problem:
        raise MissingExtraError("ventris export studio", problem.name or "fastapi", "web") from None
    site = export_studio(out, force=force, say=lambda words: say(f"recording {words}"))
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    if json:
        emit({"written": str(site), "bytes": size})
    else:
        show(f"The page is {site / 'index.html'}, {size / 1e6:.1f} MB with all it needs.")
