"""In a real Jupyter kernel: a bar that fills, figures without pyplot, tables in place of walls of text."""

from __future__ import annotations

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed")
nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")

CELLS = {
    "fit": """
import ventris as vt
days = vt.datasets.make_weather(1200)
clf = vt.SequenceClassifier(days.lm, n_init=4, random_state=0, n_jobs=1, verbose=1).fit(days.train.X)
""",
    "report": "clf.report_",
    "pictures": "clf.plot(days.test.X)",
    "label model": "days.lm.plot()",
    "doctor": "vt.doctor(days.train.X, days.lm)",
}


@pytest.fixture(scope="module")
def shown():
    """What each cell shows, by the kinds of content it is offered as."""
    cells = [nbformat.v4.new_code_cell(code) for code in CELLS.values()]
    nbclient.NotebookClient(nbformat.v4.new_notebook(cells=cells), timeout=300).execute()
    return {name: cell.outputs for name, cell in zip(CELLS, cells, strict=True)}


pytestmark = pytest.mark.filterwarnings("ignore")  # of Jupyter's own


def test_one_bar_which_is_full_in_the_end(shown):
    [bar] = shown["fit"]
    assert bar.output_type == "display_data"
    page = bar.data["text/html"]
    value, most = (int(page.partition(f'{name}="')[2].partition('"')[0]) for name in ("value", "max"))
    assert value == most > 1 and f"{value} of {most}" in page


@pytest.mark.parametrize("cell", ["pictures", "label model"])
def test_figures_are_seen_though_nobody_imported_pyplot(shown, cell):
    [figure] = shown[cell]
    assert len(figure.data["image/png"]) > 5_000


@pytest.mark.parametrize(("cell", "says"), [("report", "Ventris report"), ("doctor", "Ventris doctor")])
def test_findings_are_tables(shown, cell, says):
    [table] = shown[cell]
    assert says in table.data["text/html"] and "</table>" in table.data["text/html"]
