# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Prediction errors of efforts on data that the identification has not used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from charmie_dynamics.numerics.vectors import Floats

from .rows import RegressionRows
from .unknowns import EffortColumns

# of the length of columns in all of the data: a part in which joints rest does not determine their
# friction
LEAST_MOTION = 0.01


@dataclass(frozen=True)
class EffortJudgement:
    """Root-mean-square efforts of one actuator (N m or N), over all samples.

    Parameters
    ----------
    name, unit : str
    measured : float
    described : float
        Of measured minus described efforts, friction included.
    friction : float
        With the described inertials, and friction identified on the other parts of the data.
    identified : float
        With all parameters identified on the other parts of the data.
    """

    name: str
    unit: str
    measured: float
    described: float
    friction: float
    identified: float


@dataclass(frozen=True, eq=False)
class Predictions:
    """Efforts of the measured actuators at all samples, with concatenated recordings.

    Attributes
    ----------
    time : (n,) array
        s; concatenated recordings.
    measured, described, friction, identified : (n, m) array
        As in `EffortJudgement`.
    """

    time: Floats
    measured: Floats
    described: Floats
    friction: Floats
    identified: Floats

    def judgements(self, columns: EffortColumns) -> tuple[EffortJudgement, ...]:
        """Return the root-mean-square errors of each measured actuator."""
        result = []
        for m, i in enumerate(columns.actuators.tolist()):
            measured = self.measured[:, m]
            errors = [
                _rms(measured - efforts[:, m])
                for efforts in (self.described, self.friction, self.identified)
            ]
            name, unit = columns.model.actuator_names[i], columns.model.effort_units[i]
            result.append(EffortJudgement(name, unit, _rms(measured), *errors))
        return tuple(result)


def friction_alone(columns: EffortColumns, factor: Floats, whole: Floats) -> Floats:
    """Return the unknowns with described base parameters, and friction from a part of the data.

    Friction that the part does not determine, as that of joints at rest, keeps the described value.

    Parameters
    ----------
    columns : EffortColumns
    factor, whole : (u + 1, u + 1) array
        Weighted rows that represent the part and all of the data.
    """
    b, values = len(columns.base.names), columns.prior.copy()
    deviation = columns.prior - columns.subtracted
    right = factor[:, -1] - factor[:, :-1] @ deviation
    length = np.linalg.norm(whole[:, b:-1], axis=0)
    length[length == 0.0] = 1.0
    U, singular, Vt = np.linalg.svd(factor[:, b:-1] / length, full_matrices=False)
    moves = singular > LEAST_MOTION
    values[b:] += Vt[moves].T @ (U[:, moves].T @ right / singular[moves]) / length
    return values


def predict(
    rows: RegressionRows,
    columns: EffortColumns,
    friction: Sequence[Floats],
    identified: Sequence[Floats],
) -> Predictions:
    """Return the efforts at all samples, with the unknowns (u,) for each part of the data."""
    parts: list[list[Floats]] = []
    start, last = 0.0, None
    for piece in rows.pieces(columns):
        if piece.samples is not last:
            start = 0.0 if last is None else start + float(last.time[-1] - last.time[0])
            last = piece.samples
        efforts = piece.samples.measured[piece.rows][:, columns.actuators]
        base = efforts - piece.excess
        predicted = []
        for values in (columns.prior, friction[piece.part], identified[piece.part]):
            x = (values - columns.subtracted)[columns.places]
            predicted.append(base + np.einsum("nmc,mc->nm", piece.columns, x))
        time = start + piece.samples.time[piece.rows] - piece.samples.time[0]
        parts.append([time, efforts, *predicted])
    return Predictions(*map(np.concatenate, zip(*parts, strict=True)))


def _rms(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(known**2))) if len(known) else float("nan")
