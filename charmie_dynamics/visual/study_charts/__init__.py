# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Charts of studies.

In reading order:

- ``fronts``: candidates by their objectives.
- ``sensitivities``: the effect of each variable.
- ``intervals``: numbers with their intervals.
- ``speed_torque``: loads and limits of motors.
- ``training``: success over the time of a training.
"""
