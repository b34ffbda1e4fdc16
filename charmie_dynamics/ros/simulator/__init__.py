# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A simulated robot or world on a ROS 2 graph; its node is in ``nodes``.

In reading order:

- ``parameters``: its parameters.
- ``world_markers``: markers of a world.
- ``samples``: its publications.
- ``robot_topics``: the robot's own topics.
- ``command_inputs``: its subscriptions.
- ``player``: progress of simulated time.
- ``resources``: entities that can be spawned.
- ``offering``: services as far as the installed version defines them.
- ``bounds_messages``: volumes as messages.
- ``simulation_state``: pause, step, reset.
- ``entity_messages``: states of entities as messages.
- ``entities``: the existing entities.
- ``spawning``: addition and removal of entities.
- ``world_services``: loading and unloading of worlds, named poses.
- ``stepping``: steps by an action.
- ``plain_services``: pause and reset without the package simulation_interfaces.
- ``report``: diagnostics.
- ``reference``: descriptions of the services, for the documents.
"""
