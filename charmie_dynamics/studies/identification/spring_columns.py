# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""How the efforts depend on the stiffness and the pretension of each spring.

A spring pulls with k (l - l0) + p where it is longer than its free length l0, and the efforts are
linear in that tension: what one newton of it does to the efforts is computed with a robot that has
no weight and no other spring. So the efforts are affine in k and p as long as l0 is known, which
decides where the spring acts.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from charmie_dynamics.model.description.mechanisms.mechanism import Mechanism
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

QUANTITIES = ("stiffness", "pretension")


class SpringColumns:
    """The columns of the springs in the regression of a robot's efforts.

    Parameters
    ----------
    model : Model

    Attributes
    ----------
    names : tuple of str, length s
        Of the springs, as `Model.spring_names`.
    labels : tuple of str, length 2 s
        Spring and quantity of each column.
    values : (2 s,) array
        As they are described (N/m, N).
    """

    def __init__(self, model: Model) -> None:
        self.names = model.spring_names
        parts = {part.name: part for _, part in model.mechanisms.parts()}
        self.labels = tuple(f"{name} {what}" for name in self.names for what in QUANTITIES)
        self.values = np.array(
            [getattr(parts[name], what) for name in self.names for what in QUANTITIES]
        )
        self._free = np.array([getattr(parts[name], "free_length", 0.0) for name in self.names])
        self._pushes = np.array([parts[name].pushes > 0.0 for name in self.names], dtype=bool)
        self._probes = [_probe(model, name) for name in self.names]

    def of(self, position: Floats) -> Floats:
        """Return the columns (n, v, 2 s) at positions (n, v) of the actuators."""
        result = np.zeros((*position.shape, len(self.labels)))
        for k, (name, probe) in enumerate(zip(self.names, self._probes, strict=True)):
            batch = probe.compute_batch(position)
            length = batch.spring_length[name]
            acts = self._pushes[k] | (length > self._free[k])
            per_newton = np.where(acts[:, None], batch.actuator_effort, 0.0)
            result[:, :, 2 * k] = (length - self._free[k])[:, None] * per_newton
            result[:, :, 2 * k + 1] = per_newton
        return result


def _probe(model: Model, name: str) -> Model:
    """Return the robot without weight, whose only spring pulls with 1 N at every length."""
    sections: dict[str, list[Mechanism]] = {}
    for section, part in model.mechanisms.parts():
        own = part
        if part.spring_ends is not None:
            law: dict[str, Any] = {"stiffness": 0.0, "free_length": 0.0}
            law["pretension"] = 1.0 if part.name == name else 0.0
            if "damping" in {field.name for field in fields(part)}:
                law["damping"] = 0.0
            own = replace(part, **law)
        sections.setdefault(section, []).append(own)
    changes: dict[str, Any] = {section: tuple(parts) for section, parts in sections.items()}
    return Model(model.tree, replace(model.mechanisms, gravity=(0.0, 0.0, 0.0), **changes))
