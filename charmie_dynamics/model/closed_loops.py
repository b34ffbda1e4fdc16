# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equations of motion and forward dynamics of robots with loop joints."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.equations.equations_of_motion import run_equations
from charmie_dynamics.core.forward.constrained_motion import run_constrained_forward
from charmie_dynamics.core.forward.loop_constraints import run_loop_constraints
from charmie_dynamics.core.forward.loop_records import ConstrainedRoom, ForwardTerms
from charmie_dynamics.errors import CharmieError
from charmie_dynamics.numerics.vectors import Floats

from .accelerated import accelerated_state
from .batch import BatchState
from .constraints import Reduction, opening_fault, reduction
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
from .flat.loop_cycles import ClosedCycle, Motion
from .loop_closure import LoopClosure
from .state import State

Result = TypeVar("Result")

ROUND_OFF = 1e-12  # relative: smaller inertias of idle motions count as zero

CONSTRAINED_FORWARD = KernelCall(
    run_constrained_forward,
    ForwardTerms,
    ConstrainedRoom,
    calls=(run_loop_constraints, run_equations),
)


def _of_each(motions: Motion, compute: Callable[[int, Motion], Result]) -> list[Result]:
    """Return the result of each sample, computed from its number and motion; errors name it."""
    results = []
    for n, motion in enumerate(zip(*motions, strict=True)):
        try:
            results.append(compute(n, motion))
        except CharmieError as error:
            raise error_of_sample(n, error) from None
    return results


def without_idle_effort(found: Reduction, M: Floats) -> Floats:
    """Return G (v, k) for accelerations of idle motions N that need no effort: N^T M G = 0.

    Parameters
    ----------
    found : Reduction
    M : (v, v) array
        Mass matrix of the open tree. Idle motions without inertia keep the G of the reduction.
    """
    G, N = found.ratio, found.idle_motions
    if not N.size:
        return G
    values, axes = np.linalg.eigh(N.T @ M @ N)
    terms = abs(N).T @ abs(M) @ abs(N)
    heavy = values > ROUND_OFF * terms.max(initial=0.0)
    axes = N @ axes[:, heavy]
    moved: Floats = G - axes @ ((axes.T @ M @ G) / values[heavy, None])
    return moved


class ClosedLoops(LoopClosure, ABC):
    """The part of a `Model` that has equations of motion and forward dynamics with loop joints.

    Robots without loop joints are those of `ForwardDynamics`.
    """

    layout: BlockLayout

    def equations(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        *,
        friction: bool = True,
    ) -> Equations:
        """Return the terms of the equations of motion; as `EquationsOfMotion.equations`.

        With loop joints they are in the coordinates that are not passive, in the order of
        `velocity_names`: with the motion v = G u of all coordinates by that of these, they are
        G^T M G, G^T (C G + M G'), and G^T times the efforts. Idle motions (`LoopConstraints.idle`)
        accelerate as they do without effort; the effort for their velocity, which exists while the
        actuators rest as well, is part of ``external_effort``.

        Raises
        ------
        OutOfReachError, InputError
            If a loop joint is open, or opens with the velocity.
        LoopError
            If the loops leave a passive joint free.
        UnsupportedError
            If there are more actuators than motions.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.description.files import share_file
        >>> files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
        >>> model = load_model(*files)
        >>> position, velocity, _ = model.assemble([0.5, 0.0, 0.0], [1.0, 0.0, 0.0])
        >>> model.equations(position, velocity).mass_matrix.shape  # of the crank
        (1, 1)
        """
        terms = super().equations(position, velocity, friction=friction)
        if self.flat.sizes.r == 0:
            return terms
        return self._reduced_equations(terms, self._checked_motion(position, velocity, None))

    def equations_batch(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        *,
        friction: bool = True,
        workers: int | None = None,
    ) -> Equations:
        """Return the terms for N states, each with a leading axis of N; as `equations`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.description.files import share_file
        >>> files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
        >>> model = load_model(*files)
        >>> rows = [model.assemble([x, 0.0, 0.0]).position for x in (0.1, 0.2, 0.3)]
        >>> model.equations_batch(rows).mass_matrix.shape
        (3, 1, 1)
        """
        terms = super().equations_batch(position, velocity, friction=friction, workers=workers)
        if self.flat.sizes.r == 0:
            return terms
        motions = rows_of(self, (position, velocity, None))
        blocks = _of_each(
            motions, lambda n, motion: self._reduced_equations(terms.of_sample(n), motion).block
        )
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

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.description.files import share_file
        >>> files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
        >>> model = load_model(*files)
        >>> position, velocity, _ = model.assemble([0.5, 0.0, 0.0], [1.0, 0.0, 0.0])
        >>> model.regressor(position, velocity).shape  # of the crank, by 4 links
        (1, 40)
        """
        rows = super().regressor(position, velocity, acceleration)
        if self.flat.sizes.r == 0:
            return rows
        motion = self._checked_motion(position, velocity, None)
        reduced: Floats = self._ratio(motion).T @ rows
        return reduced

    def regressor_batch(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
        *,
        workers: int | None = None,
    ) -> Floats:
        """Return the regressors of N states; as `regressor`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.description.files import share_file
        >>> files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
        >>> model = load_model(*files)
        >>> rows = [model.assemble([x, 0.0, 0.0]).position for x in (0.1, 0.2, 0.3)]
        >>> model.regressor_batch(rows).shape
        (3, 1, 40)
        """
        rows = super().regressor_batch(position, velocity, acceleration, workers=workers)
        if self.flat.sizes.r == 0:
            return rows
        motions = rows_of(self, (position, velocity, None))
        reduced = _of_each(motions, lambda n, motion: self._ratio(motion).T @ rows[n])
        return np.array(reduced).reshape(len(rows), -1, rows.shape[-1])

    def rotor_effort(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
    ) -> Floats:
        """Return the efforts that accelerate rotors; as `Differentiation.rotor_effort`.

        With loop joints they are G^T times those of all coordinates, as of `regressor`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> bool(model.rotor_effort(model.zero_position()).any())  # no rotors
        False
        """
        efforts = super().rotor_effort(position, velocity, acceleration)
        if self.flat.sizes.r == 0:
            return efforts
        v = None if velocity is None else np.atleast_2d(velocity)
        rows = np.atleast_2d(efforts)
        motions = rows_of(self, (np.atleast_2d(position), v, None))
        reduced = np.array(_of_each(motions, lambda n, motion: self._ratio(motion).T @ rows[n]))
        return reduced[0] if efforts.ndim == 1 else reduced

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

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.description.files import share_file
        >>> files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
        >>> model = load_model(*files)
        >>> position, velocity, _ = model.assemble([0.5, 0.0, 0.0], [1.0, 0.0, 0.0])
        >>> state = model.forward(position, velocity, effort=[2.0])
        >>> print(model.compute(position, velocity, state.acceleration).actuator_effort.round(9))
        [2.]
        """
        if not friction and self.has_friction:
            return self.without_friction().forward(position, velocity, effort)
        if self.flat.sizes.r == 0:
            return accelerated_state(self, self.layout, (position, velocity, effort))
        motion = self._checked_motion(position, velocity, None)
        motion[2][self.actuator_index] = checked("effort", effort, self.actuator_names)
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
        """Return the states to which efforts lead, for N samples; as `forward`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.description.files import share_file
        >>> files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
        >>> model = load_model(*files)
        >>> rows = [model.assemble([x, 0.0, 0.0]).position for x in (0.1, 0.2, 0.3)]
        >>> model.forward_batch(rows).acceleration.shape
        (3, 3)
        """
        if not friction and self.has_friction:
            return self.without_friction().forward_batch(
                position, velocity, effort, workers=workers
            )
        if self.flat.sizes.r == 0:
            return super().forward_batch(position, velocity, effort, workers=workers)
        p, v, efforts = rows_of(self, (position, velocity, None))
        if effort is not None:
            given = converted("effort", effort, (len(p), len(self.actuator_index)))
            require_finite("effort", given, self.actuator_names)
            efforts[:, self.actuator_index] = given
        out, _ = evaluate_rows(self, CONSTRAINED_FORWARD, (p, v, efforts), workers)
        acceleration, multipliers = np.empty(v.shape), np.empty((len(p), self.flat.sizes.r))
        motions = (p, v, efforts)
        found = _of_each(motions, lambda n, motion: self._forward_motion(motion, out[n]))
        for n, (inputs, multiplier) in enumerate(found):
            acceleration[n], multipliers[n] = inputs[2], multiplier
        batch = BatchState(self.layout, (p, v, acceleration), True, workers, multipliers)
        if batch.failure is not None:
            n, status = batch.failure
            sample = p[n], v[n], acceleration[n]
            raise refusal_of_sample((self.flat, self.tree, self.mechanisms), n, status, sample)
        return batch

    def _ratio(self, motion: Motion) -> Floats:
        """Return the motion of all coordinates by that of those that are not passive."""
        ratio: Floats = reduction(self.flat, motion, self._constraints(motion)).ratio
        return ratio

    def _reduced_equations(self, terms: Equations, motion: Motion) -> Equations:
        found = reduction(self.flat, motion, self._constraints(motion))
        M, C = terms.mass_matrix, terms.coriolis_matrix
        G = without_idle_effort(found, M)
        by_velocity = G.T @ (C + M @ found.drift)
        idle_velocity = motion[1] - G @ motion[1][found.index]
        parts = [
            G.T @ M @ G,
            by_velocity @ G,
            G.T @ terms.gravity_effort,
            G.T @ terms.spring_effort,
            G.T @ terms.external_effort + by_velocity @ idle_velocity,
            G.T @ terms.friction_effort,
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
