# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where shapes meet: distances, normals, points of contact.

In reading order:

- ``records``: shapes, pairs and contacts, as arrays of one block.
- ``placement``: shapes in the world, and boxes around them.
- ``sweep``: which pairs may meet.
- ``writing``: how the results of a pair are written.
- ``planes``: a plane and any other shape.
- ``spheres``: a sphere and any other shape.
- ``zonoids``: how far a point is from a sum of segments and discs.
- ``solids``: boxes, cylinders and capsules among each other.
- ``faces``: points of contact on flat faces.
- ``lines``: points of contact along parallel lines.
- ``smooth``: ellipsoids and tori, by Newton's method.
- ``polyhedra``: convex meshes with planes, spheres, capsules, boxes and each other.
- ``pairs``: which function computes a pair.
- ``methods``: the functions of pairs as kernels, called by their addresses.
- ``kernels``: what Python calls.
- ``detector``: the blocks, and calls of the kernel.
"""
