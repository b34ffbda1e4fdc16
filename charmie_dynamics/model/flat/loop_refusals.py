# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Words for what the kernels of loop joints cannot do."""

from __future__ import annotations

from charmie_dynamics.core import arrays
from charmie_dynamics.core.forward.loop_constraints import CLOSED, STILL
from charmie_dynamics.core.inverse.cycle import STATUSES
from charmie_dynamics.core.mechanisms.loop_joints import AXIS, ORIENTATION
from charmie_dynamics.errors import CharmieError, InputError, LoopError, OutOfReachError

from .flat_robot import FlatRobot
from .loop_cycles import ConstraintArrays, Motion, constraints_at

OF_LOOPS = {
    arrays.LOOP_OPEN,
    arrays.LOOP_OPENS,
    arrays.LOOP_OPENS_FASTER,
    arrays.PASSIVE_IS_FREE,
    arrays.PASSIVE_IS_UNBALANCED,
}


def is_of_loops(status: int) -> bool:
    """Return whether a status belongs to the kernels of loop joints."""
    return status % STATUSES in OF_LOOPS


def refusal_of_loop(flat: FlatRobot, status: int, motion: Motion, searched: bool) -> CharmieError:
    """Return the error for the status of a kernel of loop joints.

    Parameters
    ----------
    flat : FlatRobot
    status : int
    motion : three arrays
        Position, velocity and acceleration that it was given, or came to.
    searched : bool
        Whether it looked for a motion that closes the loops, and this is the best.
    """
    k, kind = divmod(status, STATUSES)
    if kind == arrays.PASSIVE_IS_FREE:
        name = flat.velocity_names[k]
        return LoopError(
            name,
            f"passive joint '{name}': expected that the loops determine its motion, but here "
            "they leave it free: it needs an actuator, or the robot is in a singular position, "
            "or too near to one",
        )
    if kind == arrays.PASSIVE_IS_UNBALANCED:
        name = flat.velocity_names[k]
        return LoopError(
            name,
            f"passive joint '{name}': no efforts of the actuators and no forces of the loop joints "
            "make this motion: the robot is in a singular position, or the joint needs an "
            "actuator",
        )
    found = constraints_at(flat, motion)
    joints = flat.mechanisms.by_type.loop_joints
    joint = int(joints.row_joint[k])
    name = flat.mechanism_names["loop_joints"][joint]
    if isinstance(found, int):  # it was possible a moment ago
        return InputError(f"loop joint '{name}': cannot be placed")
    amount, unit, allowed = _opening(found, kind, k, flat)
    if kind == arrays.LOOP_OPEN:
        if searched:
            return OutOfReachError(
                name,
                f"loop joint '{name}' cannot be closed: it stays open by {amount:.3g} {unit} where "
                "the search ends; expected positions of the actuators within its reach, and others "
                "near the closed ones to begin with",
            )
        return OutOfReachError(
            name,
            f"loop joint '{name}' is open by {amount:.3g} {unit}; expected at most {allowed:.1g}: "
            "Model.assemble finds the positions of passive joints that close it",
        )
    subject = "velocity" if kind == arrays.LOOP_OPENS else "acceleration"
    if searched:
        return InputError(
            f"{subject}: loop joint '{name}' opens by {amount:.3g} {unit} with any motion of the "
            f"joints that may move; expected at most {allowed:.1g}. The given values contradict "
            "each other, or the robot is in a singular position: change them, or the position"
        )
    return InputError(
        f"{subject}: it opens loop joint '{name}' by {amount:.3g} {unit}; expected at most "
        f"{allowed:.1g}: Model.assemble finds those of passive joints that keep it closed"
    )


def _opening(
    found: ConstraintArrays, kind: int, row: int, flat: FlatRobot
) -> tuple[float, str, float]:
    """Return by how much a constraint is open, in which unit, and how much is allowed."""
    constraints, v, a = found.constraints, found.velocity, found.acceleration
    D, rate = constraints.jacobian[row], constraints.jacobian_rate[row]
    size = float(constraints.size[row])
    form = flat.mechanisms.by_type.loop_joints.row_form[row]
    unit = "rad" if form in (ORIENTATION, AXIS) else "m"
    speed = abs(v).max(initial=STILL)
    if kind == arrays.LOOP_OPEN:
        return abs(float(constraints.error[row])), unit, CLOSED * size
    if kind == arrays.LOOP_OPENS:
        return abs(float(D @ v)), f"{unit}/s", CLOSED * size * speed
    change = max(abs(a).max(initial=STILL), speed**2)
    return abs(float(D @ a + rate @ v)), f"{unit}/s^2", CLOSED * size * change
