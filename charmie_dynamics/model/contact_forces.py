# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inverse dynamics in contact: forces at the feet of a robot that moves freely, and its efforts.

Position, velocity and acceleration say what the contacts do to the coordinates that no actuator
moves, the six of the base above all; `core.contact.force_distribution` shares that out.

With loop joints, generalised forces tau (v,) do the work of efforts u of the actuators along the
motions that the loops allow, the columns of N: N^T S u = N^T tau. `_by_actuators` is the matrix of
u; contact forces and the efforts of the motion are converted by it, with no further change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import Dynamics
from charmie_dynamics.core.contact.force_distribution import (
    Cones,
    Distribution,
    base_balance,
    distribute,
)
from charmie_dynamics.errors import (
    InputError,
    LoopError,
    UnknownNameError,
    UnsupportedError,
    choices,
)
from charmie_dynamics.numerics.vectors import Floats, Ints

from .description.world.robot_contacts import RobotContacts
from .flat.checks import checked, finite_numbers
from .model import Model
from .movable import floating_base
from .state import State

PART = 1024  # states whose Jacobians are there at once
MOST_KEPT = 64  # sets of points that touch, whose computation is kept
DEPENDENT = 1e-8  # of the length of a motion that the loops allow: smaller parts count as zero
UNBORNE = 1e-7  # m; generalised force that no actuator bears, by the largest contact force
FLATTEST = 1e-9  # of a wheel's axle along the floor: below it there is no such direction


@dataclass(frozen=True)
class ContactPoint:
    """Where a robot may touch: a point of a link, or the nearest point of a ball about it.

    Parameters
    ----------
    link : str
    friction : float
        Coefficient of friction, at least 0. A wheel with rollers, which the mechanisms file names,
        has friction along the axis of the roller at the floor alone.
    point : (3,) sequence of float
        In the link's frame (m).
    radius : float
        Of the ball (m); 0: the point itself.
    normal : (3,) sequence of float
        Of the floor, towards the robot, in world axes; its length does not count.
    name : str, optional
        In tables; that of the link if omitted.

    Raises
    ------
    InputError
        If a value is negative, not finite, or the normal has no direction.

    Examples
    --------
    >>> from charmie_dynamics.model.contact_forces import ContactPoint
    >>> ContactPoint("leg_1_foot", friction=0.6, radius=0.018).name
    'leg_1_foot'
    """

    link: str
    friction: float
    point: Sequence[float] = (0.0, 0.0, 0.0)
    radius: float = 0.0
    normal: Sequence[float] = (0.0, 0.0, 1.0)
    name: str = ""

    def __post_init__(self) -> None:
        """Check the values."""
        subject = f"contact of '{self.link}'"
        for name in ("friction", "radius"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise InputError(
                    f"{subject}: {name}: expected a finite number of at least 0, got {value}"
                )
        point = finite_numbers(f"{subject}: point", self.point, (3,))
        normal = finite_numbers(f"{subject}: normal", self.normal, (3,))
        length = float(np.linalg.norm(normal))
        if not length > 0.0:
            raise InputError(f"{subject}: normal: expected a direction, got {normal.tolist()}")
        object.__setattr__(self, "point", tuple(point.tolist()))
        object.__setattr__(self, "normal", tuple((normal / length).tolist()))
        object.__setattr__(self, "name", self.name or self.link)


class ContactLoads(NamedTuple):
    """What a motion in contact needs; of a batch, each array has a leading axis of N samples.

    Attributes
    ----------
    point : (k, 3) array
        Of each contact in the world (m).
    force : (k, 3) array
        On the robot, world axes (N); zero where it does not touch.
    normal_force : (k,) array
        N.
    cone_use : (k,) array
        Friction by the largest that the normal force allows, from 0 to 1; 0 without friction or
        force.
    missing_force, missing_torque : (3,) array
        What the base needs besides, world axes, the torque about its origin (N, N m). It is zero
        where the contacts can move the robot so.
    missing_effort : (m,) array
        What the joints without effort need besides (N m, N).
    effort : (a,) array
        Of the actuators (N m, N), with these forces.
    """

    point: Floats
    force: Floats
    normal_force: Floats
    cone_use: Floats
    missing_force: Floats
    missing_torque: Floats
    missing_effort: Floats
    effort: Floats


class _Required(NamedTuple):
    """Positions of n states, and what they require of k contacts; world axes.

    `effort` (n, v) is that without contacts, `roller_axles` (n, w, 3) are those of `_wheels`.
    """

    position: Floats
    points: Floats
    share: Floats
    p_world_base: Floats
    R_world_base: Floats
    effort: Floats
    roller_axles: Floats


class ContactForces:
    """The forces at the contacts of a robot that moves freely, and its efforts, by its motion.

    Of all forces within their friction cones that make the base accelerate as it does, these are
    those with the least sum of squares. Three feet determine their normal forces on level ground,
    but not their internal forces. Where no such forces exist, the load is the nearest to the
    required load of the base, with moments divided by the distance of the feet; the remainder is
    returned.

    Parameters
    ----------
    model : Model
        With a base body on a floating joint that is in no loop. Its loads count.
    points : sequence of ContactPoint
    passive : sequence of str
        Actuators that have no effort, such as the arms of a suspension and free rollers: the forces
        have to balance them as well.

    Attributes
    ----------
    model : Model
    points : tuple of ContactPoint
    passive : tuple of str

    Raises
    ------
    InputError
        If there is no point, two have one name, or a link does not move with the base.
    UnknownNameError
        If there is no such link or actuator.
    UnsupportedError
        If the base body does not hang on a floating joint, or a loop joint connects it with links
        that do not move with it.

    Examples
    --------
    A hexapod on three of its feet:

    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.model.contact_forces import ContactForces, ContactPoint
    >>> from charmie_dynamics.motions import LeggedWalk
    >>> model = load_model("athena")
    >>> feet = [ContactPoint(f"leg_{k}_foot", 0.6, radius=0.018) for k in (2, 4, 6)]
    >>> position = LeggedWalk(model, "tripod").whole(0.0)[0]
    >>> loads = ContactForces(model, feet).at(position)
    >>> print(loads.normal_force.round(1), loads.cone_use.max().round(2))
    [21.1 21.  21. ] 0.0
    >>> bool(abs(loads.missing_force).max() < 1e-6)
    True
    """

    def __init__(
        self, model: Model, points: Sequence[ContactPoint], *, passive: Sequence[str] = ()
    ) -> None:
        self._base = floating_base(model, "contact forces")
        _require_base_in_no_loop(model, self._base.link)
        if not points:
            raise InputError("contact forces: expected at least one point, got none")
        for point in points:
            if point.link not in model.tree.links:
                known = choices(point.link, model.tree.links)
                raise UnknownNameError(f"contact: link '{point.link}' is unknown{known}")
            if self._base.link not in model.tree.path_to_root(point.link):
                raise InputError(
                    f"contact forces: expected links that move with '{self._base.link}', got "
                    f"'{point.link}': forces on it do not act on the base"
                )
        names = [point.name for point in points]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"contact forces: expected a name for each point, got '{twice}' twice")
        for name in passive:
            if name not in model.actuator_names:
                known = choices(name, model.actuator_names)
                raise UnknownNameError(f"contact: passive actuator '{name}' is unknown{known}")
        self.model, self.points, self.passive = model, tuple(points), tuple(passive)
        self._parts: dict[tuple[int, ...], ContactForces] = {}
        self._passive = [model.velocity_names.index(name) for name in passive]
        self._frames = [model.layout.frame_index[point.link] for point in points]
        self._p_link_point = np.array([point.point for point in points])
        self._normal = np.array([point.normal for point in points])
        self._arm = -np.array([point.radius for point in points])[:, None] * self._normal
        self._cross_arm = _cross_matrices(self._arm)
        self._wheels = [
            (k, roller.angle, joint.axis)
            for k, point in enumerate(points)
            for roller in [model.mechanisms.rollers.get(point.link)]
            for joint in [model.tree.joint_of(point.link)]
            if roller is not None and joint is not None
        ]
        self._axes = np.array([axis for _, _, axis in self._wheels])

    @staticmethod
    def of(model: Model, contacts: RobotContacts) -> ContactForces:
        """Return the computation for the contacts of a file or world; errors as above."""
        points = [
            ContactPoint(c.link, c.friction, c.point, c.radius, contacts.normal, c.name)
            for c in contacts.contacts
        ]
        return ContactForces(model, points, passive=contacts.passive)

    def at(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
        *,
        share: npt.ArrayLike | None = None,
    ) -> ContactLoads:
        """Return the loads of one state.

        Parameters
        ----------
        position : (p,) array_like
        velocity, acceleration : (v,) array_like, optional
            Zero if omitted.
        share : (k,) array_like, optional
            Weight of each contact: the sum of f^2 / share is minimal. 0: it does not touch.
            Equal weights if omitted.

        Raises
        ------
        InputError
            For an array of the wrong shape, values that are not finite, or negative shares.

        Examples
        --------
        A robot in flight has no contact forces, and its base needs what it lacks:

        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.contact_forces import ContactForces, ContactPoint
        >>> model = load_model("athena")
        >>> forces = ContactForces(model, [ContactPoint("leg_1_foot", 0.6)])
        >>> loads = forces.at(model.zero_position(), share=[0.0])
        >>> print(loads.missing_force.round(2))  # its weight
        [ 0.    0.   63.06]
        """
        q = checked("position", position, self.model.position_names)
        names = self.model.velocity_names
        rates = [
            np.zeros(len(names)) if given is None else checked(subject, given, names)
            for subject, given in (("velocity", velocity), ("acceleration", acceleration))
        ]
        found = self.of_states(self.model.compute(q, *rates), self._shares(share, 1))
        return ContactLoads(*(array[0] for array in found))

    def of_batch(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
        *,
        share: npt.ArrayLike | None = None,
    ) -> ContactLoads:
        """Return the loads of N states; as `at`, with a leading axis of N.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.contact_forces import ContactForces, ContactPoint
        >>> model = load_model("athena")
        >>> feet = [ContactPoint(f"leg_{k}_foot", 0.6, radius=0.018) for k in range(1, 7)]
        >>> position = np.tile(model.zero_position(), (5, 1))
        >>> ContactForces(model, feet).of_batch(position).force.shape
        (5, 6, 3)
        """
        states = self.model.compute(position, velocity, acceleration)
        return self.of_states(states, self._shares(share, len(states.position)))

    def _shares(self, share: npt.ArrayLike | None, n: int) -> Floats:
        """Return checked shares of n states, (n, k)."""
        if share is None:
            return np.ones((n, len(self.points)))
        shape = (n, len(self.points))
        s = finite_numbers("share", share, shape if np.ndim(share) == 2 else shape[1:])
        if not (s >= 0.0).all():
            raise InputError(f"share: expected numbers of at least 0, got {s.min()}")
        return s.reshape(shape)

    def of_states(self, states: State, share: Floats, points: Floats | None = None) -> ContactLoads:
        """Return the loads of computed states.

        Parameters
        ----------
        states : State
            Of `model.compute`: N states, or one, which counts as N = 1.
        share : (N, k) array
            As for `at`.
        points : (..., k, 3) array, optional
            `points_of` these states.
        """
        points = self.points_of(states) if points is None else points
        n, touch = len(share), np.flatnonzero(share.any(axis=0))
        touch = touch if len(touch) else np.zeros(1, dtype=np.int64)
        if len(touch) < len(self.points):
            part = self._part(tuple(touch.tolist()))
            loads = part.of_states(states, share[:, touch], points[..., touch, :])
            return self._spread(loads, touch, points)
        p_world_base, R_world_base = states.frame(self._base.link)
        required = _Required(
            states.position.reshape(n, -1),
            points.reshape(n, -1, 3),
            share,
            p_world_base.reshape(n, 3),
            R_world_base.reshape(n, 3, 3),
            cast(Dynamics, states.dynamics).actuator_effort.reshape(n, -1),
            self._roller_axles(states, n),
        )
        parts = [slice(first, first + PART) for first in range(0, max(n, 1), PART)]
        found = [self._loads(_Required(*(each[part] for each in required))) for part in parts]
        return ContactLoads(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))

    def _part(self, touch: tuple[int, ...]) -> ContactForces:
        """Return the computation with some of the points; the others bear nothing."""
        if touch not in self._parts:
            if len(self._parts) >= MOST_KEPT:
                self._parts.clear()
            points = [self.points[k] for k in touch]
            self._parts[touch] = ContactForces(self.model, points, passive=self.passive)
        return self._parts[touch]

    def _spread(self, loads: ContactLoads, touch: Ints, points: Floats) -> ContactLoads:
        """Return the loads of some points as those of all points (N, k, 3)."""
        k, points = len(self.points), points.reshape(len(loads.force), -1, 3)

        def spread(values: Floats) -> Floats:
            result = np.zeros((len(values), k, *values.shape[2:]))
            result[:, touch] = values
            return result

        return loads._replace(
            point=points,
            force=spread(loads.force),
            normal_force=spread(loads.normal_force),
            cone_use=spread(loads.cone_use),
        )

    def _loads(self, required: _Required) -> ContactLoads:
        """Return the loads of some states, whose Jacobians there is room for."""
        jacobians = self._jacobians(required.position)
        moved = jacobians[:, :, :3] - self._cross_arm @ jacobians[:, :, 3:]
        if self.model.mechanisms.loop_joints:
            found = [self._by_actuators(position) for position in required.position]
            by_actuators, unborne = (np.stack(each) for each in zip(*found, strict=True))
            idle = np.einsum("nuv,nkiv->nkiu", unborne, moved)
            moved = np.einsum("nuv,nkiv->nkiu", by_actuators, moved)
            effort = np.einsum("nuv,nv->nu", by_actuators, required.effort)
            required = required._replace(effort=effort)
        force = self._distributed(required, moved).force
        if self.model.mechanisms.loop_joints:
            self._require_borne(np.einsum("nkiv,nki->nv", idle, force), force)
        left = required.effort - np.einsum("nkiv,nki->nv", moved, force)
        normal_force = np.einsum("nki,ki->nk", force, self._normal)
        across = np.linalg.norm(force - normal_force[..., None] * self._normal, axis=2)
        most = normal_force * np.array([point.friction for point in self.points])
        of_base = left[:, self._base.velocities]
        return ContactLoads(
            required.points,
            force,
            normal_force,
            np.where(most > 0.0, across / np.where(most > 0.0, most, 1.0), 0.0),
            np.einsum("nij,nj->ni", required.R_world_base, of_base[:, :3]),
            np.einsum("nij,nj->ni", required.R_world_base, of_base[:, 3:]),
            left[:, self._passive],
            left[:, self.model.actuator_index],
        )

    def _by_actuators(self, position: Floats) -> tuple[Floats, Floats]:
        """Return the matrices (v, v) of the efforts for generalised forces, and of the remainder.

        Actuators with effort bear as much as they can, those without (`passive`) bear the rest. The
        remainder has no effort: it accelerates joints without actuator.
        """
        base, passive = self._base.velocities, self._passive
        driven = [k for k in self.model.actuator_index.tolist() if k not in passive]
        motions = self.model.constraints(position).motions
        left = motions @ motions.T  # projection onto the motions
        left[base], left[:, base] = 0.0, 0.0
        efforts = np.zeros_like(left)
        efforts[base, base] = 1.0
        for rows in (driven, passive):
            U, sizes, V = np.linalg.svd(left[:, rows], full_matrices=False)
            rank = int((sizes > DEPENDENT).sum())
            efforts[rows] = V[:rank].T / sizes[:rank] @ (U[:, :rank].T @ left)
            left = left - U[:, :rank] @ (U[:, :rank].T @ left)
        return efforts, left

    def _require_borne(self, unborne: Floats, force: Floats) -> None:
        """Refuse forces (n, k, 3) with a part (n, v) that no actuator bears."""
        is_passive = self.model.flat.mechanisms.by_type.loop_joints.is_passive
        size = np.abs(unborne).max(axis=0, initial=0.0) * is_passive
        if size.max() > UNBORNE * np.abs(force).max(initial=0.0):
            name = self.model.velocity_names[int(size.argmax())]
            raise LoopError(
                name,
                f"passive joint '{name}': expected contact forces that the loops and the actuators "
                "balance, but they accelerate this joint: it needs an actuator, or its links no "
                "contact",
            )

    def _jacobians(self, position: Floats) -> Floats:
        """Return the Jacobians (n, k, 6, v) of the points at positions (n, p)."""
        # a single state has a faster way, without checks of a batch
        is_single = len(position) == 1
        positions = position[0].copy() if is_single else position
        found = [self.model.jacobian(positions, p.link, p.point) for p in self.points]
        return np.stack(found)[None] if is_single else np.stack(found, axis=1)

    def _distributed(self, required: _Required, moved: Floats) -> Distribution:
        share, effort = required.share, required.effort
        base = required.p_world_base, required.R_world_base
        matrix, load = base_balance(required.points, share, base, effort[:, self._base.velocities])
        if self._passive:
            rows = np.moveaxis(moved[..., self._passive], 3, 1)  # (n, m, k, 3)
            scale = np.sqrt(np.einsum("nmki,nmki->nm", rows, rows) / rows.shape[2])
            scale = np.where(scale > 0.0, scale, 1.0)
            matrix = np.concatenate((matrix, rows / scale[..., None, None]), axis=1)
            load = np.concatenate((load, effort[:, self._passive] / scale), axis=1)
        self._along_rollers(required.roller_axles, matrix)
        n, k = share.shape
        friction = np.array([point.friction for point in self.points])
        normal = np.broadcast_to(self._normal, (n, k, 3))
        return distribute(matrix, load, share, Cones(normal, np.broadcast_to(friction, (n, k))))

    def _roller_axles(self, states: State, n: int) -> Floats:
        """Return the axles (n, w, 3) of the wheels with rollers, in world axes."""
        if not self._wheels:
            return np.zeros((n, 0, 3))
        frames = [self._frames[k] for k, _, _ in self._wheels]
        R = states.kinematics.R_world_frame[..., frames, :, :]
        axles: Floats = np.einsum("...wij,wj->...wi", R, self._axes)
        return axles.reshape(n, -1, 3)

    def _along_rollers(self, axles: Floats, matrix: Floats) -> None:
        """Remove from a matrix what forces across the axes of rollers would do."""
        if not self._wheels:
            return
        wheels = [k for k, _, _ in self._wheels]
        angles = np.array([angle for _, angle, _ in self._wheels])[:, None]
        n = self._normal[wheels]
        flat = axles - np.einsum("nwi,wi->nw", axles, n)[..., None] * n
        length = np.linalg.norm(flat, axis=2, keepdims=True)
        flat = flat / np.maximum(length, FLATTEST)
        across = np.einsum("wij,nwj->nwi", _cross_matrices(n), flat)
        axis = np.cos(angles) * flat + np.sin(angles) * across
        kept = n[:, :, None] * n[:, None, :] + axis[..., :, None] * axis[..., None, :]
        matrix[:, :, wheels] = np.einsum("nmwi,nwij->nmwj", matrix[:, :, wheels], kept)

    def points_of(self, states: State) -> Floats:
        """Return where the contacts are in the world at states, (..., k, 3)."""
        if states.position.ndim == 1:  # one operation instead of one for each point
            p, R = states.kinematics.p_world_frame, states.kinematics.R_world_frame
            found: Floats = p[self._frames] + np.einsum(
                "kij,kj->ki", R[self._frames], self._p_link_point
            )
            found += self._arm
            return found
        points = []
        for point, arm in zip(self.points, self._arm, strict=True):
            p_world_link, R_world_link = states.frame(point.link)
            points.append(p_world_link + R_world_link @ np.asarray(point.point) + arm)
        result: Floats = np.stack(points, axis=-2)
        return result

    def on_floor(
        self, states: State, contacts: RobotContacts, *, from_lowest: bool = False
    ) -> ContactLoads:
        """Return the loads where the points touch the floor of a file or world; as `of_states`.

        Parameters
        ----------
        states : State
        contacts : RobotContacts
        from_lowest : bool
            Whether height and speed count from those of the lowest point, for a robot on the floor
            whose height is not known.
        """
        points = self.points_of(states)
        limits = contacts.floor, contacts.height, contacts.speed
        share = self._touching(states, points, *limits, from_lowest=from_lowest)
        return self.of_states(states, share.reshape(-1, len(self.points)), points)

    def touching(
        self, states: State, *, floor: float = 0.0, height: float = 0.0, speed: float = 0.0
    ) -> Floats:
        """Return how far contacts touch at states, (..., k): the `share` of `of_batch`.

        It is 1 on the floor and below, and falls to 0 at a height: so a foot that lands or leaves
        takes its force over bit by bit.

        Parameters
        ----------
        states : State
            Of `model.compute`, with velocities.
        floor : float
            How far the floor is from the world's origin along the normal (m).
        height : float
            Above the floor, at which a point touches no more (m).
        speed : float
            Along the normal, away from the floor, up to which it does (m/s).

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.contact_forces import ContactForces, ContactPoint
        >>> from charmie_dynamics.motions import LeggedWalk
        >>> model = load_model("athena")
        >>> feet = [ContactPoint(f"leg_{k}_foot", 0.6, radius=0.018) for k in range(1, 7)]
        >>> position, velocity, _ = LeggedWalk(model, "tripod").whole(0.5)
        >>> states = model.compute(position[None], velocity[None])
        >>> ContactForces(model, feet).touching(states, height=1e-3, speed=0.01).round(6)
        array([[0., 1., 0., 1., 0., 1.]])
        """
        return self._touching(states, self.points_of(states), floor, height, speed)

    def _touching(
        self,
        states: State,
        points: Floats,
        floor: float,
        height: float,
        speed: float,
        *,
        from_lowest: bool = False,
    ) -> Floats:
        above = np.einsum("...ki,ki->...k", points, self._normal) - floor
        lowest = above.argmin(axis=-1)[..., None]
        if from_lowest:
            above = above - np.take_along_axis(above, lowest, axis=-1)
        # points a little below the height bear little: without any height, those on the floor
        near = 1.0 - above / height if height > 0.0 else (above <= 0.0).astype(np.float64)
        result: Floats = np.clip(near, 0.0, 1.0)
        rates = np.zeros(above.shape)
        near_ones = np.flatnonzero(result.reshape(-1, len(self.points)).any(axis=0)).tolist()
        for k, velocity in zip(near_ones, self._velocities(states, near_ones), strict=True):
            # the arm of a ball is along the normal: turning adds nothing along it
            rates[..., k] = velocity @ self._normal[k]
        if from_lowest:
            rates = rates - np.take_along_axis(rates, lowest, axis=-1)
        result *= rates <= speed
        return result

    def _velocities(self, states: State, rows: Sequence[int]) -> list[Floats]:
        """Return the velocities (..., 3) of some points, each in its link."""
        points, position = [self.points[k] for k in rows], states.position
        if position.ndim > 1:
            return [states.motion(p.link, p.point).velocity for p in points]
        # faster than all of the motion
        position, velocity = position.copy(), states.velocity
        jacobians = [self.model.jacobian(position, p.link, p.point) for p in points]
        return [jacobian[:3] @ velocity for jacobian in jacobians]


def _require_base_in_no_loop(model: Model, base: str) -> None:
    for joint in model.mechanisms.loop_joints:
        is_on_base = [
            base in model.tree.path_to_root(link) for link in (joint.first_body, joint.second_body)
        ]
        if is_on_base[0] != is_on_base[1]:
            raise UnsupportedError(
                f"contact forces: expected loop joints between links that move with '{base}', got "
                f"'{joint.name}', which connects them with the world"
            )


def _cross_matrices(r: Floats) -> Floats:
    """Return the matrices (k, 3, 3) whose products with vectors w are r x w, for r (k, 3)."""
    x, y, z = r.T
    zero = np.zeros_like(x)
    rows = (zero, -z, y), (z, zero, -x), (-y, x, zero)
    result: Floats = np.moveaxis(np.array(rows), 2, 0)
    return result
