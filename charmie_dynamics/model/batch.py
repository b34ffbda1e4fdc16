# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""States of many cycles: some arrays are kept, the others computed on request."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.inverse.batch import room_for, run_batch, run_lanes
from charmie_dynamics.errors import CharmieError, InputError
from charmie_dynamics.numerics.addresses import address_of
from charmie_dynamics.numerics.blocks import Place
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats, Ints

from .flat.block_layout import BlockLayout
from .flat.loop_cycles import cycle_kernel, make_closed_rows
from .flat.parallel import run_in_parts
from .state import State

INPUTS = ("position", "velocity", "acceleration")  # of the actuators
# of a robot's thousands of numbers, those that studies are made for
KEPT = (
    "joint_position",
    "joint_velocity",
    "joint_acceleration",
    "spring_length",
)
KEPT_LOADS = (
    "generalized_force",
    "joint_effort",
    "actuator_effort",
    "spring_tension",
)


class BatchState(State):
    """The states of N samples.

    Arrays have their leading axes. Those that are not kept are computed from the inputs on request.

    Parameters
    ----------
    layout : BlockLayout
    given : (N, p) and two (N, v) arrays
        Inputs, which are copied. None: zeros.
    dynamics : bool
    workers : int or None
        Number of threads; None: one for each core.
    multipliers : (N, r) array, optional
        Of a robot with loop joints, where they are known: after forward dynamics.
    at_once : bool
        False: nothing is computed until an array is requested.
    leading : tuple of int, optional
        Leading axes of the arrays, with N samples; default: one axis.

    Attributes
    ----------
    inputs : (N, p) and two (N, v) arrays
        The copies.
    is_unfit : bool
        Whether any of the inputs is no finite number. Nothing is computed then.
    failure : (int, int) or None
        First sample that could not be computed and its status, see `core.inverse.cycle.run_cycle`.
    """

    def __init__(
        self,
        layout: BlockLayout,
        given: tuple[Floats, Floats | None, Floats | None],
        dynamics: bool,
        workers: int | None,
        multipliers: Floats | None = None,
        at_once: bool = True,
        leading: tuple[int, ...] | None = None,
    ) -> None:
        self._leading = (len(given[0]),) if leading is None else leading
        shape = len(given[0]), len(layout.robot.velocity_names)
        self.inputs = (
            np.empty(given[0].shape),
            *(np.zeros(shape) if a is None else np.empty(shape) for a in given[1:]),
        )
        super().__init__(layout, self.inputs[0], dynamics)
        self._workers = workers
        self._multipliers = np.zeros((len(given[0]), 0)) if multipliers is None else multipliers
        self.is_unfit = False
        self.failure: tuple[int, int] | None = None
        names = [*KEPT, *(KEPT_LOADS if dynamics else ())]
        self._kept = {(name, -1): layout.places[name] for name in names}
        if dynamics:
            for name in ("link_force", "link_torque"):
                self._kept[name, layout.base_body] = layout.row_of(name, layout.base_body)
        self._found: dict[tuple[str, int], Floats] = {}
        if at_once:
            self._compute(self._kept, dynamics, given)
        else:
            self._copy(given, slice(None))
        for name, array in zip(INPUTS, self.inputs, strict=True):
            view = self._per_sample(array)
            view.flags.writeable = False
            self._found[name, -1] = view

    @property
    def block(self) -> Floats:
        """Refused: a batch keeps some arrays only."""
        raise CharmieError("a batch has no block of all numbers; expected the state of one cycle")

    @property
    def position(self) -> Floats:
        """Positions (..., p), as given."""
        return self._found["position", -1]

    def _inputs(self) -> tuple[Floats, ...]:
        return self.inputs

    def _per_sample(self, numbers: Floats) -> Floats:
        return numbers.reshape(*self._leading, *numbers.shape[1:])

    def columns(self, index: Ints) -> Floats:
        """Return numbers of each state's block, (..., k), at the places `index` (k,)."""
        out = np.empty((len(self.inputs[0]), len(index)))
        if len(index):
            self._run(index, out, self.has_dynamics, ())
        return self._per_sample(out)

    def _array(self, name: str) -> Floats:
        return self._get(name, -1, self._layout.places[name])

    def _row(self, name: str, index: int) -> Floats:
        return self._get(name, index, self._layout.row_of(name, index))

    def _get(self, name: str, index: int, place: Place) -> Floats:
        if (name, index) not in self._found:
            if (name, index) in self._kept:
                self._compute(self._kept, self.has_dynamics)
            else:
                self._compute({(name, index): place}, name in self._layout.dynamics)
            if self.failure is not None:
                # the inputs are finite: they are checked before the state is returned
                n, largest = self.failure[0], np.abs(self.inputs[2][self.failure[0]]).max()
                raise InputError(
                    f"sample {n}: loads are not finite, at accelerations up to {largest:.3g}"
                )
        return self._found[name, index]

    def _compute(
        self,
        wanted: dict[tuple[str, int], Place],
        dynamics: bool,
        given: Sequence[Floats | None] = (),
    ) -> None:
        """Run all samples and keep some of the results; copy the inputs first."""
        ranges = [range(p.first, p.first + math.prod(p.shape)) for p in wanted.values()]
        columns = np.array([k for r in ranges for k in r], dtype=np.int64)
        count = len(self.inputs[0])
        out = np.empty((count, len(columns)))
        statuses = self._run(columns, out, dynamics, given)
        if self.is_unfit:
            return
        failed = [status for status in statuses if status >= 0]
        if failed:
            self._note_failure(min(failed), dynamics)
            return
        out.flags.writeable = False
        first = 0
        for key, place in wanted.items():
            size = math.prod(place.shape)
            part = out[:, first : first + size]
            self._found[key] = part.reshape(*self._leading, *place.shape)
            first += size

    def _run(
        self, columns: Ints, out: Floats, dynamics: bool, given: Sequence[Floats | None]
    ) -> list[int]:
        """Return for each part of the samples the first of some of which one failed, or -1."""

        def make_work() -> Callable[[slice], int]:
            rows = self._make_rows()

            def work(here: slice) -> int:
                self._copy(given, here)
                if self.is_unfit:
                    return -1  # all is copied, so that the first of them can be named
                found = rows(here, columns, out[here], dynamics)
                return found if found < 0 else found + here.start

            return work

        return run_in_parts(len(out), self._workers, make_work)

    def _make_rows(self) -> Callable[[slice, Ints, Floats, bool], int]:
        """Return a function that runs some of the samples in its own workspace."""
        robot, size = self._layout.robot, self._layout.size
        inputs, multipliers = self.inputs, self._multipliers
        if robot.sizes.r:
            closed = make_closed_rows(robot, size)

            def of_loops(here: slice, columns: Ints, out: Floats, dynamics: bool) -> int:
                position, velocity, acceleration = (array[here] for array in inputs)
                given = position, velocity, acceleration, multipliers[here]
                return closed(given, columns, out, dynamics)

            return of_loops
        run, workspace = ready(run_batch), room_for(size)
        addresses = (*robot.blocks.addresses, address_of(run_lanes))

        def of_tree(here: slice, columns: Ints, out: Floats, dynamics: bool) -> int:
            given = (array[here] for array in inputs)
            found: int = run(*addresses, *given, columns, out, workspace, dynamics)
            return found

        return of_tree

    def _copy(self, given: Sequence[Floats | None], here: slice) -> None:
        """Copy a part of the inputs and check that it is finite."""
        for source, copy in zip(given, self.inputs, strict=False):
            if source is not None:
                copy[here] = source[here]
                if not np.isfinite(copy[here]).all():
                    self.is_unfit = True

    def _note_failure(self, first: int, dynamics: bool) -> None:
        """Note the sample, from `first` on, that could not be computed."""
        layout = self._layout
        robot, block = layout.robot, np.empty(layout.size)
        run = cycle_kernel(robot)
        for n in range(first, len(self.inputs[0])):
            sample = (array[n].copy() for array in self.inputs)
            status = run(*robot.blocks.addresses, *sample, block, dynamics)
            if status != REACHED:
                self.failure = (n, status)
                return
