"""Publish cycles of the reference poses twice until interrupted, in two namespaces.

`template` sends what the dynamics node sends, `ordinary` sends ordinary messages. A process of
its own, so that it can run on another middleware than the tests.
"""

from __future__ import annotations

import time
from itertools import count

import rclpy
from robot_inputs import ACTUATORS, pose, static_cases

from charmie_dynamics import load_model
from charmie_dynamics.live.pipeline import Cycle
from charmie_dynamics.ros.outputs.publishers import Outputs
from charmie_dynamics.ros.process.parameters import Settings

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
    both = []
    for name in ("template", "ordinary"):
        # TF has an absolute name
        remap = ["--ros-args", "-r", "/tf:=tf", "-r", "/tf_static:=tf_static"]
        node = rclpy.create_node("wire_player", namespace=name, cli_args=remap)
        outputs = Outputs(node, templates=name == "template")
        outputs.configure(model, SETTINGS)
        if outputs.fallbacks:
            raise SystemExit(f"not from templates: {outputs.fallbacks}")
        both.append(outputs)
    print("playing")
    for number in count(1):
        cycle = Cycle(number * 1_234_567_891, states[number % len(states)])
        for outputs in both:
            outputs.publish_cycle(cycle)
        time.sleep(PERIOD)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        rclpy.try_shutdown()
