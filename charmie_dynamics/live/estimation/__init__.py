# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Newest values of all actuators, estimated rates, and external efforts.

In reading order:

- ``records``: newest value and estimates of each actuator, settings, progress of cycles.
- ``trackers``: causal estimates of velocity and acceleration, one sample at a time.
- ``settling``: settling time of the estimates after a start.
- ``differentiator``: the trackers of all actuators.
- ``entries``: assignment of the entries of messages to coordinates.
- ``kernels``: compiled transfer of a sample's entries to the records of their actuators.
- ``following``: passive joints, followed from sample to sample; floating joints, held.
- ``measured_passive``: measured passive joints, which replace driven ones or are compared.
- ``contradictions``: velocities, positions and efforts that contradict each other.
- ``base_motion``: motion or inclination of the base by imu and odometry.
- ``estimator``: all of these together; missing and stale inputs.
- ``observer``: external efforts from measured ones.
"""
