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
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import InputError
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints

from .contact_scene import ContactScene
from .law_slopes import SlopesOfLaws, impact_stiffness, resting_depth
from .shape_masses import ShapeMasses
from .supports import RestingShapes

SHORTEST = 1e-12  # s: with shorter steps no run ends
TOUCHING = 1e-3  # m, a gap at the start up to which shapes count as touching
RESOLVED = 0.2  # of a radian of an impact in a step: its force is followed
SLOW = 0.05  # m/s: slower impacts do not count
BESIDE = 0.25  # of the load of a shape that a point bears which it touches another one with
BINS = 4  # of loads, for each factor of two
SHARE = 0.5  # of the radius of stability: a motion is followed, not just kept from growing


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
    bodies = ShapeMasses(model, scene, position)
    supports = RestingShapes(model, scene, bodies.places, bodies.axes)
    return resting_depth(rule, min(supports.load_on(k) for k in pair))


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
        half, square = 0.5 * self.damping / self.mass, self.stiffness / self.mass
        if half * half < square:
            return math.sqrt(square)
        return half + math.sqrt(half * half - square)


def _motions(
    model: Model, scene: ContactScene, position: Floats, velocity: Floats | None
) -> Iterator[_Motion]:
    """Yield the motions of all pairs but of those that others are as fast as."""
    first, second, law = scene.meeting_pairs()
    if not len(first):
        return
    bodies = ShapeMasses(model, scene, position, velocity)
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
    bodies: ShapeMasses,
    supports: RestingShapes,
    scene: ContactScene,
    pairs: tuple[Ints, Ints, Ints],
    touches: npt.NDArray[np.bool_],
) -> Iterator[_Motion]:
    """Yield the motions of shapes that rest on each other; write which shapes touch another one.

    What touches at the start acts together: the eigenvalues of the sum of all contacts are no
    larger than the sum of those of the contacts of either body.
    """
    slopes_of = SlopesOfLaws(scene.rules)
    stiffness, damping = np.zeros((2, len(scene.shapes))), np.zeros((2, len(scene.shapes)))
    touching = []
    for i, j, law in zip(*(each.tolist() for each in pairs), strict=True):
        support = supports.contact_of(i, j)
        inverse = bodies.inverse_masses((i, j), support)
        slopes = slopes_of(law, support.load / support.shares)
        twice = 2.0 if bodies.are_connected(i, j) else 1.0
        for across, (k, c) in enumerate(slopes):
            total = twice * float(np.dot(support.pressed_sides, inverse[across]))
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
    bodies: ShapeMasses,
    supports: RestingShapes,
    scene: ContactScene,
    pairs: tuple[Ints, Ints, Ints],
) -> Iterator[_Motion]:
    """Yield the motions of shapes beside each other, which may meet with any of their points.

    A point bears a quarter of the load of the lighter one, a point of a sphere all of that load.
    A shape is pressed from a second side if it has two such neighbours. Of pairs with about the
    same load under one law the lightest count.
    """
    first, second, law = pairs
    if not len(first):
        return
    loads = np.array([supports.load_on(k) for k in range(len(scene.shapes))])
    shares = np.array([1.0 if shape.kind == "sphere" else BESIDE for shape in scene.shapes])
    load = np.minimum(loads[first], loads[second]) * np.maximum(shares[first], shares[second])
    neighbours = np.bincount(np.concatenate([first, second]), minlength=len(loads))
    sides = np.where(neighbours > 1, 2.0, 1.0)
    inverse = np.array([bodies.largest_inverse_masses(k) for k in range(len(loads))])
    total = sides[first, None] * inverse[first] + sides[second, None] * inverse[second]
    total[[bodies.are_connected(i, j) for i, j in zip(first, second, strict=True)]] *= 2.0
    with np.errstate(divide="ignore"):
        size = np.ceil(BINS * np.log2(load))
    slopes_of = SlopesOfLaws(scene.rules)
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


def _impacts(
    bodies: ShapeMasses, scene: ContactScene, pairs: tuple[Ints, Ints, Ints], fall: Floats
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
        k = impact_stiffness(scene.rules[int(law[row])], 0.5 * mass * v * v)
        yield _Motion((int(first[row]), int(second[row])), mass, k, 0.0, 0.0, is_impact=True)
