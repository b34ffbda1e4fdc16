# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Stiff position drives: each actuator holds its position, whatever the motion of the base."""

from __future__ import annotations

import math

import numpy as np

from charmie_dynamics.control import ControlEffort
from charmie_dynamics.control.per_actuator import rated_efforts
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation.integrators.joint_laws import (
    DRIVE_FREQUENCY,
    MOST_A_STEP,
    drive_gains,
    suspensions,
)


class PositionDrives:
    """Drives of a robot with coordinates without actuators, such as a legged robot.

    Computed torque would need efforts on the base. So each actuator has a proportional-derivative
    drive, as a servo has, with the effort of the start pose without contacts as an offset::

        effort = effort_0 + kp (q_d - q) + kd (v_d - v)

    with the gains of `JointDrives`, of a frequency of at most 200 rad/s and 0.2 / step.

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
        places = [model.actuator_names.index(name) for name in names]
        free = suspensions(robot)
        frequency = min(DRIVE_FREQUENCY, MOST_A_STEP / step)
        driven = np.array([name not in free for name in robot.actuator_names])
        self.kp, self.kd = (
            driven * gains[places] for gains in drive_gains(model, position, frequency)
        )
        self._start_effort = driven * model.compute(position).actuator_effort[places]
        self._limit = rated_efforts(robot) if limit_efforts else np.full(len(names), math.inf)

    def compute(self, q: Floats, v: Floats, q_d: Floats, v_d: Floats, a_d: Floats) -> ControlEffort:
        """Return the efforts (a,) from measured and desired positions and velocities (a,)."""
        asked = self._start_effort + self.kp * (q_d - q) + self.kd * (v_d - v)
        effort: Floats = np.clip(asked, -self._limit, self._limit)
        return ControlEffort(effort, effort != asked)
