# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rigid-body mechanics from the time derivatives of poses alone.

An independent standard for the recursions of the package. A pose is a 4 x 4 matrix; it and its
first two derivatives follow from the joints by the product rule, so that no Coriolis, Euler or
centripetal term is ever written down. A body is a distribution of mass: with its 4 x 4 matrix of
moments J, the integral of r r^T, the kinetic energy is tr(T' J T'^T) / 2, and T'' J T^T holds
force and torque. Torques are about the origin of the world.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.arrays import PRISMATIC, REVOLUTE, Tree


class Poses(NamedTuple):
    """World poses (n, 4, 4) of all bodies and their first two time derivatives."""

    value: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray


def skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def turn(axis: np.ndarray, angle: float) -> np.ndarray:
    K = skew(axis)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def poses(tree: Tree, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> Poses:
    n = len(tree.parent)
    result = Poses(*(np.zeros((n, 4, 4)) for _ in range(3)))
    for i in range(n):
        A, dA, ddA = np.eye(4), np.zeros((4, 4)), np.zeros((4, 4))
        c = tree.coordinate[i]
        if c >= 0:
            x = tree.multiplier[i] * q[c] + tree.offset[i]
            v, a = tree.multiplier[i] * qd[c], tree.multiplier[i] * qdd[c]
            if tree.joint_type[i] == REVOLUTE:
                K, R = skew(tree.axis[i]), turn(tree.axis[i], x)
                A[:3, :3], dA[:3, :3], ddA[:3, :3] = R, v * R @ K, R @ (v * v * K @ K + a * K)
            elif tree.joint_type[i] == PRISMATIC:
                A[:3, 3], dA[:3, 3], ddA[:3, 3] = (s * tree.axis[i] for s in (x, v, a))
        origin = np.eye(4)
        origin[:3, :3], origin[:3, 3] = tree.R_parent_joint[i], tree.p_parent_joint[i]
        A, dA, ddA = origin @ A, origin @ dA, origin @ ddA
        p = tree.parent[i]
        if p >= 0:
            P, dP, ddP = (part[p] for part in result)
            A, dA, ddA = P @ A, dP @ A + P @ dA, ddP @ A + 2.0 * dP @ dA + P @ ddA
        result.value[i], result.rate[i], result.acceleration[i] = A, dA, ddA
    return result


def mass_moments(tree: Tree) -> np.ndarray:
    """Return the integral of r r^T dm (n, 4, 4), r = (x, y, z, 1) in body coordinates."""
    J = np.zeros((len(tree.mass), 4, 4))
    for i, (m, c, inertia) in enumerate(zip(tree.mass, tree.p_body_com, tree.inertia, strict=True)):
        J[i, :3, :3] = 0.5 * np.trace(inertia) * np.eye(3) - inertia + m * np.outer(c, c)
        J[i, :3, 3] = J[i, 3, :3] = m * c
        J[i, 3, 3] = m
    return J


def kinetic_energy(J: np.ndarray, pose_rate: np.ndarray) -> float:
    return 0.5 * float(np.einsum("nij,njk,nik->", pose_rate, J, pose_rate))


def potential_energy(J: np.ndarray, pose: np.ndarray, gravity: np.ndarray) -> float:
    return -float(gravity @ np.einsum("nij,nj->i", pose, J[:, :, 3])[:3])


def inertial_loads(tree: Tree, motion: Poses) -> tuple[np.ndarray, np.ndarray]:
    """Return force and torque (n, 3) that each body needs to move so, its weight taken off."""
    lifted = motion.acceleration.copy()
    lifted[:, :3, 3] -= tree.gravity
    A = np.einsum("nij,njk,nlk->nil", lifted, mass_moments(tree), motion.value)
    torque = np.stack(
        [A[:, 2, 1] - A[:, 1, 2], A[:, 0, 2] - A[:, 2, 0], A[:, 1, 0] - A[:, 0, 1]], axis=1
    )
    return A[:, :3, 3], torque


def generalized_force(tree: Tree, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Return the forces (q,) of the open tree, by the principle of d'Alembert."""
    lifted = poses(tree, q, qd, qdd).acceleration
    lifted[:, :3, 3] -= tree.gravity
    J = mass_moments(tree)
    zero = np.zeros(len(q))
    result = np.empty(len(q))
    for c in range(len(q)):
        virtual = poses(tree, q, np.eye(len(q))[c], zero).rate
        result[c] = np.einsum("nij,njk,nik->", virtual, J, lifted)
    return result
