# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The papers' motions, played to the running node, against the model.

Needs a ROS 2 environment: player and node are processes of their own. The model that they are
compared with is held against the reference data in `paper_motions`.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from charmie_dynamics import Model, load_model
from charmie_dynamics.live.topics import ACTUATOR_EFFORTS, INPUTS, TF, TF_STATIC
from charmie_dynamics.motions import make_motion
from charmie_dynamics.recordings.read.transforms import frames_from_transforms
from charmie_dynamics.ros.outputs.conversions import stamp_from_time

from .check import Check
from .harness.graph import graph
from .paper_motions import largest_difference, run_motion

Floats = NDArray[np.float64]

MOTIONS = ("paper_5s", "paper_20s")
SOURCES = ("zero", "estimated")  # of the acceleration; one node each, in a namespace of that name
RATE = 100.0  # Hz
SETTLING = 1.0  # s, until the estimate of a new constant acceleration has no error left
FIRST_START = 180.0  # s, compiles the kernels
LATE = 10.0  # s
INPUT_LIMIT = 1e-12
POSITION_LIMIT = 1e-9
ZERO_LIMIT = 1e-9
ESTIMATED_LIMIT = 1e-6
FEWEST = 50  # cycles
DELAY = (
    f"The first {SETTLING:g} s after a jump of the acceleration are left out: a causal estimate "
    "follows it with delay, see the section on the estimator."
)


@dataclass
class Recording:
    """What came over the wire, by stamp (ns): inputs, and TF and efforts of each node."""

    joints: dict[int, Any] = field(default_factory=dict)
    efforts: dict[str, dict[int, Any]] = field(default_factory=lambda: {s: {} for s in SOURCES})
    moving: dict[str, dict[int, Any]] = field(default_factory=lambda: {s: {} for s in SOURCES})
    fixed: list[Any] = field(default_factory=list)

    def add_joints(self, message: Any) -> None:
        """Take in a sample of the player."""
        self.joints[stamp_from_time(message.header.stamp)] = message

    def add_efforts(self, source: str, message: Any) -> None:
        """Take in the efforts of one cycle of a node."""
        self.efforts[source][stamp_from_time(message.header.stamp)] = message

    def add_moving(self, message: Any) -> None:
        """Take in the transforms of one cycle of a node, which its frame prefix tells."""
        first = message.transforms[0]
        source = first.child_frame_id.split("/")[0]
        self.moving[source][stamp_from_time(first.header.stamp)] = message.transforms

    def span(self) -> float:
        """Return the time (s) between the first and the newest joint sample."""
        return (max(self.joints) - min(self.joints)) * 1e-9 if self.joints else 0.0


@dataclass(frozen=True)
class Comparison:
    """Largest differences of one motion, and in how many cycles of each node both inputs agreed."""

    cycles: dict[str, int]
    differences: dict[str, tuple[float, float]]  # quantity to difference and limit


def play(motion: str, folder: Path) -> Recording:
    """Play a motion once to two nodes, which take the acceleration from either source.

    Raises
    ------
    TimeoutError
        If the nodes do not start or the motion does not end; logs are in `folder`.
    """
    recording = Recording()
    duration = make_motion(motion, load_model()).duration
    with graph(folder) as found:
        found.subscribe(INPUTS[1], f"/{INPUTS[1].name}", recording.add_joints)
        found.subscribe(TF, TF.name, recording.add_moving)
        found.subscribe(TF_STATIC, TF_STATIC.name, lambda m: recording.fixed.append(m.transforms))
        moved = [f"{topic.name}:=/{topic.name}" for topic in INPUTS]
        for source in SOURCES:
            efforts = f"/{source}/{ACTUATOR_EFFORTS.name}"
            found.subscribe(ACTUATOR_EFFORTS, efforts, partial(recording.add_efforts, source))
            parameters = {"acceleration_source": source, "frame_prefix": f"{source}/"}
            parameters["publish_markers"] = "false"
            found.start("dynamics_node", parameters, (*moved, f"__ns:=/{source}"))

        def is_ready() -> bool:
            # each input has two nodes, and here a listener for one of them
            return all(
                found.node.count_subscribers(f"/{t.name}") >= len(SOURCES) for t in INPUTS
            ) and (len(recording.fixed) >= len(SOURCES))

        found.wait(is_ready, FIRST_START, "the nodes to be ready")
        found.start("motion_player", {"motion": motion, "loop": False})
        found.wait(lambda: recording.span() > duration, duration + LATE, f"the end of {motion}")
    return recording


def compare(model: Model, motion: str, recording: Recording) -> Comparison:
    """Hold tool position and efforts of each cycle against the model at the cycle's time."""
    start = _start_of(model, motion, recording)
    duration = make_motion(motion, model).duration
    driven = {actuator.name for actuator in model.mechanisms.linear_actuators}
    direct = np.array([name not in driven for name in model.actuator_names])
    cycles, differences = {}, {}
    for source in SOURCES:
        stamps = sorted(recording.efforts[source].keys() & recording.moving[source].keys())
        stamps = [stamp for stamp in stamps if 0.0 <= (stamp - start) * 1e-9 <= duration]
        messages = [recording.efforts[source][stamp] for stamp in stamps]
        if any(tuple(message.name) != model.actuator_names for message in messages):
            raise ValueError("the efforts are not in the order of the model's actuators")
        times = (np.array(stamps) - start) * 1e-9
        exact = run_motion(model, motion, times)
        position = np.array([message.position for message in messages])
        differences[f"positions of the joints, {source} accelerations"] = (
            largest_difference(position[:, direct], exact.position[:, direct]),
            POSITION_LIMIT,
        )
        # A cycle whose lengths came after its joints has older ones, carried to its stamp.
        velocity = np.array([message.velocity for message in messages])
        used = np.abs(position - exact.position).max(axis=1) < INPUT_LIMIT
        used &= np.abs(velocity - exact.velocity).max(axis=1) < INPUT_LIMIT
        cycles[source] = int(used.sum())
        tool = [_tool(recording, source, stamp) for stamp in stamps]
        differences[f"position of left_tool in TF, {source} accelerations"] = (
            largest_difference(np.array(tool)[used], exact.frame("left_tool")[0][used]),
            POSITION_LIMIT,
        )
        limit = ZERO_LIMIT
        if source == "zero":
            exact = model.compute(exact.position, exact.velocity)
        else:
            # accelerations are constant but for their jumps: at the start and after half the time
            since_jump = times - np.where(times < 0.5 * duration, times[0], 0.5 * duration)
            used &= since_jump > SETTLING
            limit = ESTIMATED_LIMIT
        efforts = np.array([message.effort for message in messages])
        differences[f"actuator efforts, {source} accelerations"] = (
            largest_difference(efforts[used], exact.actuator_effort[used]),
            limit,
        )
    return Comparison(cycles, differences)


def run(figures: Path) -> list[Check]:
    """Play both motions to the node."""
    model = load_model()
    checks = []
    for motion in MOTIONS:
        with tempfile.TemporaryDirectory() as folder:
            comparison = compare(model, motion, play(motion, Path(folder)))
        if min(comparison.cycles.values()) < FEWEST:
            raise RuntimeError(f"{motion}: expected {FEWEST} cycles, got {comparison.cycles}")
        for quantity, (difference, limit) in comparison.differences.items():
            checks.append(
                Check(
                    title=f"{motion} through the node: {quantity}",
                    compared=f"messages of the node at {RATE:g} Hz input, ROS 2 "
                    f"{os.environ['ROS_DISTRO'].capitalize()}",
                    against="the model with the exact motion at the stamps of the cycles",
                    largest=difference,
                    unit="relative",
                    limit=limit,
                    remarks=DELAY if limit == ESTIMATED_LIMIT else "",
                )
            )
    return checks


def _start_of(model: Model, motion: str, recording: Recording) -> int:
    """Return the stamp (ns) at which the motion began, from the first sample that came."""
    first = min(recording.joints)
    message = recording.joints[first]
    columns = [model.actuator_names.index(name) for name in message.name]
    named = make_motion(motion, model)
    period = round(1e9 / RATE)
    steps = np.arange(round(named.duration * RATE) + 1)
    states = [named.at(k * period * 1e-9) for k in steps]
    distance = [
        np.abs(position[columns] - message.position).max()
        + np.abs(velocity[columns] - message.velocity).max()
        for position, velocity, _ in states
    ]
    return first - int(np.argmin(distance)) * period


def _tool(recording: Recording, source: str, stamp: int) -> Floats:
    fixed = [t for transforms in recording.fixed for t in transforms]
    mine = [t for t in fixed if t.child_frame_id.startswith(f"{source}/")]
    frames = frames_from_transforms([*mine, *recording.moving[source][stamp]])
    return frames[f"{source}/left_tool"][0]
