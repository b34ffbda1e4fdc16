# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Compute the platform position of a Delta robot, its holding torques and the forces in its rods.

Run: python examples/parallel_robot.py [ANGLE] (of the first arm, rad, downwards)
"""

import sys

import numpy as np

from charmie_dynamics import Payload, load_model

model = load_model("delta").with_loads({"tool": Payload(0.5)})  # kg
angle = float(sys.argv[1]) if len(sys.argv) > 1 else 0.3
guess = model.zero_position()
for arm, value in (("arm_joint_1", angle), ("arm_joint_2", 0.1), ("arm_joint_3", 0.1)):
    guess[model.position_names.index(arm)] = value
position, velocity, acceleration = model.assemble(guess)  # the joints that no motor drives
state = model.compute(position, velocity, acceleration)

place, _ = state.frame("platform")
print("platform at x {:.1f}, y {:.1f}, z {:.1f} mm".format(*(1e3 * place.round(6) + 0.0)))
for name, effort in zip(model.actuator_names, state.actuator_effort, strict=True):
    print(f"{name:<12}{effort:8.3f} N m")
for rod in ("left_ball_1", "right_ball_1"):
    print(f"{rod:<12}{np.linalg.norm(state.loop_force(rod)[:3]):8.3f} N")
