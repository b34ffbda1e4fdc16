# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Print and plot the contributions of all bodies to the effort of the torso actuator.

The chart needs matplotlib: pip install ".[pictures]"

Run: python examples/contributions_of_the_bodies.py [FILE.png|FILE.svg]
"""

import sys

import numpy as np

from charmie_dynamics import load_model

model = load_model()
position, velocity = model.zero_position(), np.zeros(len(model.velocity_names))
pose = {"torso_actuator": 0.36, "left_arm_joint_2": 1.2}
for actuator, value in {**model.mechanisms.rest_pose, **pose}.items():
    position[model.position_names.index(actuator)] = value
for actuator, value in {"torso_actuator": 0.05, "left_arm_joint_2": 1.0}.items():
    velocity[model.velocity_names.index(actuator)] = value  # m/s, rad/s

contributions = model.contributions(position, velocity)
print(contributions.table("torso_actuator"))

if len(sys.argv) > 1:
    from charmie_dynamics.visual.pictures import plot_contributions

    plot_contributions(sys.argv[1], contributions, subtitle=f"{model.name}, bent forward")
    print(f"{sys.argv[1]}: contributions in {len(contributions.velocity_names)} actuators")
