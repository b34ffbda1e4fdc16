# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Effort errors that estimated accelerations add.

Motions whose accelerations are known are sampled, with or without encoders, and go the node's way
through `Pipeline.add`. The efforts that come out are compared with those of the exact positions,
velocities and accelerations at the same instants.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from charmie_dynamics import Model
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, JointSample
from charmie_dynamics.motions import make_motion

Floats = NDArray[np.float64]

RATES = (50.0, 100.0, 500.0)  # Hz
CUTOFFS = (1.0, 1.5, 2.5, 4.0, 6.0, 10.0, 16.0, 25.0, 50.0)  # Hz
DEFAULT_CUTOFF = Pipeline.acceleration_cutoff

# The encoders: absolute ones of 16 bit on revolute actuators, 0.1 mm on lengths and on the base.
# Drives take the velocity from the counts of the last 10 ms.
ANGLE_STEP = 2.0 * math.pi / 65536.0  # rad
LENGTH_STEP = 1e-4  # m
SPEED_WINDOW = 0.01  # s

_SIDES = ("left", "right")
GROUPS: dict[str, tuple[str, ...]] = {
    "base, force": ("base_x_joint", "base_y_joint"),
    "base, torque": ("base_yaw_joint",),
    "lift and torso": ("lift_actuator", "torso_actuator"),
    "arms": tuple(f"{side}_arm_joint_{i}" for side in _SIDES for i in range(1, 7)),
    "grippers": tuple(f"{side}_gripper_joint" for side in _SIDES),
    "neck": ("neck_pan_joint", "neck_tilt_joint"),
}


@dataclass(frozen=True)
class Course:
    """A named motion, played `speed` times as fast for `duration` seconds.

    The first `settling` seconds do not count: the motion starts in full swing there, and the
    estimate of it with nothing. It is played from `begin` seconds on.
    """

    label: str
    motion: str
    speed: float
    duration: float
    settling: float
    begin: float = 0.0


COURSES = (
    Course("wave", "wave", 1.0, 12.0, 2.0),
    Course("wave, 4 times as fast", "wave", 4.0, 6.0, 1.0),
    Course("paper_5s", "paper_5s", 1.0, 5.0, 0.0),
)


@dataclass(frozen=True)
class Case:
    """What is played, at which rate (Hz), through encoders or not, with velocities or not."""

    course: Course
    rate: float
    encoders: bool
    velocities: bool


@dataclass(frozen=True)
class Recording:
    """What the sensors say in a case, and the efforts (N, q) that are right.

    `unaccelerated` are the efforts with the exact positions and velocities, but accelerations of
    zero: what the node gives with `acceleration_source` zero and perfect sensors.
    """

    period: float
    position: Floats
    velocity: Floats | None
    exact: Floats
    unaccelerated: Floats
    counted: slice


@dataclass(frozen=True)
class Errors:
    """Errors of each group of actuators (G,), relative to the RMS effort of the group."""

    rms: Floats
    high: Floats  # 99.9 % of the errors are below it


def record(model: Model, case: Case) -> Recording:
    """Return what the sensors say of a motion, and which efforts are right."""
    course = case.course
    motion = make_motion(course.motion, model)
    times = course.begin + np.arange(round(course.duration * case.rate) + 1) / case.rate

    def at(instants: Floats) -> tuple[Floats, Floats, Floats]:
        states = [motion.at(course.speed * t) for t in instants]
        position, velocity, acceleration = (np.array(x) for x in zip(*states, strict=True))
        return position, velocity * course.speed, acceleration * course.speed**2

    position, velocity, acceleration = at(times)
    measured, speed = position, velocity
    if case.encoders:
        steps = resolution(model)
        measured = np.round(position / steps) * steps
        before = np.round(at(times - SPEED_WINDOW)[0] / steps) * steps
        speed = (measured - before) / SPEED_WINDOW
    return Recording(
        1.0 / case.rate,
        measured,
        speed if case.velocities else None,
        model.compute(position, velocity, acceleration).actuator_effort,
        model.compute(position, velocity).actuator_effort,
        slice(round(course.settling * case.rate), None),
    )


def resolution(model: Model) -> Floats:
    """Return the step (q,) of each actuator's encoder (rad or m)."""
    slides = {joint.name for joint in model.tree.joints if joint.type == "prismatic"}
    slides |= {actuator.name for actuator in model.mechanisms.linear_actuators}
    return np.array([LENGTH_STEP if n in slides else ANGLE_STEP for n in model.actuator_names])


def estimated_efforts(model: Model, recording: Recording, cutoff: float) -> Floats:
    """Return the efforts (N, q) that the node computes from the samples.

    Raises
    ------
    RuntimeError
        If a sample starts no cycle.
    """
    pipeline = Pipeline(model, acceleration_cutoff=cutoff)
    driven = {actuator.name for actuator in model.mechanisms.linear_actuators}
    is_length = np.array([name in driven for name in model.actuator_names])
    streams = [
        (topic, tuple(np.array(model.actuator_names)[columns].tolist()), columns)
        for topic, columns in ((ACTUATOR_LENGTHS, is_length), (JOINT_STATES, ~is_length))
    ]
    efforts = np.empty_like(recording.exact)
    for k, position in enumerate(recording.position):
        time = k * recording.period
        cycle = None
        for topic, names, columns in streams:
            speed = None if recording.velocity is None else recording.velocity[k, columns]
            sample = JointSample(names, position[columns], speed, round(time * 1e9))
            cycle = pipeline.take(topic, sample, time)
        if cycle is None:
            raise RuntimeError(f"expected a cycle for each sample, got none for sample {k}")
        efforts[k] = cycle.state.actuator_effort
    return efforts


def errors_of(model: Model, recording: Recording, efforts: Floats) -> Errors:
    """Return how far efforts (N, q) are from the exact ones."""
    index = {name: i for i, name in enumerate(model.actuator_names)}
    exact = recording.exact[recording.counted]
    difference = np.abs(efforts[recording.counted] - exact)
    rms, high = [], []
    for names in GROUPS.values():
        columns = [index[name] for name in names]
        effort = math.sqrt(float(np.mean(exact[:, columns] ** 2)))
        rms.append(math.sqrt(float(np.mean(difference[:, columns] ** 2))) / effort)
        high.append(float(np.percentile(difference[:, columns], 99.9)) / effort)
    return Errors(np.array(rms), np.array(high))


@dataclass(frozen=True)
class Measurement:
    """Errors of one case at each cutoff, and those without any acceleration."""

    cutoffs: tuple[float, ...]
    errors: tuple[Errors, ...]
    unaccelerated: Errors

    def at(self, cutoff: float) -> Errors:
        """Return the errors at one of the cutoffs."""
        return self.errors[self.cutoffs.index(cutoff)]

    def typical(self) -> Floats:
        """Return the geometric mean of the groups' RMS errors at each cutoff (C,).

        Each group counts by its ratio, however large its errors are.
        """
        return np.exp(np.mean(np.log([errors.rms for errors in self.errors]), axis=1))


def measure(model: Model, case: Case, cutoffs: Iterable[float] = CUTOFFS) -> Measurement:
    """Run one case at several cutoffs."""
    cutoffs = tuple(cutoffs)
    recording = record(model, case)
    return Measurement(
        cutoffs,
        tuple(errors_of(model, recording, estimated_efforts(model, recording, f)) for f in cutoffs),
        errors_of(model, recording, recording.unaccelerated),
    )


def all_cases() -> Iterator[Case]:
    """Yield every combination of motion, rate, encoders and velocities."""
    for course, rate, encoders, velocities in product(COURSES, RATES, (False, True), (True, False)):
        yield Case(course, rate, encoders, velocities)
