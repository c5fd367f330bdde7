"""A fitted classifier as one page that needs nothing else: report, pictures, label model, steps."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from ventris.errors import MissingExtraError

if TYPE_CHECKING:
    from ventris.classifier import SequenceClassifier

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
caption { text-align: left; font-weight: bold; padding: .3rem 0; }
td, th { border: 1px solid #9aa5b155; padding: .25rem .6rem; text-align: left; vertical-align: top; }
svg { max-width: 100%; height: auto; background: white; border-radius: 6px; }
"""


def page_of(clf: SequenceClassifier, parameters: Mapping[str, Any]) -> str:
    """The page as HTML; pictures are left out where matplotlib is missing.

    Examples
    --------
    >>> import ventris as vt
    >>> days = vt.datasets.make_weather(1000)
    >>> page = page_of(vt.SequenceClassifier(days.lm, random_state=0).fit(days.train.X), {"n_init": None})
    >>> page.startswith("<!doctype html>"), "Ventris report" in page, "<script" in page
    (True, True, False)
    """
    steps = "".join(_step(row) for row in clf.history_)
    set_to = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in parameters.items()
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Ventris report</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body><h1>A sequence classifier, learnt without labels</h1>"
        f"{clf.report_._repr_html_()}{_pictures(clf)}{clf.lm_._repr_html_()}"
        f"<table><caption>Steps</caption>{steps}</table>"
        f"<table><caption>Parameters</caption>{set_to}</table></body></html>\n"
    )


def _step(row: Mapping[str, Any]) -> str:
    facts = ", ".join(f"{name} {_short(value)}" for name, value in row.items() if name != "step")
    return f"<tr><th>{escape(str(row.get('step', '')))}</th><td>{escape(facts)}</td></tr>"


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _pictures(clf: SequenceClassifier) -> str:
    try:
        figure = clf.plot()
    except MissingExtraError:
        return ""
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    text = file.getvalue()
    return re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.S)
