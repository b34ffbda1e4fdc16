# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The step that contacts need of a fixed-step method.

Of a contact the eigenvalues of m s^2 + c s + k = 0 are known, with the effective mass m, the
stiffness k and the damping c. An explicit method is stable while all of these, times the step, lie
within its region of stability, of which the radius is told here. Stiffness and damping are the
slopes of the laws at rest under the largest load that may rest there as things lie at the start
(`supports`), shared among the points of contact. The effective mass is the smallest in any motion
that the points take part in, 1 / max eig(J M^-1 J^T), along the normal or across it; and half of
that for a body that others press from a second side.

Sliding asks for no shorter step. Friction with an internal displacement z draws z after the speed v
at the rate k v / L, with the largest force L; in a step that is long for that z swings about its
place, but the force stays at most L, and what z stores stays in the balance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.core.contact.law_types import FrictionLaw, NormalLaw
from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.model.description.world import ContactRule
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats

from .contact_scene import ContactScene
from .supports import Resting, RestingShapes

SHARE = 0.5  # of the radius of stability: a motion is followed, not just kept from growing
SMALL = 1e-6  # of a depth or a displacement, for slopes
LEAST_SPEED = 1e-6  # m/s at which the slope of friction is taken
DEEPEST = 1.0  # m
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


def contact_need(
    model: Model, scene: ContactScene, position: Floats, stability: float
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
    """
    bodies = _Bodies(model, scene, position)
    supports = RestingShapes(model, scene, bodies.places, bodies.axes)
    found: ContactNeed | None = None
    for (i, j), rule in scene.rules_of_pairs():
        support = supports.of(i, j)
        for mass, stiffness, damping, rate in _motions(bodies, (i, j), rule, support):
            step = SHARE * stability / rate if rate > 0.0 else math.inf
            if found is None or step < found.step:
                links = scene.shapes[i].link, scene.shapes[j].link
                found = ContactNeed(step, *links, mass, stiffness, damping, support.load, rate)
    return found


def _motions(
    bodies: _Bodies, pair: tuple[int, int], rule: ContactRule, support: Resting
) -> Iterator[tuple[float, float, float, float]]:
    """Yield mass, stiffness, damping and rate along the normal and across it."""
    along, across = bodies.inverse_masses(pair, support)
    if along == 0.0 and across == 0.0:
        return
    slopes = _slopes(rule, support.load / support.shares)
    for inverse, (stiffness, damping) in (
        (along, slopes.normal),
        (across, slopes.tangential),
    ):
        if inverse > 0.0:
            mass = 1.0 / inverse
            yield mass, stiffness, damping, _fastest(mass, stiffness, damping)


def _fastest(mass: float, stiffness: float, damping: float) -> float:
    """Return the size of the largest eigenvalue (1/s)."""
    half, square = 0.5 * damping / mass, stiffness / mass
    if half * half < square:
        return math.sqrt(square)
    return half + math.sqrt(half * half - square)


def _slopes(rule: ContactRule, load: float) -> _Slopes:
    """Return the slopes of the laws of a point of contact under a load (N)."""
    law: NormalLaw = NORMAL_LAWS[rule.normal]
    numbers, force = law.numbers(rule.normal_values), _called(law.force)
    load = load or 1.0  # without gravity
    depth = _root(lambda x: load - float(force(numbers, x, 0.0, 0.0)), DEEPEST)
    at_rest = force(numbers, depth, 0.0, 0.0)
    stiffness = (force(numbers, depth * (1.0 + SMALL), 0.0, 0.0) - at_rest) / (depth * SMALL)
    damping = (force(numbers, depth, LEAST_SPEED, 0.0) - at_rest) / LEAST_SPEED
    friction: FrictionLaw = FRICTION_LAWS[rule.friction]
    of_friction, drag = friction.numbers(rule.friction_values), _called(friction.force)
    still = 0.0, 0.0, 0.0
    moving, displaced = (LEAST_SPEED, 0.0, 0.0), (SMALL * SMALL, 0.0, 0.0)
    viscous = -drag(of_friction, load, moving, still)[0][0] / LEAST_SPEED
    elastic = -drag(of_friction, load, still, displaced)[0][0] / displaced[0]
    return _Slopes((stiffness, max(0.0, damping)), (max(0.0, elastic), max(0.0, viscous)))


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


class _Bodies:
    """The bodies at the start: where their shapes are, and how heavy they are where they touch."""

    def __init__(self, model: Model, scene: ContactScene, position: Floats) -> None:
        self._tree, self._shapes = model.open_tree(), scene.shapes
        self._moves = [scene.moves[k] for k in range(len(scene.shapes))]
        state = model.compute(position, dynamics=False)
        self._joints = state.joint_position
        self._inverse = np.linalg.inv(self._tree.equations(self._joints).mass_matrix)
        frames = [state.frame(shape.link) for shape in scene.shapes]
        self._frames = frames
        pairs = list(zip(frames, scene.shapes, strict=True))
        self.places = np.array([p + R @ shape.p_link_shape for (p, R), shape in pairs])
        self.axes = np.array([R @ shape.R_link_shape for (_, R), shape in pairs])

    def inverse_masses(self, pair: tuple[int, int], support: Resting) -> tuple[float, float]:
        """Return the largest inverse mass along the normal and across it (1/kg)."""
        along = across = 0.0
        for side, k in enumerate(pair):
            if not self._moves[k]:
                continue
            if support.points is None:
                J = self._jacobians(k, self.places[k][None])
                normal = tangential = J[0]
            else:
                J = self._jacobians(k, support.points[side])
                normal = support.normal @ J
                across_normal = J - support.normal[:, None] * normal[:, None, :]
                tangential = across_normal.reshape(-1, J.shape[-1])
            along += support.sides[side] * _largest(normal, self._inverse)
            across += support.sides[side] * _largest(tangential, self._inverse)
        return along, across

    def _jacobians(self, k: int, points: Floats) -> Floats:
        link, (p, R) = self._shapes[k].link, self._frames[k]
        return np.array(
            [
                self._tree.jacobian(self._joints, link, (R.T @ (point - p)).tolist())[:3]
                for point in points
            ]
        )


def _largest(J: Floats, inverse: Floats) -> float:
    return max(0.0, float(np.linalg.eigvalsh(J @ inverse @ J.T)[-1]))
