# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Computed cycles of a recording, and their evaluation.

In reading order:

- ``cycles``: computed cycles as arrays over time.
- ``causal``: cycle by cycle, as the node computes them.
- ``tracks``, ``smoothing``, ``zero_phase``: all cycles at once, with derivatives without phase.
- ``loads``: the loads that were known when each sample came.
- ``contact_loads``: forces at the feet of a robot that moves freely, by its motion and odometry.
- ``comparisons``, ``contacts``: measured efforts, cycle by cycle.
- ``friction``, ``measured``: measured efforts held against the model, friction identified.
- ``summary``: peaks, work, overload, time near the limits.
- ``analysis``: from a recording to all of these.
- ``recorded_outputs``: the node's own efforts.
- ``states``, ``motion_loads``: the states of a recorded motion, computed again.
"""
