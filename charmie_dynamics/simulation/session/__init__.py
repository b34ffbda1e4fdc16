# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot that is played: commands in, samples out, in steps of a fixed length. Knows no ROS.

In reading order:

- ``settings``: how a robot is played.
- ``topics``: what a simulated robot publishes and reads.
- ``following``: desired motions: held poses, trajectories, named motions.
- ``commands``: which command is in force.
- ``sensors``: what is measured of the robot.
- ``session``: playing, paused, stopped; steps, samples, resets.
- ``pacing``: how many steps are due at a time.
- ``base_pose``: the robot as an entity: where its base is, and how it is put elsewhere.
- ``messages``: samples as messages.
"""
