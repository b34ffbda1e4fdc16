# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The robot as flat arrays, and its properties that need no computed cycle.

In reading order:

- ``freedoms``: names and order of the coordinates, and the degrees of freedom one by one.
- ``numbered_tree``: arrays of links and joints only.
- ``friction_laws``: friction of joints and actuators, as arrays.
- ``flat_robot``: the arrays of a robot for the kernels.
- ``block_layout``: the layout of a cycle's block of memory.
- ``prepared_robot``: the data of a robot, with its cache of kernels.
- ``requirements``: requirements of mechanisms on the tree, with their messages.
- ``flatten``: from the description to flat arrays (step 2).
- ``load_sharing``: several linear actuators on one joint.
- ``actuators``, ``census``: units, limits and reach of actuators; number of bodies and joints.
- ``loop_cycles``, ``loop_refusals``: the kernels of loop joints, and words for what they refuse.
- ``loop_following``: cycles of robots of which the driven joints alone are known.
- ``checks``: checks of inputs, with their messages.
- ``parallel``: work on many samples, in threads.
- ``positions``: zero positions, rates of positions, quaternions of length one.
"""
