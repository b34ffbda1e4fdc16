# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""How a process of this package starts, waits, and ends.

In reading order:

- ``entry``: entry points.
- ``interrupts``: SIGINT and SIGTERM.
- ``running``: start and end of every node.
- ``parameters``: parameters of the dynamics node.
- ``declaring``: parameters of other nodes.
- ``executors``, ``wait_sets``: waiting for messages and timers.
- ``middleware``, ``allocator``: their settings before the start.
- ``log``, ``throttle``: one line for each cause.
- ``faults``: exceptions of cycles.
"""
