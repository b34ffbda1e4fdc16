# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The hexapod, the quadruped and the arm of the package: what they have, and that it is sound."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics import Model, load_model
from charmie_dynamics.model.flat.census import Census
from charmie_dynamics.model.stability import Support, stability_of
from charmie_dynamics.visual.scene import Scene
from robots.generator import arm_6r
from robots.generator.__main__ import TEXTS
from robots.generator.solids import ALONG_X, Solid, together

G = 9.81
CENSUS = {
    "athena": Census(rigid_bodies=25, revolute=18, prismatic=0, fixed=6),
    "quadruped": Census(rigid_bodies=17, revolute=12, prismatic=0, fixed=4),
    "arm_6r": Census(rigid_bodies=7, revolute=6, prismatic=0, fixed=0),
}
MASS = {"athena": 6.428, "quadruped": 35.741, "arm_6r": 2340.584}
LEGGED = ("athena", "quadruped")


@pytest.fixture(scope="module", params=CENSUS)
def robot(request: pytest.FixtureRequest) -> Model:
    return load_model(request.param)


@pytest.fixture(scope="module", params=LEGGED)
def legged(request: pytest.FixtureRequest) -> Model:
    return load_model(request.param)


def at_rest(model: Model) -> np.ndarray:
    position = model.zero_position()
    for name, value in model.mechanisms.rest_pose.items():
        position[model.position_names.index(name)] = value
    return position


@pytest.mark.parametrize("name", TEXTS)
def test_the_file_is_what_the_generator_writes(name: str, repository: Path) -> None:
    assert (repository / "robots" / name).read_text(encoding="utf-8") == TEXTS[name]()


def test_bodies_joints_and_mass_are_those_of_the_documents(robot: Model) -> None:
    assert robot.census() == CENSUS[robot.name]
    assert round(robot.total_mass, 3) == MASS[robot.name]
    assert robot.warnings == ()
    assert len(robot.actuator_names) == CENSUS[robot.name].revolute


def test_the_page_tells_the_masses_of_the_files(repository: Path) -> None:
    page = (repository / "docs" / "robots.md").read_text(encoding="utf-8")
    told = {float(number) for number in re.findall(r"([0-9.]+) kg", page)}
    models = [load_model(name) for name in CENSUS]
    links = [link for model in models for link in model.tree.links.values()]
    masses = {round(link.inertial.mass, 3) for link in links if link.inertial is not None}
    assert told == masses | set(MASS.values())


def test_every_inertial_and_limit_says_where_it_is_from(robot: Model) -> None:
    for line in robot.tree.urdf.splitlines():
        if "<limit" in line or "<inertial" in line:
            assert "<!-- estimated" in line, line
        elif line.startswith("    <origin"):
            assert line.endswith(("<!-- estimated -->", "<!-- published -->", "convention -->"))


def test_the_rest_pose_names_every_actuator_and_lies_within_the_limits(robot: Model) -> None:
    rest = robot.mechanisms.rest_pose
    assert set(rest) == set(robot.actuator_names) == set(robot.mechanisms.friction)
    for name, limit in zip(robot.actuator_names, robot.actuator_limits(), strict=True):
        assert limit.lower < rest[name] < limit.upper


def test_the_rest_pose_is_held_with_less_than_the_rated_efforts(robot: Model) -> None:
    effort = robot.compute(at_rest(robot)).actuator_effort
    rated = np.array([limit.effort for limit in robot.actuator_limits()])
    assert (np.abs(effort) < 0.5 * rated).all()


def test_what_is_drawn_is_shown(robot: Model) -> None:
    bodies = [shape for shape in Scene(robot).shapes if shape.namespace == "bodies"]
    assert len(bodies) == sum(len(link.visuals) for link in robot.tree.links.values())
    heavy = [name for name, link in robot.tree.links.items() if link.inertial is not None]
    assert {shape.frame for shape in bodies} == set(heavy)


def test_legged_robots_hang_on_the_world_by_a_floating_joint(legged: Model) -> None:
    joint = legged.tree.joint_of("base_link")
    assert joint is not None and (joint.type, joint.parent) == ("floating", "world")
    assert len(legged.velocity_names) == 6 + len(legged.actuator_names)


def test_a_free_robot_falls_with_the_acceleration_of_gravity(legged: Model) -> None:
    v = len(legged.velocity_names)
    found = legged.forward(at_rest(legged), np.zeros(v), np.zeros(v - 6)).acceleration
    np.testing.assert_allclose(found[:3], [0.0, 0.0, -G], atol=1e-9)
    np.testing.assert_allclose(found[3:], 0.0, atol=1e-8)


def test_legs_are_mirrored_or_turned_copies(legged: Model) -> None:
    links = legged.tree.links
    legs: dict[str, list] = {}
    for name, link in links.items():
        if link.inertial is not None and name != "base_link":
            legs.setdefault(name.rsplit("_", 1)[1], []).append(link.inertial)
    for inertials in legs.values():
        first = inertials[0]
        for other in inertials[1:]:
            assert other.mass == first.mass
            np.testing.assert_allclose(np.abs(other.p_link_com), np.abs(first.p_link_com))
            np.testing.assert_allclose(other.inertia, first.inertia, atol=1e-15)


def test_the_centre_of_mass_is_on_the_plane_of_symmetry(legged: Model) -> None:
    state = legged.compute(at_rest(legged))
    stability = stability_of(legged, Support.of(legged), state)
    assert abs(stability.centre_of_mass[1]) < 1e-12
    # and the feet are below it
    assert abs(stability.centre_of_mass[0] - Support.of(legged).polygon[:, 0].mean()) < 5e-3


def test_the_feet_touch_the_floor_where_the_mechanisms_file_says(legged: Model) -> None:
    state = legged.compute(at_rest(legged))
    feet = [name for name in legged.tree.links if name.endswith("_foot")]
    for name, contact in zip(feet, legged.mechanisms.wheel_contacts, strict=True):
        (sphere,) = legged.tree.links[name].collisions
        point = state.frame(name)[0] - [0.0, 0.0, sphere.size[0]]
        np.testing.assert_allclose(contact, point, atol=6e-5)  # as many digits as are written


def test_the_legs_of_the_hexapod_stand_at_sixty_degrees() -> None:
    athena = load_model("athena")
    state = athena.compute(at_rest(athena))
    feet = np.array([state.frame(f"leg_{k}_foot")[0] for k in range(1, 7)])
    angles = np.degrees(np.arctan2(feet[:, 1], feet[:, 0]))
    np.testing.assert_allclose(angles % 360.0, [270.0, 330.0, 30.0, 90.0, 150.0, 210.0])


def test_the_joints_of_the_arm_lie_where_they_are_published() -> None:
    arm = load_model("arm_6r")
    state = arm.compute(arm.zero_position())
    x = np.cumsum([0.0, 0.5, 1.3, 0.0, 1.025, 0.290])
    z = [1.045, 1.045, 1.045, 0.990, 0.990, 0.990]
    axes = [(0, 0, -1), (0, 1, 0), (0, 1, 0), (-1, 0, 0), (0, 1, 0), (-1, 0, 0)]
    for k, joint in enumerate(arm.tree.joints[:6]):
        np.testing.assert_allclose(state.frame(f"link_{k + 1}")[0], [x[k], 0.0, z[k]], atol=1e-12)
        assert joint.axis.tolist() == list(axes[k])
        assert joint.axis.tolist() == list(arm_6r.JOINTS[k][1])
    # z of the tool points out of the flange
    np.testing.assert_allclose(state.frame("tool0")[1][:, 2], [1.0, 0.0, 0.0], atol=1e-12)


def sampled_moments(solid: Solid) -> np.ndarray:
    """Return the inertia of a prism along z by its cross-section, cut into small squares."""
    radius, length = solid.size
    steps = 2000
    places = (np.arange(steps) + 0.5) / steps * 2.4 * radius - 1.2 * radius
    x, y = np.meshgrid(places, places)
    normals = [(math.cos(a), math.sin(a)) for a in np.arange(3) * math.pi / 3.0]
    inside = np.all([np.abs(c * x + s * y) <= radius for c, s in normals], axis=0)
    mass = solid.mass / inside.sum()
    across = solid.mass * length**2 / 12.0
    xx, yy = mass * (y[inside] ** 2).sum() + across, mass * (x[inside] ** 2).sum() + across
    return np.diag([xx, yy, mass * (x[inside] ** 2 + y[inside] ** 2).sum()])


def test_a_hexagonal_prism_weighs_and_turns_as_its_cross_section() -> None:
    solid = Solid("hexagon", (0.3, 0.2), 500.0, "m")
    # six triangles of height 0.3
    assert solid.mass == pytest.approx(500.0 * 0.2 * 6.0 * 0.3**2 / math.sqrt(3.0))
    np.testing.assert_allclose(solid.inertia, sampled_moments(solid), rtol=1e-3, atol=1e-12)


def test_two_halves_are_together_what_the_whole_is() -> None:
    whole = together([Solid("cylinder", (0.1, 0.8), 900.0, "m", (0.4, 0.0, 0.0), ALONG_X)])
    halves = together(
        [Solid("cylinder", (0.1, 0.4), 900.0, "m", (x, 0.0, 0.0), ALONG_X) for x in (0.2, 0.6)]
    )
    assert halves.mass == pytest.approx(whole.mass)
    np.testing.assert_allclose(halves.centre, whole.centre, atol=1e-15)
    np.testing.assert_allclose(halves.inertia, whole.inertia, atol=1e-12)
