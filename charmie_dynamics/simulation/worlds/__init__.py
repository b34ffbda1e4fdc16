# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Worlds: robots and single bodies that touch each other.

- ``self_collisions``: which links of a robot can touch each other.
- ``start_state``: where they start, and how fast.
- ``world``: a world, its simulation, its plants.
- ``entity_efforts``: effort laws of the robots of a world.
"""
