"""Many-to-one keys against all keys there are."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ventris.deciphering.key_score import score_key
from ventris.deciphering.many_to_one import find_many_to_one


def test_the_best_key_is_that_of_all_keys_tried():
    """Three labels for five symbols: 243 keys, by the definition of the score with the entropy of usage."""
    rng = np.random.default_rng(8)
    searched, judged = (np.log(rng.dirichlet(np.full(3, 0.4), size=(3,) * k)) for k in (1, 2))
    codes = rng.integers(5, size=80)
    scores = {key: score_key(key, [codes], judged, entropy_weight=1.0) for key in product(range(3), repeat=5)}
    found = find_many_to_one(codes, 5, searched, judged, rng)
    best = max(scores, key=scores.__getitem__)
    assert tuple(found.keys[found.scores.argmax()]) == best
    for key, score in zip(found.keys, found.scores, strict=True):
        assert score == pytest.approx(scores[tuple(key)], rel=1e-12)
    assert len({tuple(key) for key in found.keys}) == len(found.keys)
    assert 0 < found.agreement <= 1
