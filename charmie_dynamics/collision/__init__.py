# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Shapes of robots and worlds, and their distances.

In reading order:

- ``contact_shape``: a shape fixed to a link; those of the entities of a world.
- ``convex_bodies``: boxes about shapes, and overlaps of two shapes.
- ``polyhedra``: meshes and the shapes near them, as faces, edges and corners.
- ``ray_casts``: distances along rays.
- ``clearance``: the nearest of many pairs of shapes.
- ``monitor``: a robot among the fixed shapes of a world file.
- ``paths``: the first collision along a path.
"""
