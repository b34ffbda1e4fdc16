# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The demo: nodes and recorder on a real ROS 2 graph, then a table and pictures of the bag.

In reading order:

- ``run``: the main program; starts and ends the processes.
- ``domain``: the ROS 2 domain, without other publishers of the demo's topics.
- ``simulated``: the simulated robot.
- ``check``: the check of the recorded bag.
- ``judge``: compare outputs with inputs.
- ``remarks``: observations about player, recorder and machine.
- ``arrivals``: the messages that the recorder received, and those that it may have lost.
- ``counters``: the counts of received inputs that the node reports.
- ``report``: the tables and the pictures.
- ``launch_file``: a runner of launch files.
"""
