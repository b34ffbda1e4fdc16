# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mechanics on plain arrays, independent of files, of ROS and of any particular robot.

In reading order:

- ``arrays``: the arrays that the kernels read and write.
- ``mechanisms``: springs and balance mechanisms, one file a type.
- ``inverse``: the seven-step method, from actuator positions to actuator efforts.
- ``equations``: the equations of motion, their matrices and derivatives; motion of points.
- ``forward``: from efforts to accelerations; loops that loop joints close.
- ``integration``: motion in fixed steps.
- ``linear_equations``: factors of a matrix, by partial pivoting.
- ``contact``: contact detection, and the laws of the contact forces.
- ``mass``: the centre of mass of the bodies.
- ``floor``: the point of a floor about which a load has no tilting torque.
- ``stance``: centre of mass, zero-moment point and tip-over margin, compiled.
"""
