# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers that carry derivatives have the values of plain ones, and derivatives that are right."""

from __future__ import annotations

import math

import numpy as np
import pytest
from differences import first_derivative, second_derivative

from charmie_dynamics.numerics.branches import all_lanes, where
from charmie_dynamics.numerics.derivatives import as_duals, as_jets, by_chain_rule, value_of
from charmie_dynamics.numerics.elementary import atan2, cos, sin, sqrt
from charmie_dynamics.numerics.fused import multiply_add
from charmie_dynamics.numerics.jit import HAS_NUMBA, compiled, plain
from charmie_dynamics.numerics.trigonometry import sines_and_cosines

COUNT = 22
PAIRS = [(0.8, -1.7), (2.5, 0.3), (-1.2, 2.0), (-0.4, -0.9), (31.0, 7.0)]


def write_terms(a, b, out):
    """Write all that these numbers can do."""
    out[0] = a + b
    out[1] = a - b
    out[2] = a * b
    out[3] = a / b
    out[4] = -a
    out[5] = abs(a)
    out[6] = sqrt(abs(b))
    out[7] = sin(a)
    out[8] = cos(b)
    out[9] = atan2(a, b)
    out[10] = multiply_add(a, b, a)
    out[11] = multiply_add(2.0, a, multiply_add(b, -3.0, 1.0))
    out[12] = where((a > b) & (a != 0.0), a * a, b / 3.0)
    out[13] = where(a < b, 1.0 / a, 2.0)
    out[14] = atan2(0.3, a)
    out[15] = atan2(a, -2.0)
    total = 1.0 + a
    total += b
    total -= 3
    out[16] = total * 2 - 5.0
    out[17] = value_of(a) * b
    out[18] = by_chain_rule(a, math.exp(value_of(a)), math.exp(value_of(a)), math.exp(value_of(a)))
    out[19] = 4.0 if all_lanes(a == b) else sin(a / 2.0) * sqrt(a * a + b * b)
    out[20] = a
    out[21] = b
    out[20] += b
    out[21] -= 2.0 * a


def of_floats(numbers, out):
    write_terms(numbers[0], numbers[1], out)


def of_duals(numbers, out):
    x = as_duals(numbers)
    write_terms(x[0], x[1], as_duals(out))


def of_jets(numbers, out):
    x = as_jets(numbers)
    write_terms(x[0], x[1], as_jets(out))


def angles_of_jets(angle, sine, cosine):
    sines_and_cosines(as_jets(angle), as_jets(sine), as_jets(cosine))


write_terms = compiled(write_terms)
of_floats = compiled(of_floats)
of_duals = compiled(of_duals)
of_jets = compiled(of_jets)
angles_of_jets = compiled(angles_of_jets)


def values(a: float, b: float) -> np.ndarray:
    out = np.empty(COUNT)
    of_floats(np.array([a, b]), out)
    return out


def numbers_of(pair: tuple[float, float], width: int, seed: int) -> np.ndarray:
    rows = np.random.default_rng(seed).uniform(-1.0, 1.0, (2, width))
    rows[:, 0] = pair
    return rows


@pytest.mark.parametrize("pair", PAIRS)
def test_derivatives_of_duals_are_those_along_their_directions(pair: tuple[float, float]) -> None:
    rows = numbers_of(pair, 8, 1)
    out = np.empty((COUNT, 8))
    of_duals(rows, out)
    for k in range(1, 8):

        def along(t: float, k: int = k) -> np.ndarray:
            x = values(*(rows[:, 0] + t * rows[:, k]))
            x[17] = pair[0] * (rows[1, 0] + t * rows[1, k])  # the factor is a plain number
            return x

        first = first_derivative(along, 0.0, 1e-2)
        np.testing.assert_allclose(out[:, k], first, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("pair", PAIRS)
def test_derivatives_of_jets_are_rate_and_acceleration(pair: tuple[float, float]) -> None:
    rows = numbers_of(pair, 4, 2)
    out = np.empty((COUNT, 4))
    of_jets(rows, out)

    def along(t: float) -> np.ndarray:
        now = rows[:, 0] + t * rows[:, 1] + 0.5 * t * t * rows[:, 2]
        x = values(*now)
        x[17] = pair[0] * now[1]
        return x

    first, second = (d(along, 0.0, 1e-2) for d in (first_derivative, second_derivative))
    np.testing.assert_allclose(out[:, 1], first, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(out[:, 2], second, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(("kernel", "width"), [(of_duals, 8), (of_jets, 4)])
@pytest.mark.parametrize("pair", [*PAIRS, (0.7, 0.7), (1e300, -1e-300)])
def test_values_are_bit_for_bit_those_of_plain_numbers(
    kernel, width: int, pair: tuple[float, float]
) -> None:
    out = np.empty((COUNT, width))
    kernel(numbers_of(pair, width, 3), out)
    assert [x.hex() for x in out[:, 0].tolist()] == [x.hex() for x in values(*pair).tolist()]


@pytest.mark.skipif(not HAS_NUMBA, reason="there is one way without the compiler")
@pytest.mark.parametrize(("kernel", "width"), [(of_duals, 8), (of_jets, 4)])
@pytest.mark.parametrize("pair", PAIRS)
def test_plain_python_has_the_same_rules(kernel, width: int, pair: tuple[float, float]) -> None:
    rows = numbers_of(pair, width, 4)
    by_compiler, by_python = np.empty((2, COUNT, width))
    kernel(rows, by_compiler)
    convert = as_duals if width == 8 else as_jets
    x = convert(rows)
    plain(write_terms)(x[0], x[1], convert(by_python))
    meant = 3 if width == 4 else width
    np.testing.assert_allclose(by_python[:, :meant], by_compiler[:, :meant], rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("size", [1.0, 50.0, 2e5])
def test_sines_and_cosines_carry_derivatives(size: float) -> None:
    angle = np.random.default_rng(5).uniform(-1.0, 1.0, (40, 4))
    angle[:, 0] *= size
    sine, cosine = np.empty((2, 40, 4))
    angles_of_jets(angle, sine, cosine)
    q, v, a, _ = angle.T
    s, c = np.sin(q), np.cos(q)
    np.testing.assert_allclose(sine[:, :3].T, [s, c * v, c * a - s * v * v], atol=1e-15, rtol=1e-15)
    np.testing.assert_allclose(
        cosine[:, :3].T, [c, -s * v, -s * a - c * v * v], atol=1e-15, rtol=1e-15
    )


def test_what_is_not_a_number_differs_from_itself() -> None:
    rows = np.zeros((2, 8))
    rows[:, 0] = math.nan, 1.0
    out = np.empty((COUNT, 8))
    of_duals(rows, out)
    assert out[13, 0] == 2.0 and math.isnan(out[19, 0])


def test_angles_have_derivatives_in_all_quadrants_and_on_the_axes() -> None:
    for turn in np.linspace(-3.0, 3.1, 23):
        rows = np.array([[math.cos(turn), 0.2, 0.3, 0.0], [math.sin(turn), -0.4, 0.1, 0.0]])
        out = np.empty((COUNT, 4))
        of_jets(rows[::-1].copy(), out)
        y, x = rows[1], rows[0]
        rate = x[0] * y[1] - y[0] * x[1]
        second = x[0] * y[2] - y[0] * x[2] - 2.0 * rate * (x[0] * x[1] + y[0] * y[1])
        np.testing.assert_allclose(out[9, :3], [turn, rate, second], rtol=0.0, atol=1e-14)
