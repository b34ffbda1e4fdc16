"""Publishers of the dynamics node and the messages they send, made once and filled each cycle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from rclpy.node import Node
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from charmie_dynamics.live.measured import Comparison, contact_thresholds
from charmie_dynamics.live.pipeline import Cycle
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.rotations import quaternions_from_matrices
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.ros.process.parameters import Settings
from charmie_dynamics.visual.scene.scene import Scene

from . import topics
from .conversions import fill_transforms, time_from_stamp
from .cycle_entries import cycle_entries, make_transforms
from .cycle_messages import CycleMessages, Filler
from .give_way import GiveWay
from .markers import MarkersMessage, MarkersTemplate
from .measured_outputs import MeasuredOutputs
from .messages import Reference, Writer
from .parts import Parts
from .sender import Sender
from .templates import quickest
from .thinning import Thinning

MARKERS_OUTLIVE_INPUTS = 1.0  # s
# Hz of stamps: a robot takes longer to tip over, and at 1 kHz each publication costs 3 % of a core
LARGEST_STABILITY_RATE = 200.0
# Hz of stamps at which it is asked whether anybody wants the markers: to ask takes 5 us, and 60 us
# in a node that has slept
ASKING_RATE = 4.0
# told why something is not made as it was asked for
Report = Callable[[str], None]


class Outputs:
    """Everything that the node publishes from a cycle.

    Publishers live as long as the node; `configure` makes the messages anew for other settings or
    another model.

    Parameters
    ----------
    node : Node
    templates : bool
        False: send ordinary messages, which the serialised templates are measured by.
    events : callable
        Returns the event callbacks of the publisher of a topic.

    Attributes
    ----------
    fallbacks : tuple of str
        Why messages are sent as ordinary ones although templates were asked for.
    """

    def __init__(
        self,
        node: Node,
        *,
        templates: bool = True,
        events: Callable[[topics.Topic], Any] = lambda _: None,
    ) -> None:
        self._node = node
        self._templates = templates
        self.fallbacks: tuple[str, ...] = ()
        self._parts = Parts()
        self._give_way = GiveWay()
        # of what `robot_description` and the static transforms are published; None: of nothing
        self._described: Model | None = None
        self._placed: Any = None
        self._shown: set[_Mark] = set()
        self._shown_stamp = 0
        self._has_viewers = False
        self._publishers: dict[str, Any] = {
            topic.name: node.create_publisher(
                topic.type, topic.name, topic.qos, event_callbacks=events(topic)
            )
            for topic in topics.OUTPUTS
        }
        self._senders = {name: Sender(publisher) for name, publisher in self._publishers.items()}

    def publish(self, topic: topics.Topic, message: Any) -> None:
        """Publish a message, or a template, on one of the output topics."""
        self._senders[topic.name].send(message)

    def close(self) -> None:
        """Let the publishers go; to be called before the node is destroyed."""
        for sender in self._senders.values():
            sender.close()

    def configure(self, model: Model, settings: Settings) -> None:
        """Prepare the messages and publish what does not change with time.

        Only what depends on something that has changed is made anew. If anything is raised,
        everything stays as it was.
        """
        parts = self._parts.copy()
        prefix = settings.frame_prefix
        place = (model, settings.world_frame, prefix)

        cycle_key = (*place, settings.compute_dynamics, settings.publish_tf)
        cycle = parts.get("cycle", cycle_key, partial(self._make_cycle, model, settings))
        options: dict[str, Any] = {
            "style": settings.marker_style,
            "reactions": settings.marker_reactions,
            "labels": settings.marker_labels,
            "legend": settings.marker_legend,
        }
        scene = parts.get("scene", (model, options), lambda _: Scene(model, **options))
        lifetime = settings.input_timeout + MARKERS_OUTLIVE_INPUTS
        make_markers = partial(self._make_markers, scene, prefix, lifetime)
        markers = parts.get("markers", (scene, prefix, lifetime), make_markers)
        make_measured = partial(self._make_measured, model, prefix + settings.world_frame)
        measured = parts.get("measured", place, make_measured)

        if parts.troubles != self.fallbacks:
            self._warn(parts.troubles)
        self.fallbacks = parts.troubles
        self._parts, self._settings = parts, settings
        self._send_cycle, self._messages = cycle
        self._pressing = model.plan.base_load[0].first + 2
        self._scene, (self._markers, self._marks) = scene, markers
        self._measured = measured
        self._marker_thinning = Thinning(settings.marker_rate)
        self._stability_thinning = Thinning(LARGEST_STABILITY_RATE)
        self._asking = Thinning(ASKING_RATE)
        self._delete_markers_except(self._marks if settings.publish_markers else set())
        described = model if settings.publish_robot_description else None
        if described is not None and described is not self._described:
            self.publish(topics.ROBOT_DESCRIPTION, String(data=model.tree.urdf))
        placed = place if settings.publish_tf else None
        if placed is not None and placed != self._placed:
            self._publish_static_transforms(model, settings)
        self._described, self._placed = described, placed

    def _make_cycle(
        self, model: Model, settings: Settings, report: Report
    ) -> tuple[list[tuple[topics.Topic, Callable[[Any], None]]], CycleMessages]:
        entries = cycle_entries(model, settings)
        every = [entry for _, entry in entries]
        messages = CycleMessages(every, model.plan.size, self._templates, report)
        return [(topic, self._senders[topic.name].send) for topic, _ in entries], messages

    def _make_markers(
        self, scene: Scene, prefix: str, lifetime: float, report: Report
    ) -> tuple[Writer, set[_Mark]]:
        ordinary = MarkersMessage(scene.shapes, prefix, lifetime)
        marks = {_mark(marker) for marker in ordinary.message.markers}
        return self._writer(ordinary, MarkersTemplate, report), marks

    def _make_measured(self, model: Model, frame: str, report: Report) -> MeasuredOutputs:
        has_thresholds = bool(np.isfinite(contact_thresholds(model)).any())
        return MeasuredOutputs(
            model.actuator_names, frame, has_thresholds, self.publish, self._templates, report
        )

    def _writer(
        self, ordinary: Reference, template: Callable[[Any], Writer], report: Report
    ) -> Writer:
        return quickest(ordinary, template, report) if self._templates else ordinary

    def _warn(self, troubles: Sequence[str]) -> None:
        if troubles:
            self._node.get_logger().warning(
                "publishing ordinary messages, which takes longer, since serialised templates "
                f"do not hold here: {'; '.join(troubles)}"
            )

    @property
    def filler(self) -> Filler:
        """What fills the messages of a cycle."""
        return self._messages.filler

    def publish_cycle(self, cycle: Cycle) -> None:
        """Publish one cycle whose messages `filler` has filled, one stamp for all.

        Efforts first: controllers wait for them, and may have them before the rest is made. TF
        before the markers, so that RViz can place these.
        """
        settings = self._settings
        stamp, state = cycle.stamp, cycle.state
        block = state.block
        found = self._messages
        messages = found.filled(stamp, block)
        for place, (topic, send) in enumerate(self._send_cycle):
            if topic is topics.STABILITY and not self._is_standing(stamp, block):
                continue
            send(messages[place])
            if place == 0:
                self._give_way()
        if (
            settings.publish_markers
            and self._marker_thinning.picks(stamp)
            and self._are_markers_wanted(stamp)
        ):
            self._give_way()
            self.publish(topics.MARKERS, self._markers.write(stamp, self._scene.update(state)))
            self._shown, self._shown_stamp = self._marks, stamp

    def _is_standing(self, stamp: int, block: Floats) -> bool:
        """Tell whether a cycle says how the robot stands: one of many, while the floor pushes."""
        return self._stability_thinning.picks(stamp) and bool(block[self._pressing] > 0.0)

    def publish_comparison(self, comparison: Comparison) -> None:
        """Publish what a cycle's measured efforts say."""
        self._measured.publish(comparison)

    def _are_markers_wanted(self, stamp: int) -> bool:
        """Tell whether anybody subscribed to the markers when that was asked last.

        Only for them it pays: to publish any other serialised message that nobody receives takes
        6 to 10 us.
        """
        if self._asking.picks(stamp):
            markers = self._publishers[topics.MARKERS.name]
            self._has_viewers = bool(markers.get_subscription_count())
        return self._has_viewers

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

    def _publish_static_transforms(self, model: Model, settings: Settings) -> None:
        tree = model.flat.tree
        fixed = np.flatnonzero(tree.coordinate < 0)
        transforms = make_transforms(model, settings, fixed)
        quaternions = np.empty((len(fixed), 4))
        quaternions_from_matrices(tree.R_parent_joint[fixed], quaternions)
        now = self._node.get_clock().now().to_msg()
        fill_transforms(transforms, now, tree.p_parent_joint[fixed], quaternions)
        same = settings.world_frame == model.tree.root
        self.publish(topics.TF_STATIC, TFMessage(transforms=transforms[1 if same else 0 :]))


# What makes a marker the same: namespace, number, type, frame and mesh. The rest may change.
_Mark = tuple[str, int, int, str, str]


def _mark(marker: Marker) -> _Mark:
    return marker.ns, marker.id, marker.type, marker.header.frame_id, marker.mesh_resource
