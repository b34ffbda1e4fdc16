# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward dynamics, and loops that loop joints close, in reading order.

- ``records``: what the kernels of trees work in, and what they write.
- ``articulated_bodies``: the inverse of the mass matrix times columns, in linear time.
- ``shared_coordinates``: what mimic joints elsewhere than their leaders add to that.
- ``forward_dynamics``: from efforts to accelerations of a tree.
- ``batch``: the same for many samples.
- ``loop_records``: what the kernels of loops work in, and what they write.
- ``orthogonal_factors``: independent rows of a matrix, and what is solved with them.
- ``loop_constraints``: error, Jacobian and drift of the constraints of loop joints.
- ``closure_steps``: steps of the search for closed positions.
- ``idle_motions``: internal freedoms that move nothing at the loop joints.
- ``loop_closure``: positions, velocities and accelerations of passive joints that close the loops.
- ``loop_balance``: efforts of the actuators, and multipliers of the loop joints.
- ``loop_forces``: a cycle with loop joints: closed loops, and what they transmit.
- ``loop_following``: passive joints from sample to sample, on the way of assembly that they are on.
- ``constrained_motion``: from efforts to accelerations of a robot with loop joints.
"""
