"""An exponential that compilers can vectorise: no branch, no call, no integer conversion."""

from __future__ import annotations

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

LOG2_E = 1.4426950408889634
LOG_2 = 0.6931471805599453
# Beyond these, 2^k would leave the normal numbers; the sigmoid and the dual step are saturated long before.
SMALLEST, LARGEST = -708.0, 708.0
# Adding 1.5 * 2^52 rounds to the nearest integer and leaves that integer in the low bits of the sum.
ROUNDER = 6755399441055744.0
EXPONENT_BITS, EXPONENT_BIAS = 52, 1023 << 52

# e^r on |r| <= ln(2)/2: the polynomial of degree 10 through the 11 Chebyshev nodes of that interval,
# solved in extended precision; relative error 3.4e-16.
C0, C1, C2, C3 = 1.0, 1.0000000000000067, 0.5000000000000006, 0.166666666665544
C4, C5, C6 = 0.041666666666573114, 0.008333333385669031, 0.0013888888932506525
C7, C8 = 0.00019841170269166406, 2.4801504320248315e-05
C9, C10 = 2.764018126314104e-06, 2.7626369105014304e-07


@intrinsic
def _as_integer(typing_context, value):
    """Read the 64 bits of a double as an integer."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


@intrinsic
def _as_double(typing_context, value):
    """Read the 64 bits of an integer as a double."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


# "contract" alone: reassociation would fold (x + ROUNDER) - ROUNDER back into x.
@njit(cache=True, nogil=True, fastmath={"contract"}, error_model="numpy")
def vector_exp(x):
    """e^x as 2^k times a polynomial: a loop that calls it becomes SIMD code.

    x = k ln 2 + r with k an integer and |r| <= ln(2)/2, so e^x = 2^k e^r. The argument is clamped to
    [-708, 708]. Relative error below 1e-13 on that whole range and below 1e-15 for |x| <= 1; it grows
    with |x| because ln 2 is held in one double.
    """
    x = min(max(x, SMALLEST), LARGEST)
    shifted = x * LOG2_E + ROUNDER
    r = x - (shifted - ROUNDER) * LOG_2
    # Estrin's scheme: half the dependent steps of Horner's, which is what a short loop waits for.
    r2 = r * r
    r4 = r2 * r2
    low = (C0 + C1 * r) + (C2 + C3 * r) * r2
    middle = (C4 + C5 * r) + (C6 + C7 * r) * r2
    high = (C8 + C9 * r) + C10 * r2
    exponent = (_as_integer(shifted) << EXPONENT_BITS) + EXPONENT_BIAS  # type: ignore[call-arg]
    return (low + r4 * (middle + r4 * high)) * _as_double(exponent)
