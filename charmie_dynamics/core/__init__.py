# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mechanics on plain arrays; knows neither files nor ROS nor any one robot.

In reading order:

- ``arrays``: what the kernels read and write.
- ``mechanisms``: springs and balance mechanisms, one file a type.
- ``inverse``: the seven-step method, from actuator positions to actuator efforts.
- ``equations``: the equations of motion, their matrices and derivatives; motion of points.
- ``forward``: from efforts to accelerations; loops that loop joints close.
- ``integration``: motion in fixed steps.
- ``linear_equations``: factors of a matrix, by partial pivoting.
- ``contact``: where bodies touch, and the laws of the forces there.
- ``mass``: the centre of mass of the bodies.
- ``floor``: where a floor can hold what stands on it.
- ``stance``: how a robot stands, compiled.
"""
