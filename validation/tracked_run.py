# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Runs of robots whose controllers follow a motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from charmie_dynamics import Model
from charmie_dynamics.control import Controller
from charmie_dynamics.motions import SampledMotion
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import Run, simulate

from .scara import STEP


@dataclass(frozen=True)
class TrackedRun:
    """A run of a robot whose controller follows a motion, at the times of the motion."""

    run: Run
    desired: SampledMotion

    @property
    def error(self) -> Floats:
        """Desired minus actual positions (k, a)."""
        result: Floats = self.desired.position - self.run.position
        return result

    def paths(self, frame: str) -> tuple[Floats, Floats]:
        """Return the desired and the actual positions (k, 3) of a frame (m)."""
        model = self.run.model
        desired, actual = (
            model.kinematics(each).frame(frame)[0]
            for each in (self.desired.position, self.run.position)
        )
        return desired, actual

    def distance(self, frame: str) -> Floats:
        """Return the distances (k,) of a frame from its desired positions (m)."""
        desired, actual = self.paths(frame)
        result: Floats = np.linalg.norm(desired - actual, axis=1)
        return result


def track(
    controller: Controller, plant: Model, motion: SampledMotion, start: Floats | None = None
) -> TrackedRun:
    """Return the run of a robot whose controller acts each millisecond.

    Parameters
    ----------
    controller : Controller
        With this motion.
    plant : Model
    motion : SampledMotion
        At each step, from time zero.
    start : (a,) array, optional
        Position at which the robot is at rest; default: the start of the motion.
    """
    at, velocity = (motion.position[0], motion.velocity[0]) if start is None else (start, None)
    duration = float(motion.time[-1])
    run = simulate(plant, at, velocity, duration, controller, "rk4", STEP, hold=True)
    return TrackedRun(run, motion)
