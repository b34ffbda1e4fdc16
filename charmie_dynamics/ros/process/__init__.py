# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""How a process of this package starts, waits, and ends.

In reading order:

- ``entry``: entry points.
- ``interrupts``: SIGINT and SIGTERM.
- ``running``: how every node starts and ends.
- ``parameters``: parameters of the dynamics node.
- ``declaring``: parameters of other nodes.
- ``executors``, ``wait_sets``: what a node waits with.
- ``middleware``, ``allocator``: what these are told before they start.
- ``log``, ``throttle``: one line a cause.
- ``faults``: what cycles raise.
"""
