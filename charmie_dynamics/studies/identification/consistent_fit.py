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
        Values of the unknowns.
    parameters : (k,) array
        Values of the parameters that the base parameters combine, see `EffortColumns.labels`.
    """

    values: Floats
    parameters: Floats


class ConsistentRobot:
    """The parameters of a robot as a function of free variables; zero yields the description.

    The variables are deviations from the description, in standard deviations of the prior: of the
    logarithmic Cholesky parameters of all links with mass, of the parameters of springs and rotors,
    then of friction and offsets of the measured actuators. All but the first enter linearly.

    Parameters
    ----------
    columns : EffortColumns
    usual : (m,) array
        Typical efforts of the measured actuators (N m, N).

    Attributes
    ----------
    columns
    size : int
        Number of variables.
    lower : (z,) array
        Their smallest values, see `LinearParameters.least`; -inf without a limit.
    """

    def __init__(self, columns: EffortColumns, usual: Floats) -> None:
        self.columns = columns
        inertials = columns.described[: columns.inertial_count].reshape(-1, 10)
        self._links: Ints = np.flatnonzero(inertials[:, 0] > 0.0)
        self._eta = np.array([log_cholesky(inertials[k]) for k in self._links]).reshape(-1, 10)
        sizes = np.array([size_of(inertials[k]) for k in self._links])
        self._eta_scale = np.full(self._eta.shape, LOGARITHMS)
        self._eta_scale[:, 4:] = LENGTHS * sizes[:, None]

        group = columns.linear
        friction = columns.prior[len(columns.base.names) :]
        largest = np.maximum(friction, columns.sizes_of_own(usual))
        friction_scale = FRICTION * np.maximum(largest, 1e-9)
        least_friction = [
            -np.inf if what == OFFSET else 0.0
            for _ in columns.actuators
            for what in columns.unknowns.of_actuator
        ]
        self._linear = np.concatenate((group.values, friction))
        self._linear_scale = np.concatenate((group.deviations, friction_scale))
        least = np.concatenate((group.least, least_friction))
        self.lower = np.concatenate(
            (np.full(self._eta.size, -np.inf), (least - self._linear) / self._linear_scale)
        )
        self.size = len(self.lower)

    def at(self, z: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the unknowns (u,), their derivatives (u, z), and the parameters (k,)."""
        columns = self.columns
        inertial_count, base_count = columns.inertial_count, len(columns.base.names)
        eta_count, group_count = self._eta.size, len(columns.linear.values)
        linear = self._linear + self._linear_scale * z[eta_count:]

        parameters = columns.described.copy()
        by_variable = np.zeros((len(parameters), self.size))
        eta = self._eta + self._eta_scale * z[:eta_count].reshape(self._eta.shape)
        # limit trial steps to prevent an overflow
        np.clip(eta[:, :4], -FARTHEST, FARTHEST, out=eta[:, :4])
        for j, link in enumerate(self._links.tolist()):
            rows, own = slice(10 * link, 10 * link + 10), slice(10 * j, 10 * j + 10)
            parameters[rows], by_eta = from_log_cholesky(eta[j])
            by_variable[rows, own] = by_eta * self._eta_scale[j]
        parameters[inertial_count:] = linear[:group_count]
        k = np.arange(group_count)
        by_variable[inertial_count + k, eta_count + k] = self._linear_scale[:group_count]

        C = columns.base.combination
        values = np.concatenate((C @ parameters, linear[group_count:]))
        derivatives = np.zeros((len(values), self.size))
        derivatives[:base_count] = C @ by_variable
        k = np.arange(len(values) - base_count)
        derivatives[base_count + k, eta_count + group_count + k] = self._linear_scale[group_count:]
        return values, derivatives, parameters


def consistent_fit(
    columns: EffortColumns, factor: Floats, usual: Floats, start: Floats | None = None
) -> tuple[ConsistentFit, Floats]:
    """Return the robot that explains weighted rows best, and its free variables (z,).

    Parameters
    ----------
    columns : EffortColumns
    factor : (u + 1, u + 1) array
        Of the rows in units of their noise, see `WeightedFit`.
    usual : (m,) array
        Typical efforts of the measured actuators (N m, N).
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
    misfit = np.linalg.norm(R @ (values - columns.subtracted) - right) / np.sqrt(len(R))
    softer = max(1.0, float(misfit))
    while softer > 1.0:
        z = _solved(robot, R / softer, right / softer, z, free)
        softer = max(1.0, softer / SOFTENING)
    while True:
        z = _solved(robot, R, right, z, free)
        # set negative parameters to zero, and solve for the others again
        below = free & (z < robot.lower)
        if not below.any():
            break
        z[below] = robot.lower[below]
        free &= ~below
    values, _, parameters = robot.at(z)
    return ConsistentFit(values, parameters), z


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
