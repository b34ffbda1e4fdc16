# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Publishers of the dynamics node and the messages that they send, made once, filled each cycle."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from rclpy.node import Node
from rclpy.publisher import Publisher

from charmie_dynamics.errors import InputError
from charmie_dynamics.live import outputs, topics
from charmie_dynamics.live.cycle_messages import (
    CycleMessage,
    CycleMessages,
    CylinderMessages,
    MeasuredMessages,
)
from charmie_dynamics.live.measured import Comparison
from charmie_dynamics.live.pipeline import Cycle
from charmie_dynamics.live.rate_limiter import RateLimiter
from charmie_dynamics.live.tracked_points import tracked_points
from charmie_dynamics.live.wire.filling import Filler
from charmie_dynamics.live.wire.messages import Marker
from charmie_dynamics.model.model import Model
from charmie_dynamics.ros.process.parameters import Settings
from charmie_dynamics.visual.scene.scene import Scene

from .markers import SceneMarkers, deletion
from .profiles import make_publisher
from .sender import Sender

MARKERS_OUTLIVE_INPUTS = 1.0  # s
# Hz of stamps at which the subscribers of the markers are counted, because counting takes time
ASKING_RATE = 4.0


class Outputs:
    """Everything that the node publishes from a cycle.

    Publishers live as long as the node; `configure` recreates the messages for other settings or
    another model.

    Parameters
    ----------
    node : Node
    events : callable
        Returns the event callbacks of the publisher of a topic.
    """

    def __init__(
        self, node: Node, *, events: Callable[[topics.Topic], Any] = lambda _: None
    ) -> None:
        self._node = node
        # creating these takes long and delays all computation; most changes need none of them
        self._scene_of = lru_cache(1)(Scene)
        self._markers_of = lru_cache(1)(_markers_of)
        self._latched: dict[str, bytes] = {}  # the messages published last, by topic
        self._shown: frozenset[Marker] = frozenset()
        self._shown_stamp = 0
        self._has_viewers = False
        self._events = events
        self._publishers: dict[str, Publisher] = {}
        self._senders: dict[str, Sender] = {}
        self._points: list[str] = []  # topics of tracked points
        self._add(outputs.output_topics())

    def publish(self, topic: topics.Topic, message: Any) -> None:
        """Publish a template, or an ordinary message, on one of the output topics."""
        self._senders[topic.name].send(message)

    def close(self) -> None:
        """Destroy the publishers; call before the node is destroyed."""
        for sender in self._senders.values():
            sender.close()

    def configure(self, model: Model, settings: Settings) -> None:
        """Prepare the messages and publish the constant ones.

        After an exception nothing is changed.
        """
        points = [point.name for point in tracked_points(model, settings.tracked_points)]
        cycle = CycleMessages(model, settings)
        measured = MeasuredMessages(model, settings)
        cylinders = CylinderMessages(model, settings)
        scene = self._scene_of(
            model,
            style=settings.marker_style,
            reactions=settings.marker_reactions,
            labels=settings.marker_labels,
            legend=settings.marker_legend,
        )
        lifetime = settings.input_timeout + MARKERS_OUTLIVE_INPUTS
        markers = self._markers_of(scene, settings.frame_prefix, lifetime)
        latched = [
            (output.topic, output.message(model, settings)) for output in outputs.LATCHED_OUTPUTS
        ]

        self._publish_points(points)
        self._settings = settings
        self._filler = cycle.filler
        self._sending: list[tuple[CycleMessage, Callable[[Any], None]]] = [
            (message, self._senders[message.topic.name].send) for message in cycle.messages
        ]
        self._measured = measured
        self._cylinders = cylinders
        self._scene, self._markers = scene, markers
        self._marker_limiter = RateLimiter(settings.marker_rate)
        self._asking = RateLimiter(ASKING_RATE)
        kept = markers.identities if settings.publish_markers else frozenset()
        self._delete_markers_except(kept)
        for topic, template in latched:
            self._publish_latched(topic, template)

    def _publish_points(self, names: list[str]) -> None:
        """Publish on the topics of these tracked points, and of no others any more.

        Raises
        ------
        InputError
            If the middleware rejects the topic; nothing is changed.
        """
        requested = {topic.name: topic for topic in outputs.point_topics(names)}
        new = [topic for name, topic in requested.items() if name not in self._publishers]
        try:
            self._add(new)
        except Exception as error:  # which one it is depends on the middleware
            self._drop([topic.name for topic in new])
            raise InputError(
                f"tracked_points: topics of {', '.join(names)} cannot be published: {error}"
            ) from None
        self._drop([name for name in self._points if name not in requested])
        self._points = list(requested)

    def _add(self, added: Iterable[topics.Topic]) -> None:
        for topic in added:
            publisher = make_publisher(self._node, topic, event_callbacks=self._events(topic))
            self._publishers[topic.name] = publisher
            self._senders[topic.name] = Sender(publisher)

    def _drop(self, names: Iterable[str]) -> None:
        for name in names:
            if name in self._publishers:
                self._senders.pop(name).close()
                self._node.destroy_publisher(self._publishers.pop(name))

    @property
    def filler(self) -> Filler:
        """Filler of the messages of a cycle."""
        return self._filler

    def publish_cycle(self, cycle: Cycle) -> None:
        """Publish one cycle whose messages `filler` has filled, one stamp for all.

        Efforts are first, because controllers wait for them; TF before the markers, so that RViz
        can place these.
        """
        stamp, block = cycle.stamp, cycle.state.block
        for message, send in self._sending:
            if message.is_due(stamp, block, message.decisive):
                send(message.template)
        if self._cylinders.shared:
            loads = [values[self._cylinders.shared] for values in cycle.state.cylinder_loads]
            self.publish(topics.CYLINDER_EFFORTS, self._cylinders.filled(stamp, loads))
        if (
            self._settings.publish_markers
            and self._marker_limiter.passes(stamp)
            and self._are_markers_received(stamp)
        ):
            appearance = self._scene.update(cycle.state)
            self.publish(topics.MARKERS, self._markers.write(stamp, appearance))
            self._shown, self._shown_stamp = self._markers.identities, stamp

    def publish_comparison(self, comparison: Comparison) -> None:
        """Publish the comparison of a cycle's measured efforts."""
        for topic, template in self._measured.filled(comparison):
            self.publish(topic, template)

    def _are_markers_received(self, stamp: int) -> bool:
        """Return whether the markers had a subscriber at the last check.

        Only markers need the check: publishing any other message without a receiver is cheaper.
        """
        if self._asking.passes(stamp):
            markers = self._publishers[topics.MARKERS.name]
            self._has_viewers = bool(markers.get_subscription_count())
        return self._has_viewers

    def _delete_markers_except(self, kept: frozenset[Marker]) -> None:
        """Delete the published markers that are not kept, so that none waits for its lifetime."""
        gone = self._shown - kept
        self._shown = self._shown & kept
        if gone:
            self.publish(topics.MARKERS, deletion(gone, self._shown_stamp))

    def _publish_latched(self, topic: topics.Topic, template: Any) -> None:
        """Publish a latched message unless it equals the previous one."""
        if template is None:
            self._latched.pop(topic.name, None)
            return
        content = bytes(template)
        if self._latched.get(topic.name) != content:
            template.set_stamp(self._node.get_clock().now().nanoseconds)
            self.publish(topic, template)
            self._latched[topic.name] = content


def _markers_of(scene: Scene, frame_prefix: str, lifetime: float) -> SceneMarkers:
    return SceneMarkers(scene.shapes, frame_prefix, lifetime)
