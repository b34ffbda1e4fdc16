# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Planar and floating joints in loops bear no load; their motion follows from the loops."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from loop_robots import hung_platform, joint, link, robot

from charmie_dynamics import Model
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.live.wire.samples import JOINT_STATES, JointSample


class Platforms(NamedTuple):
    floating: Model
    chain: Model


@pytest.fixture(scope="module")
def platforms(tmp_path_factory: pytest.TempPathFactory) -> Platforms:
    folder = tmp_path_factory.mktemp("platforms")
    return Platforms(hung_platform(folder), hung_platform(folder, "chain"))


LEGS = np.array([0.02, -0.03, 0.05, 0.01, -0.02, 0.03])


def motion_of(model: Model):
    """Return a motion with the same legs for each description."""
    given = [model.zero_position(), *np.zeros((2, len(model.velocity_names)))]
    for values, entries in zip(given, (LEGS, LEGS[::-1], 2.0 * LEGS), strict=True):
        names = model.position_names if values is given[0] else model.velocity_names
        for k, value in enumerate(entries):
            values[names.index(f"leg{k}")] = value
    return model.assemble(*given)


def test_a_floating_joint_moves_as_six_single_joints_do(platforms: Platforms) -> None:
    states = [model.compute(*motion_of(model)) for model in platforms]
    np.testing.assert_allclose(states[0].frame("platform")[0], states[1].frame("platform")[0])
    np.testing.assert_allclose(states[0].actuator_effort, states[1].actuator_effort, atol=1e-9)
    equations = [model.equations(*motion_of(model)[:2]) for model in platforms]
    for name in ("mass_matrix", "coriolis_matrix", "gravity_effort"):
        first, second = (getattr(terms, name) for terms in equations)
        np.testing.assert_allclose(first, second, atol=1e-9)


def test_a_quaternion_of_zeros_begins_without_rotation(platforms: Platforms) -> None:
    model = platforms.floating
    expected = motion_of(model).position
    position = np.zeros(len(model.position_names))
    for k, value in enumerate(LEGS):
        position[model.position_names.index(f"leg{k}")] = value
    np.testing.assert_allclose(model.assemble(position).position, expected, atol=1e-12)


def test_the_node_finds_a_floating_joint_from_the_legs(platforms: Platforms) -> None:
    model = platforms.floating
    pipeline = Pipeline(model, estimate_acceleration=False)
    names = tuple(f"leg{k}" for k in range(6))
    for n, share in enumerate(np.linspace(0.0, 1.0, 6)):
        sample = JointSample(names, share * LEGS, None, (n + 1) * 10_000_000)
        cycle = pipeline.take(JOINT_STATES, sample, 1e-2 * (n + 1))
    assert cycle is not None
    np.testing.assert_allclose(cycle.state.position, motion_of(model).position, atol=1e-10)
    held = model.compute(cycle.state.position, cycle.state.velocity, cycle.state.acceleration)
    np.testing.assert_allclose(cycle.state.actuator_effort, held.actuator_effort, atol=1e-9)


@pytest.mark.parametrize("listed", [True, False])
def test_a_planar_joint_in_a_loop_bears_no_load(tmp_path: Path, listed: bool) -> None:
    """A ladder on two slides, of which one is driven: its end on the floor slides in a plane."""
    parts = [link("base"), link("ladder", 3.0, (0, 0, 0.4)), link("cart", 0.5)]
    parts += [
        joint("floor", "planar", "base", "ladder", axis=(0, 1, 0)),
        joint("wall", "prismatic", "base", "cart", (0, 0, 0.8), (0, 0, 1)),
    ]
    pin = {"type": "revolute", "axis": [0, 1, 0], "first_body": "ladder", "second_body": "cart"}
    floor = {"type": "prismatic", "axis": [1, 0, 0], "first_body": "base", "second_body": "foot"}
    parts += [link("foot", 0.2), joint("foot_joint", "continuous", "ladder", "foot")]
    loops = {"pin": {**pin, "first_point": [0, 0, 0.8]}, "guide": floor}
    passive = ["foot_joint", "floor"] if listed else ["foot_joint"]
    model = robot(tmp_path, parts, {"loop_joints": loops, "passive_joints": passive})
    start = model.zero_position()
    start[model.position_names.index("floor/angle")] = 0.5
    start[model.position_names.index("wall")] = 0.8 * np.cos(0.5) - 0.8
    position, *_ = model.assemble(start)
    # virtual work: the centre of the ladder moves half as far as the cart, its foot not at all
    expected = -model.mechanisms.gravity[2] * (0.5 + 3.0 * 0.5)
    np.testing.assert_allclose(model.compute(position).actuator_effort, expected, rtol=1e-9)
