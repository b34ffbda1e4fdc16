# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters: the combinations of inertial parameters on which the efforts depend.

Some of the ten inertial parameters of each link move no joint, others only act in combination. The
stacked regressors of many states, W, have a rank b, which follows from the singular values. In the
factor R of W = Q R, a column that depends on those before it has a zero on the diagonal. Parents
come first among the links, so that dependent parameters of a child count to its parent. With
the independent columns W1 and K = W1^+ W2 the efforts are W1 (p1 + K p2). (Gautier, Numerical
Calculation of the Base Inertial Parameters of Robots, J. Robotic Systems 8 (1991) 485.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from charmie_dynamics.errors import CharmieError, LoopError, OutOfReachError
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints

from .closed_motions import ClosedMotions

RANK_TOLERANCE = 1e-9  # of the largest singular value, the columns of W scaled to length 1
DEPENDENT = 1e-11  # smaller singular values are certainly round-off
ROUND_OFF = 1e-16  # relative to the largest possible singular value
SMALLEST_FACTOR = 1e-7  # smaller values in K are round-off: the factors are lengths and squares
STATES = 3  # number of rows relative to that of parameters
WIDE = 3.0  # rad or m, of joints without limits
SEED = 1
FAST = 5.0  # of the typical speed of passive joints: faster ones are near a dead centre
NEARER, ATTEMPTS = 0.7, 16  # a position out of reach is moved towards the start by this factor


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """The base parameters of a robot.

    Attributes
    ----------
    names : tuple of str
        The combination of each, such as ``"head mx + 0.12 camera m"``.
    columns : (b,) array of int
        Their columns in the regressor:
        efforts = ``model.regressor(...)[:, columns] @ values``, without springs and wrenches.
    combination : (b, 10 n) array
        values = combination @ inertial_parameters.
    values : (b,) array
        Of the described robot.
    """

    names: tuple[str, ...]
    columns: Ints
    combination: Floats
    values: Floats


def find_base_parameters(model: Model, seed: int = SEED) -> BaseParameters:
    """Return the base parameters of a robot, from random states within its limits.

    Parameters
    ----------
    model : Model
    seed : int
        Of the random number generator.

    Raises
    ------
    CharmieError
        If no inertial parameter of the robot affects the efforts.
    UnsupportedError, OutOfReachError, LoopError
        As `ClosedMotions`.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.studies import find_base_parameters
    >>> model = load_model("scara")
    >>> base = find_base_parameters(model)
    >>> len(base.names), len(model.inertial_parameters)
    (15, 70)
    """
    closing = ClosedMotions(model, "base parameters")
    states = random_states(closing, len(model.inertial_parameters), seed)
    W = closing.weighted(model.regressor(*states)).reshape(-1, len(model.inertial_parameters))
    return independent_combinations(
        W, model.inertial_parameter_names, model.inertial_parameters, f"robot '{model.name}'"
    )


def independent_combinations(
    W: Floats, labels: tuple[str, ...], parameters: Floats, subject: str
) -> BaseParameters:
    """Return the combinations of parameters that stacked rows W (m, k) determine.

    Parameters
    ----------
    W : (m, k) array
        Of many states: efforts = W @ parameters.
    labels : tuple of str, length k
    parameters : (k,) array
        Of the described robot.
    subject : str
        Of the messages.

    Raises
    ------
    CharmieError
        If no parameter is determined, or the rank is ambiguous.
    """
    length = np.linalg.norm(W, axis=0)
    moved = np.flatnonzero(length > RANK_TOLERANCE * length.max(initial=0.0))
    if len(moved) == 0:
        raise CharmieError(
            f"{subject}: no inertial parameter changes any effort; expected links with "
            "movable joints"
        )
    scaled = W[:, moved] / length[moved]
    singular = np.linalg.svd(scaled, compute_uv=False) + ROUND_OFF
    singular /= singular[0]
    left = np.abs(np.diag(np.linalg.qr(scaled, mode="r")))
    tolerances = [RANK_TOLERANCE]
    ratios = singular[1:] / singular[:-1] + (singular[1:] > DEPENDENT)
    if len(ratios) and ratios.min() < 1.0:  # the widest gap above those that are round-off
        k = int(ratios.argmin())
        tolerances.append(math.sqrt(singular[k] * singular[k + 1]))
    for tolerance in tolerances:
        rank = int(np.count_nonzero(singular > tolerance))
        is_independent = left > tolerance
        if np.count_nonzero(is_independent) == rank:
            break
    if np.count_nonzero(is_independent) != rank:
        raise CharmieError(
            f"{subject}: its base parameters cannot be separated; the regressors have "
            f"rank {rank}, but {np.count_nonzero(is_independent)} columns depend on none before "
            "them. Try another seed"
        )
    independent, dependent = moved[is_independent], moved[~is_independent]
    K = np.linalg.lstsq(scaled[:, is_independent], scaled[:, ~is_independent], rcond=None)[0]
    K *= length[dependent] / length[independent][:, None]
    K[np.abs(K) < SMALLEST_FACTOR] = 0.0
    combination = np.zeros((rank, W.shape[1]))
    combination[np.arange(rank), independent] = 1.0
    combination[:, dependent] = K
    return BaseParameters(
        tuple(
            _name(row, int(own), labels) for row, own in zip(combination, independent, strict=True)
        ),
        independent,
        combination,
        combination @ parameters,
    )


def random_states(
    closing: ClosedMotions, unknowns: int, seed: int = SEED, still: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    """Return random positions (n, p), velocities and accelerations (n, v) within the limits.

    Parameters
    ----------
    closing : ClosedMotions
    unknowns : int
        Number of parameters that the states should determine.
    seed : int
    still : (a,) array, optional
        Positions of actuators that do not move; NaN for those that do.

    Raises
    ------
    CharmieError
        If few positions within the limits close the loops.
    """
    model = closing.model
    rng, v = np.random.default_rng(seed), len(model.actuator_names)
    samples = STATES * unknowns // max(v, 1) + 1
    limits = np.array([(limit.lower, limit.upper) for limit in model.actuator_limits()])
    limits = limits.reshape(v, 2)
    limits = np.where(np.isfinite(limits), limits, (-WIDE, WIDE))
    middle, half = limits.mean(axis=1), 0.5 * np.diff(limits, axis=1)[:, 0]
    # keep away from the limits, where a loop may be near its dead centre
    position = middle + 0.9 * half * rng.uniform(-1.0, 1.0, (samples, v))
    velocity, acceleration = rng.normal(size=(2, samples, v))
    if still is not None:
        is_still = np.isfinite(still)
        position[:, is_still] = still[is_still]
        velocity[:, is_still] = acceleration[:, is_still] = 0.0
    if not closing.has_loops:
        return position, velocity, acceleration
    centre = closing.start[closing.entries]
    if still is not None:
        centre = np.where(is_still, still, centre)
    return _closed(closing, centre, (position, velocity, acceleration))


def _closed(
    closing: ClosedMotions, centre: Floats, motion: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats, Floats]:
    """Return states with closed loops; nearer to the centre (a,) if these are out of reach.

    States near a dead centre, where passive joints are fast, are omitted.
    """
    rows, size = [], 1.0
    for position, velocity, acceleration in zip(*motion, strict=True):
        # as far as the loops close, about every second time
        for _ in range(ATTEMPTS):
            state = centre + size * (position - centre), velocity, acceleration
            try:
                rows.append(closing.of((state[0][None], state[1][None], state[2][None])))
                size = min(1.0, size / NEARER)
                break
            except (LoopError, OutOfReachError):
                size *= NEARER
    if not rows:
        raise CharmieError(
            f"robot '{closing.model.name}': its loops close at none of {len(motion[0])} positions "
            "within the limits; expected a rest_pose in the middle of its range"
        )
    q, v, a = (np.concatenate(part) for part in zip(*rows, strict=True))
    speed = abs(v).max(axis=1)
    slow = speed <= FAST * np.median(speed)
    return q[slow], v[slow], a[slow]


def _name(row: Floats, own: int, labels: tuple[str, ...]) -> str:
    """Return a combination as text, with its own parameter first."""
    text = labels[own]
    for k in np.flatnonzero(row):
        if k != own:
            sign = "+" if row[k] > 0.0 else "-"
            factor = f"{abs(row[k]):.4g} " if abs(abs(row[k]) - 1.0) > SMALLEST_FACTOR else ""
            text += f" {sign} {factor}{labels[k]}"
    return text
