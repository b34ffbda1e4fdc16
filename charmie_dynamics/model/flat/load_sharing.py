# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Several linear actuators on one joint: lengths, levers, and the limits of all together.

Each bears its share of the effort of the joint: F = share * tau / (dL/dq). The first on a joint is
the actuator; its coordinate is its length L1, and its effort, that of all, does the same work.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.arrays import REVOLUTE
from charmie_dynamics.model.description.robot import Limit
from charmie_dynamics.numerics.vectors import Floats

from .flat_robot import FlatRobot

SAMPLES = 101  # of the range of a joint, in which limits are compared


class Levers(NamedTuple):
    """Lengths (..., b) of linear actuators (m), and dL/dq (..., b) of their joints (m/rad or 1)."""

    length: Floats
    ratio: Floats


class CylinderLoads(NamedTuple):
    """Lengths (m), rates of the lengths (m/s) and forces (N) of linear actuators, (..., b)."""

    length: Floats
    velocity: Floats
    effort: Floats


def levers(flat: FlatRobot, joint_position: Floats) -> Levers:
    """Return the levers of all linear actuators at the positions (..., q) of the coordinates."""
    actuators = flat.mechanisms.actuators
    bodies = actuators.joint_body
    return _levers(flat, slice(None), joint_position[..., flat.tree.coordinate[bodies]])


def _levers(flat: FlatRobot, rows: slice | int, q: Floats) -> Levers:
    actuators = flat.mechanisms.actuators
    hinged = flat.tree.joint_type[actuators.joint_body[rows]] == REVOLUTE
    F, G, along = actuators.F[rows], actuators.G_zero[rows], actuators.along_zero[rows]
    c, s = np.cos(q), np.sin(q)
    x, y = c * G[..., 0] - s * G[..., 1], s * G[..., 0] + c * G[..., 1]
    turned = np.sqrt((x - F[..., 0]) ** 2 + (y - F[..., 1]) ** 2 + along**2)
    length = np.where(hinged, turned, np.hypot(along + q, actuators.across[rows]))
    lever = np.where(hinged, F[..., 0] * y - F[..., 1] * x, along + q)
    return Levers(length, lever / length)


def effort_ratios(flat: FlatRobot, ratio: Floats) -> Floats:
    """Return the force (..., b) of each linear actuator for each unit of its joint's actuator."""
    actuators = flat.mechanisms.actuators
    coordinates = flat.tree.coordinate[actuators.joint_body]
    first = [int(np.flatnonzero(coordinates == c)[0]) for c in coordinates]
    found: Floats = actuators.load_share * ratio[..., first] / ratio
    return found


def shared_cylinders(flat: FlatRobot) -> list[int]:
    """Return the linear actuators that share the load of a joint, the first on each included."""
    bodies = flat.mechanisms.actuators.joint_body.tolist()
    return [k for k, body in enumerate(bodies) if bodies.count(body) > 1]


def cylinder_loads(
    flat: FlatRobot, joint_position: Floats, joint_velocity: Floats, effort: Floats
) -> CylinderLoads:
    """Return the loads of all linear actuators.

    Parameters
    ----------
    flat : FlatRobot
    joint_position, joint_velocity, effort : (..., q) array
        Of the coordinates; the effort is that of their actuators.
    """
    length, ratio = levers(flat, joint_position)
    coordinates = flat.tree.coordinate[flat.mechanisms.actuators.joint_body]
    return CylinderLoads(
        length,
        ratio * joint_velocity[..., coordinates],
        effort_ratios(flat, ratio) * effort[..., coordinates],
    )


def shared_limit(flat: FlatRobot, limits: list[Limit], k: int) -> Limit:
    """Return the limit of linear actuator `k` at which none on its joint exceeds its own.

    Efforts and velocities are compared at `SAMPLES` positions between its length limits, or with
    the joint at zero if it has none. `limits` are those of all linear actuators.
    """
    q, limit = joint_range(flat, limits[k], k), limits[k]
    first = _levers(flat, k, q)
    efforts, velocities = [], []
    for j in companions(flat, k):
        rates = abs(_levers(flat, j, q).ratio / first.ratio)
        share = flat.mechanisms.actuators.load_share[j]
        efforts.append(float(limits[j].effort / share * rates.min()))
        velocities.append(float(limits[j].velocity / rates.max()))
    return replace(limit, effort=min(efforts), velocity=min(velocities))


def companions(flat: FlatRobot, k: int) -> list[int]:
    """Return the linear actuators on the joint of linear actuator `k`, itself included."""
    bodies = flat.mechanisms.actuators.joint_body
    return [int(j) for j in np.flatnonzero(bodies == bodies[k])]


def joint_range(flat: FlatRobot, limit: Limit, k: int) -> Floats:
    """Return positions of the joint of linear actuator `k` between its length limits."""
    if not (limit.lower > 0.0 and math.isfinite(limit.upper)):
        return np.zeros(1)
    first, last = (_position(flat, k, length) for length in (limit.lower, limit.upper))
    if flat.tree.joint_type[flat.mechanisms.actuators.joint_body[k]] == REVOLUTE:
        last = first + math.remainder(last - first, math.tau)  # dead centres are half a turn apart
    return np.linspace(first, last, SAMPLES)


def lengths_in(flat: FlatRobot, limit: Limit, k: int, j: int) -> Floats:
    """Return the lengths of linear actuator `j` between the length limits of `k` on its joint."""
    return _levers(flat, j, joint_range(flat, limit, k)).length


def _position(flat: FlatRobot, k: int, length: float) -> float:
    """Return the position of a joint at the length of its linear actuator."""
    actuators = flat.mechanisms.actuators
    F, G, along = actuators.F[k], actuators.G_zero[k], actuators.along_zero[k]
    branch = float(actuators.branch[k])
    if flat.tree.joint_type[actuators.joint_body[k]] != REVOLUTE:
        square = length**2 - actuators.across[k] ** 2
        return float(branch * math.sqrt(max(square, 0.0)) - along)
    e, radius = math.hypot(*F), math.hypot(*G)
    cosine = (e**2 + radius**2 - length**2 + along**2) / (2.0 * e * radius)
    turn = math.acos(min(max(cosine, -1.0), 1.0))  # between the pins, seen from the hinge
    angle = math.atan2(F[1], F[0]) - branch * turn - math.atan2(G[1], G[0])
    return float(angle)
