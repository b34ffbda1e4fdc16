# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motors and gears that are sufficient for a motion.

In reading order:

- ``drive_table``: motors and gears, from YAML.
- ``sizing``: loads of a drive in a motion, and the smallest sufficient drive.
"""
