# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward dynamics, and loops that loop joints close, in reading order.

- ``records``: what the kernels of trees work in, and what they write.
- ``friction``: the law of viscous and Coulomb friction.
- ``articulated_bodies``: the inverse of the mass matrix times columns, in linear time.
- ``shared_coordinates``: what mimic joints elsewhere than their leaders add to that.
- ``forward_dynamics``: from efforts to accelerations of a tree.
- ``batch``: the same for many samples.
- ``loop_records``: what the kernels of loops work in, and what they write.
- ``orthogonal_factors``: independent rows of a matrix, and what is solved with them.
- ``loop_constraints``: error, Jacobian and drift of the constraints of loop joints.
- ``loop_closure``: positions, velocities and accelerations of passive joints that close the loops.
- ``loop_forces``: what loop joints transmit, and the efforts of the actuators with it.
- ``constrained_motion``: from efforts to accelerations of a robot with loop joints.
"""
