# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Compare the efforts of CHARMIE with a bottle in the left hand and a push on the right one.

Run: python examples/payload_and_wrench.py
"""

from charmie_dynamics import Payload, Wrench, load_model

robot = load_model()
position = robot.zero_position()
position[robot.position_names.index("left_arm_joint_2")] = 1.2

# 1.5 kg, its centre of mass 80 mm before the origin of the tool's frame
bottle = Payload(1.5, p_link_com=(0.0, 0.0, 0.08))
push = Wrench(force=(0.0, -20.0, 0.0))  # N, along the axes of the tool and at its origin
robots = {
    "free": robot,
    "bottle": robot.with_loads({"left_tool": bottle}),
    "push": robot.with_loads(wrenches={"right_tool": push}),
}

efforts = {name: model.compute(position).actuator_effort for name, model in robots.items()}
print(f"{'':<20}" + "".join(f"{name:>10}" for name in robots))
for k, actuator in enumerate(robot.actuator_names):
    print(f"{actuator:<20}" + "".join(f"{effort[k]:10.3f}" for effort in efforts.values()))
print(f"{robots['bottle'].total_mass - robot.total_mass:.1f} kg of additional mass")
