# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Convex meshes: read from files, checked, and as faces, edges and corners.

In reading order:

- ``convex``: a closed surface of triangles, checked to be convex.
- ``mesh_files``: triangles of STL and OBJ files, and where a file is.
- ``polyhedron``: faces, edges and corners, and what a solid weighs.
"""

from .convex import ConvexMesh
from .mesh_files import find_mesh, read_mesh
from .polyhedron import Polyhedron

__all__ = ["ConvexMesh", "Polyhedron", "find_mesh", "read_mesh"]
