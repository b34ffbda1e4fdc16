# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Coloured shapes in the frames of a robot, and their appearance at one instant.

In reading order:

- ``shape``: a shape, as data.
- ``appearance``: the variable values of the shapes of a scene, one row per shape.
- ``colors``: colours, and from loads to colours.
- ``part``: the interface of the parts of a scene.
- ``raster``: rasterisation with a depth buffer.
"""
