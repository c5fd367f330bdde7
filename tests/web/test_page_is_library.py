"""The page shows what the library does: same data, parameters and seed give the same weights, bit for bit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import ventris as vt
from ventris.datasets import make_glyphs
from ventris.solvers.registry import SPDG, FullBatch
from ventris.solvers.starts import draw_starts
from ventris.web.rooms import own_data, reading, two_classes

ASKED = {"x0": -1.0, "y0": 0.0, "x1": 1.0, "y1": 0.5, "n": 3000, "start_seed": 3}


class Ear:
    """A channel that only listens."""

    def __init__(self):
        self.told = []

    def tell(self, kind, /, **data):
        self.told.append((kind, data))

    def turn(self):
        pass

    def last(self, kind):
        return [data for name, data in self.told if name == kind][-1]


def frames(request):
    ear = Ear()
    two_classes.run_training(request, ear)
    return [data for kind, data in ear.told if kind == "frame"]


def test_the_route_in_the_room_of_two_classes():
    world = two_classes.world_of(two_classes.Training(**ASKED))
    shown = frames({**ASKED, "method": "auto"})
    clf = vt.SequenceClassifier(world.lm, random_state=3, n_jobs=1).fit(world.train.X)
    np.testing.assert_array_equal(shown[-1]["weights"]["coef"], clf.coef_)
    np.testing.assert_array_equal(shown[-1]["weights"]["intercept"], clf.intercept_)
    assert len(shown) > 5 and "weights" not in shown[0]  # the table first


@pytest.mark.parametrize(
    ("method", "solver"),
    [
        ("full-batch", FullBatch(max_iter=40)),
        ("spdg", SPDG(max_updates=2_000, look_every=100, patience=None)),
        ("direct", SPDG(dual_form="direct", max_updates=2_000, look_every=100, patience=None)),
    ],
)
def test_the_solvers_in_the_room_of_two_classes(method, solver):
    world = two_classes.world_of(two_classes.Training(**ASKED))
    shown = frames(
        {**ASKED, "method": method, "frames": 40 if method == "full-batch" else 20, "updates": 100}
    )
    rng = np.random.default_rng(3)
    (start,) = draw_starts(world.problem, 1, rng)
    seen = []
    solver.solve(world.problem, start, rng, lambda row: seen.append(row["model"]))
    np.testing.assert_array_equal(shown[0]["weights"]["coef"], start.coef)
    np.testing.assert_array_equal(shown[-1]["weights"]["coef"], seen[-1].coef)


def test_the_room_that_reads_a_page():
    page = reading.Page(text="it was the best of times", n=3_000, seed=1)
    ear = Ear()
    reading.run_reading(page.model_dump(), ear)
    data = make_glyphs(
        reading.write_page(page.text, page.n, page.seed),
        fonts=page.fonts, noise=page.noise, jitter=page.jitter, random_state=page.seed,
    )  # fmt: skip
    lm = vt.datasets.load_language("en", 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vt.errors.Doubt)  # whether there is one is not the page's to say
        clf = vt.SequenceClassifier(lm, random_state=1, n_jobs=1).fit(data.X)
    line = data.part(len(data.y) - len("it was the best of times"), len(data.y))
    assert ear.last("frame")["alone"] == "".join(clf.predict(line.X))


def test_a_fit_of_ones_own_data(tmp_path):
    chain = vt.datasets.make_paper_chain(2, n_samples=2_400, random_state=0)
    np.save(tmp_path / "X.npy", chain.train.X)
    chain.lm.to_arpa(tmp_path / "labels.arpa")
    request = {
        "data": str(tmp_path / "X.npy"),
        "labels": str(tmp_path / "labels.arpa"),
        "folder": str(tmp_path),
    }
    ear = Ear()
    lm = vt.NgramModel.from_arpa(tmp_path / "labels.arpa")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vt.errors.Doubt)  # eight starts are few; both fits doubt alike
        own_data.run_fit({**request, "n_init": 8, "seed": 5}, ear)
        clf = vt.SequenceClassifier(lm, n_init=8, random_state=5, n_jobs=1).fit(chain.train.X)
    page = vt.load(tmp_path / own_data.MODEL)
    np.testing.assert_array_equal(page.coef_, clf.coef_)
    assert {"codebook", "decipher"} <= {data["message"] for kind, data in ear.told if kind == "progress"}
