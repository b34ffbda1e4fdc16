# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Excitation motions: minimise the condition number of the regression.

The objective is a smooth bound on the condition number of the weighted regressor W, ::

    (log tr G^p + log tr G^-p) / 2 p  >=  log cond W,   G = W' W

with rows in units of the rated efforts and columns scaled to equal length, again in each of several
searches, plus penalties for exceeded rated efforts and insufficient tip-over margin. All terms
are sums over the instants, so that moving one actuator at all instants at once gives the
derivatives by its positions at each: three regressors for each actuator yield the gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
from scipy.optimize import minimize

from charmie_dynamics.errors import (
    CharmieError,
    InputError,
    LoopError,
    OutOfReachError,
    UnknownNameError,
    choices,
)
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.stability import Support, tip_over_margin, zero_moment_point
from charmie_dynamics.motions import SampledMotion, natural_stance
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.studies.identification.unknowns import EffortColumns, Unknowns
from charmie_dynamics.studies.robot_parameters.closed_motions import ClosedMotions

from .fourier import FourierMotions
from .reachable import ReachableRanges

POWER = 4
INSTANTS = 12  # for the finest sine, in the search
SEARCHES = 3
FIRST = 12  # random motions; the search starts with the best one
STEP = 1e-6  # of differences
WEIGHT = 10.0  # penalty for exceeding a limit by 100 %
RATE = 100.0  # Hz, of the returned motion
SMALLER = 0.9
OUT_OF_REACH = 1e6  # value of a motion whose loops do not close
LEAST_SIZE = 0.3


@dataclass(frozen=True)
class ExcitationSettings:
    """Settings of the search for a motion.

    Parameters
    ----------
    duration : float
        s.
    harmonics : int
        Of the Fourier series.
    cycle : float
        Approximate period of the Fourier series (s), which a longer motion repeats a whole number
        of times: so its frequencies do not depend on its duration.
    still : collection of str
        Actuators that hold their rest pose, in addition to the base joints.
    rise : float
        Time to reach the rated velocity at the limit of acceleration (s).
    margin : float
        Least tip-over margin (m), if the robot's contacts are known.
    rounds : int
        Of each of the three searches.
    seed : int

    Examples
    --------
    >>> from charmie_dynamics.studies import ExcitationSettings
    >>> ExcitationSettings(duration=30.0).harmonics
    5
    """

    duration: float = 20.0
    harmonics: int = 5
    cycle: float = 10.0
    still: Collection[str] = ()
    rise: float = 0.3
    margin: float = 0.05
    rounds: int = 20
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Excitation:
    """An excitation motion.

    Attributes
    ----------
    motion : SampledMotion
        Of all actuators, from rest to rest.
    condition : float
        Condition number of the scaled regressor.
    share : float
        Largest effort relative to the rated one, for the described robot.
    margin : float
        Least tip-over margin (m); NaN with unknown contacts.
    """

    motion: SampledMotion
    condition: float
    share: float
    margin: float


class ExcitationRegression:
    """The regression of a robot along motions of some of its actuators.

    Parameters
    ----------
    model : Model
    unknowns : Unknowns
    still : collection of str
        Actuators that hold their rest pose, in addition to the base joints; their efforts are
        not measured.

    Raises
    ------
    UnknownNameError
        For an unknown actuator.
    CharmieError
        If no actuator moves.
    UnsupportedError, OutOfReachError, LoopError
        As `ClosedMotions`.
    """

    def __init__(self, model: Model, unknowns: Unknowns, still: Collection[str]) -> None:
        self.closing = ClosedMotions(model, "excitation")
        for name in still:
            if name not in model.actuator_names:
                raise UnknownNameError(
                    f"actuator '{name}' to stand still is unknown"
                    f"{choices(name, model.actuator_names)}"
                )
        at_rest = {*still, *model.mechanisms.base_joints}
        self.model = model
        self.moving = [i for i, name in enumerate(model.actuator_names) if name not in at_rest]
        if not self.moving:
            raise CharmieError("excitation: expected an actuator that moves, got none")
        moves = np.isin(np.arange(len(model.actuator_names)), self.moving)
        self._rest = natural_stance(model)
        if self.closing.has_loops:
            self.closing.start_at(self._rest)
            self._rest = self.closing.start[self.closing.entries]
        still = np.where(moves, np.nan, self._rest)
        self.columns = EffortColumns(self.closing, unknowns, moves, still)
        limits = model.actuator_limits()
        rated = np.array([limit.effort for limit in limits])
        self._rated = np.where((rated > 0.0) & np.isfinite(rated), rated, np.inf)
        weights = np.where(np.isfinite(self._rated), self._rated, 1.0)[self.moving]
        self._weights = 1.0 / weights
        self._sizes = np.ones(len(self.columns.names))
        self._support = Support.of(model)

    def whole(self, motion: tuple[Floats, ...]) -> tuple[Floats, Floats, Floats]:
        """Return the motion of all coordinates, from that of the moving actuators, (n, m) each."""
        position = np.tile(self._rest, (len(motion[0]), 1))
        velocity, acceleration = np.zeros((2, *position.shape))
        for array, part in zip((position, velocity, acceleration), motion, strict=True):
            array[:, self.moving] = part
        return self.closing.of((position, velocity, acceleration))

    def moved(
        self, motion: tuple[Floats, Floats, Floats], kind: int, actuator: int, step: float
    ) -> tuple[Floats, Floats, Floats]:
        """Return a motion of all coordinates with a step of one actuator.

        Parameters
        ----------
        motion : tuple of array
        kind : {0, 1, 2}
            Of its position, velocity or acceleration.
        actuator : int
        step : float
        """
        model = self.model
        places = self.closing.entries if kind == 0 else model.actuator_index
        q, v, a = (array.copy() for array in motion)
        (q, v, a)[kind][:, places[actuator]] += step
        return self.closing.near((q, v, a))

    def rows(self, motion: tuple[Floats, Floats, Floats]) -> Floats:
        """Return the scaled rows (n, m, u) along a motion of all actuators."""
        own = self.columns.of(*motion) * self._weights[:, None]
        result = np.zeros((*own.shape[:2], len(self._sizes)))
        for m, places in enumerate(self.columns.places):
            result[:, m, places] = own[:, m]
        return result * self._sizes

    def scale(self, motion: tuple[Floats, Floats, Floats]) -> None:
        """Scale the columns permanently to equal length along a motion."""
        length = np.linalg.norm(self.rows(motion), axis=(0, 1))
        self._sizes = self._sizes / np.where(length > 0.0, length, 1.0)

    def condition(self, motion: tuple[Floats, Floats, Floats]) -> float:
        """Return the condition number of the scaled regressor, its columns of equal length."""
        W = self.rows(motion).reshape(-1, len(self._sizes))
        length = np.linalg.norm(W, axis=0)
        if not length.all():
            return math.inf
        return float(np.linalg.cond(W / length))

    def excess(self, motion: tuple[Floats, Floats, Floats], margin: float) -> Floats:
        """Return the squared violation of the limits at each instant (n,)."""
        share, margins = self.judged(motion)
        lacks = np.zeros(len(share))
        if len(self._support.polygon):
            lacks = np.maximum(margin - np.nan_to_num(margins, nan=-1.0), 0.0) / max(margin, 0.01)
        return np.sum(np.maximum(share - 1.0, 0.0) ** 2, axis=1) + lacks**2

    def judged(self, motion: tuple[Floats, Floats, Floats]) -> tuple[Floats, Floats]:
        """Return relative efforts (n, q) and tip-over margins (n,), NaN if unknown."""
        batch = self.model.compute(*motion)
        share = np.abs(batch.actuator_effort) / self._rated
        support = self._support
        if not len(support.polygon):
            return share, np.full(len(share), np.nan)
        point = zero_moment_point(*batch.base_wrench, support.height)
        return share, tip_over_margin(point, support.polygon)


def propose(
    model: Model,
    settings: ExcitationSettings | None = None,
    unknowns: Unknowns | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Excitation:
    """Return an excitation motion for the identification.

    Equal settings give equal motions. Loops stay closed: away from singular positions, and
    within the limits of passive joints. Collisions of the robot with itself or its surroundings are
    not checked.

    Parameters
    ----------
    model : Model
    settings : ExcitationSettings, optional
    unknowns : Unknowns, optional
    progress : callable, optional
        Called with the name of the search, the finished rounds and the maximum of rounds.

    Raises
    ------
    UnknownNameError, InputError
        For an invalid actuator or number.
    CharmieError
        If no motion satisfies the limits.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.studies import ExcitationSettings, propose
    >>> found = propose(load_model("scara"), ExcitationSettings(duration=10.0, rounds=2))
    >>> found.motion.position.shape, bool(abs(found.motion.velocity[[0, -1]]).max() < 1e-9)
    ((1001, 5), True)
    """
    how = settings or ExcitationSettings()
    regression = ExcitationRegression(model, unknowns or Unknowns(), how.still)
    if not how.cycle > 0.0:
        raise InputError(f"cycle: expected a number above 0, got {how.cycle:g} s")
    period = how.duration
    if math.isfinite(how.duration):
        period /= max(1, round(how.duration / how.cycle))
    family = FourierMotions.of(model, regression.moving, period, how.harmonics, how.rise)
    ranges = None
    if regression.closing.has_loops:
        ranges = ReachableRanges(regression.closing, regression.moving)
        lower, upper = ranges.find(family.lower, family.upper, how.seed)
        family = replace(family, lower=lower, upper=upper)
    rng = np.random.default_rng(how.seed)
    search = _Search(regression, family, how)
    shape = len(regression.moving), family.free
    x = min((rng.uniform(-1.0, 1.0, shape) for _ in range(FIRST)), key=search.condition)
    for k in range(SEARCHES):
        search.scale(x)
        report = _counter(f"search {k + 1} of {SEARCHES}", how.rounds, progress)
        solution = minimize(
            lambda x: search.value_and_gradient(x.reshape(shape)),
            x.ravel(), jac=True, method="L-BFGS-B", callback=report,
            bounds=[(-1.0, 1.0)] * x.size, options={"maxiter": how.rounds},
        )  # fmt: skip
        x = solution.x.reshape(shape)
    time = np.linspace(0.0, how.duration, round(how.duration * RATE) + 1)
    size, middle = 1.0, family.at(x, np.zeros(1))[0]
    while size > LEAST_SIZE:
        position, velocity, acceleration = family.at(x, time)
        own = middle + size * (position - middle), size * velocity, size * acceleration
        size *= SMALLER
        try:
            motion = regression.whole(own)
        except (LoopError, OutOfReachError):
            continue
        if ranges is not None and not ranges.allows(motion):
            continue
        if not regression.excess(motion, how.margin).any():
            share, margin = regression.judged(motion)
            places = (regression.closing.entries, model.actuator_index, model.actuator_index)
            return Excitation(
                SampledMotion(
                    time, *(part[:, own] for part, own in zip(motion, places, strict=True))
                ),
                regression.condition(motion),
                float(share.max()),
                float(margin.min()) if np.isfinite(margin).any() else math.nan,
            )
    raise CharmieError(
        f"excitation: no motion of {', '.join(model.actuator_names[i] for i in regression.moving)} "
        f"found that keeps a tip-over margin of {how.margin:g} m, the rated efforts and limits of "
        "passive joints; expected a smaller margin, a longer duration, or more actuators that "
        "stand still"
    )


def _counter(
    name: str, most: int, progress: Callable[[str, int, int], None] | None
) -> Callable[[Floats], None] | None:
    """Report the start of a search; return a function that reports each of its rounds."""
    if progress is None:
        return None
    progress(name, 0, most)
    done = count(1)
    return lambda _: progress(name, next(done), most)


class _Search:
    """The objective of the search, and its gradient."""

    def __init__(
        self, regression: ExcitationRegression, family: FourierMotions, settings: ExcitationSettings
    ) -> None:
        self._regression, self._family, self._how = regression, family, settings
        instants = INSTANTS * family.harmonics
        half = 0.5 * family.duration / instants
        self._time = np.linspace(half, family.duration - half, instants)

    def condition(self, x: Floats) -> float:
        """Return the condition number for free parameters (m, free); inf beyond the limits."""
        try:
            motion = self._regression.whole(self._family.at(x, self._time))
            return self._regression.condition(motion)
        except (LoopError, OutOfReachError):
            return math.inf

    def scale(self, x: Floats) -> None:
        """Scale the columns to equal length along a motion."""
        self._regression.scale(self._regression.whole(self._family.at(x, self._time)))

    def value_and_gradient(self, x: Floats) -> tuple[float, Floats]:
        """Return the objective and its derivatives, flat."""
        regression, margin = self._regression, self._how.margin
        try:
            motion = regression.whole(self._family.at(x, self._time))
        except (LoopError, OutOfReachError):
            return OUT_OF_REACH, np.zeros(x.size)
        W = regression.rows(motion)
        excess = regression.excess(motion, margin)
        value, M = self._shown(W)
        WM = W @ M
        by_motion = np.empty((3, len(self._time), len(regression.moving)))
        for kind in range(3):
            for m, i in enumerate(regression.moving):
                state = regression.moved(motion, kind, i, STEP)
                change = ((regression.rows(state) - W) * WM).sum(axis=(1, 2)) / STEP
                more = (regression.excess(state, margin) - excess) / STEP
                by_motion[kind, :, m] = change + WEIGHT * more / len(excess)
        gradient = np.empty_like(x)
        base = self._family.at(x, self._time)
        for k in range(x.shape[1]):
            shifted = x.copy()
            shifted[:, k] += STEP
            other = self._family.at(shifted, self._time)
            gradient[:, k] = sum(
                (by * (new - old)).sum(axis=0) / STEP
                for by, new, old in zip(by_motion, other, base, strict=True)
            )
        return value + WEIGHT * float(excess.mean()), gradient.ravel()

    def _shown(self, W: Floats) -> tuple[float, Floats]:
        """Return the bound on the condition, and M with d value = sum of (W M) * dW."""
        flat = W.reshape(-1, W.shape[2])
        values, vectors = np.linalg.eigh(flat.T @ flat)
        values = np.maximum(values, 1e-14 * values[-1])
        up, down = (values / values[-1]) ** POWER, (values[0] / values) ** POWER
        value = (
            math.log(values[-1]) - math.log(values[0])
            + (math.log(up.sum()) + math.log(down.sum())) / POWER
        )  # fmt: skip
        slope = up / up.sum() / values - down / down.sum() / values
        return 0.5 * value, (vectors * slope) @ vectors.T
