# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions that close the loops of a robot, and what the constraints are."""

from __future__ import annotations

from abc import ABC
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.equations.equations_of_motion import run_equations
from charmie_dynamics.core.forward.constrained_motion import run_constrained_forward
from charmie_dynamics.core.forward.loop_records import ConstrainedRoom, ForwardTerms
from charmie_dynamics.errors import CharmieError
from charmie_dynamics.numerics.vectors import Floats, Ints

from .accelerated import accelerated_state
from .batch import BatchState
from .constraints import LoopConstraints, loop_constraints, opening_fault, reduction
from .equations.evaluation import KernelCall, evaluate, evaluate_rows, rows_of
from .equations.results import Equations, TermArrays, equation_places
from .flat.block_layout import BlockLayout
from .flat.checks import (
    checked,
    converted,
    error_of_sample,
    refusal,
    refusal_of_sample,
    require_finite,
)
from .flat.loop_cycles import ClosedCycle, Motion, close
from .flat.loop_refusals import is_of_loops, refusal_of_loop
from .forward_dynamics import ForwardDynamics
from .friction import Friction
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
    """The part of a `Model` that closes loops.

    Robots without loop joints are those of `ForwardDynamics`.
    """

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
        movable = np.ones(len(self.velocity_names))
        movable[self._independent] = 0.0
        motion = self._checked_motion(position, velocity, acceleration)
        return self._closed(motion, movable, 3, True)

    def project(
        self, position: npt.ArrayLike, velocity: npt.ArrayLike | None = None
    ) -> tuple[Floats, Floats]:
        """Return the nearest position and velocity with which the loops are closed.

        All coordinates may move, driven ones as well; by as little as possible in the sense of
        least squares, with 1 m for 1 rad.

        Parameters
        ----------
        position : (p,) array_like
        velocity : (v,) array_like, optional
            Zero if omitted.

        Returns
        -------
        position, velocity : (p,), (v,) array

        Raises
        ------
        OutOfReachError
            If a loop cannot be closed.
        InputError
            As `Model.compute`.
        """
        motion = self._checked_motion(position, velocity, None)
        closed = self._closed(motion, np.ones(len(self.velocity_names)), 2, False)
        return closed.position, closed.velocity

    def constraints(
        self, position: npt.ArrayLike, velocity: npt.ArrayLike | None = None
    ) -> LoopConstraints:
        """Return the constraints of the loop joints: Jacobian, rank, the motions that they leave.

        Parameters
        ----------
        position : (p,) array_like
            The loops need not be closed.
        velocity : (v,) array_like, optional
            Zero if omitted.

        Raises
        ------
        InputError, OutOfReachError
            As `Model.compute`.
        """
        return self._constraints(self._checked_motion(position, velocity, None))

    def equations(
        self, position: npt.ArrayLike, velocity: npt.ArrayLike | None = None
    ) -> Equations:
        """Return the terms of the equations of motion; as `EquationsOfMotion.equations`.

        With loop joints they are in the coordinates that are not passive, in the order of
        `velocity_names`: with the motion v = G u of all coordinates by that of these, they are
        G^T M G, G^T (C G + M G'), and G^T times the efforts.

        Raises
        ------
        OutOfReachError, InputError
            If a loop joint is open, or opens with the velocity.
        LoopError
            If the loops leave a passive joint free.
        UnsupportedError
            If there are more actuators than motions.
        """
        terms = super().equations(position, velocity)
        if self.flat.sizes.r == 0:
            return terms
        return self._reduced_equations(terms, self._checked_motion(position, velocity, None))

    def equations_batch(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        *,
        workers: int | None = None,
    ) -> Equations:
        """Return the terms for N states, each with a leading axis of N; as `equations`."""
        terms = super().equations_batch(position, velocity, workers=workers)
        if self.flat.sizes.r == 0:
            return terms
        blocks = []
        motions = rows_of(self, (position, velocity, None))
        for n, row in enumerate(zip(*motions, strict=True)):
            try:
                reduced = self._reduced_equations(terms.of_sample(n), row)
            except CharmieError as error:
                raise error_of_sample(n, error) from None
            blocks.append(reduced.block)
        count = len(self._independent)
        return Equations(np.array(blocks).reshape(len(blocks), -1), equation_places(count))

    def regressor(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
    ) -> Floats:
        """Return the efforts by inertial parameters; as `Identification.regressor`.

        With loop joints its rows are those of `equations`, G^T times those of all coordinates.

        Raises
        ------
        OutOfReachError, InputError, LoopError, UnsupportedError
            As `equations`.
        """
        rows = super().regressor(position, velocity, acceleration)
        if self.flat.sizes.r == 0:
            return rows
        motion = self._checked_motion(position, velocity, None)
        ratio = reduction(self.flat, motion, self._constraints(motion)).ratio
        reduced: Floats = ratio.T @ rows
        return reduced

    def regressor_batch(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
        *,
        workers: int | None = None,
    ) -> Floats:
        """Return the regressors of N states; as `regressor`."""
        rows = super().regressor_batch(position, velocity, acceleration, workers=workers)
        if self.flat.sizes.r == 0:
            return rows
        reduced = []
        motions = rows_of(self, (position, velocity, None))
        for n, motion in enumerate(zip(*motions, strict=True)):
            try:
                found = reduction(self.flat, motion, self._constraints(motion))
            except CharmieError as error:
                raise error_of_sample(n, error) from None
            reduced.append(found.ratio.T @ rows[n])
        return np.array(reduced).reshape(len(rows), -1, rows.shape[-1])

    def forward(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        effort: npt.ArrayLike | None = None,
        *,
        friction: bool = True,
    ) -> State:
        """Return the state to which efforts lead; as `ForwardDynamics.forward`.

        Raises
        ------
        OutOfReachError, InputError
            If a loop joint is open, or opens with the velocity, by more than what integration
            leaves.
        """
        if self.flat.sizes.r == 0:
            return accelerated_state(self, self.layout, friction, (position, velocity, effort))
        motion = self._checked_motion(position, velocity, None)
        motion[2][self.actuator_index] = checked("effort", effort, self.actuator_names)
        if friction:
            motion[2][:] -= self._lost(motion[1])
        out, _ = evaluate(self, CONSTRAINED_FORWARD, motion)
        inputs, multiplier = self._forward_motion(motion, out)
        block = np.empty(self.layout.size)
        addresses = self.flat.blocks.addresses
        status = self._closed_cycle().with_multipliers(addresses, inputs, multiplier, block)
        if status != REACHED:
            raise refusal(self.flat, self.tree, self.mechanisms, status, inputs)
        return State(self.layout, block, True)

    def forward_batch(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        effort: npt.ArrayLike | None = None,
        *,
        friction: bool = True,
        workers: int | None = None,
    ) -> BatchState:
        """Return the states to which efforts lead, for N samples; as `forward`."""
        if self.flat.sizes.r == 0:
            return super().forward_batch(
                position, velocity, effort, friction=friction, workers=workers
            )
        p, v, efforts = rows_of(self, (position, velocity, None))
        if effort is not None:
            given = converted("effort", effort, (len(p), len(self.actuator_index)))
            require_finite("effort", given, self.actuator_names)
            efforts[:, self.actuator_index] = given
        if friction:
            efforts -= self._lost(v)
        out, _ = evaluate_rows(self, CONSTRAINED_FORWARD, (p, v, efforts), workers)
        acceleration, multipliers = np.empty(v.shape), np.empty((len(p), self.flat.sizes.r))
        for n, row in enumerate(out):
            try:
                inputs, multipliers[n] = self._forward_motion((p[n], v[n], efforts[n]), row)
            except CharmieError as error:
                raise error_of_sample(n, error) from None
            acceleration[n] = inputs[2]
        batch = BatchState(self.layout, (p, v, acceleration), True, workers, multipliers)
        if batch.failure is not None:
            n, status = batch.failure
            sample = p[n], v[n], acceleration[n]
            raise refusal_of_sample((self.flat, self.tree, self.mechanisms), n, status, sample)
        return batch

    def _lost(self, velocity: Floats) -> Floats:
        """Return the efforts (..., v) that friction takes at velocities (..., v)."""
        lost = np.zeros(velocity.shape)
        lost[..., self.actuator_index] = Friction(self).effort(velocity[..., self.actuator_index])
        return lost

    @property
    def _independent(self) -> Ints:
        """Coordinates that are not passive."""
        return np.flatnonzero(self.flat.mechanisms.by_type.loop_joints.is_passive == 0)

    def _checked_motion(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None,
        acceleration: npt.ArrayLike | None,
    ) -> Motion:
        return (
            checked("position", position, self.position_names),
            checked("velocity", velocity, self.velocity_names),
            checked("acceleration", acceleration, self.velocity_names),
        )

    def _closed(
        self, motion: Motion, movable: Floats, orders: int, determined: bool
    ) -> AssembledMotion:
        status = close(self.flat, motion, movable, orders, determined)
        if status != REACHED:
            if is_of_loops(status):
                raise refusal_of_loop(self.flat, status, motion, searched=True)
            raise refusal(self.flat, self.tree, self.mechanisms, status, motion)
        return AssembledMotion(*motion)

    def _constraints(self, motion: Motion) -> LoopConstraints:
        found = loop_constraints(self.flat, motion)
        if isinstance(found, int):
            raise refusal(self.flat, self.tree, self.mechanisms, found, motion)
        return found

    def _reduced_equations(self, terms: Equations, motion: Motion) -> Equations:
        found = reduction(self.flat, motion, self._constraints(motion))
        G, dG = found.ratio, found.ratio_rate
        M, C = terms.mass_matrix, terms.coriolis_matrix
        parts = [
            G.T @ M @ G,
            G.T @ (C @ G + M @ dG),
            G.T @ terms.gravity_effort,
            G.T @ terms.spring_effort,
            G.T @ terms.external_effort,
        ]
        block = np.concatenate([part.ravel() for part in parts])
        return Equations(block, equation_places(len(found.index)))

    def _forward_motion(self, motion: Motion, out: Floats) -> tuple[Motion, Floats]:
        """Return the motion, accelerations included, and multipliers that the kernel found."""
        terms = TermArrays(out, self.flat.blocks.prepared[CONSTRAINED_FORWARD].places)
        fault = opening_fault(
            self.flat,
            motion,
            terms.get("constraint_error"),
            terms.get("constraint_rate"),
            terms.get("constraint_size"),
        )
        if fault is not None:
            raise fault
        acceleration = terms.get("forward_acceleration").copy()
        return (motion[0], motion[1], acceleration), terms.get("multiplier_force").copy()

    def _closed_cycle(self) -> ClosedCycle:
        prepared = self.flat.blocks.prepared
        if ClosedCycle not in prepared:
            prepared[ClosedCycle] = ClosedCycle(self.flat)
        cycle: ClosedCycle = prepared[ClosedCycle]
        return cycle
