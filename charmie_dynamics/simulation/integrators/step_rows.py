# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The motion that the rows of a stepper contain."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.core.integration.step_arrays import LOST, WORK, StepRow
from charmie_dynamics.numerics.blocks import lay_out, places_of
from charmie_dynamics.numerics.vectors import Floats

from .applied_efforts import AppliedEfforts
from .integrated_motion import IntegratedMotion
from .stepper import Stepper

NO_INTS = np.zeros(0, dtype=np.int64)  # a row has floats alone


def motion_of(stepper: Stepper, time: Floats, rows: Floats) -> IntegratedMotion:
    """Return the motion of rows (k, row_size) at times (k,)."""
    row = lay_out(StepRow, NO_INTS, rows, stepper.sizes)
    first_of_loops = places_of(StepRow, stepper.sizes)[1]["multiplier_force"].first
    return IntegratedMotion(
        time=time,
        position=row.states.position,
        velocity=row.velocity,
        acceleration=row.acceleration,
        effort=row.acting[:, stepper.driven],
        energies=row.energies,
        powers=row.powers,
        stored=row.contact_energy,
        loops=rows[:, first_of_loops:],
        memory=row.states.memory,
    )


def evaluated(
    stepper: Stepper, efforts: AppliedEfforts, motion: IntegratedMotion
) -> IntegratedMotion:
    """Return a motion with all derived quantities; the stepper is then at its end."""
    arrays = stepper.arrays
    rows = np.empty((len(motion.time), stepper.row_size))
    for n, time in enumerate(motion.time.tolist()):
        stepper.position[:], arrays.velocity[:] = motion.position[n], motion.velocity[n]
        stepper.memory[:] = motion.memory[n]
        arrays.totals[WORK], arrays.totals[LOST] = motion.energies[n]
        stepper.normalise()
        stepper.set_efforts(efforts.at(time, stepper.position, arrays.velocity))
        stepper.probe(rows[n : n + 1])
    return motion_of(stepper, motion.time, rows)
