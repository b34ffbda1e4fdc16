# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equations of motion and forward dynamics of robots with loop joints."""

from __future__ import annotations

import math
from abc import ABC

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.equations.equations_of_motion import run_equations
from charmie_dynamics.core.forward.constrained_motion import run_constrained_forward
from charmie_dynamics.core.forward.loop_constraints import run_loop_constraints
from charmie_dynamics.core.forward.loop_records import ConstrainedRoom, ForwardTerms
from charmie_dynamics.numerics.vectors import Floats

from .accelerated import accelerated_state, efforts_of_coordinates
from .batch import BatchState
from .constraints import Reduction, opening_fault, reduction
from .equations.evaluation import Given, KernelCall, evaluate, rows_of
from .equations.results import Equations, TermArrays, equation_places
from .flat.block_layout import BlockLayout
from .flat.checks import are_many, checked, refusal, refusal_of_sample
from .flat.loop_cycles import ClosedCycle, Motion
from .loop_closure import LoopClosure, of_each
from .state import State

ROUND_OFF = 1e-12  # relative: smaller inertias of idle motions count as zero

CONSTRAINED_FORWARD = KernelCall(
    run_constrained_forward,
    ForwardTerms,
    ConstrainedRoom,
    calls=(run_loop_constraints, run_equations),
)


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
        workers: int | None = None,
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
        terms = super().equations(position, velocity, friction=friction, workers=workers)
        if self.flat.sizes.r == 0:
            return terms
        rows, leading = rows_of(self, (position, velocity, None))
        places = equation_places(len(self._independent))
        block = np.empty((len(rows[0]), sum(math.prod(place.shape) for place in places.values())))
        blocks = of_each(
            rows, leading, lambda n, motion: self._reduced_equations(terms.of_sample(n), motion)
        )
        for n, reduced in enumerate(blocks):
            block[n] = reduced.block
        return Equations(block.reshape(*leading, block.shape[1]), places)

    def regressor(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
        *,
        workers: int | None = None,
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
        columns = super().regressor(position, velocity, acceleration, workers=workers)
        return self._reduced((position, velocity, acceleration), columns)

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
        return self._reduced((position, velocity, acceleration), efforts[..., None])[..., 0]

    def _reduced(self, given: Given, columns: Floats) -> Floats:
        """Return columns (..., v, k) in the coordinates that are not passive."""
        if self.flat.sizes.r == 0:
            return columns
        rows, leading = rows_of(self, given)
        many = columns.reshape(-1, *columns.shape[-2:])
        result = np.empty((len(many), len(self._independent), columns.shape[-1]))
        found = of_each(rows, leading, lambda n, motion: self._ratio(motion).T @ many[n])
        for n, reduced in enumerate(found):
            result[n] = reduced
        return result.reshape(*leading, *result.shape[1:])

    def forward(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        effort: npt.ArrayLike | None = None,
        *,
        friction: bool = True,
        workers: int | None = None,
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
            return self.without_friction().forward(position, velocity, effort, workers=workers)
        given = position, velocity, effort
        if self.flat.sizes.r == 0:
            return accelerated_state(self, self.layout, given, workers)
        if are_many(*given):
            return self._forward_of_many(given, workers)
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

    def _forward_of_many(self, given: Given, workers: int | None) -> State:
        position, velocity, effort = given
        efforts = None if effort is None else efforts_of_coordinates(self, effort)
        rows, leading = rows_of(self, (position, velocity, efforts), "effort")
        out, _ = evaluate(self, CONSTRAINED_FORWARD, rows, workers)
        found = of_each(rows, leading, lambda n, motion: self._forward_motion(motion, out[n]))
        p, v, acceleration = *rows[:2], np.empty(rows[1].shape)
        multipliers = np.empty((len(p), self.flat.sizes.r))
        for n, (inputs, multiplier) in enumerate(found):
            acceleration[n], multipliers[n] = inputs[2], multiplier
        motion = p, v, acceleration
        states = BatchState(self.layout, motion, True, workers, multipliers, leading=leading)
        if states.failure is not None:
            n, status = states.failure
            sample = p[n], v[n], acceleration[n]
            raise refusal_of_sample((self.flat, self.tree, self.mechanisms), n, status, sample)
        return states

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
