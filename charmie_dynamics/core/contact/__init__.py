# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contact between bodies: where they touch, the laws of the forces, and what these do.

In reading order:

- ``detection``: where shapes meet.
- ``stiffness``: of a contact, from materials and radii.
- ``restitution``: what restitution a damping gives, and the other way round.
- ``normal``: laws of the normal force.
- ``friction``: laws of the friction force.
- ``law_types``: what a law and its parameters are; laws of users.
- ``registry``: the laws by their names, one line each.
- ``impacts``: restitution, indentation and duration of an impact by a law.
- ``evaluation``: the laws called from kernels by their addresses, and the energies.
- ``records``: what does not change, and what contacts remember.
- ``memory``: the slots of what is remembered.
- ``rollers``: wheels whose rollers turn freely.
- ``body_motion``: velocities of points of the bodies, and efforts of forces at such points.
- ``passing``: how soon shapes can touch, and steps in which they would pass unseen.
- ``contact_loads``: what contacts do at one state.
- ``force_distribution``: the least forces within friction cones that balance given loads.
"""
