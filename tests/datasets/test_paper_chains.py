"""The paper's ten chains: printed numbers, contiguous cuts, speed."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.data.ngrams import count_ngrams
from ventris.datasets import make_paper_chain
from ventris.datasets.paper_chains import COVARIANCE, MEANS
from ventris.errors import ParameterError

# p(0 → 0) and p(1 → 0), row by row as the paper prints its ten matrices.
PRINTED = [
    *[(0.1, 0.8), (0.6, 0.9), (0.2, 0.5), (0.3, 0.4), (0.4, 0.1)],
    *[(0.5, 0.7), (0.7, 0.8), (0.8, 0.4), (0.5, 0.4), (0.9, 0.3)],
]


@pytest.mark.parametrize("number", range(1, 11))
def test_the_printed_matrix_and_settings(number):
    chain = make_paper_chain(number, n_samples=120)
    stay, back = PRINTED[number - 1]
    np.testing.assert_allclose(chain.transition, [[stay, 1 - stay], [back, 1 - back]], rtol=1e-12)
    np.testing.assert_allclose(chain.lm.conditional(2), chain.transition, rtol=1e-12)
    np.testing.assert_array_equal(chain.means, [[-0.504, -0.264], [1.646, 0.181]])
    np.testing.assert_array_equal(chain.covariance, [[0.4, 0], [0, 0.4]])
    # p(0) of a two-state chain in closed form.
    assert chain.lm.stationary()[0] == pytest.approx(back / (back + 1 - stay), rel=1e-12)


def test_the_papers_example_of_a_bigram_table():
    np.testing.assert_allclose(
        make_paper_chain(2, n_samples=12).lm.joint(2), [[0.4154, 0.2769], [0.2769, 0.0308]], atol=5e-5
    )


def test_fifty_five_five_thousand_cut_contiguously():
    chain = make_paper_chain(3, random_state=1)
    assert [len(part.X) for part in (chain.train, chain.validation, chain.test)] == [50_000, 5_000, 5_000]
    y = np.concatenate([chain.train.y, chain.validation.y, chain.test.y])
    frequency = count_ngrams(y, 2, 2).dense() / (len(y) - 1)
    np.testing.assert_allclose(frequency, chain.lm.joint(2), atol=0.01)
    # Contiguous: each part alone has the bigrams of the chain.
    for part in (chain.train, chain.validation, chain.test):
        own = count_ngrams(part.y, 2, 2).dense() / (len(part.y) - 1)
        np.testing.assert_allclose(own, chain.lm.joint(2), atol=0.03)


def test_points_have_the_printed_moments():
    train = make_paper_chain(2).train
    for c in (0, 1):
        points = train.X[train.y == c]
        np.testing.assert_allclose(points.mean(axis=0), MEANS[c], atol=0.025)
        np.testing.assert_allclose(np.cov(points.T), COVARIANCE, atol=0.02)


def test_other_means_may_be_given():
    chain = make_paper_chain(2, n_samples=1200, means=[[-9.0, 0.0], [9.0, 0.0]])
    assert np.array_equal(chain.train.X[:, 0] > 0, chain.train.y == 1)


def test_a_seed_names_the_data():
    one, two, other = (make_paper_chain(2, n_samples=600, random_state=s) for s in (0, 0, 1))
    np.testing.assert_array_equal(one.test.X, two.test.X)
    assert not np.array_equal(one.test.X, other.test.X)


@pytest.mark.parametrize("number", [0, 11, "2", None])
def test_other_numbers_are_refused(number):
    with pytest.raises(ParameterError) as caught:
        make_paper_chain(number)
    assert str(caught.value) == (
        f"The paper has chains 1 to 10, but number is {number!r}. Give a whole number from 1 to 10."
    )
