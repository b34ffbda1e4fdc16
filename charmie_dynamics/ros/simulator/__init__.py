# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A simulated robot on a ROS 2 graph; its node is in ``nodes``.

In reading order:

- ``parameters``: its parameters.
- ``samples``: what it publishes.
- ``robot_topics``: the robot's own topics.
- ``command_inputs``: what it reads.
- ``player``: simulated time that follows real time, or does not.
- ``simulation_state``: pause, step, reset.
- ``entities``: the robot as an entity.
- ``stepping``: steps by an action.
- ``plain_services``: pause and reset without the package simulation_interfaces.
- ``report``: diagnostics.
- ``reference``: what the services are, for the documents.
"""
