# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The robot as flat arrays, and what is known of it without a computed cycle.

In reading order:

- ``freedoms``: names and order of the coordinates, and the degrees of freedom one by one.
- ``flatten``: from the description to flat arrays (step 2).
- ``reach``, ``census``: lengths that actuators reach; number of bodies and joints.
- ``block_layout``: the layout of a cycle's block of memory.
- ``checks``: checks of inputs, with their messages.
- ``parallel``: work on many samples, in threads.
- ``described_robot``: names, limits, masses, and what the loops allow.
"""
