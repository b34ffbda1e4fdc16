"""Publishers of the dynamics node and the messages they send, made once and filled each cycle."""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import TransformStamped, WrenchStamped
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from ..core.rotations import quaternions_from_matrices
from ..core.vectors import Ints
from ..model.model import Model
from ..model.state import State
from ..scene.robot import body_shapes, moving_shapes
from ..signals.pipeline import Cycle
from . import topics
from .conversions import fill_joint_state, fill_transforms, time_from_stamp
from .markers import marker_from_shape, update_marker
from .parameters import Settings


class Outputs:
    """Everything that the node publishes from a cycle.

    Publishers live as long as the node; `configure` makes the messages anew for other settings or
    another model.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publishers: dict[str, Any] = {
            topic.name: node.create_publisher(topic.type, topic.name, topic.qos)
            for topic in topics.OUTPUTS
        }

    def publish(self, topic: topics.Topic, message: Any) -> None:
        """Publish a message on one of the output topics."""
        self._publishers[topic.name].publish(message)

    def configure(self, model: Model, settings: Settings) -> None:
        """Prepare the messages and publish what does not change with time."""
        self._model = model
        self._settings = settings
        self._marker_due = -1
        tree = model.flat.tree
        prefix = settings.frame_prefix
        names = model.frame_names
        moving = np.arange(len(names)) >= len(tree.parent)
        moving[: len(tree.parent)] = tree.coordinate >= 0
        self._moving = np.flatnonzero(moving)
        self._transforms = self._make_transforms(self._moving)
        self._quaternions = np.empty((len(self._moving), 4))
        self._tf = TFMessage(transforms=self._transforms)

        self._efforts = JointState(name=list(model.actuator_names))
        mimics = [joint for joint in model.tree.joints if joint.mimic is not None]
        self._joints = JointState(name=[*model.joint_names, *(joint.name for joint in mimics)])
        rows = [model.flat.body_names.index(joint.child) for joint in mimics]
        self._leader = tree.coordinate[rows]
        self._multiplier = tree.multiplier[rows]
        self._offset = tree.offset[rows]
        self._springs = JointState(name=list(model.spring_names))
        self._wrench = WrenchStamped()
        base_body = model.mechanisms.base_body or model.tree.root
        self._wrench.header.frame_id = prefix + base_body
        for message in (self._efforts, self._joints, self._springs):
            message.header.frame_id = prefix + settings.world_frame

        self._shown: dict[tuple[str, int], Marker] = {}
        self._body_markers = [marker_from_shape(s, prefix) for s in body_shapes(model)]
        if settings.publish_robot_description:
            self.publish(topics.ROBOT_DESCRIPTION, String(data=model.tree.urdf))
        if settings.publish_tf:
            self._publish_static_transforms()

    def publish_cycle(self, cycle: Cycle) -> None:
        """Publish one cycle: TF first, so that RViz can place the markers, one stamp for all."""
        settings = self._settings
        state = cycle.state
        time = time_from_stamp(cycle.stamp)
        if settings.publish_tf:
            quaternions_from_matrices(
                state.kinematics.R_parent_frame[self._moving], self._quaternions
            )
            p = state.kinematics.p_parent_frame[self._moving]
            fill_transforms(self._transforms, time, p, self._quaternions)
            self.publish(topics.TF, self._tf)
        if state.dynamics is not None:
            fill_joint_state(
                self._efforts, time, state.position, state.velocity, state.actuator_effort
            )
            self.publish(topics.ACTUATOR_EFFORTS, self._efforts)
            self._publish_wrench(state, time)
        self._publish_joints(state, time)
        tensions = None if state.dynamics is None else state.dynamics.spring_tension
        fill_joint_state(self._springs, time, state.kinematics.spring_length, effort=tensions)
        self.publish(topics.SPRING_FORCES, self._springs)
        if settings.publish_markers and self._markers_are_due(cycle.stamp):
            self.publish(topics.MARKERS, self._make_markers(state, time))

    def _publish_joints(self, state: State, time: Any) -> None:
        """Publish all movable joints; a mimic joint's force is in the joint that it follows."""
        leader, multiplier = self._leader, self._multiplier
        position = state.joint_position[leader] * multiplier + self._offset
        velocity = state.joint_velocity[leader] * multiplier
        effort = None
        if state.dynamics is not None:
            effort = np.append(state.generalized_force, np.zeros(len(leader)))
        fill_joint_state(
            self._joints,
            time,
            np.append(state.joint_position, position),
            np.append(state.joint_velocity, velocity),
            effort,
        )
        self.publish(topics.RESOLVED_JOINT_STATES, self._joints)

    def _publish_wrench(self, state: State, time: Any) -> None:
        message = self._wrench
        message.header.stamp = time
        force, torque = (vector.tolist() for vector in state.base_wrench)
        out = message.wrench.force
        out.x, out.y, out.z = force
        out = message.wrench.torque
        out.x, out.y, out.z = torque
        self.publish(topics.BASE_WRENCH, message)

    def _markers_are_due(self, stamp: int) -> bool:
        """Thin out to `marker_rate` on average, whatever the rate of the cycles."""
        if self._settings.marker_rate == 0.0:
            return True
        period = int(1e9 / self._settings.marker_rate)
        if self._marker_due - stamp > period:
            self._marker_due = stamp  # time went backwards
        if stamp < self._marker_due:
            return False
        late = stamp - self._marker_due
        self._marker_due += period if late < period else late + period
        return True

    def _make_markers(self, state: State, time: Any) -> MarkerArray:
        prefix = self._settings.frame_prefix
        shown: dict[tuple[str, int], Marker] = {}
        for shape in moving_shapes(self._model, state):
            key = (shape.namespace, shape.id)
            marker = shown[key] = self._shown.get(key) or Marker()
            update_marker(marker, shape, prefix)
        array = MarkerArray(markers=[*self._body_markers, *shown.values()])
        for namespace, number in self._shown.keys() - shown.keys():
            gone = Marker(ns=namespace, id=number, action=Marker.DELETE)
            gone.header.frame_id = prefix + self._settings.world_frame
            array.markers.append(gone)
        self._shown = shown
        # gone soon after the inputs are
        seconds, nanoseconds = divmod(int(self._settings.input_timeout * 1e9) + 10**9, 10**9)
        for marker in array.markers:
            marker.header.stamp = time
            marker.lifetime.sec = seconds
            marker.lifetime.nanosec = nanoseconds
        return array

    def _publish_static_transforms(self) -> None:
        tree = self._model.flat.tree
        fixed = np.flatnonzero(tree.coordinate < 0)
        transforms = self._make_transforms(fixed)
        quaternions = np.empty((len(fixed), 4))
        quaternions_from_matrices(tree.R_parent_joint[fixed], quaternions)
        now = self._node.get_clock().now().to_msg()
        fill_transforms(transforms, now, tree.p_parent_joint[fixed], quaternions)
        same = self._settings.world_frame == self._model.tree.root
        self.publish(topics.TF_STATIC, TFMessage(transforms=transforms[1 if same else 0 :]))

    def _make_transforms(self, frames: Ints) -> list[TransformStamped]:
        """Return transforms with their frame ids; the root's parent is the world frame."""
        prefix = self._settings.frame_prefix
        transforms = []
        for i in frames:
            transform = TransformStamped()
            parent = self._model.flat.frame_parents[i] or self._settings.world_frame
            transform.header.frame_id = prefix + parent
            transform.child_frame_id = prefix + self._model.frame_names[i]
            transforms.append(transform)
        return transforms
