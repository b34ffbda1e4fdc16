# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulated time of a robot or a world: commands in, samples out, in fixed steps. Without ROS.

In reading order:

- ``settings``: parameters of a session.
- ``topics``: topics that a simulated robot or world publishes or subscribes to.
- ``message_buffers``: views of the fields of messages that are built once.
- ``base_pose``: the pose of a robot's base, and how to set it.
- ``sensors``: simulated encoders, and the samples of a session.
- ``simulated_system``: a robot alone, or a world with the robot in it.
- ``position_drives``: each actuator holds its own position.
- ``joint_targets``: targets of position drives, and their gains.
- ``commands``: the command in force.
- ``drives``: the drives of all robots.
- ``state_transfer``: the state of the remaining entities when others are added or removed.
- ``session``: play, pause and stop; steps, samples, resets.
- ``entity_changes``: add, remove and move entities.
- ``pacing``: the number of steps that are due.
- ``world_messages``, ``messages``: samples as messages.
"""
