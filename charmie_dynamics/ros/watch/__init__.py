# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the nodes notice, count and report.

In reading order:

- ``qos_watch``: endpoints whose quality of service does not fit.
- ``own_transforms``, ``transform_watch``: frames that two nodes publish.
- ``graph_watch``: both, on one timer.
- ``memory_watch``: memory that can be given back.
- ``compilation_report``: what is said before the node is there.
- ``report``: what is said once a second.
"""
