# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Two free bodies that collide: momentum is conserved, and energy never grows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from situations import assert_close

from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.errors import SimulationError

simulation = pytest.importorskip("charmie_dynamics.simulation")

SIZES = {"sphere": 1, "box": 3, "cylinder": 2, "capsule": 2}
INTEGRATORS = ("adaptive", "rk4")
NORMAL = {"stiffness": 1e5, "exponent": 1.5, "damping": 20.0, "restitution": 0.6}
FRICTION = {"kinetic": 0.4, "static": 0.5, "v0": 0.02, "v1": 0.05}
# normal laws, friction laws, shapes and integrators whose faults are known
KNOWN_CONTACT_FAULTS: frozenset[str] = frozenset()
# semi_implicit_euler is not drawn: a collision takes minutes at the steps that it needs
# of the linear momentum (some 1 N s): velocities in body axes have the error of the rotations
OF_LINEAR = {"adaptive": 1e-5, "rk4": 1e-4}
# of the energy and the angular momentum, where no more than this share of the energy is stored
ACCURACY = 1e-3
# of the energy with fixed steps, which lose their order when a contact begins and ends
OF_FIXED_STEPS = 5e-3


class Collision(NamedTuple):
    shapes: tuple[str, str]
    normal: str
    friction: str
    integrator: str
    seed: int


def allowed(names: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.sampled_from([name for name in names if name not in KNOWN_CONTACT_FAULTS])


COLLISIONS = st.builds(
    Collision,
    st.tuples(allowed(tuple(SIZES)), allowed(tuple(SIZES))),
    allowed(tuple(NORMAL_LAWS)),
    allowed(tuple(FRICTION_LAWS)),
    allowed(INTEGRATORS),
    st.integers(0, 999),
)


def world_text(collision: Collision) -> str:
    """Return a world file: two bodies that approach each other and turn."""
    rng = np.random.default_rng(collision.seed)
    normal, friction = NORMAL_LAWS[collision.normal], FRICTION_LAWS[collision.friction]
    values = {**NORMAL, **FRICTION, "tangential_stiffness": 5e4, "tangential_damping": 50.0}
    used = [each.name for each in (*normal.parameters, *friction.parameters) if each.name in values]
    laws = ", ".join(f"{name}: {values[name]}" for name in used)
    bodies = []
    for k, shape in enumerate(collision.shapes):
        size = rng.uniform(0.03, 0.08, SIZES[shape]).round(4).tolist()
        pose = [0.2 * (2 * k - 1), *rng.uniform(-0.02, 0.02, 2), *rng.uniform(-1.5, 1.5, 3)]
        twist = [-1.0 * (2 * k - 1), *rng.uniform(-0.1, 0.1, 2), *rng.uniform(-2.0, 2.0, 3)]
        numbers = [[round(float(x), 6) for x in each] for each in (pose, twist)]
        bodies.append(
            f"  body_{k}: {{shape: {shape}, size: {size}, mass: {rng.uniform(0.5, 2.0):.4f}, "
            f"pose: {numbers[0]}, twist: {numbers[1]}}}"
        )
    rule = f"normal: {collision.normal}, friction: {collision.friction}, {laws}"
    text = [f"contacts: {{default: {{{rule}}}}}", "entities:", *bodies]
    return "\n".join(["gravity: [0, 0, 0]", *text])


@settings(max_examples=max(settings.default.max_examples // 3, 4))
@given(collision=COLLISIONS)
def test_collisions_conserve_momentum_and_make_no_energy(collision: Collision) -> None:
    text = world_text(collision)
    note(text)
    world = simulation.world_of(text)
    try:
        run = world.simulate(0.25, integrator=collision.integrator)
    except SimulationError:
        return  # the run is refused, which is no wrong result
    tree = world.model.flat.tree
    momentum = np.zeros((len(run.time), 6))
    for name in ("body_0", "body_1"):
        k = next(k for k, n in enumerate(world.model.flat.body_names) if n.startswith(name))
        mass, inertia = tree.mass[k], tree.inertia[k]
        position, q = run.pose(name)
        linear, angular = run.twist(name)
        for n, (x, y, z, w) in enumerate(q):
            K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            R = np.eye(3) + 2.0 * w * K + 2.0 * K @ K
            own = np.cross(position[n], mass * linear[n]) + R @ inertia @ R.T @ angular[n]
            momentum[n] += np.concatenate((mass * linear[n], own))
    change = momentum - momentum[0]
    size = float(np.abs(momentum).max())
    assert_close(change[:, :3], np.zeros_like(change[:, :3]), OF_LINEAR[collision.integrator])
    assert_close(change[:, 3:] / size, np.zeros_like(change[:, 3:]), ACCURACY)
    stored = run.energy.stored
    free = run.energy.elastic <= ACCURACY * stored[0]
    most = OF_FIXED_STEPS if collision.integrator == "rk4" else ACCURACY
    assert float((stored - stored[0])[free].max()) < most * stored[0]


@pytest.mark.parametrize("seed", range(8))
def test_boxes_return_no_more_energy_than_they_stored(seed: int) -> None:
    collision = Collision(("box", "box"), "hooke", "none", "rk4", seed)
    world = simulation.world_of(world_text(collision))
    # so short that the force law alone decides about the energy
    step = world.contact_need("rk4").step / 16.0
    run = world.simulate(0.25, integrator="rk4", step=step)
    assert len(run.contacts)
    assert run.energy.lost[-1] > -ACCURACY * run.energy.stored[0]


def test_a_contact_that_returns_more_than_it_stored_is_an_error() -> None:
    collision = Collision(("sphere", "sphere"), "hooke", "none", "rk4", 1)
    world = simulation.world_of(world_text(collision))
    with pytest.raises(SimulationError, match=r"'body_0' and 'body_1' returned .* J more than was"):
        world.simulate(0.25, integrator="rk4", step=1e-3)
