# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Actions and topics on which a robot receives trajectories; their node is in ``nodes``.

In reading order:

- ``parameters``: parameters of the node.
- ``topics``: its topics and actions.
- ``requests``: messages as goals.
- ``goal_runs``: goals on their way from acceptance to result.
- ``group_actions``: actions and topics of the groups.
- ``report``: diagnostics.
"""
