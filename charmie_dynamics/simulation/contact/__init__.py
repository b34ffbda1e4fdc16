# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Shapes of a robot or a world that may touch.

In reading order:

- ``polyhedra``: meshes and the shapes near them, as faces, edges and corners.
- ``contact_scene``: shapes and the laws between them, as the arrays of the kernels.
- ``supports``: places at which shapes may rest on each other at the start, and their loads.
- ``contact_step``: the step that contacts need of a fixed-step method.
- ``overlaps``: shapes that overlap by more than contacts at rest explain.
- ``meshes``: distances of convex meshes by coal.
"""
