# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The robots of the package have collision shapes that follow their visuals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from charmie_dynamics import Model, load_model
from charmie_dynamics.model.description.package_robots import PACKAGE_ROBOTS, PACKAGE_WORLDS
from charmie_dynamics.model.description.robot import Collision, Link, Visual
from charmie_dynamics.simulation import load_world, world_of

MARGIN = 0.02  # m, from a visual to the nearest shape of its link
COVERED = 0.95  # of the surface of the visuals; the rest are small parts
FARTHEST = 0.1  # m, from such a part to the nearest shape
EXCESS = 0.06  # m, of shapes beyond the visuals in any direction
CAN = 0.033  # m, radius
POINTS = 4000


def surface(shape: Visual | Collision, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return points (count, 3) spread evenly over the surface of a shape, in its frame."""
    if shape.kind == "box":
        half = 0.5 * np.array(shape.size)
        areas = half[[1, 0, 0]] * half[[2, 2, 1]]
        points = rng.uniform(-half, half, (count, 3))
        normal = rng.choice(3, count, p=areas / areas.sum())
        points[np.arange(count), normal] = half[normal] * rng.choice((-1.0, 1.0), count)
        return points
    if shape.kind == "sphere":
        points = rng.normal(size=(count, 3))
        return shape.size[0] * points / np.linalg.norm(points, axis=1)[:, None]
    radius, length = shape.size
    angle, z = rng.uniform(0.0, 2.0 * math.pi, count), rng.uniform(-0.5, 0.5, count) * length
    points = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), z])
    is_end = rng.random(count) < radius / (length + radius)
    points[is_end, :2] *= np.sqrt(rng.random(is_end.sum()))[:, None]
    points[is_end, 2] = 0.5 * length * np.sign(z[is_end])
    return points


def area(shape: Visual) -> float:
    if shape.kind == "box":
        x, y, z = shape.size
        return 2.0 * (x * y + y * z + z * x)
    if shape.kind == "sphere":
        return 4.0 * math.pi * shape.size[0] ** 2
    radius, length = shape.size
    return 2.0 * math.pi * radius * (radius + length)


def distance(shape: Collision, points: np.ndarray) -> np.ndarray:
    """Return the distances (n,) of points of the link from a shape, zero inside."""
    own = (points - shape.p_link_collision) @ shape.R_link_collision
    if shape.kind == "box":
        beyond = np.abs(own) - 0.5 * np.array(shape.size)
    elif shape.kind == "cylinder":
        radius, length = shape.size
        rho = np.hypot(own[:, 0], own[:, 1])
        beyond = np.column_stack([rho - radius, np.abs(own[:, 2]) - 0.5 * length])
    else:
        beyond = np.linalg.norm(own, axis=1)[:, None] - shape.size[0]
    return np.linalg.norm(np.maximum(beyond, 0.0), axis=1)


def points_of_visuals(link: Link, rng: np.random.Generator) -> np.ndarray:
    """Return points of the link spread evenly over the surfaces of its visuals."""
    areas = np.array([area(visual) for visual in link.visuals])
    counts = np.ceil(POINTS * areas / areas.sum()).astype(int)
    return np.concatenate([
        visual.p_link_visual + surface(visual, n, rng) @ visual.R_link_visual.T
        for visual, n in zip(link.visuals, counts.tolist(), strict=True)
    ])  # fmt: skip


def solid_links(model: Model) -> list[Link]:
    """Return the links with shapes, but wheels with rollers: a wheel touches as a ball."""
    rolling = model.mechanisms.rollers
    return [e for e in model.tree.links.values() if e.collisions and e.name not in rolling]


@pytest.mark.parametrize("robot", PACKAGE_ROBOTS)
def test_every_robot_of_the_package_has_shapes_that_cover_its_visuals(robot: str) -> None:
    rng = np.random.default_rng(0)
    links = solid_links(load_model(robot))
    assert links
    for link in links:
        points = points_of_visuals(link, rng)
        gaps = np.min([distance(shape, points) for shape in link.collisions], axis=0)
        assert np.mean(gaps <= MARGIN + 1e-9) >= COVERED, (link.name, np.quantile(gaps, COVERED))
        assert gaps.max() <= FARTHEST, link.name


@pytest.mark.parametrize("robot", PACKAGE_ROBOTS)
def test_shapes_are_of_the_kinds_that_all_readers_of_urdf_know(robot: str) -> None:
    links = load_model(robot).tree.links.values()
    kinds = {shape.kind for link in links for shape in link.collisions}
    assert kinds <= {"box", "cylinder", "sphere"}  # urdfdom of Humble and Jazzy has no capsules


@pytest.mark.parametrize("robot", PACKAGE_ROBOTS)
def test_no_shape_of_a_robot_extends_far_beyond_its_visuals(robot: str) -> None:
    rng = np.random.default_rng(1)
    directions = rng.normal(size=(3, 200))
    directions /= np.linalg.norm(directions, axis=0)
    for link in solid_links(load_model(robot)):
        visuals = (points_of_visuals(link, rng) @ directions).max(axis=0)
        for shape in link.collisions:
            points = surface(shape, POINTS, rng) @ shape.R_link_collision.T + shape.p_link_collision
            excess = (points @ directions).max(axis=0) - visuals
            assert excess.max() <= EXCESS, (link.name, excess.max())


@pytest.mark.parametrize("robot", ["charmie", "charmie_lar", "charmie_wheeled", "scara", "arm_6r"])
def test_moving_shapes_are_above_the_floor_in_the_rest_pose(robot: str) -> None:
    world = world_of(f"entities: {{robot: {{urdf: {robot}, mechanisms: {robot}}}}}")
    state = world.model.kinematics(world.position)
    for shape, moves in zip(world.contacts.shapes, world.contacts.moves, strict=True):
        p, R = state.frame(shape.link)
        corners = shape.p_link_shape + shape.corners @ shape.R_link_shape.T
        assert not moves or (p + corners @ R.T)[:, 2].min() > -1e-9, shape.link


@pytest.mark.parametrize("name", PACKAGE_WORLDS)
def test_no_shapes_overlap_at_the_start_of_the_worlds_of_the_package(name: str) -> None:
    load_world(name).require_apart()


@pytest.mark.parametrize(("side", "opening"), [("left", -0.8), ("right", 0.8)])
def test_the_flat_faces_of_the_claws_are_parallel_about_a_can(side: str, opening: float) -> None:
    model = load_model()
    gripper = model.position_names.index(f"{side}_gripper_joint")
    pads = [model.tree.links[f"{side}_claw_{k}"].collisions[-1] for k in (1, 2)]

    def faces(position: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the inward normals (2, 3), and tool less the middle of each face (2, 3)."""
        at = model.zero_position()
        at[gripper] = position
        state = model.kinematics(at)
        tool = state.frame(f"{side}_tool")[0]
        normals, ways = [], []
        for k, pad in enumerate(pads):
            p, R = state.frame(f"{side}_claw_{k + 1}")
            normal = (2 * k - 1) * R @ pad.R_link_collision[:, 1]
            middle = p + R @ pad.p_link_collision + 0.5 * pad.size[1] * normal
            normals.append(normal)
            ways.append(tool - middle)
        return np.array(normals), np.array(ways)

    def gap(position: float) -> float:
        normals, ways = faces(position)
        return float((normals * ways).sum(axis=1).min()) - CAN

    assert gap(opening) > 0.01  # m, wider than the can
    normals, ways = faces(brentq(gap, 0.0, opening))
    assert normals[0] @ normals[1] < -math.cos(math.radians(3.0))
    across = ways - (ways * normals).sum(axis=1)[:, None] * normals
    assert np.linalg.norm(across, axis=1).max() < 0.5 * pads[0].size[2] - 0.01  # m, from the edges
