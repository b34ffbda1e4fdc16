# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Runs in fixed steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from charmie_dynamics.errors import CharmieError, SimulationError
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .applied_efforts import AppliedEfforts
from .integrated_motion import IntegratedMotion
from .methods import Integrator
from .step_rows import evaluated, motion_of
from .stepper import Stepper

CHUNK = 1000  # steps in one call


@dataclass(eq=False)
class FixedSteps:
    """A run in fixed steps, chunk by chunk.

    Parameters
    ----------
    stepper : Stepper
        At the start.
    integrator : Integrator
    efforts : AppliedEfforts
    step : float
        In seconds.
    count : int
        Number of steps.
    hold : bool
        Ask for the efforts once per step, not at each stage.

    Attributes
    ----------
    failure : SimulationError or None
        Why it ended before the last step.
    """

    stepper: Stepper
    integrator: Integrator
    efforts: AppliedEfforts
    step: float
    count: int
    hold: bool
    failure: SimulationError | None = field(default=None, init=False)
    _between: Stepper | None = field(default=None, init=False)

    @property
    def model(self) -> Model:
        """The robot."""
        return self.stepper.model

    @property
    def evaluations(self) -> int:
        """How often rates are evaluated in all steps."""
        return self.count * len(self.integrator.nodes)

    def evaluated(self, motion: IntegratedMotion) -> IntegratedMotion:
        """Return a motion between steps with the quantities that depend on efforts."""
        stepper = self.stepper
        has_more = stepper.model.flat.sizes.r or stepper.contacts is not None
        if self.efforts.held is not None and not has_more:
            return motion
        if self._between is None:
            self._between = Stepper(stepper.model, stepper.laws, contacts=stepper.contacts)
        return evaluated(self._between, self.efforts, motion)

    def __iter__(self) -> Iterator[IntegratedMotion]:
        """Yield the motion, each part with the last time of the one before."""
        done = 0
        while done < self.count and self.failure is None:
            steps = min(CHUNK, self.count - done)
            rows = np.empty((steps + 1, self.stepper.row_size))
            finished = self._run(done, steps, rows)
            time: Floats = np.arange(done, done + finished) * np.float64(self.step)
            if finished:
                yield motion_of(self.stepper, time, rows[:finished])
            done += steps

    def _run(self, done: int, steps: int, rows: Floats) -> int:
        """Return how many rows were written."""
        stepper, held = self.stepper, self.efforts.held
        stages = len(self.integrator.nodes)
        finished = 0
        try:
            if held is not None:
                stepper.set_efforts(held)
                stepper.run(0, steps * stages, self.step, rows)
                finished = steps
            else:
                for k in range(steps):
                    self._follow(done + k, rows[k : k + 1])
                    finished = k + 1
            self._ask(self.step * (done + steps), first=True)
            stepper.probe(rows[steps:])
            return steps + 1
        except CharmieError as error:
            if held is not None and finished == 0:
                finished = stepper.finished
            time = self.step * (done + finished)
            self.failure = SimulationError(time, str(error))
            self.failure.__cause__ = error
            return finished

    def _follow(self, k: int, row: Floats) -> None:
        """Take step k with the efforts of a law."""
        for stage, node in enumerate(self.integrator.nodes):
            if stage == 0 or not self.hold:
                self._ask(self.step * (k + node), first=stage == 0)
            self.stepper.run(stage, 1, self.step, row if stage == 0 else row[:0])

    def _ask(self, time: float, *, first: bool) -> None:
        stepper = self.stepper
        state = (stepper.position, stepper.arrays.velocity) if first else stepper.stage
        stepper.set_efforts(self.efforts.at(time, *state))
