# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward dynamics, and loops that loop joints close, in reading order.

- ``loop_records``: what the kernels of loops work in, and what they write.
- ``orthogonal_factors``: independent rows of a matrix, and what is solved with them.
- ``loop_constraints``: error, Jacobian and drift of the constraints of loop joints.
- ``loop_closure``: positions, velocities and accelerations of passive joints that close the loops.
- ``loop_forces``: what loop joints transmit, and the efforts of the actuators with it.
- ``constrained_motion``: from efforts to accelerations of a robot with loop joints.
"""
