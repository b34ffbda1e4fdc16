# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Regression columns of the friction of joints that a loop or a linear actuator moves.

Their friction is defined in the URDF. How much of it an actuator feels depends on the position: the
effect of one unit on the efforts is the difference of two computations.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from charmie_dynamics.core.inverse.friction import AT_JOINT
from charmie_dynamics.model.description.mimics import follow_mimics
from charmie_dynamics.model.description.robot import JointFriction
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .linear_parameters import LinearParameters

FRICTION_QUANTITIES = ("viscous", "coulomb")
NONE = JointFriction(0.0, 0.0)
DEVIATION = 10.0  # of the described value


class JointFrictionColumns:
    """The columns of the friction of joints in the regression of a robot's efforts.

    Parameters
    ----------
    model : Model
    """

    def __init__(self, model: Model) -> None:
        joints = {joint.name: joint for joint in model.tree.joints}
        self.names = joints_with_friction(model)
        laws = [joints[name].friction or NONE for name in self.names]
        pairs = [(name, what) for name in self.names for what in FRICTION_QUANTITIES]
        values = np.array([(law.viscous, law.coulomb) for law in laws]).reshape(-1)
        self.parameters = LinearParameters(
            tuple(f"{name} {what}" for name, what in pairs),
            tuple(unit for name in self.names for unit in _units(joints[name].type)),
            values,
            values,
            DEVIATION * np.maximum(values, 1e-3),
            np.zeros(len(values)),
        )
        self._count = len(model.actuator_names)
        self._smooth = model.with_loads().without_friction()
        self._probes = [_probe(self._smooth, name, what) for name, what in pairs]

    def of(self, position: Floats, velocity: Floats, acceleration: Floats) -> Floats:
        """Return the columns (n, a, 2 j) at positions (n, p), velocities, accelerations (n, v)."""
        motion = position, velocity, acceleration
        result = np.zeros((len(position), self._count, len(self._probes)))
        without = self._smooth.compute(*motion).actuator_effort
        for k, probe in enumerate(self._probes):
            result[:, :, k] = probe.compute(*motion).actuator_effort - without
        return result


def joints_with_friction(model: Model) -> tuple[str, ...]:
    """Return the joints whose friction acts at the joint and not at an actuator."""
    laws = model.flat.mechanisms.friction
    own = set(laws.friction_coordinate[laws.friction_place == AT_JOINT].tolist())
    names = {model.joint_names[c] for c in own}
    leaders = follow_mimics(model.tree.joints)
    return tuple(
        joint.name
        for joint in model.tree.joints
        if joint.friction is not None and joint.name in leaders and leaders[joint.name][0] in names
    )


def _units(kind: str) -> tuple[str, str]:
    return ("N s/m", "N") if kind == "prismatic" else ("N m s/rad", "N m")


def _probe(smooth: Model, name: str, what: str) -> Model:
    """Return a robot without friction but that of a joint."""
    joints = tuple(
        replace(joint, friction=replace(NONE, **{what: 1.0}))
        if joint.name == name else joint for joint in smooth.tree.joints
    )  # fmt: skip
    return Model(replace(smooth.tree, joints=joints), smooth.mechanisms)
