# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The physically consistent robot that explains the data best.

Its links have positive-definite pseudo-inertias, see `pseudo_inertia`; its friction, springs and
rotors are not negative. A weak prior towards the description, with the standard deviations below,
decides where the data do not determine a parameter; it does not affect determined ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

from charmie_dynamics.numerics.vectors import Floats, Ints

from .pseudo_inertia import from_log_cholesky, log_cholesky, size_of
from .unknowns import OFFSET, EffortColumns

# standard deviations of the prior about the description
LOGARITHMS = 0.7  # of masses (halved) and sizes
LENGTHS = 1.0  # of centres of mass and shears, in radii of gyration
FRICTION = 10.0  # in the size of the described friction by the data, or of the RMS excess
FARTHEST = 20.0  # of logarithms
MOST_EVALUATIONS = 200
SOFTENING = 10.0  # of the noise, from one round to the next
TOLERANCE = 1e-5  # relative, of sums of squares in units of the noise


@dataclass(frozen=True, eq=False)
class ConsistentFit:
    """A physically consistent robot.

    Attributes
    ----------
    values : (u,) array
        Of the unknowns.
    parameters : (k,) array
        Of the parameters that the base parameters combine, see `EffortColumns.labels`.
    """

    values: Floats
    parameters: Floats


class ConsistentRobot:
    """The parameters of a robot as a function of free variables; zero yields the description.

    Parameters
    ----------
    columns : EffortColumns
    usual : (m,) array
        Typical efforts of the measured actuators (N m, N).
    """

    def __init__(self, columns: EffortColumns, usual: Floats) -> None:
        self.columns = columns
        described = columns.described
        inertials = described[: columns.inertial_count].reshape(-1, 10)
        self._links: Ints = np.flatnonzero(inertials[:, 0] > 0.0)
        self._eta = np.array([log_cholesky(inertials[k]) for k in self._links]).reshape(-1, 10)
        sizes = np.array([size_of(inertials[k]) for k in self._links])
        self._eta_scale = np.full(self._eta.shape, LOGARITHMS)
        self._eta_scale[:, 4:] = LENGTHS * sizes[:, None]
        springs, scale = columns.linear.values, columns.linear.deviations
        own = columns.prior[len(columns.base.names) :]
        each = columns.sizes_of_own(usual)
        own_scale = FRICTION * np.maximum(np.maximum(own, each), 1e-9)
        # springs, rotors and friction enter linearly
        self._linear = np.concatenate((springs, own))
        self._linear_scale = np.concatenate((scale, own_scale))
        free = np.isin(
            np.arange(len(own)) % max(len(columns.unknowns.of_actuator), 1),
            [k for k, what in enumerate(columns.unknowns.of_actuator) if what == OFFSET],
        )
        nothing = np.full(self._eta.size, -np.inf)
        smallest = np.concatenate((columns.linear.least, np.where(free, -np.inf, 0.0)))
        least = (smallest - self._linear) / self._linear_scale
        self.lower = np.concatenate((nothing, least))
        self.size = len(self.lower)
        self._spring_count = len(scale)

    def at(self, z: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the unknowns (u,), their derivatives (u, z), and the parameters (k,)."""
        columns = self.columns
        count = self._eta.size
        eta = self._eta + self._eta_scale * z[:count].reshape(self._eta.shape)
        # limit trial steps to prevent an overflow
        np.clip(eta[:, :4], -FARTHEST, FARTHEST, out=eta[:, :4])
        linear = self._linear + self._linear_scale * z[count:]
        parameters = columns.described.copy()
        slope = np.zeros((len(parameters), self.size))
        for j, link in enumerate(self._links.tolist()):
            rows, own = slice(10 * link, 10 * link + 10), slice(10 * j, 10 * j + 10)
            parameters[rows], by_eta = from_log_cholesky(eta[j])
            slope[rows, own] = by_eta * self._eta_scale[j]
        springs = self._spring_count
        parameters[columns.inertial_count :] = linear[:springs]
        rows_of_springs = np.arange(columns.inertial_count, len(parameters))
        slope[rows_of_springs, count + np.arange(springs)] = self._linear_scale[:springs]
        C = columns.base.combination
        b = len(columns.base.names)
        values = np.concatenate((C @ parameters, linear[springs:]))
        derivatives = np.zeros((len(values), self.size))
        derivatives[:b] = C @ slope
        others = np.arange(len(values) - b)
        derivatives[b + others, count + springs + others] = self._linear_scale[springs:]
        return values, derivatives, parameters


def consistent_fit(
    columns: EffortColumns, factor: Floats, usual: Floats, start: Floats | None = None
) -> tuple[ConsistentFit, Floats]:
    """Return the robot that explains weighted rows best, and its free variables.

    Parameters
    ----------
    columns : EffortColumns
    factor : (u + 1, u + 1) array
        Of the rows in units of their noise, see `WeightedFit`.
    usual : (m,) array
        Typical efforts of the measured actuators.
    start : (z,) array, optional
        Initial free variables; default: those of the description.
    """
    robot = ConsistentRobot(columns, usual)
    # the last row is the residual that no robot explains
    R, right = factor[:-1, :-1], factor[:-1, -1]
    z = np.zeros(robot.size) if start is None else np.maximum(start, robot.lower)
    free = np.ones(robot.size, dtype=bool)

    # rows far more exact than the first guess cause a narrow curved valley of the sum of squares:
    # begin with a larger noise
    values, _, _ = robot.at(z)
    off = np.linalg.norm(R @ (values - columns.subtracted) - right) / np.sqrt(len(R))
    softer = max(1.0, float(off))
    while True:
        solved = _solved(robot, R / softer, right / softer, z, free)
        if softer == 1.0:
            # set negative parameters to zero, and solve for the others again
            below = free & (solved < robot.lower)
            if not below.any():
                break
            solved[below] = robot.lower[below]
            free &= ~below
        softer = max(1.0, softer / SOFTENING)
        z = solved
    values, _, parameters = robot.at(solved)
    return ConsistentFit(values, parameters), solved


def _solved(
    robot: ConsistentRobot, R: Floats, right: Floats, start: Floats, free: npt.NDArray[np.bool_]
) -> Floats:
    """Return the free variables that explain the rows best; those not in `free` are fixed."""
    if not free.any():
        return start
    subtracted = robot.columns.subtracted

    def full(own: Floats) -> Floats:
        whole: Floats = start.copy()
        whole[free] = own
        return whole

    def residual(own: Floats) -> Floats:
        values, _, _ = robot.at(full(own))
        return np.concatenate((R @ (values - subtracted) - right, own))

    def jacobian(own: Floats) -> Floats:
        _, derivatives, _ = robot.at(full(own))
        return np.vstack((R @ derivatives[:, free], np.eye(len(own))))

    solution = least_squares(
        residual, start[free], jac=jacobian, method="lm",
        xtol=TOLERANCE, ftol=TOLERANCE, gtol=TOLERANCE, max_nfev=MOST_EVALUATIONS,
    )  # fmt: skip
    return full(solution.x)
