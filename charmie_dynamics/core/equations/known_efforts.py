# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Efforts that hold known loads in balance: those of mechanisms, and those from outside."""

from __future__ import annotations

from typing import Any

from charmie_dynamics.core.arrays import Tree
from charmie_dynamics.core.inverse.loops import apply_known_loads
from charmie_dynamics.core.inverse.newton_euler import project_on_coordinates, propagate_load
from charmie_dynamics.core.inverse.records import CycleRecord, Robot
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats, store


@compiled
def write_known_efforts(
    robot: Robot, cycle: CycleRecord, spring_effort: Floats, external_effort: Floats
) -> None:
    """Write the efforts of mechanisms and of loads from outside, in coordinates of the joints."""
    for c in range(spring_effort.shape[0]):
        spring_effort[c] = 0.0
        external_effort[c] = 0.0
    if robot.mechanisms.is_loaded[0] != 0:
        write_spring_efforts(robot, cycle, spring_effort)
    if any_external(robot.tree):
        write_external_efforts(robot.tree, cycle, external_effort)


@compiled
def write_spring_efforts(robot: Robot, cycle: CycleRecord, effort: Floats) -> None:
    """Write the efforts (q,) of the joints that hold springs and balance mechanisms.

    Parameters
    ----------
    robot : Robot
    cycle : CycleRecord
        After step 5; the tensions of springs and what step 7 writes of mechanisms' loads are
        written.
    effort : (q,) array
        Output, in the coordinates of the joints (N or N m).
    """
    tree = robot.tree
    out = cycle.dynamics
    apply_known_loads(robot, cycle)
    for k in range(tree.parent.shape[0] - 1, 0, -1):
        if robot.mechanisms.is_loaded[k] != 0:
            hand_on(tree, k, cycle, out.load_force, out.load_torque)
    R_parent_body = cycle.kinematics.R_parent_frame
    project_on_coordinates(tree, R_parent_body, out.load_force, out.load_torque, effort)
    turn_round(effort)


@compiled
def write_external_efforts(tree: Tree, cycle: CycleRecord, effort: Floats) -> None:
    """Write the efforts (q,) of the joints that hold loads from outside; as the above."""
    out = cycle.dynamics
    for i in range(tree.parent.shape[0]):
        store(out.load_force[i], tree.external_force[i])
        store(out.load_torque[i], tree.external_torque[i])
    for k in range(tree.parent.shape[0] - 1, 0, -1):
        hand_on(tree, k, cycle, out.load_force, out.load_torque)
    R_parent_body = cycle.kinematics.R_parent_frame
    project_on_coordinates(tree, R_parent_body, out.load_force, out.load_torque, effort)
    turn_round(effort)


@compiled
def hand_on(tree: Tree, k: int, cycle: CycleRecord, force: Floats, torque: Floats) -> None:
    """Add the load of body `k` to that of its parent."""
    kinematics = cycle.kinematics
    propagate_load(
        tree.parent[k], k, kinematics.R_parent_frame, kinematics.p_parent_frame, force, torque
    )


@compiled
def turn_round(effort: Any) -> None:
    """Change the sign: the efforts that balance a load are opposite to it."""
    for c in range(effort.shape[0]):
        effort[c] = -effort[c]


@compiled
def any_external(tree: Tree) -> bool:
    """Return whether any external load is nonzero."""
    for i in range(tree.parent.shape[0]):
        for k in range(3):
            if tree.external_force[i, k] != 0.0 or tree.external_torque[i, k] != 0.0:
                return True
    return False
