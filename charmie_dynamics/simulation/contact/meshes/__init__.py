# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""How far convex meshes are from other shapes, by coal (extra `meshes`): a witness.

- ``distance``: distances, normals and nearest points, by coal.
"""

from charmie_dynamics.model.description.meshes import ConvexMesh

from .distance import MeshDistance, mesh_distance

__all__ = ["ConvexMesh", "MeshDistance", "mesh_distance"]
