# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot or a world that is played: commands in, samples out, in fixed steps. Knows no ROS.

In reading order:

- ``settings``: how a robot is played.
- ``topics``: what a simulated robot or world publishes and reads.
- ``message_buffers``: where numbers are written into messages.
- ``base_pose``: where a robot's base is, and how it is put elsewhere.
- ``sensors``: what is measured of the robot, and what is told.
- ``simulated_system``: a robot alone, or a world with the robot in it.
- ``following``: desired motions: held poses, trajectories, named motions.
- ``position_drives``: each actuator holds its own position.
- ``commands``: which command is in force.
- ``drives``: what drives all robots.
- ``state_transfer``: the motion of what stays when entities come and go.
- ``session``: playing, paused, stopped; steps, samples, resets.
- ``entity_changes``: entities come, go, and are put elsewhere.
- ``pacing``: how many steps are due at a time.
- ``world_messages``, ``messages``: samples as messages.
"""
