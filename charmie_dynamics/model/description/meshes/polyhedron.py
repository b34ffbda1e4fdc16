# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faces, edges and corners of a convex mesh, and mass, centre and inertia of the solid."""

from __future__ import annotations

from collections import Counter

import numpy as np

from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.vectors import Floats, Ints

from .convex import TOLERANCE, ConvexMesh

MOST_CORNERS = 8  # of a face that become points of contact
FLAT_SHARE = 4.0  # of all corners of a face together, as of those of a box


class Polyhedron:
    """A convex mesh whose triangles in one plane are one face, about the middle of its bounds.

    Corners that lie within a face or an edge are omitted.

    Parameters
    ----------
    mesh : ConvexMesh
    tolerance : float
        Part of the size by which corners may lie beside the plane of their face.

    Attributes
    ----------
    name : str
    middle : (3,) array
        Of the box around the mesh, in the frame of the mesh (m); vertices are from there.
    half_size : (3,) array
        Half of each edge of that box (m).
    half_thickness : float
        Radius of a ball about the centroid that is inside (m).
    vertices : (v, 3) array
    normals, offsets : (f, 3), (f,) array
        Of the faces, outwards: n.x <= offset.
    loops : tuple of tuple of int
        Vertices of each face, counterclockwise as seen from outside.
    shares : tuple of (k,) array
        Of each corner of each loop as a point of contact; zero: no point of contact.
    edges, edge_faces : (e, 2) array of int
        Two vertices and two faces of each edge.
    volume : float
        m^3.
    centroid : (3,) array
        In the frame of the mesh (m).
    squares : (3, 3) array
        Inertia about the centroid by the mass (m^2).

    Raises
    ------
    InputError
        If the faces have no outline, as in bodies that are convex only within the tolerance.

    Examples
    --------
    >>> from charmie_dynamics.model.description.meshes import ConvexMesh, Polyhedron
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    >>> wedge = Polyhedron(ConvexMesh("wedge", corners, faces))
    >>> wedge.centroid.tolist(), len(wedge.edges)
    ([0.25, 0.25, 0.25], 6)
    """

    def __init__(self, mesh: ConvexMesh, tolerance: float = TOLERANCE) -> None:
        self.name = mesh.name
        low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
        self.middle: Floats = 0.5 * (low + high)
        self.half_size: Floats = 0.5 * (high - low)
        points: Floats = mesh.vertices - self.middle
        groups = _faces(points, mesh.faces, tolerance * float((high - low).max()))
        outlines = [_outline(mesh.name, mesh.faces[rows]) for rows in groups]
        times = Counter(vertex for outline in outlines for vertex in outline)
        kept = sorted(vertex for vertex, count in times.items() if count > 2)
        rows = {vertex: row for row, vertex in enumerate(kept)}
        self.vertices: Floats = points[kept]
        self.loops = tuple(
            tuple(rows[vertex] for vertex in outline if vertex in rows) for outline in outlines
        )
        self.edges, self.edge_faces = _edges(mesh.name, self.loops)
        self.normals: Floats = np.array([_normal(self.vertices[list(loop)]) for loop in self.loops])
        self.offsets: Floats = np.array(
            [
                (self.vertices[list(loop)] @ normal).max()
                for loop, normal in zip(self.loops, self.normals, strict=True)
            ]
        )
        self.shares = tuple(_shares(self.vertices[list(loop)]) for loop in self.loops)
        self.volume, centroid, self.squares = _solid(points, mesh.faces)
        self.centroid: Floats = centroid + self.middle
        self.half_thickness = float((self.offsets - self.normals @ centroid).min())

    @property
    def triangles(self) -> Floats:
        """Corners (m, 3, 3) of triangles that make up the faces, in the frame of the mesh."""
        rows: Ints = np.array(
            [
                [loop[0], loop[k], loop[k + 1]]
                for loop in self.loops
                for k in range(1, len(loop) - 1)
            ],
            dtype=np.int64,
        )
        corners: Floats = self.vertices[rows] + self.middle
        return corners


def _faces(points: Floats, triangles: Ints, tolerance: float) -> list[list[int]]:
    """Return the triangles of each face: neighbours of which each is in the plane of the other."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    offsets = np.einsum("ij,ij->i", normals, a)
    sides = {
        (int(row[k]), int(row[(k + 1) % 3])): triangle
        for triangle, row in enumerate(triangles)
        for k in range(3)
    }

    def are_flat(one: int, two: int) -> bool:
        return all(
            np.abs(points[triangles[x]] @ normals[y] - offsets[y]).max() <= tolerance
            for x, y in ((one, two), (two, one))
        )

    face = np.full(len(triangles), -1)
    groups: list[list[int]] = []
    # the largest first: its normal is known best
    for start in np.argsort(-np.linalg.norm(np.cross(b - a, c - a), axis=1), kind="stable"):
        if face[start] >= 0:
            continue
        group, waiting = [], [int(start)]
        face[start] = len(groups)
        while waiting:
            triangle = waiting.pop()
            group.append(triangle)
            row = triangles[triangle]
            for k in range(3):
                other = sides[int(row[(k + 1) % 3]), int(row[k])]
                if face[other] < 0 and are_flat(int(start), other):
                    face[other] = len(groups)
                    waiting.append(other)
        groups.append(group)
    return groups


def _outline(name: str, triangles: Ints) -> list[int]:
    """Return the vertices around some triangles that are neighbours."""
    sides = {(int(row[k]), int(row[(k + 1) % 3])) for row in triangles for k in range(3)}
    after = {a: b for a, b in sides if (b, a) not in sides}
    first = min(after, default=-1)
    outline, here = [first], after.get(first, first)
    while here != first and len(outline) <= len(after):
        outline.append(here)
        here = after[here]
    if len(outline) != len(after):
        raise _unclear(name)
    return outline


def _unclear(name: str) -> InputError:
    return InputError(
        f"mesh '{name}': expected flat faces with one outline each, got faces that are nearly "
        "flat; take its convex hull"
    )


def _edges(name: str, loops: tuple[tuple[int, ...], ...]) -> tuple[Ints, Ints]:
    """Return the vertices and the faces of each edge."""
    sides = {
        (loop[k - 1], loop[k]): face for face, loop in enumerate(loops) for k in range(len(loop))
    }
    if any(len(loop) < 3 for loop in loops) or any((b, a) not in sides for a, b in sides):
        raise _unclear(name)
    edges = [(a, b) for a, b in sides if a < b]
    faces = [(sides[a, b], sides[b, a]) for a, b in edges]
    return np.array(edges, dtype=np.int64), np.array(faces, dtype=np.int64)


def _normal(corners: Floats) -> Floats:
    """Return the normal of a polygon (Newell): that of all its triangles by their areas."""
    normal = np.cross(corners - corners[0], np.roll(corners, -1, axis=0) - corners[0]).sum(axis=0)
    result: Floats = normal / np.linalg.norm(normal)
    return result


def _shares(corners: Floats) -> Floats:
    """Return the shares of the corners of a polygon, by the edges on both sides of each.

    Of more than `MOST_CORNERS` those that lie furthest from each other.
    """
    chosen = list(range(len(corners)))
    if len(corners) > MOST_CORNERS:
        chosen = [0]
        away = np.linalg.norm(corners - corners[0], axis=1)
        while len(chosen) < MOST_CORNERS:
            chosen.append(int(away.argmax()))
            away = np.minimum(away, np.linalg.norm(corners - corners[chosen[-1]], axis=1))
        chosen.sort()
    points = corners[chosen]
    after = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
    shares: Floats = np.zeros(len(corners))
    shares[chosen] = 0.5 * FLAT_SHARE * (after + np.roll(after, 1)) / after.sum()
    return shares


def _solid(points: Floats, triangles: Ints) -> tuple[float, Floats, Floats]:
    """Return volume, centroid and inertia by the mass of a homogeneous polyhedron.

    The integrals of 1, x and x x^T over it in closed form, as sums over tetrahedra from the origin
    to each triangle; they are those of Mirtich, *Fast and accurate computation of polyhedral mass
    properties*, 1996.
    """
    a, b, c = (points[triangles[:, k]] for k in range(3))
    six = np.einsum("ij,ij->i", a, np.cross(b, c))  # volumes, times six
    total = a + b + c
    volume = float(six.sum()) / 6.0
    centroid = six @ total / (24.0 * volume)
    second = np.zeros((3, 3))
    for corner in (a, b, c, total):
        second += np.einsum("i,ij,ik->jk", six, corner, corner)
    second = second / (120.0 * volume) - np.outer(centroid, centroid)
    return volume, centroid, np.trace(second) * np.eye(3) - second
