# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Coordinates that no sample contains: passive joints and floating joints.

The loops determine the passive joints; this module chooses their start position. Floating joints
stay in the zero position unless a sample contains them.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.errors import CharmieError, LoopError, OutOfReachError
from charmie_dynamics.model.description.mechanisms.added_joints import relation_sliders
from charmie_dynamics.model.flat.loop_following import FollowedMotion, given_coordinates, is_passive
from charmie_dynamics.model.flat.prepared_robot import PreparedRobot
from charmie_dynamics.model.loop_checks import check_loops
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

MOST_NAMES = 3  # of passive joints in a notice


def is_followed(model: Model) -> bool:
    """Return whether the robot has loops or coordinates that no sample contains."""
    return model.flat.sizes.r > 0 or not bool(given_coordinates(model.flat).all())


def floating_joints(model: Model) -> list[str]:
    """Return the names of the floating joints whose motion is not known: those in no loop."""
    flat = model.flat
    held = (flat.freedoms.floating_body >= 0) & ~given_coordinates(flat) & ~is_passive(flat)
    return list(dict.fromkeys(flat.joint_names[c].rpartition("/")[0] for c in np.flatnonzero(held)))


def idle_joints(model: Model) -> tuple[str, ...]:
    """Return the passive coordinates in idle motions at the start; see `LoopConstraints.idle`.

    Empty if the loops do not close at the start.
    """
    if not model.flat.sizes.r:
        return ()
    return model.robot.cache[_idle_at_start]


def _idle_at_start(robot: PreparedRobot) -> tuple[str, ...]:
    model = Model.of(robot)
    try:
        return model.constraints(start_position(model)).idle
    except (OutOfReachError, LoopError):
        return ()


def idle_lines(model: Model) -> list[str]:
    """Return notices of idle motions, and of springs on them; empty without any."""
    names = idle_joints(model)
    if not names:
        return []
    return [
        f"passive joints {', '.join(names)}: an internal degree of freedom, such as the spin of a "
        "rod between two ball joints, moves nothing else and keeps its value; to determine it, "
        "leave out one of these joints or change the type of a loop joint",
        *check_loops(model.robot),
    ]


def assembly_lines(model: Model, measured: Collection[str] | None = None) -> list[str]:
    """Return a notice if neither measurements nor the rest pose define the assembly of loops.

    Parameters
    ----------
    model : Model
    measured : collection of str, optional
        Joints and actuators of the samples; not yet known if omitted.
    """
    names = np.array(model.velocity_names)[is_passive(model.flat)].tolist()
    known = {*(measured or ()), *model.mechanisms.rest_pose}
    # relations are linear, so that they determine their joints
    if all(relation_sliders(model.tree, loop) for loop in model.mechanisms.loop_joints):
        return []
    if not names or not known.isdisjoint(names) or (measured is not None and not measured):
        return []
    reason = "no passive joint is measured and rest_pose names none, so that"
    if measured is None:
        reason = "rest_pose names no passive joint; unless one is measured,"
    return [
        f"assembly of the loops: {reason} the one next to the zero position is assumed; in another "
        "one the efforts differ. Measure a passive joint, or name one in rest_pose: "
        f"{', '.join(names[:MOST_NAMES])}"
    ]


def followed_motion(model: Model) -> FollowedMotion | None:
    """Return the solver for coordinates that are not measured; None if all are measured."""
    if not is_followed(model):
        return None
    check_loops(model.robot)
    start = start_position(model)
    state = model.kinematics(start)
    idle = model.constraints(start).idle_motions.shape[1] if model.flat.sizes.r else 0
    return FollowedMotion(model.flat, start, state.kinematics.joint_position, idle)


def start_position(model: Model) -> Floats:
    """Return the closed position (p,) from which the passive joints are led.

    A rest pose of the mechanisms file that names passive joints defines how the loops are
    assembled. Else the driven joints are at zero, or, where the loops do not close there, at the
    rest pose, and the passive joints are found from zero.

    Raises
    ------
    OutOfReachError, LoopError
        If the loops close at neither.
    """
    if not model.mechanisms.rest_pose.keys().isdisjoint(model.mechanisms.passive_joints):
        return model.assemble(model.rest_position()).position
    zero = model.zero_position()
    try:
        return model.assemble(zero).position
    except (OutOfReachError, LoopError) as error:
        if not model.mechanisms.rest_pose:
            raise type(error)(
                error.name,
                f"zero position: {error}; expected a rest_pose in the mechanisms file at which the "
                "loops close",
            ) from None
    for name, value in model.mechanisms.rest_pose.items():
        zero[model.position_names.index(name)] = value
    return model.assemble(zero).position


def refusal_of_loops(model: Model, followed: FollowedMotion) -> CharmieError | None:
    """Return why the driven joints of the newest sample have no cycle; None if it is not the loops.

    The loops may close there in several ways. A solution that no path from the start reaches is not
    used, because the configuration of the robot is then unknown.
    """
    if model.flat.sizes.r == 0:
        return None
    arrays = followed.arrays
    passive = followed.is_passive
    nearest = followed.nearest
    position = nearest.copy()
    entries = model.flat.freedoms.position_entry
    position[entries[~passive]] = arrays.position[entries[~passive]]
    entries = entries[passive]
    try:
        motion = model.assemble(position, arrays.velocity, arrays.acceleration)
        model.compute(*motion)
    except CharmieError as error:
        return error
    moved = abs(motion.position - nearest)[entries]
    name = model.position_names[int(entries[int(np.argmax(moved))])]
    loop = model.mechanisms.loop_joints[0].name
    begin = "the last sample or the zero position" if arrays.is_known[0] else "the zero position"
    return OutOfReachError(
        loop,
        f"passive joint '{name}': the loops would close with it {moved.max():.3g} away, but no "
        f"straight path of the driven joints leads there from {begin}: other assemblies of the "
        "loops may exist, and the actual one is unknown",
    )


def closed_motion(
    model: Model, followed: FollowedMotion, given: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats, Floats]:
    """Return a motion completed by the coordinates that no sample contains.

    Parameters
    ----------
    model : Model
        May have other loads than the one that `followed` was made for.
    followed : FollowedMotion
    given : three (v,) arrays
        Position, velocity and acceleration by coordinates; coordinates that no sample contains are
        ignored.

    Returns
    -------
    position, velocity, acceleration : (p,), (v,), (v,) array

    Raises
    ------
    OutOfReachError, LoopError, InputError
        If the loops cannot be closed.
    """
    status = followed.take(model.flat, given, np.empty(model.layout.size))
    if status != REACHED:
        fault = refusal_of_loops(model, followed)
        if fault is not None:
            raise fault
    arrays = followed.arrays
    return arrays.position.copy(), arrays.velocity.copy(), arrays.acceleration.copy()
