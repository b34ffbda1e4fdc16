# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions that close the loops of a robot, and what the constraints are."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import PASSIVE_IS_FREE, REACHED
from charmie_dynamics.core.inverse.cycle import STATUSES
from charmie_dynamics.errors import CharmieError
from charmie_dynamics.numerics.vectors import Floats, Ints

from .constraints import LoopConstraints, loop_constraints
from .equations.evaluation import Rows, rows_of
from .flat.checks import checked, error_of_sample, refusal
from .flat.loop_cycles import Motion, close
from .flat.loop_following import is_passive
from .flat.loop_refusals import is_of_loops, refusal_of_loop
from .forward_dynamics import ForwardDynamics

Result = TypeVar("Result")


class AssembledMotion(NamedTuple):
    """Position (p,), velocity (v,) and acceleration (v,) with which the loops are closed.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> model = load_model()
    >>> motion = model.assemble(model.zero_position())  # no loop joints: as it was
    >>> bool((motion.position == model.zero_position()).all())
    True
    """

    position: Floats
    velocity: Floats
    acceleration: Floats


def of_each(
    rows: Rows, leading: tuple[int, ...], compute: Callable[[int, Motion], Result]
) -> list[Result]:
    """Return the results of a function of the number and the motion of each state.

    Errors name the state, unless there is only one, without leading axes.
    """
    results = []
    for n, motion in enumerate(zip(*rows, strict=True)):
        try:
            results.append(compute(n, motion))
        except CharmieError as error:
            if not leading:
                raise
            raise error_of_sample(n, error) from None
    return results


def _in_axes(
    rows: Rows, found: Sequence[AssembledMotion], leading: tuple[int, ...]
) -> Iterator[Floats]:
    """Yield positions, velocities and accelerations of all states with their leading axes."""
    for k, array in enumerate(rows):
        result = np.empty(array.shape)
        for n, motion in enumerate(found):
            result[n] = motion[k]
        yield result.reshape(*leading, array.shape[1])


class LoopClosure(ForwardDynamics, ABC):
    """The part of a `Model` that closes loops."""

    def assemble(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
    ) -> AssembledMotion:
        """Return the motion of the passive joints that closes the loops.

        Positions by Newton's method, velocities and accelerations by linear equations (kinematic
        analysis, 004, figure 3). The motion of all others is kept.

        Idle motions, as the spin of a rod between two ball joints, keep their position and
        velocity (the shortest step), and are accelerated such that they need no effort;
        `LoopConstraints.idle` names them.

        Parameters
        ----------
        position : (..., p) array_like
            Of all coordinates; that of passive joints is where the search begins, and decides
            between several ways to close the loops. Quaternions of passive floating joints are
            normalised, and zeros become no rotation.
        velocity, acceleration : (..., v) array_like, optional
            Of all coordinates, zero if omitted; those of passive joints count for idle
            motions only.

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

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.description.files import share_file
        >>> files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
        >>> model = load_model(*files)
        >>> motion = model.assemble([0.5, 0.0, 0.0], velocity=[1.0, 0.0, 0.0])
        >>> print(motion.position.round(4), motion.velocity.round(4))
        [ 0.5    -0.5595  0.1539] [ 1.     -1.2088  0.2141]
        """
        rows, leading = rows_of(self, (position, velocity, acceleration))
        found = of_each(rows, leading, lambda n, motion: self._assembled(motion))
        return AssembledMotion(*_in_axes(rows, found, leading))

    def _assembled(self, motion: Motion) -> AssembledMotion:
        motion = motion[0].copy(), motion[1].copy(), motion[2].copy()
        movable = np.ones(len(self.velocity_names))
        movable[self._independent] = 0.0
        self._normalise_passive(motion[0])
        count = int(movable.sum())
        status = close(self.flat, motion, movable, 3, count)
        if status % STATUSES == PASSIVE_IS_FREE:
            idle = self._constraints(motion).idle_motions.shape[1]
            if idle > 0:
                status = close(self.flat, motion, movable, 3, count - idle)
        return self._accepted(motion, status)

    def project(
        self, position: npt.ArrayLike, velocity: npt.ArrayLike | None = None
    ) -> tuple[Floats, Floats]:
        """Return a position and a velocity near the given ones with which the loops are closed.

        All coordinates may move, driven ones as well. Each step of Newton's method and the change
        of velocity are the shortest in the sense of least squares, with 1 m for 1 rad.

        Parameters
        ----------
        position : (..., p) array_like
        velocity : (..., v) array_like, optional
            Zero if omitted.

        Returns
        -------
        position, velocity : (..., p), (..., v) array

        Raises
        ------
        OutOfReachError
            If a loop cannot be closed.
        InputError
            As `Model.compute`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.description.files import share_file
        >>> files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
        >>> model = load_model(*files)
        >>> position, velocity = model.project([0.5, -0.6, 0.1])
        >>> print(position.round(3))
        [ 0.516 -0.578  0.157]
        """
        rows, leading = rows_of(self, (position, velocity, None))
        found = of_each(rows, leading, lambda n, motion: self._projected(motion))
        closed = AssembledMotion(*_in_axes(rows, found, leading))
        return closed.position, closed.velocity

    def _projected(self, motion: Motion) -> AssembledMotion:
        motion = motion[0].copy(), motion[1].copy(), motion[2].copy()
        self._normalise_passive(motion[0])
        movable = np.ones(len(self.velocity_names))
        return self._accepted(motion, close(self.flat, motion, movable, 2, 0))

    def constraints(
        self, position: npt.ArrayLike, velocity: npt.ArrayLike | None = None
    ) -> LoopConstraints:
        """Return the constraints of the loop joints: Jacobian, rank, the motions that they leave.

        They are those of one state, since their rank differs between states.

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

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.description.files import share_file
        >>> files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
        >>> model = load_model(*files)
        >>> constraints = model.constraints(model.zero_position())
        >>> len(constraints.rows), constraints.rank, constraints.mobility, constraints.undetermined
        (5, 2, 1, ('pin',))
        """
        return self._constraints(self._checked_motion(position, velocity, None))

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

    def _normalise_passive(self, position: Floats) -> None:
        """Give quaternions of passive floating joints length one; zeros become no rotation."""
        freedoms = self.flat.freedoms
        passive = freedoms.floating_body[is_passive(self.flat)]
        for i in np.unique(passive[passive >= 0]):
            last = int(freedoms.scalar_entry[self.flat.tree.scalar[i]])
            quaternion = position[last - 3 : last + 1]
            length = np.linalg.norm(quaternion)
            position[last - 3 : last + 1] = quaternion / length if length else (0, 0, 0, 1)

    def _accepted(self, motion: Motion, status: int) -> AssembledMotion:
        """Return a closed motion, or raise the error of the status of its search."""
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
