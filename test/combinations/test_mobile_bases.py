# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Live efforts of random robots whose base moves, is inclined, or stands on a floor."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from base_messages import NANOSECONDS, imu, odometry_of
from bases import EARTH, MARK, add_floating_base, turn
from descriptions import RADIUS, SINGLE, JointMotion, of_quaternion
from drawn_recordings import with_rest_pose
from generator import LOOPS, OF_TREES, Plan, contact_rule, described, plans, unit
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from situations import DescribedSituation, assert_close

from charmie_dynamics import CharmieError, Model, Payload, State, Wrench, simulation
from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.errors import InputError, LoopError, SimulationError
from charmie_dynamics.live.estimation.entries import measured_joints
from charmie_dynamics.live.pipeline import Cycle, Pipeline
from charmie_dynamics.live.wire.base_messages import InertialMessage, OdometryMessage
from charmie_dynamics.live.wire.samples import (
    ACTUATOR_LENGTHS,
    JOINT_STATES,
    JointSample,
    RefusedSampleError,
)
from charmie_dynamics.model.contact_forces import ContactForces, ContactLoads
from charmie_dynamics.model.description.world.placement import EntityPose
from charmie_dynamics.model.description.world.robot_contacts import (
    RobotContact,
    RobotContacts,
    contacts_of_world,
)
from charmie_dynamics.model.movable import floating_base
from charmie_dynamics.simulation.session.message_buffers import quaternion
from charmie_dynamics.simulation.session.session import Session
from charmie_dynamics.simulation.session.settings import SessionSettings
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

PERIOD, SAMPLE = 10_000_000, 5_000_000  # ns, of messages and of simulations
SEEDS = st.integers(0, 999)
BaseMessage = InertialMessage | OdometryMessage


class Sender:
    """Sends measurements of a robot to a pipeline, one cycle after the other."""

    def __init__(
        self, model: Model, contacts: RobotContacts | None = None, period: int = PERIOD,
        *, rng: np.random.Generator | None = None,
    ) -> None:  # fmt: skip
        """Without `rng`, all joints come in one message."""
        self.pipeline = Pipeline(model, contacts=contacts)
        self.stamp, self._period, self._rng = 0, period, rng

    def send(self, state: State, *messages: BaseMessage) -> Cycle:
        """Send messages of the base, then the joints of a state."""
        self.stamp += self._period
        for message in messages:
            self.take(message)
        cycles = [
            self.pipeline.take(topic, sample, self.stamp / NANOSECONDS)
            for topic, sample in self._samples(state)
        ]
        *without, cycle = cycles
        assert cycle is not None and without == [None] * len(without)
        return cycle

    def _samples(self, state: State) -> Iterator[tuple[str, JointSample]]:
        """Yield the joints of a state; some that start no cycle may be in a message before."""
        model, rng = self.pipeline.model, self._rng
        names, joints = measured_joints(model).values(), list(measured_joints(model))
        position, velocity = state.joint_position[joints], state.joint_velocity[joints]
        sample = JointSample(tuple(names), position, velocity, self.stamp)
        driven = {each.joint: each.name for each in model.mechanisms.linear_actuators}
        first = np.isin(list(names), list(driven))
        if rng is None or not first.any() or first.all() or rng.random() < 0.3:
            yield JOINT_STATES, sample
            return
        parts = [
            JointSample(
                tuple(np.array(sample.names)[rows].tolist()), position[rows], velocity[rows],
                self.stamp,
            )
            for rows in (first, ~first)
        ]  # fmt: skip
        if rng.random() < 0.5:
            lengths = [driven[name] for name in parts[0].names]
            columns = [model.position_names.index(name) for name in lengths]
            rates = [model.velocity_names.index(name) for name in lengths]
            parts[0] = JointSample(
                tuple(lengths), state.position[columns], state.velocity[rates], self.stamp
            )
        yield ACTUATOR_LENGTHS, parts[0]
        yield JOINT_STATES, parts[1]

    def take(self, message: BaseMessage, stamp: int | None = None) -> None:
        message = message._replace(stamp=self.stamp if stamp is None else stamp)
        base, others = self.pipeline.base, (self.stamp / NANOSECONDS, self.stamp)
        if isinstance(message, InertialMessage):
            base.take_imu(message, *others)
        else:
            base.take_odometry(message, *others)


def imu_on(
    state: State, gravity: np.ndarray, frame: str, rng: np.random.Generator
) -> InertialMessage:
    """Return the message of an imu, with or without the orientation on the earth, at any heading.

    Gravity is in the axes of the root.
    """
    motion = state.motion(frame)
    R = motion.rotation
    force, angular = R.T @ (motion.acceleration - gravity), R.T @ motion.angular_velocity
    R_earth_root = turn(rng.uniform(-3.0, 3.0)) @ upright(gravity)
    return imu(force, angular, 0, frame, R_earth_root @ R if rng.integers(2) else None)


def upright(gravity: np.ndarray) -> np.ndarray:
    """Return a rotation that turns gravity to minus z."""
    z = -gravity / np.linalg.norm(gravity)
    x = np.cross(z, np.eye(3)[np.abs(z).argmin()])
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z])


def floating(plan: Plan, seed: int, scale: float = 1.0) -> DescribedSituation:
    """Return a robot on a floating base, whose angular acceleration is zero."""
    robot = described(plan).copy()
    add_floating_base(robot, np.random.default_rng([seed, 7]))
    base = robot.motion["base_joint"]
    robot.motion["base_joint"] = JointMotion(
        base.position, scale * base.velocity, np.array([*(scale * base.acceleration[:3]), 0, 0, 0])
    )
    note(robot.report())
    s = DescribedSituation(robot)
    assume(s.model.actuator_names)
    return s


def random_contacts(s: DescribedSituation, rng: np.random.Generator) -> RobotContacts:
    """Return contacts of which some touch a floor that may be inclined."""
    links = [link.name for link in s.robot.links if link.name != EARTH]
    normal = np.array([0.0, 0.0, 1.0]) + rng.normal(size=3) * float(rng.choice([0.0, 0.3]))
    points = [
        RobotContact(
            f"contact_{k}", str(rng.choice(links)), tuple(rng.uniform(-0.3, 0.3, 3).tolist()),
            float(rng.choice([0.0, 0.05])), float(rng.choice([0.0, 0.4, 0.9])),
        )
        for k in range(int(rng.integers(1, 7)))
    ]  # fmt: skip
    n = normal / np.linalg.norm(normal)
    heights = []
    for point in points:
        p, R = s.state.frame(point.link)
        heights.append(float((p + R @ point.point) @ n) - point.radius)
    names = s.model.actuator_names
    passive = tuple(name for name in names if name in s.model.joint_names and rng.random() < 0.2)
    floor = float(np.quantile(heights, rng.uniform(0.2, 1.0)))
    a, b, c = normal.tolist()
    return RobotContacts(
        tuple(points), (a, b, c), floor, float(rng.choice([0.0, 0.3])),
        float(rng.choice([0.2, 50.0])), passive,
    )  # fmt: skip


@given(plan=plans(OF_TREES, kinds=(*SINGLE, "fixed")), seed=SEEDS)
def test_efforts_on_a_floor_are_those_with_its_forces_as_wrenches(plan: Plan, seed: int) -> None:
    s, rng = floating(plan, seed), np.random.default_rng([seed, 1])
    model, contacts = s.model, random_contacts(s, rng)
    note(str(contacts))
    sender, gravity = Sender(model, contacts), np.array(model.mechanisms.gravity)
    frame = str(rng.choice([MARK, s.robot.links[0].name]))
    messages = odometry_of(s.state, frame, 0), imu_on(s.state, gravity, frame, rng)
    cycle = sender.send(s.state, *messages)
    state, loads = cycle.state, cycle.contacts
    assert loads is not None
    base = sender.pipeline.base.base
    assert base is not None
    for name in (base.link, MARK):
        for found, expected in zip(state.frame(name), s.state.frame(name), strict=True):
            assert_close(found, expected)
    assert_close(state.velocity, s.v)
    assert_close(state.acceleration[base.velocities], s.a[base.velocities])
    # the forces as wrenches at the origins of the links
    payloads, wrenches = model.loads
    wrenches = dict(wrenches)
    for contact, point, force in zip(contacts.contacts, loads.point, loads.force, strict=True):
        p, R = state.frame(contact.link)
        old = wrenches.get(contact.link, Wrench(np.zeros(3), np.zeros(3)))
        torque = old.torque + R.T @ np.cross(point - p, force)
        wrenches[contact.link] = Wrench(old.force + R.T @ force, torque)
    motion = state.position, state.velocity, state.acceleration
    other = model.with_loads(payloads, wrenches).compute(*motion)
    assert_close(state.actuator_effort, other.actuator_effort)
    assert_close(state.actuator_effort, loads.effort)
    p, R = state.frame(base.link)
    left = s.efforts(other)[base.velocities].reshape(2, 3)
    assert_close(left @ R.T, np.array([loads.missing_force, loads.missing_torque]))
    rows = [model.velocity_names.index(name) for name in contacts.passive]
    assert_close(loads.missing_effort, s.efforts(other)[rows])
    # as `contact_forces_do_what_cones_allow`
    n = np.array(contacts.normal) / np.linalg.norm(contacts.normal)
    assert (loads.force @ n >= 0.0).all() and (loads.cone_use <= 1.0 + 1e-9).all()
    heights = loads.point @ n - contacts.floor
    assert not loads.force[heights > contacts.height + 1e-9].any()
    # those of joints that linear actuators move are left as they are
    rows = [model.joint_names.index(n) for n in model.actuator_names if n in model.joint_names]
    assert_close(state.generalized_force[rows], other.generalized_force[rows])


@given(plan=plans((*LOOPS, *OF_TREES)), seed=SEEDS)
def test_gravity_of_an_imu_is_that_of_a_robot_on_a_ramp(plan: Plan, seed: int) -> None:
    """The heading does not count, nor where the imu is mounted; loads may change."""
    robot, rng = with_rest_pose(described(plan)), np.random.default_rng([seed, 1])
    note(robot.report())
    s = DescribedSituation(robot)
    assume(s.model.actuator_names and (not s.has_loops or s.is_regular))
    assume(not any(name.partition("/")[2] in ("vx", "wx") for name in s.model.velocity_names))
    size = float(np.linalg.norm(s.model.mechanisms.gravity))
    sender, gravity, at_rest = Sender(s.model, rng=rng), size * unit(rng), s.model.compute(s.x)
    message = imu_on(at_rest, gravity, str(rng.choice(list(s.model.tree.links))), rng)
    try:
        position = Sender(s.model).send(at_rest).state.position
    except CharmieError:  # no path of the joints closes the loops
        position = np.full_like(s.x, np.nan)
    assume(np.allclose(position, s.x, atol=1e-6))  # or another assembly of them
    for _ in range(2):  # of the second, the place of the imu is known
        cycle = sender.send(at_rest, message)
    ramp = robot.copy()
    ramp.mechanisms["gravity"] = gravity
    if rng.random() < 0.5:
        link = str(rng.choice([each.name for each in robot.links]))
        ramp.payloads[link] = Payload(1.0, rng.normal(size=3), np.eye(3))
        sender.pipeline.carry(sender.pipeline.model.with_loads(ramp.payloads, ramp.wrenches))
        cycle = sender.send(at_rest, message)
    state = cycle.state
    expected = ramp.load().compute(state.position, state.velocity, state.acceleration)
    assert_close(state.actuator_effort, expected.actuator_effort, 1e-8)
    for found, wanted in zip(state.base_wrench, expected.base_wrench, strict=True):
        assert_close(found, wanted, 1e-8)


@given(plan=plans(OF_TREES, kinds=(*SINGLE, "fixed")), seed=SEEDS)
def test_messages_of_any_age_give_the_motion_of_a_base_that_turns_steadily(
    plan: Plan, seed: int
) -> None:
    """Exactly, but for the second order of the place after the newest message."""
    s, rng = floating(plan, seed), np.random.default_rng([seed, 1])
    base, gravity = floating_base(s.model, "test"), np.array(s.model.mechanisms.gravity)
    velocity, v, w = 0.0 * s.v, *rng.uniform(-1.0, 1.0, (2, 3))
    velocity[base.velocities] = [*v, *w]
    place, first = s.x[base.positions[:3]], Rotation.from_quat(s.x[base.positions[3:]])
    nodes, weights = np.polynomial.legendre.leggauss(9)

    def at(stamp: int) -> State:
        t, x = stamp / NANOSECONDS, s.x.copy()
        turns = Rotation.from_rotvec(np.outer(0.5 * t * (nodes + 1.0), w))
        moved = 0.5 * t * weights @ (first * turns).apply(v)
        x[base.positions] = [*(place + moved), *(first * Rotation.from_rotvec(t * w)).as_quat()]
        return s.model.compute(x, velocity)

    sender = Sender(s.model)
    for _ in range(6):
        now = sender.stamp + PERIOD
        ages = rng.integers(PERIOD, size=2).tolist()
        sender.take(odometry_of(at(now - ages[0]), MARK, 0), now - ages[0])
        sender.take(imu_on(at(now - ages[1]), gravity, MARK, rng), now - ages[1])
        expected = at(now)
        found = sender.send(expected).state
        (p, R), (p_true, R_true) = (each.frame(MARK) for each in (found, expected))
        assert_close(p, p_true, 2e-4)
        assert_close(R, R_true)
        assert_close(found.velocity, velocity)
        assert_close(found.acceleration, 0.0 * velocity, 1e-8)


FAULTS = ("nan", "inf", "quaternion", "frame", "moving frame")


def spoiled(message: BaseMessage, fault: str, moving: str) -> BaseMessage:
    """Return a message with a fault."""
    if fault in ("nan", "inf"):
        return message._replace(angular_velocity=np.array([0.0, float(fault), 0.0]))
    if fault == "quaternion":
        message = message._replace(orientation=3.0 * message.orientation)
        return message._replace(is_oriented=True) if hasattr(message, "is_oriented") else message
    return message._replace(frame=moving if fault == "moving frame" else "nowhere")


@given(
    plan=plans(OF_TREES, kinds=(*SINGLE, "fixed")), seed=SEEDS,
    faults=st.lists(st.tuples(st.sampled_from(FAULTS), st.booleans()), min_size=1, max_size=5),
)  # fmt: skip
def test_messages_with_faults_are_refused_and_change_nothing(
    plan: Plan, seed: int, faults: list[tuple[str, bool]]
) -> None:
    s, rng = floating(plan, seed), np.random.default_rng([seed, 1])
    gravity, contacts = np.array(s.model.mechanisms.gravity), random_contacts(s, rng)
    messages = [imu_on(s.state, gravity, MARK, rng), odometry_of(s.state, MARK, 0)]
    moving = next((each.child for each in s.robot.joints if each.kind in SINGLE), "nowhere")
    clean, faulty = Sender(s.model, contacts), Sender(s.model, contacts)
    for fault, of_imu in faults:
        bad = spoiled(messages[0 if of_imu else 1], fault, moving)
        sent = [each for each in messages if rng.random() < 0.7]
        with pytest.raises(RefusedSampleError):
            faulty.take(bad)
        cycles = [each.send(s.state, *sent) for each in (clean, faulty)]
        np.testing.assert_array_equal(*(cycle.state.block for cycle in cycles))
        assert (cycles[0].contacts is None) == (cycles[1].contacts is None)


@given(plan=plans(OF_TREES, kinds=(*SINGLE, "fixed")), seed=SEEDS)
def test_efforts_on_a_level_floor_do_not_depend_on_the_drift_of_odometry(
    plan: Plan, seed: int
) -> None:
    plan = plan._replace(features=tuple(each for each in plan.features if each != "gravity"))
    s, rng = floating(plan, seed), np.random.default_rng([seed, 1])
    gravity, drawn = np.array(s.model.mechanisms.gravity), random_contacts(s, rng)
    level = RobotContacts(drawn.contacts, (0.0, 0.0, 1.0), drawn.floor, 0.3, 50.0)
    senders, (p, R) = (Sender(s.model, level), Sender(s.model, level)), s.state.frame(MARK)
    for _ in range(3):
        inertial = imu_on(s.state, gravity, MARK, rng)
        true, drifted = odometry_of(s.state, MARK, 0), odometry_of(s.state, MARK, 0)
        heading = turn(rng.uniform(-3.0, 3.0))
        place, turned = heading @ p + [*rng.normal(size=2), 0.0], quaternion(heading @ R)
        drifted = drifted._replace(position=place, orientation=turned)
        cycles = [
            sender.send(s.state, odometry, inertial)
            for sender, odometry in zip(senders, (true, drifted), strict=True)
        ]
        first, second = (cycle.state.actuator_effort for cycle in cycles)
        assert_close(first, second, 1e-6)


class Lying(NamedTuple):
    """A robot that falls on an inclined floor, lies or slides there, and holds its joints."""

    s: DescribedSituation
    world: Any
    contacts: RobotContacts

    def samples(self, seconds: float) -> Iterator[tuple[State, np.ndarray, Any]]:
        """Yield states, the efforts that the simulator applies, and messages of its imu."""
        exact = SessionSettings(rate=200.0, joint_stops=False)  # stops would add efforts
        session = Session(SimulatedSystem.of_world(self.world), exact)
        rows, columns, own = (
            self.world.columns("robot", what) for what in ("position", "velocity", "actuators")
        )
        while session.now < seconds * NANOSECONDS:
            _, true, measured, _ = session.advance(10_000)
            if true is not None and measured is not None and measured.imu is not None:
                x, v, a = true.position[rows], true.velocity[columns], true.acceleration[columns]
                R, angular, force = of_quaternion(measured.imu.orientation), *measured.imu[1:]
                message = imu(force, angular, 0, self.s.robot.links[0].name, R)
                yield self.s.model.compute(x, v, a), true.effort[own], message


def lying(plan: Plan, seed: int, rule: dict[str, Any]) -> Lying:
    rng = np.random.default_rng([seed, 1])
    robot = described(plan).copy()
    robot.payloads, robot.wrenches = {}, {}
    robot.mechanisms.pop("gravity", None)
    for link in robot.links:  # shapes whose points on a floor are known
        if link.shape in ("mesh", "cylinder"):
            link.geometry, link.mesh = f'<sphere radius="{RADIUS}"/>', ""
    add_floating_base(robot, np.random.default_rng([seed, 7]))
    note(robot.report())
    s = DescribedSituation(robot)
    assume(s.model.actuator_names)
    # roll and pitch turn the z axis, which is the normal
    ramp = [float(x) for x in rng.uniform(-0.3, 0.3, 2)]
    n = EntityPose.of([0.0, 0.0, 0.0, *ramp, 0.0]).R_world_body[:, 2]
    solid = [link.name for link in robot.links if link.mass]
    height = min(float(s.state.frame(name)[0] @ n) for name in solid) - RADIUS - 0.002
    plane = {"shape": "plane", "pose": [*(height * n).tolist(), *ramp, 0.0]}
    start = dict(zip(s.model.position_names, s.x.tolist(), strict=True))
    with robot.files() as files:
        entity = {**files, "position": start, "moves": "fixed"}
        entities = {"ground": plane, "robot": entity}
        text = json.dumps({"contacts": {"default": rule}, "entities": entities})
        note(text)
        world = simulation.world_of(text)
    contacts = contacts_of_world(world.description, s.model.tree)
    return Lying(s, world, replace(contacts, height=0.01, speed=np.inf))


def determined(model: Model, state: State, loads: Any, contacts: RobotContacts) -> np.ndarray:
    """Return the projection (a, a) that removes efforts of forces that add up to nothing.

    Points that stick can push against each other, which no motion shows.
    """
    n = np.array(contacts.normal)
    jacobians = []
    for contact, point in zip(contacts.contacts, loads.point, strict=True):
        if point @ n - contacts.floor < contacts.height:
            p, R = state.frame(contact.link)
            jacobian = model.jacobian(state.position, contact.link, R.T @ (point - p))
            jacobians.append(jacobian[:3])
    a = len(model.actuator_names)
    if not jacobians:
        return np.eye(a)
    jacobian = np.concatenate(jacobians)
    base = floating_base(model, "test").velocities
    of_base, own = jacobian[:, base].T, jacobian[:, model.actuator_index].T
    if model.mechanisms.loop_joints:
        motions = model.constraints(state.position).motions
        joints = np.delete(np.arange(len(motions)), base)
        power = motions[joints] @ motions[joints].T
        driven = power[:, np.searchsorted(joints, model.actuator_index)]
        own = np.linalg.pinv(driven, rcond=1e-9) @ jacobian[:, joints].T
    _, sizes, rows = np.linalg.svd(of_base)
    internal = own @ rows[np.sum(sizes > 1e-6 * sizes[0]) :].T
    basis, sizes, _ = np.linalg.svd(internal, full_matrices=False)
    basis = basis[:, sizes > 1e-6 * sizes.max(initial=1.0)]
    return np.asarray(np.eye(a) - basis @ basis.T)


def error_on_floor(
    forces: ContactForces, state: State, effort: np.ndarray, contacts: RobotContacts
) -> tuple[np.ndarray, float]:
    """Return what the efforts lack of the applied ones, and the depth of the deepest point (m)."""
    loads = ContactLoads(*(each[0] for each in forces.on_floor(state, contacts)))
    project = determined(forces.model, state, loads, contacts)
    deepest = contacts.floor - float((loads.point @ contacts.normal).min())
    return project @ (loads.effort - effort), deepest


@settings(max_examples=max(settings.default.max_examples // 3, 4))
@given(
    plan=plans(OF_TREES, kinds=(*SINGLE, "fixed")), seed=SEEDS,
    normal=st.sampled_from(tuple(NORMAL_LAWS)), friction=st.sampled_from(tuple(FRICTION_LAWS)),
)  # fmt: skip
def test_efforts_of_a_robot_that_lies_on_a_floor_are_those_that_are_applied(
    plan: Plan, seed: int, normal: str, friction: str
) -> None:
    """But for forces that add up to nothing, and the depth at which friction acts."""
    found = lying(plan, seed, contact_rule(normal, friction))
    model, contacts = found.s.model, found.contacts
    forces, sender = ContactForces.of(model, contacts), Sender(model, contacts, SAMPLE)
    errors, sizes, depth = [], [1.0], 0.0
    linear = floating_base(model, "test").velocities[:3]
    try:
        for state, effort, inertial in found.samples(0.2):
            error, deepest = error_on_floor(forces, state, effort, contacts)
            depth = max(depth, deepest)
            errors.append(error)
            sizes.append(np.abs(effort).max())
            # live, all but the accelerations of the joints and the angular one are exact
            live = sender.send(state, odometry_of(state, MARK, 0), inertial).state
            assert_close(live.velocity, state.velocity)
            assert_close(live.acceleration[linear], state.acceleration[linear], 1e-8)
            motion = live.position, live.velocity, live.acceleration
            expected = forces.on_floor(model.compute(*motion), contacts).effort[0]
            assert_close(live.actuator_effort, expected, 1e-6)
    except (SimulationError, InputError):  # such as steps that are far too long
        assume(False)
    accuracy = 1e-9 if friction == "none" else 1e-3 + 3.0 * depth / RADIUS
    assert_close(np.array(errors) / max(sizes), np.zeros_like(errors), accuracy)


@settings(max_examples=max(settings.default.max_examples // 3, 4))
@given(
    plan=plans(OF_TREES, kinds=SINGLE), seed=SEEDS, loop=st.sampled_from(LOOPS),
    friction=st.sampled_from(tuple(FRICTION_LAWS)),
)  # fmt: skip
def test_efforts_of_a_robot_with_loops_on_a_floor_are_those_that_are_applied(
    plan: Plan, seed: int, loop: str, friction: str
) -> None:
    """As above, without a node."""
    plan = plan._replace(joints=plan.joints[:3], features=(loop, *plan.features[:2]))
    found = lying(plan, seed, contact_rule("hunt_crossley", friction))
    model, contacts = found.s.model, found.contacts
    assume(found.s.is_regular)
    forces = ContactForces.of(model, contacts)
    errors, sizes, depth = [], [1.0], 0.0
    try:
        for state, effort, _ in found.samples(0.1):
            error, deepest = error_on_floor(forces, state, effort, contacts)
            depth = max(depth, deepest)
            errors.append(error)
            sizes.append(np.abs(effort).max())
    except (SimulationError, InputError, LoopError):
        assume(False)
    accuracy = 1e-9 if friction == "none" else 1e-3 + 3.0 * depth / RADIUS
    assert_close(np.array(errors) / max(sizes), np.zeros_like(errors), accuracy)
