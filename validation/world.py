# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What must not depend on where the world frame, or the robot in it, stands."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from charmie_dynamics import Model
from charmie_dynamics.model.description.robot import Joint, RobotTree

from .states import Floats, random_states, relative


def world_frame(model: Model, count: int = 20) -> float:
    """Turn and move the world under the robot, gravity with it; nothing else may change.

    Efforts, loads on all bodies and the base wrench must stay, poses must go along.
    """
    rng = np.random.default_rng(5)
    worst = 0.0
    for state in random_states(model, count, seed=5):
        axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        R_new_old = axes * np.linalg.det(axes)
        p_new_old = rng.uniform(-3.0, 3.0, size=3)
        moved = Model(
            moved_tree(model.tree, R_new_old, p_new_old),
            replace(model.mechanisms, gravity=tuple(R_new_old @ model.mechanisms.gravity)),
        )
        here, there = model.compute(*state), moved.compute(*state)
        assert here.dynamics is not None and there.dynamics is not None
        for name in ("actuator_effort", "generalized_force"):
            one, other = getattr(here, name), getattr(there, name)
            worst = max(worst, relative(other - one, one))
        # that of the root is in its own axes, which have been turned
        for one, other in (
            (here.dynamics.joint_force[1:], there.dynamics.joint_force[1:]),
            (here.dynamics.joint_torque[1:], there.dynamics.joint_torque[1:]),
            *zip(here.base_wrench, there.base_wrench, strict=True),
        ):
            worst = max(worst, relative(other - one, one))
        for name in model.tree.links:
            p, R = here.frame(name)
            p_there, R_there = there.frame(name)
            if name != model.tree.root:
                worst = max(worst, np.abs(p_there - R_new_old @ p - p_new_old).max())
                worst = max(worst, np.abs(R_there - R_new_old @ R).max())
    return worst


def moved_tree(tree: RobotTree, R_new_old: Floats, p_new_old: Floats) -> RobotTree:
    """Return the tree with all joints on its root turned and moved."""

    def joint(old: Joint) -> Joint:
        if old.parent != tree.root:
            return old
        return replace(
            old,
            p_parent_joint=R_new_old @ old.p_parent_joint + p_new_old,
            R_parent_joint=R_new_old @ old.R_parent_joint,
        )

    return replace(tree, joints=tuple(joint(old) for old in tree.joints))


def place_on_the_floor(model: Model, count: int = 20) -> float:
    """Put the robot elsewhere on the floor, turned and gliding steadily; efforts go along.

    The base moves in the axes of the floor, so that its two forces turn with it.
    """
    rng = np.random.default_rng(6)
    x, y, yaw = (model.actuator_names.index(name) for name in model.mechanisms.base_joints)
    worst = 0.0
    for state in random_states(model, count, seed=6):
        angle = rng.uniform(-math.pi, math.pi)
        c, s = math.cos(angle), math.sin(angle)
        turn = np.array([[c, -s], [s, c]])
        moved = [values.copy() for values in state]
        for values in moved:
            values[[x, y]] = turn @ values[[x, y]]
        moved[0][[x, y]] += rng.uniform(-50.0, 50.0, size=2)
        moved[0][yaw] += angle
        moved[1][[x, y]] += rng.uniform(-2.0, 2.0, size=2)
        expected = model.compute(*state).actuator_effort.copy()
        expected[[x, y]] = turn @ expected[[x, y]]
        worst = max(worst, relative(model.compute(*moved).actuator_effort - expected, expected))
    return worst
