# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Readers of recordings: bags and tables.

In reading order:

- ``bag``: the bag reader: topics of a rosbag2, whole or damaged, and their messages.
- ``salvage``: the intact messages of a damaged bag.
- ``file_order``: bags whose times of recording step back.
- ``received``: the interface of samples and loads of a recording of any kind.
- ``load_topics``: the topics of a bag with payloads and wrenches.
- ``description``: the URDF in a bag.
- ``recorded_motion``: a recorded motion as arrays over time, for charts and pictures.
- ``all_coordinates``: the same with joints without actuators.
- ``recorded_samples``: samples and loads of one robot in a bag.
- ``recorded_inputs``: the inputs of a robot in a bag, for charmie_analyze.
- ``columns``, ``tabular``: tables, and the file that describes their columns.
- ``ordering``: samples in the order in which the node processes them.
- ``segments``: samples between jumps back of their stamps.
- ``transforms``: poses of frames.
- ``recorded_base``: the motion of the base of a robot, from odometry.
- ``robots``: the model of the robot that a bag was recorded from.
- ``option_values``: options that commands share.
"""
