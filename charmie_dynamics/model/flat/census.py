# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""How many rigid bodies and joints a robot has."""

from __future__ import annotations

from dataclasses import dataclass

from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.robot import RobotTree


@dataclass(frozen=True)
class Census:
    """Numbers of rigid bodies and joints of a robot, including auxiliary bodies and their joints.

    Planar and floating joints are omitted: they describe where a body may be, but do not hold it.
    """

    rigid_bodies: int
    revolute: int
    prismatic: int
    fixed: int


def take_census(tree: RobotTree, mechanisms: MechanismSet) -> Census:
    """Count bodies and joints as the multibody paper does (section 3.1).

    A link without inertial on a fixed joint is a frame, not a body, and the root is the ground
    unless it has mass. A linear actuator or a spring is two bodies with a revolute pin at either
    end and a prismatic joint between them; each type of mechanism says what it has.
    """
    main = [
        joint
        for joint in tree.joints
        if joint.type != "fixed" or tree.links[joint.child].inertial is not None
    ]
    parts = [part for _, part in mechanisms.parts()]
    turning = sum(joint.type in ("revolute", "continuous") for joint in main)
    sliding = sum(joint.type == "prismatic" for joint in main)
    ground = 0 if tree.links[tree.root].inertial is None else 1
    return Census(
        rigid_bodies=ground + len(main) + sum(len(part.bodies) for part in parts),
        revolute=turning + sum(part.revolute for part in parts),
        prismatic=sliding + sum(part.prismatic for part in parts),
        fixed=sum(joint.type == "fixed" for joint in main),
    )
