# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Draw CHARMIE in a pose, its springs, linear actuators and joints coloured by their load.

Needs matplotlib: pip install ".[pictures]"

Run: python examples/picture_of_a_pose.py [FILE.png]
"""

import sys

from charmie_dynamics import load_model
from charmie_dynamics.visual.pictures import render_robot

path = sys.argv[1] if len(sys.argv) > 1 else "robot.png"
model = load_model()
position = model.zero_position()
for actuator, value in {"torso_actuator": 0.36, "left_arm_joint_2": 1.2}.items():
    position[model.actuator_names.index(actuator)] = value

state = model.compute(position)
render_robot(path, model, state, labels=True, subtitle="bent forward", size=(800, 600))
print(f"{path}: the tool of the left arm is at", state.frame("left_tool")[0].round(3), "m")
