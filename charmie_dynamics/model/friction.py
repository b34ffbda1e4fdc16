# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Efforts that overcome the friction of a robot, and the friction of its actuators."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.inverse.friction import AT_ACTUATOR, AT_JOINT
from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.vectors import Floats

from .batch import INPUTS
from .equations.equations_of_motion import equations
from .flat.actuators import actuator_limits
from .flat.checks import in_rows, require_finite
from .flat.friction_laws import ActuatorFriction, actuator_friction, friction_of_coordinates
from .flat.prepared_robot import PreparedRobot
from .forward_dynamics import forward
from .inverse_dynamics import compute
from .robots import without_friction


def friction_of_actuators(robot: PreparedRobot) -> ActuatorFriction:
    """Return the friction of the actuators of a robot; see `ActuatorFriction`."""
    rated = np.array([limit.velocity for limit in actuator_limits(robot)])
    return actuator_friction(robot.flat.mechanisms.friction, robot.flat.actuator_index, rated)


def friction_effort(
    robot: PreparedRobot, velocity: npt.ArrayLike, position: npt.ArrayLike | None = None
) -> Floats:
    """Return the efforts that overcome the friction alone; see `Model.friction_effort`."""
    flat = robot.flat
    laws, index = flat.mechanisms.friction, flat.actuator_index
    names = flat.position_names, flat.velocity_names
    (p, v), leading = in_rows(INPUTS[:2], (position, velocity), names)
    if v is None:
        raise InputError(f"velocity: expected shape (..., {len(names[1])}), got None")
    require_finite("velocity", v if leading else v[0], names[1])
    if AT_JOINT not in laws.friction_place:
        found = friction_of_coordinates(laws, AT_ACTUATOR, v)[:, index]
    elif p is None:
        raise InputError(
            f"position: expected shape (..., {len(names[0])}), since friction acts "
            "at joints that linear actuators or loops move; got none"
        )
    elif flat.sizes.r:
        smooth = without_friction(robot)
        # any acceleration that keeps the loops closed
        motion = p, v, forward(smooth, (p, v, None)).acceleration
        found = compute(robot, motion).actuator_effort - compute(smooth, motion).actuator_effort
    else:
        found = equations(robot, (p, v, None)).friction_effort[:, index]
    return found.reshape(*leading, len(index))
