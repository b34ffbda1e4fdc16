"""Publishers of the dynamics node and the messages they send, made once and filled each cycle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.node import Node
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from ..core.rotations import quaternions_from_matrices
from ..core.vectors import Floats
from ..model.model import Model
from ..model.stability import Support
from ..scene.scene import Scene
from ..signals.pipeline import Cycle
from . import topics
from .conversions import fill_transforms, time_from_stamp
from .cycle_entries import cycle_entries, make_transforms
from .cycle_messages import CycleMessages
from .markers import MarkersMessage, MarkersTemplate
from .messages import PointMessage, Reference, Writer
from .parameters import Settings
from .templates import PointTemplate, quickest
from .thinning import Thinning

MARKERS_OUTLIVE_INPUTS = 1.0  # s
# Hz of stamps: a robot takes longer to tip over, and at 1 kHz each publication costs 3 % of a core
LARGEST_STABILITY_RATE = 200.0


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
        self._marker_thinning = Thinning(settings.marker_rate)
        self._stability_thinning = Thinning(LARGEST_STABILITY_RATE)
        prefix = settings.frame_prefix
        base_frame = prefix + model.frame_names[model.plan.base_body]
        troubles: list[str] = []

        def writer(ordinary: Reference, template: Callable[[Any], Writer]) -> Writer:
            return quickest(ordinary, template, troubles.append) if self._templates else ordinary

        entries = cycle_entries(model, settings)
        self._cycle_publishers = [self._publishers[topic.name].publish for topic, _ in entries]
        self._messages = CycleMessages(
            [entry for _, entry in entries], model.plan.size, self._templates, troubles.append
        )
        self._point = writer(PointMessage(base_frame), PointTemplate)
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
        stamp, state = cycle
        messages = self._messages.write(stamp, state.block)
        for publish, message in zip(self._cycle_publishers, messages, strict=True):
            publish(message)
        if (
            self._floor is not None
            and state.dynamics is not None
            and self._stability_thinning.picks(stamp)
        ):
            point = _zero_moment_point(*state.base_wrench, self._floor)
            if point is not None:
                self.publish(topics.STABILITY, self._point.write(stamp, *point))
        if (
            settings.publish_markers
            and self._marker_thinning.picks(stamp)
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
        transforms = make_transforms(self._model, self._settings, fixed)
        quaternions = np.empty((len(fixed), 4))
        quaternions_from_matrices(tree.R_parent_joint[fixed], quaternions)
        now = self._node.get_clock().now().to_msg()
        fill_transforms(transforms, now, tree.p_parent_joint[fixed], quaternions)
        same = self._settings.world_frame == self._model.tree.root
        self.publish(topics.TF_STATIC, TFMessage(transforms=transforms[1 if same else 0 :]))


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
