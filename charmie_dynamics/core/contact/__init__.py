# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contact between bodies: detection, laws of the forces, and their efforts.

In reading order:

- ``detection``: distances and points of contact of shapes.
- ``stiffness``: of a contact, from materials and radii.
- ``restitution``: restitution from damping, and damping from restitution.
- ``normal``: laws of the normal force.
- ``friction``: laws of the friction force.
- ``law_types``: classes of laws and their parameters; laws of users.
- ``registry``: the laws by their names, one line each.
- ``impacts``: restitution, indentation and duration of an impact by a law.
- ``evaluation``: calls of the laws from kernels by their addresses, and the energies.
- ``records``: constants, states and workspace of the contacts.
- ``memory``: the slots of the contact states.
- ``rollers``: wheels whose rollers turn freely.
- ``body_motion``: velocities of points of the bodies, and efforts of forces at such points.
- ``passing``: bounds on the time of touch, and steps in which shapes would pass undetected.
- ``contact_system``: a robot, its shapes and their pairs at one state.
- ``mean_motion``: steps in which forces, rather than the initial velocities, move shapes.
- ``contact_loads``: forces and efforts of contacts at one state.
- ``force_distribution``: the least forces within friction cones that balance given loads.
"""
