# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Newest values of all actuators, estimated rates, and what pushes the robot.

In reading order:

- ``records``: what is kept of each actuator, settings, and how far cycles have come.
- ``trackers``: causal estimates of velocity and acceleration, one sample at a time.
- ``settling``: how long the estimates settle after a start.
- ``differentiator``: the trackers of all actuators.
- ``entries``: where the entries of messages with certain names go.
- ``kernels``: entries of a sample into the records of their actuators, compiled.
- ``following``: passive joints, led from sample to sample; floating joints, held.
- ``measured_passive``: measured passive joints, which replace driven ones or are compared.
- ``contradictions``: velocities, positions and efforts that contradict each other.
- ``estimator``: all of these together; what is missing or stale.
- ``observer``: efforts from outside, from measured ones.
"""
