# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The recursion as a first reading of the papers gives it: numpy, body by body.

Forward kinematics (multibody paper, eq. 15 to 19) and recursive Newton-Euler inverse dynamics (eq.
28 to 34) of the open tree. It shares no code with the package; tests hold the two equal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from charmie_dynamics import Model

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Body:
    """A link and the joint that connects it to its parent, which has a smaller number.

    The joint's position is multiplier * coordinate + offset; a fixed joint has no coordinate.
    """

    parent: int | None
    kind: str
    axis: Array
    R_parent_joint: Array
    p_parent_joint: Array
    coordinate: int
    multiplier: float
    offset: float
    mass: float
    p_body_com: Array
    inertia: Array


@dataclass(frozen=True)
class Solution:
    """Places of n bodies in the world, (n, 3) and (n, 3, 3), and generalised forces (q,)."""

    p_world_body: Array
    R_world_body: Array
    generalized_force: Array


def read_bodies(model: Model) -> list[Body]:
    """Return the bodies of a model's open tree in the order of its frames."""
    names = model.flat.body_names
    joints = {joint.name: joint for joint in model.tree.joints}
    joint_above = {joint.child: joint for joint in model.tree.joints}
    bodies = []
    for name in names:
        inertial = model.tree.links[name].inertial
        properties = (
            (0.0, np.zeros(3), np.zeros((3, 3)))
            if inertial is None
            else (inertial.mass, inertial.p_link_com, inertial.inertia)
        )
        joint = joint_above.get(name)
        if joint is None:
            nowhere = (np.zeros(3), np.eye(3), np.zeros(3))
            bodies.append(Body(None, "fixed", *nowhere, -1, 0.0, 0.0, *properties))
            continue
        coordinate, multiplier, offset = -1, 1.0, 0.0
        if joint.type != "fixed":
            leader = joint
            while leader.mimic is not None:
                offset += multiplier * leader.mimic.offset
                multiplier *= leader.mimic.multiplier
                leader = joints[leader.mimic.joint]
            coordinate = model.joint_names.index(leader.name)
        place = (joint.axis, joint.R_parent_joint, joint.p_parent_joint)
        parent, kind = names.index(joint.parent), joint.type
        bodies.append(Body(parent, kind, *place, coordinate, multiplier, offset, *properties))
    return bodies


def rotation_about(axis: Array, angle: float) -> Array:
    """Return the rotation matrix (3, 3) of a turn about a unit vector."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    R: Array = np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)
    return R


def inverse_dynamics(
    bodies: list[Body], gravity: Array, q: Array, qd: Array, qdd: Array
) -> Solution:
    """Return where the bodies are and which generalised forces their motion needs.

    Parameters
    ----------
    bodies : list of Body
        n bodies, parents first.
    gravity : (3,) array
        In the world (m/s^2).
    q, qd, qdd : (k,) array
        Coordinates (rad or m) and their time derivatives.
    """
    n = len(bodies)
    R_parent, R_world = np.zeros((2, n, 3, 3))
    p_parent, p_world, w, dw, a, force, torque = np.zeros((7, n, 3))
    for i, body in enumerate(bodies):
        R_parent[i], p_parent[i] = body.R_parent_joint, body.p_parent_joint
        if body.coordinate >= 0:
            position = body.multiplier * q[body.coordinate] + body.offset
            if body.kind == "prismatic":
                p_parent[i] = p_parent[i] + R_parent[i] @ (position * body.axis)
            else:
                R_parent[i] = R_parent[i] @ rotation_about(body.axis, position)  # eq. 18
        if body.parent is None:
            R_world[i], p_world[i] = R_parent[i], p_parent[i]
        else:
            R_world[i] = R_world[body.parent] @ R_parent[i]  # eq. 16
            p_world[i] = p_world[body.parent] + R_world[body.parent] @ p_parent[i]  # eq. 15, 19

    for i, body in enumerate(bodies):
        R_body_parent = R_parent[i].T
        if body.parent is None:
            a[i] = R_body_parent @ -gravity
        else:
            k, r = body.parent, p_parent[i]
            w[i] = R_body_parent @ w[k]  # eq. 29
            dw[i] = R_body_parent @ dw[k]  # eq. 30
            a_joint = a[k] + np.cross(dw[k], r) + np.cross(w[k], np.cross(w[k], r))
            a[i] = R_body_parent @ a_joint  # eq. 31
        if body.coordinate >= 0:
            rate = body.multiplier * qd[body.coordinate] * body.axis  # eq. 28
            change = body.multiplier * qdd[body.coordinate] * body.axis
            if body.kind == "prismatic":
                a[i] += change + 2.0 * np.cross(w[i], rate)
            else:
                dw[i] += change + np.cross(w[i], rate)
                w[i] += rate

    for i, body in enumerate(bodies):
        r = body.p_body_com
        a_com = a[i] + np.cross(dw[i], r) + np.cross(w[i], np.cross(w[i], r))  # eq. 32
        force[i] = body.mass * a_com  # eq. 33
        spin = body.inertia @ dw[i] + np.cross(w[i], body.inertia @ w[i])
        torque[i] = spin + np.cross(r, force[i])  # eq. 34
    generalized_force = np.zeros(len(q))
    for i, body in reversed(list(enumerate(bodies))):
        if body.parent is not None:
            handed_on = R_parent[i] @ force[i]
            force[body.parent] += handed_on
            torque[body.parent] += R_parent[i] @ torque[i] + np.cross(p_parent[i], handed_on)
        if body.coordinate >= 0:
            load = force[i] if body.kind == "prismatic" else torque[i]
            generalized_force[body.coordinate] += body.multiplier * (body.axis @ load)
    return Solution(p_world, R_world, generalized_force)
