# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Volumes as messages of simulation_interfaces, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import Vector3
from simulation_interfaces.msg import Bounds

from charmie_dynamics.errors import InputError, UnsupportedError
from charmie_dynamics.model.description.world import BoundingVolume
from charmie_dynamics.model.description.world.named_poses import BOX, HULL, SPHERE, VolumeKind

KINDS: dict[int, VolumeKind] = {
    Bounds.TYPE_BOX: BOX,
    Bounds.TYPE_CONVEX_HULL: HULL,
    Bounds.TYPE_SPHERE: SPHERE,
}
TYPES: dict[str, int] = {kind: number for number, kind in KINDS.items()}


def bounds_message(volume: BoundingVolume | None) -> Bounds:
    """Return a volume as a message; None: unbounded."""
    if volume is None:
        return Bounds(type=Bounds.TYPE_EMPTY)
    points = [Vector3(x=x, y=y, z=z) for x, y, z in volume.points.tolist()]
    return Bounds(type=TYPES[volume.kind], points=points)


def volume_of(message: Any) -> BoundingVolume:
    """Return the volume of a message that is not empty.

    Raises
    ------
    InputError
        If its points are not a volume of its type.
    UnsupportedError
        If its type is unknown.
    """
    kind = KINDS.get(message.type)
    if kind is None:
        raise UnsupportedError(f"bounds: expected a type of {sorted(KINDS)}, got {message.type}")
    points = np.array([(p.x, p.y, p.z) for p in message.points]).reshape(-1, 3)
    volume = BoundingVolume(kind, points)
    if volume.fault():
        raise InputError(f"bounds: {volume.fault()}")
    return volume
