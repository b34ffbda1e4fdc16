# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Charts of studies.

In reading order:

- ``fronts``: candidates by their objectives.
- ``sensitivities``: what each variable changes.
- ``intervals``: numbers with their intervals.
- ``speed_torque``: what motors are asked for, and what they can.
"""
