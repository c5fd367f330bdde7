"""`ventris inspect`: what is in a model file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ventris.cli.options import Config, Force, Json, Source

if TYPE_CHECKING:
    from rich.table import Table

    from ventris.classifier import SequenceClassifier
    from ventris.readers import Schema


def inspect(
    model: Source,
    *,
    html: Path | None = None,
    json: Json = False,
    force: Force = False,
    config: Config = None,
) -> None:
    """Show what is in a model file.

    Example: ventris inspect reader.ventris --html report.html

    Parameters
    ----------
    model
        A file that fit wrote.
    html
        A page to write: the report, label usage and pairs as pictures, the label model, the steps.
    """
    from ventris import load
    from ventris.cli.output import check_target, emit, show
    from ventris.readers import load_schema, model_path

    if html is not None:
        check_target(html, force)
    model = model_path(model)
    clf, schema = load(model), load_schema(model)
    if html is not None:
        _write_page(clf, schema, html, force)
    if json:
        emit(_facts(clf, schema), beside=html)
    elif html is not None:
        show(f"The report is in {html}.", beside=html)
    else:
        show(_table(clf, schema), clf.report_, _steps(clf.history_))


def _facts(clf: SequenceClassifier, schema: Schema | None) -> dict[str, Any]:
    from dataclasses import asdict

    hidden = {"lm", "classifier", "checkpoint", "random_state", "verbose"}
    parameters = {name: v for name, v in clf.get_params(deep=False).items() if name not in hidden}
    return {
        "classes": clf.classes_.tolist(),
        "order": clf.order_,
        "adapted": clf.lm_ is not clf.lm,
        "n_features": clf.n_features_in_,
        "symbolic": clf.symbolic_,
        "schema": asdict(schema) if schema else None,
        "parameters": parameters,
        "report": clf.report_.to_dict(),
        "history": clf.history_,
    }


def _table(clf: SequenceClassifier, schema: Schema | None) -> Table:
    from rich.table import Table

    names = [str(label) for label in clf.classes_]
    inputs = "symbols" if clf.symbolic_ else f"{clf.n_features_in_} features"
    table = Table(title="Model", title_justify="left", show_header=False)
    table.add_row("classes", f"{len(names)}: {' '.join(names[:40])}{' …' if len(names) > 40 else ''}")
    adapted = ", adapted to the data" if clf.lm_ is not clf.lm else ""
    table.add_row("label model", f"order {clf.lm.order}, learnt with order {clf.order_}{adapted}")
    table.add_row("inputs", inputs + (f": {', '.join(schema.columns)}" if schema and schema.columns else ""))
    return table


def _steps(history: list[dict[str, Any]]) -> Table:
    from rich.table import Table

    table = Table(title="Steps", title_justify="left", show_header=False)
    for row in history[-20:]:
        facts = (
            f"{name} {_short(value)}" for name, value in row.items() if name not in ("step", "cpu_seconds")
        )
        table.add_row(str(row.get("step", "")), ", ".join(facts))
    return table


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _write_page(clf: SequenceClassifier, schema: Schema | None, path: Path, force: bool) -> None:
    from ventris.exports.page import page_of
    from ventris.storage.files import atomic_path

    facts = _facts(clf, schema)
    with atomic_path(path, force=force) as temporary:
        temporary.write_text(page_of(clf, facts["parameters"]), encoding="utf-8")
