# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A policy on a real graph: simulator and policy node in the worlds of the environment.

    python -m validation.policy_on_graph Reach-v0 --worlds 200

prints the success on the graph and of the environment. World k begins as episode k of
`charmie_evaluate`. The simulator makes its steps on request: those of the next sample when the
command for the last one has arrived. Needs a ROS 2 environment.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from simulation_interfaces.srv import StepSimulation
from std_srvs.srv import Trigger

from charmie_dynamics.demo.run import Processes
from charmie_dynamics.kitchen.scene import CAN, CLAWS, ROBOT
from charmie_dynamics.learning import (
    BatchEnvironment,
    LearningTask,
    evaluate,
    load_policy,
    make_task,
)
from charmie_dynamics.learning.evaluation import UNSEEN
from charmie_dynamics.live.topics import INPUTS, TF_STATIC
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.ros.nodes.policy_node import NODE_NAME, SUCCESS
from charmie_dynamics.ros.outputs.conversions import stamp_from_time
from charmie_dynamics.simulation.session.topics import (
    CONTACT_POINTS,
    CONTACT_SHAPES,
    JOINT_COMMANDS,
    MEASURED_JOINTS,
)

from .harness.graph import Graph, graph

STEPS = 10  # of 1 ms, from one sample to the next
SETTLE = 5  # samples before the start, in which the estimator notices that time has jumped back
MOST = 100  # samples until a node that has just found the simulator sends its first command
PATIENT = 60.0  # s: a busy machine must not make inputs stale
FIRST_START = 240.0  # s, compiles the kernels
LATE, SOON = 60.0, 0.5  # s, for a message


class Attempt(NamedTuple):
    """The result of a policy in a world."""

    seed: int
    success: bool
    collided: bool
    duration: float  # s


def write_world(task: LearningTask, batch: BatchEnvironment, seed: int, path: Path) -> None:
    """Write the world in which the episode of a seed begins."""
    batch.seed([seed])
    batch.reset([0])
    now, model = batch.situation, task.world.model
    document = yaml.safe_load(share_file("worlds", "kitchen.yaml").read_text(encoding="utf-8"))
    for name, entity in document["entities"].items():
        entity.pop("spread", None)
        if name == CAN:
            entity.pop(True)  # "on" of YAML 1.1
        if name == CAN and name not in now.poses:
            p, R = now.state.frame(CAN)
            yaw = float(np.arctan2(R[0, 1, 0], R[0, 0, 0]))  # it stands
            entity["pose"] = [*p[0].tolist(), 0.0, 0.0, yaw]
        elif "pose" in entity:
            entity["pose"] = now.poses[name][0].tolist()
    entries = [model.position_names.index(name) for name in model.actuator_names]
    values = now.position[0, entries].tolist()
    own = [name.removeprefix(f"{ROBOT}/") for name in model.actuator_names]
    document["entities"][ROBOT]["position"] = dict(zip(own, values, strict=True))
    path.write_text(yaml.safe_dump(document), encoding="utf-8")


class _Driver:
    """Steps the simulators, and notes commands, contacts and results."""

    def __init__(self, found: Graph, task: LearningTask) -> None:
        self._graph, self._task = found, task
        self._stamps: dict[str, int] = {}
        self._shapes: list[dict[str, str]] = []
        self._collided = False
        self._outcome: bool | None = None
        for topic in (JOINT_COMMANDS, MEASURED_JOINTS):
            found.subscribe(topic, topic.name, partial(self._note, topic.name))
        found.subscribe(SUCCESS, f"{NODE_NAME}/success", self._end)
        found.subscribe(CONTACT_SHAPES, CONTACT_SHAPES.name, self._take_shapes)
        found.subscribe(CONTACT_POINTS, CONTACT_POINTS.name, self._take_contacts)
        self._steps = found.node.create_client(StepSimulation, "step_simulation")
        self._start = found.node.create_client(Trigger, f"{NODE_NAME}/start")
        self._stop = found.node.create_client(Trigger, f"{NODE_NAME}/stop")

    def _note(self, name: str, message: Any) -> None:
        self._stamps[name] = stamp_from_time(message.header.stamp)

    def _end(self, message: Any) -> None:
        self._outcome = message.data

    def _take_shapes(self, message: Any) -> None:
        self._shapes = json.loads(message.data)

    def _take_contacts(self, message: Any) -> None:
        rows = np.frombuffer(bytes(message.data), dtype="<u4").reshape(-1, 14)
        for pair in rows[:, 12:].tolist():
            self._collided |= self._is_forbidden([self._shapes[k] for k in pair])

    def _is_forbidden(self, pair: Sequence[dict[str, str]]) -> bool:
        entities = [shape["entity"] for shape in pair]
        grips = bool(self._task.gripper) and CAN in entities
        claw = any(CLAWS in shape["frame"] for shape in pair)
        return ROBOT in entities and not (grips and claw)

    def is_alone(self) -> bool:
        """Return whether no simulator is left."""
        return not self._graph.node.count_publishers(MEASURED_JOINTS.name)

    def attempt(self, seed: int) -> Attempt:
        """Run the policy once in the simulator that has just started."""
        node = self._graph.node

        def is_ready() -> bool:
            return (
                self._steps.service_is_ready()
                and self._start.service_is_ready()
                and all(
                    (
                        *(node.count_publishers(t.name) for t in (JOINT_COMMANDS, TF_STATIC)),
                        *(node.count_publishers(topic.name) for topic in INPUTS),
                        node.count_subscribers(JOINT_COMMANDS.name) > 1,
                    )
                )
            )

        self._graph.wait(is_ready, FIRST_START, "simulator and policy node")
        self._graph.spin(1.0)
        self._stamps.clear()
        self._outcome = None
        for k in range(SETTLE):
            self._step(MEASURED_JOINTS.name, (k + 1) * STEPS)
        self._collided = False
        self._call(self._start, Trigger.Request())
        samples = first = self._first_command(SETTLE)
        while self._outcome is None and not self._collided:
            samples += 1
            self._step(JOINT_COMMANDS.name, samples * STEPS)
        self._call(self._stop, Trigger.Request())
        success = bool(self._outcome) and not self._collided
        duration = (samples - first) * STEPS * 1e-3
        return Attempt(seed, success, self._collided, duration)

    def _first_command(self, samples: int) -> int:
        """Make steps until the first command; return the number of samples."""
        for k in range(samples + 1, samples + MOST + 1):
            try:
                self._step(JOINT_COMMANDS.name, k * STEPS, SOON)
            except TimeoutError:
                continue
            return k
        raise TimeoutError(f"no command in {MOST} samples")

    def _step(self, topic: str, steps: int, patience: float = LATE) -> None:
        """Make the steps to the next sample, and wait for the message with its stamp."""
        answer = self._call(self._steps, StepSimulation.Request(steps=STEPS)).result
        if answer.result != answer.RESULT_OK:
            raise RuntimeError(f"steps refused: {answer.error_message}")
        stamp = steps * 1_000_000

        def is_done() -> bool:
            return self._stamps.get(topic) == stamp or self._outcome is not None

        self._graph.wait(is_done, patience, f"{topic} at {stamp} ns")

    def _call(self, client: Any, request: Any) -> Any:
        future = client.call_async(request)
        self._graph.wait(future.done, LATE, client.srv_name)
        return future.result()


def attempts(name: str, seeds: Sequence[int], folder: Path) -> Iterator[Attempt]:
    """Yield the results of a policy of the package on the graph.

    Raises
    ------
    TimeoutError
        If something does not come; logs are in `folder`.
    """
    task = make_task(name)
    batch = BatchEnvironment(task, 1, workers=1)
    with graph(folder) as found:
        found.start("policy_node", {"policy": name, "autostart": False, "input_timeout": PATIENT})
        driver = _Driver(found, task)
        for seed in seeds:
            world = folder / f"{seed}.yaml"
            write_world(task, batch, seed, world)
            with Processes() as processes:
                alone = Graph(found.node, found.executor, processes, folder)
                alone.start("simulator_node", {"world": world, "paused": True})
                yield driver.attempt(seed)
            found.wait(driver.is_alone, LATE, "the end of the simulator")


def of_environment(name: str, seeds: Sequence[int]) -> Any:
    """Return the results of the policy in the environment, in the same worlds."""
    policy = load_policy(name)
    batch = BatchEnvironment(make_task(name), min(len(seeds), 64))
    return evaluate(batch, lambda observation, _: policy(observation), len(seeds), seeds[0])


def main() -> None:
    """Print success on the graph and of the environment."""
    parser = argparse.ArgumentParser(prog="python -m validation.policy_on_graph")
    parser.add_argument("task", choices=("Reach-v0", "PickCan-v0"))
    parser.add_argument("--worlds", type=int, default=200)
    options = parser.parse_args()
    seeds = range(UNSEEN, UNSEEN + options.worlds)
    expected = of_environment(options.task, seeds)
    won = collided = 0
    with tempfile.TemporaryDirectory() as folder:
        for k, attempt in enumerate(attempts(options.task, seeds, Path(folder))):
            won, collided = won + attempt.success, collided + attempt.collided
            of_same = f"environment: {expected.success[k]}, {expected.duration[k]:.2f} s"
            print(f"{attempt}; {of_same}", file=sys.stderr, flush=True)
    count = len(seeds)
    print(
        f"{options.task}, {count} worlds: success {won / count:.1%} on the graph and "
        f"{expected.success.mean():.1%} in the environment; collisions {collided / count:.1%} and "
        f"{expected.collided.mean():.1%}"
    )


if __name__ == "__main__":
    main()
