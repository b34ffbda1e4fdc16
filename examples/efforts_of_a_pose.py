# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Print the efforts that hold CHARMIE bent forward with its left arm lowered.

Run: python examples/efforts_of_a_pose.py
"""

from charmie_dynamics import load_model

model = load_model()
position = model.zero_position()
pose = {"lift_actuator": 0.45, "torso_actuator": 0.36, "left_arm_joint_2": 1.2}
for actuator, value in pose.items():
    position[model.position_names.index(actuator)] = value

state = model.compute(position)
for actuator, effort in zip(model.actuator_names, state.actuator_effort, strict=True):
    print(f"{actuator:<20}{effort:10.3f}")
print("left tool at", state.frame("left_tool")[0].round(3), "m")
print("torso spring", state.spring_tension["torso_spring"].round(1), "N")
