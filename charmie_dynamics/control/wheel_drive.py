# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Drive of a robot on Swedish wheels, whose other joints hold a pose."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import InputError
from charmie_dynamics.model.description.world import RobotEntity
from charmie_dynamics.model.flat.checks import checked
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .per_actuator import rated_efforts
from .swedish_wheels import SwedishWheels

DAMPING_RATIO = 0.7  # of the held joints


class WheelDrive:
    """Efforts for a robot that drives on Swedish wheels: an effort law for `simulation.simulate`.

    Each wheel has a proportional controller of its rate, whose desired value is that of
    `SwedishWheels.rates`::

        effort = gain (rate_d - rate)

    limited to the rated effort of its actuator. Joints between the base and a wheel, such as the
    arms of its suspension, have no effort. All other actuators hold a pose, by the effort of the
    pose at rest and by proportional-derivative control with the gains of a mass m, the actuator's
    diagonal entry of the mass matrix: kp = m w^2, kd = 1.4 m w.

    Parameters
    ----------
    model : Model
        With rollers and wheel contacts in its mechanisms file.
    base_velocity : (3,) array_like or callable
        Desired velocity along x and y of the base body (m/s) and about z (rad/s), or a function
        that returns it for a time (s).
    gain : float
        Gain of the controllers of the wheels (N m s/rad).
    pose : (p,) array_like, optional
        Position that contains the pose of the held joints; default: all joints at zero.
    frequency : float
        Natural frequency w of the held joints (rad/s).

    Attributes
    ----------
    wheels : SwedishWheels
        Rates of the wheels for a velocity of the base.

    Raises
    ------
    InputError
        If `gain` or `frequency` is negative or not finite, or the shape of `pose` is wrong.
    UnsupportedError
        As for `SwedishWheels`.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.control import WheelDrive
    >>> model = load_model("charmie_wheeled")
    >>> drive = WheelDrive(model, (0.0, 0.2, 0.0), gain=2.0)
    >>> effort = drive(0.0, model.zero_position(), [0.0] * 36)
    >>> print(effort[model.actuator_names.index("front_left_wheel_joint")].round(3))
    3.941
    """

    def __init__(
        self,
        model: Model,
        base_velocity: npt.ArrayLike | Callable[[float], npt.ArrayLike],
        *,
        gain: float = 3.0,
        pose: npt.ArrayLike | None = None,
        frequency: float = 30.0,
    ) -> None:
        for name, value in (("gain", gain), ("frequency", frequency)):
            if not (math.isfinite(value) and value >= 0.0):
                raise InputError(f"{name}: expected a finite number of at least 0, got {value}")
        self.wheels = SwedishWheels(model)
        self._gain = gain
        self._velocity = base_velocity
        rest = model.zero_position() if pose is None else pose
        self._pose = checked("pose", rest, model.position_names)
        names = model.actuator_names
        self._wheel_places = [names.index(name) for name in self.wheels.joint_names]
        self._rated = rated_efforts(model)[self._wheel_places]
        self._in_position = np.array([model.position_names.index(name) for name in names])
        self._in_velocity = np.array([model.velocity_names.index(name) for name in names])
        held = np.array([name not in joints_at_wheels(model) for name in names], dtype=np.float64)
        mass = np.diag(model.equations(self._pose).mass_matrix)[self._in_velocity] * held
        self._kp = mass * frequency**2
        self._kd = 2.0 * DAMPING_RATIO * mass * frequency
        self._effort_at_rest = model.compute(self._pose).actuator_effort * held

    def __call__(self, time: float, position: npt.ArrayLike, velocity: npt.ArrayLike) -> Floats:
        """Return the efforts (a,) at a time (s), position (p,) and velocity (v,) of the robot.

        Raises
        ------
        InputError
            If the desired velocity has a wrong shape or values that are not finite.
        """
        q = np.asarray(position, dtype=np.float64)[self._in_position]
        v = np.asarray(velocity, dtype=np.float64)[self._in_velocity]
        effort: Floats = (
            self._effort_at_rest + self._kp * (self._pose[self._in_position] - q) - self._kd * v
        )
        desired = self._velocity(time) if callable(self._velocity) else self._velocity
        unlimited = self._gain * (self.wheels.rates(desired) - v[self._wheel_places])
        effort[self._wheel_places] = np.clip(unlimited, -self._rated, self._rated)
        return effort


def joints_at_wheels(model: Model | RobotEntity) -> set[str]:
    """Return the joints of all subtrees of the base that contain a wheel."""
    base = model.mechanisms.base_body or model.tree.root
    roots = set()
    for wheel in model.mechanisms.rollers:
        roots.add(_path(model, wheel, base)[-1])
    return {
        joint.name
        for joint in model.tree.joints
        if roots.intersection(_path(model, joint.child, base))
    }


def _path(model: Model | RobotEntity, link: str, base: str) -> list[str]:
    """Return a link and its ancestors, up to the child of the base."""
    path = [link]
    while (joint := model.tree.joint_of(path[-1])) is not None and joint.parent != base:
        path.append(joint.parent)
    return path
