# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Two runs of the whole graph with the same seeds, whose bags have the same messages."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from control_msgs.action import FollowJointTrajectory
from graph import TYPES
from mcap.reader import make_reader
from node_process import Process, ros_arguments, start_dynamics_node, start_node
from rclpy.action import ActionClient
from simulator_client import OK, SAMPLES, SimulatorClient
from std_msgs.msg import Float64MultiArray
from test_controller import REST, goal

# The controller publishes here, and the client passes each message on before it requests the next
# step: the simulator then receives the efforts before the request. A node that is behind receives
# imu and odometry later, so that the client waits for the dynamics node, too.
COMPUTED = "computed_efforts"
TYPES[COMPUTED] = Float64MultiArray
RATE, STEPS, SAMPLES_OF_A_RUN = 100.0, 10, 120
# s; without it, the real time between two samples would count as silence
PATIENCE = 60.0
SIMULATED = {
    "paused": True, "rate": RATE, "step": 1.0 / (RATE * STEPS), "input_timeout": PATIENCE,
    "seed": 5, "angle_noise": 1e-4, "length_noise": 1e-5, "imu_gyro_noise": 1e-3,
}  # fmt: skip
# the recorder may not have found all publishers before the first samples, and ends after the last
COMPARED = SAMPLES_OF_A_RUN - 20
STAMPED = slice(4, 16)  # bytes of a message with its stamp
WALL_CLOCK = "/diagnostics"
JOINTS = ["right_arm_joint_1", "right_arm_joint_2", "right_arm_joint_3"]


def record(folder: Path, seed: int) -> dict[str, dict[bytes, bytes]]:
    """Return the messages of a recorded run by their topics and stamps."""
    bag = folder / "bag"
    with ExitStack() as stack:
        enter = stack.enter_context
        enter(start_node("simulator_node", folder, SIMULATED)).wait_for_output("' ready: ")
        beside = {"use_sim_time": True, "input_timeout": PATIENCE}
        enter(start_dynamics_node(folder, {**beside, "publish_markers": False}))
        controller = [sys.executable, "-m", "charmie_dynamics.ros.nodes.controller_node"]
        controller += ros_arguments({**beside, "path_tolerance": 1.0})
        controller += ["-r", f"effort_commands:={COMPUTED}"]
        node = enter(Process(controller, folder / "controller.log", is_forked=True))
        node.wait_for_output("' ready: ")
        recorder = enter(start_node("recorder", folder, {"output": str(bag), "ground_truth": True}))
        recorder.wait_for_output("elapsed")
        client = enter(SimulatorClient((*SAMPLES, COMPUTED, "actuator_efforts")))
        client.connect()
        client.wait_for_publishers()
        run(client, seed)
        recorder.end()
    (file,) = bag.glob("*.mcap")
    found: dict[str, dict[bytes, bytes]] = {}
    with file.open("rb") as stream:
        for _, channel, message in make_reader(stream).iter_messages():
            found.setdefault(channel.topic, {})[message.data[STAMPED]] = message.data
    return found


def run(client: SimulatorClient, seed: int) -> None:
    """Step the robot, with the efforts of the controller, along a random goal."""
    random = np.random.default_rng(seed)
    points = [
        (0.3 * (k + 1), [REST[name] + random.uniform(-0.1, 0.1) for name in JOINTS])
        for k in range(3)
    ]
    name = "right_arm_controller/follow_joint_trajectory"
    arm = ActionClient(client.node, FollowJointTrajectory, name)
    client.wait_for(arm.server_is_ready, name)
    answers = client.received[COMPUTED], client.received["actuator_efforts"]
    for count in range(SAMPLES_OF_A_RUN):
        if count == 5:  # for a start in the future, long after the check
            accepted = arm.send_goal_async(goal(JOINTS, *points, stamp=0.2))
            client.wait_for(accepted.done, "the acceptance")
        assert client.step(STEPS).result == OK
        client.wait_for(
            lambda count=count: all(len(answer) > count for answer in answers),
            f"efforts of sample {count}",
        )
        client.efforts.publish(answers[0][-1])
    ended = accepted.result().get_result_async()
    client.wait_for(ended.done, "the result")
    assert ended.result().result.error_code == 0
    arm.destroy()


def test_bags_of_the_same_seeds_have_the_same_messages(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    first, second, other = (record(tmp_path_factory.mktemp("run"), seed) for seed in (1, 1, 2))
    for topic in ("/joint_states", "/actuator_lengths", "/actuator_efforts", "/tf"):
        assert len(first[topic].keys() & second[topic].keys()) >= COMPARED, topic
    assert first.keys() == second.keys()
    for topic in first.keys() - {WALL_CLOCK}:
        common = first[topic].keys() & second[topic].keys()
        differing = [key for key in common if first[topic][key] != second[topic][key]]
        assert common and not differing, topic
    assert set(first["/joint_states"].values()) != set(other["/joint_states"].values())
