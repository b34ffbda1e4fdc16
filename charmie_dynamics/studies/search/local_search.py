# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Local search by gradients, for objectives that are the largest of many smooth functions.

The peak of a motion is an example: its sample may change during the search. It is replaced by a
bound s with ``piece <= s`` for some of the pieces, which SciPy's sequential quadratic programming
(SLSQP) minimises. If another piece is larger then, it is added, and the search continues.
(R. Hettich, K. O. Kortanek, Semi-infinite programming, SIAM Review 35 (1993) 380, section 7:
exchange methods.) A round without improvement is repeated in a smaller box about its start.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.studies.design.evaluation import UNDEFINED, Linearisation
from charmie_dynamics.studies.design.quantities import KINDS, Pieces, StudyQuantity
from charmie_dynamics.studies.design.study import Study

from .scalarisation import Scalarisation

ROUNDS = 30  # maximum of exchange rounds
# trust region of a round, in widths of the bounds: wider after an improvement, narrower after a
# failure, since linearisations at a candidate are not valid far from it
WIDENED, NARROWED, NARROWEST = 4.0, 0.25, 1e-4
PEAKS = 4  # initial pieces of each quantity
ADDED = 3  # pieces that are added in a round
TOLERANCE = 1e-9  # of the scaled objective
SLACK = 1e-6  # tolerance of a piece above its bound, scaled
LEAST_GAIN = 1e-9, 1e-5  # of a round, else it is the last; scaled and relative
KEPT = 3  # stored points with their linearisations
FAR = 1e3  # scaled: value of constraints of an impossible robot


class SearchResult(NamedTuple):
    """Result of a search.

    Attributes
    ----------
    candidate : (n,) array
    values : (m,) array
        Its quantities.
    evaluations : int
        Number of evaluated candidates.
    tried : (e, n) array
        The evaluated candidates.
    tried_values : (e, m) array
    reasons : list of str
        Reasons of undefined quantities, else empty.
    """

    candidate: Floats
    values: Floats
    evaluations: int
    tried: Floats
    tried_values: Floats
    reasons: list[str]


class _Term(NamedTuple):
    """A quantity with an upper bound: all its pieces, or the largest alone.

    ``sign * factor * (piece - offset) <= bound``; the bound is number `group` of the unknown
    bounds, or zero for a group of -1.
    """

    quantity: StudyQuantity
    of_largest: bool
    sign: float
    factor: float
    offset: float
    group: int


@dataclass
class _Point:
    """An evaluated candidate with its linearisation; None for an impossible robot."""

    at: Linearisation | None
    values: Floats | None = None
    pieces: dict[str, Pieces] = field(default_factory=dict)


class LocalSearch:
    """Local search from a start.

    Parameters
    ----------
    study : Study
    scalarisation : Scalarisation
        Of its objectives.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.studies import parse_study
    >>> from charmie_dynamics.studies import LocalSearch
    >>> from charmie_dynamics.studies import weighted_sum
    >>> study = parse_study('''
    ... variables:
    ...   stiffness: {path: springs.torso_spring.stiffness, bounds: [1000, 9000]}
    ... motions: {wave: {named: wave, rate: 20}}
    ... objectives: {torso: {rms: torso_actuator}}
    ... methods: [local]
    ... ''')
    >>> search = LocalSearch(study, weighted_sum(np.ones(1), study.scales()))
    >>> found = search.run(study.start)
    >>> bool(found.values[0] < study.evaluator.evaluate(study.start).values[0])
    True
    """

    def __init__(self, study: Study, scalarisation: Scalarisation) -> None:
        self._study, self._evaluator = study, study.evaluator
        self._scalarisation = scalarisation
        self._terms = [*self._of_objectives(), *self._of_constraints()]
        self._free = list(study.evaluator.space.continuous)
        bounds = study.evaluator.space.bounds
        self._lower, self._width = bounds[:, 0], bounds[:, 1] - bounds[:, 0]
        self._step = np.where(self._width > 0.0, self._width, 1.0)
        self._points: dict[bytes, _Point] = {}
        self._tried: list[tuple[Floats, Floats, str]] = []

    def run(self, start: Floats, iterations: int = 100) -> SearchResult:
        """Return the best candidate that satisfies the constraints, or else the nearest to that.

        Parameters
        ----------
        start : (n,) array
            Variables with steps keep their values.
        iterations : int
            Maximum in each round of the quadratic programs.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics.studies import parse_study
        >>> from charmie_dynamics.studies import LocalSearch
        >>> from charmie_dynamics.studies import weighted_sum
        >>> study = parse_study('''
        ... variables:
        ...   stiffness: {path: springs.torso_spring.stiffness, bounds: [1000, 9000]}
        ... motions: {wave: {named: wave, rate: 20}}
        ... objectives: {torso: {peak: torso_actuator}}
        ... methods: [local]
        ... ''')
        >>> found = LocalSearch(study, weighted_sum(np.ones(1), study.scales())).run(study.start)
        >>> len(found.tried) == found.evaluations
        True
        """
        self._points.clear()
        self._tried.clear()
        candidate = np.array(start, dtype=np.float64)
        chosen: list[Ints] = [np.empty(0, dtype=np.int64) for _ in self._terms]
        point = self._point(candidate)
        radius, is_free = 1.0, False
        for _ in range(ROUNDS):
            if point.at is None or not self._free:
                break
            if not self._extend(chosen, point, candidate) and is_free:
                break
            moved = self._solve(candidate, chosen, iterations, radius)
            ahead = self._point(moved)
            gain = self._merit(point) - self._merit(ahead)
            way = float(np.abs((moved - candidate)[self._free] / self._step[self._free]).max())
            if gain >= 0.0:
                # near the edge of the trust region better candidates may be beyond it
                is_free = way < 0.99 * radius or radius == 1.0
                candidate, point, radius = moved, ahead, min(1.0, WIDENED * radius)
                if gain <= LEAST_GAIN[0] + LEAST_GAIN[1] * abs(self._merit(point)):
                    break
            else:
                if ahead.at is not None:
                    self._extend(chosen, ahead, moved)
                is_free, radius = False, NARROWED * min(radius, way)
            if radius < NARROWEST:
                break
        return self._best()

    def _of_objectives(self) -> list[_Term]:
        scalarisation = self._scalarisation
        terms = []
        for k, objective in enumerate(self._study.objectives):
            # all pieces count if the quantity is minimised, else the largest alone
            sign = objective.sign * (-1.0 if KINDS[objective.quantity.kind].least else 1.0)
            terms.append(
                _Term(
                    objective.quantity, sign < 0.0, sign, float(scalarisation.factors[k]),
                    sign * float(scalarisation.offsets[k]), int(scalarisation.groups[k]),
                )
            )  # fmt: skip
        return terms

    def _of_constraints(self) -> list[_Term]:
        terms = []
        for quantity, lower, upper in self._study.constraints:
            least = KINDS[quantity.kind].least
            for limit, above in ((upper, True), (lower, False)):
                if np.isfinite(limit):
                    # the pieces of a minimum belong to the negative signal
                    sign = 1.0 if above != least else -1.0
                    offset = -limit if least else limit
                    scale = 1.0 / max(abs(limit), 1e-12)
                    terms.append(_Term(quantity, sign < 0.0, sign, scale, offset, -1))
        return terms

    def _point(self, candidate: Floats) -> _Point:
        key = candidate.tobytes()
        if key not in self._points:
            # few, since a linearisation contains whole motions
            while len(self._points) >= KEPT:
                del self._points[next(iter(self._points))]
            study, reason = self._study, ""
            try:
                at = self._evaluator.at(candidate)
            except UNDEFINED as error:
                reason = str(error)
                self._points[key] = _Point(None)
                values = np.full(len(study.names), np.nan)
            else:
                quantities = self._evaluator.quantities
                parts = {q.name: q.pieces(at.signals[q.name], at.part(q)) for q in quantities}
                values = np.array([q.value(at.signals[q.name], at.part(q)) for q in quantities])
                self._points[key] = _Point(at, values, parts)
            self._tried.append((candidate.copy(), values, reason))
        return self._points[key]

    def _extend(self, chosen: list[Ints], point: _Point, candidate: Floats) -> bool:
        """Add the pieces that exceed the bounds; return whether there are any."""
        bounds = self._bounds(point, chosen)
        added = False
        for k, term in enumerate(self._terms):
            if term.of_largest:
                if not len(chosen[k]):
                    chosen[k], added = np.array([-1]), True
                continue
            values = term.factor * (point.pieces[term.quantity.name].value - term.offset)
            limit = bounds[term.group] if term.group >= 0 else 0.0
            is_first = not len(chosen[k])
            high = _local_maxima(values)
            high = high[np.argsort(-values[high], kind="stable")]
            if is_first:
                new = high[:PEAKS]
            else:
                new = np.setdiff1d(high[values[high] > limit + SLACK], chosen[k])
                new = new[np.argsort(-values[new], kind="stable")][:ADDED]
            if len(new):
                chosen[k], added = np.concatenate((chosen[k], new)), True
        return added

    def _bounds(self, point: _Point, chosen: list[Ints]) -> Floats:
        """Return the smallest bounds (g,) on the chosen pieces."""
        bounds = np.full(len(self._scalarisation.costs), -np.inf)
        for term, own in zip(self._terms, chosen, strict=True):
            if term.group >= 0 and len(own):
                values = self._values(term, point, own)
                bounds[term.group] = max(bounds[term.group], float(values.max()))
        return np.where(np.isfinite(bounds), bounds, 0.0)

    def _values(self, term: _Term, point: _Point, own: Ints) -> Floats:
        pieces = point.pieces[term.quantity.name].value
        of_term = pieces[[int(np.argmax(pieces))]] if term.of_largest else pieces[own]
        return np.asarray(term.sign * term.factor * (of_term - term.offset))

    def _slopes(self, term: _Term, point: _Point, own: Ints) -> Floats:
        """Return the derivatives (c, f) of the chosen pieces by the free variables, scaled."""
        at = point.at
        if at is None:
            return np.zeros((len(own), len(self._free)))
        pieces = point.pieces[term.quantity.name]
        if term.of_largest:
            own = np.array([int(np.argmax(pieces.value))])
        samples = pieces.sample[own]
        single = samples >= 0
        result = np.zeros((len(own), len(self._lower)))
        if single.any():
            # in the order of time, as the rows of motions are
            wanted, back = np.unique(samples[single], return_inverse=True)
            of_signal = at.slopes(term.quantity, wanted)[back]
            result[single] = pieces.slope[own][single][:, None] * of_signal
        if pieces.slopes is not None and not single.all():
            every = np.arange(len(pieces.slopes))
            of_signal = at.slopes(term.quantity, every)
            result[~single] = (pieces.slopes[:, None] * of_signal).sum(axis=0)
        return np.asarray(term.sign * term.factor * result[:, self._free] * self._width[self._free])

    def _merit(self, point: _Point) -> float:
        """Return the merit to minimise, including violated constraints."""
        if point.values is None:
            return np.inf
        values = point.values[None]
        excess = np.maximum(self._study.excess(values) - SLACK, 0.0)
        return float((self._scalarisation.value(self._study.goals(values)) + FAR * excess)[0])

    def _solve(
        self, candidate: Floats, chosen: list[Ints], iterations: int, radius: float
    ) -> Floats:
        """Return the candidate with the smallest bounds on the chosen pieces.

        Its distance from the given one is at most the radius.
        """
        free, costs = self._free, self._scalarisation.costs
        count = len(free)
        shares = ((candidate - self._lower) / self._step)[free]
        point = self._point(candidate)
        z = np.concatenate((shares, self._bounds(point, chosen)))
        box = np.maximum(shares - radius, 0.0), np.minimum(shares + radius, 1.0)

        def moved(z: Floats) -> Floats:
            result: Floats = candidate.copy()
            result[free] = self._lower[free] + np.clip(z[:count], *box) * self._width[free]
            return result

        def room(z: Floats) -> Floats:
            here = self._point(moved(z))
            parts = []
            for term, own in zip(self._terms, chosen, strict=True):
                bound = z[count + term.group] if term.group >= 0 else 0.0
                if here.at is None:
                    parts.append(np.full(len(own), -FAR))
                else:
                    parts.append(bound - self._values(term, here, own))
            return np.concatenate(parts)

        def room_slopes(z: Floats) -> Floats:
            here = self._point(moved(z))
            parts = []
            for term, own in zip(self._terms, chosen, strict=True):
                rows = np.zeros((len(own), len(z)))
                rows[:, :count] = -self._slopes(term, here, own)
                if term.group >= 0:
                    rows[:, count + term.group] = 1.0
                parts.append(rows)
            return np.concatenate(parts)

        cost = np.concatenate((np.zeros(count), costs))
        solution = minimize(
            lambda z: float(cost @ z),
            z,
            jac=lambda z: cost,
            method="SLSQP",
            bounds=[*zip(*box, strict=True)] + [(None, None)] * len(costs),
            constraints={"type": "ineq", "fun": room, "jac": room_slopes},
            options={"maxiter": iterations, "ftol": TOLERANCE},
        )
        return moved(solution.x)

    def _best(self) -> SearchResult:
        study = self._study
        tried = np.array([candidate for candidate, _, _ in self._tried])
        values = np.array([each for _, each, _ in self._tried])
        excess = study.excess(values)
        excess = np.where(np.isnan(excess), np.inf, np.maximum(excess - SLACK, 0.0))
        merit = self._scalarisation.value(study.goals(values))
        # feasible ones, or those with the smallest violation; the best of these
        order = np.lexsort((np.where(np.isnan(merit), np.inf, merit), excess))
        best = int(order[0])
        reasons = [reason for _, _, reason in self._tried]
        return SearchResult(tried[best], values[best], len(tried), tried, values, reasons)


def _local_maxima(values: Floats) -> Ints:
    """Return the values that are at least as high as both neighbours."""
    if len(values) < 3:
        return np.arange(len(values))
    padded = np.concatenate(([-np.inf], values, [-np.inf]))
    return np.flatnonzero((padded[1:-1] >= padded[:-2]) & (padded[1:-1] >= padded[2:]))
