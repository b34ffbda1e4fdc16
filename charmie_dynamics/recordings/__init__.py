# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recordings: bags and tables, read, computed and written without ROS. Needs rosbags and mcap.

In reading order:

- ``read``: recordings of all kinds.
- ``compute``: cycles of a recording, and what they amount to.
- ``write``: results as bags, tables, charts and reports.
- ``commands``: charmie_analyze, charmie_plot, charmie_render.
"""
