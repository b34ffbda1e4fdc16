# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Trajectories on their way to efforts: followed, supervised, ended. Without ROS, without clocks.

In reading order:

- ``following``: desired motions: held poses, trajectories, named motions.
"""
