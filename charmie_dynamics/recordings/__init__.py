# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recordings: read, compute and write bags and tables without ROS. Needs rosbags and mcap.

In reading order:

- ``read``: recordings of all kinds.
- ``compute``: cycles of a recording, and their evaluation.
- ``write``: results as bags, tables, charts and reports.
- ``commands``: charmie_analyze, charmie_plot, charmie_render.
"""
