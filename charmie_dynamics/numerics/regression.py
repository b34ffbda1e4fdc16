# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Least squares of a network with tanh layers: back-propagation, and Adam (Kingma and Ba, 2015)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]
LEARNING_RATE = 1e-3
DECAY = 0.9, 0.999  # of the mean of the gradients, and of their squares
SMALL = 1e-8


class Regression:
    """A network and its training.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of observations, of the units of each hidden layer, and of actions.
    rng : Generator
        Of the first weights.

    Attributes
    ----------
    weights, biases : list of (m, k), (m,) array
        Of each layer.
    """

    def __init__(self, sizes: Sequence[int], rng: np.random.Generator) -> None:
        self.weights: list[Array] = []
        self.biases: list[Array] = []
        for inputs, outputs in itertools.pairwise(sizes):
            limit = np.sqrt(6.0 / (inputs + outputs))  # Glorot and Bengio, 2010
            weight = rng.uniform(-limit, limit, (outputs, inputs))
            self.weights.append(weight.astype(np.float32))
            self.biases.append(np.zeros(outputs, dtype=np.float32))
        self._moments = [np.zeros((2, *each.shape), dtype=np.float32) for each in self._parameters]
        self._steps = 0

    @property
    def _parameters(self) -> list[Array]:
        return [*self.weights, *self.biases]

    @property
    def state(self) -> dict[str, Any]:
        """Copies of the arrays from which the training continues."""
        named = {f"parameter_{k}": each.copy() for k, each in enumerate(self._parameters)}
        moments = {f"moments_{k}": each.copy() for k, each in enumerate(self._moments)}
        return {**named, **moments, "steps": np.array(self._steps)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a state."""
        for k, (parameter, moments) in enumerate(zip(self._parameters, self._moments, strict=True)):
            parameter[:], moments[:] = state[f"parameter_{k}"], state[f"moments_{k}"]
        self._steps = int(state["steps"])

    def step(self, x: Array, y: Array) -> float:
        """Take a step for inputs (n, k) and outputs (n, m); return the mean square of the error."""
        values = [x]
        last = len(self.weights) - 1
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            z = values[-1] @ weight.T + bias
            values.append(z if k == last else np.tanh(z))
        error = values[-1] - y
        slope = (2.0 / error.size) * error
        of_weights: list[Any] = []
        of_biases: list[Any] = []
        for k in range(last, -1, -1):
            of_weights.append(slope.T @ values[k])
            of_biases.append(slope.sum(axis=0))
            if k:
                slope = (slope @ self.weights[k]) * (1.0 - values[k] ** 2)
        self._descend([*of_weights[::-1], *of_biases[::-1]])
        return float(np.mean(error**2))

    def _descend(self, gradients: Sequence[Array]) -> None:
        self._steps += 1
        first, second = DECAY
        rate = LEARNING_RATE * np.sqrt(1.0 - second**self._steps) / (1.0 - first**self._steps)
        for parameter, moments, gradient in zip(
            self._parameters, self._moments, gradients, strict=True
        ):
            moments[0] += (1.0 - first) * (gradient - moments[0])
            moments[1] += (1.0 - second) * (gradient**2 - moments[1])
            parameter -= np.float32(rate) * moments[0] / (np.sqrt(moments[1]) + np.float32(SMALL))
