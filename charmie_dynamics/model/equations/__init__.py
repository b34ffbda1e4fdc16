# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The equations of motion and their terms: functions of a robot and arrays.

In reading order:

- ``results``: the terms of the equations, energies, derivatives.
- ``evaluation``: calls of the kernels, for one state and for many.
- ``point_motion``: of points and directions.
- ``jacobians``: of points of links and of auxiliary bodies.
- ``constraints``: those of loop joints at one state, and the remaining freedoms.
- ``reduction``: the equations of robots with loop joints.
- ``equations_of_motion``: their terms and energies.
- ``loop_derivatives``: of the efforts of robots with loop joints.
- ``regressor``: inertial parameters and the regressor.
- ``number_paths``: every number of the robot's files; ``file_parameters``: those of the efforts.
- ``rotors``: efforts that accelerate rotors.
- ``parameter_derivatives``: of the efforts, by them.
- ``accelerations``: from efforts, by the mass matrix.
"""
