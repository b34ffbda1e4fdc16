# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Two free bodies that collide: momentum is conserved, energy never grows, and none passes."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import yaml
from descriptions import of_quaternion
from generator import SIZES, VARYING, contact_rule, random_mesh
from hypothesis import given, note, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from situations import assert_close

from charmie_dynamics import simulation
from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.errors import SimulationError

# of the linear momentum (some 1 N s), of the energy and angular momentum by their size: velocities
# in body axes have the error of the rotations, and steps lose their order at the ends of a contact
ACCURACIES = {
    **dict.fromkeys(VARYING, (1e-5, 1e-3)),
    "rk4": (1e-4, 5e-3),
    "semi_implicit_euler": (2e-3, 1e-2),
}
FIXED = tuple(name for name in ACCURACIES if name not in VARYING)
ACCURACY = 1e-3  # share of the energy that may be stored where it is compared
GRAZE = 0.125  # of both half thicknesses, which may pass unseen
MOST_EVALUATIONS = 20000


class Collision(NamedTuple):
    shapes: tuple[str, str]
    normal: str
    friction: str
    integrator: str
    seed: int


def collisions(integrators: tuple[str, ...]) -> st.SearchStrategy[Collision]:
    shapes = st.tuples(*[st.sampled_from(tuple(SIZES))] * 2)
    return st.builds(
        Collision,
        shapes.filter(lambda pair: set(pair) != {"cylinder", "mesh"}),  # refused
        st.sampled_from(tuple(NORMAL_LAWS)),
        st.sampled_from(tuple(FRICTION_LAWS)),
        st.sampled_from(integrators),
        st.integers(0, 999),
    )


class Push(NamedTuple):
    """A body at rest that a force accelerates towards a thin wall."""

    shape: str
    normal: str
    integrator: str
    exponent: float  # of the acceleration, 10^exponent m/s^2
    thickness: float  # of the wall (m)
    seed: int

    def world(self) -> tuple[simulation.World, str]:
        """Return the world, and its text."""
        rng = np.random.default_rng(self.seed)
        size = rng.uniform(0.002, 0.02, SIZES[self.shape]).round(4).tolist()
        away = float(sum(size) + 0.5 * self.thickness + 10.0 ** rng.uniform(-4.0, -1.0))
        turn = [round(float(x), 4) for x in rng.uniform(-1.5, 1.5, 3)]
        wall = {"shape": "box", "size": [self.thickness, 1.0, 1.0], "moves": "fixed"}
        body = {
            "shape": self.shape,
            "size": size,
            "mass": 0.1,
            "pose": [-round(away, 5), 0, 0, *turn],
        }
        text = (
            f"gravity: [{10.0**self.exponent:.6g}, 0, 0]\n"
            f"contacts: {{default: {_flow(contact_rule(self.normal, 'none'))}}}\n"
            f"entities:\n  wall: {_flow(wall)}\n  body: {_flow(body)}\n"
        )
        return simulation.world_of(text), text


class Meeting(NamedTuple):
    """A world of two bodies that approach each other and turn, with balls that are inside them."""

    world: simulation.World
    radii: tuple[float, float]
    text: str


def meeting(collision: Collision) -> Meeting:
    rng = np.random.default_rng(collision.seed)
    rule = contact_rule(collision.normal, collision.friction)
    steepness = 10.0 ** np.random.default_rng([collision.seed, 1]).uniform(0.0, 1.5)
    for speed in {"v0", "v1"} & set(rule):  # of the ramps of friction
        rule[speed] = float(rule[speed]) / float(steepness)
    text = ["gravity: [0, 0, 0]", f"contacts: {{default: {_flow(rule)}}}", "entities:"]
    radii = []
    with tempfile.TemporaryDirectory() as folder:
        for k, shape in enumerate(collision.shapes):
            size = rng.uniform(0.03, 0.08, SIZES[shape]).round(4).tolist()
            pose = [0.2 * (2 * k - 1), *rng.uniform(-0.02, 0.02, 2), *rng.uniform(-1.5, 1.5, 3)]
            twist = [-1.0 * (2 * k - 1), *rng.uniform(-0.1, 0.1, 2), *rng.uniform(-2.0, 2.0, 3)]
            numbers = [[round(float(x), 6) for x in each] for each in (pose, twist)]
            body = {"shape": shape, "size": size, "mass": round(float(rng.uniform(0.5, 2.0)), 4)}
            radii.append(
                {"box": 0.5 * min(size), "cylinder": min(size[0], size[-1] / 2)}.get(shape, size[0])
            )
            if shape == "mesh":
                content, corners = random_mesh(rng)
                (Path(folder) / f"{k}.obj").write_text(content, encoding="utf-8")
                body["mesh"] = f"{k}.obj"
                planes = ConvexHull(corners * size).equations
                radii[-1] = max(0.0, float(-planes[:, 3].max()))
            text.append(f"  body_{k}: {_flow({**body, 'pose': numbers[0], 'twist': numbers[1]})}")
        world = simulation.world_of("\n".join(text), folder)
    return Meeting(world, (radii[0], radii[1]), "\n".join(text))


def _flow(entry: dict[str, Any]) -> str:
    return yaml.safe_dump(entry, default_flow_style=True, width=1000).strip()


@settings(max_examples=max(settings.default.max_examples // 3, 4))
@given(collision=collisions(tuple(ACCURACIES)))
def test_collisions_conserve_momentum_and_make_no_energy(collision: Collision) -> None:
    world, radii, text = meeting(collision)
    note(text)
    options = {} if collision.integrator in FIXED else {"most_evaluations": MOST_EVALUATIONS}
    try:
        run = world.simulate(0.25, integrator=collision.integrator, **options)
    except SimulationError:
        return  # the run is refused, which is no wrong result
    tree = world.model.flat.tree
    rows = np.unique(np.linspace(0, len(run.time) - 1, 200, dtype=int))
    momentum = np.zeros((len(rows), 6))
    for name in ("body_0", "body_1"):
        k = next(k for k, n in enumerate(world.model.flat.body_names) if n.startswith(name))
        mass, inertia = tree.mass[k], tree.inertia[k]
        position, q = (each[rows] for each in run.pose(name))
        linear, angular = (each[rows] for each in run.twist(name))
        for n, R in enumerate(map(of_quaternion, q)):
            arm = R @ tree.p_body_com[k]
            p = mass * (linear[n] + np.cross(angular[n], arm))
            own = np.cross(position[n] + arm, p) + R @ inertia @ R.T @ angular[n]
            momentum[n] += np.concatenate((p, own))
    change = momentum - momentum[0]
    size = float(np.abs(momentum).max())
    of_linear, most = ACCURACIES[collision.integrator]
    assert_close(change[:, :3], np.zeros_like(change[:, :3]), of_linear)
    assert_close(change[:, 3:] / size, np.zeros_like(change[:, 3:]), most)
    stored = run.energy.stored
    free = run.energy.elastic <= ACCURACY * stored[0]
    assert float((stored - stored[0])[free].max()) < most * stored[0]
    apart = np.linalg.norm(run.pose("body_0")[0] - run.pose("body_1")[0], axis=1)
    assert apart.min() > (0.1 if len(run.contacts) else 1.0 - GRAZE) * sum(radii)


@settings(max_examples=max(settings.default.max_examples // 6, 2))
@given(collision=collisions(FIXED))
def test_paused_and_batched_collisions_equal_single_ones(collision: Collision) -> None:
    world, _, text = meeting(collision)
    note(text)
    steps, options = 3200, {"integrator": collision.integrator, "step": 2.0**-14}
    plants = [world.plant(**options) for _ in range(3)]
    batch = world.batch(2, **options)
    try:
        plants[0].advance([], steps=steps)
    except SimulationError:
        with pytest.raises(SimulationError):
            batch.advance(np.zeros((2, 0)), steps=steps)
        assert sorted(batch.failures) == [0, 1]
        return
    batch.advance(np.zeros((2, 0)), steps=steps)
    plants[1].advance([], steps=steps // 2)
    first = plants[1].stepper
    plants[2].reset(first.position, first.arrays.velocity, plants[1].time, first.memory)
    for plant in plants[1:]:
        plant.advance([], steps=steps // 2)
    for plant in plants[1:]:
        np.testing.assert_array_equal(plant.position, plants[0].position)
        np.testing.assert_array_equal(plant.velocity, plants[0].velocity)
    np.testing.assert_array_equal(batch.position, [plants[0].position] * 2)
    np.testing.assert_array_equal(batch.velocity, [plants[0].velocity] * 2)


@settings(max_examples=max(settings.default.max_examples // 3, 4))
@given(
    push=st.builds(
        Push,
        st.sampled_from([shape for shape in SIZES if shape != "mesh"]),
        st.sampled_from(tuple(NORMAL_LAWS)),
        st.sampled_from(tuple(ACCURACIES)),
        st.floats(2.0, 7.0),
        st.sampled_from((5e-4, 2e-3, 1e-2)),
        st.integers(0, 999),
    )
)
def test_no_force_moves_a_body_at_rest_through_a_wall_unseen(push: Push) -> None:
    world, text = push.world()
    note(text)
    duration = float(np.sqrt(2.0 * 0.3 / 10.0**push.exponent)) + 2e-3  # it moves 0.3 m
    fixed = push.integrator in FIXED
    options = {"step": 1e-3} if fixed else {"most_evaluations": MOST_EVALUATIONS}
    try:
        run = world.simulate(duration, integrator=push.integrator, **options)
    except SimulationError:
        return
    assert len(run.contacts) > 0
    if fixed:
        plant = world.plant(integrator=push.integrator, **options)
        touched = False
        with contextlib.suppress(SimulationError):
            while plant.time < duration and not touched:
                plant.advance([])
                touched = len(plant.contacts) > 0
            assert touched


def test_boxes_return_seldom_more_energy_than_they_stored() -> None:
    gains = []
    for seed in range(settings.default.max_examples // 3):
        world = meeting(Collision(("box", "box"), "hooke", "none", "rk4", seed)).world
        # so short that the force law alone decides about the energy
        step = world.contact_need("rk4").step / 16.0
        try:
            run = world.simulate(0.25, integrator="rk4", step=step)
        except SimulationError as refused:
            assert "returned" in str(refused)
            gains.append(np.inf)
            continue
        assert len(run.contacts)
        gains.append(-run.energy.lost[-1] / run.energy.stored[0])
    assert sum(gain > ACCURACY for gain in gains) <= len(gains) / 10


def test_a_contact_that_returns_more_than_it_stored_is_an_error() -> None:
    collision = Collision(("sphere", "sphere"), "hooke", "none", "rk4", 1)
    world = meeting(collision).world
    with pytest.raises(SimulationError, match=r"'body_0' and 'body_1' returned .* J more than was"):
        world.simulate(0.25, integrator="rk4", step=1e-3)
