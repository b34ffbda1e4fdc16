# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Shapes of a robot or a world that may touch.

In reading order:

- ``contact_scene``: shapes and the laws between them, as the arrays of the kernels.
- ``supports``: places at which shapes may rest on each other at the start, and their loads.
- ``law_slopes``: stiffness and damping of contact laws.
- ``shape_masses``: effective masses of shapes at their points of contact.
- ``contact_need``: the step that contacts require of a fixed-step method.
- ``overlaps``: shapes that overlap by more than contacts at rest explain.
- ``link_overlaps``: links of a robot that overlap in given poses.
- ``contact_table``: the points of contact of a run.
- ``meshes``: distances of convex meshes by coal.
"""
