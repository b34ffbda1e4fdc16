# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Publication of the forces of the floor: a table with each cycle, markers at a lower rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from charmie_dynamics.live import topics
from charmie_dynamics.live.floor_contacts import FloorContacts
from charmie_dynamics.live.pipeline import Cycle
from charmie_dynamics.live.rate_limiter import RateLimiter
from charmie_dynamics.live.settings import CONTACT_MARKERS_RATE, LiveSettings
from charmie_dynamics.live.wire.contact_points import ContactCloud
from charmie_dynamics.model.description.world.robot_contacts import RobotContacts
from charmie_dynamics.model.model import Model
from charmie_dynamics.visual.scene.contacts import contact_parts, usual_force_scale

from .shape_markers import ShapeMarkers


class FloorContactsOutput:
    """Publishes the contacts of cycles.

    Parameters
    ----------
    publish : callable
        Publishes a message on a topic.
    """

    def __init__(self, publish: Callable[[topics.Topic, Any], None]) -> None:
        self._publish = publish

    def configure(
        self, contacts: RobotContacts | None, model: Model, settings: LiveSettings
    ) -> None:
        """Take contacts and settings into use."""
        self._contacts = contacts
        self._frame = settings.frame_prefix + settings.world_frame
        self._scale = usual_force_scale(model)
        self._cloud = ContactCloud(self._frame)
        # they disappear with the inputs; those of a point that is lifted are deleted at once
        self._markers = ShapeMarkers("", settings.input_timeout)
        self._limiter = RateLimiter(CONTACT_MARKERS_RATE)

    def note(self, cycle: Cycle) -> None:
        """Publish the contacts of a cycle, if they are known."""
        if self._contacts is None or cycle.contacts is None:
            return
        table = FloorContacts.of(cycle.contacts, self._contacts)
        self._publish(topics.FLOOR_CONTACTS, self._cloud.filled(cycle.stamp, table))
        if self._limiter.passes(cycle.stamp):
            size, length = self._scale
            shapes = contact_parts(table, frame=self._frame, size=size, length=length)
            self._publish(topics.CONTACT_FORCES, self._markers.write(cycle.stamp, shapes))
