# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What each message of a cycle has to say, as ordinary messages of rclpy: the oracle of the bytes.

Written down here once more on purpose, from the interface of `State` and not from the table of
outputs.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import (
    AccelStamped,
    Point,
    PointStamped,
    TransformStamped,
    TwistStamped,
    WrenchStamped,
)
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from charmie_dynamics import Model
from charmie_dynamics.live.measured import Comparison
from charmie_dynamics.live.tracked_points import tracked_points
from charmie_dynamics.model.movable import movable_joints, moving_frames
from charmie_dynamics.model.stability import Support, zero_moment_point
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.rotations import quaternions_from_matrices
from charmie_dynamics.ros.process.parameters import Settings
from charmie_dynamics.visual.shapes.appearance import Appearance
from charmie_dynamics.visual.shapes.shape import Shape

MARKER_TYPES = {
    "box": Marker.CUBE,
    "cylinder": Marker.CYLINDER,
    "sphere": Marker.SPHERE,
    "line_strip": Marker.LINE_STRIP,
    "arrow": Marker.ARROW,
    "mesh": Marker.MESH_RESOURCE,
    "text": Marker.TEXT_VIEW_FACING,
}


def time_of(stamp: int) -> Time:
    seconds, nanoseconds = divmod(stamp, 10**9)
    return Time(sec=seconds, nanosec=nanoseconds)


def block_of_step(
    model: Model, settings: Settings, state: State, settling: float = 0.0
) -> np.ndarray:
    """Return the block that a step leaves: a state, what the estimator adds, tracked points."""
    points = tracked_points(model, settings.tracked_points)
    moved = [state.motion_numbers(point.frame, point.point) for point in points]
    return np.concatenate([state.block, [settling], *moved])


def after_step(model: Model, settings: Settings, state: State) -> State:
    """Return a state with the block that a step leaves."""
    block = block_of_step(model, settings, state)
    return State(model.layout, block, state.dynamics is not None)


def joint_state(names: Sequence[str], frame: str, stamp: int, **values: Any) -> JointState:
    message = JointState(name=list(names))
    message.header.frame_id, message.header.stamp = frame, time_of(stamp)
    for field, numbers in values.items():
        setattr(message, field, array("d", np.asarray(numbers).tolist()))
    return message


def transforms(
    model: Model, settings: Settings, stamp: int, frames: Any, p: Any, R: Any
) -> TFMessage:
    quaternions = np.empty((len(frames), 4))
    quaternions_from_matrices(np.ascontiguousarray(R), quaternions)
    result = TFMessage()
    for i, place, quaternion in zip(frames, p.tolist(), quaternions.tolist(), strict=True):
        each = TransformStamped(child_frame_id=settings.frame_prefix + model.frame_names[i])
        parent = model.flat.frame_parents[i] or settings.world_frame
        each.header.frame_id, each.header.stamp = settings.frame_prefix + parent, time_of(stamp)
        t, q = each.transform.translation, each.transform.rotation
        t.x, t.y, t.z = place
        q.x, q.y, q.z, q.w = quaternion
        result.transforms.append(each)
    return result


def of_a_cycle(
    model: Model, settings: Settings, state: State, stamp: int, settling: float = 0.0
) -> dict[str, Any]:
    """Return the message on each topic of a cycle, in the order of publication."""
    world = settings.frame_prefix + settings.world_frame
    base = settings.frame_prefix + model.frame_names[model.layout.base_body]
    joints, kinematics, dynamics = movable_joints(model), state.kinematics, state.dynamics
    result: dict[str, Any] = {}
    springs: dict[str, Any] = {"position": kinematics.spring_length}
    resolved: dict[str, Any] = {
        "position": joints.multiplier * state.joint_position[joints.leader] + joints.offset,
        "velocity": joints.multiplier * state.joint_velocity[joints.leader],
    }
    if dynamics is not None:
        efforts = {"velocity": state.velocity, "effort": state.actuator_effort}
        result["actuator_efforts"] = joint_state(
            model.actuator_names, world, stamp, position=state.position, **efforts
        )
        springs["effort"] = dynamics.spring_tension
        resolved["effort"] = joints.bears * state.generalized_force[joints.leader]
    if settings.publish_tf:
        frames = moving_frames(model)
        p, R = kinematics.p_parent_frame[frames], kinematics.R_parent_frame[frames]
        result["/tf"] = transforms(model, settings, stamp, frames, p, R)
    if dynamics is not None:
        wrench = WrenchStamped()
        wrench.header.frame_id, wrench.header.stamp = base, time_of(stamp)
        force, torque = state.base_wrench
        f, t = wrench.wrench.force, wrench.wrench.torque
        (f.x, f.y, f.z), (t.x, t.y, t.z) = force.tolist(), torque.tolist()
        result["base_wrench"] = wrench
    result["resolved_joint_states"] = joint_state(joints.names, world, stamp, **resolved)
    result["spring_forces"] = joint_state(model.spring_names, world, stamp, **springs)
    result["estimator_settling"] = joint_state(["estimator"], world, stamp, position=[settling])
    support = Support.of(model)
    if dynamics is not None and len(support.polygon):
        point = PointStamped()
        point.header.frame_id, point.header.stamp = base, time_of(stamp)
        found = zero_moment_point(*state.base_wrench, support.height)
        point.point.x, point.point.y, point.point.z = found.tolist()
        result["stability"] = point
    for tracked in tracked_points(model, settings.tracked_points):
        motion = state.motion(tracked.frame, tracked.point)
        twist, accel = TwistStamped(), AccelStamped()
        for message in (twist, accel):
            message.header.frame_id, message.header.stamp = world, time_of(stamp)
        for vectors, linear, angular in (
            (twist.twist, motion.velocity, motion.angular_velocity),
            (accel.accel, motion.acceleration, motion.angular_acceleration),
        ):
            vectors.linear.x, vectors.linear.y, vectors.linear.z = linear.tolist()
            vectors.angular.x, vectors.angular.y, vectors.angular.z = angular.tolist()
        result[f"tracked_points/{tracked.name}/twist"] = twist
        result[f"tracked_points/{tracked.name}/accel"] = accel
    return result


def of_a_comparison(model: Model, settings: Settings, found: Comparison) -> dict[str, Any]:
    """Return the message on each topic of measured efforts."""
    world = settings.frame_prefix + settings.world_frame
    told = {
        "effort_residual": (found.residual, ~np.isnan(found.residual)),
        "external_efforts": (found.external, ~np.isnan(found.residual)),
        "contacts": (found.external, found.contacts),
    }
    return {
        topic: joint_state(
            np.array(model.actuator_names)[named].tolist(), world, found.stamp, effort=values[named]
        )
        for topic, (values, named) in told.items()
    }


def latched(model: Model, settings: Settings, stamp: int) -> dict[str, Any]:
    """Return the message on each latched topic."""
    tree = model.flat.tree
    fixed = np.flatnonzero(tree.coordinate < 0)
    if settings.world_frame == model.tree.root:
        fixed = fixed[1:]
    p, R = tree.p_parent_joint[fixed], tree.R_parent_joint[fixed]
    return {
        "robot_description": String(data=model.tree.urdf),
        "/tf_static": transforms(model, settings, stamp, fixed, p, R),
    }


def markers(
    shapes: Sequence[Shape], prefix: str, lifetime: float, stamp: int, looks: Appearance
) -> MarkerArray:
    """Return the markers of shapes."""
    seconds, nanoseconds = divmod(round(lifetime * 1e9), 10**9)
    points = iter(looks.points.tolist())
    result = MarkerArray()
    for k, shape in enumerate(shapes):
        marker = Marker(ns=shape.namespace, id=shape.id, type=MARKER_TYPES[shape.kind])
        marker.header.frame_id, marker.header.stamp = prefix + shape.frame, time_of(stamp)
        marker.lifetime = Duration(sec=seconds, nanosec=nanoseconds)
        marker.action = Marker.ADD if looks.visible[k] else Marker.DELETE
        place, turn, size, color = (
            marker.pose.position,
            marker.pose.orientation,
            marker.scale,
            marker.color,
        )
        place.x, place.y, place.z = looks.position[k].tolist()
        turn.x, turn.y, turn.z, turn.w = looks.quaternion[k].tolist()
        size.x, size.y, size.z = looks.scale[k].tolist()
        color.r, color.g, color.b, color.a = looks.color[k].astype(np.float32).tolist()
        for _ in () if shape.points is None else shape.points:
            x, y, z = next(points)
            marker.points.append(Point(x=x, y=y, z=z))
        marker.text = looks.texts[k]
        marker.mesh_resource = shape.mesh
        result.markers.append(marker)
    return result
