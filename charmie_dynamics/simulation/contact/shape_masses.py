# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Effective masses of shapes at the points at which they touch."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from charmie_dynamics.model.model import Model
from charmie_dynamics.model.robots import without_loops
from charmie_dynamics.numerics.vectors import Floats, Ints

from .contact_scene import ContactScene
from .supports import Resting

COUPLED = 1e-12  # smaller entries of a projection are round-off
MASSLESS = 1e-14  # of the largest inertia: such motions do not count


class ShapeMasses:
    """The bodies at the start: where their shapes are, and how heavy they are where they touch."""

    def __init__(
        self,
        model: Model,
        scene: ContactScene,
        position: Floats,
        velocity: Floats | None = None,
    ) -> None:
        tree, self._shapes = Model.of(without_loops(model.robot)), scene.shapes
        self._moves = scene.moves
        state = model.kinematics(position, velocity)
        mass = tree.equations(position).mass_matrix
        motions = np.eye(len(mass))
        if model.mechanisms.loop_joints:
            motions = model.constraints(position).motions
        self._blocks = _blocks_of((mass != 0.0) | (abs(motions @ motions.T) > COUPLED))
        inverse = np.zeros_like(mass)
        for block in np.unique(self._blocks):
            own = np.flatnonzero(self._blocks == block)
            N = motions[own][:, (abs(motions[own]) > COUPLED).any(axis=0)]
            inertia = N.T @ mass[np.ix_(own, own)] @ N
            if N.shape[0] == N.shape[1]:
                small = np.linalg.inv(inertia)
            else:  # in loops only the motions that these allow have inertia, and idle ones may not
                small = np.linalg.pinv(inertia, MASSLESS, hermitian=True)
            inverse[np.ix_(own, own)] = N @ small @ N.T
        frames = {shape.link: state.frame(shape.link) for shape in scene.shapes}
        self._frames = frames
        pairs = [(frames[shape.link], shape) for shape in scene.shapes]
        self.places = np.reshape([p + R @ shape.p_link_shape for (p, R), shape in pairs], (-1, 3))
        self.axes = np.reshape([R @ shape.R_link_shape for (_, R), shape in pairs], (-1, 3, 3))
        # of the link of each shape: the block that it belongs to, and its inverse inertia (6, 6)
        # about the origin of the link, as roots
        self._block_of: dict[str, int] = {}
        self._roots: dict[str, Floats] = {}
        self._twists: dict[str, Floats] = {}
        moving = {s.link for s, moves in zip(scene.shapes, scene.moves, strict=True) if moves}
        for link in moving:
            J = tree.jacobian(position, link)
            used = np.flatnonzero(J.any(axis=0))
            self._block_of[link] = int(self._blocks[used[0]])
            values, vectors = np.linalg.eigh(
                J[:, used] @ inverse[np.ix_(used, used)] @ J[:, used].T
            )
            self._twists[link] = np.zeros(6) if velocity is None else J @ velocity
            self._roots[link] = vectors * np.sqrt(np.maximum(values, 0.0))

    def are_connected(self, i: int, j: int) -> bool:
        """Return whether two shapes belong to one mechanism."""
        first, second = (self._block_of.get(self._shapes[k].link) for k in (i, j))
        return first is not None and first == second

    def inverse_masses(self, pair: tuple[int, int], support: Resting) -> Floats:
        """Return the largest inverse masses (2, 2) of both shapes, along the normal and across."""
        found = np.zeros((2, 2))
        for side, k in enumerate(pair):
            if self._moves[k]:
                points = self._rows(k, support.points[side])
                normal = np.einsum("i,nij->nj", support.normal, points)
                tangential = points - support.normal[:, None] * normal[:, None, :]
                found[0, side] = _largest(normal)
                found[1, side] = _largest(tangential.reshape(-1, normal.shape[1]))
        return found

    def largest_inverse_masses(self, k: int) -> tuple[float, float]:
        """Return the largest inverse masses (1/kg) of a point of a shape: normal, any direction."""
        shape = self._shapes[k]
        if not self._moves[k] or shape.kind == "plane":
            return 0.0, 0.0
        points = self.places[k] + shape.corners @ self.axes[k].T
        largest = max(_largest(rows) for rows in self._rows(k, points))
        if shape.kind != "sphere":
            return largest, largest
        return _largest(self._rows(k, self.places[k][None])[0]), largest

    def speed(self, k: int) -> float:
        """Return the largest speed of a point of a shape (m/s)."""
        shape = self._shapes[k]
        linear, angular = self._twists[shape.link].reshape(2, 3)
        middle = linear + np.cross(angular, self.places[k] - self._frames[shape.link][0])
        return float(np.linalg.norm(middle) + np.linalg.norm(angular) * shape.reach)

    def _rows(self, k: int, points: Floats) -> Floats:
        """Return matrices (n, 3, 6) of points of a shape; their squares are the inverse masses."""
        link = self._shapes[k].link
        x, y, z = (points - self._frames[link][0]).T
        zero = np.zeros_like(x)
        cross = np.array([[zero, z, -y], [-z, zero, x], [y, -x, zero]]).transpose(2, 0, 1)
        lead = np.concatenate([np.broadcast_to(np.eye(3), cross.shape), cross], axis=2)
        rows: Floats = lead @ self._roots[link]
        return rows


def _blocks_of(coupling: npt.NDArray[np.bool_]) -> Ints:
    """Return which block of a matrix (v, v) each coordinate (v,) belongs to."""
    coupled = np.where(coupling, np.arange(len(coupling)), 0).max(axis=1, initial=0)
    farthest = np.maximum.accumulate(np.maximum(coupled, np.arange(len(coupling))))
    ends = farthest == np.arange(len(coupling))
    blocks: Ints = np.cumsum(ends) - ends
    return blocks


def _largest(rows: Floats) -> float:
    """Return the largest eigenvalue of the product of rows (k, n) with their transpose."""
    if not np.isfinite(rows).all():
        return math.inf
    return max(0.0, float(np.linalg.eigvalsh(rows.T @ rows)[-1]))
