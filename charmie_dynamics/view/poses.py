# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Poses of frames from the transforms between them, without ROS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from charmie_dynamics.numerics.vectors import Floats

# position x, y, z and quaternion x, y, z, w of a frame in its parent or in the world
Pose = tuple[float, float, float, float, float, float, float]
HOME: Pose = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


class Poses(NamedTuple):
    """Poses of k frames in the world.

    Parameters
    ----------
    position : array, shape (k, 3)
        Of the origins (m).
    quaternion : array, shape (k, 4)
        x, y, z, w of ``R_world_frame``.
    known : array of bool, shape (k,)
        False: no transform of the frame is known; its other values are undefined.
    """

    position: Floats
    quaternion: Floats
    known: NDArray[np.bool_]


class Frames:
    """A tree of frames. Frames without a parent are the world."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}
        self._local: dict[str, Pose] = {}

    def set(self, parents: Sequence[str], children: Sequence[str], rows: Floats) -> None:
        """Set transforms; rows (k, 7) hold position and quaternion of child in parent."""
        for parent, child, row in zip(parents, children, rows.tolist(), strict=True):
            self._parents[child] = parent
            self._local[child] = tuple(row)

    def parent(self, name: str) -> str | None:
        """Return the parent of a frame, None for one without."""
        return self._parents.get(name)

    def depth(self, name: str) -> int:
        """Return the number of ancestors of a frame."""
        above = 0
        while name in self._parents and above < len(self._parents):
            name = self._parents[name]
            above += 1
        return above

    def poses(self, names: Sequence[str]) -> Poses:
        """Return the poses of frames.

        Plain Python, since frames are few and form long chains.
        """
        roots = set(self._parents.values())
        poses: dict[str, Pose] = {}
        known = [name in self._local or name in roots for name in names]
        rows = np.array(
            [self._find(n, poses) if k else HOME for n, k in zip(names, known, strict=True)]
        ).reshape(-1, 7)
        return Poses(rows[:, :3], rows[:, 3:], np.array(known, dtype=bool))

    def _find(self, name: str, poses: dict[str, Pose]) -> Pose:
        chain: list[str] = []
        while name in self._local and name not in poses:
            chain.append(name)
            poses[name] = HOME  # ends the search in a cycle of transforms
            name = self._parents[name]
        pose = poses.get(name, HOME)
        for name in reversed(chain):
            pose = poses[name] = _compose(pose, self._local[name])
        return pose


def _compose(a: Pose, b: Pose) -> Pose:
    """Return the pose of c in a's parent from those of a in its parent and of c in a."""
    ax, ay, az, ai, aj, ak, aw = a
    bx, by, bz, bi, bj, bk, bw = b
    tx, ty, tz = 2.0 * (aj * bz - ak * by), 2.0 * (ak * bx - ai * bz), 2.0 * (ai * by - aj * bx)
    return (
        ax + bx + aw * tx + aj * tz - ak * ty,
        ay + by + aw * ty + ak * tx - ai * tz,
        az + bz + aw * tz + ai * ty - aj * tx,
        aw * bi + ai * bw + aj * bk - ak * bj,
        aw * bj - ai * bk + aj * bw + ak * bi,
        aw * bk + ai * bj - aj * bi + ak * bw,
        aw * bw - ai * bi - aj * bj - ak * bk,
    )


def rotate(quaternion: Floats, vectors: Floats) -> Floats:
    """Return vectors (k, 3) rotated by quaternions (k, 4)."""
    axis, w = quaternion[:, :3], quaternion[:, 3:]
    t = 2.0 * np.cross(axis, vectors)
    result: Floats = vectors + w * t + np.cross(axis, t)
    return result


def multiply(a: Floats, b: Floats) -> Floats:
    """Return the quaternions (k, 4) of a rotation by `b`, followed by `a`."""
    u, s = a[:, :3], a[:, 3:]
    v, w = b[:, :3], b[:, 3:]
    scalar = s * w - (u * v).sum(axis=1, keepdims=True)
    result: Floats = np.concatenate((s * v + w * u + np.cross(u, v), scalar), axis=1)
    return result


def from_z_to(directions: Floats) -> Floats:
    """Return quaternions (k, 4) that rotate the z axis into unit vectors (k, 3)."""
    x, y, z = directions.T
    down = z < -0.999999
    rows = np.column_stack((-y, x, np.zeros_like(x), 1.0 + z))
    rows[down] = (1.0, 0.0, 0.0, 0.0)
    result: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return result
