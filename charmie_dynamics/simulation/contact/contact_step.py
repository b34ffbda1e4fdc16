# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The step that contacts need of a fixed-step method.

Of a contact the eigenvalues of m s^2 + c s + k = 0 are known, with the effective mass m, the
stiffness k and the damping c. An explicit method is stable while all of these, times the step, lie
within its region of stability, of which the radius is given. Stiffness and damping are the slopes
of the laws under the largest load that may rest there at the start (`supports`), divided among the
points of contact. They are taken at rest, except that of friction, which is the largest at any
speed. The effective mass is the smallest in any motion that the points take part in,
1 / max eig(J M^-1 J^T), along the normal or across it; half of that for a body that others press
from a second side. Where a body touches several others, the sum over its contacts bounds the
eigenvalues. Impacts of single bodies need a step that resolves their force.

Sliding needs no shorter step. Friction with an internal displacement z draws z after the speed v
at the rate k v / L, with the largest force L; in a step that is long for that z swings about its
place, but the force stays at most L, and what z stores stays in the balance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.contact.law_types import FrictionLaw, NormalLaw
from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.errors import InputError
from charmie_dynamics.model.description.world import ContactRule
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats, Ints

from .contact_scene import ContactScene
from .supports import Resting, RestingShapes

SHORTEST = 1e-12  # s: with shorter steps no run ends
TOUCHING = 1e-3  # m, a gap at the start up to which shapes count as touching
RESOLVED = 0.2  # of a radian of an impact in a step: its force is followed
SLOW = 0.05  # m/s: slower impacts do not count
QUADRATURE = 12  # nodes
BESIDE = 0.25  # of the load of a shape that a point bears which it touches another one with
BINS = 4  # of loads, for each factor of two
SHARE = 0.5  # of the radius of stability: a motion is followed, not just kept from growing
SMALL = 1e-6  # of a depth or a displacement, for slopes
LEAST_SPEED = 1e-6  # m/s: slopes over smaller differences do not count
FASTEST = 10.0  # m/s up to which the slope of friction is searched
SPEEDS = 128  # of the search
DEEPEST = 1.0  # m
SHALLOWEST = 1e-13  # m: smaller indentations drown in the round-off of positions
HALVINGS = 60


class ContactNeed(NamedTuple):
    """What a pair of shapes needs.

    Attributes
    ----------
    step : float
        In seconds.
    first, second : str
        Links.
    mass, stiffness, damping : float
        Of the fastest motion (kg, N/m, N s/m): a point of contact has this stiffness and damping.
    load : float
        On all points of the contact (N).
    rate : float
        The size of the largest eigenvalue (1/s).
    """

    step: float
    first: str
    second: str
    mass: float
    stiffness: float
    damping: float
    load: float
    rate: float


class _Slopes(NamedTuple):
    """Stiffness and damping of a point of contact, along the normal and across it."""

    normal: tuple[float, float]
    tangential: tuple[float, float]


def resting_depth(rule: ContactRule, load: float) -> float:
    """Return the indentation (m), at most `DEEPEST`, at which a point bears a load (N)."""
    law: NormalLaw = NORMAL_LAWS[rule.normal]
    numbers, force = law.numbers(rule.normal_values), _called(law.force)
    return _root(lambda x: load - float(force(numbers, x, 0.0, 0.0)), DEEPEST)


def contact_need(
    model: Model,
    scene: ContactScene,
    position: Floats,
    stability: float,
    velocity: Floats | None = None,
) -> ContactNeed | None:
    """Return what the pair that needs the shortest step needs; None if nothing can touch.

    Parameters
    ----------
    model : Model
    scene : ContactScene
    position : (p,) array
        At the start.
    stability : float
        Radius of the region of stability of the method.
    velocity : (v,) array, optional
        At the start; zero if omitted.

    Raises
    ------
    InputError
        If a stiffness is so large that no step is short enough.
    """
    motions = [*_motions(model, scene, position, velocity)]
    if not motions:
        return None
    step, fastest = min(
        ((motion.step(stability), motion) for motion in motions), key=lambda each: each[0]
    )
    links = scene.shapes[fastest.pair[0]].link, scene.shapes[fastest.pair[1]].link
    if not step > SHORTEST:
        raise InputError(
            f"contact of '{links[0]}' and '{links[1]}': a stiffness of {fastest.stiffness:.3g} N/m "
            f"and a damping of {fastest.damping:.3g} N s/m need a step of {step:.1e} s, expected "
            f"more than {SHORTEST:g} s; give their law a smaller stiffness or damping"
        )
    return ContactNeed(
        step, *links, fastest.mass, fastest.stiffness, fastest.damping, fastest.load, fastest.rate
    )


def default_step(
    model: Model,
    scene: ContactScene | None,
    start: tuple[Floats, Floats],
    stability: float,
    longest: float,
) -> float:
    """Return the step that the contacts need (s), at most the longest; see `contact_need`."""
    position, velocity = start
    need = None if scene is None else contact_need(model, scene, position, stability, velocity)
    return longest if need is None else min(longest, need.step)


def resting_indentation(
    model: Model, scene: ContactScene, position: Floats, pair: tuple[int, int]
) -> float:
    """Return the indentation (m) of a point of two shapes under the load that may rest there."""
    first, second, law = scene.meeting_pairs()
    rule = scene.rules[int(law[(first == min(pair)) & (second == max(pair))][0])]
    bodies = _Bodies(model, scene, position)
    supports = RestingShapes(model, scene, bodies.places, bodies.axes)
    return resting_depth(rule, min(supports.load(k) for k in pair))


class _Motion(NamedTuple):
    """A motion of two shapes against each other at a contact, see `ContactNeed`."""

    pair: tuple[int, int]
    mass: float
    stiffness: float
    damping: float
    load: float
    is_impact: bool = False

    def step(self, stability: float) -> float:
        """Return the step (s) that the motion needs; the force of an impact must be resolved."""
        if not self.rate > 0.0 or stability == math.inf:
            return math.inf
        return (RESOLVED if self.is_impact else SHARE * stability) / self.rate

    @property
    def rate(self) -> float:
        """The size of the largest eigenvalue (1/s)."""
        return _fastest(self.mass, self.stiffness, self.damping)


def _motions(
    model: Model, scene: ContactScene, position: Floats, velocity: Floats | None
) -> Iterator[_Motion]:
    """Yield the motions of all pairs but of those that others are as fast as."""
    first, second, law = scene.meeting_pairs()
    if not len(first):
        return
    bodies = _Bodies(model, scene, position, velocity)
    supports = RestingShapes(model, scene, bodies.places, bodies.axes)
    is_plane = np.array([shape.kind == "plane" for shape in scene.shapes], dtype=bool)
    rests = is_plane[first] | is_plane[second]
    rests |= supports.are_stacked(first, second)
    touches = np.zeros(len(scene.shapes), dtype=bool)
    resting = first[rests], second[rests], law[rests]
    yield from _resting(bodies, supports, scene, resting, touches)
    fall = np.where(touches, 0.0, supports.heights())
    gravity = float(np.linalg.norm(model.mechanisms.gravity))
    yield from _impacts(bodies, scene, (first, second, law), 2.0 * gravity * fall)
    yield from _meeting(bodies, supports, scene, (first[~rests], second[~rests], law[~rests]))


def _resting(
    bodies: _Bodies,
    supports: RestingShapes,
    scene: ContactScene,
    pairs: tuple[Ints, Ints, Ints],
    touches: npt.NDArray[np.bool_],
) -> Iterator[_Motion]:
    """Yield the motions of shapes that rest on each other; write which shapes touch another one.

    What touches at the start acts together: the eigenvalues of the sum of all contacts are no
    larger than the sum of those of the contacts of either body.
    """
    slopes_of = _SlopesOfLaws(scene)
    stiffness, damping = np.zeros((2, len(scene.shapes))), np.zeros((2, len(scene.shapes)))
    touching = []
    for i, j, law in zip(*(each.tolist() for each in pairs), strict=True):
        support = supports.of(i, j)
        inverse = bodies.inverse_masses((i, j), support)
        slopes = slopes_of(law, support.load / support.shares)
        twice = 2.0 if bodies.are_connected(i, j) else 1.0
        for across, (k, c) in enumerate(slopes):
            total = twice * float(np.dot(support.sides, inverse[across]))
            if total > 0.0:
                yield _Motion((i, j), 1.0 / total, k, c, support.load)
        if support.gap < TOUCHING:
            touching.append((i, j, support.load))
            touches[[i, j]] = True
            for across, (k, c) in enumerate(slopes):
                for shape, each in zip((i, j), inverse[across], strict=True):
                    stiffness[across, shape] += twice * k * each
                    damping[across, shape] += twice * c * each
    for i, j, load in touching:
        for across in range(2):
            k, c = stiffness[across, [i, j]].sum(), damping[across, [i, j]].sum()
            yield _Motion((i, j), 1.0, float(k), float(c), load)


def _meeting(
    bodies: _Bodies, supports: RestingShapes, scene: ContactScene, pairs: tuple[Ints, Ints, Ints]
) -> Iterator[_Motion]:
    """Yield the motions of shapes beside each other, which may meet with any of their points.

    A point bears a quarter of the load of the lighter one, a point of a sphere all of that load.
    A shape is pressed from a second side if it has two such neighbours. Of pairs with about the
    same load under one law the lightest count.
    """
    first, second, law = pairs
    if not len(first):
        return
    loads = np.array([supports.load(k) for k in range(len(scene.shapes))])
    shares = np.array([1.0 if shape.kind == "sphere" else BESIDE for shape in scene.shapes])
    load = np.minimum(loads[first], loads[second]) * np.maximum(shares[first], shares[second])
    neighbours = np.bincount(np.concatenate([first, second]), minlength=len(loads))
    sides = np.where(neighbours > 1, 2.0, 1.0)
    inverse = np.array([bodies.largest_inverse_masses(k) for k in range(len(loads))])
    total = sides[first, None] * inverse[first] + sides[second, None] * inverse[second]
    total[[bodies.are_connected(i, j) for i, j in zip(first, second, strict=True)]] *= 2.0
    with np.errstate(divide="ignore"):
        size = np.ceil(BINS * np.log2(load))
    slopes_of = _SlopesOfLaws(scene)
    _, group = np.unique(np.column_stack([law, size]), axis=0, return_inverse=True)
    for number in range(int(group.max()) + 1):
        here = np.flatnonzero(group.ravel() == number)
        slopes = slopes_of(int(law[here[0]]), float(load[here].max()))
        for across, (k, c) in enumerate(slopes):
            lightest = here[int(total[here, across].argmax())]
            if total[lightest, across] > 0.0:
                pair = int(first[lightest]), int(second[lightest])
                own = float(load[lightest])
                yield _Motion(pair, 1.0 / float(total[lightest, across]), k, c, own)


def _fastest(mass: float, stiffness: float, damping: float) -> float:
    """Return the size of the largest eigenvalue (1/s)."""
    half, square = 0.5 * damping / mass, stiffness / mass
    if half * half < square:
        return math.sqrt(square)
    return half + math.sqrt(half * half - square)


def _slopes(rule: ContactRule, load: float) -> _Slopes:
    """Return the slopes of the laws of a point of contact under a load (N).

    Raises
    ------
    InputError
        If the indentation under the load is too small for positions in floating point, or a slope
        is not finite.
    """
    load = load or 1.0  # without gravity
    depth = resting_depth(rule, load)
    try:
        slopes = _slopes_at(rule, load, depth)
    except (OverflowError, ZeroDivisionError):
        slopes = _Slopes((math.inf, math.inf), (math.inf, math.inf))
    if not depth >= SHALLOWEST or not all(map(math.isfinite, (*slopes.normal, *slopes.tangential))):
        given = {**rule.normal_values, **rule.friction_values}
        raise InputError(
            f"contact law '{rule.normal}' with friction '{rule.friction}', "
            f"{', '.join(f'{key} {value:g}' for key, value in given.items())}: under {load:.3g} N "
            f"the indentation is {depth:.1e} m and the stiffness {slopes.normal[0]:.1e} N/m; "
            f"expected finite slopes and at least {SHALLOWEST:g} m; try a smaller stiffness"
        )
    return slopes


def _slopes_at(rule: ContactRule, load: float, depth: float) -> _Slopes:
    """Return the slopes at an indentation (m)."""
    law: NormalLaw = NORMAL_LAWS[rule.normal]
    numbers, force = law.numbers(rule.normal_values), _called(law.force)
    at_rest = force(numbers, depth, 0.0, 0.0)
    stiffness = (force(numbers, depth * (1.0 + SMALL), 0.0, 0.0) - at_rest) / (depth * SMALL)
    damping = (force(numbers, depth, LEAST_SPEED, 0.0) - at_rest) / LEAST_SPEED
    friction: FrictionLaw = FRICTION_LAWS[rule.friction]
    of_friction, drag = friction.numbers(rule.friction_values), _called(friction.force)
    still, displaced = (0.0, 0.0, 0.0), (SMALL * SMALL, 0.0, 0.0)
    elastic = -drag(of_friction, load, still, displaced)[0][0] / displaced[0]
    viscous = _largest_slope(lambda speed: -drag(of_friction, load, (speed, 0.0, 0.0), still)[0][0])
    return _Slopes((stiffness, max(0.0, damping)), (max(0.0, elastic), viscous))


def _largest_slope(function: Callable[[float], float]) -> float:
    """Return the largest slope between rest and `FASTEST` (m/s), over at least `LEAST_SPEED`.

    The steepest interval of a grid is bisected: a ramp may be narrow.
    """
    speeds = [0.0, *np.geomspace(LEAST_SPEED, FASTEST, SPEEDS)]
    forces = [function(speed) for speed in speeds]
    rises = np.diff(forces)
    steepest = {int(rises.argmax()), int((rises / np.diff(speeds)).argmax())}
    largest = 0.0
    for k in steepest:
        low, high = speeds[k], speeds[k + 1]
        below, above = forces[k], forces[k + 1]
        largest = max(largest, (above - below) / (high - low))
        while high - low > LEAST_SPEED:
            middle = 0.5 * (low + high)
            between = function(middle)
            if between - below > above - between:
                high, above = middle, between
            else:
                low, below = middle, between
            largest = max(largest, (above - below) / (high - low))
    return float(largest)


def _root(function: Callable[[float], float], high: float) -> float:
    """Return where a function that falls is no longer above zero."""
    low = 0.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if function(middle) > 0.0 else (low, middle)
    return high


def _called(law: Callable[..., Any]) -> Callable[..., Any]:
    """Return a law as Python calls it."""
    return ready(law) if hasattr(law, "argument_types") else law


def _impacts(
    bodies: _Bodies, scene: ContactScene, pairs: tuple[Ints, Ints, Ints], fall: Floats
) -> Iterator[_Motion]:
    """Yield the motions of impacts of single bodies.

    They are as fast as they begin and, where nothing bears them, as the fall to the lowest shape
    makes them, of which the square of the speed (m^2/s^2) is given for each shape. Of pairs with
    about the same speed and mass under one law one counts.
    """
    first, second, law = pairs
    single = np.array([s.link == s.entity for s in scene.shapes]) & np.array(scene.moves)
    start = np.array([bodies.speed(k) if single[k] else 0.0 for k in range(len(single))])
    speed = np.sqrt(start**2 + np.where(single, fall, 0.0))
    speed = np.maximum(speed[first], speed[second])
    inverse = np.array([bodies.largest_inverse_masses(k)[0] for k in range(len(single))])
    total = inverse[first] + inverse[second]
    fast = (speed > SLOW) & (total > 0.0) & np.isfinite(total)
    first, second, law, speed, total = (each[fast] for each in (first, second, law, speed, total))
    sizes = np.ceil(BINS * np.log2(np.column_stack([speed, total])))
    keys = np.column_stack([law, sizes])
    _, rows = np.unique(keys, axis=0, return_index=True)
    for row in rows.tolist():
        v, mass = float(speed[row]), 1.0 / float(total[row])
        k = _impact_stiffness(scene.rules[int(law[row])], 0.5 * mass * v * v)
        yield _Motion((int(first[row]), int(second[row])), mass, k, 0.0, 0.0, is_impact=True)


def _impact_stiffness(rule: ContactRule, energy: float) -> float:
    """Return the largest mean slope (N/m) of a law in an impact of an energy (J) without losses."""
    law: NormalLaw = NORMAL_LAWS[rule.normal]
    numbers, force = law.numbers(rule.normal_values), _called(law.force)
    nodes, weights = np.polynomial.legendre.leggauss(QUADRATURE)

    def stored(depth: float) -> float:
        at = 0.5 * depth * (nodes + 1.0)
        forces = [float(force(numbers, x, 0.0, 0.0)) for x in at.tolist()]
        return 0.5 * depth * float(np.dot(weights, forces))

    try:
        depth = _root(lambda x: energy - stored(x), DEEPEST)
        slope = float(force(numbers, depth, 0.0, 0.0)) / depth
    except (OverflowError, ZeroDivisionError):
        return math.inf
    return slope


class _SlopesOfLaws:
    """The slopes of the laws of a scene, of which each is computed once for a load."""

    def __init__(self, scene: ContactScene) -> None:
        self._rules = scene.rules
        self._known: dict[tuple[int, float], _Slopes] = {}

    def __call__(self, law: int, load: float) -> _Slopes:
        key = law, load
        if key not in self._known:
            self._known[key] = _slopes(self._rules[law], load)
        return self._known[key]


class _Bodies:
    """The bodies at the start: where their shapes are, and how heavy they are where they touch."""

    def __init__(
        self,
        model: Model,
        scene: ContactScene,
        position: Floats,
        velocity: Floats | None = None,
    ) -> None:
        tree, self._shapes = model.open_tree(), scene.shapes
        self._moves = scene.moves
        state = model.kinematics(position, velocity)
        joints = state.joint_position
        mass = tree.equations(joints).mass_matrix
        self._blocks = _blocks_of(mass)
        inverse = np.zeros_like(mass)
        for block in np.unique(self._blocks):
            own = np.ix_(*[np.flatnonzero(self._blocks == block)] * 2)
            inverse[own] = np.linalg.inv(mass[own])
        frames = {shape.link: state.frame(shape.link) for shape in scene.shapes}
        self._frames = frames
        pairs = [(frames[shape.link], shape) for shape in scene.shapes]
        self.places = np.reshape([p + R @ shape.p_link_shape for (p, R), shape in pairs], (-1, 3))
        self.axes = np.reshape([R @ shape.R_link_shape for (_, R), shape in pairs], (-1, 3, 3))
        # of the link of each shape: the block that it belongs to, and its inverse inertia (6, 6)
        # about the origin of the link, as roots
        self._block_of: dict[str, int] = {}
        self._roots: dict[str, Floats] = {}
        self._twists: dict[str, Floats] = {}
        moving = {s.link for s, moves in zip(scene.shapes, scene.moves, strict=True) if moves}
        for link in moving:
            J = tree.jacobian(joints, link)
            used = np.flatnonzero(J.any(axis=0))
            self._block_of[link] = int(self._blocks[used[0]])
            values, vectors = np.linalg.eigh(
                J[:, used] @ inverse[np.ix_(used, used)] @ J[:, used].T
            )
            self._twists[link] = J @ state.joint_velocity
            self._roots[link] = vectors * np.sqrt(np.maximum(values, 0.0))

    def are_connected(self, i: int, j: int) -> bool:
        """Return whether two shapes belong to one mechanism."""
        first, second = (self._block_of.get(self._shapes[k].link) for k in (i, j))
        return first is not None and first == second

    def inverse_masses(self, pair: tuple[int, int], support: Resting) -> Floats:
        """Return the largest inverse masses (2, 2) of both shapes, along the normal and across."""
        found = np.zeros((2, 2))
        for side, k in enumerate(pair):
            if self._moves[k]:
                points = self._rows(k, support.points[side])
                normal = np.einsum("i,nij->nj", support.normal, points)
                tangential = points - support.normal[:, None] * normal[:, None, :]
                found[0, side] = _largest(normal)
                found[1, side] = _largest(tangential.reshape(-1, normal.shape[1]))
        return found

    def largest_inverse_masses(self, k: int) -> tuple[float, float]:
        """Return the largest inverse masses (1/kg) of a point of a shape: normal, any direction."""
        shape = self._shapes[k]
        if not self._moves[k] or shape.kind == "plane":
            return 0.0, 0.0
        points = self.places[k] + shape.corners @ self.axes[k].T
        largest = max(_largest(rows) for rows in self._rows(k, points))
        if shape.kind != "sphere":
            return largest, largest
        return _largest(self._rows(k, self.places[k][None])[0]), largest

    def speed(self, k: int) -> float:
        """Return the largest speed of a point of a shape (m/s)."""
        shape = self._shapes[k]
        linear, angular = self._twists[shape.link].reshape(2, 3)
        middle = linear + np.cross(angular, self.places[k] - self._frames[shape.link][0])
        return float(np.linalg.norm(middle) + np.linalg.norm(angular) * shape.reach)

    def _rows(self, k: int, points: Floats) -> Floats:
        """Return matrices (n, 3, 6) of points of a shape; their squares are the inverse masses."""
        link = self._shapes[k].link
        x, y, z = (points - self._frames[link][0]).T
        zero = np.zeros_like(x)
        cross = np.array([[zero, z, -y], [-z, zero, x], [y, -x, zero]]).transpose(2, 0, 1)
        lead = np.concatenate([np.broadcast_to(np.eye(3), cross.shape), cross], axis=2)
        rows: Floats = lead @ self._roots[link]
        return rows


def _blocks_of(mass: Floats) -> Ints:
    """Return which block of a mass matrix each coordinate (v,) belongs to."""
    coupled = np.where(mass != 0.0, np.arange(len(mass)), 0).max(axis=1, initial=0)
    farthest = np.maximum.accumulate(np.maximum(coupled, np.arange(len(mass))))
    ends = farthest == np.arange(len(mass))
    blocks: Ints = np.cumsum(ends) - ends
    return blocks


def _largest(rows: Floats) -> float:
    """Return the largest eigenvalue of the product of rows (k, n) with their transpose."""
    if not np.isfinite(rows).all():
        return math.inf
    return max(0.0, float(np.linalg.eigvalsh(rows.T @ rows)[-1]))
