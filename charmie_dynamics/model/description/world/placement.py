# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where entities are, relative to each other, and at random."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from charmie_dynamics.numerics.vectors import Floats

from ..urdf import rotation_from_rpy, rpy_from_rotation

SIX_ZEROS = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class EntityPose:
    """Where something is in the world: a position (m) and a rotation."""

    p_world_body: Floats
    R_world_body: Floats

    @classmethod
    def of(cls, numbers: Iterable[float]) -> EntityPose:
        """Return the pose of x, y, z (m), roll, pitch, yaw (rad, fixed axes)."""
        x, y, z, *angles = numbers
        return cls(np.array([x, y, z]), rotation_from_rpy(angles))

    @property
    def numbers(self) -> Floats:
        """The numbers (6,) of which `of` makes the pose."""
        return np.concatenate([self.p_world_body, rpy_from_rotation(self.R_world_body)])

    def then(self, pose: EntityPose) -> EntityPose:
        """Return the pose in the world of something at a pose relative to this one."""
        p, R = self.p_world_body, self.R_world_body
        return EntityPose(p + R @ pose.p_world_body, R @ pose.R_world_body)


@dataclass(frozen=True)
class EntityPlacement:
    """How the pose of an entity is defined.

    Attributes
    ----------
    pose : tuple of float
        x y z (m) roll pitch yaw (rad), relative to `on`.
    spread : tuple of float
        Largest random change of each of these numbers.
    on : str
        Name of another entity; empty: the world.
    """

    pose: tuple[float, ...] = SIX_ZEROS
    spread: tuple[float, ...] = SIX_ZEROS
    on: str = ""


AT_ORIGIN = EntityPlacement()


def placed(
    placements: Mapping[str, EntityPlacement], rng: np.random.Generator | None = None
) -> dict[str, EntityPose]:
    """Return the poses of all entities.

    Parameters
    ----------
    placements : mapping of str to EntityPlacement
        By entity; those that others are on come first.
    rng : Generator, optional
        Of the random changes, uniform within the spreads; without it there is no change.
    """
    poses: dict[str, EntityPose] = {}
    for name, how in placements.items():
        numbers = np.array(how.pose)
        if rng is not None and any(how.spread):
            numbers += rng.uniform(-1.0, 1.0, 6) * how.spread
        pose = EntityPose.of(numbers.tolist())
        poses[name] = poses[how.on].then(pose) if how.on else pose
    return poses
