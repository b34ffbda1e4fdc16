# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Convex meshes: whether they are, and how far they are from other shapes. Needs coal (`meshes`).

In reading order:

- ``convex``: a closed surface of triangles, checked to be convex.
- ``distance``: distances, normals and nearest points, by coal.
"""

from .convex import ConvexMesh
from .distance import MeshDistance, mesh_distance

__all__ = ["ConvexMesh", "MeshDistance", "mesh_distance"]
