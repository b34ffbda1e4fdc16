# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Poses of frames, from recorded transforms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from charmie_dynamics.numerics.vectors import Floats

Frames = dict[str, tuple[Floats, Floats]]


def frames_from_transforms(transforms: Sequence[Any]) -> Frames:
    """Return p_root_frame and R_root_frame of every frame of a tree of transforms."""
    edges: Mapping[str, Any] = {t.child_frame_id: t for t in transforms}
    frames: Frames = {}
    for root in {t.header.frame_id for t in transforms} - set(edges):
        frames[root] = (np.zeros(3), np.eye(3))

    def resolve(name: str) -> tuple[Floats, Floats]:
        chain = []
        while name not in frames:
            chain.append(name)
            name = edges[name].header.frame_id
        for child in reversed(chain):
            p, R = frames[name]
            t = edges[child].transform
            offset = np.array([t.translation.x, t.translation.y, t.translation.z])
            frames[child] = (p + R @ offset, R @ _rotation(t.rotation))
            name = child
        return frames[name]

    for name in edges:
        resolve(name)
    return frames


def _rotation(q: Any) -> Floats:
    x, y, z, w = q.x, q.y, q.z, q.w
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
