# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Walking on legs: feed-forward of the loads of the feet, and PD control of the joints."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.contact.force_distribution import base_balance, spread
from charmie_dynamics.errors import InputError, UnsupportedError
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import floating_base
from charmie_dynamics.motions import LeggedWalk
from charmie_dynamics.numerics.vectors import Floats

from .per_actuator import PerActuator, per_actuator, rated_efforts

# Regularisation r below, of one foot in stance: loads that few feet cannot bear well, such as a
# moment about the line between two feet, fade out instead of causing large forces.
REGULARISATION = 1e-3
LEVEL = [0, 2, 3, 4]  # of the velocities of a base: along x and z, about x and y
PERIOD = 2e-3  # s, between the sampled points of the walk


class WalkLoads(NamedTuple):
    """Loads of a walk at a time.

    Attributes
    ----------
    effort : (a,) array
        Of the actuators (N m).
    foot_force : (l, 3) array
        Of the floor on the feet, world axes (N).
    """

    effort: Floats
    foot_force: Floats


class LegDrive:
    """Efforts for a robot that walks on legs: an effort law for `simulation.simulate`.

    ::

        effort = feed_forward(t) + level(t) + kp (q_d - q) + kd (v_d - v)

    The feed-forward is that of the inverse dynamics of the walk. The feet have to apply the load of
    the floating base::

        minimise  |A f - b|^2 + r sum_i |f_i|^2 / s_i

    with the forces f on the feet at their lowest points, b the required force and moment on the
    base about the middle of the feet, A f that of the feet, s_i the load factor of a foot (see
    `LeggedWalk.stance_shares`), and r small: the forces are the least ones with this result, and
    those of two feet omit the moment about the line between them. The efforts follow from the
    transposed Jacobians of these points. There are no friction cones, so that the forces are linear
    in b; `model.contact_forces` has them. Friction of the joints is compensated at the desired
    velocity.

    Control of the joints alone does not keep the torso level: the floor is compliant, and a robot
    on two feet tips over. So the feet also accelerate the base by w^2 e + 2 w e', where e are the
    errors of its height and its tilt about its x and y and, optionally, of its position along the
    world's x: joints alone do not restore the speed of a robot on two feet.

    Parameters
    ----------
    model : Model
        With a floating base.
    walk : LeggedWalk
    kp, kd : float, (a,) array_like or mapping of str to float
        Gains of position (N m/rad) and velocity (N m s/rad).
    frequency : float
        w, of height and tilt of the base (rad/s); 0: no control.
    way_frequency : float
        w, of the position of the base along the world's x (rad/s); 0: no control.
    friction : bool
        Compensate the friction of the joints.

    Attributes
    ----------
    model : Model
    walk : LeggedWalk
    kp, kd : (a,) array
    frequency, way_frequency : float
    effort_limits : (a,) array
        The rated efforts of the model.

    Raises
    ------
    InputError
        If a gain or a frequency is negative, not finite, or of the wrong shape.
    UnsupportedError
        If the robot has no floating base, or joints without actuators.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.control import LegDrive
    >>> from charmie_dynamics.motions import LeggedWalk
    >>> model = load_model("athena")
    >>> drive = LegDrive(model, LeggedWalk(model, "tripod"), kp=10.0, kd=0.5)
    >>> loads = drive.loads(1.5)  # three feet bear the weight of 63 N
    >>> print(loads.foot_force[:, 2].round(1))
    [20.3  0.  20.5  0.  20.3  0. ]
    """

    def __init__(
        self,
        model: Model,
        walk: LeggedWalk,
        kp: PerActuator,
        kd: PerActuator,
        *,
        frequency: float = 20.0,
        way_frequency: float = 0.0,
        friction: bool = True,
    ) -> None:
        for name, w in (("frequency", frequency), ("way_frequency", way_frequency)):
            if not (math.isfinite(w) and w >= 0.0):
                raise InputError(f"{name}: expected a finite number of at least 0, got {w}")
        names = model.actuator_names
        self.model = model
        self.walk = walk
        self.kp = per_actuator("kp", kp, names)
        self.kd = per_actuator("kd", kd, names)
        self.effort_limits = rated_efforts(model)
        base = floating_base(model, "leg drive")
        _require_driven(model, len(base.velocities))
        self._base, self._pose = base.velocities, base.positions
        self.frequency, self.way_frequency = frequency, way_frequency
        start = walk.whole(0.0)[0]
        self._height = float(start[self._pose[2]])
        inertia = model.equations(start).mass_matrix[np.ix_(self._base, self._base)]
        self._inertia = inertia[:, LEVEL]
        self._in_position = np.array([model.position_names.index(name) for name in names])
        self._has_friction = friction and model.has_friction
        self._last = math.ceil(walk.duration / PERIOD)
        self._rows: dict[int, Floats] = {}

    def __call__(self, time: float, position: npt.ArrayLike, velocity: npt.ArrayLike) -> Floats:
        """Return the efforts (a,) at a time (s), position (p,) and velocity (v,) of the robot.

        Raises
        ------
        InputError
            If the time is not finite.
        """
        if not math.isfinite(time):
            raise InputError(f"time: expected a finite number, got {time}")
        row, way = self._desired(time)
        desired, rate, effort = row[:3]
        q = np.asarray(position, dtype=np.float64)
        v = np.asarray(velocity, dtype=np.float64)
        level = row[3:].T @ self._levelling(q[self._pose], v[self._base], way)
        of_joints = self.kp * (desired - q[self._in_position])
        of_joints += self.kd * (rate - v[self.model.actuator_index])
        result: Floats = np.clip(
            effort + level + of_joints, -self.effort_limits, self.effort_limits
        )
        return result

    def _levelling(self, pose: Floats, rates: Floats, way: Floats) -> Floats:
        """Return the accelerations (4,), ordered as `LEVEL`, that correct the errors of the base.

        `way` contains the position along x of the world, and the velocity.
        """
        x, y, z, s = pose[3:].tolist()
        # the world's z in the axes of the base: a rotation about (-n_y, n_x) aligns the base with
        # it
        n_x, n_y = 2.0 * (x * z - s * y), 2.0 * (y * z + s * x)
        error = np.array([way[0] - pose[0], self._height - pose[2], -n_y, n_x])
        rate = -rates[LEVEL]
        rate[0] += way[1]
        w = np.array([self.way_frequency] + [self.frequency] * 3)
        result: Floats = w * w * error + 2.0 * w * rate
        return result

    def loads(self, time: float) -> WalkLoads:
        """Return efforts and forces on the feet for the walk at a time (s)."""
        return self._loads_at(time)[0]

    def _loads_at(self, time: float) -> tuple[WalkLoads, Floats]:
        """Return the loads, and the efforts (4, a) per unit of acceleration of the base."""
        model, index = self.model, self.model.actuator_index
        position, velocity, acceleration = self.walk.whole(time)
        state = model.compute(position, velocity, acceleration)
        needed = state.generalized_force
        share = self.walk.stance_shares(time)
        standing = np.flatnonzero(share > 0.0)
        feet = self.walk.legs.foot_names
        lowest = np.array([0.0, 0.0, -self.walk.foot_radius])
        points, jacobians = [], []
        for k in standing.tolist():
            p_world_foot, R_world_foot = state.frame(feet[k])
            jacobian = model.jacobian(position, feet[k], R_world_foot.T @ lowest)
            points.append(p_world_foot + lowest)
            jacobians.append(jacobian[:3, index])
        base = state.frame(model.frame_names[model.layout.base_body])
        asked = np.column_stack((needed[self._base], self._inertia))
        force = _foot_forces(np.array(points), share[standing], base, asked)
        efforts = -np.einsum("kia,kij->ja", np.array(jacobians), force)
        effort = needed[index] + efforts[0]
        if self._has_friction:
            effort += model.friction_effort(velocity, position)
        of_feet = np.zeros((len(feet), 3))
        of_feet[standing] = force[:, :, 0]
        return WalkLoads(effort, of_feet), efforts[1:]

    def _desired(self, time: float) -> tuple[Floats, Floats]:
        """Return position, velocity, effort and efforts per base acceleration, (7, a); and (2,).

        The latter are position and velocity of the base along x.
        """
        place = min(max(time / PERIOD, 0.0), float(self._last))
        k = min(int(place), self._last - 1)
        before, after = self._row(k), self._row(k + 1)
        result: Floats = before + (place - k) * (after - before)
        return result[:-2].reshape(-1, len(self._in_position)), result[-2:]

    def _row(self, k: int) -> Floats:
        row = self._rows.get(k)
        if row is None:
            time = k * PERIOD
            position, velocity, _ = self.walk.whole(time)
            index = self.model.actuator_index
            loads, level = self._loads_at(time)
            of_joints = (position[self._in_position], velocity[index], loads.effort, *level)
            way = [position[self._pose[0]], velocity[self._base[0]]]
            row = np.concatenate((*of_joints, way))
            self._rows[k] = row
        return row


def _foot_forces(
    points: Floats, share: Floats, base: tuple[Floats, Floats], needed: Floats
) -> Floats:
    """Return the forces (k, 3, n) at points (k, 3) that result in the load of the base, (6, n).

    `needed` is the load in the axes of the base and about its origin, `base` its position and
    rotation.
    """
    columns = np.broadcast_to(points, (needed.shape[1], *points.shape))
    shares = np.broadcast_to(share, columns.shape[:2])
    matrix, asked = base_balance(columns, shares, base, needed.T)
    return spread(matrix[0], asked.T, share, REGULARISATION)


def _require_driven(model: Model, of_base: int) -> None:
    """Refuse a robot with joints without actuators, except for those of its base."""
    free = len(model.velocity_names) - len(model.actuator_names) - of_base
    if free:
        raise UnsupportedError(
            f"leg drive: expected a robot whose joints all have an actuator, got '{model.name}' "
            f"with {free} without"
        )
