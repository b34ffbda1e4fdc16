# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults that random robots found (`test/combinations`), for the report."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """A class of faults: how it shows, its cause and its state."""

    found: str
    invariant: str
    cause: str
    state: str


FIXED = "fixed"
FAULTS = (
    Fault(
        "a mimic joint that precedes its leader in the URDF changes the multiplier and offset of "
        "the leader",
        "links and joints in another order",
        "the entry of the leader was written after those of the chain, with their numbers",
        FIXED,
    ),
    Fault(
        "damping counted twice in `effort_by_position` next to linear actuators",
        "analytic derivatives equal differences",
        "the derivatives by velocity included the dampers before they were used for the positions",
        FIXED,
    ),
    Fault(
        "contributions of planar and floating joints are zero or wrong",
        "contributions sum to the equations",
        "one degree of freedom for each joint; relations of holonomic coordinates for all pairs",
        FIXED,
    ),
    Fault(
        "`simulate` refuses robots with wrenches: the balance of energies is off",
        "energy balance of each integrator",
        "the work of loads from outside was not counted",
        FIXED,
    ),
    Fault(
        "a run of a robot with loops cannot begin at the end of another one",
        "a paused run equals a continuous one",
        "the start was held to a smaller opening of the loops than the run itself",
        FIXED,
    ),
    Fault(
        "derivatives by numbers of a robot without coordinates end with a ValueError",
        "analytic derivatives equal differences",
        "an array of size zero was reshaped without its first axis",
        FIXED,
    ),
    Fault(
        "`symbolic.derive` ends with a KeyError for planar and floating joints",
        "equal results of all methods",
        "no units for joints with several coordinates",
        "fixed: planar joints are derived, floating joints are refused by name and type",
    ),
    Fault(
        "planar and floating joints in loops: wrong assembly, efforts and equations",
        "`forward(compute(a))` returns a; terms of the equations",
        "only the first coordinate of a passive joint was passive",
        FIXED,
    ),
    Fault(
        "the process ends with a segmentation fault in `assemble`, where loops leave a motion free",
        "all, robots with idle motions",
        "a view in place of an array in a call by address",
        FIXED,
    ),
    Fault(
        "`compute` leaves out friction, which `forward` includes",
        "`forward(compute(a))` returns a",
        "friction was part of forward dynamics alone",
        FIXED,
    ),
    Fault(
        "contributions do not sum to the efforts of robots with friction",
        "contributions sum to the equations",
        "friction had no contribution",
        FIXED,
    ),
    Fault(
        "worlds refuse robots with an `inverted` linear actuator: no zero position",
        "energy balance on the ground",
        "the length of joint zero was refused, since it means the other joint position",
        FIXED,
    ),
)


def section() -> list[str]:
    """Return the section of the report as lines."""
    return [
        "Random robots, drawn from the complete input language, in random states "
        "(`test/combinations`): inverse and forward dynamics, power balance, momentum, derivatives "
        "against differences, contributions, regressor, Jacobians, other descriptions of the same "
        "robot, batches, copies, simulations, contact with the ground. Each class of faults that "
        "they found:",
        "",
        "| found | invariant | cause | state |",
        "| --- | --- | --- | --- |",
        *(f"| {' | '.join(fault)} |" for fault in FAULTS),
    ]
