# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A simulated robot or world on a ROS 2 graph; its node is in ``nodes``.

In reading order:

- ``parameters``: its parameters.
- ``world_markers``: what a world looks like.
- ``samples``: what it publishes.
- ``robot_topics``: the robot's own topics.
- ``command_inputs``: what it reads.
- ``player``: simulated time that follows real time, or does not.
- ``resources``: what can be spawned.
- ``simulation_state``: pause, step, reset.
- ``entity_messages``: states of entities as messages.
- ``entities``: the entities that there are.
- ``spawning``: entities that come and go.
- ``stepping``: steps by an action.
- ``plain_services``: pause and reset without the package simulation_interfaces.
- ``report``: diagnostics.
- ``reference``: what the services are, for the documents.
"""
