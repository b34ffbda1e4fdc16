# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The robot as flat arrays, and its properties that need no computed cycle.

In reading order:

- ``freedoms``: names and order of the coordinates, and the degrees of freedom one by one.
- ``passive_joints``: requirements of joints without actuator.
- ``roller_wheels``: requirements of Swedish wheels.
- ``numbered_tree``: arrays of links and joints only.
- ``friction_laws``: friction of joints and actuators, as arrays.
- ``flatten``: from the description to flat arrays (step 2).
- ``reach``, ``census``: lengths that actuators reach; number of bodies and joints.
- ``block_layout``: the layout of a cycle's block of memory.
- ``loop_cycles``, ``loop_refusals``: the kernels of loop joints, and words for what they refuse.
- ``loop_following``: cycles of robots of which the driven joints alone are known.
- ``checks``: checks of inputs, with their messages.
- ``parallel``: work on many samples, in threads.
- ``described_robot``: names, limits, masses, and what the loops allow.
"""
