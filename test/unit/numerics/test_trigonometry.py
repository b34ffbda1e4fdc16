# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Sines and cosines: to the last digit, for angles of any size."""

from __future__ import annotations

import math

import numpy as np
import pytest

from charmie_dynamics.numerics.trigonometry import LIMIT, sines_and_cosines


def computed(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    sine, cosine = np.full((2, len(angle)), np.nan)
    sines_and_cosines(angle, sine, cosine)
    return sine, cosine


@pytest.mark.parametrize("size", [1e-8, 1e-3, 1.0, 7.0, 1e3, 0.999 * LIMIT, 2.0 * LIMIT, 1e15])
def test_values_are_those_of_the_library_to_the_last_digit(size: float) -> None:
    angle = np.random.default_rng(4).uniform(-size, size, 20001)
    sine, cosine = computed(angle)
    eps = np.finfo(float).eps
    np.testing.assert_allclose(sine, [math.sin(x) for x in angle], rtol=0.0, atol=1.01 * eps)
    np.testing.assert_allclose(cosine, [math.cos(x) for x in angle], rtol=0.0, atol=1.01 * eps)


@pytest.mark.parametrize("quarters", range(-9, 10))
def test_every_quadrant_and_its_edges(quarters: int) -> None:
    edge = quarters * math.pi / 4.0
    angle = np.array([np.nextafter(edge, -9.0), edge, np.nextafter(edge, 9.0)])
    sine, cosine = computed(angle)
    np.testing.assert_allclose(sine, np.sin(angle), rtol=0.0, atol=2.3e-16)
    np.testing.assert_allclose(cosine, np.cos(angle), rtol=0.0, atol=2.3e-16)


def test_one_huge_angle_does_not_spoil_the_others() -> None:
    angle = np.array([0.3, 1e9, -2.0])
    sine, cosine = computed(angle)
    np.testing.assert_allclose(sine, np.sin(angle), rtol=0.0, atol=2.3e-16)
    np.testing.assert_allclose(cosine, np.cos(angle), rtol=0.0, atol=2.3e-16)
