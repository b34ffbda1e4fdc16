# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The points on which the floor acts in a cycle, as a table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charmie_dynamics.model.contact_forces import ContactLoads
from charmie_dynamics.model.description.world.robot_contacts import RobotContacts
from charmie_dynamics.numerics.vectors import Floats, Ints


class FloorContacts(NamedTuple):
    """Points that bear a force, with the columns of `simulation.ContactTable`.

    Attributes
    ----------
    first, second : (c,) array of int
        0, the floor; and the number of the contact, from 1 on.
    point, normal : (c, 3) array
        World axes (m).
    indentation, indentation_rate : (c,) array
        Of the point below the floor, negative above it (m); the rate is not known: 0.
    normal_force : (c,) array
        N.
    friction_force : (c, 3) array
        On the floor (N).
    friction_coefficient : (c,) array
    moves : tuple of bool
        Of the floor and all contacts.
    """

    first: Ints
    second: Ints
    point: Floats
    normal: Floats
    indentation: Floats
    indentation_rate: Floats
    normal_force: Floats
    friction_force: Floats
    friction_coefficient: Floats
    moves: tuple[bool, ...]

    @classmethod
    def of(cls, loads: ContactLoads, contacts: RobotContacts) -> FloorContacts:
        """Return the table of the loads of a cycle."""
        bearing = np.flatnonzero(loads.normal_force > 0.0)
        n = np.array(contacts.normal) / np.linalg.norm(contacts.normal)
        point, amount = loads.point[bearing], loads.normal_force[bearing]
        friction = np.array([contact.friction for contact in contacts.contacts])
        return cls(
            np.zeros_like(bearing),
            bearing + 1,
            point,
            np.tile(n, (len(bearing), 1)),
            contacts.floor - point @ n,
            np.zeros(len(bearing)),
            amount,
            amount[:, None] * n - loads.force[bearing],
            friction[bearing],
            (False, *(True for _ in contacts.contacts)),
        )
