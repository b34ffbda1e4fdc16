# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Coloured shapes in the frames of a robot, and how they look at one instant.

In reading order:

- ``shape``: a shape, as data.
- ``appearance``: what changes of the shapes of a scene, one row a shape.
- ``colors``: colours, and from loads to colours.
- ``part``: what the parts of a scene have in common.
- ``raster``: rasterisation with a depth buffer.
"""
