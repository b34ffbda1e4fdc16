# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Linear actuators: lengths, moment arms, and the rotors that turn with their rods.

An actuator of length L on the joint with the coordinate q has the moment arm G = dL/dq, the rate
G q' and, with its share s of the joint's effort tau, the force s tau / G. With a rotor of the
reflected mass I along the rod, of the kinetic energy I (G q')^2 / 2, the effort of q has the terms

    I G^2 q'' + I G G' q'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from charmie_dynamics.core.arrays import Tree
from charmie_dynamics.model.flat.flat_robot import FlatRobot

from .bias import SymbolicTerms
from .engines import Engine
from .loops import member
from .tree import PlacedLinks


class ActuatorTerms(NamedTuple):
    """Length of a linear actuator, coordinate of its joint, and dL/dq."""

    length: Any
    coordinate: int
    moment_arm: Any


def actuator_terms(
    tree: Tree, links: PlacedLinks, flat: FlatRobot, engine: Engine, position: Sequence[Any]
) -> list[ActuatorTerms]:
    """Return the terms of all linear actuators, in the order of `FlatRobot.linear_actuator_names`.

    The length is the distance of the pins. That of an actuator across two joints is the position of
    its own rod, which a loop joint connects to the pin.
    """
    rows = flat.mechanisms.actuators
    pins = rows.base_body, rows.p_body_base, rows.tip_body, rows.p_body_tip
    result = []
    for k, ends in enumerate(zip(*pins, strict=True)):
        c = int(flat.tree.coordinate[rows.joint_body[k]])
        if rows.moving_pin_body[k] in (ends[0], ends[2]):
            length, gradient = member(tree, links, engine, position, ends)
            result.append(ActuatorTerms(length, c, gradient[c]))
        else:
            (zero,) = engine.numbers([flat.tree.p_parent_joint[rows.joint_body[k], 0]])
            result.append(ActuatorTerms(zero + position[c], c, engine.number(1)))
    return result


def with_actuator_rotors(
    terms: SymbolicTerms,
    actuators: Sequence[ActuatorTerms],
    flat: FlatRobot,
    engine: Engine,
    position: Sequence[Any],
    velocity: Sequence[Any],
) -> SymbolicTerms:
    """Return the terms of a tree with the rotors of linear actuators."""
    M, C, g = (each.copy() for each in terms)
    rotors = engine.numbers(flat.mechanisms.rotors.actuator_rotor)
    for inertia, (_, c, arm) in zip(rotors, actuators, strict=False):  # of the first on each joint
        M[c, c] += inertia * arm * arm
        C[c, c] += inertia * arm * engine.module.sympify(arm).diff(position[c]) * velocity[c]
    return SymbolicTerms(M, C, g)
