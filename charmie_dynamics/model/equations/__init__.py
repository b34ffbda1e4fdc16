# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The facade of the equations of motion: what `Model` gives besides the cycle.

In reading order:

- ``results``: the terms of the equations, energies, derivatives.
- ``evaluation``: calls of the kernels, for one state and for many.
- ``point_motion``: of points and directions; ``moving``: their motion at a state.
- ``jacobians``: of points of links and of auxiliary bodies.
- ``equations_of_motion``: the methods of `Model`.
- ``identification``: inertial parameters and the regressor.
- ``number_paths``: every number of the robot's files; ``numbers``: those of the efforts.
- ``rotors``: efforts that accelerate rotors.
- ``number_derivatives``: of the efforts, by them.
- ``accelerations``: from efforts, by the mass matrix.
- ``contributions``: what each body adds to them.
"""
