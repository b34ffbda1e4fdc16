# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Markers of a world: what its entities look like, and the forces of contacts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from charmie_dynamics.live.rate_limiter import RateLimiter
from charmie_dynamics.live.settings import CONTACT_MARKERS_RATE
from charmie_dynamics.live.topics import CONTACT_MARKERS, ENTITY_MARKERS
from charmie_dynamics.live.wire.messages import Marker
from charmie_dynamics.live.wire.templates import Template
from charmie_dynamics.ros.outputs.markers import SceneMarkers, deletion
from charmie_dynamics.ros.outputs.shape_markers import ShapeMarkers
from charmie_dynamics.simulation.session.filled import Filled
from charmie_dynamics.simulation.session.played import Played
from charmie_dynamics.simulation.world_run import ContactTable
from charmie_dynamics.visual.scene.contacts import contact_parts
from charmie_dynamics.visual.scene.entities import entity_shapes
from charmie_dynamics.visual.shapes.appearance import first_appearance

LENGTH = 0.3  # m, of the arrow of a force of half the weight of all that moves
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
        self._contacts = ShapeMarkers(frame_prefix, FOREVER)
        self._limiter = RateLimiter(CONTACT_MARKERS_RATE)
        self._last = -1

    def show(self, played: Played) -> list[Filled]:
        """Return what the entities look like; what is gone is deleted."""
        model, robot = played.model, played.robot
        name = "" if robot is None else robot.name
        shapes = [
            replace(shape, frame=played.frame_id(shape.frame))
            for shape in entity_shapes(model, played.entities.values(), but=name)
        ]
        weight = model.total_mass * float(np.linalg.norm(model.mechanisms.gravity))
        self._size = max(0.5 * weight, 1e-3)
        # of all times: they are where their frames are when they are looked at
        markers = SceneMarkers(shapes, self._prefix, FOREVER, frame_locked=True)
        found = self._exchanged(self._entities, markers.identities, 0)
        self._entities = markers.identities
        result = [(ENTITY_MARKERS, template) for template in found]
        return [*result, (ENTITY_MARKERS, markers.write(0, first_appearance(shapes)))]

    def contacts(self, stamp: int, table: ContactTable) -> list[Filled]:
        """Return the contacts at a time (ns), if they are due; those that are over are deleted."""
        if stamp <= self._last:  # a reset
            self._limiter = RateLimiter(CONTACT_MARKERS_RATE)
        self._last = stamp
        if not self._limiter.passes(stamp):
            return []
        shapes = contact_parts(table, frame=self._world, size=self._size, length=LENGTH)
        return [(CONTACT_MARKERS, self._contacts.write(stamp, shapes))]

    def _exchanged(
        self, before: frozenset[Marker], now: frozenset[Marker], stamp: int
    ) -> list[Template]:
        """Return the message that deletes those which are gone, if there are any."""
        gone = {(m.namespace, m.id) for m in before} - {(m.namespace, m.id) for m in now}
        kept = [marker for marker in before if (marker.namespace, marker.id) in gone]
        return [deletion(kept, stamp)] if kept else []
