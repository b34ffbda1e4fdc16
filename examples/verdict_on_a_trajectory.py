# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Check a trajectory against all limits before execution.

The running node publishes the same verdict on the topic `trajectory_verdict`.

Run: python examples/verdict_on_a_trajectory.py [SECONDS]
"""

import sys

import numpy as np

from charmie_dynamics import load_model
from charmie_dynamics.motions import Trajectory, judge

duration = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
model = load_model()
trajectory = Trajectory(
    names=["left_arm_joint_2", "torso_actuator"],
    time=np.array([0.0, 0.5, 1.0]) * duration,
    position=np.array([[0.0, 0.42], [0.6, 0.40], [1.2, 0.36]]),
)
verdict = judge(model, trajectory, held=model.zero_position())

for k in np.argsort(-verdict.share)[:5]:
    print(f"{model.actuator_names[k]:<20}{100.0 * verdict.share[k]:8.1f} % of its rated effort")
for excess in verdict.excesses:
    print(excess)
print("too fast" if verdict.excesses else "the robot can do it", f"in {duration:g} s")
