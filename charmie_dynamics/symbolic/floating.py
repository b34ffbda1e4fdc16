# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Floating joints, whose velocities are not the rates of their positions.

The velocities are linear and angular in the axes of the body, v and w. The positions change by

    x' = R v,   (q, s)' = (s w + q x w, -q . w) / 2

with the orientation R of the body in the axes of the joint and the quaternion (q, s). Derivatives
along a velocity of length one replace partial derivatives. They do not commute: the commutator of
two of them is the derivative along [v, w] = A w, with A = [w]x for linear and angular parts and
[v]x from angular to linear. So the Coriolis matrix with d/dt M - 2 C skew has the additional terms

    (M A - (M A)^T + K) / 2,   K_ij = (M v) . [i, j]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from charmie_dynamics.core.arrays import FLOATING, Tree

from .engines import Engine, Expressions
from .kinematics import dual, floating_position, matrix_of_quaternion


def rate_matrix(tree: Tree, engine: Engine, position: Sequence[Any]) -> Expressions:
    """Return S (p, v) with the rates of the positions S v."""
    floating = np.flatnonzero(tree.joint_type == FLOATING)
    coordinates = len(position) - len(floating)
    S = engine.numbers(np.eye(len(position), coordinates))
    for i in floating.tolist():
        c = int(tree.coordinate[i])
        _, (x, y, z, w) = floating_position(tree, i, position)
        S[c : c + 3, c : c + 3] = matrix_of_quaternion(x, y, z, w)
        q = np.array([x, y, z], dtype=object)
        one = engine.numbers(np.eye(3))
        S[c + 3 : c + 6, c + 3 : c + 6] = engine.half() * (w * one + dual(q))
        S[coordinates + int(tree.scalar[i]), c + 3 : c + 6] = -engine.half() * q
    return S


def position_rates(
    tree: Tree, engine: Engine, position: Sequence[Any], velocity: Sequence[Any]
) -> Expressions:
    """Return the rates of the positions."""
    return np.asarray(rate_matrix(tree, engine, position) @ np.array(velocity, dtype=object))


def commutators(tree: Tree, engine: Engine, velocity: Sequence[Any]) -> Expressions:
    """Return A (v, v): A e is the commutator of the velocity and e."""
    n = len(velocity)
    A = np.full((n, n), engine.number(0), dtype=object)
    for i in np.flatnonzero(tree.joint_type == FLOATING):
        c = int(tree.coordinate[i])
        v, w = (dual(np.array(velocity[k : k + 3], dtype=object)) for k in (c, c + 3))
        A[c : c + 3, c : c + 3] = A[c + 3 : c + 6, c + 3 : c + 6] = w
        A[c : c + 3, c + 3 : c + 6] = v
    return A


def momentum_commutators(tree: Tree, engine: Engine, momentum: Expressions) -> Expressions:
    """Return K (v, v): momentum times the commutator of each two coordinates."""
    n = len(momentum)
    K = np.full((n, n), engine.number(0), dtype=object)
    for i in np.flatnonzero(tree.joint_type == FLOATING):
        c = int(tree.coordinate[i])
        linear, angular = (-dual(momentum[k : k + 3]) for k in (c, c + 3))
        K[c : c + 3, c + 3 : c + 6] = K[c + 3 : c + 6, c : c + 3] = linear
        K[c + 3 : c + 6, c + 3 : c + 6] = angular
    return K
