# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identification of a robot from motions with measured efforts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from charmie_dynamics.errors import InputError
from charmie_dynamics.model.model import Model
from charmie_dynamics.studies.robot_parameters.closed_motions import ClosedMotions

from .consistent_fit import consistent_fit
from .effort_filter import find_effort_cutoff
from .factors import RegressionFactors, factorise
from .judging import friction_alone, predict
from .result import IdentificationResult
from .rows import RegressionRows, require_usable, without_rests
from .samples import EffortSamples
from .unknowns import EffortColumns, Unknowns
from .weighted_fit import fit

PERIOD = 0.1  # s
PARTS = 2
BLOCKS = 20  # least number of blocks of the data for the jackknife, which omits one at a time
# A rotor that is not described is included if its estimate is larger than
CLEAR = 5.0  # standard deviations, and
CLEAR_SHARE = 0.1  # of a large value for it, see `rotor_columns`


@dataclass(frozen=True)
class IdentificationSettings:
    """Settings of an identification.

    Parameters
    ----------
    unknowns : Unknowns
    period : float
        Averaging time of the rows (s): short compared with the motion, long compared with the
        correlation time of the measurement.
    parts : int
        Number of equal parts of the data; each is predicted from the others.
    effort_cutoff : float, optional
        Of the low pass of the recorded efforts (Hz); inf: none; default: detect it.

    Examples
    --------
    >>> from charmie_dynamics.studies import IdentificationSettings
    >>> IdentificationSettings().period
    0.1
    """

    unknowns: Unknowns = field(default_factory=Unknowns)
    period: float = PERIOD
    parts: int = PARTS
    effort_cutoff: float | None = None


def identify(
    model: Model,
    recordings: Sequence[EffortSamples],
    settings: IdentificationSettings | None = None,
) -> IdentificationResult:
    """Identify a robot.

    Parameters
    ----------
    model : Model
        The described robot, whose values are used for parameters that the data do not determine.
    recordings : sequence of EffortSamples
    settings : IdentificationSettings, optional

    Raises
    ------
    CharmieError
        Without measured efforts or motion, or with fewer data than unknowns.
    UnsupportedError
        If neither an actuator nor loops move a joint of the robot.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.motions import make_motion
    >>> from charmie_dynamics.studies import identify, samples_of_motion
    >>> model = load_model("scara")
    >>> time = np.arange(0.0, 20.0, 0.02)
    >>> _, *motion = make_motion("wave", model).sampled(time)
    >>> effort = model.compute(*motion).actuator_effort + 4.0 * motion[1]
    >>> result = identify(model, [samples_of_motion(model, time, motion, effort)])
    >>> print(f"{result.friction['joint_2'].viscous:.3f}")  # N m s/rad
    4.000
    """
    how = settings or IdentificationSettings()
    closing = ClosedMotions(model, "identification")
    if how.parts < 2:
        raise InputError(f"parts: expected at least 2, got {how.parts}")
    each = -(-BLOCKS // how.parts)
    rows = RegressionRows(tuple(recordings), how.period, each * how.parts)
    require_usable(rows, model)
    whole, rows = rows, without_rests(rows, model)
    cutoff = how.effort_cutoff
    if cutoff is None:
        cutoff = find_effort_cutoff(model, rows)
    elif not cutoff > 0.0:
        raise InputError(f"effort_cutoff: expected a number above 0, got {cutoff:g} Hz")
    rows = replace(rows, effort_cutoff=cutoff)
    still = rows.still(closing.entries)
    columns = EffortColumns(closing, how.unknowns, rows.measured(), still)
    factors = None
    if how.unknowns.rotors is None and how.unknowns.inertials and not columns.unknowns.rotors:
        factors = _with_rotors(rows, columns)
    if factors is None:
        factors = factorise(rows, columns)
    columns = factors.columns
    solution = fit(factors)
    usual = rows.usual_efforts()[columns.actuators]
    consistent, free = consistent_fit(columns, solution.factor, usual)
    friction, identified = [], []
    for part in range(how.parts):
        others = [block for block in range(rows.blocks) if block // each != part]
        factor = factors.merged(others).equations(1.0 / solution.noise)
        friction += [friction_alone(columns, factor, solution.factor)] * each
        identified += [consistent_fit(columns, factor, usual, free)[0].values] * each
    return IdentificationResult(
        columns,
        solution,
        consistent,
        predict(rows, columns, friction, identified),
        usual,
        whole.duration,
        cutoff,
        whole.duration * (1.0 - rows.count / whole.count),
    )


def _with_rotors(rows: RegressionRows, columns: EffortColumns) -> RegressionFactors | None:
    """Return the factors of a robot without described rotors; with rotors if the data show some.

    None if the data are too few, or the base parameters differ.
    """
    unknowns = replace(columns.unknowns, rotors=True)
    still = rows.still(columns.closing.entries)
    wide = EffortColumns(columns.closing, unknowns, rows.measured(), still)
    factors = factorise(rows, wide)
    if factors.counts.sum() <= len(wide.names):
        return None
    solution = fit(factors)
    count = len(wide.labels) - len(wide.actuators)  # index of the first label of a rotor
    independent = np.flatnonzero(wide.base.columns >= count)
    estimate, deviation = solution.values[independent], solution.deviation[independent]
    sizes = wide.linear.sizes[wide.base.columns[independent] - wide.inertial_count]
    if (estimate > np.maximum(CLEAR * deviation, CLEAR_SHARE * sizes)).any():
        return factors
    if np.isin(columns.base.columns, wide.base.columns).all():
        return factors.without(columns)
    return None
