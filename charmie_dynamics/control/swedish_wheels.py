# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Swedish wheels on a floor: rates from the velocity of the base, and odometry."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.model.flat.checks import checked
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.robots import without_loops
from charmie_dynamics.numerics.vectors import Floats

BASE_VELOCITY = ("x", "y", "yaw")
LEAST_SLOPE = 1e-9  # effect of the rate of a wheel, relative to its radius


class SwedishWheels:
    """Rates of Swedish wheels without slip from the velocity of the base, and the inverse.

    The roller at the floor turns freely, so that only the velocity of the contact point along the
    roller's axis u is zero (Muir and Neuman, "Kinematic modeling for feedback control of an
    omnidirectional wheeled mobile robot", 1987; Siegwart, Nourbakhsh and Scaramuzza, "Introduction
    to autonomous mobile robots", section 3.2.3)::

        u . (v + yaw_rate z x c) + rate u . (axle x (c - p)) = 0

    with p the wheel's centre and c the point of the floor below it. For wheels at (+-a, +-b) with
    parallel axles and rollers at 45 degrees it becomes ``radius * rate = v_y +- v_x +- (a + b)
    yaw_rate``.

    Parameters
    ----------
    model : Model
        With `rollers` and `wheel_contacts` in its mechanisms file: the height of the floor is that
        of the contacts with all joints at zero.

    Attributes
    ----------
    wheel_names, joint_names : tuple of str
        Links of the n wheels and their joints, in the order of `rollers`.
    radii : (n,) array
        From the centre to the floor (m).
    matrix : (n, 3) array
        Derivative of the rates by the velocity of the base.

    Raises
    ------
    UnsupportedError
        If the mechanisms file defines no rollers or contacts, or the wheels do not determine the
        motion of the base.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.control import SwedishWheels
    >>> wheels = SwedishWheels(load_model("charmie_wheeled"))
    >>> print(wheels.rates([0.5, 0.0, 0.0]).round(3))  # to the right
    [ 4.926 -4.926 -4.926  4.926]
    >>> print(wheels.base_velocity([2.0, 2.0, 2.0, 2.0]).round(3) + 0.0)
    [0.    0.203 0.   ]
    """

    def __init__(self, model: Model) -> None:
        rollers, contacts = model.mechanisms.rollers, model.mechanisms.wheel_contacts
        if not rollers or not contacts:
            missing = "rollers" if not rollers else "wheel_contacts"
            raise UnsupportedError(
                f"odometry of '{model.tree.name}': expected rollers and wheel_contacts in its "
                f"mechanisms file, got no {missing}"
            )
        self.wheel_names = tuple(rollers)
        model = Model.of(without_loops(model.robot))  # they may not close at zero
        state = model.kinematics(model.zero_position())
        p_world_base, R_world_base = state.frame(model.mechanisms.base_body or model.tree.root)
        joints, rows, radii = [], [], []
        for name, roller in rollers.items():
            joint = model.tree.joint_of(name)
            if joint is None:  # Model refuses a root as a wheel
                raise UnsupportedError(f"wheel '{name}': expected a joint that turns it")
            joints.append(joint.name)
            p_world_wheel, R_world_wheel = state.frame(name)
            p = R_world_base.T @ (p_world_wheel - p_world_base)
            axle = R_world_base.T @ R_world_wheel @ joint.axis
            radius = float(p[2] - contacts[0][2])
            radii.append(radius)
            rows.append(_row(name, p, axle, radius, roller.angle))
        self.joint_names = tuple(joints)
        self.radii = np.array(radii)
        self.matrix = np.array(rows)
        if np.linalg.matrix_rank(self.matrix) < len(BASE_VELOCITY):
            raise UnsupportedError(
                f"odometry of '{model.tree.name}': {len(rows)} wheels do not determine the motion "
                "of the base along x, y and about z; expected rollers in three independent "
                "directions"
            )
        self._inverse = np.linalg.pinv(self.matrix)

    def rates(self, base_velocity: npt.ArrayLike) -> Floats:
        """Return the rates (n,) of the wheels (rad/s).

        Parameters
        ----------
        base_velocity : (3,) array_like
            Of the origin of the base body along its axes x and y (m/s), and about z (rad/s).

        Raises
        ------
        InputError
            For a wrong shape or values that are not finite.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.control import SwedishWheels
        >>> wheels = SwedishWheels(load_model("charmie_wheeled"))
        >>> print(wheels.rates([0.0, 0.5, 0.0]).round(3))  # forward
        [4.926 4.926 4.926 4.926]
        """
        rates: Floats = self.matrix @ checked("base_velocity", base_velocity, BASE_VELOCITY)
        return rates

    def base_velocity(self, rates: npt.ArrayLike) -> Floats:
        """Return the velocity (3,) of the base: x, y (m/s) and about z (rad/s), in its axes.

        The rates of slipping wheels may be inconsistent: the result is the least-squares solution
        of the rates.

        Parameters
        ----------
        rates : (n,) array_like
            Of the wheels (rad/s).

        Raises
        ------
        InputError
            For a wrong shape or values that are not finite.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.control import SwedishWheels
        >>> wheels = SwedishWheels(load_model("charmie_wheeled"))
        >>> print(wheels.base_velocity([-1.0, 1.0, -1.0, 1.0]).round(4) + 0.0)
        [0.     0.     0.2538]
        """
        velocity: Floats = self._inverse @ checked("rates", rates, self.wheel_names)
        return velocity

    def slip(self, rates: npt.ArrayLike) -> Floats:
        """Return the residual of the rates (n,) after `base_velocity` (rad/s).

        A residual indicates slip; equal slip of all wheels is not observable.

        Raises
        ------
        InputError
            For a wrong shape or values that are not finite.
        """
        values = checked("rates", rates, self.wheel_names)
        slip: Floats = values - self.matrix @ self._inverse @ values
        return slip


def _row(name: str, p: Floats, axle: Floats, radius: float, angle: float) -> Floats:
    """Return the derivative of the rate of a wheel by the velocity of the base (3,)."""
    level = math.hypot(axle[0], axle[1])
    if radius <= 0.0 or level < LEAST_SLOPE:
        raise UnsupportedError(
            f"wheel '{name}': expected a level axle above the floor, got the axle "
            f"{axle.round(6).tolist()} at {radius:g} m"
        )
    x, y = axle[:2] / level
    cosine, sine = math.cos(angle), math.sin(angle)
    u = np.array([cosine * x - sine * y, sine * x + cosine * y, 0.0])
    by_rate = float(u @ np.cross(axle, (0.0, 0.0, -radius)))
    if abs(by_rate) < LEAST_SLOPE * radius:
        raise UnsupportedError(
            f"wheel '{name}': its roller lies along the axle, so it cannot drive"
        )
    row: Floats = -np.array([u[0], u[1], p[0] * u[1] - p[1] * u[0]]) / by_rate
    return row
