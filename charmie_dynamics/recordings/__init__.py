"""Bags and tables, without ROS: what was recorded, computed again, summed up, drawn.

Needs rosbags and mcap.

In reading order:

- ``read``: recordings of all kinds.
- ``compute``: cycles of a recording, and what they amount to.
- ``write``: results as bags, tables, charts and reports.
- ``commands``: charmie_analyze, charmie_plot, charmie_render.
"""
