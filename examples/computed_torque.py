# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Track a motion with CHARMIE by computed torque, with a known and an unknown payload.

Run: python examples/computed_torque.py [SECONDS]
"""

import sys

import numpy as np

from charmie_dynamics import Payload, load_model
from charmie_dynamics.control import ComputedTorque
from charmie_dynamics.motions import make_motion
from charmie_dynamics.simulation import simulate

model = load_model()
robot = model.with_loads({"left_tool": Payload(1.0)})  # kg
motion = make_motion("wave", model)
time = np.arange(0.0, float(sys.argv[1]) if len(sys.argv) > 1 else 1.0, 0.001)
desired = motion.sampled(time)

print(f"{'the payload is':<16}{'joints / rad':>14}{'left tool / mm':>16}")
for word, known in (("known", robot), ("unknown", model)):
    law = ComputedTorque(known, kp=400.0, motion=desired)
    start, speed = desired.position[0], desired.velocity[0]
    run = simulate(robot, start, speed, time[-1], law, "rk4", step=0.001, hold=True)
    tool, goal = (
        robot.kinematics(each).frame("left_tool")[0] for each in (run.position, desired.position)
    )
    error = np.abs(run.position - desired.position).max()
    print(f"{word:<16}{error:14.1e}{1e3 * np.linalg.norm(tool - goal, axis=1).max():16.3f}")
