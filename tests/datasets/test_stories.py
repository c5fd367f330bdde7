"""Stories with hidden states: the book's frequencies, names that the classifier predicts, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import ventris as vt
from ventris.datasets import stories
from ventris.errors import LanguageModelError, ParameterError

MAKERS = {
    "casino": vt.datasets.make_casino,
    "islands": vt.datasets.make_cpg_islands,
    "weather": vt.datasets.make_weather,
    "digits": vt.datasets.load_digit_sequences,
}


@pytest.mark.parametrize("name", MAKERS)
def test_one_line_gives_inputs_labels_and_a_label_model(name):
    story = MAKERS[name](300, n_test=100, random_state=1)
    assert len(story.train.X) == len(story.train.y) == 300 and len(story.test.X) == len(story.test.y) == 100
    assert set(story.train.y.tolist()) <= set(story.lm.classes)
    width = int(story.train.X.max()) + 1 if story.is_symbolic else story.train.X.shape[1]
    assert len(story.inputs) >= width and len(set(story.inputs)) == len(story.inputs)


@pytest.mark.parametrize("name", MAKERS)
def test_a_seed_names_the_data(name):
    one, two, other = (MAKERS[name](50, n_test=10, random_state=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.train.X, two.train.X)
    np.testing.assert_array_equal(one.test.y, two.test.y)
    assert not np.array_equal(one.train.X, other.train.X)


def test_the_dice_have_the_frequencies_of_the_book():
    rolls = vt.datasets.make_casino(40_000).train
    loaded = rolls.X[rolls.y == "loaded"]
    assert np.bincount(loaded, minlength=6) / len(loaded) == pytest.approx(stories.LOADED, abs=0.02)
    assert np.mean(rolls.y == "loaded") == pytest.approx(1 / 3, abs=0.05)


def test_pairs_of_nucleotides_overlap_and_cg_is_rare_in_the_sea():
    dna = vt.datasets.make_cpg_islands(20_000)
    X, y = dna.train.X, dna.train.y
    np.testing.assert_array_equal(X[:-1] % 4, X[1:] // 4)
    after_c = X[(y == "sea") & (X // 4 == 1)] % 4
    assert np.bincount(after_c, minlength=4) / len(after_c) == pytest.approx(stories.SEA[1], abs=0.03)
    assert dna.inputs[X[0]][1] == dna.inputs[X[1]][0]


def test_instruments_read_what_the_day_is_like():
    days = vt.datasets.make_weather(20_000).train
    for kind, readings in zip(stories.KINDS_OF_DAY, stories.READINGS, strict=True):
        assert days.X[days.y == kind].mean(axis=0) == pytest.approx(readings, abs=0.5)


def test_images_to_learn_from_and_to_test_with_differ():
    digits = vt.datasets.load_digit_sequences(3000, n_test=3000)
    assert not {row.tobytes() for row in digits.train.X} & {row.tobytes() for row in digits.test.X}
    assert digits.train.X.min() == 0 and digits.train.X.max() == 1


def test_the_weather_is_learnt_without_a_label():
    days = vt.datasets.make_weather()
    clf = vt.SequenceClassifier(days.lm, random_state=0).fit(days.train.X)
    assert np.mean(clf.predict(days.test.X) != days.test.y) < 0.08  # supervised: 0.045


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("number", [0, -1, 2.5])
def test_lengths_that_are_none_are_refused(name, number):
    with pytest.raises(ParameterError, match="n_samples must be a positive whole number, but it is"):
        MAKERS[name](number)


def test_a_label_model_of_other_digits_is_refused():
    letters = vt.NgramModel.from_transition_matrix([[0.5, 0.5], [0.5, 0.5]], classes="ab")
    with pytest.raises(LanguageModelError, match="whole numbers from 0 to 9, but 'a' is not"):
        vt.datasets.load_digit_sequences(lm=letters)
