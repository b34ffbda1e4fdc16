# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Kinematics of a base that drives on a floor: rates of its actuators, and its velocity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from charmie_dynamics.control import SwedishWheels
from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.robots import without_loops
from charmie_dynamics.numerics.vectors import Floats

PLANAR = [0, 1, 5]  # x, y and yaw of a Jacobian


class BaseDrive:
    """A base with joints to the world or with Swedish wheels.

    Parameters
    ----------
    model : Model
        The robot alone.
    frame : str
        Fixed to the base; velocities are those of its origin in its axes.
    names : sequence of str
        The actuators of the base.
    wheels : SwedishWheels or None
        None: joints to the world.

    Attributes
    ----------
    columns : (n,) array of int
        The actuators of the base among those of the robot.
    """

    def __init__(
        self, model: Model, frame: str, names: Sequence[str], wheels: SwedishWheels | None = None
    ) -> None:
        self.columns = np.array([model.actuator_names.index(name) for name in names])
        # all other joints are at zero, where loops may not close
        self._model, self._frame = Model.of(without_loops(model.robot)), frame
        model = self._model
        self._position = model.zero_position()
        self._entries = [model.position_names.index(name) for name in names]
        self._velocities = [model.velocity_names.index(name) for name in names]
        self._of_wheels = None if wheels is None else self._at_frame(wheels)

    @classmethod
    def of(cls, model: Model, frame: str) -> BaseDrive | None:
        """Return the drive of a robot; None if neither base joints nor wheels move the frame."""
        joints = model.mechanisms.base_joints
        names = [name for name in joints if name in model.actuator_names]
        if names:
            drive = cls(model, frame, names)
            return drive if drive.jacobian(np.zeros(len(names))).any() else None
        try:
            wheels = SwedishWheels(model)
        except UnsupportedError:
            return None
        return cls(model, frame, wheels.joint_names, wheels)

    def jacobian(self, position: Floats) -> Floats:
        """Return the derivative (3, n) of the velocity by the rates, at positions (n,).

        Rows: along x and y (m/s), about z (rad/s) of the frame.
        """
        if self._of_wheels is not None:
            return self._of_wheels
        self._position[self._entries] = position
        J = self._model.jacobian(self._position, self._frame)[:, self._velocities]
        _, R = self._model.kinematics(self._position).frame(self._frame)
        return np.vstack((R.T @ J[:3], R.T @ J[3:]))[PLANAR]

    def rates(self, position: Floats, velocity: Floats) -> Floats:
        """Return the rates (n,) for a velocity (3,) of the base."""
        rates: Floats = np.linalg.pinv(self.jacobian(position)) @ velocity
        return rates

    def _at_frame(self, wheels: SwedishWheels) -> Floats:
        """Return the Jacobian (3, n) of wheels, which refer to the base body, at the frame."""
        model = self._model
        state = model.kinematics(self._position)
        p_base, R_base = state.frame(model.mechanisms.base_body or model.tree.root)
        p_frame, R_frame = state.frame(self._frame)
        x, y, _ = R_base.T @ (p_frame - p_base)
        R = R_frame.T @ R_base
        of_frame = np.zeros((3, 3))
        of_frame[:2] = R[:2, :2] @ [[1.0, 0.0, -y], [0.0, 1.0, x]]
        of_frame[2, 2] = 1.0
        of_wheels = np.linalg.pinv(wheels.matrix)
        return np.array(of_frame @ of_wheels)
