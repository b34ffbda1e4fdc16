# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Distances of convex meshes from each other and from the shapes of `core.contact.detection`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.contact.detection.pairs import TYPES
from charmie_dynamics.errors import CharmieError, InputError, choices
from charmie_dynamics.model.description.meshes import ConvexMesh
from charmie_dynamics.numerics.vectors import Floats

SIZES = {"plane": 0, "sphere": 1, "capsule": 2, "box": 3, "cylinder": 2, "ellipsoid": 3}
TOLERANCE = 1e-12
MOST_STEPS = 1000
Pose = tuple[npt.ArrayLike, npt.ArrayLike]  # R_world_shape and p_world_shape


class MeshDistance(NamedTuple):
    """How two shapes meet, with the meanings of `ContactPairs` in `core.contact.detection.records`.

    Attributes
    ----------
    distance : float
        Negative where they overlap (m).
    normal : (3,) array
        From the first to the second.
    first, second : (3,) array
        Nearest points, in the world.
    """

    distance: float
    normal: Floats
    first: Floats
    second: Floats


def mesh_distance(
    first: ConvexMesh | tuple[str, Sequence[float]],
    first_pose: Pose,
    second: ConvexMesh | tuple[str, Sequence[float]],
    second_pose: Pose,
) -> MeshDistance:
    """Return how far apart two convex shapes are, by coal (GJK and EPA).

    Parameters
    ----------
    first, second : ConvexMesh, or (str, sequence of float)
        Meshes, or other shapes by their type and their size, as in `Shapes` of
        `core.contact.detection.records`: ``("box", [0.1, 0.2, 0.3])`` is half of each edge.
    first_pose, second_pose : ((3, 3) array, (3,) array)
        Orientation and position in the world.

    Returns
    -------
    MeshDistance

    Raises
    ------
    InputError
        If there is no such type, or the size has another number of positive numbers.
    CharmieError
        If coal is not installed.

    Notes
    -----
    Between meshes, boxes, spheres and capsules the results are exact to some 1e-12 m. Coal's
    normals of cylinders and ellipsoids are exact to about 1e-6, and the depth of those that overlap
    may be more than the least one.
    """
    coal = _library()
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    request.gjk_tolerance = request.epa_tolerance = TOLERANCE
    request.gjk_max_iterations = request.epa_max_iterations = MOST_STEPS
    shapes = [_shape(coal, shape) for shape in (first, second)]
    poses = [
        coal.Transform3s(np.array(R, dtype=float), np.array(p, dtype=float))
        for R, p in (first_pose, second_pose)
    ]
    distance = coal.distance(shapes[0], poses[0], shapes[1], poses[1], request, result)
    return MeshDistance(
        float(distance),
        np.array(result.normal),
        np.array(result.getNearestPoint1()),
        np.array(result.getNearestPoint2()),
    )


def _library() -> Any:
    try:
        import coal
    except ImportError as error:
        raise CharmieError(
            f"convex meshes: coal is missing ({error}); "
            "install the extra: pip install 'charmie_dynamics[meshes]'"
        ) from None
    return coal


def _shape(coal: Any, shape: ConvexMesh | tuple[str, Sequence[float]]) -> Any:
    if isinstance(shape, ConvexMesh):
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for vertex in shape.vertices:
            points.append(vertex)
        for a, b, c in shape.faces.tolist():
            triangles.append(coal.Triangle(a, b, c))
        return coal.Convex(points, triangles)
    kind, size = shape
    if kind not in SIZES:
        raise InputError(
            f"shape '{kind}' is unknown{choices(kind, [t for t in TYPES if t in SIZES])}"
        )
    if len(size) != SIZES[kind] or not all(0.0 < value < np.inf for value in size):
        raise InputError(
            f"size of a {kind}: expected {SIZES[kind]} positive numbers, got {list(size)}"
        )
    if kind == "plane":
        return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
    if kind == "sphere":
        return coal.Sphere(size[0])
    if kind == "ellipsoid":
        return coal.Ellipsoid(*size)
    if kind == "box":
        return coal.Box(*(2.0 * value for value in size))
    return (coal.Capsule if kind == "capsule" else coal.Cylinder)(size[0], 2.0 * size[1])
