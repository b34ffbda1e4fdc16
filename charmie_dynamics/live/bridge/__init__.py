# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""From a robot's own messages to joint states and actuator lengths.

In reading order:

- ``field_path``: paths to values inside messages.
- ``configuration``: the bridge file.
- ``quantised``: position and velocity from a signal of coarse steps.
- ``translator``: from one message to the values in it.
- ``reverse``: values of joints into a robot's own messages.
"""
