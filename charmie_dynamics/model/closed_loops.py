# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions that close the loops of a robot, and what the constraints are."""

from __future__ import annotations

from abc import ABC
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core import arrays
from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.equations.equations_of_motion import run_equations
from charmie_dynamics.core.forward.constrained_motion import run_constrained_forward
from charmie_dynamics.core.forward.loop_constraints import CLOSED
from charmie_dynamics.core.forward.loop_records import ConstrainedRoom, ForwardTerms
from charmie_dynamics.core.inverse.cycle import STATUSES
from charmie_dynamics.errors import CharmieError
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.vectors import Floats

from .equations.evaluation import KernelCall, evaluate
from .flat.block_layout import BlockLayout
from .flat.checks import checked, refusal
from .flat.flatten import FlatRobot
from .flat.loop_cycles import ClosedCycle, Motion, close
from .flat.loop_refusals import is_of_loops, refusal_of_loop
from .forward_dynamics import ForwardDynamics
from .state import State

CONSTRAINED_FORWARD = KernelCall(
    run_constrained_forward, ForwardTerms, ConstrainedRoom, calls=run_equations
)


class AssembledMotion(NamedTuple):
    """Position (p,), velocity (v,) and acceleration (v,) with which the loops are closed."""

    position: Floats
    velocity: Floats
    acceleration: Floats


class ClosedLoops(ForwardDynamics, ABC):
    """The part of a `Model` that closes loops."""

    layout: BlockLayout

    def assemble(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
    ) -> AssembledMotion:
        """Return the motion of the passive joints that closes the loops.

        Positions by Newton's method, velocities and accelerations by linear equations (kinematic
        analysis, 004, figure 3). The motion of all others is kept.

        Parameters
        ----------
        position : (p,) array_like
            Of all coordinates; that of passive joints is where the search begins, and decides
            between several ways to close the loops.
        velocity, acceleration : (v,) array_like, optional
            Of all coordinates, zero if omitted; those of passive joints do not count.

        Returns
        -------
        AssembledMotion
            ``position``, ``velocity``, ``acceleration``: copies.

        Raises
        ------
        OutOfReachError
            If a loop cannot be closed; names the loop joint and by how much it stays open.
        LoopError
            If the loops leave a passive joint free, as in a singular position; names it.
        InputError
            As `Model.compute`; and where driven joints contradict each other.
        """
        motion = (
            checked("position", position, self.position_names),
            checked("velocity", velocity, self.velocity_names),
            checked("acceleration", acceleration, self.velocity_names),
        )
        movable = np.ones(len(self.velocity_names))
        movable[self.actuator_index] = 0.0
        status = close(self.flat, motion, movable, True)
        if status != REACHED:
            if is_of_loops(status):
                raise refusal_of_loop(self.flat, status, motion, searched=True)
            raise refusal(self.flat, self.tree, self.mechanisms, status, motion)
        return AssembledMotion(*motion)

    def forward(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        effort: npt.ArrayLike | None = None,
    ) -> State:
        """Return the state to which efforts lead, as `ForwardDynamics.forward`; loops are closed.

        Raises
        ------
        OutOfReachError
            If a loop joint is open, by more than round-off and what integration leaves.
        InputError
            If the velocities open a loop joint.
        """
        if self.flat.sizes.r == 0:
            return super().forward(position, velocity, effort)
        efforts = np.zeros(len(self.velocity_names))
        efforts[self.actuator_index] = checked("effort", effort, self.actuator_names)
        motion = (
            checked("position", position, self.position_names),
            checked("velocity", velocity, self.velocity_names),
            efforts,
        )
        out, _ = evaluate(self, CONSTRAINED_FORWARD, motion)
        terms = lay_out(ForwardTerms, self.flat.blocks.ints, out, self.flat.sizes)
        fault = opening_fault(self.flat, motion, terms)
        if fault is not None:
            raise fault
        inputs = (*motion[:2], terms.forward_acceleration.copy())
        block = np.empty(self.layout.size)
        cycle = ClosedCycle(self.flat)
        addresses = self.flat.blocks.addresses
        status = cycle.with_multipliers(addresses, inputs, terms.multiplier_force.copy(), block)
        if status != REACHED:
            raise refusal(self.flat, self.tree, self.mechanisms, status, inputs)
        return State(self.layout, block, True)


def opening_fault(flat: FlatRobot, motion: Motion, terms: Any) -> CharmieError | None:
    """Return the error of loops that are open, or open with their velocities; None: closed."""
    speed = float(abs(motion[1]).max(initial=0.0))
    for kind, errors, largest, allowed in (
        (arrays.LOOP_OPEN, terms.constraint_error, terms.constraint_opening[0], CLOSED),
        (arrays.LOOP_OPENS, terms.constraint_rate, terms.constraint_opening[1], CLOSED * speed),
    ):
        if largest > allowed:
            row = int(np.argmax(abs(errors)))
            return refusal_of_loop(flat, kind + STATUSES * row, motion, searched=False)
    return None
