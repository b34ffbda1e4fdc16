# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulated time of a robot or a world: commands in, samples out, in fixed steps. Without ROS.

In reading order:

- ``sensor_settings``, ``settings``: parameters of a session.
- ``topics``: topics that a simulated robot or world publishes or subscribes to.
- ``message_buffers``: views of the fields of messages that are built once.
- ``base_pose``: the pose of a robot's base, and how to set it.
- ``sensors``: simulated encoders, and the samples of a session.
- ``simulated_system``: a robot alone, or a world with the robot in it.
- ``base_drive``: velocity of a base from the rates of its joints or wheels.
- ``odometry``, ``inertial_unit``, ``laser_scanner``: sensors besides encoders.
- ``mounted_sensors``: those that the settings request.
- ``position_drives``: each actuator holds its own position.
- ``joint_targets``: targets of position drives, and their gains.
- ``command_interfaces``: the command interfaces that a URDF declares.
- ``base_velocity``: a commanded velocity of the base.
- ``commands``: the active commands.
- ``drives``: the drives of all robots.
- ``state_transfer``: the state of the remaining entities when others are added or removed.
- ``session``: play, pause and stop; steps, samples, resets.
- ``entity_changes``: add, remove and move entities.
- ``entity_bounds``: boxes about entities, entities within a volume.
- ``pacing``: the number of steps that are due.
- ``world_messages``, ``mounted_sensor_messages``, ``messages``: samples as messages.
"""
