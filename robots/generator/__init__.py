# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Write the URDF files of the hexapod, the quadruped and the arm: ``python -m robots.generator``.

In reading order:

- ``solids``: solids of a given density, and the total mass and inertia of several solids.
- ``writing``: links and joints as URDF.
- ``athena``, ``quadruped``, ``arm_6r``: the robots.
"""
