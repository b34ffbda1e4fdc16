# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A simulator and a dynamics node on a real graph, driven in lockstep; what came over the wire.

The simulator makes its steps when it is asked to, as quickly as it can; those of the next samples
are asked for when the node has answered those before. So hardly a sample is lost, on a machine that
is busy as well.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from numpy.typing import NDArray
from simulation_interfaces.srv import StepSimulation
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from charmie_dynamics import Model
from charmie_dynamics.live import topics
from charmie_dynamics.motions import joined_points, make_motion
from charmie_dynamics.ros.outputs.conversions import doubles, stamp_from_time, time_from_stamp
from charmie_dynamics.simulation.session.simulated_system import start_position
from charmie_dynamics.simulation.session.topics import TRAJECTORY_COMMANDS, TRUE_ACTUATORS

from .harness.graph import Graph, graph

Floats = NDArray[np.float64]

STEPS = 10  # asked for at a time: one sample, so that on a busy machine none waits behind another
PATIENT = 60.0  # s: a busy machine must not make inputs stale
POINTS = 500  # of a trajectory whose efforts are asked for at a time
BETWEEN = 2.0  # s between the points of the motion
FIRST_START = 240.0  # s, compiles the kernels
LATE = 60.0  # s
TOPICS = (topics.ACTUATOR_EFFORTS, topics.SETTLING, TRUE_ACTUATORS, topics.TRAJECTORY_EFFORTS)


@dataclass(frozen=True)
class SimulatedRun:
    """What came over the wire, by sample.

    Attributes
    ----------
    time : (n,) array
        s
    position, velocity, acceleration, applied : (n, a) array
        Of the simulated robot, with the efforts that acted.
    estimated : (n, a) array
        Efforts of the dynamics node, from what the sensors say; NaN where it computed no cycle.
    settled : (n,) array of bool
        Whether its estimates had settled.
    exact : (n, a) array
        Efforts of the dynamics node for the true accelerations.
    """

    time: Floats
    position: Floats
    velocity: Floats
    acceleration: Floats
    applied: Floats
    estimated: Floats
    settled: NDArray[np.bool_]
    exact: Floats


def random_points(model: Model, duration: float, seed: int) -> tuple[Floats, Floats]:
    """Return times (k,) and positions (k, a) of a motion of all actuators, within their limits.

    It begins where the simulator begins. Each actuator goes from one position that it
    has in the motion `wave` to another; the velocities stay below the rated ones.
    """
    start = start_position(model)
    random = np.random.default_rng(seed)
    time = np.arange(0.0, duration + 0.5 * BETWEEN, BETWEEN)
    wave = make_motion("wave", model)
    moments = random.uniform(0.0, wave.duration, (len(time), len(start)))
    position = np.array([[wave.at(t)[0][k] for k, t in enumerate(row)] for row in moments])
    position[0] = start
    joined = joined_points(time, position)
    peak = np.abs([joined.at(t)[1] for t in np.arange(0.0, time[-1], 0.05)]).max(axis=0)
    rated = np.array([limit.velocity or np.inf for limit in model.actuator_limits()])
    share = np.minimum(1.0, 0.7 * rated / peak)
    return time, start + share * (position - start)


def run(
    model: Model, duration: float, folder: Path, parameters: Mapping[str, Any], seed: int = 1
) -> SimulatedRun:
    """Let the simulator follow a random motion beside the dynamics node.

    Parameters
    ----------
    model : Model
        The default robot.
    duration : float
        s
    folder : Path
        For the logs.
    parameters : mapping
        Further ones of the simulator.
    seed : int
        Of the motion.

    Raises
    ------
    TimeoutError
        If something does not come; logs are in `folder`.
    """
    with graph(folder) as found:
        found.start("simulator_node", {"paused": True, **parameters})
        of_node = {"publish_markers": False, "use_sim_time": True, "input_timeout": PATIENT}
        found.start("dynamics_node", of_node)
        driver = _Driver(found, model)
        driver.connect()
        driver.command(*random_points(model, duration, seed))
        driver.play(duration)
        return driver.result()


class _Driver:
    """Drives both nodes and keeps what they say."""

    def __init__(self, graph: Graph, model: Model) -> None:
        self._graph, self._model = graph, model
        node = graph.node
        self._received: dict[str, dict[int, Any]] = {topic.name: {} for topic in TOPICS}
        for topic in TOPICS:
            graph.subscribe(topic, topic.name, self._keeper(self._received[topic.name]))
        self._commands = node.create_publisher(JointTrajectory, TRAJECTORY_COMMANDS.name, 10)
        self._asked = node.create_publisher(JointTrajectory, topics.TRAJECTORY.name, 10)
        self._steps = node.create_client(StepSimulation, "step_simulation")
        self._exact: list[Floats] = []
        self._rows: list[tuple[int, Floats]] = []
        self._settling = math.nan

    @staticmethod
    def _keeper(kept: dict[int, Any]) -> Callable[[Any], None]:
        def keep(message: Any) -> None:
            kept[stamp_from_time(message.header.stamp)] = message

        return keep

    def connect(self) -> None:
        """Wait until all have found each other."""
        node = self._graph.node

        def is_ready() -> bool:
            return self._steps.service_is_ready() and all(
                (
                    *(node.count_publishers(topic.name) for topic in TOPICS),
                    self._commands.get_subscription_count(),
                    self._asked.get_subscription_count(),
                    # simulator and node are two processes that must have found each other, too
                    all(node.count_subscribers(topic.name) for topic in topics.INPUTS),
                )
            )

        self._graph.wait(is_ready, FIRST_START, "both nodes")
        self._graph.spin(2.0)

    def command(self, time: Floats, position: Floats) -> None:
        """Have the simulator follow a motion through points."""
        message = JointTrajectory(joint_names=list(self._model.actuator_names))
        # the first is where the robot is
        for instant, row in zip(time[1:], position[1:], strict=True):
            point = JointTrajectoryPoint(positions=doubles(row))
            seconds, rest = divmod(round(float(instant) * 1e9), 1_000_000_000)
            point.time_from_start = Duration(sec=seconds, nanosec=rest)
            message.points.append(point)
        self._commands.publish(message)
        self._graph.spin(0.5)

    def play(self, duration: float) -> None:
        """Let the simulator make its steps, and wait for the node's answers to each batch."""
        steps = round(duration * 1000.0)
        true, efforts = (self._received[t.name] for t in (TRUE_ACTUATORS, TOPICS[0]))

        def has(stamp: int) -> Callable[[], bool]:
            return lambda: stamp in true and stamp in efforts

        for done in range(0, steps, STEPS):
            future = self._steps.call_async(StepSimulation.Request(steps=min(STEPS, steps - done)))
            self._graph.wait(future.done, LATE, "the steps")
            answer = future.result().result
            if answer.result != answer.RESULT_OK:
                raise RuntimeError(f"steps refused: {answer.error_message}")
            last = (done + min(STEPS, steps - done)) * 1_000_000
            self._graph.wait(has(last), LATE, "the last sample")
            if len(true) >= POINTS or done + STEPS >= steps:
                self._take()
                print(f"validation: {last * 1e-9:.0f} s simulated", file=sys.stderr, flush=True)

    def _take(self) -> None:
        """Keep the numbers of what came, and ask for the efforts of the true accelerations."""
        received = self._received
        efforts, settling, true, _ = (received[topic.name] for topic in TOPICS)
        stamps, known = sorted(true), sorted(settling)
        fields = ("positions", "velocities", "accelerations", "effort")
        nothing = np.full(len(self._model.actuator_names), np.nan)
        for stamp in stamps:
            point = true[stamp].points[0]
            answer = efforts.get(stamp)
            estimated = nothing if answer is None else np.array(answer.effort)
            if count := bisect_right(known, stamp):  # else the last value still applies
                self._settling = settling[known[count - 1]].position[0]
            row = [np.array(getattr(point, name)) for name in fields]
            row += [estimated, np.array([self._settling == 0.0])]
            self._rows.append((stamp, np.concatenate(row)))
        for first in range(0, len(stamps), POINTS):
            part = stamps[first : first + POINTS]
            self._ask([true[stamp].points[0] for stamp in part], part)
        for kept in received.values():
            kept.clear()

    def _ask(self, points: list[Any], stamps: list[int]) -> None:
        """Have the dynamics node compute the efforts of points with all that is true of them."""
        message = JointTrajectory(joint_names=list(self._model.actuator_names))
        message.header.stamp = time_from_stamp(stamps[0])
        for stamp, true in zip(stamps, points, strict=True):
            point = JointTrajectoryPoint(
                positions=true.positions,
                velocities=true.velocities,
                accelerations=true.accelerations,
            )
            seconds, rest = divmod(stamp - stamps[0], 1_000_000_000)
            point.time_from_start = Duration(sec=seconds, nanosec=rest)
            message.points.append(point)
        answers = self._received[topics.TRAJECTORY_EFFORTS.name]
        answers.clear()
        self._asked.publish(message)
        self._graph.wait(lambda: stamps[0] in answers, LATE, "efforts of the true accelerations")
        self._exact += [np.array(point.effort) for point in answers[stamps[0]].points]

    def result(self) -> SimulatedRun:
        """Return all that came."""
        a = len(self._model.actuator_names)
        rows = np.array([row for _, row in self._rows])
        x, v, acceleration, applied, estimated = np.split(rows[:, : 5 * a], 5, axis=1)
        time_of = np.array([stamp for stamp, _ in self._rows]) * 1e-9
        settled = rows[:, 5 * a] > 0.5
        exact = np.array(self._exact)
        return SimulatedRun(time_of, x, v, acceleration, applied, estimated, settled, exact)
