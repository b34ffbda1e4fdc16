# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The motion of a floating base, and the direction of gravity, from imu and odometry."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from base_messages import NANOSECONDS, G, imu, imu_of, odometry_of

from charmie_dynamics import Model, load_model
from charmie_dynamics.live.pipeline import Cycle, Pipeline
from charmie_dynamics.live.wire.base_messages import InertialMessage, OdometryMessage
from charmie_dynamics.live.wire.samples import (
    ACTUATOR_LENGTHS,
    JOINT_STATES,
    JointSample,
    RefusedSampleError,
)
from charmie_dynamics.numerics.vectors import Floats

PERIOD = 10_000_000  # ns
BASE_LINKS = {"charmie_wheeled": "base", "arm_6r": "base_link"}
BASE = 6  # velocities of the floating joint, first of the robot; one more position
TOPICS = JOINT_STATES, ACTUATOR_LENGTHS
MOVED = "base_footprint"  # a link that is fixed to the base of charmie_wheeled, away from it


@pytest.fixture(scope="module")
def wheeled() -> Model:
    return load_model("charmie_wheeled")


@pytest.fixture(scope="module")
def arm() -> Model:
    return load_model("arm_6r")


def random_state(model: Model, seed: int = 3) -> Any:
    """Return a state of a robot on a floating base without angular acceleration of the base."""
    rng = np.random.default_rng(seed)
    position = model.zero_position()
    position[: BASE + 1] = rng.uniform(-0.5, 0.5, BASE + 1)
    velocity, acceleration = rng.uniform(-0.5, 0.5, (2, len(model.velocity_names)))
    acceleration[BASE // 2 : BASE] = 0.0
    return model.compute(model.normalised_position(position), velocity, acceleration)


def send(pipeline: Pipeline, stamp: int, position: Floats | None = None) -> Cycle:
    """Send joints at rest, a sample with this stamp (ns), which is also its arrival."""
    model = pipeline.model
    names = model.actuator_names
    own = [model.position_names.index(name) for name in names]
    values = model.zero_position()[own] if position is None else position
    sample = JointSample(names, values, np.zeros(len(names)), stamp)
    cycle = pipeline.take(JOINT_STATES, sample, stamp / NANOSECONDS)
    assert cycle is not None
    return cycle


def numbers(cycle: Cycle) -> Floats:
    return np.asarray(cycle.state.block)


def take(pipeline: Pipeline, message: InertialMessage | OdometryMessage, stamp: int) -> None:
    if isinstance(message, InertialMessage):
        pipeline.base.take_imu(message, stamp / NANOSECONDS, stamp)
    else:
        pipeline.base.take_odometry(message, stamp / NANOSECONDS, stamp)


def base_of(cycle: Cycle) -> tuple[Floats, Floats, Floats]:
    state = cycle.state
    return (
        state.position[: BASE + 1],
        state.velocity[:BASE],
        state.acceleration[:BASE],
    )


@pytest.mark.parametrize("frame", ["base", MOVED])
@pytest.mark.parametrize("is_oriented", [False, True])
def test_both_topics_give_position_velocity_and_acceleration_of_the_base(
    wheeled: Model, frame: str, is_oriented: bool
) -> None:
    pipeline, state = Pipeline(wheeled), random_state(wheeled)
    take(pipeline, odometry_of(state, frame, PERIOD), PERIOD)
    take(pipeline, imu_of(state, frame, PERIOD, is_oriented=is_oriented), PERIOD)
    position, velocity, acceleration = base_of(send(pipeline, PERIOD))
    expected = state.position[: BASE + 1]
    expected = expected * np.sign(expected[-1] * position[-1])  # of the quaternion
    expected[:3] = state.position[:3]
    np.testing.assert_allclose(position, expected, atol=1e-12)
    np.testing.assert_allclose(velocity, state.velocity[:BASE], atol=1e-12)
    np.testing.assert_allclose(acceleration, state.acceleration[:BASE], atol=1e-11)


def link(name: str) -> str:
    inertia = '<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/>'
    return f'<link name="{name}"><inertial><mass value="1"/>{inertia}</inertial></link>'


@pytest.mark.parametrize("base", ["floating", "fixed"])
def test_loops_may_be_open_at_zero(tmp_path: Path, base: str) -> None:
    joints = "".join(
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{x} 0 0"/>'
        + ('<axis xyz="0 1 0"/></joint>' if parent == "base" else "</joint>")
        for name, kind, parent, child, x in (
            ("base_joint", base, "earth", "base", 0.0),
            ("drive", "continuous", "base", "crank", 0.0),
            ("follower", "continuous", "base", "rocker", 0.5),
        )
    )
    links = "".join(map(link, ("base", "crank", "rocker")))
    text = f'<robot name="loop"><link name="earth"/>{links}{joints}</robot>'
    (tmp_path / "loop.urdf").write_text(text, encoding="utf-8")
    (tmp_path / "loop.yaml").write_text(
        "base_body: base\npassive_joints: [follower]\n"
        "loop_joints: {rod: {type: distance, first_body: crank, second_body: rocker, length: 0.6,"
        " first_point: [0, 0, 0.3], second_point: [0, 0, 0.3]}}\n",
        encoding="utf-8",
    )
    model = load_model(tmp_path / "loop.urdf", tmp_path / "loop.yaml")
    pipeline, R = Pipeline(model), turned(0.3)
    take(pipeline, imu(R.T @ G, np.zeros(3), PERIOD, "base", R), PERIOD)
    sample = JointSample(("drive",), np.array([0.2]), np.zeros(1), PERIOD)
    cycle = pipeline.take(JOINT_STATES, sample, PERIOD / NANOSECONDS)
    assert cycle is not None
    force, _ = cycle.state.base_wrench
    np.testing.assert_allclose(force, R.T @ (3.0 * G), atol=1e-9)


def test_an_imu_alone_gives_the_efforts_of_the_tilted_robot(wheeled: Model) -> None:
    """They do not depend on place, heading and linear velocity."""
    pipeline, state = Pipeline(wheeled), random_state(wheeled)
    take(pipeline, imu_of(state, "base", PERIOD), PERIOD)
    found = send(pipeline, PERIOD).state
    position, velocity, acceleration = (
        wheeled.zero_position(),
        0.0 * state.velocity,
        0.0 * state.acceleration,
    )
    position[: BASE + 1] = state.position[: BASE + 1]
    velocity[:BASE], acceleration[:BASE] = state.velocity[:BASE], state.acceleration[:BASE]
    expected = wheeled.compute(position, velocity, acceleration)
    np.testing.assert_allclose(found.actuator_effort, expected.actuator_effort, atol=1e-9)
    np.testing.assert_allclose(found.base_wrench, expected.base_wrench, atol=1e-9)
    assert (
        abs(found.actuator_effort - wheeled.compute(wheeled.zero_position()).actuator_effort).max()
        > 1.0
    )


@pytest.mark.parametrize("is_oriented", [False, True])
def test_gravity_of_the_model_may_have_any_direction(wheeled: Model, is_oriented: bool) -> None:
    """The floor is the plane z = 0 of the model, and inclined by 0.2 rad."""
    R_earth_world, true = turned(0.2), random_state(wheeled)
    g = R_earth_world.T @ -G
    ramp = Model(wheeled.tree, replace(wheeled.mechanisms, gravity=tuple(g.tolist())))
    motion = true.motion("base")
    R = motion.rotation
    angular = R.T @ motion.angular_velocity
    orientation = R_earth_world @ R if is_oriented else None
    message = imu(R.T @ (motion.acceleration - g), angular, PERIOD, "base", orientation)
    pipeline = Pipeline(ramp)
    take(pipeline, odometry_of(true, "base", PERIOD), PERIOD)
    take(pipeline, message, PERIOD)
    position, _, acceleration = base_of(send(pipeline, PERIOD))
    np.testing.assert_allclose(position[:3], true.position[:3], atol=1e-12)
    np.testing.assert_allclose(np.abs(position[3:]), np.abs(true.position[3 : BASE + 1]), atol=1e-9)
    np.testing.assert_allclose(acceleration, true.acceleration[:BASE], atol=1e-11)


def test_odometry_is_continued_to_the_stamp_of_the_cycle(wheeled: Model) -> None:
    pipeline, state = Pipeline(wheeled), random_state(wheeled)
    take(pipeline, odometry_of(state, "base", PERIOD), PERIOD)
    position, _, _ = base_of(send(pipeline, 2 * PERIOD))
    rate = wheeled.position_rate(state.position, state.velocity)[: BASE + 1]
    expected = state.position[: BASE + 1] + PERIOD / NANOSECONDS * rate
    expected[3:] *= np.sign(expected[-1] * position[-1])
    np.testing.assert_allclose(position, expected, atol=1e-4)
    assert abs(expected - state.position[: BASE + 1]).max() > 1e-3


def test_gravity_is_left_out_of_a_force_at_the_time_of_the_force(wheeled: Model) -> None:
    """The base turns about a level axis through its origin; the last message is 10 ms old."""
    pipeline, position = Pipeline(wheeled), wheeled.zero_position()
    velocity = np.zeros(len(wheeled.velocity_names))
    velocity[3] = 2.0  # rad/s
    state = wheeled.compute(position, velocity)
    take(pipeline, odometry_of(state, "base", PERIOD), PERIOD)
    take(pipeline, imu_of(state, "base", PERIOD), PERIOD)
    _, _, acceleration = base_of(send(pipeline, 2 * PERIOD))
    np.testing.assert_allclose(acceleration, np.zeros(6), atol=1e-12)


def test_accelerations_of_odometry_follow_its_velocities(wheeled: Model) -> None:
    pipeline, state = Pipeline(wheeled), wheeled.zero_position()
    slope = np.array((0.3, -0.2, 0.1, 0.2, 0.4, -0.3))
    velocity = np.zeros(len(wheeled.velocity_names))
    for k in range(1, 60):
        velocity[:BASE] = slope * k * PERIOD / NANOSECONDS
        moved = wheeled.kinematics(state, velocity)
        take(pipeline, odometry_of(moved, "base", k * PERIOD), k * PERIOD)
    acceleration = base_of(send(pipeline, k * PERIOD))[2]
    np.testing.assert_allclose(acceleration, slope, rtol=1e-3)


def test_the_newest_message_that_is_not_later_than_the_cycle_applies(wheeled: Model) -> None:
    first, second = (random_state(wheeled, seed) for seed in (1, 2))
    alone, both = Pipeline(wheeled), Pipeline(wheeled)
    for pipeline in (alone, both):
        take(pipeline, odometry_of(first, "base", PERIOD), PERIOD)
    take(both, odometry_of(second, "base", 2 * PERIOD), 2 * PERIOD)
    np.testing.assert_array_equal(numbers(send(alone, PERIOD)), numbers(send(both, PERIOD)))
    later = send(both, 2 * PERIOD).state.position[:3]
    np.testing.assert_allclose(later, second.position[:3], atol=1e-12)


@pytest.mark.parametrize("name", ["charmie_wheeled", "arm_6r"])
def test_stale_messages_leave_the_base_upright_and_at_rest(name: str) -> None:
    model = load_model(name)
    pipeline, without = Pipeline(model), Pipeline(model)
    frame = model.mechanisms.base_body or model.tree.root
    R = np.array(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)))
    take(pipeline, imu(R.T @ G, np.zeros(3), PERIOD, frame, R), PERIOD)
    assert abs(numbers(send(pipeline, PERIOD)) - numbers(send(without, PERIOD))).max() > 1.0
    assert not pipeline.base.stale and pipeline.base.is_known
    late = PERIOD + 600_000_000
    np.testing.assert_array_equal(numbers(send(pipeline, late)), numbers(send(without, late)))
    assert pipeline.base.stale == ("imu",) and not pipeline.base.is_known


REFUSED: dict[str, Any] = {
    "unknown frame": {"frame": "bose"},
    "not finite": {"acceleration": np.array((0.0, np.nan, 0.0))},
    "no unit quaternion": {"orientation": np.zeros(4)},
    "frame that moves on the base": {"frame": "head"},
}


@pytest.mark.parametrize("cause", REFUSED)
def test_a_refused_message_has_a_cause_and_changes_nothing(wheeled: Model, cause: str) -> None:
    pipeline, without = Pipeline(wheeled), Pipeline(wheeled)
    for each in (pipeline, without):
        message = imu(G, np.zeros(3), PERIOD, "base", np.eye(3))
        take(each, message, PERIOD)
    message = imu(G, np.ones(3), 2 * PERIOD, "base", np.eye(3))
    with pytest.raises(RefusedSampleError) as refused:
        take(pipeline, message._replace(**REFUSED[cause]), 2 * PERIOD)
    assert refused.value.cause == cause
    stamp = 2 * PERIOD
    np.testing.assert_array_equal(numbers(send(pipeline, stamp)), numbers(send(without, stamp)))


def turned(angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array(((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c)))


def test_an_imu_on_a_moving_link_gives_the_gravity_of_an_inclined_robot(arm: Model) -> None:
    """The root is inclined by 0.3 rad; the link is turned by its joint."""
    R_root = turned(0.3)
    inclined = Model(arm.tree, replace(arm.mechanisms, gravity=tuple((R_root.T @ -G).tolist())))
    position = np.linspace(0.2, 0.7, len(arm.actuator_names))
    link = arm.tree.joints[-1].child
    R = R_root @ arm.kinematics(position).frame(link)[1]
    pipeline = Pipeline(arm)
    take(pipeline, imu(R.T @ G, np.zeros(3), PERIOD, link, R), PERIOD)
    send(pipeline, PERIOD, position)  # the rotation of the link is that of the cycle before
    found = send(pipeline, 2 * PERIOD, position).state.actuator_effort
    expected = inclined.compute(position).actuator_effort
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert abs(found - arm.compute(position).actuator_effort).max() > 1.0
    np.testing.assert_array_equal(
        arm.compute(position).actuator_effort,
        load_model("arm_6r").compute(position).actuator_effort,
    )


@pytest.mark.parametrize("topics", [TOPICS, TOPICS[::-1]], ids=["joints first", "lengths first"])
def test_gravity_on_a_ramp_follows_a_base_that_turns(topics: tuple[str, str]) -> None:
    """Joints and lengths come in two messages with the same stamp; one of them starts no cycle."""
    model, pipeline = load_model("charmie"), Pipeline(load_model("charmie"))
    R_root, position = turned(0.1), model.rest_position()
    gravity = tuple((R_root.T @ -G).tolist())
    ramp = Model(model.tree, replace(model.mechanisms, gravity=gravity))
    names = model.actuator_names
    linear = {actuator.name for actuator in model.mechanisms.linear_actuators}
    columns = {
        topic: [k for k, name in enumerate(names) if (name in linear) == (topic != JOINT_STATES)]
        for topic in TOPICS
    }
    yaw = names.index("base_yaw_joint")
    for k in range(1, 101):
        position[yaw], stamp = 0.02 * k, k * PERIOD
        state = model.compute(position)
        R = R_root @ state.frame("base_link")[1]
        take(pipeline, imu(R.T @ G, np.zeros(3), stamp, "base_link", R), stamp)
        cycles = []
        for topic in topics:
            rows = columns[topic]
            sample = JointSample(tuple(names[i] for i in rows), position[rows], None, stamp)
            cycles.append(pipeline.take(topic, sample, stamp / NANOSECONDS))
    (cycle,) = (each for each in cycles if each is not None)
    found = cycle.state
    expected = ramp.compute(found.position, found.velocity, found.acceleration).actuator_effort
    size = abs(
        expected - model.compute(found.position, found.velocity, found.acceleration).actuator_effort
    ).max()
    assert size > 1.0
    np.testing.assert_allclose(found.actuator_effort, expected, atol=0.05 * size)


def test_new_loads_do_not_forget_where_the_imu_is(arm: Model) -> None:
    R_root, position = turned(0.3), np.linspace(0.2, 0.7, len(arm.actuator_names))
    link = arm.tree.joints[-1].child
    R = R_root @ arm.kinematics(position).frame(link)[1]
    pipeline = Pipeline(arm)
    found = []
    for k in range(1, 4):
        take(pipeline, imu(R.T @ G, np.zeros(3), k * PERIOD, link, R), k * PERIOD)
        if k == 3:
            pipeline.carry(arm.with_loads({}, {}))
        found.append(send(pipeline, k * PERIOD, position).state.actuator_effort)
    np.testing.assert_array_equal(found[2], found[1])


def test_without_orientation_the_force_gives_the_tilt_and_the_rate_turns_it(arm: Model) -> None:
    pipeline, frame = Pipeline(arm), arm.tree.root
    angle, rate, stamp = 0.2, 0.5, 0
    for k in range(100):  # at rest, with vibrations
        stamp = k * PERIOD + PERIOD
        force = turned(angle).T @ G + (3.0 * (-1) ** k, 0.0, 0.0)
        take(pipeline, imu(force, np.zeros(3), stamp, frame), stamp)

    def tilt() -> float:
        gravity = pipeline.base.gravity(stamp, stamp / NANOSECONDS, np.eye(3))
        assert gravity is not None
        return float(np.arctan2(gravity[0], -gravity[2]))

    assert tilt() == pytest.approx(angle, abs=0.01)
    for _ in range(20):  # turned while the robot brakes
        stamp += PERIOD
        angle += rate * PERIOD / NANOSECONDS
        force = turned(angle).T @ (G - (1.0, 0.0, 0.0))
        take(pipeline, imu(force, np.array((0.0, rate, 0.0)), stamp, frame), stamp)
    assert tilt() == pytest.approx(angle, abs=0.03)


def test_a_jump_back_in_time_begins_again(arm: Model) -> None:
    pipeline, frame = Pipeline(arm), arm.tree.root
    take(pipeline, imu(G, np.zeros(3), 100 * PERIOD, frame), 100 * PERIOD)
    R = turned(0.4)
    take(pipeline, imu(R.T @ G, np.zeros(3), PERIOD, frame), 101 * PERIOD)
    gravity = pipeline.base.gravity(PERIOD, 1.01, np.eye(3))
    assert gravity is not None
    np.testing.assert_allclose(gravity, -(R.T @ G), atol=1e-12)


@pytest.mark.parametrize("name", ["charmie_wheeled", "arm_6r"])
@pytest.mark.parametrize("behind", [0, 1])
def test_a_late_or_repeated_message_changes_nothing(name: str, behind: int) -> None:
    """A moving robot, whose specific force is not against gravity."""
    model = load_model(name)
    pipelines, frame = (Pipeline(model), Pipeline(model)), BASE_LINKS[name]
    for k in range(1, 21):
        for pipeline in pipelines:
            force = G + np.array((2.0 * np.sin(k), 0.0, 0.0))
            state = random_state(model, k) if name != "arm_6r" else None
            take(pipeline, imu(force, np.full(3, 0.1), k * PERIOD, frame), k * PERIOD)
            if state is not None:
                take(pipeline, odometry_of(state, frame, k * PERIOD), k * PERIOD)
    late = (20 - behind) * PERIOD
    take(pipelines[1], imu(3.0 * G, np.zeros(3), late, frame), 20 * PERIOD)
    if name != "arm_6r":
        take(pipelines[1], odometry_of(random_state(model, 99), frame, late), 20 * PERIOD)
    found = [numbers(send(pipeline, 21 * PERIOD)) for pipeline in pipelines]
    np.testing.assert_array_equal(*found)
