# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Workspace of the fixed-step methods, and the laws of each coordinate."""

from __future__ import annotations

from typing import NamedTuple

from charmie_dynamics.numerics.vectors import Floats

# methods; PROBE: the rates at the state, and no step; TOUCH: the same, where contacts may begin and
# end
PROBE = 0
SEMI_IMPLICIT_EULER = 1
RUNGE_KUTTA = 2
ROSENBROCK = 3
TOUCH = 4

# rows of the laws (6, v): the largest effort; positions at which the stops begin, their stiffness
# (0: no stops) and damping, and the depth at which the damping is complete
LARGEST_EFFORT = 0
LOWER_STOP = 1
UPPER_STOP = 2
STOP_STIFFNESS = 3
STOP_DAMPING = 4
STOP_RAMP = 5
LAW_COUNT = 6

# entries of the totals: energies since the start (J), their powers at the stage (W), and sums of
# powers over the stages
WORK = 0
LOST = 1
WORK_POWER = 2
LOST_POWER = 3
WORK_SUM = 4
LOST_SUM = 5
TOTAL_COUNT = 6


class StepArrays(NamedTuple):
    """Arrays of x states or v coordinates, in the order of the kernel's argument.

    The states are the p positions, then those of the contacts, see `core.contact.records`.
    """

    position: Floats  # (x,)
    velocity: Floats  # (v,), as all others by default
    asked: Floats  # requested efforts of the actuators
    acting: Floats  # the same within their limits
    resistance: Floats  # of friction and the damping of stops
    effort: Floats  # sum of all efforts except friction, which `run_forward` adds
    acceleration: Floats
    stage_position: Floats  # (x,)
    stage_velocity: Floats
    rate: Floats  # (x,), of the states
    position_sum: Floats  # (x,), over the stages
    velocity_sum: Floats
    totals: Floats  # (TOTAL_COUNT + CONTACT_TOTALS,)
    room: Floats  # of `run_forward`
    out: Floats
    more_room: Floats  # of `run_derivatives` or `run_contact_loads`, only one of which is called
    derivative_out: Floats
    factors: Floats  # (v v,)
