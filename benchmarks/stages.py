# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Time of the stages of the node's work on a message, at once and with cold caches.

Between two messages other processes have the processor's caches. Here they are emptied of data and
code before each stage by going through more memory than they hold.

Run in a ROS 2 environment: ``python -m benchmarks.stages``.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from charmie_dynamics import load_model
from charmie_dynamics.live.cycle_messages import CycleMessages
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.live.settings import DEFAULTS
from charmie_dynamics.live.wire.joint_states import JointStateReader
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES
from charmie_dynamics.ros.outputs.markers import SceneMarkers
from charmie_dynamics.visual.scene.scene import Scene

PERIOD = 10_000_000  # ns, between two stamps
BEGIN = 1_000_000_000_000_000_000  # ns, the first stamp
# of doubles: several times what a core's own caches hold
LARGE = 1_500_000
ROUNDS = 300


class Stages:
    """The stages, from serialized messages to serialized messages."""

    def __init__(self) -> None:
        self._model = model = load_model()
        self._pipeline = Pipeline(model)
        self._readers = {topic: JointStateReader() for topic in (JOINT_STATES, ACTUATOR_LENGTHS)}
        self._pipeline.fill(CycleMessages(model, DEFAULTS).filler.arguments)
        self._scene = Scene(model)
        self._markers = SceneMarkers(self._scene.shapes, "", 1.0)
        self._driven = [a.name for a in model.mechanisms.linear_actuators]
        moved = {a.joint for a in model.mechanisms.linear_actuators}
        self._joints = [name for name in model.joint_names if name not in moved]
        self._stamp = BEGIN
        self._memory = np.zeros((2, LARGE))

    def run(self, rounds: int, slept: bool) -> dict[str, float]:
        """Return the median time of each stage (us)."""
        times: dict[str, list[int]] = defaultdict(list)

        def timed(name: str, work: Callable[..., Any], *arguments: Any) -> Any:
            if slept:
                np.add(self._memory[0], 1.0, out=self._memory[1])
            start = time.perf_counter_ns()
            result = work(*arguments)
            times[name].append(time.perf_counter_ns() - start)
            return result

        rest = self._model.zero_position()
        at_rest = [rest[self._model.actuator_names.index(name)] for name in self._driven]
        for _ in range(rounds):
            self._stamp += PERIOD
            now = self._stamp * 1e-9
            swing = 1e-3 * np.sin(now)
            lengths = self._message(self._driven, at_rest)
            joints = self._message(self._joints, [swing] * len(self._joints))
            for topic, data, step in (
                (ACTUATOR_LENGTHS, lengths, "step of the lengths"),
                (JOINT_STATES, joints, "step of the joints, with the cycle"),
            ):
                message = timed("know the message", self._readers[topic].read, data, lambda: 0)
                cycle = timed(step, self._pipeline.take, topic, message, now)
            appearance = timed("appearance of the markers", self._scene.update, cycle.state)
            timed("fill the markers", self._markers.write, cycle.stamp, appearance)
        return {name: float(np.median(taken)) * 1e-3 for name, taken in times.items()}

    def _message(self, names: list[str], position: list[float]) -> bytes:
        message = JointState(name=names, position=position)
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(self._stamp, 10**9)
        return bytes(serialize_message(message))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.stages")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each is timed")
    rounds = parser.parse_args().rounds
    stages = Stages()
    stages.run(rounds, slept=False)  # compiles
    warm, slept = stages.run(rounds, slept=False), stages.run(rounds, slept=True)
    print(f"{'median of ' + str(rounds):<36}at once (us)    cold (us)")
    for name, taken in warm.items():
        print(f"{name:<36}{taken:12.1f} {slept[name]:12.1f}")


if __name__ == "__main__":
    main()
