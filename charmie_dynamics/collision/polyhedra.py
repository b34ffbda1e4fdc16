# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Meshes and the shapes near them as arrays of `core.contact.detection.records.Polyhedra`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.contact.detection.records import BOX, CAPSULE, MESH, SPHERE
from charmie_dynamics.model.description.meshes import ConvexMesh, Polyhedron
from charmie_dynamics.numerics.vectors import Floats, Ints

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


class _Part(NamedTuple):
    """The rows of one shape: vertices, edges, faces and corners, numbered from zero."""

    vertices: Floats
    edges: Ints
    edge_faces: Ints
    normals: Floats
    offsets: Floats
    loops: tuple[tuple[int, ...], ...]
    shares: tuple[Floats, ...]


def polyhedra_of(
    kinds: Sequence[int], sizes: Sequence[Sequence[float]], meshes: Sequence[Polyhedron | None]
) -> tuple[npt.NDArray[Any], ...]:
    """Return the first fields of `Polyhedra`, up to `corner_share`; of none if there is no mesh.

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
        _part(kind, np.array(size, dtype=float), mesh) if needed else _NOTHING
        for kind, size, mesh in zip(kinds, sizes, meshes, strict=True)
    ]
    counts = np.array(
        [(len(part.vertices), len(part.edges), len(part.normals)) for part in parts], dtype=np.int64
    ).reshape(-1, 3)
    end = np.cumsum(counts, axis=0)
    first = end - counts
    loops = [
        [row + vertex for row in loop]
        for part, (vertex, _, _) in zip(parts, first.tolist(), strict=True)
        for loop in part.loops
    ]
    ends = np.cumsum([len(loop) for loop in loops], dtype=np.int64)
    edge_faces = [
        np.where(part.edge_faces < 0, -1, part.edge_faces + face)
        for part, (_, _, face) in zip(parts, first.tolist(), strict=True)
    ]
    edges = [
        part.edges + vertex for part, (vertex, _, _) in zip(parts, first.tolist(), strict=True)
    ]
    return (
        first,
        end,
        _joined([part.vertices for part in parts], (3,)),
        _joined(edges, (2,)),
        _joined(edge_faces, (2,)),
        _joined([part.normals for part in parts], (3,)),
        _joined([part.offsets for part in parts], ()),
        np.column_stack([ends - [len(loop) for loop in loops], ends]).astype(np.int64),
        _joined([np.array(loop) for loop in loops], ()),
        _joined([shares for part in parts for shares in part.shares], ()),
    )


def _joined(arrays: Sequence[npt.NDArray[Any]], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    return np.concatenate([np.zeros((0, *shape)), *arrays])


def _part(kind: int, size: Floats, mesh: Polyhedron | None) -> _Part:
    if mesh is not None:
        return _Part(
            mesh.vertices, mesh.edges, mesh.edge_faces, mesh.normals, mesh.offsets, mesh.loops,
            mesh.shares,
        )  # fmt: skip
    if kind == BOX:
        offsets = np.abs(CUBE.normals) @ size
        return _Part(
            CUBE.vertices * size, CUBE.edges, CUBE.edge_faces, CUBE.normals, offsets, CUBE.loops,
            CUBE.shares,
        )  # fmt: skip
    if kind == SPHERE:
        return _segment(np.zeros((1, 3)), [[0, 0]])
    if kind == CAPSULE:
        return _segment(np.array([[0.0, 0.0, -size[1]], [0.0, 0.0, size[1]]]), [[0, 1]])
    return _NOTHING


def _segment(vertices: Floats, edges: Sequence[Sequence[int]]) -> _Part:
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return _Part(vertices, ends, np.full_like(ends, -1), np.zeros((0, 3)), np.zeros(0), (), ())


_NOTHING = _segment(np.zeros((0, 3)), [])
