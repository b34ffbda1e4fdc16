# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Meshes and the shapes near them as arrays of `core.contact.detection.records.Polyhedra`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.contact.detection.records import BOX, CAPSULE, MESH, SPHERE
from charmie_dynamics.model.description.meshes import ConvexMesh, Polyhedron
from charmie_dynamics.numerics.vectors import Floats, Ints

# the number of a corner is x + 2 y + 4 z with 0 for -1 and 1 for +1
CUBE = Polyhedron(
    ConvexMesh(
        "cube",
        [[x, y, z] for z in (-1.0, 1.0) for y in (-1.0, 1.0) for x in (-1.0, 1.0)],
        [
            *([0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4]),
            *([2, 6, 7], [2, 7, 3], [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5]),
        ],
    )
)


class PolyhedronArrays(NamedTuple):
    """The fields of `Polyhedra` that are given, in their order; the others are workspace."""

    part_first: Ints
    part_end: Ints
    vertex: Floats
    edge_vertex: Ints
    edge_face: Ints
    face_normal: Floats
    face_offset: Floats
    face_corner: Ints
    corner_vertex: Ints
    corner_share: Floats


class _Part(NamedTuple):
    """The rows of one shape; `edges` and `loops` contain indices of vertices."""

    vertices: Floats
    edges: Ints
    edge_faces: Ints  # -1: no face
    normals: Floats
    offsets: Floats
    loops: tuple[Ints, ...]  # around each face
    shares: tuple[Floats, ...]

    def shifted(self, vertex: int, face: int) -> _Part:
        """Return the rows with indices that count from a first vertex and a first face."""
        return self._replace(
            edges=self.edges + vertex,
            edge_faces=np.where(self.edge_faces < 0, -1, self.edge_faces + face),
            loops=tuple(loop + vertex for loop in self.loops),
        )


EMPTY_PART = _Part(
    vertices=np.zeros((0, 3)),
    edges=np.zeros((0, 2), dtype=np.int64),
    edge_faces=np.zeros((0, 2), dtype=np.int64),
    normals=np.zeros((0, 3)),
    offsets=np.zeros(0),
    loops=(),
    shares=(),
)


def polyhedra_of(
    kinds: Sequence[int], sizes: Sequence[Sequence[float]], meshes: Sequence[Polyhedron | None]
) -> PolyhedronArrays:
    """Return the polyhedra of shapes; without any mesh all of them are empty.

    Parameters
    ----------
    kinds : sequence of int
        Types of the shapes.
    sizes : sequence of three float each
        As in `Shapes`.
    meshes : sequence of Polyhedron or None
        One for each shape of the type MESH.
    """
    needed = MESH in kinds
    parts = [
        _part(kind, np.array(size, dtype=float), mesh) if needed else EMPTY_PART
        for kind, size, mesh in zip(kinds, sizes, meshes, strict=True)
    ]
    counts = np.array(
        [(len(part.vertices), len(part.edges), len(part.normals)) for part in parts], dtype=np.int64
    ).reshape(-1, 3)
    end = np.cumsum(counts, axis=0)
    first = end - counts
    # the empty part gives the arrays their types where there are no shapes
    rows = [EMPTY_PART]
    rows += [
        part.shifted(vertex, face)
        for part, (vertex, _, face) in zip(parts, first.tolist(), strict=True)
    ]
    loops = [loop for part in rows for loop in part.loops]
    loop_size = np.array([len(loop) for loop in loops], dtype=np.int64)
    loop_end = np.cumsum(loop_size)
    return PolyhedronArrays(
        first,
        end,
        np.concatenate([part.vertices for part in rows]),
        np.concatenate([part.edges for part in rows]),
        np.concatenate([part.edge_faces for part in rows]),
        np.concatenate([part.normals for part in rows]),
        np.concatenate([part.offsets for part in rows]),
        np.column_stack([loop_end - loop_size, loop_end]),
        np.concatenate([np.zeros(0, dtype=np.int64), *loops]),
        np.concatenate([np.zeros(0), *(share for part in rows for share in part.shares)]),
    )


def _part(kind: int, size: Floats, mesh: Polyhedron | None) -> _Part:
    """Return the rows of a shape; empty for types without a method for meshes."""
    if mesh is not None:
        return _with_faces(mesh, mesh.vertices, mesh.offsets)
    if kind == BOX:
        return _with_faces(CUBE, CUBE.vertices * size, np.abs(CUBE.normals) @ size)
    if kind == SPHERE:
        return _segment(np.zeros((1, 3)), [0, 0])
    if kind == CAPSULE:
        return _segment(np.array([[0.0, 0.0, -size[1]], [0.0, 0.0, size[1]]]), [0, 1])
    return EMPTY_PART


def _with_faces(mesh: Polyhedron, vertices: Floats, offsets: Floats) -> _Part:
    """Return the rows of a mesh with other vertices and offsets of its faces."""
    loops = tuple(np.array(loop, dtype=np.int64) for loop in mesh.loops)
    return _Part(vertices, mesh.edges, mesh.edge_faces, mesh.normals, offsets, loops, mesh.shares)


def _segment(vertices: Floats, edge: Sequence[int]) -> _Part:
    """Return the rows of the axis of a capsule, or of the centre of a sphere: no faces."""
    return EMPTY_PART._replace(
        vertices=vertices, edges=np.array([edge]), edge_faces=np.array([[-1, -1]])
    )
