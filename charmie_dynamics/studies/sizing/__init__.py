# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which motors and gears are large enough for what a robot does.

In reading order:

- ``drive_table``: motors and gears, from YAML.
- ``sizing``: what a motion asks of a drive, and the smallest that can.
"""
