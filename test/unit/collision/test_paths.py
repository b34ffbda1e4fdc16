# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The first collision along a trajectory."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
from shaped_arm import arm

from charmie_dynamics import Model
from charmie_dynamics.collision.monitor import CollisionMonitor
from charmie_dynamics.collision.paths import DEPTH, pair_levers
from charmie_dynamics.model.description.world import parse_world
from charmie_dynamics.motions import Trajectory, joined_points, judge
from charmie_dynamics.numerics.vectors import Floats, Ints

POST = (
    "post: {shape: cylinder, size: [0.005, 3.0], pose: [0.9, 0.0, 0.4, 1.5708, 0, 0], moves: fixed}"
)


def monitor(model: Model, *entities: str) -> CollisionMonitor:
    text = "entities:\n" + "".join(f"  {entity}\n" for entity in entities)
    return CollisionMonitor(model, parse_world(text, "world.yaml"))


def sampled(model: Model, watched: CollisionMonitor, trajectory: Trajectory, count: int):
    """Return times of many samples and the least distance at each."""
    spline = joined_points(trajectory.time, trajectory.position)
    time = np.linspace(trajectory.time[0], trajectory.time[-1], count)
    state = model.kinematics(np.array([spline.at(t).position for t in time]))
    return time, watched.distances.nearest(state).distance.min(axis=1)


def test_fast_swing_through_a_thin_post_is_a_collision() -> None:
    """The arm moves 0.5 m between two points of the check of its limits; the post has 10 mm."""
    model = arm()
    watched = monitor(model, POST)
    trajectory = Trajectory(["shoulder"], np.array([0.0, 0.1]), np.array([[0.0], [2.8]]))
    held = np.array([0.0, 0.0, 0.1])
    verdict = judge(model, trajectory, held, watched.distances)
    assert verdict.collision is not None and verdict.collision.second == "post"
    everything = Trajectory(
        model.actuator_names, trajectory.time, np.array([held, [2.8, 0.0, 0.1]])
    )
    time, distance = sampled(model, watched, everything, 20001)
    assert verdict.collision.time == pytest.approx(time[(distance <= 0.0).argmax()], abs=1e-4)
    assert str(verdict.collision).startswith(f"collision of '{verdict.collision.first}' and 'post'")


def test_trajectory_that_stops_before_the_post_has_no_collision() -> None:
    model = arm()
    watched = monitor(model, POST)
    trajectory = Trajectory(["shoulder"], np.array([0.0, 1.0]), np.array([[0.0], [0.9]]))
    assert judge(model, trajectory, np.zeros(3), watched.distances).collision is None


def test_start_in_a_collision_is_reported_at_its_time() -> None:
    model = arm()
    watched = monitor(model, POST)
    trajectory = Trajectory(["slide"], np.array([0.5, 1.0]), np.array([[0.0], [0.1]]))
    held = np.array([np.pi / 2, 0.0, 0.0])
    collision = judge(model, trajectory, held, watched.distances).collision
    assert collision is not None and collision.time == 0.5


def test_without_pairs_to_check_there_is_no_collision() -> None:
    trajectory = Trajectory(["slide"], np.array([0.0, 1.0]), np.array([[0.0], [0.1]]))
    assert judge(arm(), trajectory, np.zeros(3)).collision is None
    none = copy.copy(monitor(arm(), POST).distances)
    none.pairs = none.pairs[:0]
    assert judge(arm(), trajectory, np.zeros(3), none).collision is None


def test_no_overlap_deeper_than_the_depth_is_missed() -> None:
    """Random trajectories among random shapes, compared with many samples of each."""
    random, model = np.random.default_rng(4), arm()
    outcomes = []
    for case in range(25):
        shapes = [
            f"s{k}: {{shape: box, size: {random.uniform(0.005, 0.2, 3).tolist()}, moves: fixed, "
            f"pose: {random.uniform([-1.2] * 3 + [-3] * 3, [1.2] * 3 + [3] * 3).tolist()}}}"
            for k in range(16)
        ]
        watched = monitor(model, *shapes)
        time = np.array([0.0, 0.4, 1.0])
        position = np.array([[0.0, 0.0, 0.0], *random.uniform([-2, -2, 0], [2, 2, 0.3], (2, 3))])
        trajectory = Trajectory(model.actuator_names, time, position)
        collision = judge(model, trajectory, np.zeros(3), watched.distances).collision
        times, distance = sampled(model, watched, trajectory, 2001)
        outcomes.append(collision is not None)
        if collision is None:
            assert distance.min() > -DEPTH, case
        else:
            at = joined_points(time, position).at(collision.time).position
            state = model.kinematics(at)
            assert watched.distances.nearest(state).distance.min() <= 0.0
            before = times < collision.time
            assert distance[before].min(initial=np.inf) > -DEPTH, case
    assert 5 <= sum(outcomes) <= 20


def test_offset_of_a_mimic_joint_lengthens_the_lever_only_if_it_slides() -> None:
    """An offset of a turning joint is an angle, which moves no shape away from a joint."""
    model = arm()
    distances, flat = monitor(model, POST).distances, model.flat
    turns = flat.freedoms.freedom_turns > 0

    def levers(moved: Ints) -> Floats:
        """Return all levers with an offset of the joints of some bodies, and none of others."""
        offset = np.zeros(len(flat.tree.parent))
        offset[moved] = 0.5
        robot = replace(flat, tree=flat.tree._replace(offset=offset))
        return pair_levers(distances, robot, np.ones(len(model.velocity_names)))[0]

    without = levers(np.zeros(0, dtype=np.int64))
    assert (levers(flat.freedoms.freedom_body[turns]) == without).all()
    assert levers(flat.freedoms.freedom_body[~turns]).sum() > without.sum()
