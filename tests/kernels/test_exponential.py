"""The vectorisable exponential against extended precision."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from ventris.kernels.exponential import LARGEST, SMALLEST, vector_exp
from ventris.kernels.exponential_single import LOG_2_HIGH, LOG_2_LOW


@njit
def fill(x, out):
    for i in range(x.size):
        out[i] = vector_exp(x[i])


def exponentials(x):
    out = np.empty_like(x)
    fill(x, out)
    return out


@pytest.mark.parametrize(("reach", "bound"), [(1.0, 1e-15), (40.0, 5e-15), (708.0, 1e-13)])
def test_relative_error_stays_below_the_documented_bound(reach, bound):
    x = np.linspace(-reach, reach, 400_001)
    exact = np.exp(x.astype(np.longdouble))
    assert np.max(np.abs(exponentials(x) / exact - 1)) < bound


def test_values_where_the_rounded_exponent_changes():
    """Midway between two powers of two |r| is largest and k jumps."""
    k = np.arange(-1000, 1001)
    for nudge in (-1e-12, 0.0, 1e-12):
        x = (k + 0.5) * np.log(2.0) + nudge
        np.testing.assert_allclose(exponentials(x), np.exp(x), rtol=1e-13)


def test_arguments_beyond_the_range_are_clamped():
    x = np.array([-np.inf, -1e6, 1e6, np.inf])
    ends = np.exp(np.array([SMALLEST, SMALLEST, LARGEST, LARGEST]))
    np.testing.assert_allclose(exponentials(x), ends, rtol=1e-13)


def test_nan_is_not_hidden():
    assert np.isnan(exponentials(np.array([np.nan])))[0]


def test_single_precision_subtracts_ln_2_without_rounding_on_any_machine():
    """What the promise rests on where multiply and add are not fused: NumPy's are two operations, too."""
    k = np.arange(-126, 127, dtype=np.float32)
    assert np.float32(np.log(2.0)) == LOG_2_HIGH + LOG_2_LOW
    for part in (LOG_2_HIGH, LOG_2_LOW):
        np.testing.assert_array_equal(k * part, k.astype(float) * float(part))
    x = np.linspace(-87, 87, 200_001).astype(np.float32)
    k = np.round(x.astype(float) / np.log(2.0)).astype(np.float32)
    once = x.astype(float) - k.astype(float) * (float(LOG_2_HIGH) + float(LOG_2_LOW))  # exact: 31 bits and 24
    np.testing.assert_array_equal((x - k * LOG_2_HIGH) - k * LOG_2_LOW, once.astype(np.float32))
