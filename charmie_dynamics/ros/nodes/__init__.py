# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The nodes.

- ``launching``: parts of the launch files.
- ``control_stacks``: the launch files of MoveIt, Nav2 and ros2_control.
- ``warm_up``: compiled code made ready.
- ``dynamics_node``: two input topics in; TF, efforts, loads, stability and markers out.
- ``bridge_node``: a robot's own topics in, joint states and actuator lengths out.
- ``motion_player``: publishes a named motion.
- ``policy_node``: runs a trained network.
- ``controller_node``: efforts for trajectories and held poses.
- ``simulator_node``: plays the robot.
- ``recorder``: writes the topics into a bag.
"""
