# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Convex meshes: read from files, checked, and as faces, edges and corners.

In reading order:

- ``convex``: a closed surface of triangles, checked to be convex.
- ``search``: where files are, also those of packages.
- ``collada``: triangles of COLLADA files.
- ``mesh_files``: triangles of STL, OBJ and COLLADA files.
- ``polyhedron``: faces, edges and corners, and what a solid weighs.
"""

from .convex import ConvexMesh
from .mesh_files import read_mesh, read_triangles
from .polyhedron import Polyhedron
from .search import find_mesh

__all__ = ["ConvexMesh", "Polyhedron", "find_mesh", "read_mesh", "read_triangles"]
