# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Residual, external effort and contacts of each cycle, from measured efforts, as in the node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.estimation.observer import Sample
from charmie_dynamics.live.measured import Comparison, MeasuredEfforts
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .cycles import AnalysisSettings, CycleCounts, Cycles

# (n, q) each, NaN without a measured effort; the last is NaN without a detected contact, too
RESIDUAL, EXTERNAL, CONTACT = COMPARED = ("effort_residual", "external_effort", "contact_effort")


def measured_efforts(model: Model, settings: AnalysisSettings) -> MeasuredEfforts:
    """Return the comparison of measured efforts, with the settings of the node."""
    return MeasuredEfforts(model, settings.observer_cutoff, settings.timeout)


def attempt(compare: Callable[[], Comparison | None], counts: CycleCounts) -> Comparison | None:
    """Return a comparison; None if it is not possible, or if it fails, which is counted."""
    try:
        return compare()
    except CharmieError as error:
        counts.note_uncompared(error)
    return None


def compared(
    efforts: MeasuredEfforts,
    model: Model,
    cycles: Cycles,
    motion: tuple[Floats, Floats, Floats],
    measured: Floats,
    counts: CycleCounts,
) -> Cycles:
    """Return cycles with the arrays of `COMPARED`; NaN without a measured effort.

    Parameters
    ----------
    efforts : MeasuredEfforts
        Continued from the cycles before.
    model : Model
        With the loads of the robot in all of these cycles.
    cycles : Cycles
        With loads.
    motion : tuple of array
        Position (n, p), velocity and acceleration (n, v) of the cycles.
    measured : array, shape (n, a)
    counts : CycleCounts
    """
    known = ~np.isnan(measured).all(axis=1)
    if not known.any():
        return cycles
    efforts.carry(model)
    arrays = cycles.arrays
    comparisons: list[Comparison | None] = [None] * len(known)
    for k in np.flatnonzero(known).tolist():
        stamp = int(cycles.stamps[k])
        sample = Sample(stamp, motion[0][k], motion[1][k], measured[k])
        estimated = arrays["actuator_effort"][k]
        comparisons[k] = attempt(partial(efforts.compare, sample, estimated), counts)
    return with_comparisons(cycles, comparisons)


def with_comparisons(cycles: Cycles, comparisons: Sequence[Comparison | None]) -> Cycles:
    """Return cycles with the arrays of `COMPARED`, if there is any comparison."""
    rows = [k for k, comparison in enumerate(comparisons) if comparison is not None]
    if not rows:
        return cycles
    some = [comparison for comparison in comparisons if comparison is not None]
    values = np.array(
        [(c.residual, c.external, np.where(c.contacts, c.external, np.nan)) for c in some]
    )
    result = np.full((len(COMPARED), len(comparisons), values.shape[2]), np.nan)
    result[:, rows] = values.swapaxes(0, 1)
    return cycles._replace(arrays={**cycles.arrays, **dict(zip(COMPARED, result, strict=True))})
