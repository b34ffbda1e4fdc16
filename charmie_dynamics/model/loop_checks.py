# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Checks of loops that need a closed position: actuators that the loops hold, springs at rest."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.errors import InputError, LoopError, OutOfReachError
from charmie_dynamics.numerics.vectors import Floats

from .assembly import assemble, project
from .equations.constraints import LoopConstraints, loop_constraints
from .flat.loop_following import Flags, is_passive
from .flat.positions import rest_position
from .flat.prepared_robot import PreparedRobot

ASIDE = 0.1  # rad or m, of the start of the search for another closed position
HELD = 1e-9  # relative to the sizes of the constraints, and of unit motions: smaller is round-off


def check_loops(robot: PreparedRobot) -> list[str]:
    """Check the loops at the closed position next to the rest pose, and return remarks.

    Without loop joints, and if the loops close at no position, there is nothing to check.

    Raises
    ------
    LoopError
        If the loops of an actuator allow no motion at all.
    """
    if not robot.flat.sizes.r:
        return []
    rest = np.zeros(robot.flat.sizes.q)
    for close in (assemble, project):
        try:
            position = close(robot, (rest_position(robot), None, None)).position
            found = loop_constraints(robot, (position, rest, rest))
        except (InputError, LoopError, OutOfReachError):
            continue
        _require_mobility(robot, found, position)
        return _remarks_on_springs(robot, found)
    return []


def _nearby(robot: PreparedRobot, position: Floats) -> LoopConstraints | None:
    """Return the constraints at another closed position, or at the same one if nothing moves."""
    rest = np.zeros(robot.flat.sizes.q)
    moved = position + ASIDE * np.cos(np.arange(len(position)))
    try:
        closed = project(robot, (moved, None, None)).position
        return loop_constraints(robot, (closed, rest, rest))
    except (InputError, LoopError, OutOfReachError):
        return None


def _require_mobility(robot: PreparedRobot, found: LoopConstraints, position: Floats) -> None:
    """Refuse loops of an actuator in which nothing moves.

    At a dead centre the actuator does not move either, but it does at closed positions nearby.
    """
    held = abs(found.motions).max(axis=1, initial=0.0) < HELD
    if not (held & ~is_passive(robot.flat)).any():
        return
    nearby = _nearby(robot, position)
    if nearby is None:
        return
    held &= abs(nearby.motions).max(axis=1, initial=0.0) < HELD
    driven = held & ~is_passive(robot.flat)
    for c in np.flatnonzero(driven):
        own, rows = _linked(abs(found.jacobian) > HELD * found.size[:, None], int(c))
        if not own.any() or not held[own].all():
            continue
        flat, names = robot.flat, robot.flat.velocity_names
        loops = ", ".join(f"'{name}'" for name in dict.fromkeys(np.array(found.rows)[rows]))
        moved = {flat.joint_names[k] for k in np.flatnonzero(own)}
        gears = [
            joint.name
            for joint in robot.tree.joints
            if joint.mimic is not None
            and flat.joint_names[int(flat.tree.coordinate[flat.body_names.index(joint.child)])]
            in moved
        ]
        advice = (
            f"the gear ratios of {', '.join(map(repr, gears))} must agree with the loops, or "
            "another joint must be passive"
            if gears
            else "a joint is missing, or hinges of a planar loop are not parallel: spherical loop "
            "joints need no parallel axes"
        )
        raise LoopError(
            names[c],
            f"actuator '{names[c]}': the loops of {loops} hold it, their mobility is 0; expected "
            f"loops that move: {advice}",
        )


def _linked(is_moved: Flags, first: int) -> tuple[Flags, Flags]:
    """Return the coordinates (v,) that constraints connect to one, and these constraints (r,)."""
    own: Flags = np.zeros(is_moved.shape[1], dtype=bool)
    rows: Flags = is_moved[:, first]
    while is_moved[rows].any(axis=0).sum() > own.sum():
        own = is_moved[rows].any(axis=0)
        rows = is_moved[:, own].any(axis=1)
    return own, rows


def _remarks_on_springs(robot: PreparedRobot, found: LoopConstraints) -> list[str]:
    """Return a remark on each spring of a joint in an idle motion, which has no equilibrium."""
    followed = {spring.joint: spring.name for spring in robot.mechanisms.joint_springs
                if spring.stiffness}  # fmt: skip
    return [
        f"passive joint '{name}': joint spring '{followed[name]}' acts on an idle motion, whose "
        "acceleration needs no effort, so that it does not rest and loads no actuator in compute; "
        "remove the joint from passive_joints, so that its deflection is an input"
        for name in found.idle
        if name in followed
    ]
