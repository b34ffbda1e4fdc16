# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equations of motion: matrices, derivatives, energies. In reading order.

========================= ==========================================================================
module                    what
========================= ==========================================================================
``records``               workspace and results of the kernels
``kernels``               how Python calls them
``spatial_motion``        spatial velocities and inertias, in world axes
``mass_matrix``           mass matrix, Coriolis matrix, gravity, by composite rigid bodies
``tree``                  the open tree at one state: motion, inertias, both matrices
``known_efforts``         springs, balance mechanisms and loads from outside
``energy``                kinetic, gravitational, elastic
``transmission``          from the coordinates of the joints to those of the actuators
``equations_of_motion``   all terms at one state
``jacobian``              of a point of a link
``point_motion``          velocity and acceleration of a point of any frame
``regressor``             the efforts as a linear function of the inertial parameters
``spatial_forces``        spatial accelerations and forces
``loop_derivatives``      derivatives of loops and mechanisms, by dual numbers
``derivatives``           of the efforts, in closed form for the tree
``structural``            explicit coefficients of each body, on arrays of numbers or of symbols
========================= ==========================================================================
"""
