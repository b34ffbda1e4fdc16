# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Publications of the nodes.

In reading order:

- ``profiles``: topics for rclpy.
- ``publishers``: all publishers of the dynamics node.
- ``sender``: sending without a copy.
- ``markers``: the scene as markers.
- ``shape_markers``: temporary shapes as markers.
- ``conversions``: between messages and arrays.
- ``diagnostics``: counters as statuses.
- ``floor_contacts``: forces of the floor.
- ``clearance``: distances of the robot's shapes from each other and from its surroundings.
"""
