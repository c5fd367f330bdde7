"""An evaluation's figure shows its numbers."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.evaluation import evaluate
from ventris.figures.canvas import save_figure
from ventris.figures.evaluations import draw_evaluations


@pytest.mark.parametrize("n_classes", [3, 30])
def test_the_figure_shows_confusion_errors_and_calibration(tmp_path, n_classes):
    rng = np.random.default_rng(4)
    true = rng.integers(0, n_classes, 2000)
    proba = rng.dirichlet(np.ones(n_classes), 2000)
    classes = [f"c{k}" for k in range(n_classes)]
    found = [evaluate(name, true, proba, classes) for name in ("alone", "in sequence")]
    figure = draw_evaluations(found)
    confusion, errors, reliability = figure.axes
    shares = np.array(found[0].confusion) / np.sum(found[0].confusion, axis=1, keepdims=True)
    np.testing.assert_allclose(confusion.images[0].get_array(), shares, rtol=1e-12)
    heights = [bar.get_height() for bar in errors.containers[0]]
    np.testing.assert_allclose(heights, [100 * row.error_rate for row in found[0].by_class], rtol=1e-12)
    assert bool(confusion.texts) == (n_classes <= 12)  # numbers where there is room
    assert len(reliability.lines) == 3
    save_figure(figure, tmp_path / "e.png")
    assert (tmp_path / "e.png").stat().st_size > 5000
