# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The pose of a robot's base: compute it, and set it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import InputError
from charmie_dynamics.model.description.robot import Joint
from charmie_dynamics.model.equations.point_motion import PointMotion
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats

from .message_buffers import quaternion

# the frame in REP 103 orientation, if the robot has it
BASE_LINK = "base_link"
MOST_ITERATIONS = 50
TOLERANCE = 1e-9  # m, rad, and per s


class BaseMotion(NamedTuple):
    """Positions (p,) and velocities (v,) of all coordinates."""

    position: Floats
    velocity: Floats


def base_frame(model: Model) -> str:
    """Return the frame of the robot's base."""
    if BASE_LINK in model.frame_names:
        return BASE_LINK
    base = model.layout.base_body
    return model.frame_names[base]


def moving_state(model: Model, position: Floats, velocity: Floats, acceleration: Floats) -> State:
    """Return the state of a motion, kinematics only."""
    if model.mechanisms.loop_joints:
        # a correction of the drift of a simulated loop is not an acceleration that keeps it closed
        position, velocity, acceleration = model.assemble(position, velocity, acceleration)
    return model.kinematics(position, velocity, acceleration)


def base_motion(
    model: Model, position: Floats, velocity: Floats, acceleration: Floats, frame: str = ""
) -> PointMotion:
    """Return the motion of the base, or of another frame, in world axes."""
    state = moving_state(model, position, velocity, acceleration)
    return state.motion(frame or base_frame(model))


def put_base(
    model: Model,
    now: BaseMotion,
    p_world_base: Floats,
    R_world_base: Floats,
    twist: Floats,
    frame: str = "",
) -> BaseMotion:
    """Return the robot with its base at another pose; all other joints keep their positions.

    Parameters
    ----------
    model : Model
    now : BaseMotion
    p_world_base : (3,) array
        m
    R_world_base : (3, 3) array
    twist : (6,) array
        Linear, then angular velocity of the base in world axes (m/s, rad/s).
    frame : str
        Of an entity of a world, which is moved to the pose; empty: the base of a robot alone.

    Raises
    ------
    InputError
        If the base joints cannot reach the pose or the twist; states the difference.
    """
    names = base_joints(model, frame) if frame else model.mechanisms.base_joints
    frame = frame or base_frame(model)
    free = floating_joint(model, frame)
    if free is not None:
        return _put_floating(model, now, (p_world_base, R_world_base, twist), frame, free)
    driven = [name for name in names if name in model.actuator_names]
    entries = [model.position_names.index(name) for name in driven]
    columns = [model.velocity_names.index(name) for name in driven]
    position, velocity = now.position.copy(), now.velocity.copy()
    for _ in range(MOST_ITERATIONS):
        p, R = model.kinematics(position).frame(frame)
        left = np.concatenate((p_world_base - p, _rotation_vector(R_world_base @ R.T)))
        J = model.jacobian(position, frame)[:, columns]
        change = np.linalg.lstsq(J, left, rcond=None)[0]
        position[entries] += change
        if not np.abs(change).max(initial=0.0) > 0.01 * TOLERANCE:
            break
    _require_met("pose", left - J @ change, names)
    rest = velocity.copy()
    rest[columns] = 0.0
    J = model.jacobian(position, frame)
    missing = twist - J @ rest
    velocity[columns] = np.linalg.lstsq(J[:, columns], missing, rcond=None)[0]
    _require_met("twist", twist - J @ velocity, names)
    return BaseMotion(position, velocity)


def base_joints(model: Model, frame: str) -> tuple[str, ...]:
    """Return the base joints of the entity that a frame belongs to."""
    own = frame.partition("/")[0] + "/"
    return tuple(name for name in model.mechanisms.base_joints if name.startswith(own))


def floating_joint(model: Model, frame: str) -> Joint | None:
    """Return the floating joint between the world and a frame, or None."""
    parents = dict(zip(model.frame_names, model.flat.frame_parents, strict=True))
    floating, link = None, frame
    while parents.get(link):
        joint = model.tree.joint_of(link) if link in model.tree.links else None
        if joint is not None and joint.type == "floating":
            floating = joint
        link = parents[link]
    return floating


def _put_floating(
    model: Model,
    now: BaseMotion,
    place: tuple[Floats, Floats, Floats],
    frame: str,
    joint: Joint,
) -> BaseMotion:
    """Set the pose as in `put_base`, by a floating joint."""
    p_world_frame, R_world_frame, twist = place
    state = model.kinematics(now.position)
    p_frame, R_frame = state.frame(frame)
    p_child, R_child = state.frame(joint.child)
    first = model.position_names.index(f"{joint.name}/x")
    p, xyzw = now.position[first : first + 3], now.position[first + 3 : first + 7]
    # the fixed pose of the joint: T_world_joint = T_world_child T_joint_child^-1
    R_world_joint = R_child @ rotation_of(xyzw).T
    p_world_joint = p_child - R_world_joint @ p
    p_frame_child, R_frame_child = R_frame.T @ (p_child - p_frame), R_frame.T @ R_child
    p_world_child = p_world_frame + R_world_frame @ p_frame_child
    R_world_child = R_world_frame @ R_frame_child
    position, velocity = now.position.copy(), now.velocity.copy()
    position[first : first + 3] = R_world_joint.T @ (p_world_child - p_world_joint)
    position[first + 3 : first + 7] = quaternion(R_world_joint.T @ R_world_child)
    # in the axes of the child
    linear = twist[:3] + np.cross(twist[3:], p_world_child - p_world_frame)
    own = f"{joint.name}/"
    first = next(k for k, name in enumerate(model.velocity_names) if name.startswith(own))
    velocity[first : first + 3] = R_world_child.T @ linear
    velocity[first + 3 : first + 6] = R_world_child.T @ twist[3:]
    return BaseMotion(position, velocity)


def rotation_of(xyzw: Floats) -> Floats:
    """Return the rotation matrix of a unit quaternion."""
    x, y, z, w = xyzw
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def _require_met(what: str, left: Floats, names: tuple[str, ...]) -> None:
    if not np.abs(left).max() <= TOLERANCE:
        linear, angular = np.linalg.norm(left[:3]), np.linalg.norm(left[3:])
        joints = ", ".join(names) if names else "none"
        raise InputError(
            f"{what} of the base: expected one that its joints ({joints}) can reach; the remaining "
            f"error is {linear:.3g} m and {angular:.3g} rad"
            + (" a second" if what == "twist" else "")
        )


def _rotation_vector(R: Floats) -> Floats:
    """Return axis times angle (3,) of a rotation."""
    axial = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine, cosine = float(np.linalg.norm(axial)), 0.5 * (float(np.trace(R)) - 1.0)
    if sine > 1e-9:
        return axial * (math.atan2(sine, cosine) / sine)
    if cosine > 0.0:
        return axial
    # half a turn: the axis is that column of R + 1 which is longest
    columns = R + np.eye(3)
    axis: Floats = columns[:, int(np.linalg.norm(columns, axis=0).argmax())]
    axis = axis * (np.pi / np.linalg.norm(axis))
    return axis
