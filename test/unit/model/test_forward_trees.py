# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward dynamics of trees of all kinds: against the mass matrix, and where digits are scarce."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import floating_robots
import numpy as np
import pytest
from random_states import random_state

from charmie_dynamics import Model, load_model
from charmie_dynamics.errors import MassMatrixError

# parents of the links 1, 2, ...; then which joint follows which other: multiplier
TREES: dict[str, tuple[Sequence[int], dict[int, tuple[int, float]]]] = {
    "fingers on one palm": ((0, 1, 1, 1), {3: (2, -0.7), 4: (2, 1.3)}),
    "one behind the other": ((0, 1, 2, 3), {3: (2, 0.5)}),
    "one behind the other, with a joint between": ((0, 1, 2, 3), {4: (2, -1.0)}),
    "fingers of two links": ((0, 1, 1, 2, 3), {3: (2, 1.0), 5: (4, 0.8)}),
    "fingers of two links that all follow": (
        (0, 1, 1, 2, 3),
        {3: (2, 1.0), 4: (2, 0.4), 5: (2, -0.4)},
    ),
    "on other branches": ((0, 0, 1, 2, 3, 4), {4: (3, 2.0), 6: (5, -0.3)}),
    "crossed": ((0, 1, 2, 0, 4, 5), {5: (1, 0.6), 3: (4, -1.5), 6: (2, 0.9)}),
    "leader behind its follower": ((0, 1, 2, 2), {1: (3, 0.7)}),
}


def mimic_urdf(kind: str, rng: np.random.Generator) -> str:
    parents, followers = TREES[kind]
    lines = ['<robot name="mimics">', floating_robots._link("link_0", rng)]
    for k, parent in enumerate(parents, 1):
        lines.append(floating_robots._link(f"link_{k}", rng))
        xyz, rpy, axis = (" ".join(map(repr, rng.normal(size=3).tolist())) for _ in range(3))
        mimic = ""
        if k in followers:
            leader, multiplier = followers[k]
            mimic = f'<mimic joint="joint_{leader}" multiplier="{multiplier}" offset="0.1"/>'
        lines.append(
            f'<joint name="joint_{k}" type="{("revolute", "prismatic")[k % 3 == 0]}">'
            f'<parent link="link_{parent}"/><child link="link_{k}"/>'
            f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>'
            f'<limit lower="-2" upper="2" effort="9" velocity="9"/>{mimic}</joint>'
        )
    return "\n".join([*lines, "</robot>"])


def model_of(urdf: str, folder: Path) -> Model:
    path = folder / "robot.urdf"
    path.write_text(urdf, encoding="utf-8")
    return load_model(urdf=path)


def assert_inverts(model: Model, seed: int) -> None:
    """One effort more changes the accelerations by a column of the inverse mass matrix."""
    position, velocity, _ = random_state(model, np.random.default_rng(seed))
    M = model.equations(position).mass_matrix
    at_rest = model.forward(position, velocity).acceleration
    columns = np.array(
        [model.forward(position, velocity, row).acceleration - at_rest for row in np.eye(len(M))]
    ).T
    scale = np.sqrt(np.diag(M))
    product = (M @ columns) / scale[:, None] * scale
    np.testing.assert_allclose(product, np.eye(len(M)), atol=1e-8)


@pytest.mark.parametrize("kind", TREES)
def test_mimic_joints_anywhere_in_the_tree(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(sorted(TREES).index(kind))
    model = model_of(mimic_urdf(kind, rng), tmp_path)
    assert len(model.actuator_names) == len(TREES[kind][0]) - len(TREES[kind][1])
    for seed in range(3):
        position, velocity, acceleration = random_state(model, np.random.default_rng(seed))
        effort = model.compute(position, velocity, acceleration).actuator_effort
        found = model.forward(position, velocity, effort).acceleration
        np.testing.assert_allclose(found, acceleration, rtol=1e-11, atol=1e-11)
        assert_inverts(model, seed)


def test_leader_without_mass_is_moved_by_that_of_its_followers(tmp_path: Path) -> None:
    urdf = mimic_urdf("on other branches", np.random.default_rng(5))
    parts = urdf.split("<link ")
    bare = [p for p in parts if p.startswith('name="link_5"')]
    (body,) = bare
    start, end = body.index("<inertial>"), body.index("</inertial>") + len("</inertial>")
    # link 6 behind it follows it: both move with one coordinate
    model = model_of(urdf.replace(body, body[:start] + body[end:]), tmp_path)
    position, velocity, acceleration = random_state(model, np.random.default_rng(0))
    effort = model.compute(position, velocity, acceleration).actuator_effort
    found = model.forward(position, velocity, effort).acceleration
    np.testing.assert_allclose(found, acceleration, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("kind", ["crossed", "fingers on one palm"])
def test_mimics_without_any_mass_are_named(kind: str, tmp_path: Path) -> None:
    urdf = mimic_urdf(kind, np.random.default_rng(1))
    for k in range(1, len(TREES[kind][0]) + 1):
        start = urdf.index("<inertial>", urdf.index(f'name="link_{k}"'))
        end = urdf.index("</inertial>", start) + len("</inertial>")
        urdf = urdf[:start] + urdf[end:]
    model = model_of(urdf, tmp_path)
    with pytest.raises(MassMatrixError, match=r"adds no mass of its own") as caught:
        model.forward(np.zeros(len(model.actuator_names)))
    assert caught.value.name in model.actuator_names


SPINDLE = """
<robot name="spindle">
  <link name="base"/>
  <joint name="slide" type="prismatic"><parent link="base"/><child link="carriage"/>
    <axis xyz="1 0 0"/><limit lower="-99" upper="99" effort="1" velocity="1"/></joint>
  <link name="carriage"><inertial><mass value="50"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="wheel"/>
    <origin xyz="0.3 0.2 0.1"/><axis xyz="0 0.6 0.8"/>
    <limit lower="-9" upper="9" effort="1" velocity="9"/></joint>
  <link name="wheel"><inertial><origin xyz="1e-4 0 0"/><mass value="0.2"/>
    <inertia ixx="1e-7" ixy="0" ixz="0" iyy="1e-7" iyz="0" izz="1e-7"/></inertial></link>
</robot>"""


def spindle_states() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The farther the carriage, the less of the wheel's inertia is left amid large numbers."""
    slide = np.geomspace(0.01, 50.0, 20)
    position = np.column_stack((slide, np.linspace(-3.0, 3.0, 20)))
    velocity = np.tile((0.5, 8.0), (20, 1))
    return position, velocity, np.tile((1.0, -400.0), (20, 1))


def test_light_bodies_far_from_heavy_ones_keep_their_digits(tmp_path: Path) -> None:
    model = model_of(SPINDLE, tmp_path)
    for position, velocity, acceleration in zip(*spindle_states(), strict=True):
        effort = model.compute(position, velocity, acceleration).actuator_effort
        found = model.forward(position, velocity, effort).acceleration
        np.testing.assert_allclose(found, acceleration, rtol=1e-10)


def test_a_batch_refines_the_samples_that_single_calls_refine(tmp_path: Path) -> None:
    model = model_of(SPINDLE, tmp_path)
    position, velocity, acceleration = spindle_states()
    effort = model.compute(position, velocity, acceleration).actuator_effort
    batch = model.forward(position, velocity, effort).acceleration
    for n in range(20):
        single = model.forward(position[n], velocity[n], effort[n].copy()).acceleration
        np.testing.assert_array_equal(batch[n], single)


def test_floating_link_without_mass_is_named(tmp_path: Path) -> None:
    urdf = (
        '<robot name="kite"><link name="world"/><link name="kite"/>'
        '<joint name="free" type="floating"><parent link="world"/><child link="kite"/></joint>'
        "</robot>"
    )
    model = model_of(urdf, tmp_path)
    with pytest.raises(MassMatrixError, match=r"'free/\w\w' adds no mass of its own"):
        model.forward(model.zero_position())
