# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Regression columns of the stiffness and the pretension of each spring.

An extension spring pulls with k (l - l0) + p if it is longer than its free length l0, and the
efforts are linear in that tension: the effect of one newton on the efforts is computed with a
robot without weight and other springs. So the efforts are affine in k and p for a known l0,
which decides whether the spring acts.

A joint spring acts with -k q + e, where its effort at zero, e = k rest, is the second unknown. Its
damping is not identified: it cannot be separated from the viscous friction of the joint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from charmie_dynamics.model.description.mechanisms.mechanism import Mechanism
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .linear_parameters import LinearParameters

QUANTITIES = ("stiffness", "pretension")
JOINT_QUANTITIES = ("stiffness", "effort_at_zero")
DEVIATION = 0.5  # of stiffness and pretension, relative to their described values
LEAST_PRETENSION = 0.01  # m: size without a described pretension, times the stiffness
LEAST_REST = 0.1  # rad or m: size for a joint spring, times the stiffness


class SpringColumns:
    """The columns of the extension springs in the regression of a robot's efforts.

    Parameters
    ----------
    model : Model
    """

    def __init__(self, model: Model) -> None:
        self.names, self._count = model.spring_names, len(model.actuator_names)
        parts = {part.name: part for _, part in model.mechanisms.parts()}
        values = np.array(
            [[getattr(parts[name], what) for what in QUANTITIES] for name in self.names]
        ).reshape(-1, 2)
        large = np.maximum(values, [1.0, 0.0])
        large[:, 1] = np.maximum(values[:, 1], LEAST_PRETENSION * large[:, 0])
        self.parameters = LinearParameters(
            tuple(f"{name} {what}" for name in self.names for what in QUANTITIES),
            ("N/m", "N") * len(self.names),
            values.ravel(),
            values.ravel(),
            DEVIATION * large.ravel(),
            np.zeros(values.size),
        )
        self._free = np.array([getattr(parts[name], "free_length", 0.0) for name in self.names])
        self._pushes = np.array([parts[name].pushes > 0.0 for name in self.names], dtype=bool)
        law = {"stiffness": 0.0, "free_length": 0.0, "pretension": 1.0}
        self._probes = [_probe(model, name, law) for name in self.names]

    def of(self, position: Floats, velocity: Floats, acceleration: Floats) -> Floats:
        """Return the columns (n, a, 2 s) at positions (n, p)."""
        result = np.zeros((len(position), self._count, 2 * len(self.names)))
        for k, (name, probe) in enumerate(zip(self.names, self._probes, strict=True)):
            batch = probe.compute(position)
            length = batch.spring_length[name]
            acts = self._pushes[k] | (length > self._free[k])
            per_newton = np.where(acts[:, None], batch.actuator_effort, 0.0)
            result[:, :, 2 * k] = (length - self._free[k])[:, None] * per_newton
            result[:, :, 2 * k + 1] = per_newton
        return result


class JointSpringColumns:
    """The columns of the joint springs with a stiffness.

    Parameters
    ----------
    model : Model
    """

    def __init__(self, model: Model) -> None:
        springs = [part for part in model.mechanisms.joint_springs if part.stiffness > 0.0]
        types = {joint.name: joint.type for joint in model.tree.joints}
        self.names, self._count = tuple(part.name for part in springs), len(model.actuator_names)
        values = np.array([[part.stiffness, part.stiffness * part.rest] for part in springs])
        values = values.reshape(-1, 2)
        sizes = values.copy()
        sizes[:, 1] = np.maximum(np.abs(values[:, 1]), LEAST_REST * values[:, 0])
        units = [
            ("N/m", "N") if types[part.joint] == "prismatic" else ("N m/rad", "N m")
            for part in springs
        ]
        self.parameters = LinearParameters(
            tuple(f"{name} {what}" for name in self.names for what in JOINT_QUANTITIES),
            tuple(unit for pair in units for unit in pair),
            values.ravel(),
            sizes.ravel(),
            DEVIATION * np.maximum(sizes, [1.0, LEAST_REST]).ravel(),
            np.tile([0.0, -np.inf], len(springs)),
        )
        law = {"stiffness": 1.0, "damping": 0.0}
        self._probes = [
            tuple(_probe(model, name, {**law, "rest": rest}) for rest in (0.0, 1.0))
            for name in self.names
        ]

    def of(self, position: Floats, velocity: Floats, acceleration: Floats) -> Floats:
        """Return the columns (n, a, 2 s) at positions (n, p)."""
        result = np.zeros((len(position), self._count, 2 * len(self.names)))
        for k, probes in enumerate(self._probes):
            at_zero, displaced = (probe.compute(position).actuator_effort for probe in probes)
            result[:, :, 2 * k] = at_zero
            result[:, :, 2 * k + 1] = displaced - at_zero
        return result


def _probe(model: Model, name: str, law: Mapping[str, float]) -> Model:
    """Return the robot without weight and with one spring only, which has another law."""
    sections: dict[str, list[Mechanism]] = {}
    slack = {"stiffness": 0.0, "free_length": 0.0, "pretension": 0.0, "damping": 0.0}
    for section, part in model.mechanisms.parts():
        keys = {field.name for field in fields(part)}
        changes: dict[str, Any] = dict(law) if part.name == name else {}
        if part.spring_ends is not None or section == "joint_springs":
            changes = {**{key: slack[key] for key in slack if key in keys}, **changes}
        sections.setdefault(section, []).append(replace(part, **changes))
    parts: dict[str, Any] = {section: tuple(own) for section, own in sections.items()}
    return Model(model.tree, replace(model.mechanisms, gravity=(0.0, 0.0, 0.0), **parts))
