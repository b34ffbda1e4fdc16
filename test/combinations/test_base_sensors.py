# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulated sensors of random robots on random bases, and commands of the base's velocity."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from bases import MARK, add_planar_base, add_swedish_wheels, turn
from descriptions import SINGLE, Description, arrays, of_quaternion
from generator import (
    LOOPS,
    OF_TREES,
    SIZES,
    Plan,
    described,
    plans,
    random_mesh,
    random_rotation,
    unit,
)
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from situations import DescribedSituation, assert_close, situation

from charmie_dynamics import Model, simulation
from charmie_dynamics.collision.convex_bodies import ConvexBody
from charmie_dynamics.simulation.session.base_drive import BaseDrive
from charmie_dynamics.simulation.session.inertial_unit import InertialUnit
from charmie_dynamics.simulation.session.laser_scanner import LaserScanner
from charmie_dynamics.simulation.session.odometry import WheelOdometry
from charmie_dynamics.simulation.session.sensors import Measurement, OdometryEstimate, TrueSample
from charmie_dynamics.simulation.session.session import Session
from charmie_dynamics.simulation.session.settings import SessionSettings
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

SAMPLE = 5_000_000  # ns
EXACT = {"odom_linear_noise": 0.0, "odom_angular_noise": 0.0, "odom_child_frame": MARK}
SEEDS = st.integers(0, 999)
NOTHING = np.zeros(0)


def with_base(plan: Plan, add_base: Any, seed: int) -> Description:
    robot = described(plan).copy()
    add_base(robot, np.random.default_rng([seed, 7]))
    note(robot.report())
    return robot


def planar_velocity(motion: Any) -> np.ndarray:
    """Return the velocity along x and y, and about z, in the axes of a frame."""
    x, y, _ = motion.rotation.T @ motion.velocity
    return np.array([x, y, motion.rotation[:, 2] @ motion.angular_velocity])


class Swing:
    """A smooth motion of n numbers."""

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        self.size, self.rate = rng.uniform(0.1, 0.5, n), rng.uniform(0.5, 2.0, n)
        self.phase = rng.uniform(-3.0, 3.0, n)

    def at(self, t: float) -> np.ndarray:
        return self.size * np.sin(self.rate * t + self.phase)

    def speed(self, t: float) -> np.ndarray:
        return self.size * self.rate * np.cos(self.rate * t + self.phase)


def estimates(
    model: Model, base: BaseDrive, path: list[tuple[np.ndarray, np.ndarray]], **settings: Any
) -> list[OdometryEstimate]:
    """Return the odometry along positions (p,) and velocities (v,) of the robot."""
    system = SimulatedSystem.alone(model)
    robot = system.robot
    assert robot is not None
    odometry = WheelOdometry(robot, lambda: system, SessionSettings(**EXACT, **settings), base)
    found = []
    for k, (q, v) in enumerate(path):
        true = TrueSample(k * SAMPLE, q, v, 0.0 * v, NOTHING)
        own = q[robot.columns.position], v[robot.columns.velocity]
        found.append(odometry.measure(Measurement(k * SAMPLE, *own, NOTHING), true))
    return found


def compare(model: Model, path: list[tuple[np.ndarray, np.ndarray]], base: BaseDrive) -> None:
    """Compare odometry with the true motion of the mark, and both ways from odom to the mark."""
    p_first, R_first = model.kinematics(path[0][0]).frame(MARK)
    for estimate, (q, v) in zip(estimates(model, base, path, odom_tf="root"), path, strict=True):
        state = model.kinematics(q, v)
        motion = state.motion(MARK)
        R = of_quaternion(estimate.orientation)
        assert_close(estimate.position, R_first.T @ (motion.position - p_first), 2e-5)
        assert_close(R, R_first.T @ motion.rotation, 2e-5)
        assert_close(estimate.velocity, planar_velocity(motion))
        assert estimate.root is not None
        p_root, R_root = estimate.root[0], of_quaternion(estimate.root[1])
        p_mark, R_mark = state.frame(MARK)
        assert_close(p_root + R_root @ p_mark, estimate.position)
        assert_close(R_root @ R_mark, R)


@given(plan=plans(OF_TREES), seed=SEEDS)
def test_odometry_of_base_joints_is_the_true_motion(plan: Plan, seed: int) -> None:
    """All other joints jump about."""
    robot = with_base(plan, add_planar_base, seed)
    model, rng = robot.load(), np.random.default_rng([seed, 1])
    base = BaseDrive.of(model, MARK)
    assert base is not None
    x, v, _ = arrays(robot, model)
    names = robot.mechanisms["base_joints"]
    rows, columns = (
        [of.index(name) for name in names] for of in (model.position_names, model.velocity_names)
    )
    swing, path = Swing(3, rng), []
    for k in range(60):
        q, rate = x.copy(), rng.normal(size=len(v))
        q[rows], rate[columns] = swing.at(k * SAMPLE * 1e-9), swing.speed(k * SAMPLE * 1e-9)
        path.append((q, rate))
    compare(model, path, base)


def rates_without_slip(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the velocity (v,) with wheels whose lowest points do not slip along their rollers."""
    v = v.copy()
    for link, roller in model.mechanisms.rollers.items():
        joint = model.tree.joint_of(link)
        assert joint is not None
        state = model.kinematics(q, v)
        p, R = state.frame(link)
        _, R_base = state.frame(model.mechanisms.base_body)
        floor = np.array(model.mechanisms.wheel_contacts[0])
        p_base = state.frame(model.mechanisms.base_body)[0]
        up, axle = R_base[:, 2], R @ joint.axis
        height = up @ (p - p_base) - floor[2]
        point = R.T @ (-height * up)
        u = np.cos(roller.angle) * axle + np.sin(roller.angle) * np.cross(up, axle)
        k = model.velocity_names.index(joint.name)
        slip = u @ state.motion(link, point).velocity
        column = model.jacobian(q, link, point)[:3, k]
        v[k] -= slip / float(u @ column)
    return v


@given(plan=plans(OF_TREES, kinds=("revolute", "prismatic", "fixed")), seed=SEEDS)
def test_odometry_of_wheels_without_slip_is_the_true_motion(plan: Plan, seed: int) -> None:
    robot = with_base(plan, add_swedish_wheels, seed)
    model, rng = robot.load(), np.random.default_rng([seed, 1])
    base = BaseDrive.of(model, MARK)
    assume(base is not None and np.linalg.cond(base.jacobian(NOTHING)) < 50.0)
    assert base is not None
    x, v, _ = arrays(robot, model)
    first = model.position_names.index("base_joint/x")
    of_base = model.velocity_names.index("base_joint/vx")
    wheels = [
        model.position_names.index(f"wheel_{k}") for k in range(len(model.mechanisms.rollers))
    ]
    rolls = [model.velocity_names.index(f"wheel_{k}") for k in range(len(wheels))]
    swing, path, angles = Swing(3, rng), [], np.zeros(len(wheels))

    def moved(t: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the robot on a level floor in its own base joint, with wheels at angles."""
        q, rate = x.copy(), 0.0 * v
        (px, py, yaw), (vx, vy, w) = swing.at(t), swing.speed(t)
        q[first : first + 7] = px, py, 0.0, 0.0, 0.0, np.sin(0.5 * yaw), np.cos(0.5 * yaw)
        q[wheels] = angles
        rate[of_base : of_base + 3] = turn(yaw).T @ [vx, vy, 0.0]
        rate[of_base + 5] = w
        return q, rates_without_slip(model, q, rate)

    step = SAMPLE * 1e-9
    for k in range(40):
        path.append(moved(k * step))
        # the wheels turn by the integral of their rates, by Gauss with two points
        ends = [moved((k + 0.5 + side * np.sqrt(1.0 / 12.0)) * step)[1][rolls] for side in (-1, 1)]
        angles = angles + 0.5 * step * (ends[0] + ends[1])
        # a command of this velocity gives these rates
        commanded = planar_velocity(model.kinematics(*path[-1]).motion(MARK))
        assert_close(
            base.rates(NOTHING, commanded), path[-1][1][model.actuator_index[base.columns]]
        )
    compare(model, path, base)


@settings(max_examples=max(settings.default.max_examples // 3, 4))
@given(plan=plans(OF_TREES, kinds=SINGLE), seed=SEEDS)
def test_a_base_follows_its_commands_and_stops_without_them(plan: Plan, seed: int) -> None:
    robot = with_base(plan, add_planar_base, seed)
    robot.payloads, robot.wrenches = {}, {}
    model, rng = robot.load(), np.random.default_rng([seed, 1])
    assume(model.actuator_names == model.position_names)
    options = SessionSettings(
        rate=100.0, input_timeout=0.15, limit_efforts=False, joint_stops=False, **EXACT
    )
    session = Session(model, options)
    frame = robot.links[0].name
    base = BaseDrive.of(model, frame)
    assert base is not None
    start = session.position[base.columns]
    assume(np.linalg.cond(base.jacobian(start)) < 4.0)
    target = rng.uniform(-0.4, 0.4, 3)

    def measured() -> np.ndarray:
        motion = model.kinematics(session.position, session.velocity).motion(frame)
        return planar_velocity(motion)

    speeds = [measured()]
    for k in range(110):
        if k % 10 == 0 and k < 50:
            session.take_velocity([target[0], target[1], 9.0, 9.0, 9.0, target[2]])
        session.advance(10)
        speeds.append(measured())
        if k == 50:
            assert_close(speeds[-1], target, 0.01)
    steps = np.abs(np.diff(speeds, axis=0))
    assert steps.max() < 0.01 * options.base_acceleration * 1.5
    assert_close(speeds[-1], np.zeros(3), 2e-3)
    rest = np.delete(np.arange(len(model.position_names)), base.columns)
    assert_close(session.position[rest], SimulatedSystem.alone(model).position[rest], 5e-3)


@given(plan=plans((*LOOPS, *OF_TREES)), seed=SEEDS)
def test_an_imu_is_the_second_derivative_of_its_place_less_gravity(plan: Plan, seed: int) -> None:
    s, rng = situation(plan), np.random.default_rng([seed, 1])
    assume(not s.has_loops or s.is_regular)
    world, gravity, R_world_root = placed(s, rng)
    system = SimulatedSystem.of_world(world, None)
    frame = str(rng.choice(s.model.frame_names))
    columns = [world.columns("robot", what) for what in ("position", "velocity")]

    def measure(v: np.ndarray, a: np.ndarray) -> Any:
        numbers = [world.position.copy(), *np.zeros((2, len(world.velocity)))]
        for row, part in zip(numbers, (s.x, v, a), strict=True):
            row[columns[0] if part is s.x else columns[1]] = part
        name = f"robot/{frame}"
        unit_ = InertialUnit(name, lambda: system, SessionSettings())
        return unit_.measure(None, TrueSample(0, *numbers, NOTHING))  # type: ignore[arg-type]

    found = measure(s.v, s.a)
    _, R = s.model.kinematics(s.x).frame(frame)
    assert_close(of_quaternion(found.orientation), R_world_root @ R, 1e-8)
    turning = R.T @ s.rate(lambda x, v: s.model.kinematics(x).frame(frame)[1])
    assert_close(
        found.angular_velocity, np.array([turning[2, 1], turning[0, 2], turning[1, 0]]), 1e-7
    )
    a = s.rate(lambda x, v: s.model.jacobian(x, frame)[:3] @ v)
    down = R.T @ R_world_root.T @ gravity
    assert_close(found.specific_force, R.T @ a - down, 1e-7)
    if not s.has_loops:
        at_rest = measure(0.0 * s.v, 0.0 * s.a)
        assert_close(at_rest.specific_force, -down)
        assert not at_rest.angular_velocity.any()


def placed(s: DescribedSituation, rng: np.random.Generator) -> tuple[Any, np.ndarray, np.ndarray]:
    """Return a world with a robot on a ramp, its gravity, and the rotation of the robot's root."""
    gravity = (9.81 * unit(rng)).tolist()
    pose = [*rng.normal(size=3), *rng.uniform(-1.4, 1.4, 3)]
    start = dict(zip(s.model.position_names, s.x.tolist(), strict=True))
    with s.robot.files() as files:
        entity = {**files, "pose": [float(x) for x in pose], "moves": "fixed", "position": start}
        world = simulation.world_of(json.dumps({"gravity": gravity, "entities": {"robot": entity}}))
    return world, np.array(gravity), world.entities["robot"].pose.R_world_body


Pose = tuple[np.ndarray, np.ndarray]


def scene(seed: int, count: int, robot: Description, scanner: Pose, T: Pose) -> Any:
    """Return a world of shapes about a scanner on a robot, and a double; moved as a whole."""
    rng, (p, R) = np.random.default_rng([seed, 3]), T
    entities: dict[str, Any] = {}

    def pose(place: np.ndarray, turned: np.ndarray) -> list[float]:
        angles = Rotation.from_matrix(R @ turned).as_euler("xyz")
        return [*(p + R @ place).tolist(), *angles.tolist()]

    with tempfile.TemporaryDirectory() as folder, robot.files() as files:
        for k in range(count):
            shape = str(rng.choice([*SIZES, "plane"]))
            ray = turn(rng.uniform(-3.0, 3.0))[:, 0]
            place = scanner[0] + rng.uniform(0.5, 2.5) * scanner[1] @ ray
            size = rng.uniform(0.3, 0.9, SIZES.get(shape, 0)).tolist()
            entity = {"shape": shape, "size": size, "pose": pose(place, random_rotation(rng))}
            if shape == "plane":
                entity = {"shape": shape, "pose": pose(-2.0 * unit(rng), random_rotation(rng))}
            if shape == "mesh":
                (Path(folder) / f"{k}.obj").write_text(random_mesh(rng)[0], encoding="utf-8")
                entity["mesh"] = f"{k}.obj"
            if shape != "plane":
                free = {"moves": "free", "mass": 1.0}
                entity.update(free if rng.random() < 0.5 else {"moves": "fixed"})
            entities[f"shape_{k}"] = entity
        place, turned = 0.5 * rng.normal(size=3), random_rotation(rng)
        start = {"moves": str(rng.choice(["fixed", "free"]))}
        entities["robot"] = {**files, **start, "pose": pose(np.zeros(3), np.eye(3))}
        entities["double"] = {**files, "pose": pose(place, turned)}
        return simulation.world_of(yaml.safe_dump({"entities": entities}), folder)


def touched(world: Any, state: Any, start: np.ndarray, end: np.ndarray) -> bool:
    """Return whether a segment touches a shape that is not the robot's."""
    segment = ConvexBody(np.array([start, end]))
    for shape in world.contacts.shapes:
        p, R = state.frame(shape.link)
        if shape.kind == "plane":
            normal = (R @ shape.R_link_shape)[:, 2]
            if min(normal @ start, normal @ end) <= normal @ (p + R @ shape.p_link_shape):
                return True
        elif shape.entity != "robot" and segment.overlaps(ConvexBody.of_shape(shape, p, R)):
            return True
    return False


@given(
    plan=plans(OF_TREES, kinds=("revolute", "prismatic", "fixed")),
    seed=SEEDS,
    count=st.integers(1, 5),
)
def test_scans_end_at_the_shapes_and_move_with_the_world(plan: Plan, seed: int, count: int) -> None:
    """The robot's own shapes are transparent, those of another robot are not."""
    robot, rng = described(plan), np.random.default_rng([seed, 1])
    note(robot.report())
    least, most = 0.2, float(rng.uniform(1.5, 4.0))
    frame, spread = str(rng.choice([link.name for link in robot.links])), rng.uniform(0.5, 3.1)
    options = SessionSettings(
        scan_link=frame, scan_count=16, scan_range_min=least, scan_range_max=most,
        scan_angle_min=-spread, scan_angle_max=spread,
    )  # fmt: skip
    model = robot.load()
    scanner_pose, scans = model.kinematics(model.zero_position()).frame(frame), []
    for T in ((np.zeros(3), np.eye(3)), (rng.normal(size=3), random_rotation(rng))):
        world = scene(seed, count, robot, scanner_pose, T)
        system = SimulatedSystem.of_world(world, "robot" if robot.independent(*SINGLE) else None)
        assume(system.robot is not None)
        scanner = LaserScanner(f"robot/{frame}", lambda system=system: system, options)
        true = TrueSample(0, world.position, world.velocity, 0.0 * world.velocity, NOTHING)
        scans.append(scanner.measure(None, true))  # type: ignore[arg-type]
    assert_close(np.nan_to_num(scans[0]), np.nan_to_num(scans[1]), 1e-9)
    state = world.model.kinematics(world.position)
    p, R = state.frame(f"robot/{frame}")
    angles = np.linspace(-spread, spread, 16)
    for angle, distance in zip(angles, scans[1], strict=True):
        ray = R @ [np.cos(angle), np.sin(angle), 0.0]
        near, far = {np.inf: (most, np.inf), -np.inf: (0.0, least)}.get(
            distance, (distance - 1e-6, distance + 1e-6)
        )
        assert near >= least - 1e-6 or distance == -np.inf
        assert near <= most
        assert near == 0.0 or not touched(world, state, p, p + near * ray)
        assert far == np.inf or touched(world, state, p, p + far * ray)
