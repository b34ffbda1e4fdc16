# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward dynamics, and loops that loop joints close, in reading order.

- ``records``: workspace and results of the kernels of trees.
- ``articulated_bodies``: the inverse of the mass matrix times columns, in linear time.
- ``shared_coordinates``: the same for mimic joints apart from their leaders.
- ``forward_dynamics``: from efforts to accelerations of a tree.
- ``batch``: the same for many samples.
- ``loop_records``: workspace and results of the kernels of loops.
- ``orthogonal_factors``: independent rows of a matrix, and solutions with them.
- ``loop_constraints``: error, Jacobian and drift of the constraints of loop joints.
- ``constraint_derivatives``: derivatives of the constraints, by duals.
- ``closure_steps``: steps of the search for closed positions.
- ``idle_motions``: internal freedoms that move nothing at the loop joints.
- ``loop_closure``: positions, velocities and accelerations of passive joints that close the loops.
- ``loop_balance``: efforts of the actuators, and multipliers of the loop joints.
- ``loop_forces``: a cycle with loop joints: closed loops, and the loads of the loop joints.
- ``loop_following``: passive joints from sample to sample, on their assembly branch.
- ``constrained_motion``: from efforts to accelerations of a robot with loop joints.
- ``free_motions``: the motions that the loops allow.
- ``closed_derivatives``: derivatives of the efforts of a robot with loop joints.
"""
