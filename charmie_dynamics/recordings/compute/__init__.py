# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Computed cycles of a recording, and their evaluation.

In reading order:

- ``cycles``: computed cycles as arrays over time.
- ``cylinders``: linear actuators that share the load of a joint.
- ``causal``: cycle by cycle, as the node computes them.
- ``tracks``, ``smoothing``, ``zero_phase``: all cycles at once, with zero-phase derivatives.
- ``position_jumps``: positions that jump between two samples.
- ``loads``: the loads that were known at each sample.
- ``contact_loads``: forces at the feet of a free robot, from its motion and odometry.
- ``comparisons``, ``contacts``: measured efforts, cycle by cycle.
- ``friction``, ``measured``: measured efforts compared with the model; identified friction.
- ``summary``: peaks, work, overload, time near the limits.
- ``analysis``: the whole analysis of a recording.
- ``recorded_outputs``: the node's own efforts.
- ``states``, ``motion_loads``: the states of a recorded motion, computed again.
"""
