# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The section ``named_poses`` of a world file: poses for spawning, goals and similar purposes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from charmie_dynamics.errors import ModelFileError
from charmie_dynamics.numerics.vectors import Floats

from ..yaml_document import Key
from .placement import SIX_ZEROS, EntityPose

VolumeKind = Literal["box", "sphere", "hull"]
BOX: VolumeKind = "box"
SPHERE: VolumeKind = "sphere"
HULL: VolumeKind = "hull"
NUMBER = {"type": "number"}
THREE = {"type": "array", "items": NUMBER, "minItems": 3, "maxItems": 3}
SIX = {"type": "array", "items": NUMBER, "minItems": 6, "maxItems": 6}
TEXTS = {"type": "array", "items": {"type": "string", "minLength": 1}}
BOUNDS_KEYS: dict[str, dict[str, Any]] = {
    BOX: {**SIX, "description": "lower x y z, upper x y z (m)"},
    SPHERE: {**SIX, "minItems": 4, "maxItems": 4, "description": "centre x y z, radius (m)"},
    HULL: {
        "type": "array", "items": THREE, "minItems": 3,
        "description": "points of a convex hull (m), not all on a line",
    },
}  # fmt: skip
POSE_KEYS: dict[str, dict[str, Any]] = {
    "pose": {**SIX, "description": "x y z (m) roll pitch yaw (rad) in the world"},
    "description": {"type": "string", "description": "for users"},
    "tags": {**TEXTS, "description": "for the selection of poses, such as spawn or parking"},
    "bounds": {
        "type": "object", "additionalProperties": False, "minProperties": 1, "maxProperties": 1,
        "properties": BOUNDS_KEYS,
        "description": "free volume about the pose, in its axes: box, sphere or hull",
    },
}  # fmt: skip
NAMED_POSE = {"type": "object", "additionalProperties": False, "properties": POSE_KEYS}


@dataclass(frozen=True, eq=False)
class BoundingVolume:
    """A convex volume.

    Attributes
    ----------
    kind : {"box", "sphere", "hull"}
    points : (n, 3) array
        Box: upper, lower corner; sphere: centre, (radius, 0, 0); hull: points (m).
    """

    kind: VolumeKind
    points: Floats

    def fault(self) -> str:
        """Return why the volume is not valid; empty if it is valid."""
        points = self.points
        if not np.isfinite(points).all():
            return "expected finite numbers"
        if self.kind == HULL:
            edges = points[1:] - points[0]
            scale = np.abs(edges).max(initial=0.0)
            if len(points) < 3 or np.linalg.matrix_rank(edges, 1e-9 * scale) < 2:
                return "expected three points or more that are not on a line"
            return ""
        if len(points) != 2:
            return f"expected 2 points of a {self.kind}, got {len(points)}"
        if self.kind == BOX and not (points[0] > points[1]).all():
            return "expected each upper number to exceed the lower one"
        if self.kind == SPHERE and not points[1, 0] > 0.0:
            return f"expected a radius above 0, got {points[1, 0]:g}"
        return ""


@dataclass(frozen=True, eq=False)
class NamedWorldPose:
    """A pose with a name.

    Attributes
    ----------
    name : str
    pose : EntityPose
    description : str
    tags : tuple of str
    bounds : BoundingVolume or None
        In the axes of the pose; None: unbounded.
    """

    name: str
    pose: EntityPose
    description: str = ""
    tags: tuple[str, ...] = ()
    bounds: BoundingVolume | None = None


def read_named_poses(
    entries: Mapping[str, Any], fault: Callable[..., ModelFileError]
) -> tuple[NamedWorldPose, ...]:
    """Return the poses of a section that its schema accepts.

    Parameters
    ----------
    entries : mapping of str to dict
    fault : callable
        Called with a message and the keys of the place; returns the error.

    Raises
    ------
    ModelFileError
        For bounds that are not a volume.
    """
    found = []
    for name, entry in entries.items():
        bounds = None
        for kind, numbers in entry.get("bounds", {}).items():
            bounds = _volume(kind, numbers)
            if bounds.fault():
                place: tuple[Key, ...] = (name, "bounds", kind)
                raise fault(bounds.fault(), *place)
        pose = EntityPose.of(map(float, entry.get("pose", SIX_ZEROS)))
        tags = tuple(entry.get("tags", ()))
        found.append(NamedWorldPose(name, pose, entry.get("description", ""), tags, bounds))
    return tuple(found)


def _volume(kind: VolumeKind, numbers: Any) -> BoundingVolume:
    values = np.array(numbers, dtype=np.float64)
    if kind == SPHERE:
        return BoundingVolume(SPHERE, np.array([values[:3], [values[3], 0.0, 0.0]]))
    return BoundingVolume(kind, values.reshape(-1, 3)[::-1] if kind == BOX else values)
