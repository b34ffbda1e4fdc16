# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Stiff position drives: each actuator holds its position, whatever the motion of the base."""

from __future__ import annotations

import math

import numpy as np

from charmie_dynamics.control import ControlEffort
from charmie_dynamics.control.wheel_drive import joints_at_wheels
from charmie_dynamics.model.flat.loop_following import is_passive
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

FREQUENCY = 200.0  # rad/s, of an actuator with all bodies that it moves, if the step allows it
MOST_A_STEP = 0.2  # rad: the drive uses the position of the last step
DAMPING_RATIO = 1.0


class PositionDrives:
    """Drives of a robot with coordinates without actuators, such as a legged robot.

    Computed torque would need efforts on the base. So each actuator has a proportional-derivative
    drive, as a servo has, with the effort of the start pose without contacts as an offset::

        effort = effort_0 + kp (q_d - q) + kd (v_d - v),  kp = m w^2,  kd = 2 m w

    m is the smallest mass that the actuator moves, 1 / (M^-1)_ii with the mass matrix M of
    everything. Suspensions of wheels have springs and no drive.

    Parameters
    ----------
    model : Model
        Of the whole system.
    position : (p,) array
        At the start.
    robot : Model
        The robot alone.
    prefix : str
        Prefix of its names in `model`.
    step : float
        Of the simulation (s).
    limit_efforts : bool
        Limit the efforts to the rated ones.
    """

    def __init__(
        self,
        model: Model,
        position: Floats,
        robot: Model,
        prefix: str,
        step: float,
        limit_efforts: bool,
    ) -> None:
        names = [prefix + name for name in robot.actuator_names]
        matrix = model.equations(position).mass_matrix
        moving = np.array(model.velocity_names)[~is_passive(model.flat)].tolist()
        rows = [moving.index(name) for name in names]
        mass = 1.0 / np.diag(np.linalg.inv(matrix))[rows]
        free = suspensions(robot)
        driven = np.array([name not in free for name in robot.actuator_names], dtype=np.float64)
        frequency = min(FREQUENCY, MOST_A_STEP / step)
        self.kp: Floats = driven * mass * frequency**2
        self.kd: Floats = driven * mass * frequency * 2.0 * DAMPING_RATIO
        places = [model.actuator_names.index(name) for name in names]
        self._start_effort = driven * model.compute(position).actuator_effort[places]
        rated = np.array([limit.effort or math.inf for limit in robot.actuator_limits()])
        self._limit = rated if limit_efforts else np.full(len(rated), math.inf)

    def compute(self, q: Floats, v: Floats, q_d: Floats, v_d: Floats, a_d: Floats) -> ControlEffort:
        """Return the efforts (a,) from measured and desired positions and velocities (a,)."""
        asked = self._start_effort + self.kp * (q_d - q) + self.kd * (v_d - v)
        effort: Floats = np.clip(asked, -self._limit, self._limit)
        return ControlEffort(effort, effort != asked)


def suspensions(robot: Model) -> set[str]:
    """Return the actuators between the base and a wheel with rollers, without those of wheels."""
    if not robot.mechanisms.rollers:
        return set()
    wheels = set()
    for link in robot.mechanisms.rollers:
        joint = robot.tree.joint_of(link)
        if joint is not None:
            wheels.add(joint.name)
    return joints_at_wheels(robot) - wheels
