# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derivatives from equally spaced values, central differences of eighth order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

FIRST = np.array([3.0, -32.0, 168.0, -672.0, 0.0, 672.0, -168.0, 32.0, -3.0]) / 840.0
SECOND = np.array([-9.0, 128.0, -1008.0, 8064.0, -14350.0, 8064.0, -1008.0, 128.0, -9.0]) / 5040.0
STEPS = np.arange(-4, 5)


def first_derivative(function: Callable[[float], np.ndarray], at: float, h: float) -> np.ndarray:
    return np.tensordot(FIRST, [function(at + k * h) for k in STEPS], axes=1) / h


def second_derivative(function: Callable[[float], np.ndarray], at: float, h: float) -> np.ndarray:
    return np.tensordot(SECOND, [function(at + k * h) for k in STEPS], axes=1) / (h * h)
