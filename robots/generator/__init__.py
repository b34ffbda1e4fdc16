# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Writes the URDF files of the hexapod, the quadruped and the arm: ``python -m robots.generator``.

In reading order:

- ``solids``: solids of a stated density, and the mass and inertia that several have together.
- ``writing``: links and joints as URDF.
- ``athena``, ``quadruped``, ``arm_6r``: the robots.
"""
