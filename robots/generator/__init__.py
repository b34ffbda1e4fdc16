# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Write the files of robots of the package: ``python -m robots.generator``.

In reading order:

- ``solids``: solids of a given density, and the total mass and inertia of several solids.
- ``writing``: links and joints as URDF.
- ``athena``, ``quadruped``, ``arm_6r``: the hexapod, the quadruped and the arm.
- ``machines``: the machines with closed chains, with their mechanisms files.
"""
