# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Poses and velocities of the bodies of a tree of expressions, and its energies.

Vectors are in the axes of their body, so that the position of a joint that rotates all of them
does not occur in expressions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.core.arrays import FLOATING, REVOLUTE, Tree

from .engines import Engine, Expressions


class Pose(NamedTuple):
    """Of a body in its parent."""

    R_parent_body: Expressions
    p_parent_body: Expressions


class JointFreedom(NamedTuple):
    """A degree of freedom of a body's joint: the velocity for a unit rate of its coordinate.

    In the axes of the body at its origin.
    """

    coordinate: int
    linear: Expressions
    angular: Expressions


class BodyInertia(NamedTuple):
    """Of a body about its origin: m, m c and the inertia there."""

    mass: Any
    first_moment: Expressions
    inertia: Expressions

    def __add__(self, other: object) -> BodyInertia:
        """Return the sum for both bodies, in common axes and about a common origin."""
        if not isinstance(other, BodyInertia):
            return NotImplemented
        return BodyInertia(*(a + b for a, b in zip(tuple(self), tuple(other), strict=True)))


class Twist(NamedTuple):
    """Velocity of a body, in its axes at its origin."""

    linear: Expressions
    angular: Expressions


def dual(a: Expressions) -> Expressions:
    """Return the skew matrix with ``dual(a) @ b`` equal to a x b."""
    x, y, z = a
    return np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]], dtype=object)


def joint_positions(tree: Tree, position: Sequence[Any]) -> list[Any]:
    """Return the position of each body's joint, mimic joints included."""
    joints = zip(tree.coordinate, tree.multiplier, tree.offset, strict=True)
    return [None if c < 0 else m * position[c] + offset for c, m, offset in joints]


def joint_velocities(tree: Tree, velocity: Sequence[Any]) -> list[Any]:
    """Return the velocity of each body's joint."""
    joints = zip(tree.coordinate, tree.multiplier, strict=True)
    return [None if c < 0 else m * velocity[c] for c, m in joints]


def freedoms_of(tree: Tree, engine: Engine, body: int) -> list[JointFreedom]:
    """Return the degrees of freedom of the joint of a body."""
    c = int(tree.coordinate[body])
    none = engine.numbers(np.zeros(3))
    if tree.joint_type[body] == FLOATING:
        axes = engine.numbers(np.eye(3))
        slides = [JointFreedom(c + k, axes[k], none) for k in range(3)]
        return slides + [JointFreedom(c + 3 + k, none, axes[k]) for k in range(3)]
    axis = tree.multiplier[body] * tree.axis[body]
    turns = tree.joint_type[body] == REVOLUTE
    return [JointFreedom(c, *((none, axis) if turns else (axis, none)))]


def poses(tree: Tree, engine: Engine, position: Sequence[Any]) -> list[Pose]:
    """Return the pose of each body in its parent (forward kinematics paper, eq. 4 to 6).

    The positions are those of the coordinates, the vector part of a quaternion in the places of the
    angular velocity, then the scalar parts of the quaternions.
    """
    result = []
    for i, q in enumerate(joint_positions(tree, position)):
        R, p = tree.R_parent_joint[i], tree.p_parent_joint[i]
        if q is None:
            result.append(Pose(R, p))
        elif tree.joint_type[i] == FLOATING:
            place, quaternion = floating_position(tree, i, position)
            result.append(Pose(R @ matrix_of_quaternion(*quaternion), p + R @ place))
        elif tree.joint_type[i] == REVOLUTE:
            sine, cosine = engine.module.sin(q), engine.module.cos(q)
            fixed = R + tree.R_versine[i]
            result.append(Pose(fixed + sine * tree.R_sine[i] - cosine * tree.R_versine[i], p))
        else:
            result.append(Pose(R, p + tree.u_parent_axis[i] * q))
    return result


def floating_position(
    tree: Tree, body: int, position: Sequence[Any]
) -> tuple[Expressions, list[Any]]:
    """Return place (3,) and quaternion (x, y, z, w) of the body behind a floating joint."""
    c = int(tree.coordinate[body])
    coordinates = len(position) - int((tree.joint_type == FLOATING).sum())
    scalar = position[coordinates + int(tree.scalar[body])]
    return np.array(position[c : c + 3], dtype=object), [*position[c + 3 : c + 6], scalar]


def matrix_of_quaternion(x: Any, y: Any, z: Any, w: Any) -> Expressions:
    """Return the rotation matrix of a quaternion of length one."""
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ],
        dtype=object,
    )


def inertials(tree: Tree) -> list[BodyInertia]:
    """Return mass, first moment and inertia about its origin of each body."""
    result = []
    for mass, com, inertia in zip(tree.mass, tree.p_body_com, tree.inertia, strict=True):
        S = dual(com)
        result.append(BodyInertia(mass, mass * com, inertia - mass * (S @ S)))
    return result


def in_parent(inertial: BodyInertia, pose: Pose) -> BodyInertia:
    """Return the inertial of a body in the axes and about the origin of its parent.

    With m, m c and the inertia about the origin, the distance of the origins occurs linearly,
    multiplied by m c, so that there are no squares of sines and cosines to simplify.
    """
    R, p = pose
    turned = R @ inertial.first_moment
    H, P = dual(turned), dual(p)
    inertia = R @ inertial.inertia @ R.T - P @ H - H @ P - inertial.mass * (P @ P)
    return BodyInertia(inertial.mass, turned + inertial.mass * p, inertia)


def twists(tree: Tree, placed: Sequence[Pose], velocity: Sequence[Any]) -> list[Twist]:
    """Return the velocity of each body."""
    rates = joint_velocities(tree, velocity)
    result: list[Twist] = []
    for i, (R, p) in enumerate(placed):
        if tree.parent[i] < 0:
            result.append(Twist(0 * p, 0 * p))
            continue
        v, w = result[tree.parent[i]]
        v, w = R.T @ (v + dual(w) @ p), R.T @ w
        if rates[i] is not None and tree.joint_type[i] == REVOLUTE:
            w = w + tree.axis[i] * rates[i]
        elif rates[i] is not None:
            v = v + tree.axis[i] * rates[i]
        result.append(Twist(v, w))
    return result


def kinetic_energy(engine: Engine, inertial: BodyInertia, twist: Twist) -> Any:
    """Return the kinetic energy of one body."""
    m, h, inertia = inertial
    v, w = twist
    return engine.half() * (m * (v @ v) + w @ (inertia @ w)) + v @ (dual(w) @ h)


def composite_inertials(tree: Tree, placed: Sequence[Pose]) -> list[BodyInertia]:
    """Return the inertial of each body with all of its descendants."""
    result = inertials(tree)
    for i in range(len(result) - 1, 0, -1):
        parent = int(tree.parent[i])
        result[parent] = result[parent] + in_parent(result[i], placed[i])
    return result


def potential_energy(tree: Tree, whole: BodyInertia) -> Any:
    """Return the gravitational potential energy, from the composite inertial of the root."""
    return -(tree.gravity @ whole.first_moment)
