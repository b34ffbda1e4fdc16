# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contact detection: distances, normals and points of contact of shapes.

In reading order:

- ``records``: shapes, pairs and contacts, as arrays of one block.
- ``placement``: shapes in the world, and their bounding boxes.
- ``sweep``: pairs whose bounding boxes are near each other.
- ``writing``: output of the results of a pair.
- ``planes``: a plane and any other shape.
- ``spheres``: a sphere and any other shape.
- ``zonoids``: signed distance of a point from a sum of segments and discs.
- ``solids``: pairs of boxes, cylinders and capsules.
- ``faces``: points of contact on flat faces.
- ``lines``: points of contact along parallel lines.
- ``smooth``: ellipsoids and tori, by Newton's method.
- ``polyhedra``: convex polyhedra in the world, and their extreme vertices and faces.
- ``polyhedron_distance``: signed distance of two convex polyhedra.
- ``meshes``: a mesh and a sphere, capsule, box or mesh.
- ``pairs``: selection of the method for a pair.
- ``methods``: the methods as kernels, called by their addresses.
- ``kernels``: the kernel that Python calls.
- ``nearest``: the nearest of many pairs.
- ``detector``: the blocks, and calls of the kernel.
"""
