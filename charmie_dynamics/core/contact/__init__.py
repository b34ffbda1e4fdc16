# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contact between bodies: laws of the forces at a point.

In reading order:

- ``stiffness``: of a contact, from materials and radii.
- ``restitution``: what restitution a damping gives, and the other way round.
- ``normal``: laws of the normal force.
- ``friction``: laws of the friction force.
- ``law_types``: what a law and its parameters are; laws of users.
- ``registry``: the laws by their names, one line each.
- ``impacts``: restitution, indentation and duration of an impact by a law.
- ``evaluation``: the laws called from kernels by their addresses, and the energies.
"""
