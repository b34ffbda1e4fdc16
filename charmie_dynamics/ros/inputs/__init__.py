# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Subscriptions and requests of the nodes.

In reading order:

- ``entity_poses``: poses of entities from /tf.
- ``raw_subscription``: serialised messages, from a subscription that can be replaced.
- ``input_topic``: one input topic, read and counted.
- ``input_queue``: samples in the order of their stamps; treatment of a backlog.
- ``base_inputs``: inertial measurements and odometry.
- ``load_inputs``, ``payload_service``: loads from messages and requests.
- ``trajectory_check``: checks of trajectories.
- ``message_types``, ``bridge_source``: a robot's own topics.
"""
