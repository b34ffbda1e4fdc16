"""Publishers of the dynamics node and the messages they send, made once and filled each cycle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from ..core.rotations import quaternions_from_matrices
from ..core.vectors import Floats, Ints
from ..model.model import Model
from ..model.stability import Support
from ..model.state import State
from ..scene.scene import Scene
from ..signals.pipeline import Cycle
from . import topics
from .conversions import fill_transforms, time_from_stamp
from .markers import MarkersMessage, MarkersTemplate
from .messages import (
    JointStateMessage,
    PointMessage,
    Reference,
    TransformsMessage,
    WrenchMessage,
    Writer,
)
from .parameters import Settings
from .templates import (
    JointStateTemplate,
    PointTemplate,
    TransformsTemplate,
    WrenchTemplate,
    quickest,
)

MARKERS_OUTLIVE_INPUTS = 1.0  # s


class Outputs:
    """Everything that the node publishes from a cycle.

    Publishers live as long as the node; `configure` makes the messages anew for other settings or
    another model.

    Parameters
    ----------
    node : Node
    templates : bool
        False: send ordinary messages, which the serialised templates are measured by.

    Attributes
    ----------
    fallbacks : tuple of str
        Why messages are sent as ordinary ones although templates were asked for.
    """

    def __init__(self, node: Node, *, templates: bool = True) -> None:
        self._node = node
        self._templates = templates
        self.fallbacks: tuple[str, ...] = ()
        self._shown: set[_Mark] = set()
        self._shown_stamp = 0
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
        prefix = settings.frame_prefix
        world = prefix + settings.world_frame
        effort = ("effort",) if settings.compute_dynamics else ()
        troubles: list[str] = []

        def writer(ordinary: Reference, template: Callable[[Any], Writer]) -> Writer:
            return quickest(ordinary, template, troubles.append) if self._templates else ordinary

        def joint_state(names: Sequence[str], *fields: str) -> Writer:
            return writer(JointStateMessage(names, world, (*fields, *effort)), JointStateTemplate)

        self._joint_table = _JointTable(model)
        self._efforts = joint_state(model.actuator_names, "position", "velocity")
        self._joints = joint_state(self._joint_table.names, "position", "velocity")
        self._springs = joint_state(model.spring_names, "position")
        frames = _moving_frames(model)
        transforms = TransformsMessage(self._make_transforms(frames), frames)
        self._tf = writer(transforms, TransformsTemplate)
        base_body = model.mechanisms.base_body or model.tree.root
        self._wrench = writer(WrenchMessage(prefix + base_body), WrenchTemplate)
        self._point = writer(PointMessage(prefix + base_body), PointTemplate)
        support = Support.of(model)
        self._floor = support.height if len(support.polygon) else None
        self._scene = Scene(
            model,
            style=settings.marker_style,
            reactions=settings.marker_reactions,
            labels=settings.marker_labels,
            legend=settings.marker_legend,
        )
        lifetime = settings.input_timeout + MARKERS_OUTLIVE_INPUTS
        markers = MarkersMessage(self._scene.shapes, prefix, lifetime)
        self._markers = writer(markers, MarkersTemplate)
        self._marks = {_mark(marker) for marker in markers.message.markers}
        self._delete_markers_except(self._marks if settings.publish_markers else set())
        self.fallbacks = tuple(troubles)
        if troubles:
            self._node.get_logger().warning(
                "publishing ordinary messages, which takes longer, since serialised templates "
                f"do not hold here: {'; '.join(troubles)}"
            )

        if settings.publish_robot_description:
            self.publish(topics.ROBOT_DESCRIPTION, String(data=model.tree.urdf))
        if settings.publish_tf:
            self._publish_static_transforms()

    def publish_cycle(self, cycle: Cycle) -> None:
        """Publish one cycle, one stamp for all.

        Efforts first: controllers wait for them. TF before the markers, so that RViz can place
        these.
        """
        settings = self._settings
        stamp, state = cycle.stamp, cycle.state
        kinematics, dynamics = state.kinematics, state.dynamics
        tension: tuple[Floats, ...] = ()
        if dynamics is not None:
            efforts = (state.position, state.velocity, dynamics.actuator_effort)
            self.publish(topics.ACTUATOR_EFFORTS, self._efforts.write(stamp, *efforts))
            tension = (dynamics.spring_tension,)
        if settings.publish_tf:
            poses = (kinematics.p_parent_frame, kinematics.R_parent_frame)
            self.publish(topics.TF, self._tf.write(stamp, *poses))
        if dynamics is not None:
            force, torque = state.base_wrench
            self.publish(topics.BASE_WRENCH, self._wrench.write(stamp, force, torque))
            if self._floor is not None:
                point = _zero_moment_point(force, torque, self._floor)
                if point is not None:
                    self.publish(topics.STABILITY, self._point.write(stamp, *point))
        joints = self._joints.write(stamp, *self._joint_table.values(state))
        self.publish(topics.RESOLVED_JOINT_STATES, joints)
        springs = self._springs.write(stamp, kinematics.spring_length, *tension)
        self.publish(topics.SPRING_FORCES, springs)
        if (
            settings.publish_markers
            and self._markers_are_due(stamp)
            and self._has_listeners(topics.MARKERS)
        ):
            self.publish(topics.MARKERS, self._markers.write(stamp, self._scene.update(state)))
            self._shown, self._shown_stamp = self._marks, stamp

    def _has_listeners(self, topic: topics.Topic) -> bool:
        """Tell whether anybody subscribes.

        To ask takes 5 us, to publish a serialised message that nobody receives 6 to 10 us: it
        pays only for what is expensive to make.
        """
        return bool(self._publishers[topic.name].get_subscription_count())

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

    def _delete_markers_except(self, kept: set[_Mark]) -> None:
        """Delete the published markers that are not kept, so that none waits for its lifetime."""
        gone = self._shown - kept
        self._shown = self._shown & kept
        if not gone:
            return
        message = MarkerArray()
        for namespace, number, kind, frame, mesh in sorted(gone):
            marker = Marker(ns=namespace, id=number, type=kind, action=Marker.DELETE)
            marker.header.frame_id = frame
            marker.header.stamp = time_from_stamp(self._shown_stamp)
            marker.mesh_resource = mesh
            message.markers.append(marker)
        self.publish(topics.MARKERS, message)

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


# What makes a marker the same: namespace, number, type, frame and mesh. The rest may change.
_Mark = tuple[str, int, int, str, str]


def _mark(marker: Marker) -> _Mark:
    return marker.ns, marker.id, marker.type, marker.header.frame_id, marker.mesh_resource


def _zero_moment_point(
    force: Floats, torque: Floats, height: float
) -> tuple[float, float, float] | None:
    """Return what `stability.zero_moment_point` does for one load; None where that is NaN.

    With plain floats this takes 0.4 us, with arrays 6.4 us.
    """
    fx, fy, fz = force.tolist()
    tx, ty, _ = torque.tolist()
    if not fz > 0.0:
        return None
    return (height * fx - ty) / fz, (height * fy + tx) / fz, height


def _moving_frames(model: Model) -> Ints:
    """Return the frames that move in their parent, or may: all but links on fixed joints."""
    coordinate = model.flat.tree.coordinate
    moving = np.ones(len(model.frame_names), dtype=bool)
    moving[: len(coordinate)] = coordinate >= 0
    return np.flatnonzero(moving)


class _JointTable:
    """All movable joints of a tree: the independent ones, then those that mimic one of them."""

    def __init__(self, model: Model) -> None:
        mimics = [joint for joint in model.tree.joints if joint.mimic is not None]
        self.names = [*model.joint_names, *(joint.name for joint in mimics)]
        own = len(model.joint_names)
        rows = [model.flat.body_names.index(joint.child) for joint in mimics]
        tree = model.flat.tree
        self._leader = np.concatenate((np.arange(own), tree.coordinate[rows]))
        self._multiplier = np.concatenate((np.ones(own), tree.multiplier[rows]))
        self._offset = np.concatenate((np.zeros(own), tree.offset[rows]))
        self._position, self._velocity, self._effort = np.zeros((3, len(self.names)))
        # the force of a mimic joint is in that of the joint that it follows
        self._independent_effort = self._effort[:own]

    def values(self, state: State) -> tuple[Floats, ...]:
        """Return position, velocity and, if known, generalised force of each joint.

        The arrays are valid until the next call.
        """
        position, velocity = self._position, self._velocity
        state.joint_position.take(self._leader, out=position, mode="clip")
        position *= self._multiplier
        position += self._offset
        state.joint_velocity.take(self._leader, out=velocity, mode="clip")
        velocity *= self._multiplier
        if state.dynamics is None:
            return position, velocity
        self._independent_effort[:] = state.generalized_force
        return position, velocity, self._effort
