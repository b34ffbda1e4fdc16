# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Markers of a world: what its entities look like, and the forces of contacts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from charmie_dynamics.live.rate_limiter import RateLimiter
from charmie_dynamics.live.wire.messages import Marker
from charmie_dynamics.live.wire.templates import Template
from charmie_dynamics.ros.outputs.markers import SceneMarkers, deletion
from charmie_dynamics.simulation.session.filled import Filled
from charmie_dynamics.simulation.session.played import Played
from charmie_dynamics.simulation.session.topics import (
    CONTACT_MARKERS,
    CONTACTS_RATE,
    ENTITY_MARKERS,
)
from charmie_dynamics.simulation.world_run import ContactTable
from charmie_dynamics.visual.scene.contacts import contact_parts
from charmie_dynamics.visual.scene.entities import entity_shapes
from charmie_dynamics.visual.shapes.appearance import first_appearance
from charmie_dynamics.visual.shapes.shape import Shape

LENGTH = 0.2  # m, of the arrow of a force of a quarter of the robot's weight
MOST_TIMES = 10.0  # an arrow of a larger force is so many times as long: an impact is short
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
        self._contacts: frozenset[Marker] = frozenset()
        self._limiter = RateLimiter(CONTACTS_RATE)
        self._last = -1

    def show(self, played: Played) -> list[Filled]:
        """Return what the entities look like; what is gone is deleted."""
        model, robot = played.model, played.robot
        name = "" if robot is None else robot.name
        shapes = [
            replace(shape, frame=played.frame_id(shape.frame))
            for shape in entity_shapes(model, played.entities.values(), but=name)
        ]
        mass = (model if robot is None else robot.model).total_mass
        weight = mass * float(np.linalg.norm(model.mechanisms.gravity))
        self._size = max(0.25 * weight, 1e-3)
        # of all times: they are where their frames are when they are looked at
        markers = SceneMarkers(shapes, self._prefix, FOREVER, frame_locked=True)
        found = self._exchanged(self._entities, markers.identities, 0)
        self._entities = markers.identities
        result = [(ENTITY_MARKERS, template) for template in found]
        return [*result, (ENTITY_MARKERS, markers.write(0, first_appearance(shapes)))]

    def contacts(self, stamp: int, table: ContactTable) -> list[Filled]:
        """Return the forces at a time (ns), if they are due; those that are over are deleted."""
        if stamp <= self._last:  # a reset
            self._limiter = RateLimiter(CONTACTS_RATE)
        self._last = stamp
        if not self._limiter.passes(stamp):
            return []
        shapes = self._forces(table)
        markers = SceneMarkers(shapes, self._prefix, FOREVER)
        result = self._exchanged(self._contacts, markers.identities, stamp)
        self._contacts = markers.identities
        result.append(markers.write(stamp, first_appearance(shapes)))
        return [(CONTACT_MARKERS, template) for template in result]

    def _forces(self, table: ContactTable) -> list[Shape]:
        largest = MOST_TIMES * self._size
        force = np.hypot(table.normal_force, np.linalg.norm(table.friction_force, axis=1))
        share = largest / np.maximum(force, largest)
        shown = replace(
            table,
            normal_force=share * table.normal_force,
            friction_force=share[:, None] * table.friction_force,
        )
        return contact_parts(shown, frame=self._world, size=self._size, length=LENGTH)

    def _exchanged(
        self, before: frozenset[Marker], now: frozenset[Marker], stamp: int
    ) -> list[Template]:
        """Return the message that deletes those which are gone, if there are any."""
        gone = {(m.namespace, m.id) for m in before} - {(m.namespace, m.id) for m in now}
        kept = [marker for marker in before if (marker.namespace, marker.id) in gone]
        return [deletion(kept, stamp)] if kept else []
