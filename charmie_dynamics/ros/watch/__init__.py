# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Checks, counters and reports of the nodes.

In reading order:

- ``qos_watch``: endpoints with incompatible quality of service.
- ``own_transforms``, ``transform_watch``: frames that two nodes publish.
- ``graph_watch``: both, on one timer.
- ``memory_watch``: return of unused memory.
- ``compilation_report``: diagnostics before the start of the node.
- ``report``: diagnostics once a second.
"""
