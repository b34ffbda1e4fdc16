# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A closed surface of triangles, checked to be convex."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.vectors import Floats, Ints

TOLERANCE = 1e-9  # of the size: so far a vertex may lie outside of a face


class ConvexMesh:
    """A convex body whose surface consists of triangles; other bodies are refused.

    Parameters
    ----------
    name : str
        For messages.
    vertices : (n, 3) array
        In the frame of the shape (m).
    faces : (m, 3) array of int
        Vertices of each triangle, counterclockwise as seen from outside.
    tolerance : float
        Part of the size by which a vertex may lie outside of a triangle's plane.

    Raises
    ------
    InputError
        If numbers are not finite, an index names no vertex, a triangle has no area, a vertex is
        part of no triangle, the surface is open or does not look outwards, or a vertex lies
        outside of a triangle's plane: then the body is not convex. Also if all vertices lie in
        one plane. Nothing is repaired.

    Examples
    --------
    >>> from charmie_dynamics.errors import InputError
    >>> from charmie_dynamics.model.description.meshes import ConvexMesh
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    >>> ConvexMesh("wedge", corners, faces).vertices.shape
    (4, 3)
    >>> try:
    ...     ConvexMesh("wedge", corners, faces[:3])
    ... except InputError as error:
    ...     print(error)
    mesh 'wedge': expected a closed surface, got an edge from vertex 2 to 1 that 1 triangle has
    """

    def __init__(
        self,
        name: str,
        vertices: npt.ArrayLike,
        faces: npt.ArrayLike,
        tolerance: float = TOLERANCE,
    ) -> None:
        self.name = name
        self.vertices = _vertices(name, vertices)
        self.faces = _faces(name, faces, len(self.vertices))
        _check_closed(name, self.faces)
        _check_convex(name, self.vertices, self.faces, tolerance)


def _vertices(name: str, given: npt.ArrayLike) -> Floats:
    try:
        vertices = np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"mesh '{name}': expected numbers as vertices, got others") from None
    if vertices.ndim != 2 or vertices.shape[1] != 3 or len(vertices) < 4:
        raise InputError(
            f"mesh '{name}': expected vertices of shape (n, 3), n >= 4, got {vertices.shape}"
        )
    if not np.isfinite(vertices).all():
        row = int(np.flatnonzero(~np.isfinite(vertices).all(axis=1))[0])
        raise InputError(f"mesh '{name}': expected finite vertices, got {vertices[row]} as {row}")
    return vertices


def _faces(name: str, given: npt.ArrayLike, count: int) -> Ints:
    try:
        np.asarray(given, dtype=float)  # NumPy 1.21 accepts other rows without a type
        faces = np.asarray(given)
    except (TypeError, ValueError):
        raise InputError(
            f"mesh '{name}': expected triangles of three vertices, got others"
        ) from None
    if faces.ndim != 2 or faces.shape[1] != 3 or not np.issubdtype(faces.dtype, np.integer):
        raise InputError(
            f"mesh '{name}': expected triangles as whole numbers of shape (m, 3), "
            f"got {faces.dtype} of shape {faces.shape}"
        )
    wrong = np.flatnonzero(((faces < 0) | (faces >= count)).any(axis=1))
    if len(wrong):
        raise InputError(
            f"mesh '{name}': expected vertices 0 to {count - 1}, "
            f"got {faces[wrong[0]].tolist()} as triangle {wrong[0]}"
        )
    unused = np.setdiff1d(np.arange(count), faces)
    if len(unused):
        raise InputError(
            f"mesh '{name}': expected each vertex in a triangle, got vertex {unused[0]} in none"
        )
    return faces.astype(np.int64)


def _check_closed(name: str, faces: Ints) -> None:
    edges = Counter((int(face[k]), int(face[(k + 1) % 3])) for face in faces for k in range(3))
    for (first, second), times in edges.items():
        if times > 1:
            raise InputError(
                f"mesh '{name}': expected triangles that all look outwards, got {times} with the "
                f"edge from vertex {first} to {second} in the same sense"
            )
        if (second, first) not in edges:
            raise InputError(
                f"mesh '{name}': expected a closed surface, got an edge from vertex {first} to "
                f"{second} that 1 triangle has"
            )


def _check_convex(name: str, vertices: Floats, faces: Ints, tolerance: float) -> None:
    size = float(np.ptp(vertices, axis=0).max())
    for index, (a, b, c) in enumerate(vertices[faces]):
        normal = np.cross(b - a, c - a)
        area = float(np.linalg.norm(normal))
        if not area > TOLERANCE * size * size:
            raise InputError(f"mesh '{name}': expected triangles with an area, got {index} without")
        heights = (vertices - a) @ normal / area
        highest = int(heights.argmax())
        if heights[highest] > tolerance * size:
            if -heights.min() <= tolerance * size:
                raise InputError(
                    f"mesh '{name}': expected triangles that look outwards, got {index}, "
                    "with all other vertices before it"
                )
            raise InputError(
                f"mesh '{name}': expected a convex surface, got vertex {highest}, "
                f"{heights[highest]:.3g} m outside of triangle {index}; "
                "split it into convex parts, or take its convex hull"
            )
        if -heights.min() <= TOLERANCE * size:
            raise InputError(
                f"mesh '{name}': expected a body with a volume, got all vertices in the plane of "
                f"triangle {index}"
            )
