# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Random recordings of random robots, with faults; written as bags and tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from descriptions import NUMBERS, Description, arrays
from hypothesis import strategies as st
from input_recordings import KIND, message
from recordings import MCAP, START, STORES, Writer

from charmie_dynamics import Model
from charmie_dynamics.live.estimation.contradictions import STRETCH_ANGLE
from charmie_dynamics.live.estimation.entries import driven_coordinates, measured_joints
from charmie_dynamics.live.estimation.following import is_followed, start_position
from charmie_dynamics.live.estimation.trackers import LONGEST_STRETCH
from charmie_dynamics.live.settings import DEFAULTS
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES
from charmie_dynamics.model.movable import single_joints

Floats = np.ndarray
DURATION = 2.0  # s
TIMEOUT = DEFAULTS.input_timeout
DELAY = 300_000  # ns, from the stamp to the time of recording
TABLE_START = START - 10_000_000_000  # ns; the stamps of tables count from here
DEGREE = np.pi / 180.0
FASTEST = 8.0  # rad/s or m/s
# velocities are compared with a motion of this range that is mostly twice as fast as necessary
LEAST_RANGE = 0.005  # rad or m
LEAST_SPEED = 2.0 * STRETCH_ANGLE / LONGEST_STRETCH  # rad/s or m/s
POSITION, VELOCITY, EFFORT = range(3)


class Fault(NamedTuple):
    """A fault: its place in time and its size from 0 to 1, and the number of its target."""

    kind: str
    place: float
    size: float
    target: int


class RecordingPlan(NamedTuple):
    """The form of a recording and its faults.

    `cylinders` is how linear actuators are recorded: by their lengths on the topic of these, or
    with the joints; by the angles of their joints; or by both.
    """

    is_table: bool
    rate: float
    jitter: float
    cylinders: str
    has_velocity: bool
    has_effort: bool
    has_passive: bool
    has_unknown: bool
    smoothing: str
    faults: tuple[Fault, ...]
    seed: int


@st.composite
def recording_plans(draw: st.DrawFn) -> RecordingPlan:
    unit = st.floats(0.0, 1.0, width=16)
    fault = st.builds(Fault, st.sampled_from(tuple(FAULTS)), unit, unit, st.integers(0, 9))
    return RecordingPlan(
        draw(st.booleans()),
        draw(st.sampled_from([100.0, 60.0, 125.0, 250.0])),
        draw(st.sampled_from([0.0, 0.05, 0.3])),
        draw(st.sampled_from(["topic", "length", "joint", "both"])),
        *(draw(st.booleans()) for _ in range(4)),
        draw(st.sampled_from(["zero-phase", "causal"])),
        tuple(draw(st.lists(fault, max_size=3))),
        draw(st.integers(0, 999)),
    )


class Motion(NamedTuple):
    """A true motion at n times.

    Attributes
    ----------
    time : (n,) array
    values : dict of (3, n) array
        Position, velocity and effort, NaN without actuator, by the names in recordings.
    effort, joint_position : (n, a), (n, j) array
        As in the cycles of an analysis.
    is_smooth : bool
        Whether passive joints are slow, and enter no other assembly.
    """

    time: Floats
    values: dict[str, Floats]
    effort: Floats
    joint_position: Floats
    is_smooth: bool


def with_rest_pose(robot: Description) -> Description:
    """Return a robot whose rest pose is its state: loops may not close at zero."""
    if not robot.mechanisms.get("loop_joints"):
        return robot
    robot, model = robot.copy(), robot.load()
    x = dict(zip(model.position_names, arrays(robot, model)[0].tolist(), strict=True))
    robot.mechanisms["rest_pose"] = {name: x[name] for name in model.actuator_names}
    return robot


def moved(model: Model, robot: Description, seed: int, time: Floats) -> Motion:
    """Return a smooth random motion about the state of a description; passive joints follow.

    Raises
    ------
    OutOfReachError, LoopError
        If the robot cannot move so.
    """
    rng = np.random.default_rng([seed, 7])
    given, driven = list(measured_joints(model)), driven_coordinates(model)
    count, has_loops = len(model.velocity_names), bool(model.mechanisms.loop_joints)
    size = rng.uniform(0.15, 0.4, count) * (0.3 if has_loops else 1.0)
    size *= 10.0 ** rng.choice([0.0, rng.uniform(-2.0, 0.0)], count)  # some move little
    omega = 2.0 * np.pi * rng.uniform(0.4, 1.1, count)
    angle = omega * time[:, None] + rng.uniform(0.0, 6.28, count)
    places: dict[str, float] = {}
    for joint in robot.independent(*NUMBERS):
        if joint.kind != "fixed":
            names = (joint.name + suffix for suffix in NUMBERS[joint.kind][0])
            places.update(zip(names, robot.motion[joint.name].position.tolist(), strict=True))
    center = np.array([places.get(name, 0.0) for name in model.joint_names])
    joints = np.array([center + size * np.sin(angle), size * omega * np.cos(angle),
                       -size * omega**2 * np.sin(angle)])  # fmt: skip
    joints[:, :, [i for i in range(count) if i not in given]] = 0.0
    coordinates = joints.copy()
    for i in driven:
        rows = joints[:, :, i].T.tolist()
        lengths = [model.actuator_from_joint(model.joint_names[i], *row) for row in rows]
        coordinates[:, :, i] = np.array(lengths).T
    entry = model.flat.freedoms.position_entry
    start = start_position(model) if is_followed(model) else model.zero_position()
    x, v, a = np.tile(start, (len(time), 1)), coordinates[1], coordinates[2]
    x[:, entry[given]] = coordinates[0][:, given]
    if has_loops:
        is_own = np.zeros(len(start), dtype=bool)
        is_own[entry[given]] = True
        begin = start
        for share in np.linspace(0.0, 1.0, 30):
            way = begin + share * (x[0] - begin)
            start = model.assemble(np.where(is_own, way, start)).position
        for k in range(len(time)):
            x[k], v[k], a[k] = model.assemble(np.where(is_own, x[k], start), v[k], a[k])
            start = x[k]
    batch = model.compute(x, v, a)
    effort = np.full((len(time), count), np.nan)
    effort[:, model.actuator_index] = batch.actuator_effort
    values = {}
    for i, name in enumerate(model.joint_names):
        if i in driven:
            values[name] = np.array([*joints[:2, :, i], np.full(len(time), np.nan)])
        passive = name.partition("/")[0] in model.mechanisms.passive_joints
        if i in given or (passive and i in single_joints(model)):
            values[model.velocity_names[i]] = np.array([x[:, entry[i]], v[:, i], effort[:, i]])
    singles = single_joints(model)
    joint_position = batch.kinematics.joint_position[:, singles]
    speed = batch.kinematics.joint_velocity[:, singles]
    way = 0.5 * np.diff(time)[:, None] * (speed[1:] + speed[:-1])
    opening = np.abs(np.diff(joint_position, axis=0) - way).max(initial=0.0)
    is_smooth = bool(opening < 0.01 and np.abs(speed).max(initial=0.0) < FASTEST)
    return Motion(time, values, batch.actuator_effort, joint_position, is_smooth)


class Channel(NamedTuple):
    """The samples of a topic, which faults change.

    Attributes
    ----------
    time, arrivals, stamps : (n,) array
        True times (s), times of recording and stamps (ns).
    exists : (n,) array of bool
    values : dict of (3, n) array
    """

    time: Floats
    arrivals: np.ndarray
    stamps: np.ndarray
    exists: np.ndarray
    values: dict[str, Floats]


Channels = dict[str, Channel]


def channels(model: Model, robot: Description, plan: RecordingPlan) -> tuple[Channels, Motion]:
    """Return the faultless samples of each topic, and the true motion at all of their times."""
    rng = np.random.default_rng([plan.seed, 8])
    times = {}
    for topic in (JOINT_STATES, ACTUATOR_LENGTHS):
        # lengths have the times of the joints in tables, and often in bags
        if topic == ACTUATOR_LENGTHS and (plan.is_table or plan.seed % 2):
            times[topic] = times[JOINT_STATES]
            continue
        rate = plan.rate if topic == JOINT_STATES else float(rng.choice([plan.rate, 80.0]))
        steps = 1.0 + plan.jitter * rng.uniform(-1.0, 1.0, int(DURATION * rate))
        times[topic] = np.cumsum(steps) / rate
    motion = moved(model, robot, plan.seed, np.unique(np.concatenate([*times.values()])))
    actuators = [each.name for each in model.mechanisms.linear_actuators]
    driven = [each.joint for each in model.mechanisms.linear_actuators]
    own: dict[str, list[str]] = {JOINT_STATES: [], ACTUATOR_LENGTHS: []}
    for name in motion.values:
        is_passive = name.partition("/")[0] in model.mechanisms.passive_joints
        is_left_out = is_passive and not plan.has_passive
        is_left_out |= name in actuators and plan.cylinders == "joint"
        is_left_out |= name in driven and plan.cylinders not in ("joint", "both")
        on_topic = name in actuators and (plan.cylinders in ("topic", "both") or plan.is_table)
        if not is_left_out:
            own[ACTUATOR_LENGTHS if on_topic else JOINT_STATES].append(name)
    result = {}
    for number, (topic, names) in enumerate(own.items()):
        time = times[topic]
        rows = np.searchsorted(motion.time, time)
        stamps = np.rint(time * 1e9).astype(np.int64) + START
        values = {str(name): motion.values[name][:, rows].copy() for name in rng.permutation(names)}
        if plan.has_unknown and topic == JOINT_STATES:
            values["unknown_joint"] = np.array([np.sin(time), np.cos(time), np.cos(time)])
        if values:
            exists = np.ones(len(time), dtype=bool)
            arrivals = stamps + DELAY + 100_000 * number
            result[topic] = Channel(time, arrivals, stamps, exists, values)
    return result, motion


def with_faults(found: Channels, plan: RecordingPlan, faults: tuple[Fault, ...]) -> Channels:
    """Return the samples with faults."""
    result = {
        topic: each._replace(
            stamps=each.stamps.copy(),
            exists=each.exists.copy(),
            values={name: value.copy() for name, value in each.values.items()},
        )
        for topic, each in found.items()
    }
    # samples that are missing around a jump or a wrong stamp would hide it: these are last
    for fault in sorted(faults, key=lambda each: list(FAULTS).index(each.kind)):
        FAULTS[fault.kind](result, fault, plan)
    return result


def target_of(found: Channels, fault: Fault) -> str:
    """Return the name whose values a fault changes."""
    names = sorted(name for each in found.values() for name in each.values)
    names = [name for name in names if name != "unknown_joint"]
    return names[fault.target % len(names)] if names else ""


def _value(found: Channels, fault: Fault) -> tuple[Channel, Floats]:
    name = target_of(found, fault)
    each = next(each for each in found.values() if name in each.values)
    return each, each.values[name]


def _topics(found: Channels, fault: Fault, plan: RecordingPlan) -> list[Channel]:
    """Return all topics or one of them; the rows of a table have one stamp."""
    topics = list(found.values())
    is_one = len(topics) > 1 and fault.target % 3 < 2 and not plan.is_table
    return [topics[fault.target % 3]] if is_one else topics


def _row(each: Channel, fault: Fault) -> int:
    """Return a sample that is neither the first nor the last."""
    return 2 + int(fault.place * (len(each.time) - 4))


def _logarithmic(fault: Fault, least: float, most: float) -> float:
    return float(least * (most / least) ** fault.size)


def late_stamp(found: Channels, fault: Fault, plan: RecordingPlan, least: float = 5e-4) -> None:
    for each in _topics(found, fault, plan):
        k = _row(each, fault)
        each.exists[k - 1 : k + 1] = True
        back = _logarithmic(fault, least, 1.6 * TIMEOUT) if least else 0.0
        each.stamps[k] = each.stamps[k - 1] - int(1e9 * back)


def repeated_stamp(found: Channels, fault: Fault, plan: RecordingPlan) -> None:
    late_stamp(found, fault, plan, 0.0)


def clock_step_back(found: Channels, fault: Fault, plan: RecordingPlan) -> None:
    """Set the clock back by at least two samples; those around the step exist."""
    for each in found.values():
        is_later = each.time > fault.place * DURATION
        each.exists[max(0, int(np.argmax(is_later)) - 2) :][:5] = True
        each.stamps[is_later] -= int(1e9 * _logarithmic(fault, 2.0 / plan.rate, 3.0 * TIMEOUT))


def clock_step_forward(found: Channels, fault: Fault, plan: RecordingPlan) -> None:
    """Set the clock forward beyond the timeout; shorter steps look like a fast motion."""
    for each in found.values():
        is_later = each.time > fault.place * DURATION
        each.stamps[is_later] += int(1e9 * _logarithmic(fault, 1.1 * TIMEOUT, 3.0 * TIMEOUT))


def gap(found: Channels, fault: Fault, plan: RecordingPlan) -> None:
    """Remove all samples for a while."""
    at, length = 0.8 * fault.place * DURATION, 1.6 * TIMEOUT * fault.size
    for each in found.values():
        each.exists[(each.time > at) & (each.time < at + length)] = False


def missing_samples(found: Channels, fault: Fault, plan: RecordingPlan) -> None:
    """Remove single samples; causal estimates hold values where several are missing in a row."""
    share = 0.3 if plan.smoothing == "zero-phase" else 0.05
    rng = np.random.default_rng([plan.seed, 9])
    for each in _topics(found, fault, plan):
        each.exists[rng.random(len(each.time)) < share * fault.size] = False


def encoder_jump(
    found: Channels, fault: Fault, plan: RecordingPlan, count: int | None = None
) -> None:
    """Add an offset to some samples, larger than steps of the fastest motion."""
    each, values = _value(found, fault)
    k = _row(each, fault)
    each.exists[max(0, k - 3) : k + 4] = True
    size = _logarithmic(fault, max(0.15, 2000.0 / plan.rate**2), 10.0)
    values[POSITION, k : None if count is None else k + count] += size


def encoder_spike(found: Channels, fault: Fault, plan: RecordingPlan) -> None:
    encoder_jump(found, fault, plan, 1)


def velocity_in_degrees(
    found: Channels, fault: Fault, plan: RecordingPlan, factor: float = 1.0 / DEGREE
) -> None:
    """Change velocities of a motion that is fast enough to be compared with it."""
    values = _value(found, fault)[1]
    moves = np.ptp(values[POSITION]) > LEAST_RANGE
    if plan.has_velocity and moves and np.mean(np.abs(values[VELOCITY]) > LEAST_SPEED) > 0.5:
        values[VELOCITY] *= factor


def zero_velocity(found: Channels, fault: Fault, plan: RecordingPlan) -> None:
    velocity_in_degrees(found, fault, plan, 0.0)


def effort_of_wrong_sign(found: Channels, fault: Fault, plan: RecordingPlan) -> None:
    if plan.has_effort:
        _value(found, fault)[1][EFFORT] *= -1.0


Applied = Callable[[Channels, Fault, RecordingPlan], None]
OF_SAMPLES = ("gap", "missing_samples", "clock_step_forward")
OF_STAMPS = ("clock_step_back", "late_stamp", "repeated_stamp")
FAULTS: dict[str, Applied] = {
    each.__name__: each
    for each in (
        zero_velocity, velocity_in_degrees, effort_of_wrong_sign, gap, missing_samples,
        encoder_jump, encoder_spike, clock_step_forward, clock_step_back, late_stamp,
        repeated_stamp,
    )
}  # fmt: skip


def write_bag(path: Path, found: Channels, plan: RecordingPlan) -> None:
    with Writer(path, version=8, storage_plugin=MCAP) as writer:
        messages: list[tuple[int, Any, bytes]] = []
        for topic, each in found.items():
            connection = writer.add_connection(f"/{topic}", KIND, typestore=STORES)
            values = np.array(list(each.values.values())).transpose(2, 1, 0).copy()
            for k in np.flatnonzero(each.exists).tolist():
                position, velocity, effort = values[k]
                data = message(
                    each.values, position, velocity if plan.has_velocity else None,
                    int(each.stamps[k]), effort if plan.has_effort else None,
                )  # fmt: skip
                messages.append((int(each.arrivals[k]), connection, data))
        for arrival, connection, data in sorted(messages, key=lambda each: each[0]):
            writer.write(connection, arrival, data)


def write_table(path: Path, found: Channels, plan: RecordingPlan) -> None:
    """Write `path` and the format of its columns; some tables are in degrees."""
    unit = DEGREE if plan.seed % 3 == 0 else 1.0
    names = [name for each in found.values() for name in each.values]
    first = next(iter(found.values()))
    columns: dict[str, Floats] = {"t": (first.stamps - TABLE_START) * 1e-9}
    text: dict[str, Any] = {"joints": names, "time": "t"}
    has = {"position": True, "velocity": plan.has_velocity, "effort": plan.has_effort}
    for quantity, kind in (("position", POSITION), ("velocity", VELOCITY), ("effort", EFFORT)):
        scale = unit if kind < EFFORT else 1.0
        for each in found.values():
            for name, value in each.values.items():
                columns[f"{quantity} {name}"] = np.where(each.exists, value[kind] / scale, np.nan)
        if has[quantity]:
            text[quantity] = {"columns": quantity + " {joint}"}
            if unit != 1.0 and kind < EFFORT:
                text[quantity]["unit"] = ("deg", "deg/s")[kind]
    kept = np.any([each.exists for each in found.values()], axis=0)
    rows = np.array(list(columns.values())).T[kept]
    lines = [",".join(columns), *(",".join(map(repr, row)) for row in rows.tolist())]
    path.write_text("\n".join(lines), encoding="utf-8")
    path.with_suffix(".yaml").write_text(yaml.safe_dump(text), encoding="utf-8")
