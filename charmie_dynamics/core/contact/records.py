# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Constants of the contacts of a world, and the workspace of their kernels.

The memory of contacts is part of the state, after the positions: a number of *slots* of five
numbers each. A slot belongs to a point of a pair of shapes during its contact. Free slots are zero.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from charmie_dynamics.core.inverse.records import CycleRecord
from charmie_dynamics.numerics.addresses import Address
from charmie_dynamics.numerics.vectors import Floats, Ints

from .detection.methods import METHOD_COUNT

# of a slot
KEY = 0  # identifies the pair and the point, see `key_of`; 0: free
TOUCH_RATE = 1  # rate at touch (m/s)
DISPLACEMENT = 2  # internal displacement of friction (m), three numbers
MEMORY = 5

# columns of the table of contacts
FIRST = 0  # shapes
SECOND = 1
POINT = 2
NORMAL = 5  # of the first shape, outward
DEPTH = 8  # indentation (m)
DEPTH_RATE = 9
NORMAL_FORCE = 10
FRICTION_FORCE = 11  # on the first shape
POINT_KEY = 14  # see `memory.key_of`
COLUMNS = 15


# phases of a step in which contacts are computed
WITHIN_STEP = 0
STEP_BEGINS = 1  # contacts begin and end: their memory is written
STEP_ENDS = 2  # no forces: with the mean velocities, the pairs that would pass undetected


class ContactSizes(NamedTuple):
    """Sizes of the arrays."""

    shapes: int
    groups: int
    laws: int
    normal_parameters: int  # of a law, the largest number
    friction_parameters: int


class ShapeLaws(NamedTuple):
    """The laws of each pair of shapes."""

    counts: Annotated[Ints, len(ContactSizes._fields)]  # those of `ContactSizes`
    shape_group: Annotated[Ints, "shapes"]
    law_of_groups: Annotated[Ints, "groups", "groups"]
    is_watched: Annotated[Ints, "groups", "groups"]  # 1: counts for WATCHED_FORCE
    has_rollers: Annotated[Ints, "shapes"]  # 1: a wheel with rollers, see `rollers`
    u_shape_axle: Annotated[Floats, "shapes", 3]  # of such a wheel
    roller_turn: Annotated[Floats, "shapes", 2]  # cosine and sine of its angle
    normal_address: Annotated[Ints, "laws"]  # see `evaluation`
    friction_address: Annotated[Ints, "laws"]
    normal_parameters: Annotated[Floats, "laws", "normal_parameters"]
    friction_parameters: Annotated[Floats, "laws", "friction_parameters"]
    method_address: Annotated[Ints, METHOD_COUNT]  # see `detection.methods`


class SceneAddresses(NamedTuple):
    """Addresses of the shapes that may touch."""

    laws_ints: Address  # the two blocks of a `ShapeLaws`
    laws_floats: Address
    detection_ints: Address  # the two blocks of a `Detection`
    detection_floats: Address


class BodyMotion(NamedTuple):
    """Axes, velocities and loads of each degree of freedom, at one point, world axes."""

    motion_reference: Annotated[Floats, 3]
    contact_axis_angular: Annotated[Floats, "d", 3]
    contact_axis_linear: Annotated[Floats, "d", 3]
    contact_angular: Annotated[Floats, "d", 3]
    contact_linear: Annotated[Floats, "d", 3]
    contact_torque: Annotated[Floats, "d", 3]
    contact_force: Annotated[Floats, "d", 3]


class ContactRoom(NamedTuple):
    """Workspace of `run_contact_loads`."""

    contact_at_rest: Annotated[Floats, "q"]  # zeros
    contact_effort: Annotated[Floats, "q"]  # of the joints
    start_velocity: Annotated[Floats, "q"]  # of the actuators at the beginning of a step
    joint_ratio: Annotated[Floats, "q"]  # of a joint's velocity to that of its actuator
    motion: BodyMotion
    contact_cycle: CycleRecord  # last, since a cycle's block may be longer


# indices in the totals that `run_contact_loads` writes
CONTACT_POWER = 0  # that contacts take from the bodies (W): stored and dissipated
CONTACT_STORED = 1  # J, if requested
CONTACT_COUNT = 2  # of points in contact
FREE_TIME = 3  # s, within which no pair can begin to touch, if a horizon is given
# the pair that would pass undetected: its shapes, and the speed of its points (m/s)
PASSING_FIRST = 4
PASSING_SECOND = 5
PASSING_SPEED = 6
# the largest normal force (N) of a point of a watched pair since it was set to zero, and its shapes
WATCHED_FORCE = 7
WATCHED_FIRST = 8
WATCHED_SECOND = 9
CONTACT_TOTALS = 10
