# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The step that contacts need of a fixed-step method.

A body of the effective mass m on a contact of the stiffness k and the damping c has the eigenvalues
of m s^2 + c s + k = 0. An explicit method is stable while all of these, times the step, lie within
its region of stability, of which the radius is told here. The effective mass is the smallest that a
point of a shape has in any direction, 1 / max eig(J M^-1 J^T), at the start; stiffness and damping
are the slopes of the laws at rest under the weight of the two entities, shared among their shapes;
a shape that cannot move bears nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.core.contact.law_types import FrictionLaw, NormalLaw
from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.model.description.world import ContactRule
from charmie_dynamics.model.description.world.merging import name_in
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats

from .contact_scene import ContactScene

SHARE = 0.5  # of the radius of stability: a motion is followed, not just kept from growing
SMALL = 1e-6  # of a depth or a speed, for slopes
LEAST_SPEED = 1e-6  # m/s at which the slope of friction is taken
DEEPEST = 1.0  # m


class ContactNeed(NamedTuple):
    """What a pair of shapes needs.

    Attributes
    ----------
    step : float
        In seconds.
    first, second : str
        Links.
    mass, stiffness, damping : float
        Of the faster one of both directions (kg, N/m, N s/m).
    """

    step: float
    first: str
    second: str
    mass: float
    stiffness: float
    damping: float


def contact_need(
    model: Model, scene: ContactScene, position: Floats, stability: float
) -> ContactNeed | None:
    """Return what the pair that needs the shortest step needs; None if nothing can touch.

    Parameters
    ----------
    model : Model
    scene : ContactScene
    position : (p,) array
    stability : float
        Radius of the region of stability of the method.
    """
    masses = _effective_masses(model, scene, position)
    weights = _weights(model, scene)
    found: ContactNeed | None = None
    for (i, j), rule in scene.rules_of_pairs():
        inverse = sum(1.0 / masses[k] for k in (i, j))
        if inverse == 0.0:
            continue
        mass = 1.0 / inverse
        # what is fixed bears its own weight
        weight = sum(weights[k] for k in (i, j) if math.isfinite(masses[k]))
        for stiffness, damping in _slopes(rule, weight):
            rate = _fastest(mass, stiffness, damping)
            step = SHARE * stability / rate if rate > 0.0 else math.inf
            if found is None or step < found.step:
                links = scene.shapes[i].link, scene.shapes[j].link
                found = ContactNeed(step, *links, mass, stiffness, damping)
    return found


def _fastest(mass: float, stiffness: float, damping: float) -> float:
    """Return the size of the largest eigenvalue (1/s)."""
    half, square = 0.5 * damping / mass, stiffness / mass
    if half * half < square:
        return math.sqrt(square)
    return half + math.sqrt(half * half - square)


def _slopes(rule: ContactRule, weight: float) -> list[tuple[float, float]]:
    """Return stiffness and damping across the surface and along it, under a weight (N)."""
    normal: NormalLaw = NORMAL_LAWS[rule.normal]
    friction: FrictionLaw = FRICTION_LAWS[rule.friction]
    numbers, force = normal.numbers(rule.normal_values), _called(normal.force)
    low, high = 0.0, DEEPEST
    weight = weight or 1.0  # without gravity
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if force(numbers, middle, 0.0, 0.0) < weight else (low, middle)
    depth = high
    more = depth * (1.0 + SMALL)
    at_rest = force(numbers, depth, 0.0, 0.0)
    stiffness = (force(numbers, more, 0.0, 0.0) - at_rest) / (depth * SMALL)
    damping = (force(numbers, depth, LEAST_SPEED, 0.0) - at_rest) / LEAST_SPEED
    of_friction, law = friction.numbers(rule.friction_values), _called(friction.force)
    still = 0.0, 0.0, 0.0
    moving, displaced = (LEAST_SPEED, 0.0, 0.0), (SMALL * SMALL, 0.0, 0.0)
    drag = -law(of_friction, weight, moving, still)[0][0] / LEAST_SPEED
    pull = -law(of_friction, weight, still, displaced)[0][0] / displaced[0]
    return [(stiffness, max(0.0, damping)), (max(0.0, pull), max(0.0, drag))]


def _weights(model: Model, scene: ContactScene) -> list[float]:
    """Return the share of its entity's weight that each shape has (N)."""
    names, masses = model.flat.body_names, model.flat.tree.mass
    gravity = float(np.linalg.norm(model.mechanisms.gravity))
    count = Counter(shape.entity for shape in scene.shapes)
    total = {
        entity: sum(
            float(mass)
            for name, mass in zip(names, masses, strict=True)
            if name == entity or name.startswith(name_in(entity, ""))
        )
        for entity in count
    }
    return [gravity * total[shape.entity] / count[shape.entity] for shape in scene.shapes]


def _called(law: Callable[..., Any]) -> Callable[..., Any]:
    """Return a law as Python calls it."""
    return ready(law) if hasattr(law, "argument_types") else law


def _effective_masses(model: Model, scene: ContactScene, position: Floats) -> list[float]:
    """Return the smallest mass that each shape has at its middle (kg), inf if it cannot move."""
    tree = model.open_tree()
    joints = model.compute(position, dynamics=False).joint_position
    inverse = np.linalg.inv(tree.equations(joints).mass_matrix)
    masses = []
    for shape in scene.shapes:
        J = tree.jacobian(joints, shape.link, shape.p_link_shape.tolist())[:3]
        largest = float(np.linalg.eigvalsh(J @ inverse @ J.T)[-1])
        masses.append(1.0 / largest if largest > 0.0 else math.inf)
    return masses
