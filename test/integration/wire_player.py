# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Publish cycles of the reference poses twice until interrupted, in two namespaces.

`template` sends what the dynamics node sends, `ordinary` sends ordinary messages. A process of
its own, so that it can run on another middleware than the tests.
"""

from __future__ import annotations

import time
from itertools import count

import ordinary_messages
import rclpy
from robot_inputs import ACTUATORS, pose, static_cases

from charmie_dynamics import load_model
from charmie_dynamics.live.outputs import output_topics
from charmie_dynamics.live.pipeline import Cycle
from charmie_dynamics.live.tracked_points import point_names
from charmie_dynamics.ros.outputs.profiles import make_publisher
from charmie_dynamics.ros.outputs.publishers import MARKERS_OUTLIVE_INPUTS, Outputs
from charmie_dynamics.ros.process.parameters import Settings
from charmie_dynamics.visual.scene.scene import Scene

SETTINGS = Settings(marker_rate=0.0, publish_robot_description=False)
PERIOD = 0.1  # s


def main() -> None:
    rclpy.init()
    model = load_model()
    poses = [[pose(k)[name] for name in ACTUATORS] for k in range(len(static_cases()))]
    # moving as well, so that no number is zero
    states = [
        model.compute(position, [0.01 * (k + 1)] * len(position), [0.1] * len(position))
        for k, position in enumerate(poses)
    ]
    # TF has an absolute name
    remap = ["--ros-args", "-r", "/tf:=tf", "-r", "/tf_static:=tf_static"]
    first = rclpy.create_node("wire_player", namespace="template", cli_args=remap)
    outputs = Outputs(first)
    outputs.configure(model, SETTINGS)
    second = rclpy.create_node("wire_player", namespace="ordinary", cli_args=remap)
    publishers = {
        topic.name: make_publisher(second, topic) for topic in output_topics(point_names())
    }
    scene = Scene(model)
    lifetime = SETTINGS.input_timeout + MARKERS_OUTLIVE_INPUTS
    print("playing")
    for number in count(1):
        stamp, state = number * 1_234_567_891, states[number % len(states)]
        stepped = ordinary_messages.after_step(model, SETTINGS, state)
        outputs.filler.fill(stamp, stepped.block)
        outputs.publish_cycle(Cycle(stamp, stepped))
        messages = ordinary_messages.of_a_cycle(model, SETTINGS, state, stamp)
        messages["markers"] = ordinary_messages.markers(
            scene.shapes, "", lifetime, stamp, scene.update(state)
        )
        for name, message in messages.items():
            publishers[name].publish(message)
        time.sleep(PERIOD)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        rclpy.try_shutdown()
