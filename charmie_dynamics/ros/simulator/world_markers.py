# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Markers of a world: shapes of its entities, and the forces of contacts."""

from __future__ import annotations

from dataclasses import replace

from charmie_dynamics.live.rate_limiter import RateLimiter
from charmie_dynamics.live.settings import CONTACT_MARKERS_RATE
from charmie_dynamics.live.topics import CONTACT_MARKERS, ENTITY_MARKERS
from charmie_dynamics.live.wire.messages import Marker
from charmie_dynamics.ros.outputs.markers import SceneMarkers, deletion
from charmie_dynamics.ros.outputs.shape_markers import ShapeMarkers
from charmie_dynamics.simulation import ContactTable
from charmie_dynamics.simulation.session.message_buffers import MessageBuffers
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem
from charmie_dynamics.visual.scene.contacts import contact_parts, usual_force_scale
from charmie_dynamics.visual.scene.entities import entity_shapes
from charmie_dynamics.visual.shapes.appearance import first_appearance

FOREVER = 0.0  # s


class WorldMarkers:
    """Markers of a world.

    Parameters
    ----------
    world_frame, frame_prefix : str
        As the dynamics node has them.
    """

    def __init__(self, world_frame: str, frame_prefix: str) -> None:
        self._world, self._prefix = world_frame, frame_prefix
        self._entities: frozenset[Marker] = frozenset()
        self._forces = ShapeMarkers(frame_prefix, FOREVER)
        self._limiter = RateLimiter(CONTACT_MARKERS_RATE)
        self._last = -1

    def show(self, system: SimulatedSystem) -> list[MessageBuffers]:
        """Return the markers of the entities; those of removed entities are deleted."""
        model, robot = system.model, system.robot
        name = "" if robot is None else robot.name
        shapes = [
            replace(shape, frame=system.frame_id(shape.frame))
            for shape in entity_shapes(model, system.entities.values(), omitted=name)
        ]
        self._scale = usual_force_scale(model if robot is None else robot.model)
        # valid at all times: they follow their frames
        markers = SceneMarkers(shapes, self._prefix, FOREVER, frame_locked=True)
        now = {(marker.namespace, marker.id) for marker in markers.identities}
        gone = [m for m in self._entities if (m.namespace, m.id) not in now]
        self._entities = markers.identities
        result = [(ENTITY_MARKERS, deletion(gone, 0))] if gone else []
        return [*result, (ENTITY_MARKERS, markers.write(0, first_appearance(shapes)))]

    def clear(self) -> list[MessageBuffers]:
        """Return the deletion of all forces of contacts, of which none is remembered."""
        sent, self._last = self._last >= 0, -1
        self._limiter = RateLimiter(CONTACT_MARKERS_RATE)
        template = self._forces.write(0, [])
        self._forces = ShapeMarkers(self._prefix, FOREVER)
        return [(CONTACT_MARKERS, template)] if sent else []

    def contacts(self, stamp: int, table: ContactTable) -> list[MessageBuffers]:
        """Return the forces at a time (ns), if they are due."""
        if stamp <= self._last:  # a reset
            self._limiter = RateLimiter(CONTACT_MARKERS_RATE)
        self._last = stamp
        if not self._limiter.passes(stamp):
            return []
        size, length = self._scale
        shapes = contact_parts(table, frame=self._world, size=size, length=length)
        return [(CONTACT_MARKERS, self._forces.write(stamp, shapes))]
